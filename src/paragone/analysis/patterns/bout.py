"""Decided matches, as patterns are read from them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

import numpy as np
import numpy.typing as npt

from paragone.domain import Comparison, Match, Outcome

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Bout:
    """A decided match: one item won, another lost.

    Attributes:
        winner: Id of the item that won.
        loser: Id of the other.
        round: The round it was played in; 0 where there were none.
        position: 1 where the winner was shown first in every comparison, -1 where it was shown second, between where
            orders were mixed or are not known.
        scores: By criterion, the winner's score and the loser's, where the judge gave them.
    """

    winner: str
    loser: str
    round: int = 0
    position: float = 0.0
    scores: tuple[tuple[str, float, float], ...] = ()


def bouts_of(matches: Iterable[Match]) -> tuple[Bout, ...]:
    """The decided matches among some; draws and void ones say nothing about what wins.

    A match among several gives one for each two neighbours in its order.
    """
    return tuple(bout for match in matches for bout in _bouts(match))


def _bouts(match: Match) -> Iterator[Bout]:
    if match.ranking is not None:
        for winner, loser in pairwise(match.ranking.order):
            yield Bout(winner=winner, loser=loser, round=match.round)
    elif match.outcome in (Outcome.A, Outcome.B):
        winner, loser = (match.a, match.b) if match.outcome is Outcome.A else (match.b, match.a)
        answered = [one for one in match.comparisons if one.verdict.choice.is_evidence]
        first = [1.0 if one.first == winner else -1.0 for one in answered]
        yield Bout(
            winner=winner,
            loser=loser,
            round=match.round,
            position=mean(first) if first else 0.0,
            scores=_scores(answered, winner),
        )


def _scores(answered: Iterable[Comparison], winner: str) -> tuple[tuple[str, float, float], ...]:
    """Mean scores by criterion over all comparisons: the winner's, the loser's."""
    given: dict[str, list[tuple[float, float]]] = {}
    for one in answered:
        for score in one.verdict.scores:
            own = (score.first, score.second) if one.first == winner else (score.second, score.first)
            given.setdefault(score.criterion, []).append(own)
    return tuple(
        (name, mean(won for won, _ in pairs), mean(lost for _, lost in pairs)) for name, pairs in given.items()
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Duels:
    """Bouts as columns.

    Attributes:
        ids: Items that played.
        winner: Place of each winner in ``ids``.
        loser: Place of each loser.
        position: As ``Bout.position``.
    """

    ids: tuple[str, ...]
    winner: IntArray
    loser: IntArray
    position: FloatArray

    @classmethod
    def of(cls, bouts: Sequence[Bout]) -> "Duels":
        """The same bouts; items in the order in which they first played."""
        ids = tuple(dict.fromkeys(id for bout in bouts for id in (bout.winner, bout.loser)))
        place = {id: at for at, id in enumerate(ids)}
        return cls(
            ids=ids,
            winner=np.array([place[bout.winner] for bout in bouts], dtype=np.int64),
            loser=np.array([place[bout.loser] for bout in bouts], dtype=np.int64),
            position=np.array([bout.position for bout in bouts], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.winner)

    def chosen(self, rows: npt.NDArray[np.bool_]) -> "Duels":
        """Some of the bouts, over the same items."""
        return Duels(ids=self.ids, winner=self.winner[rows], loser=self.loser[rows], position=self.position[rows])
