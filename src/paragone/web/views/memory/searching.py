"""Searches as values. Somebody looks; that is no search by an agent: nothing is logged, and no rating moves."""

from dataclasses import asdict, dataclass

from paragone.domain.content import ContentKind
from paragone.memory.search import Result
from paragone.memory.search.query import How, What
from paragone.memory.store.config import SearchMode
from paragone.web.readers.memory_reader import Remembered
from paragone.web.views.values import View, Words


class BreakdownView(View):
    """What a score is made of.

    Attributes:
        mode: The formula: ``relevance``, ``bounded`` or ``document``.
        similarity: How well it answers the query, from 0 to 1.
        semantic: By its meaning; None where that was not asked for.
        keyword: By its words; None where that was not asked for.
        rated: Whose rating it is: its own once that has moved, its file's until then.
        rating: In Elo points.
        elo_norm: The same from 0 to 1.
        r: R; None where it is not known.
        r_source: Where R comes from, or empty.
        r_gate: 1, or 0.25 where R is low.
        flags: What to know besides: ``R unknown``, ``R low``, ``file gone``.
    """

    mode: SearchMode
    similarity: float
    semantic: float | None
    keyword: float | None
    rated: ContentKind
    rating: float
    elo_norm: float
    r: float | None
    r_source: str
    r_gate: float
    flags: list[str]


class FoundView(View):
    """One result.

    Attributes:
        rank: From 1, over all pages.
        path: The file that it lies in.
        start: Its first line.
        end: Its last line.
        symbol: Id of the definition that it lies in, or that it is; or empty.
        adr: Id of the decision record that it lies in, or that it is; or empty.
        title: What that is called; or empty.
        snippet: Some lines of it.
        similarity: How well it answers the query, from 0 to 1.
        score: What orders results.
        why: What the score is made of.
    """

    rank: int
    path: Words
    start: int
    end: int
    symbol: Words
    adr: Words
    title: Words
    snippet: Words
    similarity: float
    score: float
    why: BreakdownView


class SearchView(View):
    """What a search found.

    Attributes:
        query: What was asked, as it was understood.
        what: Chunks, files, symbols or decision records.
        how: By meaning, by words, or by both.
        mode: What ordered the results.
        total: How many there are, on all pages together.
        results: One page of them, the best first.
        next_offset: Where the next page begins; None on the last one.
    """

    query: Words
    what: What
    how: How
    mode: SearchMode
    total: int
    results: list[FoundView]
    next_offset: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchWanted:
    """What to look for, and how; see ``Memory.search``."""

    query: str
    how: How = "hybrid"
    what: What = "chunk"
    mode: SearchMode | None = None
    glob: str | None = None
    limit: int = 10
    offset: int = 0


def search(memory: Remembered, wanted: SearchWanted) -> SearchView:
    """Find what answers a query best.

    Raises:
        UsageError: If the query is empty, or there is nothing to search by.
        NotFound: If nothing is indexed yet.
        Busy: If the store does not answer.
    """
    options = asdict(wanted)
    query = options.pop("query")
    found = memory.ask(lambda parts: parts.searcher.search(query, **options))
    return SearchView(
        query=found.query,
        what=found.what,
        how=found.how,
        mode=found.mode,
        total=found.total,
        results=[_result(one) for one in found.results],
        next_offset=found.next_offset,
    )


def _result(one: Result) -> FoundView:
    values = {name: getattr(one, name) for name in FoundView.model_fields if name != "why"}
    return FoundView(**values, why=BreakdownView(**asdict(one.breakdown)))
