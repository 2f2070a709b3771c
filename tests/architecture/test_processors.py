"""The same numbers on every processor.

A processor is played by what picks its instructions: OpenBLAS's kernel, numpy's dispatch and the C library's. The
program beside this test prints strengths, intervals, plans, orders, clusters and searches under each of them, and here
it runs under those that this machine picks, after whatever ran before.
"""

import json
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath as cpu

from paragone.settings import settings

PROGRAM = Path(__file__).with_name("processor_program.py")
HAS = {name for name, there in cpu.__cpu_features__.items() if there}
OLDEST = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "2",
    "NPY_DISABLE_CPU_FEATURES": ",".join(name for name in cpu.__cpu_dispatch__ if name in HAS),
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
}
PROCESSORS = {
    "Haswell": ("FMA3", {"OPENBLAS_CORETYPE": "Haswell"}),
    "SkylakeX": ("AVX512F", {"OPENBLAS_CORETYPE": "SkylakeX"}),
    "Zen": ("FMA3", {"OPENBLAS_CORETYPE": "Zen"}),
    "Sandybridge": ("AVX", {"OPENBLAS_CORETYPE": "Sandybridge"}),
    "the oldest": ("SSE42", OLDEST),
}
FARTHEST = "the oldest"
"""It has the fewest instructions, and here adds in the order of another count of threads."""


def printed(folder, settings):
    run = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder)],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """What it prints here."""
    if "SSE42" not in HAS:
        pytest.skip("this processor has none of the kernels to compare")
    folder = tmp_path_factory.mktemp("usual")
    spec = spec_from_file_location("processor_program", PROGRAM)
    program = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        patch.setattr(sys, "argv", sys.argv)
        settings.cache_clear()
        spec.loader.exec_module(program)
        made = program.everything()
    settings.cache_clear()
    sys.modules.pop("longer_by_chance", None)  # its judge
    return json.loads(made)


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_prints_the_same(processor, usual, tmp_path, deep):
    if processor != FARTHEST and not deep:
        pytest.skip("compared with --deep")
    needed, settings = PROCESSORS[processor]
    if needed not in HAS:
        pytest.skip(f"this processor has no {needed}")
    made = printed(tmp_path, settings)
    assert made.keys() == usual.keys()
    different = [name for name in usual if made[name] != usual[name]]
    assert not different
