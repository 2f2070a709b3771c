"""An ASAP-style baseline: the comparisons of the highest expected information gain over all pairs.

After every batch the Gaussian posterior of TrueSkill's model is found anew over all comparisons by expectation
propagation; the gain of a pair is the expected Kullback-Leibler divergence that its answer would bring to its items; a
batch is the spanning tree of least total 1 / gain. Draws have a margin of their own. All pairs are looked at, so time
and memory grow with the square of the items.

Source: A. Mikhailiuk, C. Wilmot, M. Perez-Ortiz, D. Yue, R. K. Mantiuk (2020), "Active Sampling for Pairwise
Comparisons via Approximate Message Passing and Information Gain Maximization", ICPR.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from contender import Answers, Floats, Pairs, Report, in_random_order
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.special import log_ndtr, ndtr

PRIOR_VARIANCE, PERFORMANCE_VARIANCE = 1.0, 0.25  # the judge's own ratio at noise 0.5
MARGIN = 0.2  # of a draw, in the difference of two performances: a tenth of random pairs
_DAMPING, _SWEEPS, _SETTLED = 0.6, 200, 1e-4


class Posterior:
    """Independent Gaussian skills, by expectation propagation over all comparisons."""

    def __init__(self, items: int) -> None:
        self.mean, self.variance = np.zeros(items), np.full(items, PRIOR_VARIANCE)
        self._pairs, self._scores = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
        self._precision, self._shift = np.zeros((0, 2)), np.zeros((0, 2))  # what each comparison says of its two items

    def add(self, pairs: Pairs, scores: Floats) -> None:
        """Take in comparisons, and sweep until nothing moves."""
        self._pairs = np.concatenate([self._pairs, pairs])
        self._scores = np.concatenate([self._scores, scores])
        self._precision = np.concatenate([self._precision, np.zeros((len(pairs), 2))])
        self._shift = np.concatenate([self._shift, np.zeros((len(pairs), 2))])
        for _ in range(_SWEEPS):
            before = np.stack([self.mean, self.variance])
            self._sweep()
            if np.abs(np.stack([self.mean, self.variance]) - before).max() < _SETTLED:
                return

    def _sweep(self) -> None:
        precision = 1 / self.variance[self._pairs] - self._precision
        shift = self.mean[self._pairs] / self.variance[self._pairs] - self._shift
        variance, mean = 1 / precision, shift / precision  # of both items without this comparison
        total = variance.sum(axis=1) + 2 * PERFORMANCE_VARIANCE
        slope, bend = moments(mean[:, 0] - mean[:, 1], np.sqrt(total), self._scores)
        sign = np.array([1.0, -1.0])
        shrink = 1 - variance * bend[:, np.newaxis]
        told = 1 / (variance * shrink) - precision
        told_shift = (mean + variance * slope[:, np.newaxis] * sign) / (variance * shrink) - shift
        self._precision += _DAMPING * (told - self._precision)
        self._shift += _DAMPING * (told_shift - self._shift)
        self._collect()

    def _collect(self) -> None:
        items, places = self.mean.size, self._pairs.ravel()
        precision = 1 / PRIOR_VARIANCE + np.bincount(places, self._precision.ravel(), items)
        self.variance = 1 / precision
        self.mean = np.bincount(places, self._shift.ravel(), items) / precision


def moments(difference: Floats, deviation: Floats, scores: Floats | float) -> tuple[Floats, Floats]:
    """First derivative and negative second derivative, in the difference, of the log chance of these scores."""
    high, low = (MARGIN - difference) / deviation, (-MARGIN - difference) / deviation
    drawn = ndtr(high) - ndtr(low)
    drawn = np.maximum(drawn, 1e-300)
    win, loss = _ratio(-high), _ratio(low)
    draw = (_density(low) - _density(high)) / drawn
    draw_bend = draw**2 + (high * _density(high) - low * _density(low)) / drawn
    slope = np.where(scores == 0.5, draw, np.where(scores == 1.0, win, -loss))
    bend = np.where(scores == 0.5, draw_bend, np.where(scores == 1.0, win * (win - high), loss * (loss + low)))
    return slope / deviation, bend / deviation**2


def _density(at: Floats) -> Floats:
    density: Floats = np.exp(-(at**2) / 2) / math.sqrt(2 * math.pi)
    return density


def _ratio(at: Floats) -> Floats:
    """Density over distribution of the standard normal, without underflow."""
    ratio: Floats = np.exp(-(at**2) / 2 - log_ndtr(at)) / math.sqrt(2 * math.pi)
    return ratio


def gains(mean: Floats, variance: Floats) -> Floats:
    """Expected information gain of every pair, in nats, shape (items, items)."""
    difference = mean[:, np.newaxis] - mean
    deviation = np.sqrt(variance[:, np.newaxis] + variance + 2 * PERFORMANCE_VARIANCE)
    loss, upto_draw = ndtr((-MARGIN - difference) / deviation), ndtr((MARGIN - difference) / deviation)
    gain = np.zeros_like(difference)
    for score, chance in ((1.0, 1 - upto_draw), (0.5, upto_draw - loss), (0.0, loss)):
        slope, bend = moments(difference, deviation, score)
        for own in (variance[:, np.newaxis], variance[np.newaxis]):
            left = 1 - own * bend  # the share of the variance that the answer would leave
            gain += chance * (left - 1 - np.log(left) + own * slope**2) / 2
    return gain


def asap(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """A spanning tree of comparisons at a time; ranks by the posterior mean."""
    posterior, calls = Posterior(judge.strength.size), 0
    for budget in budgets:
        while calls < budget:
            cost = 1 / gains(posterior.mean, posterior.variance)
            cost *= 1 + 1e-6 * rng.random(cost.shape)  # equal gains in random order
            tree = minimum_spanning_tree(np.triu(cost, 1)).tocoo()
            edges = np.stack([tree.row, tree.col], axis=1)[np.argsort(tree.data)]
            pairs = in_random_order(edges[: budget - calls], rng)
            posterior.add(pairs, judge.answer(pairs[:, 0], pairs[:, 1]))
            calls += len(pairs)
        yield Report(strength=posterior.mean.copy(), calls=calls)
