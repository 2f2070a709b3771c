"""The pages about the code draw the layers of the contract and name only paths that exist."""

import re
import tomllib
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
SOURCE = TOP / "src" / "paragone"
PAGES = ("architecture.md", "find-your-way.md")


def text(page: str) -> str:
    return (TOP / "docs" / page).read_text("utf-8")


def test_the_layers_are_those_of_the_contract() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    contract = project["tool"]["importlinter"]["contracts"][0]["layers"]
    drawing = re.search(r"```text\n(cli .*?)```", text("architecture.md"), flags=re.DOTALL)
    assert drawing is not None
    assert drawing[1].replace("│", "|").splitlines() == [layer for layer in contract if layer != "__main__"]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page: str) -> None:
    paths = set(re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.(?:py|txt))?)`", text(page)))
    assert len(paths) > 10
    assert sorted(path for path in paths if not any((root / path).exists() for root in (SOURCE, TOP))) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_module_named_without_its_path_exists(page: str) -> None:
    modules = {path.name for path in SOURCE.rglob("*.py")}
    assert sorted(set(re.findall(r"`([a-z_]+\.py)`", text(page))) - modules) == []


@pytest.mark.parametrize(("path", "name"), re.findall(r"`(\w[\w/]+\.py)`, `(\w+)`", text("find-your-way.md")))
def test_every_definition_is_in_the_module_that_is_named(path: str, name: str) -> None:
    assert re.search(rf"(?:def|class) {name}\b", (SOURCE / path).read_text("utf-8"))
