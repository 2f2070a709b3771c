"""What a way of ranking looks like to a benchmark of what a judge's calls buy.

A contender is given a judge, of whom it knows the answers alone, and budgets of calls; at each budget it reports what
it would rank by. All are scored in the same way.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paragone.domain import Aim, Goal
from paragone.pairing.forecast import forecast

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

TOP_TEN = Goal(aim=Aim.TOP, k=10)
FIGURES = ("tau", "recall", "winner")


class Answers(Protocol):
    """A judge: 1, 0.5 or 0 for the item shown first, for each of the comparisons."""

    @property
    def strength(self) -> Floats:
        """The truth in nats, shape (items,); contenders look at its size alone."""
        ...

    def answer(self, first: Pairs, second: Pairs) -> Floats: ...


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a contender would rank by when a budget is spent.

    Attributes:
        strength: Higher is better, shape (items,); equal values share the places they tie for.
        calls: Judge calls made so far.
        told: What else it says: forecasts, an outlook, the position term.
    """

    strength: Floats
    calls: int
    told: dict[str, Any] = field(default_factory=dict)


class Contender(Protocol):
    """A way of choosing comparisons and of ranking by their answers."""

    def __call__(self, judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]: ...


def score(strength: Floats, truth: Floats) -> dict[str, float]:
    """Kendall's tau, recall of the true top ten, and whether the true best is on top; ties share what they tie for."""
    against = forecast(strength, truth[np.newaxis], TOP_TEN)  # one draw, which is the truth
    return {"tau": against.tau, "recall": against.recall, "winner": against.p_best}


def in_random_order(pairs: Pairs, rng: np.random.Generator) -> Pairs:
    """Who is shown first, by the coin: for contenders that do not mind the order. Shape (pairs, 2)."""
    turned = rng.random(len(pairs)) < 0.5
    return np.where(turned[:, np.newaxis], pairs[:, ::-1], pairs)


def random_pairs(items: int, count: int, rng: np.random.Generator) -> Pairs:
    """Independent pairs of different items, each pair equally likely, in random order; shape (count, 2)."""
    first = rng.integers(items, size=count)
    return np.stack([first, (first + rng.integers(1, items, size=count)) % items], axis=1)
