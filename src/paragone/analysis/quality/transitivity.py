"""Whether results are transitive: A beat B and B beat C, so did A beat C? And how often noise alone says no (T13).

One pair beats the other where it won more of their matches. A triple is decided where all three pairs are. A judge that
is right three times in four makes a good many circles among near-equals, and nothing is wrong with it; so the number
found stands beside the numbers that the fit's own noise makes, drawn from its posterior.
"""

from dataclasses import dataclass

import numpy as np

from paragone.analysis.quality.contests import Bools, Contests, Floats, Ints, Pairs, Prediction

MOST_WEDGES = 1_000_000
"""Up to this many ways to choose two neighbours of an item, all triples are looked at; of more, a sample."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Transitivity:
    """How transitive results are.

    Attributes:
        triples: Decided triples that were looked at.
        circular: Of these, those that go round in a circle.
        exact: Whether these are all triples, or a sample of them.
        expected: Circles that noise alone makes among them, on average; None without a fit.
        expected_low: Lower end of the 95 % interval of that.
        expected_high: Upper end.
        p_value: How often noise alone makes as many or more.
    """

    triples: int
    circular: int
    exact: bool
    expected: float | None = None
    expected_low: float | None = None
    expected_high: float | None = None
    p_value: float | None = None

    @property
    def share(self) -> float | None:
        """Share of decided triples that are transitive; None where there are none."""
        return 1.0 - self.circular / self.triples if self.triples else None


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Triples:
    """Triples of items of whom all pairs met; pairs are named by their index.

    Attributes:
        low_middle: The pair of the first and the second by index, shape (triples,).
        middle_high: Of the second and the third.
        low_high: Of the first and the third.
        exact: Whether these are all, or drawn evenly from all, with replacement.
    """

    low_middle: Ints
    middle_high: Ints
    low_high: Ints
    exact: bool

    def decided(self, net: Floats) -> Bools:
        """Which have a winner in every pair, by the pairs' nets."""
        decided: Bools = (net[self.low_middle] != 0) & (net[self.middle_high] != 0) & (net[self.low_high] != 0)
        return decided

    def circular(self, net: Floats) -> Bools:
        """Which go round in a circle."""
        sign = np.sign(net)
        one, two, across = sign[self.low_middle], sign[self.middle_high], sign[self.low_high]
        circles: Bools = (one != 0) & (one == two) & (across == -one)
        return circles


def triples(pairs: Pairs, items: int, rng: np.random.Generator, *, most: int = MOST_WEDGES) -> Triples:
    """Triples of whom all pairs met: all of them, or a sample where they are too many to look at.

    Args:
        pairs: The pairs that met.
        items: How many items there are.
        rng: Draws the sample.
        most: Pairs of neighbours that are looked at.
    """
    count = pairs.low.size
    degree = np.bincount(np.concatenate([pairs.low, pairs.high]), minlength=items)
    # from the item that met fewer to the one that met more: no item then has many to choose two from
    turned = (degree[pairs.low] > degree[pairs.high]) | (
        (degree[pairs.low] == degree[pairs.high]) & (pairs.low > pairs.high)
    )
    tail, head = np.where(turned, pairs.high, pairs.low), np.where(turned, pairs.low, pairs.high)
    order = np.argsort(tail, kind="stable")
    fan = np.bincount(tail, minlength=items)
    starts, wedges = np.cumsum(fan) - fan, fan * (fan - 1) // 2
    total = int(wedges.sum())
    chosen = np.arange(total) if total <= most else np.sort(rng.integers(total, size=most))
    ends = np.cumsum(wedges)
    at = np.searchsorted(ends, chosen, side="right")
    left, right = _two_of(chosen - (ends[at] - wedges[at]) if total else chosen)
    one, other = order[starts[at] + left], order[starts[at] + right]
    low, high = np.minimum(head[one], head[other]), np.maximum(head[one], head[other])
    keys, wanted = pairs.low * items + pairs.high, low * items + high
    third = np.searchsorted(keys, wanted)
    closed = third < count
    closed[closed] = keys[third[closed]] == wanted[closed]
    return _sorted_sides(one[closed], other[closed], third[closed], exact=total <= most)


def transitivity(
    contests: Contests,
    rng: np.random.Generator,
    prediction: Prediction | None = None,
    *,
    most: int = MOST_WEDGES,
) -> Transitivity:
    """How transitive results are, and how transitive noise alone would leave them.

    Args:
        contests: The matches.
        rng: Draws the sample of triples, and the matches that noise makes.
        prediction: What a fit says of the same matches; without it nothing is expected.
        most: Pairs of neighbours that are looked at.
    """
    pairs = Pairs.met(contests)
    found = triples(pairs, len(contests.items), rng, most=most)
    decided, circular = int(found.decided(pairs.net).sum()), int(found.circular(pairs.net).sum())
    if prediction is None or decided == 0:
        return Transitivity(triples=decided, circular=circular, exact=found.exact)
    replayed = np.array([_circles(prediction, pairs, found, strength, rng) for strength in prediction.few_draws()])
    scaled = replayed[:, 0] * decided / np.maximum(replayed[:, 1], 1)
    low, high = np.quantile(scaled, [0.025, 0.975])
    return Transitivity(
        triples=decided,
        circular=circular,
        exact=found.exact,
        expected=float(scaled.mean()),
        expected_low=float(low),
        expected_high=float(high),
        p_value=(1 + int((scaled >= circular).sum())) / (1 + len(scaled)),
    )


def _circles(
    prediction: Prediction, pairs: Pairs, found: Triples, strength: Floats, rng: np.random.Generator
) -> tuple[int, int]:
    """Circular and decided triples, had the same matches been played once more."""
    win, draw = prediction.ends(strength)
    luck = rng.random(win.size)
    score = np.where(luck < win, 1.0, np.where(luck < win + draw, 0.5, 0.0))
    net = pairs.nets(prediction.contests, score)
    return int(found.circular(net).sum()), int(found.decided(net).sum())


def _two_of(number: Ints) -> tuple[Ints, Ints]:
    """The two places, the lower first, of each number in the list (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    higher = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    higher -= higher * (higher - 1) // 2 > number
    higher += (higher + 1) * higher // 2 <= number
    return number - higher * (higher - 1) // 2, higher


def _sorted_sides(one: Ints, other: Ints, third: Ints, *, exact: bool) -> Triples:
    """Triples from their three pairs in any order: pairs are numbered by their lower item and then by the higher."""
    sides = np.sort(np.stack([one, other, third]), axis=0)
    # of i < j < k the pairs (i, j), (i, k), (j, k) stand in this order
    return Triples(low_middle=sides[0], low_high=sides[1], middle_high=sides[2], exact=exact)
