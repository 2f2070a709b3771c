"""Files that may be packed: their worth, their price in each form, and why others are refused."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paragone.domain.content import Content
from paragone.errors import ParagoneError
from paragone.memory.index import FileEntry, FileReader, Index, SourceText, count_tokens
from paragone.memory.index.file_reader import gitignore
from paragone.memory.index.symbols import signatures
from paragone.memory.packing.layout import Layout, Quote
from paragone.memory.packing.plan import Candidate, odds
from paragone.memory.store.config import RankBy
from paragone.wire.pack import PackForm

if TYPE_CHECKING:
    from paragone.memory.scores import ContentRating, Scores
    from paragone.memory.search import Searcher
    from paragone.memory.store import Store


FIRST_FOUND = 100.0
"""By how much being the first that a query finds raises the odds of a file; the n-th has this over n squared.

Measured: ``benchmarks/memory_pack.py``.
"""
_MOST_FOUND = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Rated:
    """A file of the index and what it is worth.

    Attributes:
        entry: The file.
        rating: How it stands.
        order: The rating that orders: need or Elo, in points.
        worth: Its odds of being needed next.
        rank: Among the files that the query finds; None where it is not among them.
    """

    entry: "FileEntry"
    rating: "ContentRating"
    order: float
    worth: float
    rank: int | None


def rated(
    entries: Sequence["FileEntry"],
    scores: "Scores",
    *,
    order: RankBy,
    ranks: Mapping[str, int],
    as_of: float,
) -> list[Rated]:
    """Files with what they are worth, the worthiest first.

    Args:
        entries: Files.
        scores: Where they stand.
        order: By which rating.
        ranks: Of files that a query finds, by path.
        as_of: For which time, in seconds since 1970.
    """
    contents = [Content.file(entry.path) for entry in entries]
    since = {entry.path: entry.first_seen for entry in entries}
    ratings = scores.ratings(contents, as_of=as_of, since=since)
    files = [
        _rated(entry, ratings[content], order, ranks.get(entry.path))
        for entry, content in zip(entries, contents, strict=True)
    ]
    return sorted(files, key=lambda file: (-file.worth, file.entry.path))


def ranks_of(query: str, searcher: "Searcher", as_of: float) -> dict[str, int]:
    """The ranks of the files that a query finds, by path."""
    page = searcher.search(query, what="file", mode="relevance", limit=_MOST_FOUND, as_of=as_of)
    return {result.path: result.rank for result in reversed(page.results)}


def _rated(entry: "FileEntry", rating: "ContentRating", order: RankBy, rank: int | None) -> Rated:
    points = rating.need if order == "need" else rating.elo
    worth = odds(points) * rating.gate
    if rank is not None:
        worth *= 1.0 + FIRST_FOUND / rank**2
    return Rated(entry=entry, rating=rating, order=points, worth=worth, rank=rank)


_DECORATOR = re.compile(r"(?P<kept>\s*@[\w.]+\()")
_CONSTANT = re.compile(r"(?P<kept>\s*[A-Za-z_][\w.]*(?:: [^=]+)? = )")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def condensed(outline: str) -> str:
    """An outline in which a decorator or a constant that goes over several lines has ``...`` for its value.

    Definitions stay whole. A value ends at the next line that is indented as its first one and begins with the
    bracket that closes it; where there is none it stays, too.
    """
    return "".join(_condensed(outline.splitlines(keepends=True)))


def _condensed(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        end = _end(lines, at) if lines[at].rstrip().endswith(_OPENING) or _DECORATOR.match(lines[at]) else None
        if end is None:
            yield lines[at]
            at += 1
        else:
            yield _head(lines[at]) or "".join(lines[at : end + 1])
            at = end + 1


def _head(line: str) -> str | None:
    """The line in short, where it is the first of a value that goes over several lines."""
    opened = line.rstrip()
    if match := _DECORATOR.match(line):
        return f"{match['kept']}...)\n" if opened.count("(") > opened.count(")") else None
    match = _CONSTANT.match(line)
    return f"{match['kept']}...\n" if match and opened.endswith(_OPENING) else None


def _end(lines: Sequence[str], at: int) -> int | None:
    """Where the value ends that begins there."""
    indent = _indent(lines[at])
    for number in range(at + 1, len(lines)):
        line = lines[number].strip()
        if line and _indent(lines[number]) <= indent:
            return number if _indent(lines[number]) == indent and line[0] in _CLOSING else None
    return None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A file that may be packed.

    Attributes:
        rated: How it stands.
        candidate: What it costs.
        sha256: Of the bytes that were read.
        quotes: What is quoted, by form.
        changed: Whether it is another than the one in the index.
    """

    rated: Rated
    candidate: Candidate
    sha256: str
    quotes: Mapping[PackForm, Quote]
    changed: bool


class Sources:
    """Reads files for a pack, and says of those that may not be in it why."""

    def __init__(self, store: "Store", index: Index, layout: Layout, exclude: Sequence[str]) -> None:
        self._index, self._layout = index, layout
        self._reader = FileReader(store)
        self._exclude = gitignore(exclude)

    def refused(self, path: str) -> str | None:
        """Why a file is never packed; None where it may be."""
        if self._exclude.match_file(path):
            return "excluded by pack.exclude"
        return self._reader.refused_name(path)

    def of(self, rated: Rated) -> Source | str:
        """A file as it is now, or why there is none."""
        try:
            read = self._reader.read(rated.entry.path)
        except ParagoneError as error:
            return str(error)
        changed = read.sha256 != rated.entry.sha256
        quotes = self._quotes(rated.entry, read, changed=changed)
        prices = {form: self._price(form, quote) for form, quote in quotes.items()}
        candidate = Candidate(
            path=rated.entry.path,
            worth=rated.worth,
            prices=prices,
            tier=rated.rating.tier,
            pinned=rated.rating.pinned,
            is_low=rated.rating.is_high is False,
        )
        return Source(rated=rated, candidate=candidate, sha256=read.sha256, quotes=quotes, changed=changed)

    def _quotes(self, entry: FileEntry, read: SourceText, *, changed: bool) -> dict[PackForm, Quote]:
        tokens = count_tokens(read.text) if changed else entry.tokens
        outline = condensed(signatures(entry.path, read.text) if changed else self._index.signatures(entry.path))
        texts = {PackForm.FULL: read.text, PackForm.SIGNATURES: outline, PackForm.POINTER: ""}
        return {
            form: Quote(path=entry.path, language=entry.language, lines=read.lines, tokens=tokens, text=text)
            for form, text in texts.items()
            if text or form is not PackForm.SIGNATURES
        }

    def _price(self, form: PackForm, quote: Quote) -> int:
        """Tokens of a form. Of a whole file those of its heading and of its text, which add up but for its fences."""
        if form is PackForm.FULL:
            bare = Quote(path=quote.path, language=quote.language, lines=quote.lines, tokens=quote.tokens)
            return quote.tokens + count_tokens(self._layout.whole(bare))
        return count_tokens(written(self._layout, form, quote))


def written(layout: Layout, form: PackForm, quote: Quote) -> str:
    """A quotation in some form."""
    if form is PackForm.FULL:
        return layout.whole(quote)
    return layout.signatures(quote) if form is PackForm.SIGNATURES else layout.pointer(quote)
