"""``paragone memory read``: a file by pages, a definition, a decision record; the reading is logged."""

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.errors import NotFound, UsageError

if TYPE_CHECKING:
    from paragone.memory import Memory
    from paragone.memory.search import Page


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(read)


def read(
    what: Annotated[
        str, typer.Argument(metavar="WHAT", help="A path below the root, an @Symbol, or a decision record's id.")
    ],
    start: Annotated[int, typer.Option("--start", min=1, metavar="LINE", help="The first line of a file.")] = 1,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=2000, metavar="N", help="Lines at most.")] = 200,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Read a file, a definition or a decision record. It counts as a use of it."""
    with opening.opened(root, store) as memory:
        page, of = _opened(memory, what, start, lines)
    if as_json:
        print_json({**asdict(page), "symbol": None, "decision": None, **of})
        return
    sys.stdout.write(f"{page.text}\n" if page.text else "")
    sys.stdout.flush()  # what is said about the text follows it
    sys.stderr.write(f"{_about(page)}\n")


def _opened(memory: "Memory", what: str, start: int, lines: int) -> "tuple[Page, dict[str, Any]]":
    """A page, and what it is of besides a file."""
    if what.startswith("@"):
        if start != 1:
            raise UsageError("a definition is read from its first line; --start goes with a path")
        expansion = memory.expand(what)
        return expansion.page, {"symbol": asdict(expansion.symbol)}
    if "/" not in what and "." not in what:
        try:
            record = memory.decision(what, start=start, lines=lines)
        except NotFound:  # then it is a file
            return memory.read(what, start=start, lines=lines), {}
        return record.page, {"decision": asdict(record.decision)}
    return memory.read(what, start=start, lines=lines), {}


def _about(page: "Page") -> str:
    more = "" if page.next_start is None else f"; more with: paragone memory read {page.path} --start {page.next_start}"
    changed = "; it has changed since it was indexed" if page.changed else ""
    return f"{page.path}: lines {page.start}-{page.end} of {page.total_lines}{changed}{more}"
