"""Search by meaning, by words, or both, over chunks, files, symbols and decision records, with scores and snippets."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock

import numpy as np
import numpy.typing as npt

from paragone.domain.content import Content, ContentKind
from paragone.domain.displayed import Displayed
from paragone.domain.text import harmless, visible
from paragone.errors import NotFound, UsageError
from paragone.memory.index import FileReader, Index, SymbolEntry
from paragone.memory.index.index import EMPTY
from paragone.memory.scores import ContentRating, Scores
from paragone.memory.search.blend import likeness
from paragone.memory.search.candidates import (
    Candidate,
    Candidates,
    SearchRequest,
    SearchSnapshot,
    candidates,
    learned_candidates,
    vector,
)
from paragone.memory.search.scoring import breakdown, by_score, own_or_file, score
from paragone.memory.store import Store
from paragone.memory.store.lines import Tool
from paragone.memory.words import query_terms, words
from paragone.ratings.usefulness import about
from paragone.similarity import Embedder, open_embedder
from paragone.wire.search import Breakdown, Search, SearchMethod, SearchMode, SearchResult, SearchTarget

_NAME = re.compile(r"[\w.:]+")
FILE_GONE = "file gone"


@dataclass(frozen=True, kw_only=True, slots=True)
class RankedResult(SearchResult):
    """One result.

    Attributes:
        hash: The chunk's id; empty if it is not a chunk.
    """

    hash: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found(Search, Displayed):
    """The results of a search.

    Attributes:
        tool: Its name in the search log.
    """

    tool: Tool
    results: tuple[RankedResult, ...]


SNIPPET_LINES = 6
SNIPPET_WIDTH = 160


def snippet(text: str, query: Sequence[str], *, lines: int = SNIPPET_LINES, width: int = SNIPPET_WIDTH) -> str:
    """The consecutive lines of a text with the most different words of a query; the first of equal ones.

    Args:
        text: The text.
        query: The words.
        lines: Maximum number of lines.
        width: Characters of a line; longer ones are cut and end in ``…``.
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
    """What is shown of a candidate; the fields are those of a ``RankedResult``."""

    start: int
    end: int
    hash: str = ""
    symbol: str = ""
    adr: str = ""
    title: str = ""
    snippet: str


def excerpt_of(candidate: Candidate, index: Index, query: Sequence[str]) -> Excerpt | None:
    """What to show; None if the index no longer has it."""
    if candidate.content.kind is ContentKind.SYMBOL:
        return next((_symbol(symbol) for symbol in index.symbol(candidate.id) if symbol.id == candidate.id), None)
    if candidate.content.kind is ContentKind.ADR:
        return _decision(candidate, index, query)
    return _chunk(candidate, index, query)


def _chunk(candidate: Candidate, index: Index, query: Sequence[str]) -> Excerpt | None:
    path = candidate.content.path
    chunk = next((chunk for chunk in index.places(candidate.id) if chunk.path == path), None)
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
    """The innermost definition around some lines; if there is none, the first that begins in them."""
    around = [symbol for symbol in symbols if symbol.start <= start and end <= symbol.end]
    if around:
        return min(around, key=lambda symbol: (symbol.end - symbol.start, -symbol.start))
    return min(
        (symbol for symbol in symbols if start <= symbol.start <= end), key=lambda symbol: symbol.start, default=None
    )


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


_TOOLS: dict[SearchMethod, Tool] = {
    "semantic": "semantic_search",
    "keyword": "keyword_search",
    "hybrid": "hybrid_search",
}
_BY_NAME: Tool = "cortex_query"
_MODES: tuple[SearchMode, ...] = ("learned", "document")
_TARGETS: tuple[SearchTarget, ...] = ("chunk", "file", "symbol", "decision")


class Searcher:
    """Searches the index. It does not log; the caller that shows the results does. Threads may share it.

    Args:
        store: The store.
        index: Its index.
        scores: Opens its ratings, which ``prepare`` does without.
        embedder: Embeds queries; the local model if None.
    """

    def __init__(
        self, store: Store, index: Index, scores: Callable[[], Scores], *, embedder: Embedder | None = None
    ) -> None:
        self._store, self._index, self._open_scores = store, index, scores
        self._reader = FileReader(store)
        self._embedder = embedder
        self._view: SearchSnapshot | None = None
        self._lock = Lock()

    def search(
        self,
        query: str,
        *,
        how: SearchMethod = "hybrid",
        mode: SearchMode | None = None,
        limit: int = 10,
        offset: int = 0,
        glob: str | None = None,
        what: SearchTarget = "chunk",
        as_of: float | None = None,
    ) -> Found:
        """Find what answers a query best; arguments and errors are those of ``Memory.search``.

        Symbols and decision records are found by words, as is everything in an index without vectors. The 300 best
        matches are results; a page has up to 100.
        """
        query = checked_query(query)
        _check_page(limit, offset)
        chosen = self._store.config.ranking.mode if mode is None else mode
        for name, value, allowed in (("how", how, _TOOLS), ("mode", chosen, _MODES), ("what", what, _TARGETS)):
            _refuse_unknown(name, value, allowed)
        by_name = what in {"symbol", "decision"}
        how, notice = ("keyword", "") if by_name else self._available(how)
        question = SearchRequest(
            query=query,
            what=what,
            how=how,
            glob=glob,
            vector=self._vector,
            exact_ids=self._named(query, what),
            defining=self._defining(query) if not by_name else frozenset(),
        )
        matches = self._candidates(question, chosen)
        results = self._page(matches, query, chosen, slice(offset, offset + limit), self._store.moment(as_of))
        end = offset + limit
        return Found(
            query=query,
            what=what,
            how=how,
            tool=_BY_NAME if by_name else _TOOLS[how],
            mode=chosen,
            results=tuple(results),
            total=len(matches.rows),
            next_offset=end if end < len(matches.rows) else None,
            notice=notice,
        )

    def prepare(self) -> None:
        """Update the caches for searching, so that the next search need not."""
        snapshot = self._snapshot()
        for what in _TARGETS:
            snapshot.catalogue(what)
        snapshot.path_words  # noqa: B018 - cached

    def _candidates(self, question: SearchRequest, mode: SearchMode) -> Candidates:
        if mode == "document" or question.what in {"symbol", "decision"}:
            return candidates(self._snapshot(), question)
        answers = self._scores.answers(sorted(set(query_terms(question.query))))
        return learned_candidates(self._snapshot(), question, answers)

    def _available(self, how: SearchMethod) -> tuple[SearchMethod, str]:
        """The method of search, and a notice: by words if the index has no vectors that fit the query's.

        Raises:
            UsageError: If the search is semantic and there are none.
        """
        if how == "keyword":
            return how, ""
        if not self._snapshot().embeddings.are_there:
            problem, notice = "the index has no vectors to search by meaning; make them with: paragone memory index", ""
        elif (made_by := self._index.embedder()) != (name := self._opened_embedder().name):
            problem = (
                f"the index was embedded by {made_by} and the query would be by {name}: their vectors cannot be "
                "compared; embed it anew with: paragone memory index"
            )
            notice = problem
        else:
            return how, ""
        if how == "semantic":
            raise UsageError(problem)
        return "keyword", notice

    def _snapshot(self) -> SearchSnapshot:
        """The present state of the index, loaded once."""
        with self._lock:
            if self._view is None or self._view.version != self._index.version():
                self._view = SearchSnapshot(self._store, self._index)
            if not self._view.catalogue("chunk").ids and not self._index.files():
                raise NotFound(EMPTY)
            return self._view

    @cached_property
    def _scores(self) -> Scores:
        return self._open_scores()

    def _vector(self, query: str) -> npt.NDArray[np.float32]:
        return vector(query, self._opened_embedder())

    def _opened_embedder(self) -> Embedder:
        if self._embedder is None:
            self._embedder = open_embedder()
        return self._embedder

    def _defining(self, query: str) -> frozenset[str]:
        """The files that define what the query names; none if it is no name, or a word that is a name as well."""
        name = query.strip().removeprefix("@").removesuffix("()")
        if not _NAME.fullmatch(name) or len(words(name)) == 1:
            return frozenset()
        return frozenset(symbol.path for symbol in self._index.symbol(name))

    def _named(self, query: str, what: SearchTarget) -> list[str]:
        """Ids that the query names exactly."""
        if what == "symbol":
            return [symbol.id for symbol in self._index.symbol(query)]
        record = self._index.decision(query) if what == "decision" else None
        return [record.id] if record is not None else []

    def _page(self, matches: Candidates, query: str, mode: SearchMode, page: slice, as_of: float) -> list[RankedResult]:
        """A page of results."""
        parts = self._breakdowns(matches, mode, as_of)
        ranked = [(matches.rows[at], parts[at]) for at in by_score(parts)[page]]
        terms = query_terms(query)
        results = (
            self._result(rank, candidate, why, terms) for rank, (candidate, why) in enumerate(ranked, page.start + 1)
        )
        return [candidate for candidate in results if candidate is not None]

    def _breakdowns(self, matches: Candidates, mode: SearchMode, as_of: float) -> list[Breakdown]:
        ratings = self._ratings([candidate.content for candidate in matches.rows], as_of)
        queries = self._scores.evidence_queries(ratings)
        likenesses = {content: likeness(matches.weights, past_queries) for content, past_queries in queries.items()}

        def alike(content: Content) -> float:
            return likenesses.get(content, likenesses.get(Content.file(content.path), 0.0))

        rated = [own_or_file(candidate.content, ratings) for candidate in matches.rows]
        shares = (alike(candidate.content) for candidate in matches.rows)
        evidence = [about(rating.evidence, share) for rating, share in zip(rated, shares, strict=True)]
        trials = max((of.shown for of in evidence), default=0.0)
        return [
            breakdown(candidate, rating, mode, evidence=of, spread=matches.spread, trials=trials)
            for candidate, rating, of in zip(matches.rows, rated, evidence, strict=True)
        ]

    def _ratings(self, contents: Sequence[Content], as_of: float) -> dict[Content, ContentRating]:
        rated = list(dict.fromkeys([*contents, *(Content.file(content.path) for content in contents)]))
        return self._scores.ratings(rated, as_of=as_of, since=self._snapshot().first_seen)

    def _result(self, rank: int, candidate: Candidate, parts: Breakdown, query: Sequence[str]) -> RankedResult | None:
        """The result for a candidate; None if it may not be shown, or the index no longer has it."""
        path = candidate.content.path
        is_there = (self._store.root / path).is_file()
        if is_there and self._reader.allowed(path) is not None:
            return None
        excerpt = excerpt_of(candidate, self._index, query)
        if excerpt is None:
            return None
        if not is_there:
            excerpt, parts = replace(excerpt, snippet=GONE), parts.flagged(FILE_GONE)
        return RankedResult.like(
            excerpt, rank=rank, path=path, similarity=candidate.similarity, score=score(parts), breakdown=parts
        )


MAX_QUERY_LENGTH = 4000
"""Characters of a query; longer ones are texts, not queries."""
MAX_PAGE_RESULTS = 100
"""Results on a page."""
GONE = "(the file is gone since it was indexed)"
"""The snippet of a result whose file is gone."""


def _refuse_unknown(name: str, value: str, allowed: Collection[str]) -> None:
    if value not in allowed:
        raise UsageError(f"{name} is {', '.join(allowed)}; not {value!r}")


def checked_query(query: str) -> str:
    """A query on one line, without invisible characters.

    Raises:
        UsageError: If nothing is left of it, or it is too long.
    """
    if len(query) > MAX_QUERY_LENGTH:
        raise UsageError(f"the query has {len(query):,} characters; {MAX_QUERY_LENGTH:,} is the most")
    text = visible(query)
    if not text:
        raise UsageError("the query is empty; say what to look for")
    return text


def _check_page(limit: int, offset: int) -> None:
    if not 1 <= limit <= MAX_PAGE_RESULTS:
        raise UsageError(f"limit lies between 1 and {MAX_PAGE_RESULTS}, not {limit}; use offset for what comes next")
    if offset < 0:
        raise UsageError(f"offset is 0 or more, not {offset}")
