"""What single answers do to strengths: the fit without some, or with one more, all else that it found being held.

A fit from scratch would also move the spread and what was found of the judges, by little, and take a hundred times as
long. The bootstrap holds the same.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from paragone.ratings.bradley_terry import refit
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.fit_types import Fit


@dataclass(frozen=True, kw_only=True, eq=False)
class Influence:
    """Changes of strengths under other evidence, in nats, shape (items,).

    Attributes:
        fit: The fit.
    """

    fit: Fit

    @cached_property
    def _held(self) -> Fit:
        mode = self.fit if self.fit.mode is None else self.fit.mode
        return replace(mode, covariance=None, mode=None)

    @cached_property
    def _now(self) -> Floats:
        return refit(self._held.evidence, self._held)

    @property
    def evidence(self) -> Evidence:
        """The evidence, answer by answer as the fit has it."""
        return self._held.evidence

    def without(self, comparisons: Ints, rankings: Ints | None = None) -> Floats:
        """The change if some answers did not count.

        Args:
            comparisons: Which comparisons.
            rankings: Which rankings; none by default.

        Raises:
            NotConverged: If the optimum was not reached.
        """
        evidence = self.evidence
        weight, ranking_weight = evidence.weight.copy(), evidence.ranking_weight.copy()
        weight[comparisons] = 0.0
        if rankings is not None:
            ranking_weight[rankings] = 0.0
        return self._change(replace(evidence, weight=weight, ranking_weight=ranking_weight))

    def with_win(self, winner: int, loser: int) -> Floats:
        """The change by one more answer, half of it in either order, by the judge who answered most.

        Args:
            winner: Number of the item that wins.
            loser: Number of the other one.

        Raises:
            NotConverged: If the optimum was not reached.
        """
        evidence = self.evidence
        answered = np.bincount(evidence.judge, minlength=len(evidence.judges))
        kinds = evidence.differences.shape[1]
        more = replace(
            evidence,
            first=np.append(evidence.first, [winner, loser]),
            second=np.append(evidence.second, [loser, winner]),
            score=np.append(evidence.score, [1.0, 0.0]),
            tie=np.append(evidence.tie, np.zeros(2, np.bool_)),
            soft=np.append(evidence.soft, np.zeros(2, np.bool_)),
            weight=np.append(evidence.weight, [0.5, 0.5]),
            judge=np.append(evidence.judge, np.full(2, answered.argmax())),
            differences=np.vstack([evidence.differences, np.zeros((2, kinds))]) if kinds else evidence.differences,
        )
        return self._change(more)

    def _change(self, evidence: Evidence) -> Floats:
        change: Floats = (refit(evidence, self._held) - self._now) * (1.0 - self.fit.no_signal)
        return change
