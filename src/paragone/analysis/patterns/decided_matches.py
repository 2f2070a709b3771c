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
class DecidedMatch:
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


def decided_matches(matches: Iterable[Match]) -> tuple[DecidedMatch, ...]:
    """The decided matches among some; draws and void ones say nothing about what wins.

    A match among several gives one for each two neighbours in its order.
    """
    return tuple(pair for match in matches for pair in _decided(match))


def _decided(match: Match) -> Iterator[DecidedMatch]:
    if match.ranking is not None:
        for winner, loser in pairwise(match.ranking.order):
            yield DecidedMatch(winner=winner, loser=loser, round=match.round)
    elif match.outcome in (Outcome.A, Outcome.B):
        winner, loser = (match.a, match.b) if match.outcome is Outcome.A else (match.b, match.a)
        answered = [comparison for comparison in match.comparisons if comparison.verdict.choice.is_evidence]
        first = [1.0 if comparison.first == winner else -1.0 for comparison in answered]
        yield DecidedMatch(
            winner=winner,
            loser=loser,
            round=match.round,
            position=mean(first) if first else 0.0,
            scores=_scores(answered, winner),
        )


def _scores(answered: Iterable[Comparison], winner: str) -> tuple[tuple[str, float, float], ...]:
    """Mean scores by criterion over all comparisons: the winner's, the loser's."""
    scores: dict[str, list[tuple[float, float]]] = {}
    for comparison in answered:
        for score in comparison.verdict.scores:
            own = (score.first, score.second) if comparison.first == winner else (score.second, score.first)
            scores.setdefault(score.criterion, []).append(own)
    return tuple(
        (name, mean(won for won, _ in pairs), mean(lost for _, lost in pairs)) for name, pairs in scores.items()
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Duels:
    """Bouts as columns.

    Attributes:
        ids: Items that played.
        winner: Place of each winner in ``ids``.
        loser: Place of each loser.
        position: As ``DecidedMatch.position``.
    """

    ids: tuple[str, ...]
    winner: IntArray
    loser: IntArray
    position: FloatArray

    @classmethod
    def of(cls, decided: Sequence[DecidedMatch]) -> "Duels":
        """The same decided; items in the order in which they first played."""
        ids = tuple(dict.fromkeys(id for match in decided for id in (match.winner, match.loser)))
        index_of = {id: at for at, id in enumerate(ids)}
        return cls(
            ids=ids,
            winner=np.array([index_of[match.winner] for match in decided], dtype=np.int64),
            loser=np.array([index_of[match.loser] for match in decided], dtype=np.int64),
            position=np.array([match.position for match in decided], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.winner)

    def chosen(self, rows: npt.NDArray[np.bool_]) -> "Duels":
        """Some of the decided, over the same items."""
        return Duels(ids=self.ids, winner=self.winner[rows], loser=self.loser[rows], position=self.position[rows])
