"""Search: by meaning, by words, or by both, over chunks, files, symbols and decision records."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from threading import Lock

import numpy as np
import numpy.typing as npt

from paragone.domain.content import Content
from paragone.errors import NotFound, UsageError
from paragone.memory.index import FileReader, Index
from paragone.memory.scores import ContentRating, Scores
from paragone.memory.search.bm25 import asked
from paragone.memory.search.candidates import Candidate, candidates
from paragone.memory.search.query import NOTHING, How, Span, What, checked_query
from paragone.memory.search.ranking import FILE_GONE, Found, Result, breakdown, by_score, file_of, own_or_file, score
from paragone.memory.search.snapshot import View, vector
from paragone.memory.search.snippets import sight
from paragone.memory.store import Store
from paragone.memory.store.lines import Tool
from paragone.similarity import Embedder, open_embedder
from paragone.wire.search import Breakdown, SearchMode

_TOOLS: dict[How, Tool] = {"semantic": "semantic_search", "keyword": "keyword_search", "hybrid": "hybrid_search"}
_BY_NAME: Tool = "cortex_query"
_MODES: tuple[SearchMode, ...] = ("relevance", "bounded", "document")
_WHAT: tuple[What, ...] = ("chunk", "file", "symbol", "decision")


class Searcher:
    """Searches what the index holds. It writes no log: whoever shows the results does. Threads may share it."""

    def __init__(self, store: Store, index: Index, scores: Scores, *, embedder: Embedder | None = None) -> None:
        """Take the parts; nothing is loaded until it is needed."""
        self._store, self._index, self._scores = store, index, scores
        self._reader = FileReader(store)
        self._embedder = embedder
        self._view: View | None = None
        self._lock = Lock()

    def search(
        self,
        query: str,
        *,
        how: How = "hybrid",
        mode: SearchMode | None = None,
        limit: int = 10,
        offset: int = 0,
        glob: str | None = None,
        what: What = "chunk",
        as_of: float | None = None,
    ) -> Found:
        """Find what answers a query best.

        Args:
            query: What to look for.
            how: By ``semantic`` likeness, ``keyword`` or both (``hybrid``). Symbols and decision records go by words;
                all does, where the index was made without vectors.
            mode: What orders results; by default the configuration's.
            limit: How many results at most, up to 100.
            offset: How many to pass over, among the 300 likeliest.
            glob: Only in files that this pattern names, as in .gitignore.
            what: ``chunk``, ``file`` (each at its best chunk), ``symbol`` or ``decision``.
            as_of: The time whose ratings count, in seconds since 1970; now by default.

        Raises:
            UsageError: If the query is empty or too long, or an option cannot be.
            NotFound: If nothing is indexed yet.
        """
        query, span = checked_query(query), Span(offset=offset, limit=limit)
        chosen = self._store.config.ranking.mode if mode is None else mode
        for name, given, known in (("how", how, _TOOLS), ("mode", chosen, _MODES), ("what", what, _WHAT)):
            _refuse_unknown(name, given, known)
        by_name = what in {"symbol", "decision"}
        how = "keyword" if by_name else self._possible(how)
        likely = self._likely(query, what, how, glob)
        results = self._page(likely, query, chosen, span, self._store.clock() if as_of is None else as_of)
        end = span.offset + span.limit
        return Found(
            query=query,
            what=what,
            how=how,
            tool=_BY_NAME if by_name else _TOOLS[how],
            mode=chosen,
            results=tuple(results),
            total=len(likely),
            next_offset=end if end < len(likely) else None,
        )

    def prepare(self) -> None:
        """Bring what is kept for searching up to date with the index, so that the next search need not."""
        view = self._looking()
        for what in _WHAT:
            view.catalogue(what)

    def _likely(self, query: str, what: What, how: How, glob: str | None) -> list[Candidate]:
        return candidates(
            self._looking(), query, what, how, glob=glob, vector=self._vector, named=self._named(query, what)
        )

    def _possible(self, how: How) -> How:
        """How it can be searched: where the index was made without vectors, both are words alone.

        Raises:
            UsageError: If only meaning was asked for.
        """
        if how == "keyword" or self._looking().meanings.are_there:
            return how
        if how == "semantic":
            raise UsageError("the index has no vectors to search by meaning; make them with: paragone memory index")
        return "keyword"

    def _looking(self) -> View:
        """The present state of the index, loaded once."""
        with self._lock:
            if self._view is None or self._view.version != self._index.version():
                self._view = View(self._store, self._index)
            if not self._view.catalogue("chunk").ids and not self._index.files():
                raise NotFound(NOTHING)
            return self._view

    def _vector(self, query: str) -> npt.NDArray[np.float32]:
        if self._embedder is None:
            self._embedder = open_embedder()
        return vector(query, self._embedder)

    def _named(self, query: str, what: What) -> list[str]:
        """Ids of what the query names outright."""
        if what == "symbol":
            return [one.id for one in self._index.symbol(query)]
        record = self._index.decision(query) if what == "decision" else None
        return [record.id] if record is not None else []

    def _page(
        self, likely: Sequence[Candidate], query: str, mode: SearchMode, span: Span, as_of: float
    ) -> list[Result]:
        """A page of results. Where likeness orders them, only those that are shown have their ratings looked up."""
        page = slice(span.offset, span.offset + span.limit)
        if mode == "relevance":
            shown = list(zip(likely[page], self._breakdowns(likely[page], mode, as_of), strict=True))
        else:
            parts = self._breakdowns(likely, mode, as_of)
            shown = [(likely[at], parts[at]) for at in by_score(parts, self._store.config.ranking.bound)[page]]
        wanted = asked(query)
        made = (self._result(rank, one, why, wanted) for rank, (one, why) in enumerate(shown, span.offset + 1))
        return [one for one in made if one is not None]

    def _breakdowns(self, found: Sequence[Candidate], mode: SearchMode, as_of: float) -> list[Breakdown]:
        ratings = self._ratings([one.content for one in found], as_of)
        return [breakdown(one, own_or_file(one.content, ratings), mode) for one in found]

    def _ratings(self, contents: Sequence[Content], as_of: float) -> dict[Content, ContentRating]:
        wanted = list(dict.fromkeys([*contents, *map(file_of, contents)]))
        return self._scores.ratings(wanted, as_of=as_of, since=self._looking().first_seen)

    def _result(self, rank: int, found: Candidate, parts: Breakdown, query: Sequence[str]) -> Result | None:
        """What is shown of a candidate; None where it may not be shown, or the index has let it go meanwhile."""
        path = found.content.path
        is_there = (self._store.root / path).is_file()
        if is_there and self._reader.allowed(path) is not None:
            return None
        seen = sight(found, self._index, query)
        if seen is None:
            return None
        if not is_there:
            seen, parts = replace(seen, snippet=GONE), parts.flagged(FILE_GONE)
        return Result(
            rank=rank,
            path=path,
            start=seen.start,
            end=seen.end,
            hash=seen.hash,
            symbol=seen.symbol,
            adr=seen.adr,
            title=seen.title,
            snippet=seen.snippet,
            similarity=found.similarity,
            score=score(parts, self._store.config.ranking.bound),
            breakdown=parts,
        )


GONE = "(the file is gone since it was indexed)"
"""The snippet of a result whose file is not there any more."""


def _refuse_unknown(name: str, given: str, known: Collection[str]) -> None:
    if given not in known:
        raise UsageError(f"{name} is {', '.join(known)}; not {given!r}")
