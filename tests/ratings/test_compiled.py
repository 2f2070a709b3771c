"""The seam to numba: plain and compiled forms, what is kept on disk and when that is thrown away."""

import runpy
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from paragone.errors import MissingExtra
from paragone.ratings.loops import compiled as seam
from paragone.ratings.loops.compiled import Primitive, loop

needs_numba = pytest.mark.skipif(not seam.available(), reason="numba is not installed")
FACTOR = 3.0
TABLE = np.array([1.0, 2.0])


@loop
def tripled(x):
    return FACTOR * x


@loop
def total(values, weight):
    result = 0.0
    for at in range(len(values)):
        result += tripled(values[at]) if weight is None else weight[at] * TABLE[1]
    return result


def test_a_loop_is_the_function_that_it_was():
    assert total([1.0, 2.0], None) == total.plain([1.0, 2.0], None) == 9.0


@needs_numba
def test_compiled_it_calls_what_it_calls_compiled_and_leaves_out_what_is_none():
    values = np.arange(5.0)
    assert total.compiled(values, None) == total(values, None) == 30.0
    assert total.compiled(values, values) == total(values, values) == 20.0
    assert total.compiled is total.compiled


def test_it_pays_for_many_steps_at_once_or_little_by_little(monkeypatch):
    monkeypatch.setattr(seam, "available", lambda: True)
    at_once, little_by_little = loop(lambda: None), loop(lambda: None)
    assert not at_once.pays(seam.PAYS_TO_LOAD - 1)
    assert at_once.pays(1)
    asked = [little_by_little.pays(seam.PAYS_TO_LOAD // 10) for _ in range(11)]
    assert asked == [False] * 9 + [True, True]


def test_numba_is_missed_only_where_it_was_asked_for(monkeypatch):
    monkeypatch.setattr(seam, "available", lambda: False)
    missing = loop(lambda: None)
    assert not missing.pays(10**9)
    assert not missing.pays(10**9, choice=False)
    with pytest.raises(MissingExtra, match=r"paragone\[fast\]"):
        missing.pays(1, choice=True)


@needs_numba
def test_once_loaded_it_pays_for_fewer_steps():
    @loop
    def fresh(x):
        return x

    assert not fresh.pays(seam.PAYS_TO_CALL)
    assert fresh.compiled(1.0) == 1.0
    assert fresh.pays(seam.PAYS_TO_CALL)
    assert not fresh.pays(seam.PAYS_TO_CALL - 1)


@needs_numba
def test_the_name_on_disk_changes_with_whatever_the_machine_code_rests_on(monkeypatch):
    def name(function):
        return loop(function.plain).compiled.__qualname__

    before = name(total)
    assert name(total) == before
    monkeypatch.setitem(globals(), "FACTOR", 4.0)
    by_constant = name(total)
    monkeypatch.setitem(globals(), "TABLE", np.array([1.0, 5.0]))
    by_table = name(total)
    monkeypatch.setitem(globals(), "tripled", loop(lambda x: x + x + x))
    by_callee = name(total)
    monkeypatch.setitem(globals(), "tripled", Primitive(lambda x: 3.0 * x, lambda: None))
    by_primitive = name(total)
    assert len({before, by_constant, by_table, by_callee, by_primitive}) == 5


MODULE = """
    import sys
    from paragone.ratings.loops.compiled import loop

    @loop
    def doubled(x):
        return 2.0 * x

    before = "numba" in sys.modules
    print(before, doubled(1.0), "numba" in sys.modules, doubled.compiled(2.0))
"""


@pytest.fixture
def kept_elsewhere(tmp_path, monkeypatch):
    """Writes a loop into a folder in which no code can be kept, and names where the user's own may be."""

    def write(cache: Path) -> None:
        (tmp_path / "module.py").write_text(textwrap.dedent(MODULE))
        (tmp_path / "__pycache__").touch()  # a file: nobody, not even root, can make the folder that code is kept in
        (tmp_path / "blocked").touch()
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
        monkeypatch.setenv("HOME", str(tmp_path / "blocked"))

    return write


@needs_numba
def test_where_the_package_cannot_be_written_to_code_is_kept_for_the_user(tmp_path, kept_elsewhere):
    kept_elsewhere(tmp_path / "cache")
    done = subprocess.run(
        [sys.executable, "module.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["False", "2.0", "False", "4.0"]
    assert len(list(tmp_path.rglob("*.nbi"))) == 1


@needs_numba
def test_where_that_cannot_be_written_to_either_it_is_not_kept_at_all(tmp_path, kept_elsewhere, capsys):
    kept_elsewhere(tmp_path / "blocked" / "cache")
    runpy.run_path(str(tmp_path / "module.py"))
    assert capsys.readouterr().out.split()[-1] == "4.0"
    assert list(tmp_path.rglob("*.nb?")) == []
