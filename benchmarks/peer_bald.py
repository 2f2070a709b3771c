"""BALD: the pairs whose answers are expected to tell most of all strengths, by the whole covariance of our fit.

Batches of a quarter of the items, each pair chosen as if those before it had been answered; the fit is made anew after
each, and every answer is known before the next is planned. A pair may be asked again in a later batch.

Source: N. Houlsby, F. Huszar, Z. Ghahramani, M. Lengyel (2011), "Bayesian Active Learning for Classification and
Preference Learning".
"""

from collections.abc import Iterator, Sequence

import numpy as np
from contender import Answers, Floats, Pairs, Report, in_random_order
from contender_paragone import Answered, report

from paragone.pairing.informative import start


def bald(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """Two random matchings, and then batches of the largest gain."""
    items, answered, calls = judge.strength.size, Answered(judge), 0
    for budget in budgets:
        while calls < budget:
            if calls:
                found = answered.fit()
                mode = found.mode or found
                pairs = _batch(mode.strength, mode.covariance, min(max(12, items // 4), budget - calls))
                pairs = in_random_order(pairs, rng)
            else:
                pairs = np.array(start(items, rng=rng))[:budget]
            answered.ask(pairs)
            calls += len(pairs)
        yield report(answered.fit(), calls, budgets, rng)


def _batch(mean: Floats, covariance: Floats | None, size: int) -> Pairs:
    if covariance is None:
        raise ValueError("the fit of so many items has no covariance")
    covariance, chosen = covariance.copy(), []
    taken = np.eye(mean.size, dtype=bool)
    for _ in range(size):
        own = np.diagonal(covariance)
        variance = own[:, np.newaxis] + own - 2 * covariance
        known = 1 / (1 + np.pi * variance / 8)
        decay = np.exp(-np.abs(np.sqrt(known) * (mean[:, np.newaxis] - mean)))
        told = known * decay / (1 + decay) ** 2
        gain = np.where(taken, -1.0, -np.log1p(-told * variance))
        first, second = np.unravel_index(int(np.argmax(gain)), gain.shape)
        along = covariance[:, first] - covariance[:, second]
        covariance -= told[first, second] * np.outer(along, along)
        taken[first, second] = taken[second, first] = True
        chosen.append((first, second))
    return np.array(chosen)
