"""The posterior of the strengths between two fits: what is planned is half known, and what is answered moves the mean.

A comparison of i and j with probability p of the first carries the information p (1 - p) about the difference of their
strengths, whatever its answer. So its effect on the covariance is known when it is planned, and only the mean has to
wait for the answer: with ``d`` the difference and ``V`` the covariance after it, the mean moves by ``V d (score - p)``,
one Newton step. Both are rank-one updates, and the next fit makes up for what they leave out.
"""

import math
from typing import Self

import numpy as np

from paragone.domain.rounding import DRAW_DECIMALS, rounded
from paragone.ratings.evidence import Floats
from paragone.ratings.fit_types import Fit

DENSE = 400
"""Up to this many items the whole covariance is carried forward, unless told otherwise; above, only its diagonal."""


_TOGETHER = 32
"""Updates of rank one that are taken from a covariance at once, which is quicker than one by one."""


class CarriedPosterior:
    """Mean and covariance of the strengths, given that there is any signal.

    Args:
        mean: Strengths in nats, shape (items,).
        covariance: Shape (items, items), or for large pools the variances alone, shape (items,).
        position: Log-odds in favour of the item shown first.
        removed: What judges see in each item beside the mean, in nats, shape (items,): effects that must not count.
    """

    def __init__(self, mean: Floats, covariance: Floats, position: float = 0.0, removed: Floats | None = None) -> None:
        self.mean = mean.copy()
        self._beside = np.zeros(mean.size) if removed is None else removed
        self._covariance = covariance.copy()
        self._position = position
        self._taken: list[tuple[float, Floats]] = []  # c and a of what is still to be taken: c a a' each

    @classmethod
    def of(cls, fit: Fit, *, dense: int = DENSE) -> Self:
        """What a fit knows, before anything more is planned.

        Args:
            fit: The fit.
            dense: Up to so many items the whole covariance is carried forward; above, the variances alone.
        """
        fit = fit.mode or fit
        positions = fit.position[np.isfinite(fit.position)]
        small = fit.covariance is not None and fit.strength.size <= dense
        covariance = fit.covariance if small and fit.covariance is not None else fit.standard_error**2
        return cls(fit.strength, covariance, float(positions.mean()) if positions.size else 0.0, fit.removed)

    @property
    def covariance(self) -> Floats:
        """Covariance of the strengths, less what planned comparisons are expected to tell; variances in large pools."""
        return self._covariance - self._sum_taken() if self._taken else self._covariance

    @property
    def seen(self) -> Floats:
        """The strengths as judges see them."""
        return self.mean + self._beside

    def expect(self, first: int, second: int) -> None:
        """Take from the covariance what the answer to a planned comparison is expected to tell."""
        chance = self._chance(first, second)
        information = chance * (1.0 - chance)
        if self._covariance.ndim == 2:
            along = self._along(first, second)
            share = information / (1.0 + information * max(0.0, float(along[first] - along[second])))
            self._taken.append((share, along))
            if len(self._taken) == _TOGETHER:
                self._covariance -= self._sum_taken()
                self._taken.clear()
            return
        a, b = float(self._covariance[first]), float(self._covariance[second])
        share = information / (1.0 + information * (a + b))
        self._covariance[first] -= share * a * a
        self._covariance[second] -= share * b * b

    def _along(self, first: int, second: int) -> Floats:
        """``V d``, of the covariance and the difference of two items."""
        column = self._covariance[:, first] - self._covariance[:, second]
        for share, along in self._taken:
            column -= share * float(along[first] - along[second]) * along
        return column

    def _sum_taken(self) -> Floats:
        along = np.stack([column for _, column in self._taken])
        shares = np.array([share for share, _ in self._taken])
        fall: Floats = (along.T * shares) @ along
        return fall

    def learn(self, first: int, second: int, score: float, weight: float = 1.0) -> None:
        """Move the mean by an answer that was expected.

        Args:
            first: The item shown first.
            second: The item shown second.
            score: 1 if the first is better, 0 if the second is, between them a tie or a soft answer.
            weight: How much the answer counts.
        """
        surprise = weight * (score - self._chance(first, second))
        if self._covariance.ndim == 2:
            self.mean += surprise * self._along(first, second)
            return
        self.mean[first] += surprise * float(self._covariance[first])
        self.mean[second] -= surprise * float(self._covariance[second])

    def _chance(self, first: int, second: int) -> float:
        lead = float(self.mean[first] - self.mean[second]) + self._position
        lead += float(self._beside[first] - self._beside[second])
        return 1.0 / (1.0 + math.exp(-lead)) if lead >= 0.0 else 1.0 - 1.0 / (1.0 + math.exp(lead))

    def draws(self, count: int, rng: np.random.Generator) -> Floats:
        """Strengths less their mean in each draw, shape (count, items), in nats, to ``DRAW_DECIMALS``."""
        normal = rng.standard_normal((count, self.mean.size))
        covariance = self.covariance
        if covariance.ndim == 2:
            # There is no variance along the mean; some is put in to factor the matrix, and taken out again below.
            along = max(float(np.diagonal(covariance).mean()), np.finfo(np.float64).tiny)
            away = normal @ np.linalg.cholesky(covariance + along / self.mean.size).T
        else:
            away = normal * np.sqrt(np.maximum(covariance, 0.0))
        return rounded(self.mean + away - away.mean(axis=1, keepdims=True), DRAW_DECIMALS)
