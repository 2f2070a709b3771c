"""The simulated judge that the benchmarks share, with the faults that real judges have.

It answers by Davidson's model: log-odds in proportion to the difference of two standard normal skills, 0.4 nats in
favour of the item shown first, ties for 10 % of random pairs. A noise of s is the standard deviation of the error that
each item's performance carries (Gumbel, so that differences are logistic): a skill of 1 is pi / (sqrt(6) s) nats, 2.565
at s = 0.5. That reading gives random pairs the figures that the published table has for them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.domain import Goal
from paragone.pairing.informative import next_batch
from paragone.pairing.presentation import PairHistory
from paragone.ratings import Evidence, FitOptions, fit
from paragone.ratings.posterior_draws import gaussian_draws
from paragone.tournaments.posterior import NO_SIGNAL

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LUCK, _PAIR, _ORDER = 0, 1, 3  # what a number that belongs to a pair is for; a normal one takes two


@dataclass(frozen=True, kw_only=True)
class Habits:
    """How a judge answers.

    Attributes:
        noise: Standard deviation of the error of each performance, in standard deviations of the skills.
        bias: Log-odds in favour of the item shown first, in nats.
        ties: Share of random pairs that tie.
        uniform: Whether ties fall on any pair alike; else by Davidson's model, on near ones.
        sticky: Whether the same pair in the same order is always answered the same.
        pair_effect: Standard deviation, in nats, of what a pair's log-odds differ by from the strengths' gap, the
            same in both orders: preferences that go round in circles.
        order_effect: Standard deviation, in nats, of what the bias differs by from pair to pair.
        failing: Share of calls that bring no answer.
        slope: How sharply it tells items apart: what the strengths' difference is multiplied by.
    """

    noise: float = 0.5
    bias: float = 0.4
    ties: float = 0.1
    uniform: bool = False
    sticky: bool = False
    pair_effect: float = 0.0
    order_effect: float = 0.0
    failing: float = 0.0
    slope: float = 1.0


class SimulatedJudge:
    """Answers 1, 0.5 or 0 for the item shown first, or NaN where the call fails.

    Args:
        items: How many items there are.
        rng: Source of the skills and of the answers.
        habits: How it answers.
        strength: Strengths in nats, for a second judge of the same items; by default they are drawn.
    """

    def __init__(
        self, items: int, rng: np.random.Generator, habits: Habits | None = None, strength: Floats | None = None
    ) -> None:
        self.habits = Habits() if habits is None else habits
        drawn = rng.standard_normal(items) * math.pi / math.sqrt(6) / self.habits.noise
        self.strength = drawn if strength is None else strength
        self.tie = 0.0 if self.habits.uniform else self._tie_parameter()
        self._rng = rng
        lasting = self.habits.sticky or self.habits.pair_effect or self.habits.order_effect
        self._seed = int(rng.integers(2**32)) if lasting else 0

    def answer(self, first: Ints, second: Ints) -> Floats:
        """The scores of the items shown first, shape (comparisons,)."""
        first, second, habits = np.asarray(first), np.asarray(second), self.habits
        odds = np.exp(self.log_odds(first, second) / 2)
        total = odds + self.tie + 1 / odds
        luck = self._lasting(first, second, _LUCK) if habits.sticky else self._rng.random(first.size)
        scores = np.where(luck * total < odds, 1.0, np.where(luck * total < odds + self.tie, 0.5, 0.0))
        if habits.uniform:
            scores[self._rng.random(first.size) < habits.ties] = 0.5
        if habits.failing:
            scores[self._rng.random(first.size) < habits.failing] = np.nan
        return scores

    def log_odds(self, first: Ints, second: Ints) -> Floats:
        """Of the item shown first over the other, in nats, shape (comparisons,)."""
        habits = self.habits
        result = habits.slope * (self.strength[first] - self.strength[second]) + habits.bias
        low, high = np.minimum(first, second), np.maximum(first, second)
        if habits.pair_effect:
            result = result + habits.pair_effect * self._normal(low, high, _PAIR) * np.where(first < second, 1.0, -1.0)
        if habits.order_effect:
            result = result + habits.order_effect * self._normal(low, high, _ORDER)
        return result

    def _tie_parameter(self) -> float:
        """The parameter at which the share of random pairs would tie, by bisection."""
        gaps = np.subtract.outer(self.strength, self.strength)[np.triu_indices(self.strength.size, 1)]
        gaps = self.habits.slope * gaps + self.habits.bias
        low, high = 1e-6, 100.0
        for _ in range(60):
            middle = math.sqrt(low * high)
            share = np.mean(middle / (middle + 2 * np.cosh(gaps / 2)))
            low, high = (middle, high) if share < self.habits.ties else (low, middle)
        return low

    def _lasting(self, a: Ints, b: Ints, purpose: int) -> Floats:
        """A uniform number that belongs to the ordered pair, without a table of all pairs (SplitMix64)."""
        mixed = (a * self.strength.size + b).astype(np.uint64) * np.uint64(8) + np.uint64(purpose)
        mixed ^= np.uint64(self._seed) << np.uint64(31)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
        return (mixed >> np.uint64(11)).astype(np.float64) / 2**53

    def _normal(self, a: Ints, b: Ints, purpose: int) -> Floats:
        """A standard normal number that belongs to the pair (Box-Muller)."""
        radius = np.sqrt(-2 * np.log1p(-self._lasting(a, b, purpose)))
        return radius * np.cos(2 * math.pi * self._lasting(a, b, purpose + 1))


def play(
    judge: SimulatedJudge,
    multiples: tuple[int, ...],
    rng: np.random.Generator,
    *,
    goal: Goal | None = None,
    sample: int = 200,
) -> Iterator[Evidence]:
    """A tournament by informative pairing: the evidence once there are so many calls an item, failed ones included."""
    items = judge.strength.size
    asked, shown, scores, found = PairHistory(items), [], [], None
    mean, posterior = np.zeros(items), rng.standard_normal((2, items))
    evidence = Evidence.from_arrays(items, [], [], [])
    for limit in (multiple * items for multiple in sorted(multiples)):
        while len(scores) < limit:
            batch = next_batch(mean, posterior, asked, goal or Goal(), rng=rng)[: limit - len(scores)]
            if not batch:
                break
            answers = judge.answer(*np.array(batch).T)
            for pair in (pair for pair, answer in zip(batch, answers, strict=True) if not math.isnan(answer)):
                asked.add(*pair)
            shown += batch
            scores += answers.tolist()
            table, known = np.array(shown), ~np.isnan(scores)
            evidence = Evidence.from_arrays(items, *table[known].T, np.array(scores)[known])
            found = fit(evidence, FitOptions(no_signal=NO_SIGNAL), start=found)
            mean, posterior = found.strength, gaussian_draws(found, sample, rng)
        yield evidence
