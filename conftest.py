"""What holds for all tests.

README and the pages of docs are among them: every block of Python and every console session in them runs.
"""

from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

import page_blocks
from paragone.llm import forbid_remote_calls


@pytest.fixture(autouse=True)
def no_remote_models() -> Iterator[None]:
    """A test that asks a model elsewhere fails, instead of costing money."""
    with forbid_remote_calls():
        yield


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
    fixtures=["no_remote_models"],
).pytest()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take long, so that no worker is left alone with one at the end: slow ones and pages."""
    long = {item.path for item in items if item.get_closest_marker("slow") or item.path.suffix == ".md"}
    items.sort(key=lambda item: item.path not in long)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the blocks of a page, which build on one another, on one worker; begin with what was collected first."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # it would begin with the files that have the most tests
    return LoadFileScheduling(config, log)
