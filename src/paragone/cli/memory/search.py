"""``paragone memory search``, ``grep`` and ``read``: find and read content. What is shown is logged as use."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.domain.text import counted
from paragone.errors import NotFound, UsageError
from paragone.presenting.table import Column, Table, number, numbers, table, text
from paragone.wire.search import SearchMethod, SearchMode, SearchTarget

if TYPE_CHECKING:
    from paragone.memory import Memory
    from paragone.memory.search import FilePage, Found, GrepPage, RankedResult


Glob = Annotated[str | None, option("Only files that match, as in .gitignore.", "-g", metavar="GLOB")]


def search(
    query: Annotated[str, argument("What to look for, in words.")],
    store: options.MemoryStore,
    output: options.Output,
    how: Annotated[SearchMethod, option("By meaning, by words, or both.")] = "hybrid",
    mode: Annotated[SearchMode | None, option("The order of results.  [default: as in memory.toml]")] = None,
    kind: Annotated[SearchTarget, option("What to look for; symbols and decisions by name.")] = "chunk",
    limit: Annotated[int, option("Show at most N results.", "-n", min=1, max=100)] = 10,
    offset: options.Offset = 0,
    glob: Glob = None,
    explain: Annotated[bool, option("Show the parts of each score.")] = False,
) -> None:
    """Search indexed chunks, files, symbols or decisions. What is shown is logged."""
    with store.opened() as memory:
        page = memory.search(query, how=how, mode=mode, limit=limit, offset=offset, glob=glob, what=kind)
    if explain:
        output.show(page, _explained)
    else:
        output.draw(page, _print_results)


def mark(
    how: Annotated[
        Literal["used", "cited", "wrong"], argument("Used in work that succeeded, cited in an answer, or wrong.")
    ],
    names: Annotated[list[str], argument("Paths, @Symbols, decision records' ids or chunks' hashes.", metavar="NAME")],
    store: options.MemoryStore,
    output: options.Output,
) -> None:
    """Report what was useful, or turned out to be wrong. Search, need and packs learn from it."""
    with store.opened() as memory:
        report = {"used": memory.used, "cited": memory.cite, "wrong": memory.contradicted}[how]
        marked = [content.id for content in report(*names)]
        useful = {name: memory.rating(name).usefulness for name in names}
    output.draw(
        useful,
        lambda each: sys.stdout.writelines(
            f"{name}: {how}; P(useful) is {share:.2f} now\n" for name, share in each.items()
        ),
        values=lambda each: {"marked": how, "content": marked, "usefulness": each},
    )


def grep(
    pattern: Annotated[str, argument("A regular expression (RE2).")],
    store: options.MemoryStore,
    output: options.Output,
    ignore_case: Annotated[bool, option("Ignore upper and lower case.", "-i")] = False,
    limit: Annotated[int, option("Show at most N lines.", "-n", min=1, max=1000)] = 50,
    offset: options.Offset = 0,
    glob: Glob = None,
    seconds: Annotated[float, option("Stop after this time.", min=0.01, max=60.0, metavar="SECONDS")] = 5.0,
) -> None:
    """Find lines of indexed files that match a pattern. They are in the order of paths; what is shown is logged."""
    with store.opened() as memory:
        page = memory.grep(pattern, glob=glob, ignore_case=ignore_case, limit=limit, offset=offset, seconds=seconds)
    output.draw(page, _print_lines)


def _print_results(page: "Found") -> None:
    from rich.text import Text

    from paragone.cli.tables import out, plain

    console = out()
    for result in page.results:
        title = result.title if not result.adr or result.adr in result.title else f"{result.adr}: {result.title}"
        heading = plain(f"{_lines(result)} {title}")
        line = Text.assemble((f"{result.rank}. ", "dim"), heading, (f"  {_scores(result)}", "dim"))
        console.print(line, soft_wrap=True)
        for row in result.snippet.split("\n"):
            console.print(Text(f"     {row.expandtabs(4)}"), soft_wrap=True)
    console.print(plain(_summary(page)))


def _explained(page: "Found") -> Iterator[str | Table[Any]]:
    parts: tuple[Column[RankedResult], ...] = (
        number("text", lambda result: result.breakdown.text, ".2f"),
        number("past", lambda result: result.breakdown.past, ".2f"),
        number("use", lambda result: result.breakdown.use, ".2f"),
        number("feedback", lambda result: result.breakdown.feedback, "+.2f"),
        number("useful", lambda result: result.breakdown.usefulness, ".2f"),
    )
    of_document: tuple[Column[RankedResult], ...] = (
        number("similarity", lambda result: result.breakdown.similarity, ".3f"),
        number("semantic", lambda result: result.breakdown.semantic, ".3f"),
        number("keyword", lambda result: result.breakdown.keyword, ".3f"),
        number("rating", lambda result: result.breakdown.rating, ".0f"),
        text("of", lambda result: result.breakdown.rated.value),
        number("norm", lambda result: result.breakdown.elo_norm, ".2f"),
        text("R", _r),
        numbers("gate", lambda result: f"{result.breakdown.r_gate:g}"),
    )
    if page.results:
        yield table(
            page.results,
            number("rank", lambda result: result.rank, ""),
            number("score", lambda result: result.score, ".3f"),
            *(of_document if page.mode == "document" else parts),
            text("flags", lambda result: ", ".join(result.breakdown.flags)),
            text("where", _lines),
        )
    yield _summary(page)


def _r(result: "RankedResult") -> str:
    parts = result.breakdown
    return "" if parts.r is None else f"{parts.r:.2f} ({parts.r_source})"


def _lines(result: "RankedResult") -> str:
    return f"{result.path}:{result.start}-{result.end}"


def _scores(result: "RankedResult") -> str:
    parts = result.breakdown
    flags = "".join(f", {flag}" for flag in parts.flags)
    return f"score {result.score:.2f}: {parts.summary}{flags}"


def _summary(page: "Found") -> str:
    if not page.total:
        return f"nothing found for {page.query!r}"
    from paragone.memory.search.candidates import MAX_RESULTS

    top = "the likeliest " if page.total == MAX_RESULTS else ""
    more = "" if page.next_offset is None else f"; more with --offset {page.next_offset}"
    notice = f"\nnote: {page.notice}" if page.notice else ""
    return f"{top}{counted(page.total, page.what)} by {page.how}, ordered by {page.mode}{more}{notice}"


def _print_lines(page: "GrepPage") -> None:
    from rich.text import Text

    from paragone.cli.tables import out, plain

    console = out()
    for match in page.matches:
        row = Text.assemble(plain(f"{match.path}:{match.line}:"), Text(match.text.expandtabs(4)))
        console.print(row, soft_wrap=True)
    if page.timed_out:
        searched = f"{page.files_searched:,} of {counted(page.files, 'file')}"
        console.print(plain(f"time ran out after {searched}: narrow it with --glob, or allow more --seconds"))
    elif page.next_offset is not None:
        console.print(plain(f"more with --offset {page.next_offset}"))
    elif not page.matches:
        console.print(plain(f"no line matches in {counted(page.files, 'file')}"))


def read(
    what: Annotated[str, argument("A path below the root, an @Symbol, or a decision record's id.")],
    store: options.MemoryStore,
    output: options.Output,
    start: Annotated[int, option("The first line of a file.", min=1, metavar="LINE")] = 1,
    lines: Annotated[int, option("Show at most N lines.", "-n", min=1, max=2000)] = 200,
) -> None:
    """Read a file, a definition or a decision record. It counts as a use of it."""
    with store.opened() as memory:
        page, source = _page(memory, what, start, lines)
    output.draw(page, _print_page, values=lambda each: {**asdict(each), "symbol": None, "decision": None, **source})


def _page(memory: "Memory", what: str, start: int, lines: int) -> "tuple[FilePage, dict[str, Any]]":
    """A page, and the symbol or decision record that it shows."""
    if what.startswith("@"):
        if start != 1:
            raise UsageError("a definition is read from its first line; --start is for paths")
        expansion = memory.expand(what)
        return expansion.page, {"symbol": asdict(expansion.symbol)}
    if "/" not in what and "." not in what:
        try:
            record = memory.decision(what, start=start, lines=lines)
        except NotFound:  # then it is a file
            return memory.read(what, start=start, lines=lines), {}
        return record.page, {"decision": asdict(record.decision)}
    return memory.read(what, start=start, lines=lines), {}


def _print_page(page: "FilePage") -> None:
    sys.stdout.write(f"{page.text}\n" if page.text else "")
    sys.stdout.flush()  # so that the line about it comes after it
    more = "" if page.next_start is None else f"; more with: paragone memory read {page.path} --start {page.next_start}"
    changed = "; it has changed since it was indexed" if page.changed else ""
    sys.stderr.write(f"{page.path}: lines {page.start}-{page.end} of {page.total_lines}{changed}{more}\n")
