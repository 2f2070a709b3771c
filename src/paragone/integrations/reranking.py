"""What retrievers of all frameworks share: passages of a memory, and an order by a judge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from paragone.domain import Board, BoardRow

if TYPE_CHECKING:
    from paragone.memory import Memory

CRITERIA = "which passage helps more to answer this query, by what it says and not by its length: {query}"
"""What makes one passage better than another; ``{query}`` stands for the query."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A passage that a memory found.

    Attributes:
        id: Path and lines.
        text: Its text.
        score: The score by which results are ordered.
        metadata: Where it is and what it belongs to.
    """

    id: str
    text: str
    score: float
    metadata: dict[str, Any]


def passages(memory: "Memory", query: str, *, limit: int, whole: bool, **search: Any) -> Iterator[Passage]:  # noqa: ANN401
    """Search a memory; what is given to a model whole is logged as read, so that ratings follow.

    Args:
        memory: The memory.
        query: What to search for.
        limit: Passages at most.
        whole: Whether to read each passage, or to take its snippet.
        search: Further arguments of ``Memory.search``.
    """
    for result in memory.search(query, limit=limit, **search).results:
        text = result.snippet
        if whole:
            text = memory.read(result.path, start=result.start, lines=result.end - result.start + 1).text
        metadata = {"path": result.path, "start": result.start, "end": result.end, "similarity": result.similarity}
        metadata |= {name: getattr(result, name) for name in ("symbol", "adr", "title") if getattr(result, name)}
        yield Passage(id=f"{result.path}:{result.start}-{result.end}", text=text, score=result.score, metadata=metadata)


class Reranker(Protocol):
    """The settings of whatever orders texts that were retrieved for a query, in any framework."""

    judge: Any
    top_n: int | None
    criteria: str
    options: dict[str, Any]


def order(by: Reranker, texts: Sequence[str], query: str) -> list[tuple[int, BoardRow]]:
    """The best texts, best first: where each stands in the sequence, and its row of the board."""
    from paragone.tournaments.ranking import rank

    return _best(by, rank(**_arguments(by, texts, query)))


async def aorder(by: Reranker, texts: Sequence[str], query: str) -> list[tuple[int, BoardRow]]:
    """The same without blocking the loop while the judge is asked."""
    from paragone.tournaments.ranking import arank

    return _best(by, await arank(**_arguments(by, texts, query)))


def _arguments(by: Reranker, texts: Sequence[str], query: str) -> dict[str, Any]:
    items = {str(index): text for index, text in enumerate(texts)}
    return {"items": items, "judge": by.judge, "criteria": by.criteria.replace("{query}", query), **by.options}


def _best(by: Reranker, board: Board) -> list[tuple[int, BoardRow]]:
    return [(int(row.id), row) for row in board.items[: by.top_n]]


def figures(row: BoardRow) -> dict[str, Any]:
    """What is known of a text by its ranking, for metadata."""
    return {"rating": row.rating, "rank": row.rank, "rank_low": row.rank_low, "rank_high": row.rank_high}
