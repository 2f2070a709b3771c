"""The pages about the code draw the layers of the contract and name only what exists."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
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


def test_every_module_named_without_its_path_exists() -> None:
    modules = {path.name for path in SOURCE.rglob("*.py")}
    assert sorted(set(re.findall(r"`([a-z_]+\.py)`", text("architecture.md"))) - modules) == []


def mentions(page: str) -> Iterator[tuple[Path, str]]:
    """Each module that a page names, and with it each name that follows in the same paragraph, list entry or cell.

    A module without a folder is beside the one before it.
    """
    without_code = re.sub(r"^```.*?^```", "", text(page), flags=re.DOTALL | re.MULTILINE)
    for passage in re.split(r"\n\n|\n- |\n?\|", without_code):
        module, folder = None, SOURCE
        for word in re.findall(r"`([^`]+)`", passage):
            if re.fullmatch(r"[a-z0-9_/]+\.py", word):
                places = [root / word for root in (folder, SOURCE, TOP)]
                module = next((place for place in places if place.exists()), places[0])
                folder = module.parent
                yield module, ""
            elif re.fullmatch(r"[\w/]+/", word):
                module, folder = None, SOURCE / word
            elif module is not None and re.fullmatch(r"\w+(?:\.\w+)?", word):
                yield module, word


@cache
def definitions(module: Path) -> frozenset[str]:
    """What a module defines at its top, and what its classes do, with the class before it."""
    return frozenset(_defined(ast.parse(module.read_text("utf-8")).body))


def _defined(body: Iterable[ast.stmt], owner: str = "") -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield owner + statement.name
        if isinstance(statement, ast.ClassDef) and not owner:
            yield from _defined(statement.body, f"{statement.name}.")
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        yield from (owner + target.id for target in targets if isinstance(target, ast.Name))


def test_every_name_is_in_the_module_before_it() -> None:
    named = set(mentions("find-your-way.md"))
    assert len(named) > 300
    assert sorted(f"{module}: {name}" for module, name in named if not module.exists()) == []
    assert sorted(f"{module}: {name}" for module, name in named if name and name not in definitions(module)) == []


def test_methods_are_looked_for_in_their_class() -> None:
    assert {"PAGES", "mentions"} <= definitions(Path(__file__))
    assert {"Judge", "Judge.compare"} <= definitions(SOURCE / "judges" / "base.py")
    assert not {"compare", "Judge.made_up"} & definitions(SOURCE / "judges" / "base.py")
