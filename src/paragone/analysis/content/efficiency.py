"""What ratings do for searches: how much on top is rated high, and whether what is used comes nearer to the top."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

TOP = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """One file that a search showed.

    Attributes:
        path: Which.
        similarity: How near it was to the query.
        score: By which it would be ordered if ratings counted.
        high: Whether its rating was in the tier HIGH at that time.
        used: Whether it was used afterwards, by way of this search.
    """

    path: str
    similarity: float
    score: float
    high: bool
    used: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Efficiency:
    """What one search was worth.

    Attributes:
        high: How many of its first five results were rated high.
        shown: How many results those first five were.
        used: How many of its results were used.
        used_off: How many of them are among the five most similar.
        used_on: How many of them are among the first five if ratings count.
    """

    high: int
    shown: int
    used: int
    used_off: int
    used_on: int


def efficiency(results: Sequence[Ranked]) -> Efficiency:
    """Of one search.

    Args:
        results: Files in the order in which they were shown, each once.
    """
    first = results[:TOP]
    return Efficiency(
        high=sum(one.high for one in first),
        shown=len(first),
        used=sum(one.used for one in results),
        used_off=_used(sorted(results, key=lambda one: -one.similarity)),
        used_on=_used(sorted(results, key=lambda one: -one.score)),
    )


def _used(results: Iterable[Ranked]) -> int:
    return sum(one.used for one in list(results)[:TOP])
