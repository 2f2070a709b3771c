"""Writes a manual page for each command, from what its help says.

    .venv/bin/python scripts/man_pages.py build/man

Then ``man build/man/man1/paragone-rank.1``; copy ``man1`` to a folder of ``manpath`` to have them everywhere.
"""

import argparse
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer

import click_tree


def page(name: str, command: Any) -> str:
    """The manual page of a command, in the roff macros of man(7)."""
    title = f"paragone {name}".rstrip()
    context = typer.Context(command, info_name=title)
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split()).translate({ord("{"): "", ord("}"): ""})
    lines = [
        f'.TH "{title.replace(" ", "-").upper()}" 1 "" "paragone {version("paragone")}" "paragone"',
        ".SH NAME",
        f"{title.replace(' ', '-')} \\- {escaped(summary(command.help)).removesuffix('.')}",
        ".SH SYNOPSIS",
        f".B {escaped(usage)}",
        ".SH DESCRIPTION",
        *paragraphs(command.help),
        *_parameters(command, context),
        *_commands(command, name),
        ".SH SEE ALSO",
        "The documentation has examples: docs/index.md.",
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text as roff takes it: no character of it is a request or an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in text.split("\n"))


def summary(text: str) -> str:
    """The first sentence of a help text."""
    return re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]


def paragraphs(text: str) -> Iterator[str]:
    """A help text, paragraph by paragraph."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield ".PP"
        yield escaped(" ".join(paragraph.split()))


def _parameters(command: Any, context: Any) -> Iterator[str]:
    records = [(each, each.get_help_record(context)) for each in command.params]
    for heading, is_option in (("ARGUMENTS", False), ("OPTIONS", True)):
        rows = [record for each, record in records if record and each.opts[0].startswith("-") is is_option]
        if rows:
            yield f".SH {heading}"
        for left, right in rows:
            yield from (".TP", f".B {escaped(left)}", escaped(" ".join(right.split())))


def _commands(command: Any, name: str) -> Iterator[str]:
    names = command.list_commands(None) if hasattr(command, "list_commands") else ()
    if names:
        yield ".SH COMMANDS"
    for each in names:
        path = f"{name} {each}".lstrip()
        below = click_tree.commands()[path]
        yield from (".TP", f".B paragone\\-{escaped(path.replace(' ', '-'))}(1)", escaped(summary(below.help)))


def pages() -> dict[str, str]:
    """Every page by its name without the section, such as ``paragone-rank``."""
    from paragone.cli import app

    every = {"": typer.main.get_command(app), **click_tree.commands()}
    return {f"paragone {name}".strip().replace(" ", "-"): page(name, command) for name, command in every.items()}


def main() -> None:
    """Write all pages into a folder."""
    parser = argparse.ArgumentParser(description="A manual page for each command, from its help.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder / "man1"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / f"{name}.1").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
