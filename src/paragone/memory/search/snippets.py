"""What a result shows: where it lies, the definition or record around it, and its best lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from paragone.domain.content import ContentKind
from paragone.domain.text import harmless, visible
from paragone.memory.index import Index, SymbolEntry
from paragone.memory.search.bm25 import words
from paragone.memory.search.candidates import Candidate

LINES = 6
WIDTH = 160


def snippet(text: str, query: Sequence[str], *, lines: int = LINES, width: int = WIDTH) -> str:
    """So many lines of a text: those with most different words of a query, the first of those that are equal.

    Args:
        text: Where it was found.
        query: The words that were looked for.
        lines: How many lines at most.
        width: Characters a line; what is longer is cut, and ends in ``…``.
    """
    rows = harmless(text).strip("\n").split("\n")
    terms = set(query)
    has = [terms.intersection(words(row)) for row in rows]
    starts = range(max(len(rows) - lines, 0) + 1)
    first = max(starts, key=lambda at: (len(set().union(*has[at : at + lines])), bool(has[at]), -at))
    excerpt = [row.rstrip() for row in rows[first : first + lines]]
    return "\n".join(row if len(row) <= width else row[: width - 1] + "…" for row in excerpt)


@dataclass(frozen=True, kw_only=True, slots=True)
class Excerpt:
    """What is shown of a candidate; the fields are those of a ``Result``."""

    start: int
    end: int
    hash: str = ""
    symbol: str = ""
    adr: str = ""
    title: str = ""
    snippet: str


def excerpt_of(candidate: Candidate, index: Index, query: Sequence[str]) -> Excerpt | None:
    """What there is to show; None where the index does not hold it any more."""
    if candidate.content.kind is ContentKind.SYMBOL:
        return next((_symbol(one) for one in index.symbol(candidate.id) if one.id == candidate.id), None)
    if candidate.content.kind is ContentKind.ADR:
        return _decision(candidate, index, query)
    return _chunk(candidate, index, query)


def _chunk(candidate: Candidate, index: Index, query: Sequence[str]) -> Excerpt | None:
    path = candidate.content.path
    chunk = next((one for one in index.places(candidate.id) if one.path == path), None)
    if chunk is None:
        return None
    file = index.file(path)
    adr = file.adr if file is not None else ""
    around = enclosing(list(index.symbols(path)), chunk.start, chunk.end)
    record = index.decision(adr) if adr else None
    return Excerpt(
        start=chunk.start,
        end=chunk.end,
        hash=chunk.hash,
        symbol=around.id if around is not None else "",
        adr=adr,
        title=visible(record.title if record is not None else around.name if around is not None else ""),
        snippet=snippet(chunk.text, query),
    )


def enclosing(symbols: Sequence[SymbolEntry], start: int, end: int) -> SymbolEntry | None:
    """The innermost definition that some lines lie in; where there is none, the first that begins in them."""
    around = [one for one in symbols if one.start <= start and end <= one.end]
    if around:
        return min(around, key=lambda one: (one.end - one.start, -one.start))
    return min((one for one in symbols if start <= one.start <= end), key=lambda one: one.start, default=None)


def _symbol(candidate: SymbolEntry) -> Excerpt:
    text = f"{candidate.signature}\n{candidate.doc}" if candidate.doc else candidate.signature
    return Excerpt(
        start=candidate.start,
        end=candidate.end,
        symbol=candidate.id,
        title=visible(candidate.name),
        snippet=snippet(text, ()),
    )


def _decision(candidate: Candidate, index: Index, query: Sequence[str]) -> Excerpt | None:
    record = index.decision(candidate.id)
    file = index.file(record.path) if record is not None else None
    if record is None or file is None:
        return None
    opening = next(iter(index.chunks(record.path)), None)
    return Excerpt(
        start=1,
        end=file.lines,
        adr=record.id,
        title=visible(record.title),
        snippet=snippet(opening.text, query) if opening is not None else "",
    )
