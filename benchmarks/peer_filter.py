"""TrueSkill's model by one pass of Gaussian filtering, without a package, with the pairs of the best match quality.

Skills are normal with variance 1 and performances have the judge's own error; draws have a margin, as in ``peer_asap``.
Each answer moves its two items once, as TrueSkill does. In each round everybody meets once: the least known first, each
with the free opponent of the best quality among those it has met least often.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from contender import Answers, Floats, Pairs, Report, in_random_order
from peer_asap import PERFORMANCE_VARIANCE, PRIOR_VARIANCE, moments


def quality(mean: Floats, deviation: Floats, performance: float) -> Floats:
    """The match quality of all pairs; ``performance`` is the variance of the two performances together."""
    total = performance + deviation[:, np.newaxis] ** 2 + deviation**2
    return np.sqrt(performance / total) * np.exp(-((mean[:, np.newaxis] - mean) ** 2) / (2 * total))


def matched(value: Floats, deviation: Floats, wanted: int, rng: np.random.Generator) -> Pairs:
    """Each item in turn, the least known first, with the free one of the best value; shape (wanted, 2)."""
    free = np.ones(len(value), dtype=bool)
    chosen: list[tuple[int, int]] = []
    for item in np.lexsort((rng.random(deviation.size), -deviation)).tolist():
        if free[item] and len(chosen) < wanted:
            free[item] = False
            other = int(np.argmax(np.where(free, value[item], -np.inf)))
            free[other] = False
            chosen.append((item, other))
    return np.array(chosen)


def filtered_quality(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """Rounds in which everybody meets once, but for the odd one."""
    items, calls = judge.strength.size, 0
    mean, variance = np.zeros(items), np.full(items, PRIOR_VARIANCE)
    met = np.zeros((items, items), dtype=int)
    for budget in budgets:
        while calls < budget:
            wanted, deviation = min(budget - calls, items // 2), np.sqrt(variance)
            value = quality(mean, deviation, 2 * PERFORMANCE_VARIANCE) - met
            pairs = in_random_order(matched(value, deviation, wanted, rng), rng)
            first, second = pairs.T
            # Nobody is in two pairs of a round, so all its answers are taken in at once.
            total = np.sqrt(variance[first] + variance[second] + 2 * PERFORMANCE_VARIANCE)
            slope, bend = moments(mean[first] - mean[second], total, judge.answer(first, second))
            for item, sign in ((first, 1.0), (second, -1.0)):
                mean[item] += sign * variance[item] * slope
                variance[item] *= 1 - variance[item] * bend
            np.add.at(met, (pairs, pairs[:, ::-1]), 1)
            calls += len(pairs)
        yield Report(strength=mean.copy(), calls=calls)
