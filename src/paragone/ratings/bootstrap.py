"""The bootstrap: how strengths would vary, had other matches of the same kind been played.

A replicate draws as many matches as there are, with replacement; all comparisons of a match, such as both orders of a
pair, are drawn together. Strengths are fitted to it anew, from those of all matches on, under the same prior. What was
found of repeats, of the judges' slopes, of the scatter of their probabilities and of what columns or a model's ratings
count for is held.

Intervals are percentiles of the replicates. BCa would also shift them, by the share of replicates below the estimate:
but strengths are drawn towards each other on purpose, and so are those of the replicates, and the shift would undo
that. It also takes a fit without each match, and is not defined for ranks.

Source: B. Efron, R. J. Tibshirani (1993), "An Introduction to the Bootstrap", chapters 13 and 14.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
from paragone.ratings.bradley_terry import refit
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.fit_types import Fit

_STREAM = 83
"""Keeps the draws apart from those of the posterior, which have the same seed."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Resampling:
    """What replicates are made of.

    Attributes:
        fit: The fit of all matches; without covariance, which replicates do not need.
        match: The number of each comparison's match, shape (comparisons,).
        votes: How many matches are alike, shape (matches,); a row of counts stands for so many.
        seed: Seeds the draws of matches.
    """

    fit: Fit
    match: Ints
    votes: Ints
    seed: int

    @classmethod
    def of(cls, fit: Fit, seed: int, *, match: Ints | None = None, votes: Ints | None = None) -> "Resampling":
        """Resampling of the comparisons behind a fit.

        Args:
            fit: A fit without rankings.
            seed: Seeds the draws of matches.
            match: The number of each comparison's match, from 0; by default each is a match of its own.
            votes: How many matches each one stands for; 1 by default.

        Raises:
            ValueError: If the fit has rankings.
        """
        mode = fit if fit.mode is None else fit.mode
        if mode.evidence.ranking_weight.size:
            raise ValueError("rankings of several items cannot be resampled")
        match = np.arange(mode.evidence.first.size) if match is None else match
        votes = np.ones(int(match.max(initial=-1)) + 1, np.int64) if votes is None else votes
        return cls(fit=_bare(mode), match=match, votes=votes, seed=seed)

    def resampled(self, number: int) -> Evidence:
        """The evidence of one replicate: the same comparisons, weighing as often as their match was drawn."""
        rng, total = np.random.default_rng([_STREAM, self.seed, number]), int(self.votes.sum())
        if total == self.votes.size:  # the same as a multinomial of equal chances, and quicker
            drawn = np.bincount(rng.integers(total, size=total), minlength=total)
        else:
            drawn = rng.multinomial(total, self.votes / total)
        evidence = self.fit.evidence
        return replace(evidence, weight=evidence.weight * (drawn / self.votes)[self.match])


def replicates(resampling: Resampling, numbers: Sequence[int]) -> Floats:
    """The strengths of some replicates less their mean, in nats, shape (numbers, items).

    Args:
        resampling: What they are made of.
        numbers: Which; each has its own draws, whatever is computed before it, and where.

    Raises:
        NotConverged: If a fit does not converge.
    """
    rows = [_refitted(resampling.resampled(number), resampling.fit) for number in numbers]
    return np.array([rounded(row, STRENGTH_DECIMALS) for row in rows]).reshape(len(rows), resampling.fit.strength.size)


def _bare(fit: Fit) -> Fit:
    """A fit without covariances, which replicates do not need."""
    parts = tuple(replace(part, fit=_bare(part.fit)) for part in fit.parts)
    return replace(fit, covariance=None, mode=None, parts=parts)


def _refitted(evidence: Evidence, mode: Fit) -> Floats:
    """Strengths less their mean, of each part of a fit under its own prior, by the weights that are held."""
    if not mode.parts:
        return refit(evidence, mode)
    weights = np.array([part.weight for part in mode.parts])
    strengths = np.stack([part.left(refit(evidence, part.fit)) for part in mode.parts])
    mean: Floats = weights @ strengths / weights.sum()
    away: Floats = mean - mean.mean()
    return away
