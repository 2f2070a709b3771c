"""From strengths and records to the rows of a board."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.domain import BoardRow, Item, Rating


@dataclass(frozen=True, kw_only=True, slots=True)
class Strength:
    """What the batch fit says of one item.

    Attributes:
        rating: Strength in Elo points.
        low: Lower end of its interval.
        high: Upper end.
        rank: Rank by strength; items of equal strength share one.
        rank_low: Best rank in the interval.
        rank_high: Worst rank.
    """

    rating: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int


def board_rows(
    items: Sequence[Item], strengths: Mapping[str, Strength], records: Mapping[str, Rating], *, by_elo: bool = False
) -> tuple[BoardRow, ...]:
    """Rank items, best first.

    Args:
        items: The pool, in any order; ties are listed in this order.
        strengths: Per item id.
        records: Running Elo and counters per item id.
        by_elo: Rank by the running Elo instead of the strength.

    Returns:
        One row an item. Items of equal value share the better rank ("1, 2, 2, 4").
    """
    if by_elo:
        ranks = _shared_ranks([records[item.id].elo for item in items])
    else:
        ranks = [strengths[item.id].rank for item in items]
    ranked = sorted(zip(ranks, items, strict=True), key=lambda pair: pair[0])
    return tuple(_row(item, rank, strengths[item.id], records[item.id]) for rank, item in ranked)


def _shared_ranks(values: Sequence[float]) -> list[int]:
    best: dict[float, int] = {}
    for rank, value in enumerate(sorted(values, reverse=True), start=1):
        best.setdefault(value, rank)
    return [best[value] for value in values]


def _row(item: Item, rank: int, strength: Strength, record: Rating) -> BoardRow:
    return BoardRow(
        id=item.id,
        text=item.text,
        rank=rank,
        rank_low=strength.rank_low,
        rank_high=strength.rank_high,
        rating=strength.rating,
        low=strength.low,
        high=strength.high,
        elo=record.elo,
        wins=record.wins,
        losses=record.losses,
        ties=record.ties,
        matches=record.matches,
    )
