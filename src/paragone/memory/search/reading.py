"""Reads files page by page, and complete definitions. Output is bounded and safe to print."""

from dataclasses import dataclass

from paragone.domain.text import counted, harmless, visible
from paragone.errors import NotFound, UsageError
from paragone.memory.index import Decision, FileReader, Index, SourceText, SymbolEntry
from paragone.memory.index.index import did_you_mean
from paragone.memory.index.symbols import symbols_of

MAX_LINES = 2000
"""Lines on a page."""
MAX_CHARACTERS = 100_000
"""Characters on a page: fewer lines if they are long."""
_MAX_SHOWN = 200
"""Characters of a name shown in a message."""
_MAX_LISTED = 10
"""Symbols listed in a message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FilePage:
    """Some lines of a file.

    Attributes:
        path: The file.
        start: Number of the first line, from 1.
        end: Number of the last one; ``start - 1`` in an empty file.
        total_lines: Lines of the file.
        text: The lines, each but the last with its line end.
        next_start: First line of the next page; None on the last one.
        changed: Whether the file has changed since it was indexed.
    """

    path: str
    start: int
    end: int
    total_lines: int
    text: str
    next_start: int | None
    changed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Expansion:
    """A definition and its lines."""

    symbol: SymbolEntry
    page: FilePage


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionPage:
    """A decision record and some of its lines."""

    decision: Decision
    page: FilePage


def read(reader: FileReader, path: str, *, start: int = 1, lines: int = 200, index: Index | None = None) -> FilePage:
    """Some lines of a file; errors are those of ``Memory.read``.

    Args:
        reader: Reads it.
        path: Below the root, with slashes.
        start: The first line, from 1.
        lines: Maximum number of lines, up to 2,000; fewer if they are long.
        index: Suggests similar paths if there is no such file.
    """
    if not 1 <= lines <= MAX_LINES:
        raise UsageError(f"lines lies between 1 and {MAX_LINES:,}, not {lines}")
    try:
        source = reader.read(path)
    except NotFound as error:
        if index is None:
            raise
        raise NotFound(f"{error}{did_you_mean(index, path)}") from error
    return _page(source, start, lines)


def read_decision(reader: FileReader, index: Index, id: str, *, start: int = 1, lines: int = 200) -> DecisionPage:
    """Some lines of a decision record.

    Raises:
        NotFound: If the index has no such record.
    """
    record = index.decision(id)
    if record is None:
        raise NotFound(f"there is no decision record {id!r} in the index; paragone memory board --kind adr lists them")
    return DecisionPage(decision=record, page=read(reader, record.path, start=start, lines=lines))


def expand(reader: FileReader, index: Index, name: str) -> Expansion:
    """The text of a definition, up to 2,000 lines of it.

    Args:
        reader: Reads its file.
        index: Finds it.
        name: Its id, ``@name``, or the end of its qualified name.

    Raises:
        NotFound: If the index has no such symbol, or it is gone since.
        UsageError: If several have the name; the first are listed.
    """
    indexed = _unambiguous(index.symbol(name), name)
    source, file = reader.read(indexed.path), index.file(indexed.path)
    changed = file is None or file.sha256 != source.sha256
    symbol = _relocated(indexed, source) if changed else indexed
    lines = min(symbol.end - symbol.start + 1, MAX_LINES)
    return Expansion(symbol=symbol, page=_page(source, symbol.start, lines, changed=changed, last=symbol.end))


def _relocated(symbol: SymbolEntry, source: SourceText) -> SymbolEntry:
    """The definition in a file that has changed since it was indexed."""
    for candidate in symbols_of(source.path, source.text):
        if candidate.id == symbol.id:
            return candidate
    raise NotFound(
        f"{visible(symbol.name)} is not in {symbol.path} any more, which has changed since it was indexed; bring the "
        "index up to date with: paragone memory index"
    )


def _unambiguous(symbols: list[SymbolEntry], name: str) -> SymbolEntry:
    if not symbols:
        printable = visible(name)[:_MAX_SHOWN]
        where = "look it up with: paragone memory search --kind symbol"
        raise NotFound(f"the index knows no symbol {printable!r}; {where}")
    if len(symbols) > 1:
        some = ", ".join(sorted(symbol.id for symbol in symbols)[:_MAX_LISTED])
        more = f" and {len(symbols) - _MAX_LISTED} more" if len(symbols) > _MAX_LISTED else ""
        raise UsageError(f"{len(symbols)} symbols are called {visible(name)!r}; name one of them: {some}{more}")
    return symbols[0]


def _page(source: SourceText, start: int, lines: int, *, changed: bool = False, last: int | None = None) -> FilePage:
    """Lines of a text up to ``last``, by default the last one."""
    last = source.lines if last is None else min(last, source.lines)
    if not 1 <= start <= max(source.lines, 1):
        raise UsageError(f"{source.path} has {counted(source.lines, 'line')}; there is no line {start}")
    rows = source.text.split("\n")[start - 1 : min(start - 1 + lines, last)]
    page_lines: list[str] = []
    budget = MAX_CHARACTERS
    for row in rows:
        if page_lines and len(row) > budget:
            break
        page_lines.append(_line(row))
        budget -= len(row) + 1
    end = start + len(page_lines) - 1
    return FilePage(
        path=source.path,
        start=start,
        end=end,
        total_lines=source.lines,
        text="\n".join(page_lines),
        next_start=end + 1 if end < last else None,
        changed=changed,
    )


def _line(row: str) -> str:
    """A line as shown; one that is longer than a page is cut, and says so."""
    if len(row) > MAX_CHARACTERS:
        row = f"{row[:MAX_CHARACTERS]}… ({len(row) - MAX_CHARACTERS:,} characters more)"
    return harmless(row).replace("\n", " ")
