"""Every code block of README and the pages is run, parsed, or at least names what exists.

``conftest.py`` at the top collects the pages and runs their blocks; here is what is checked besides.
"""

import csv
import io
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

import click_tree

TOP = Path(__file__).parents[2]
PAGES = [
    TOP / "README.md",
    TOP / "CONTRIBUTING.md",
    *(path for path in sorted((TOP / "docs").rglob("*.md")) if "design" not in path.parts),
]
COMPOSE = yaml.safe_load((TOP / "compose.yaml").read_text("utf-8"))
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


def blocks() -> Iterator[tuple[str, str, str]]:
    """Page, language and text of every block."""
    for page in PAGES:
        for found in FENCE.finditer(page.read_text("utf-8")):
            yield page.relative_to(TOP).as_posix(), found[1], found[2]


def rows(text: str) -> None:
    table = list(csv.reader(io.StringIO(text)))
    assert {len(row) for row in table} == {len(table[0])}


_OTHER_PROGRAMS = {
    ("echo",),
    ("grep",),
    ("export",),
    ("openssl",),
    ("man",),
    ("createdb",),
    ("psql",),
    ("pip", "install"),
    ("pipx", "install"),
    ("uv", "tool"),
}


def shell(text: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (TOP / "Makefile").read_text("utf-8"), re.MULTILINE))
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if program == "uvx":
            program, *arguments = arguments
        if program == "make":
            assert set(arguments) <= targets, line
        elif program == "paragone":
            command = " ".join(arguments[:2]) if " ".join(arguments[:2]) in click_tree.options() else arguments[0]
            used = {argument for argument in arguments if argument.startswith("-")}
            assert used <= click_tree.options()[command], line
        elif (program, *arguments[:3]) == ("docker", "compose", "run", "--rm"):
            service, *words = arguments[3:]
            assert service in COMPOSE["services"], line
            shell(" ".join(["paragone", *(["rank"] if service == "rank" else []), *words]))
        elif program in {"docker", "kubectl"}:
            files = (word for word in arguments if word.endswith(".yaml"))
            assert all((TOP / file).is_file() for file in files), line
        elif program == ".venv/bin/python":
            source = (TOP / arguments[0]).read_text("utf-8")
            assert all(f'"{argument}"' in source for argument in arguments if argument.startswith("-")), line
        else:
            assert {(program,), (program, *arguments[:1])} & _OTHER_PROGRAMS, line


PARSERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
    "toml": tomllib.loads,
    "csv": rows,
    "sh": shell,
}


def test_every_block_has_a_language_that_something_is_done_with() -> None:
    known = {"python", "console", "text", *PARSERS}
    assert [(page, language) for page, language, _ in blocks() if language not in known] == []


@pytest.mark.parametrize("language", PARSERS)
def test_blocks_that_are_not_run_can_be_read(language: str) -> None:
    for page, found, text in blocks():
        if found == language:
            try:
                PARSERS[language](text)
            except Exception as error:
                raise AssertionError(f"{page}: {text}") from error


def test_the_pages_that_have_to_be_there_are_there_and_run_something() -> None:
    ran = {page for page, language, _ in blocks() if language in {"python", "console"}}
    assert {"README.md", "docs/index.md", "docs/tutorial.md", "docs/reference/python.md"} <= ran


def test_every_page_is_in_the_navigation() -> None:
    listed = (TOP / "mkdocs.yml").read_text("utf-8")
    pages = [path.relative_to(TOP / "docs").as_posix() for path in PAGES if path.is_relative_to(TOP / "docs")]
    assert [page for page in pages if f"- {page}" not in listed] == []


def test_every_design_note_is_listed() -> None:
    notes = sorted(path.name for path in (TOP / "docs" / "design").glob("[0-9]*.md"))
    index = (TOP / "docs" / "design" / "index.md").read_text("utf-8")
    assert notes
    assert [note for note in notes if f"({note})" not in index] == []


def test_links_between_files_of_the_checkout_hold() -> None:
    broken = [
        (page.relative_to(TOP).as_posix(), target)
        for page in [*PAGES, TOP / "CHANGELOG.md"]
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []
