"""Which of the criteria that judges score decide who wins."""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np

from paragone.analysis.patterns.bout import Bout
from paragone.analysis.patterns.finding import CriterionWeight
from paragone.analysis.patterns.logistic import regress


def weigh(bouts: Sequence[Bout], *, level: float = 0.95) -> tuple[CriterionWeight, ...]:
    """How far each criterion goes with who wins, what decides most first.

    A judge scores and decides in one breath, so this tells what its verdicts are made of; it is no prediction.

    Args:
        bouts: Decided matches; those without scores are left out.
        level: Probability that the intervals are meant to hold.
    """
    scored = [bout for bout in bouts if bout.scores]
    names = tuple(dict.fromkeys(name for bout in scored for name, _, _ in bout.scores))
    if not names:
        return ()
    leads = np.full((len(scored), len(names)), np.nan)
    for row, bout in enumerate(scored):
        for name, winner, loser in bout.scores:
            leads[row, names.index(name)] = winner - loser
    spread = np.sqrt(np.nanmean(leads**2, axis=0))
    known = np.nan_to_num(leads / np.where(spread > 0, spread, 1.0))
    pull = np.maximum(regress(known, penalty=1.0, sparse=False), 0.0)
    shares = pull / pull.sum() if pull.sum() > 0 else pull
    found = []
    for at, name in enumerate(names):
        own = leads[~np.isnan(leads[:, at]), at]
        agreed = float(np.mean((1.0 + np.sign(own)) / 2.0))
        low, high = share_interval(agreed, len(own), level)
        found.append(
            CriterionWeight(
                criterion=name, matches=len(own), agreement=agreed, low=low, high=high, weight=float(shares[at])
            )
        )
    return tuple(sorted(found, key=lambda one: -one.weight))


def share_interval(share: float, count: int, level: float) -> tuple[float, float]:
    """Interval of a share of so many. Source: Wilson, JASA 22 (1927)."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = z * sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return max(0.0, middle - reach), min(1.0, middle + reach)
