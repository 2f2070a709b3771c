"""What holds for all tests.

README and the pages of docs are among them: every block of Python and every console session in them runs.
"""

import gc
import gzip
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import ExitStack
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from _pytest.runner import runtestprotocol
from hypothesis.internal.conjecture import providers
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

import page_blocks
import warm_start
from paragone.llm import forbid_remote_calls

# Test workers have a core each: threads of the libraries would wait for one another, at work. Nothing loaded numpy yet.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# Tests start some hundred interpreters, which share compiled files whatever the environment says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

os.environ["PARAGONE_CONFIG"] = ""  # whoever runs the tests may have settings of their own

gc.set_threshold(2_000_000, 50, 50)  # to import tests and libraries makes no garbage to speak of

# hypothesis draws the same examples in each run, and many others with --deep. A busy machine makes no test fail.
_patient = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("fixed", _patient, max_examples=20, derandomize=True)
hypothesis.settings.register_profile("deep", _patient, max_examples=1000)
hypothesis.settings.load_profile("fixed")

# Tests kill processes, never the machine: what they write need not wait for a disk, where there is memory for it.
_memory = Path("/dev/shm")
if "TMPDIR" not in os.environ and _memory.is_dir() and shutil.disk_usage(_memory).free > 4 * 2**30:
    os.environ["TMPDIR"] = tempfile.tempdir = str(_memory)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option for the evidence that takes long."""
    parser.addoption("--deep", action="store_true", help="draw many more examples, and compare every combination")


def pytest_configure(config: pytest.Config) -> None:
    """Modules are imported later: what they ask hypothesis for is a share of the profile's examples."""
    if config.getoption("--deep"):
        hypothesis.settings.load_profile("deep")
    else:
        _draw_no_constants()
    forbidding = ExitStack()  # a test that asks a model elsewhere fails, instead of costing money
    forbidding.enter_context(forbid_remote_calls())
    config.add_cleanup(forbidding.close)
    if config.getoption("numprocesses", None):
        warm_start.share()  # with all workers, who collect while it loads
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579":
        _from_the_end(config.args)


def _from_the_end(args: list[str]) -> None:
    """Every other worker collects backwards: in a fresh clone, each then compiles half of the modules for the other."""
    if "tests" in args:
        folders = [str(path) for path in sorted(Path("tests").glob("[!_]*/"), reverse=True)]
        args[:] = [*folders, *(arg for arg in reversed(args) if arg != "tests")]


@pytest.fixture(scope="session")
def deep(request: pytest.FixtureRequest) -> bool:
    """Whether the evidence that takes long is wanted."""
    return bool(request.config.getoption("--deep"))


class ConsoleParser(CodeBlockParser):
    """Runs console sessions in the folder of their page."""

    language = "console"

    def evaluate(self, example: Example) -> None:
        """Run one session."""
        page_blocks.run_block(example.parsed, example.namespace["__page__"][0])


pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE), ConsoleParser()],
    patterns=["README.md", "CONTRIBUTING.md", "docs/*.md", "docs/reference/*.md"],
    setup=page_blocks.enter,
    teardown=page_blocks.leave,
).pytest()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long, so that no worker is left alone with one at the end.

    Those are the ones with tests that are slow or have a time limit of their own, and pages. All workers have to come
    to the same order, whatever they collected first.
    """
    marks = ("slow", "timeout")
    long = {item.path for item in items if item.path.suffix == ".md" or any(map(item.get_closest_marker, marks))}
    items.sort(key=lambda item: (item.path not in long, item.path))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test printed may be text that cannot be sent to the process that reports; there it is spelt out."""
    report = yield
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]
    return report


def pytest_collection_finish() -> None:
    """What was collected stays until the end: the garbage collector need not look through it, not even once.

    Much of what tests make stays too, as libraries do that they are the first to import.
    """
    _know_utf_8()
    gc.freeze()
    gc.set_threshold(5_000)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """What is in memory goes with the process: pytest and Python would look through all of it several times."""
    gc.freeze()


def _draw_no_constants() -> None:
    """Have hypothesis draw none of the constants that our own modules name.

    It knows those of the modules that are loaded, so that examples would differ with what ran before; and in a fresh
    clone it parses every module for them.
    """
    providers._get_local_constants = lambda: providers._local_constants


def _know_utf_8() -> None:
    """Write down which characters UTF-8 has, all but the surrogates: in a fresh clone hypothesis tries a million."""
    from hypothesis.internal.charmap import charmap_file

    file = charmap_file("codec-v2-utf-8")
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        own = file.with_name(f"{os.getpid()}.gz")
        own.write_bytes(gzip.compress(b"[[[0, 55295], [57344, 1114111]], []]", mtime=1))
        own.rename(file)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker reports each test once, if preparing it and clearing up went well and took no time to speak of.

    Five messages a test would go to the process that reports, which takes longer to read them than most tests run.
    No public hook keeps a report back: pytest logs what each phase reports, and xdist sends what is logged. Hence its
    own function, which the locked version of pytest has; another version without it fails at the import.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 0.005:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the blocks of a page, which build on one another, on one worker; begin with what was collected first."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # it would begin with the files that have the most tests
    return LoadFileScheduling(config, log)
