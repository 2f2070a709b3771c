"""The comparisons that lower the risk of a wrong ranking most, a batch at a time, by the whole posterior.

The posterior is normal with mean ``t`` and covariance ``V``, in nats. The answer to one comparison of i and j takes
``c a a'`` from V, with ``a = V d``, ``d = e_i - e_j`` and ``c`` what it is expected to tell. To first order a risk
falls by the decrease of ``trace(L V)`` for a matrix L that belongs to it, and so by ``c d' M d`` with ``M = V L V``.

Two risks are known here: pairs of items that stand in the wrong order, and items that are wrongly in or out of the top.
Each matrix L is divided by its risk, so that gains are shares of the risk and can be added.

Once a comparison is chosen, the covariance and the gains of all others follow as if it had been answered, by updates of
rank one; so the pairs of a batch complete each other though they are asked at once. Items are indices. All pairs are
looked at once a batch: time and memory grow with the square of the items, and the work on the forms with the cube.

``informative`` has the rule for larger pools, and for those tournaments that began with it.
"""

import math
from collections import Counter
from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from paragone.domain import Aim, Goal
from paragone.domain.rounding import SHARE_DECIMALS, STRENGTH_DECIMALS, rounded
from paragone.pairing.forecast import Floats, top_of
from paragone.pairing.presentation import PairHistory, present

Ints = NDArray[np.int64]

MOST_ITEMS = 1000
"""The largest pool in which all pairs are looked at."""

FAR_SHARE = 1 / 6
"""The share of a batch that joins the upper to the lower third while there may be no signal."""

DOUBT = 0.01
"""Probability of no signal up to which there are no far pairs: what they are asked for has been found out."""

FOCUS_SHARE = {Aim.ORDER: 0.0, Aim.BALANCED: 0.35, Aim.TOP: 0.65, Aim.WINNER: 0.65}
"""The share of a batch, its far pairs apart, that serves nothing but the top."""

TOP_WEIGHT = 0.1
"""What the risk of a wrong top weighs in the rest of a batch, beside that of a wrong order."""

KEPT = 20
"""Pairs an item that a batch is chosen from, for each of its two gains."""

REMATCH = 0.5
"""What the gain of a pair's second comparison counts, beside its first: judges repeat themselves."""

TOP, WHOLE = 0, 1
"""The gains: by the risk of a wrong top, and by that of a wrong order with ``TOP_WEIGHT`` of the top's added."""

TOPS = (1, 3, 10)
"""The sizes of the top that the balanced aim weighs equally; the other aims take that of their forecast."""

MOST = {Aim.ORDER: 3, Aim.BALANCED: 3, Aim.TOP: 3, Aim.WINNER: 9}
"""Comparisons of one item in one batch: few are left who may be the best."""

_BOTH = 2  # orders of a pair
_ROOM = 64  # updates that there is room for at first
_TINY = 1e-12  # of a variance in square nats, and of a risk: below, nothing is left to be found out


def next_batch(
    mean: Floats,
    covariance: Floats,
    history: PairHistory,
    goal: Goal,
    *,
    rng: np.random.Generator,
    size: int,
    audit_share: float,
    far: int,
    focus: int,
    seen: Floats | None = None,
) -> tuple[tuple[int, int], ...]:
    """The next batch of comparisons, which may be asked all at once.

    It serves, in turn: a few pairs asked once, now in the other order, as an audit of flips that belong to a pair;
    pairs of the upper with the lower third of the order, which alone can show whether there is any signal; what the
    top hangs on; and what the whole order hangs on, with an eye on the top. No pair is asked twice in one order, and no
    item is in more comparisons of a batch than ``MOST``.

    Args:
        mean: Posterior means in nats, shape (items,).
        covariance: Their covariance, less what open comparisons are expected to tell, shape (items, items).
        history: What has been asked, open comparisons included; left as it is.
        goal: The ranking asked for.
        rng: Decides which far pairs are asked, and who of two equals is shown first.
        size: Comparisons wanted; there may be fewer.
        audit_share: The share of pairs to be asked in both orders, from 0 to 1.
        far: Comparisons that join the upper to the lower third.
        focus: Comparisons that serve nothing but the top.
        seen: Strengths as judges see them, where something that must not count is taken out of the means: a pair that
            is even by its means may be decided by that, and its answer then tells nothing.

    Returns:
        (first, second) in the order of presentation; empty when every pair has been asked in both orders.

    Raises:
        ValueError: If the shapes do not fit, or a value is not finite.
    """
    mean, covariance = _checked(mean, covariance, history)
    pairs = CandidatePairs.of(
        mean if seen is None else rounded(seen, STRENGTH_DECIMALS), covariance, _forms(mean, covariance, goal), history
    )
    again = min(math.floor(audit_share * history.pairs) - history.both, math.ceil(audit_share * size))
    audits = _best(pairs.gain(WHOLE) * (pairs.orders == 1), again)
    # More than are wanted: some of their items may have been used up.
    distant = _distant(pairs, mean, rng)[: 2 * MOST[goal.aim] * far]
    candidates = np.unique(np.concatenate([*_worthwhile(pairs, size), audits, distant]))
    audit, turn = np.isin(candidates, audits), np.zeros(candidates.size)
    turn[np.searchsorted(candidates, distant)] = np.arange(distant.size, 0.0, -1.0)
    batch = _Batch(pairs.of_these(candidates), size, MOST[goal.aim])
    batch.serve(max(0, again), lambda at: at.gain(WHOLE) * audit)
    batch.serve(far, lambda _: turn)
    batch.serve(focus, lambda at: at.gain(TOP))
    batch.serve(size, lambda at: at.gain(WHOLE))
    batch.serve(size, lambda at: at.variance)  # where there is nothing left to be gained
    return present(batch.pairs, history, rng=rng)


class CandidatePairs:
    """Pairs with what a comparison of each would gain, which follows as comparisons are chosen.

    The covariance and the forms stay what they were at first. A comparison that is chosen adds the vectors of its
    update, by which the column of a pair is brought up to date when that pair is chosen.

    Attributes:
        first: The item of each pair with the lower index, shape (pairs,).
        second: The one with the higher index.
        orders: In how many orders each was asked.
        variance: Variance of each difference, in square nats.
        quadratic: ``d' M d`` for each gain, shape (gains, pairs).
    """

    def __init__(
        self, mean: Floats, covariance: Floats, forms: Floats, pairs: tuple[Ints, Ints], orders: NDArray[np.int8]
    ) -> None:
        self.first, self.second = pairs
        self.orders = orders
        self.variance = np.maximum(_between(covariance, *pairs), _TINY)
        self.quadratic = np.stack([np.maximum(_between(form, *pairs), 0.0) for form in forms])
        self._mean, self._covariance, self._forms = mean, covariance, forms
        self._lead = mean[self.first] - mean[self.second]
        self._worth = np.array([1.0, REMATCH, 0.0])[orders]
        self._updates = _Updates(len(forms), mean.size)

    @property
    def items(self) -> int:
        """Number of items."""
        return self._mean.size

    @classmethod
    def of(cls, mean: Floats, covariance: Floats, forms: Floats, history: PairHistory) -> Self:
        """All pairs of items, before anything is chosen.

        Args:
            mean: Posterior means as judges see them, shape (items,).
            covariance: Posterior covariance V, shape (items, items).
            forms: ``V L V`` for each gain, shape (gains, items, items).
            history: What has been asked.
        """
        pairs = np.triu_indices(mean.size, 1)
        return cls(mean, covariance, forms, pairs, history.orders_asked()[pairs])

    def of_these(self, at: Ints) -> "CandidatePairs":
        """Some of the pairs, before anything is chosen."""
        pairs = self.first[at], self.second[at]
        return CandidatePairs(self._mean, self._covariance, self._forms, pairs, self.orders[at])

    def gain(self, of: int) -> Floats:
        """What a comparison of each pair is expected to take from a risk, as a share of it; shape (pairs,)."""
        gain: Floats = self._worth * information(self._lead, self.variance) * self.quadratic[of]
        return gain

    def choose(self, at: int) -> None:
        """Count a pair as compared: ``V -= c a a'``, and ``M`` follows."""
        first, second = int(self.first[at]), int(self.second[at])
        fisher = float(information(self._lead[at], self.variance[at]))
        along = self._updates.covariance_column(self._covariance, first, second)
        shift = along[self.first] - along[self.second]
        beside = [self._updates.form_column(of, form, first, second) for of, form in enumerate(self._forms)]
        bends = [fisher * fisher * float(column[first] - column[second]) for column in beside]
        for of, (column, bend) in enumerate(zip(beside, bends, strict=True)):
            fall = 2.0 * fisher * shift * (column[self.first] - column[self.second]) - bend * shift * shift
            self.quadratic[of] = np.maximum(self.quadratic[of] - fall, 0.0)
        self.variance = np.maximum(self.variance - fisher * shift * shift, _TINY)
        self._updates.add(fisher, along, beside, bends)


class _Updates:
    """What the comparisons chosen so far take from the covariance V and from the forms M.

    Each takes ``c a a'`` from V, and ``c (a b' + b a') - c^2 q a a'`` from M, with ``b = M d`` and ``q = d' M d``.
    """

    def __init__(self, forms: int, items: int) -> None:
        self._count = 0
        self._along = np.zeros((_ROOM, items))  # a, a row each
        self._beside = np.zeros((forms, _ROOM, items))  # b
        self._told = np.zeros(_ROOM)  # c
        self._bends = np.zeros((forms, _ROOM))  # c^2 q

    def covariance_column(self, covariance: Floats, first: int, second: int) -> Floats:
        """``V d`` after the updates."""
        along = self._along[: self._count]
        ahead = self._told[: self._count] * (along[:, first] - along[:, second])
        column: Floats = covariance[:, first] - covariance[:, second] - ahead @ along
        return column

    def form_column(self, of: int, form: Floats, first: int, second: int) -> Floats:
        """``M d`` after the updates."""
        along, beside = self._along[: self._count], self._beside[of, : self._count]
        fisher, bends = self._told[: self._count], self._bends[of, : self._count]
        ahead = along[:, first] - along[:, second]
        across = beside[:, first] - beside[:, second]
        by_along, by_beside = fisher * across - bends * ahead, fisher * ahead
        column: Floats = form[:, first] - form[:, second] - by_along @ along - by_beside @ beside
        return column

    def add(self, fisher: float, along: Floats, beside: list[Floats], bends: list[float]) -> None:
        """Note one more comparison."""
        if self._count == self._told.size:
            self._along, self._told = (
                np.concatenate([array, np.zeros_like(array)]) for array in (self._along, self._told)
            )
            self._beside, self._bends = (
                np.concatenate([array, np.zeros_like(array)], axis=1) for array in (self._beside, self._bends)
            )
        self._along[self._count], self._told[self._count] = along, fisher
        self._beside[:, self._count], self._bends[:, self._count] = beside, bends
        self._count += 1


class _Batch:
    """Pairs chosen for one batch."""

    def __init__(self, candidates: CandidatePairs, size: int, most: int) -> None:
        self.pairs: list[tuple[int, int]] = []
        self._at = candidates
        self._size, self._most = size, most
        self._open = candidates.orders < _BOTH
        self._used: Counter[int] = Counter()

    def serve(self, count: int, value: Callable[[CandidatePairs], Floats]) -> None:
        """Choose so many more pairs, each the one of the largest value now; fewer if no value is positive."""
        limit = min(self._size, len(self.pairs) + count)
        while len(self.pairs) < limit:
            values = value(self._at) * self._open
            largest = float(values.max(initial=0.0))
            if largest <= 0.0:
                return
            # Rounded, so that every processor chooses alike among equals.
            self._choose(int(np.argmax(rounded(values / largest, SHARE_DECIMALS))))

    def _choose(self, at: int) -> None:
        pair = int(self._at.first[at]), int(self._at.second[at])
        self.pairs.append(pair)
        self._at.choose(at)
        self._open[at] = False
        self._used.update(pair)
        for item in pair:
            if self._used[item] == self._most:
                self._open &= (self._at.first != item) & (self._at.second != item)


def _forms(mean: Floats, covariance: Floats, goal: Goal) -> Floats:
    """``M`` for ``TOP`` and for ``WHOLE``."""
    own = min(top_of(goal, mean.size), mean.size - 1)
    tops = [min(top, own) for top in TOPS] if goal.aim is Aim.BALANCED else [own]
    rows = np.concatenate([top_rows(mean, covariance, top) for top in tops]) @ covariance
    top = rows.T @ rows / len(tops)
    order = covariance @ order_form(mean, covariance) @ covariance
    return np.stack([top, (1.0 - TOP_WEIGHT) * order + TOP_WEIGHT * top])


def _worthwhile(pairs: CandidatePairs, size: int) -> list[Ints]:
    """The pairs of the largest gains; all that may be asked where these are too few."""
    best = [_best(pairs.gain(of), KEPT * pairs.items) for of in (TOP, WHOLE)]
    enough = min(pairs_of.size for pairs_of in best) >= size
    return best if enough else [np.flatnonzero(pairs.orders < _BOTH)]


def _best(values: Floats, count: int) -> Ints:
    """Where the largest positive values are, so many or a few more where some are equal; ascending."""
    count = min(count, values.size)
    largest = float(values.max(initial=0.0))
    if count < 1 or largest <= 0.0:
        return np.zeros(0, dtype=np.int64)
    values = rounded(values / largest, SHARE_DECIMALS)
    least = np.partition(values, values.size - count)[values.size - count]
    return np.flatnonzero((values >= least) & (values > 0.0))


def _distant(pairs: CandidatePairs, mean: Floats, rng: np.random.Generator) -> Ints:
    """The pairs of the upper with the lower third of the order that were not asked, in random order."""
    rank, third = np.empty(mean.size, dtype=np.int64), mean.size // 3
    rank[np.lexsort((rng.random(mean.size), -mean))] = np.arange(mean.size)
    upper, lower = rank < third, rank >= mean.size - third
    apart = (upper[pairs.first] & lower[pairs.second]) | (lower[pairs.first] & upper[pairs.second])
    return rng.permutation(np.flatnonzero(apart & (pairs.orders == 0)))


def _between(form: Floats, first: Ints, second: Ints) -> Floats:
    """``d' F d`` of each pair for a symmetric F."""
    own = np.diagonal(form)
    values: Floats = own[first] + own[second] - 2.0 * form[first, second]
    return values


def _checked(mean: Floats, covariance: Floats, history: PairHistory) -> tuple[Floats, Floats]:
    mean, covariance = rounded(mean, STRENGTH_DECIMALS), np.asarray(covariance, dtype=np.float64)
    if mean.ndim != 1 or mean.size < 2 or covariance.shape != (mean.size, mean.size):
        raise ValueError(
            f"means of two items or more and their covariance are needed, not {mean.shape}, {covariance.shape}"
        )
    if history.items != mean.size:
        raise ValueError(f"the history is of {history.items} items, the means are of {mean.size}")
    if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
        raise ValueError("means and covariances must be finite numbers")
    return mean, covariance


_DOUBTFUL = 1e-4  # variance of belonging to the top from which an item counts
_FARTHEST = 40.0  # standard deviations from an item within which the threshold of a top is sought
_HALVINGS = 60


def information(lead: Floats, variance: Floats) -> Floats:
    """The share c by which an answer is expected to lower a variance: by ``c * variance**2``.

    ``k p (1 - p)`` for ``k = 1 / (1 + pi variance / 8)`` and p the chance of the first at ``sqrt(k) lead``: MacKay's
    approximation (1992) to the average over the difference, times what of it one answer uses up. 1/4 between equals
    whose difference is known; within a fifth of ``1 / (1 / average of p (1 - p) + variance)``.

    Args:
        lead: Expected differences in nats.
        variance: Their variances in square nats, of the same shape.
    """
    certainty = 1.0 / (1.0 + np.pi / 8.0 * variance)
    decay = np.exp(-np.abs(np.sqrt(certainty) * lead))
    fisher: Floats = certainty * decay / (1.0 + decay) ** 2
    return fisher


def pair_variances(form: Floats) -> Floats:
    """``d' F d`` for each pair of items and a symmetric F, at least a very little; shape (items, items)."""
    own = np.diagonal(form)
    values: Floats = np.maximum(own[:, np.newaxis] + own - 2.0 * form, _TINY)
    return values


def order_form(mean: Floats, covariance: Floats) -> Floats:
    """L of the expected share of pairs in the wrong order, shape (items, items): the Laplacian of a graph.

    The risk is the sum of ``p (1 - p)`` over pairs, p being the probability that one is the better; a pair's weight is
    the squared density of its difference at zero.

    Args:
        mean: Posterior means in nats, shape (items,).
        covariance: Posterior covariance, shape (items, items).
    """
    variance = pair_variances(covariance)
    lead = (mean[:, np.newaxis] - mean) / np.sqrt(variance)
    weight = _density(lead) ** 2 / variance
    np.fill_diagonal(weight, 0.0)
    share = _share(lead)
    risk = float((share * (1.0 - share)).sum() - mean.size / 4.0) / 2.0  # less the diagonal
    form: Floats = (np.diag(weight.sum(axis=1)) - weight) / max(risk, _TINY)
    return form


def top_rows(mean: Floats, covariance: Floats, top: int) -> Floats:
    """Rows F with ``F'F`` the L of the expected mistakes about who belongs to the top k; shape (doubtful items, items).

    The risk is the sum of ``q (1 - q)`` over items, q being the probability to lie above a threshold that k items are
    expected to exceed. An item's row says how its distance from the threshold moves, the threshold's move included.

    Args:
        mean: Posterior means in nats, shape (items,).
        covariance: Posterior covariance, shape (items, items).
        top: k, below the number of items.
    """
    deviation = np.sqrt(np.maximum(np.diagonal(covariance), _TINY))
    distance = (mean - _threshold(mean, deviation, top)) / deviation
    belongs = _share(distance)
    doubt = rounded(belongs * (1.0 - belongs), SHARE_DECIMALS)
    density = _density(distance) / deviation
    doubtful = np.flatnonzero(doubt > _DOUBTFUL)
    rows: Floats = -density[doubtful, np.newaxis] * (density / max(float(density.sum()), _TINY))
    rows[np.arange(doubtful.size), doubtful] += density[doubtful]
    rows /= np.sqrt(max(float(doubt.sum()), _TINY))
    return rows


def _threshold(mean: Floats, deviation: Floats, top: int) -> float:
    """The strength that so many items are expected to exceed, by bisection."""
    low = float((mean - _FARTHEST * deviation).min())
    high = float((mean + _FARTHEST * deviation).max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        exceed = float(_share((mean - middle) / deviation).sum())
        low, high = (middle, high) if exceed > top else (low, middle)
    return (low + high) / 2.0


def _density(at: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * at * at) / np.sqrt(2.0 * np.pi)
    return density


def _share(below: Floats) -> Floats:
    """Distribution function of the standard normal to .0003, by the usual approximation with a hyperbolic tangent."""
    share: Floats = 0.5 + 0.5 * np.tanh(np.sqrt(2.0 / np.pi) * (below + 0.044715 * below**3))
    return share
