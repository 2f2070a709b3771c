"""Makes packs: rates files, plans their forms within the budget, writes them, and gives a reason for each."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paragone.domain.content import Content
from paragone.domain.text import counted
from paragone.errors import InvalidConfig, NotFound, ParagoneError
from paragone.memory.index import FileEntry, FileReader, Index, SourceText, count_tokens
from paragone.memory.index.file_reader import gitignore
from paragone.memory.index.symbols import signatures
from paragone.memory.packing.pack import LAYOUTS, Layout, Pack, Packed, Quote
from paragone.memory.packing.plan import Candidate, by_budget, by_tiers, minimum_tokens, odds, tier_form
from paragone.memory.store.config import RankBy
from paragone.wire.pack import PackForm, PackLayout, PackMode

if TYPE_CHECKING:
    from paragone.memory.scores import ContentRating, Scores
    from paragone.memory.search import Searcher
    from paragone.memory.store import Store


QUERY_BOOST = 100.0
"""The first file that a query finds has its odds raised by this; the n-th by this over n squared.

Measured: ``benchmarks/memory_pack.py``.
"""
_MAX_RANKS = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Rated:
    """A file of the index and its worth.

    Attributes:
        entry: The file.
        rating: Its rating.
        order: The rating by which files are ordered, need or Elo, in points.
        worth: Its odds of being needed next.
        rank: Its rank in a search for the query; None if it was not found.
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
    """Files with their worth, highest first.

    Args:
        entries: Files.
        scores: Their ratings.
        order: The rating by which they are ordered.
        ranks: Ranks in a search for the query, by path.
        as_of: The time of the ratings, in seconds since 1970.
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
    """Ranks of the files that a query finds, by path."""
    page = searcher.search(query, what="file", limit=_MAX_RANKS, as_of=as_of)
    return {result.path: result.rank for result in reversed(page.results)}


def _rated(entry: "FileEntry", rating: "ContentRating", order: RankBy, rank: int | None) -> Rated:
    # Odds rather than ratings, since these add up: a pack is worth the number of needed files that it holds. The gate
    # of R multiplies them, as it multiplies changes of the rating.
    points = rating.need if order == "need" else rating.elo
    worth = odds(points) * rating.gate
    if rank is not None:
        worth *= 1.0 + QUERY_BOOST / rank**2
    return Rated(entry=entry, rating=rating, order=points, worth=worth, rank=rank)


_DECORATOR = re.compile(r"(?P<kept>\s*@[\w.]+\()")
_CONSTANT = re.compile(r"(?P<kept>\s*[A-Za-z_][\w.]*(?:: [^=]+)? = )")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def condensed(outline: str) -> str:
    """An outline with ``...`` for the value of each decorator or constant that takes several lines.

    Definitions stay whole. A value ends at the next line with the indentation of its first line that begins with the
    closing bracket; without such a line it stays too.
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
    """The shortened first line of a value on several lines."""
    opened = line.rstrip()
    if match := _DECORATOR.match(line):
        return f"{match['kept']}...)\n" if opened.count("(") > opened.count(")") else None
    match = _CONSTANT.match(line)
    return f"{match['kept']}...\n" if match and opened.endswith(_OPENING) else None


def _end(lines: Sequence[str], at: int) -> int | None:
    """The line on which the value ends that begins on a line."""
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
        rated: The file and its rating.
        candidate: The price of each form.
        sha256: Of the bytes that were read.
        quotes: The quotation in each form.
        changed: Whether the file has changed since it was indexed.
    """

    rated: Rated
    candidate: Candidate
    sha256: str
    quotes: Mapping[PackForm, Quote]
    changed: bool


class Sources:
    """Reads files for a pack, and says why others may not be in it."""

    def __init__(self, store: "Store", index: Index, layout: Layout, exclude: Sequence[str]) -> None:
        self._index, self._layout = index, layout
        self._reader = FileReader(store)
        self._exclude = gitignore(exclude) if exclude else None

    def refused(self, path: str) -> str | None:
        """Why a file is never packed; None if it may be."""
        if self._exclude is not None and self._exclude.match_file(path):
            return "excluded by pack.exclude"
        return self._reader.refused_name(path)

    def of(self, rated: Rated) -> Source | str:
        """A file as it is now, or why it cannot be packed."""
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
        outline = condensed(signatures(entry.path, read.text) if changed else self._index.signatures(entry))
        texts = {PackForm.FULL: read.text, PackForm.SIGNATURES: outline, PackForm.POINTER: ""}
        return {
            form: Quote(path=entry.path, language=entry.language, lines=read.lines, tokens=tokens, text=text)
            for form, text in texts.items()
            if text or form is not PackForm.SIGNATURES
        }

    def _price(self, form: PackForm, quote: Quote) -> int:
        """Tokens of a form. Those of the heading and the text of a whole file add up, except for its fences."""
        if form is PackForm.FULL:
            bare = Quote(path=quote.path, language=quote.language, lines=quote.lines, tokens=quote.tokens)
            return quote.tokens + count_tokens(self._layout.whole(bare))
        return count_tokens(written(self._layout, form, quote))


def written(layout: Layout, form: PackForm, quote: Quote) -> str:
    """A quotation in some form."""
    if form is PackForm.FULL:
        return layout.whole(quote)
    return layout.signatures(quote) if form is PackForm.SIGNATURES else layout.pointer(quote)


_FORMS = tuple(PackForm)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reasons:
    """Gives the reason for the form of each file.

    Attributes:
        mode: By budget or by tiers.
        order: The rating that ordered.
        refused: Why files may not be packed, by path.
    """

    mode: PackMode
    order: RankBy
    refused: Mapping[str, str]

    def of(self, file: "Rated", source: "Source | None", form: PackForm) -> str:
        """The reason. A file without a source was refused, or not worth enough to be read."""
        why = self.refused.get(file.entry.path)
        return "; ".join(self._parts(file, source, form)) if why is None else why

    def _parts(self, file: "Rated", source: "Source | None", form: PackForm) -> Iterator[str]:
        yield self._standing(file)
        if file.rank is not None:
            yield f"number {file.rank} for the query"
        if file.rating.is_high is False and not file.rating.pinned:
            yield "R is low: one form down" if self.mode == "tiers" else "R is low: never whole"
        if source is not None and source.changed:
            yield "changed since it was indexed"
        if source is None:
            yield "no room"
        elif self.mode == "tiers" or file.rating.pinned:
            yield from _missed(source.candidate, form)
        elif form is PackForm.EXCLUDED:
            yield "no room"
        elif form is not PackForm.FULL:
            yield f"{source.candidate.prices[PackForm.FULL]:,} tokens whole"

    def _standing(self, file: "Rated") -> str:
        if file.rating.pinned:
            return "pinned by tiers.high"
        if self.mode == "tiers":
            return f"{file.rating.tier} tier at {file.rating.rating:.0f}"
        return f"{self.order} {file.order:.0f}"


def _missed(candidate: Candidate, form: PackForm) -> Iterator[str]:
    """What kept a file from the form of its tier."""
    missed = _FORMS[_FORMS.index(tier_form(candidate)) : _FORMS.index(form)]
    if PackForm.SIGNATURES in missed and PackForm.SIGNATURES not in candidate.prices:
        yield "no signatures"
    if any(lost_form in candidate.prices for lost_form in missed):
        yield "no room for more"


_MIN_TOKENS = 8
"""Fewest tokens of any form: a bound on the number of files in a pack, and so on those that are read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Written:
    """The text of a pack, with the tokens of each file in it, in order."""

    text: str
    tokens: int
    pieces: Mapping[str, int]


class Packer:
    """Packs what an index holds."""

    def __init__(
        self, store: "Store", index: Index, scores: "Scores", *, searcher: "Callable[[], Searcher] | None" = None
    ) -> None:
        self._store, self._index, self._scores, self._searcher = store, index, scores, searcher

    def pack(
        self,
        *,
        tokens: int | None = None,
        mode: PackMode | None = None,
        form: PackLayout = "markdown",
        query: str | None = None,
        as_of: float | None = None,
    ) -> Pack:
        """Pack the most useful files; arguments are those of ``Memory.pack``.

        The same files, ratings and arguments give the same bytes. All pinned files are in it; no excluded ones or
        secrets.

        Raises:
            InvalidConfig: If the budget cannot hold the pinned files, or an argument has an invalid value.
            NotFound: If nothing is indexed yet.
        """
        config = self._store.config.pack
        chosen = config.mode if mode is None else mode
        _refuse_unknown("mode", chosen, ("budget", "tiers"))
        _refuse_unknown("form", form, tuple(LAYOUTS))
        budget = config.tokens if tokens is None and chosen == "budget" else tokens
        if self._index.updated() is None:
            raise NotFound("nothing is indexed yet; begin with: paragone memory index")
        query_text = (query or "").strip()
        now = self._store.moment(as_of)
        files = rated(
            self._index.files(),
            self._scores,
            order=config.order,
            ranks=ranks_of(query_text, self._search(), now) if query_text else {},
            as_of=now,
        )
        layout = LAYOUTS[form]
        sources, refused = self._sources(files, layout, budget)
        forms, text = _planned(sources, layout, chosen, budget)
        reasons = Reasons(mode=chosen, order=config.order, refused=refused)
        return Pack(
            text=text.text,
            manifest=_manifest(files, sources, forms, text.pieces, reasons),
            tokens=text.tokens,
            full_tokens=sum(file.entry.tokens for file in files if file.entry.path not in refused),
            budget=budget,
            mode=chosen,
            layout=form,
            as_of=now,
            query=query_text,
        )

    def _search(self) -> "Searcher":
        if self._searcher is not None:
            return self._searcher()
        from paragone.memory.search import Searcher

        return Searcher(self._store, self._index, self._scores)

    def _sources(
        self, files: Sequence[Rated], layout: Layout, budget: int | None
    ) -> tuple[dict[str, Source], dict[str, str]]:
        """Files that may be packed, and why others may not, by path: all pinned files, and those worth most."""
        reader = Sources(self._store, self._index, layout, self._store.config.pack.exclude)
        most = len(files) if budget is None else budget // _MIN_TOKENS
        sources: dict[str, Source] = {}
        refused: dict[str, str] = {}
        for file in files:
            path = file.entry.path
            why = reader.refused(path)
            source = why if why is not None else reader.of(file) if len(sources) < most or file.rating.pinned else None
            if isinstance(source, Source):
                sources[path] = source
            elif source is not None:
                refused[path] = source
        return sources, refused


def _planned(
    sources: Mapping[str, Source], layout: Layout, mode: PackMode, budget: int | None
) -> tuple[dict[str, PackForm], _Written]:
    """The form of each file, by path, and the text. If the text exceeds the budget, the next try has that much less."""
    candidates = [source.candidate for source in sources.values()]
    frame = _write({}, sources, layout).tokens
    text_budget = None if budget is None else budget - frame
    while True:
        if text_budget is not None and (text_budget < 0 or text_budget < minimum_tokens(candidates)):
            raise InvalidConfig(_too_small(budget, frame, sources), key="pack.tokens")
        forms = (
            by_budget(candidates, text_budget)
            if mode == "budget" and text_budget is not None
            else by_tiers(candidates, text_budget)
        )
        text = _write(forms, sources, layout)
        if budget is None or text_budget is None or text.tokens <= budget:
            return forms, text
        text_budget -= text.tokens - budget


def _write(forms: Mapping[str, PackForm], sources: Mapping[str, Source], layout: Layout) -> _Written:
    """The text: whole files, signatures, pointers; in each part pinned files first, then by worth."""
    counts = {form: sum(file_form is form for file_form in forms.values()) for form in PackForm}
    parts, pieces = [layout.opening(counts)], dict[str, int]()
    for form in (PackForm.FULL, PackForm.SIGNATURES, PackForm.POINTER):
        if form is PackForm.POINTER and counts[form]:
            parts.append(layout.before_pointers())
        for source in sorted((sources[path] for path, file_form in forms.items() if file_form is form), key=_place):
            parts.append(written(layout, form, source.quotes[form]))
            pieces[source.candidate.path] = count_tokens(parts[-1])
    text = "".join([*parts, layout.closing()])
    return _Written(text=text, tokens=count_tokens(text), pieces=pieces)


def _place(source: Source) -> tuple[bool, float, str]:
    return not source.candidate.pinned, -source.candidate.worth, source.candidate.path


def _manifest(
    files: Sequence[Rated],
    sources: Mapping[str, Source],
    forms: Mapping[str, PackForm],
    pieces: Mapping[str, int],
    reasons: Reasons,
) -> tuple[Packed, ...]:
    order = {path: number for number, path in enumerate(pieces)}
    ordered = sorted(files, key=lambda file: (order.get(file.entry.path, len(order)), file.entry.path))
    return tuple(_packed(file, sources.get(file.entry.path), forms, pieces, reasons) for file in ordered)


def _packed(
    file: Rated, source: Source | None, forms: Mapping[str, PackForm], pieces: Mapping[str, int], reasons: Reasons
) -> Packed:
    form = forms.get(file.entry.path, PackForm.EXCLUDED)
    return Packed(
        path=file.entry.path,
        sha256=file.entry.sha256 if source is None else source.sha256,
        tier=file.rating.tier,
        form=form,
        tokens=pieces.get(file.entry.path, 0),
        reason=reasons.of(file, source, form),
    )


def _too_small(budget: int | None, frame: int, sources: Mapping[str, Source]) -> str:
    pinned = [source.candidate for source in sources.values() if source.candidate.pinned]
    files = f" and {counted(len(pinned), 'pinned file')} as pointers" if pinned else ""
    take, less = ("take", ", or pin less (tiers.high)") if pinned else ("takes", "")
    needed = frame + minimum_tokens(pinned)
    return (
        f"a pack of {budget} tokens has no room for its heading{files}, which {take} about {needed}: "
        f"give it more (--tokens, pack.tokens){less}"
    )


def _refuse_unknown(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise InvalidConfig(f"{name} is {' or '.join(allowed)}, not {value!r}", key=f"pack.{name}")
