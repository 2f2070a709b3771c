"""Writes what each command's help says into the page of commands.

    .venv/bin/python scripts/command_reference.py [--check]

A command's usage, description and options stand between the marks ``<!-- help: COMMAND -->`` and ``<!-- end -->``; the
rest of the page is written by hand. ``--check`` writes nothing, and exits with 1 if the page is out of date.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import typer

import click_tree

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"
SHARED = "shared options"
"""The mark of the table of options that many commands have."""

USERS_OF_A_SHARED_OPTION = 8
"""An option that this many commands have, with the same help, is described once, in the table of shared options."""

_BLOCK = re.compile(r"(<!-- help: ([a-z -]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_BRACKETS = re.compile(r"\s*\[([^\[\]]+)\]$")


class Option(NamedTuple):
    """An option or argument of a command, as its help shows it.

    Attributes:
        spelling: How it is typed, such as ``--top K, -t``.
        meaning: Its help text.
        default: Its default, and the variable of the environment that is asked first.
    """

    spelling: str
    meaning: str
    default: str

    def row(self) -> str:
        """Its row of a table."""
        cells = (self.spelling, self.meaning, self.default)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@cache
def options_of(name: str) -> tuple[Option, ...]:
    """What a command takes, in the order of its help."""
    command = click_tree.commands()[name]
    context = typer.Context(command, info_name=name)
    records = ((each, each.get_help_record(context)) for each in command.params if each.name != "help")
    return tuple(
        _option(*record) if each.opts[0].startswith("-") else _argument(*record) for each, record in records if record
    )


def _argument(left: str, right: str) -> Option:
    return _option(left.partition(" <")[0], right)


def _option(left: str, right: str) -> Option:
    details: list[str] = []
    while bracket := _BRACKETS.search(right):
        details.insert(0, bracket[1])
        right = right[: bracket.start()]
    details = [part for detail in details for part in detail.split("; ") if not part.startswith("x>")]
    default = ", ".join(details).replace("default: ", "").replace("env ", "").replace("default ", "else ")
    return Option(_spelling(left), right, default.removesuffix(".0"))


def _spelling(left: str) -> str:
    """How an option is typed, in code: its long form first, with its value."""
    *names, last = left.replace(" / ", ", ").split(", ")
    name, space, value = last.partition(" ")
    first, *others = sorted([*names, name], key=lambda name: not name.startswith("--"))
    return ", ".join(f"`{each}`" for each in (first + space + _value(value), *others))


def _value(metavar: str) -> str:
    """The name of an option's value; a number's type is no name."""
    return "X" if metavar.startswith("<float") else metavar.strip("<>")


@cache
def shared_options() -> tuple[Option, ...]:
    """Options that many commands have alike, the most frequent first."""
    counts = Counter(each for name in click_tree.commands() for each in options_of(name) if "`-" in each.spelling)
    return tuple(each for each, count in counts.most_common() if count >= USERS_OF_A_SHARED_OPTION)


def block(mark: str) -> str:
    """What stands between a mark and its end."""
    return "\n".join(_table(shared_options()) if mark == SHARED else _command(mark))


def _command(name: str) -> Iterator[str]:
    command = click_tree.commands()[name]
    context = typer.Context(command, info_name=f"paragone {name}")
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    yield f"```text\n{usage.replace('{', '').replace('}', '')}\n```\n"
    yield " ".join(command.help.split()) + "\n"
    own = [each for each in options_of(name) if each not in shared_options()]
    if own:
        yield from _table(own)
    also = [each.spelling.partition(",")[0] for each in options_of(name) if each in shared_options()]
    if also:
        yield f"[Shared options](#shared-options): {', '.join(also)}\n"


def _table(options: tuple[Option, ...] | list[Option]) -> Iterator[str]:
    yield "| option | means | default |\n|---|---|---|"
    yield from (each.row() for each in options)
    yield ""


def filled(page: str) -> str:
    """The page with every block made anew."""
    return _BLOCK.sub(lambda match: f"{match[1]}\n{block(match[2])}\n{match[3]}", page)


def main() -> None:
    """Write the page, or check that it is up to date."""
    parser = argparse.ArgumentParser(description="What each command's help says, in the page of commands.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing, and exit with 1 if the page is out of date"
    )
    page = PAGE.read_text("utf-8")
    current = filled(page)
    if parser.parse_args().check:
        sys.exit(int(page != current))
    PAGE.write_text(current, "utf-8")


if __name__ == "__main__":
    main()
