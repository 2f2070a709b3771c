"""The plain Bradley-Terry model: strengths and nothing else, as other packages fit it.

P(a beats b) = 1 / (1 + exp(s_b - s_a)). A tie is half a win for each side, a probability that share of a win. The
estimate is that of maximum or penalised likelihood, the same as that of choix (``opt_pairwise``) and of
evalica (``bradley_terry``).

Source: R. A. Bradley, M. E. Terry (1952), "Rank analysis of incomplete block designs: I", Biometrika 39. When there
is a maximum: L. R. Ford (1957), "Solution of a ranking problem from binary comparisons", American
Mathematical Monthly 64.
"""

from dataclasses import dataclass, replace

import numpy as np

from paragone.errors import NotConverged
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Bools, Evidence, Floats, Ints
from paragone.ratings.fit_types import MOST_SPREAD, Fit, FitOptions
from paragone.ratings.model.likelihood import totals

_STEPS = 200
_TOLERANCE = 1e-11


def plain_fit(evidence: Evidence, l2: float = 0.0) -> Fit:
    """Strengths by the plain Bradley-Terry model.

    Args:
        evidence: Comparisons; who judged and in which order items were shown makes no difference.
        l2: Penalty: ``l2 * sum(strength**2)`` is taken from the log-likelihood. With 0 there has to be a maximum; see
            ``one_way``.

    Returns:
        The fit; its uncertainty is that of a prior that is as good as none where ``l2`` is 0.

    Raises:
        NotConverged: If the maximum was not reached; it carries the partial ``Fit``.
    """
    alike = _of_one_kind(evidence)
    spread = MOST_SPREAD if l2 == 0.0 else min(MOST_SPREAD, 1 / np.sqrt(2 * l2))
    near = fit(alike, FitOptions(position=False, slope=False, spread=spread, dispersion=1.0))
    strength = _climbed(alike, near.strength, l2)
    if strength is None:
        raise NotConverged(f"the plain fit of {len(evidence)} comparisons did not converge; raise l2", near)
    return replace(near, strength=strength - strength.mean())


def one_way(evidence: Evidence) -> Bools | None:
    """Items that no other item ever beat or tied, while others lost to them or never met them: none of the likelihood.

    Without a penalty the likelihood has a maximum only where every item can be reached from every other by a chain of
    wins (Ford). Otherwise strengths drift apart without end.

    Returns:
        Which items stand apart, shape (items,); None where there is a maximum.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    counts = evidence.weight > 0
    won, lost = counts & (evidence.score > 0), counts & (evidence.score < 1)
    winner = np.concatenate([evidence.first[won], evidence.second[lost]])
    loser = np.concatenate([evidence.second[won], evidence.first[lost]])
    shape = (evidence.item_count, evidence.item_count)
    beats = coo_array((np.ones(winner.size), (winner, loser)), shape=shape).tocsr()
    parts, part = connected_components(beats, connection="strong")
    if parts == 1:
        return None
    beaten = np.zeros(parts, dtype=np.bool_)
    beaten[part[loser[part[winner] != part[loser]]]] = True
    apart: Bools = part == np.flatnonzero(~beaten)[0]
    return apart


def _of_one_kind(evidence: Evidence) -> Evidence:
    """The evidence as if one judge had given it, ties as probabilities of a half."""
    return Evidence.from_arrays(
        evidence.item_count,
        evidence.first,
        evidence.second,
        evidence.score,
        tie=np.zeros(evidence.first.size, dtype=np.bool_),
        soft=evidence.soft | evidence.tie,
        weight=evidence.weight,
    )


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _Pairs:
    """What was said of each pair: points of the first item, and all points there were."""

    items: int
    first: Ints
    second: Ints
    points: Floats
    games: Floats

    @classmethod
    def of(cls, evidence: Evidence) -> "_Pairs":
        ordered = evidence.without_order(evidence.judges)
        pair, group = np.unique(ordered.first * ordered.item_count + ordered.second, return_inverse=True)
        return cls(
            items=ordered.item_count,
            first=pair // ordered.item_count,
            second=pair % ordered.item_count,
            points=totals(group, ordered.weight * ordered.score, pair.size),
            games=totals(group, ordered.weight, pair.size),
        )

    def value(self, strength: Floats, l2: float) -> float:
        """The penalised log-likelihood."""
        gap = strength[self.first] - strength[self.second]
        # -log P(win) = log(1 + exp(-gap)), without overflow.
        wins, losses = np.logaddexp(0, -gap), np.logaddexp(0, gap)
        return float(-(self.points @ wins + (self.games - self.points) @ losses) - l2 * strength @ strength)

    def gradient(self, strength: Floats, l2: float) -> Floats:
        """Its derivative, shape (items,)."""
        gap = strength[self.first] - strength[self.second]
        # (1 + tanh(gap / 2)) / 2 is the logistic function of the gap, without overflow.
        surplus = self.points - self.games * (1 + np.tanh(gap / 2)) / 2
        slope = totals(self.first, surplus, self.items) - totals(self.second, surplus, self.items)
        result: Floats = slope - 2 * l2 * strength
        return result

    def step(self, strength: Floats, l2: float, gradient: Floats) -> Floats:
        """Newton's step. Without a penalty only differences matter, so that the last item is held."""
        from scipy.sparse import coo_array
        from scipy.sparse.linalg import spsolve

        gap = strength[self.first] - strength[self.second]
        weight = self.games / (4 * np.cosh(gap / 2) ** 2)
        diagonal = totals(self.first, weight, self.items) + totals(self.second, weight, self.items) + 2 * l2
        own = np.arange(self.items)
        rows = np.concatenate([own, self.first, self.second])
        columns = np.concatenate([own, self.second, self.first])
        shape = (self.items, self.items)
        curvature = coo_array((np.concatenate([diagonal, -weight, -weight]), (rows, columns)), shape=shape).tocsc()
        # Without a penalty the curvature is singular along the mean of all strengths.
        free = self.items if l2 else self.items - 1
        step = np.zeros(self.items)
        step[:free] = spsolve(curvature[:free, :free], gradient[:free])
        return step


def _climbed(evidence: Evidence, strength: Floats, l2: float) -> Floats | None:
    """The maximum of the penalised likelihood, by Newton's method; None if it was not reached."""
    pairs = _Pairs.of(evidence)
    value = pairs.value(strength, l2)
    for _ in range(_STEPS):
        gradient = pairs.gradient(strength, l2)
        step, share = pairs.step(strength, l2, gradient), 1.0
        if np.abs(step).max(initial=0.0) < _TOLERANCE:
            return strength + step
        while pairs.value(strength + share * step, l2) < value - 1e-9 * abs(value) and share > 1e-6:
            share /= 2
        strength = strength + share * step
        value = pairs.value(strength, l2)
    return None
