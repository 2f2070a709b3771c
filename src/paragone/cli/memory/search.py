"""``paragone memory search`` and ``paragone memory grep``: find content, and log what was shown."""

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.domain.text import counted

if TYPE_CHECKING:
    from paragone.memory.search import Breakdown, Found, GrepPage, Result

_SCORE = ("rank", "score", "similarity", "semantic", "keyword", "rating", "of", "norm", "R", "gate", "flags", "where")


class How(StrEnum):
    """By what a search goes."""

    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    HYBRID = "hybrid"


class Mode(StrEnum):
    """What orders results."""

    RELEVANCE = "relevance"
    BOUNDED = "bounded"
    DOCUMENT = "document"


class Kind(StrEnum):
    """What is looked for."""

    CHUNK = "chunk"
    FILE = "file"
    SYMBOL = "symbol"
    DECISION = "decision"


Glob = Annotated[
    str | None, typer.Option("--glob", "-g", metavar="GLOB", help="Only files that this names, as in .gitignore.")
]
Offset = Annotated[int, typer.Option("--offset", min=0, metavar="N", help="Pass over so many: the next page.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(search)
    app.command()(grep)


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for, in words.")],
    how: Annotated[How, typer.Option("--how", help="By meaning, by words, or both.")] = How.HYBRID,
    mode: Annotated[
        Mode | None, typer.Option("--mode", help="What orders results; by default the configuration's.")
    ] = None,
    kind: Annotated[Kind, typer.Option("--kind", help="What to look for; symbols and decisions by name.")] = Kind.CHUNK,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, metavar="N", help="Results at most.")] = 10,
    offset: Offset = 0,
    glob: Glob = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each score is made of.")] = False,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Search what is remembered: chunks, files, symbols or decision records. What is shown is logged."""
    with opening.opened(root, store) as memory:
        found = memory.search(
            query,
            how=how.value,
            mode=None if mode is None else mode.value,
            limit=limit,
            offset=offset,
            glob=glob,
            what=kind.value,
        )
    if as_json:
        print_json(asdict(found))
    elif explain:
        _explain(found)
    else:
        _print(found)


def grep(
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", help="A regular expression (RE2) for lines.")],
    ignore_case: Annotated[
        bool, typer.Option("--ignore-case", "-i", help="Upper and lower case are the same.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, metavar="N", help="Lines at most.")] = 50,
    offset: Offset = 0,
    glob: Glob = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, max=60.0, metavar="S", help="Stop after so long.")
    ] = 5.0,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Find lines of remembered files by a pattern, in the order of paths. What is shown is logged."""
    with opening.opened(root, store) as memory:
        found = memory.grep(pattern, glob=glob, ignore_case=ignore_case, limit=limit, offset=offset, seconds=seconds)
    if as_json:
        print_json(asdict(found))
    else:
        _print_lines(found)


def _print(found: "Found") -> None:
    from rich.text import Text

    from paragone.cli.show import out, plain

    console = out()
    for one in found.results:
        line = Text.assemble((f"{one.rank}. ", "dim"), plain(_place(one)), (f"  {_figures(one)}", "dim"))
        console.print(line, soft_wrap=True)
        for row in one.snippet.split("\n"):
            console.print(Text(f"     {row.expandtabs(4)}"), soft_wrap=True)
    console.print(plain(_summary(found)))


def _explain(found: "Found") -> None:
    from paragone.cli.show import out, plain, print_table

    if found.results:
        print_table(_SCORE, [_figures_of(one) for one in found.results], right=frozenset(_SCORE[:6]))
    out().print(plain(_summary(found)))


def _figures_of(one: "Result") -> tuple[str, ...]:
    parts: Breakdown = one.breakdown
    return (
        str(one.rank),
        f"{one.score:.3f}",
        f"{parts.similarity:.3f}",
        "" if parts.semantic is None else f"{parts.semantic:.3f}",
        "" if parts.keyword is None else f"{parts.keyword:.3f}",
        f"{parts.rating:.0f}",
        parts.rated.value,
        f"{parts.elo_norm:.2f}",
        "" if parts.r is None else f"{parts.r:.2f} ({parts.r_source})",
        f"{parts.r_gate:g}",
        ", ".join(parts.flags),
        _lines(one),
    )


def _place(one: "Result") -> str:
    name = one.title if not one.adr or one.adr in one.title else f"{one.adr}: {one.title}"
    return f"{_lines(one)} {name}"


def _lines(one: "Result") -> str:
    return f"{one.path}:{one.start}-{one.end}"


def _figures(one: "Result") -> str:
    parts = one.breakdown
    flags = "".join(f", {flag}" for flag in parts.flags)
    score = f", score {one.score:.2f}" if one.score != one.similarity else ""  # by relevance they are one
    return f"similarity {one.similarity:.2f}{score}, rating {parts.rating:.0f}{flags}"


def _summary(found: "Found") -> str:
    if not found.total:
        return f"nothing found for {found.query!r}"
    from paragone.memory.search.candidates import DEEPEST

    the = "the likeliest " if found.total == DEEPEST else ""
    more = "" if found.next_offset is None else f"; more with --offset {found.next_offset}"
    return f"{the}{counted(found.total, found.what)} by {found.how}, ordered by {found.mode}{more}"


def _print_lines(found: "GrepPage") -> None:
    from rich.text import Text

    from paragone.cli.show import out, plain

    console = out()
    for one in found.matches:
        row = Text.assemble(plain(f"{one.path}:{one.line}:"), Text(one.text.expandtabs(4)))
        console.print(row, soft_wrap=True)
    if found.timed_out:
        searched = f"{found.files_searched:,} of {counted(found.files, 'file')}"
        console.print(plain(f"time ran out after {searched}: narrow it with --glob, or give it more --seconds"))
    elif found.next_offset is not None:
        console.print(plain(f"more with --offset {found.next_offset}"))
    elif not found.matches:
        console.print(plain(f"no line matches in {counted(found.files, 'file')}"))
