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
    paths = set(re.findall(r"`((?:[a-z0-9_]+/)+(?:[a-z0-9_]+\.[a-z]+)?)`", text(page)))
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
    assert len(named) > 500
    assert sorted(f"{module}: {name}" for module, name in named if not module.exists()) == []
    assert sorted(f"{module}: {name}" for module, name in named if name and name not in definitions(module)) == []


def sections() -> list[tuple[str, list[tuple[str, str]]]]:
    """The headings of the index and the rows of the table below each, a subject and where it is."""
    index = [re.split(r"\n", part) for part in re.split(r"^##+ ", text("find-your-way.md"), flags=re.MULTILINE)[1:]]
    return [(lines[0], [(row[1], row[2]) for line in lines if (row := _ROW.fullmatch(line))]) for lines in index]


_ROW = re.compile(r"\| (?!what \|)(.+?) \| (.+) \|")


def test_the_first_table_leads_to_all_sections() -> None:
    contents = text("find-your-way.md").partition("\n## ")[0]
    headings = re.findall(r"^## (.+)$", text("find-your-way.md"), flags=re.MULTILINE)
    assert re.findall(r"\[([^]]+)\]\(#", contents) == headings


def in_alphabet(subject: str) -> str:
    return re.sub(r"[^a-z0-9 ]", "", subject.casefold().replace("-", " ")).strip()


def test_subjects_are_in_alphabetical_order_and_stand_once() -> None:
    for heading, rows in sections():
        subjects = [in_alphabet(subject) for subject, _ in rows]
        assert subjects == sorted(set(subjects)), heading


def test_a_subject_has_one_file_or_two() -> None:
    places = {subject: re.findall(_PLACE, where) for _, rows in sections() for subject, where in rows}
    assert len(places) > 200
    assert {subject: files for subject, files in places.items() if not 1 <= len(files) <= 2} == {}


_PLACE = r"`((?:[a-z0-9_]+/)+(?:[a-z0-9_]+\.[a-z]+)?|[a-z_]+\.(?:py|toml))`"


def test_the_index_stays_short_enough_to_be_read() -> None:
    assert sum(len(rows) for _, rows in sections()) <= 280, "take out rows that the names of modules answer"


def test_methods_are_looked_for_in_their_class() -> None:
    assert {"PAGES", "mentions"} <= definitions(Path(__file__))
    assert {"Judge", "Judge.compare"} <= definitions(SOURCE / "judges" / "base.py")
    assert not {"compare", "Judge.made_up"} & definitions(SOURCE / "judges" / "base.py")
