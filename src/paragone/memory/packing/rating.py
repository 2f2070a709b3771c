"""What files are worth to a pack: by need or Elo, by R, and by what is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paragone.domain.content import Content, ContentKind
from paragone.memory.packing.plan import odds
from paragone.memory.store.config import RankBy

if TYPE_CHECKING:
    from paragone.memory.index import FileEntry
    from paragone.memory.scores import ContentRating, Scores
    from paragone.memory.search import Searcher

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
    contents = [Content(kind=ContentKind.FILE, id=entry.path, path=entry.path) for entry in entries]
    since = {entry.path: entry.first_seen for entry in entries}
    found = scores.ratings(contents, as_of=as_of, since=since)
    made = [
        _rated(entry, found[content], order, ranks.get(entry.path))
        for entry, content in zip(entries, contents, strict=True)
    ]
    return sorted(made, key=lambda one: (-one.worth, one.entry.path))


def ranks_of(query: str, searcher: "Searcher", as_of: float) -> dict[str, int]:
    """The ranks of the files that a query finds, by path."""
    found = searcher.search(query, what="file", mode="relevance", limit=_MOST_FOUND, as_of=as_of)
    return {result.path: result.rank for result in reversed(found.results)}


def _rated(entry: "FileEntry", rating: "ContentRating", order: RankBy, rank: int | None) -> Rated:
    points = rating.need if order == "need" else rating.elo
    worth = odds(points) * rating.gate
    if rank is not None:
        worth *= 1.0 + FIRST_FOUND / rank**2
    return Rated(entry=entry, rating=rating, order=points, worth=worth, rank=rank)
