"""How many items to put to a judge in one call: a pilot measures the noise of lists beside that of pairs.

Among near-equals a list of k carries k - H_k units of information on strengths, H_k the k-th harmonic number, where a
pair carries a half (the Fisher information of Plackett and Luce's stages, each a choice of one among those left). Noise
r times a pair's divides it by r squared. By that a list and as many texts in pairs would tell the same at
r = 2 sqrt(1 - H_k / k): 1.38 for a list of four, 1.68 for one of ten. Measured is more, since most lists are not among
near-equals, and one that is not still orders all its items: 1.7 and 2.2 (see ``ADAPTIVE``).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from paragone.domain.board import ListDecision
from paragone.pairing import groups, informative

PAIRS = 100
LISTS = 15
SIZES = (4, 10)
"""What a pilot asks where the budget allows it: so many pairs, and so many lists of each of these lengths."""
ITEMS = 30
"""Items that a pilot is about: fewer known well tell the noise of a judge, many known by two answers each do not."""
SHARE = 0.25
"""The part of the budget, in texts, that a pilot takes at the most."""
ADAPTIVE = 1.5
"""What a list tells relative to the formula, as measured: 150 items at five pairs' worth of texts each, by tau. Tau of
lists crosses that of pairs at a noise of 1.67 for lists of four and 2.2 for lists of ten; with this factor gains do at
1.69 and 2.06."""

_A_PAIR = 0.5
_APART, _BEFORE = 0.3, 0.4


@dataclass(frozen=True, kw_only=True, slots=True)
class Pilot:
    """What to ask before the length of lists is chosen.

    Attributes:
        pairs: (first, second) in the order of presentation.
        lists: The items of each list, in the order of presentation, the lengths taking turns.
    """

    pairs: tuple[tuple[int, int], ...]
    lists: tuple[groups.Group, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Noise:
    """How noisy lists of one length are: relative to pairs, with the standard error of the logarithm."""

    ratio: float
    log_error: float


def pilot(items: int, texts: int, *, rng: np.random.Generator) -> Pilot:
    """Pairs and lists at random over the same few items.

    Args:
        items: Number of items, at least three.
        texts: How many texts the whole budget shows; a pilot is made smaller where it would take more than a quarter.
        rng: Source of randomness.

    Raises:
        ValueError: If there are too few items.
    """
    if items < 3:
        raise ValueError(f"a pilot takes three items or more, not {items}")
    sizes = tuple(dict.fromkeys(min(size, items) for size in SIZES))
    chosen = rng.permutation(items)[:ITEMS]
    share = min(1.0, SHARE * texts / (2 * PAIRS + LISTS * sum(sizes)))
    pairs = _pairs(chosen.size, max(1, math.floor(share * PAIRS)), rng)
    count = max(1, math.floor(share * LISTS))
    turns = zip(*(_lists(chosen.size, size, count, rng) for size in sizes), strict=True)
    return Pilot(
        pairs=tuple((int(chosen[a]), int(chosen[b])) for a, b in pairs),
        lists=tuple(tuple(chosen[list(group)].tolist()) for turn in turns for group in turn),
    )


def _pairs(items: int, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Random rings one after the other, no pair twice in one order; fewer where there are no more."""
    count = min(count, items * (items - 1))
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < count:
        pairs.update(dict.fromkeys(informative.start(items, rng=rng)))
    return list(pairs)[:count]


def _lists(items: int, size: int, count: int, rng: np.random.Generator) -> tuple[groups.Group, ...]:
    lists: tuple[groups.Group, ...] = ()
    while len(lists) < count:
        lists += groups.start(items, size, rng=rng)
    return lists[:count]


def gain(size: int, noise: float, *, overhead: float = 0.0) -> float:
    """What a list tells for what it costs, relative to a pair: above 1 it is the better buy.

    Args:
        size: Length of the list; 2 is a pair, whose noise is 1.
        noise: Noise of its judgement relative to a pair's.
        overhead: What a call costs besides its texts, in texts; infinite where calls alone are counted.
    """
    # k - H_k, the information of a list; noise enters squared; and a pair carries a half.
    information = (size - math.fsum(1.0 / rank for rank in range(1, size + 1))) / noise**2 / _A_PAIR
    information *= ADAPTIVE if size >= min(SIZES) else 1.0  # shorter ones were not measured
    return information / cost(size, overhead=overhead)


def cost(size: int, *, overhead: float = 0.0) -> float:
    """What a list costs, relative to a pair; see ``gain``."""
    return 1.0 if math.isinf(overhead) else (overhead + size) / (overhead + 2.0)


def choose(noises: Mapping[int, Noise], *, overhead: float = 0.0) -> int:
    """The length of list that tells most for what it costs; 2 where pairs do. ``decide`` says why."""
    return decide(noises, overhead=overhead).size


def decide(noises: Mapping[int, Noise], *, overhead: float = 0.0) -> ListDecision:
    """The length of list that tells most for what it costs, beside pairs.

    A pilot measures roughly. So the logarithms of the noises are drawn together, as if those of all lengths scattered
    by 0.3 around a common one, and that one by 0.4 around no more noise than a pair's.

    Args:
        noises: Noise by length of the lists that were tried. Between these lengths, and between the shortest and a
            pair, its logarithm is taken to grow in proportion to that of the length.
        overhead: What a call costs besides its texts, in texts.
    """
    drawn = _drawn_together(noises)
    log_sizes = np.log([2, *drawn])
    logs = np.array([0.0, *drawn.values()])
    ratios = {
        size: math.exp(float(np.interp(math.log(size), log_sizes, logs)))
        for size in range(3, max(drawn, default=2) + 1)
    }
    if not ratios:
        return ListDecision(size=2)
    gains = {size: gain(size, ratio, overhead=overhead) for size, ratio in ratios.items()}
    best = max(gains, key=lambda size: (gains[size], -size))
    return ListDecision(
        size=best if gains[best] > gain(2, 1.0, overhead=overhead) else 2,
        best_list=best,
        noise=ratios[best],
        cost=cost(best, overhead=overhead),
        gain=gains[best],
    )


def _drawn_together(noises: Mapping[int, Noise]) -> dict[int, float]:
    """Logarithms of the noises, by length from the shortest, as they are likely to be."""
    logs = {size: math.log(noises[size].ratio) for size in sorted(noises)}
    weights = {size: 1.0 / (noises[size].log_error ** 2 + _APART**2) for size in logs}
    mean = sum(weights[size] * logs[size] for size in logs) / (sum(weights.values()) + _BEFORE**-2)
    # Partial pooling: each length is drawn to the common mean by its error beside the scatter between lengths.
    return {size: mean + _APART**2 * weights[size] * (logs[size] - mean) for size in logs}


def overhead_of(tokens: Mapping[int, float]) -> float:
    """What a call costs besides its texts, in texts, from the tokens that calls of several lengths took.

    Args:
        tokens: Mean tokens of a call by the number of its texts; 0 or fewer than two lengths tell nothing.

    Returns:
        0 where nothing is told.
    """
    if len(tokens) < 2 or not min(tokens.values()) > 0:
        return 0.0
    slope, base = np.polyfit(list(tokens), list(tokens.values()), 1)
    return max(0.0, float(base / slope)) if slope > 0 else math.inf
