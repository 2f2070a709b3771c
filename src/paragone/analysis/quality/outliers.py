"""Results that the rest of the evidence finds improbable, and judges who contradict themselves.

How likely a match's outcome was is asked of the posterior *without that match*: with it, a result would speak for
itself. Leaving one out needs no new fit, the draws are weighted instead.

Among a thousand matches between unequals several are improbable at one in a hundred by luck alone. So the list says how
many of its kind luck makes; and each outlier has its ``q_value``, the share of lucky ones among all as surprising as it
is (Benjamini and Hochberg). One match is a single answer: only where the two are far apart can it be called wrong by
itself.

Source: A. E. Gelfand, D. K. Dey, H. Chang (1992), "Model determination using predictive distributions", for leaving one
out by weights; Y. Benjamini, Y. Hochberg (1995), "Controlling the false discovery rate".
"""

import math

import numpy as np

from paragone.analysis.quality.contests import Bools, FittedContests, Floats, Ints
from paragone.wire.consistency import BothOrders, Outlier, Outliers

_MOST_LISTED = 20
"""Contradicted pairs that are listed."""
IMPROBABLE = 0.01
"""P-value up to which a result is listed."""


def chances(prediction: FittedContests) -> Floats:
    """Probability of a win of ``a``, a draw and a loss by all evidence but the match itself, shape (3, matches).

    Args:
        prediction: What the posterior says of the matches.
    """
    score = prediction.contests.score
    weight, ends = np.zeros(score.size), np.zeros((3, score.size))
    for win, draw in prediction.ends_by_draw():
        drawn = np.stack([win, draw, np.maximum(1.0 - win - draw, 0.0)])
        # A draw from the posterior counts for 1 / P(result | draw): that divides the match's own likelihood out again,
        # so that the weighted draws are those of the posterior without it. The bound keeps one draw from outweighing
        # all.
        without = 1.0 / np.maximum(_observed(drawn, score), 1e-12)
        weight += without
        ends += drawn * without
    chance: Floats = ends / weight
    return chance


def chance_of_result(prediction: FittedContests, ends: Floats | None = None) -> Floats:
    """Probability of what happened in each match by all evidence but the match itself, shape (matches,).

    This is the chance of a result wherever one is shown.

    Args:
        prediction: What the posterior says of the matches.
        ends: ``chances(prediction)``, if it is there already.
    """
    return _observed(chances(prediction) if ends is None else ends, prediction.contests.score)


def outliers(prediction: FittedContests, ends: Floats | None = None) -> Outliers:
    """The matches whose outcome the other evidence finds improbable, the most improbable first.

    Args:
        prediction: What the posterior says of the matches.
        ends: ``chances(prediction)``, if it is there already.
    """
    contests = prediction.contests
    if not len(contests):
        return Outliers(listed=(), improbable=IMPROBABLE, expected=0.0)
    ends = chances(prediction) if ends is None else ends
    # for each end of each match, the probability of it or of one that is less likely
    as_unlikely = np.stack([np.where(ends <= end * (1 + 1e-9), ends, 0.0).sum(axis=0) for end in ends])
    chance, p_value = _observed(ends, contests.score), np.minimum(_observed(as_unlikely, contests.score), 1.0)
    q_value = false_shares(p_value)
    improbable_matches = sorted(
        np.flatnonzero(p_value <= IMPROBABLE).tolist(), key=lambda match: (p_value[match], match)
    )
    listed = tuple(
        Outlier(
            match=contests.matches[match],
            a=contests.items[contests.a[match]],
            b=contests.items[contests.b[match]],
            winner=_winner(prediction, match),
            chance=float(chance[match]),
            p_value=float(p_value[match]),
            q_value=float(q_value[match]),
        )
        for match in improbable_matches
    )
    return Outliers(listed=listed, improbable=IMPROBABLE, expected=float(ends[as_unlikely <= IMPROBABLE].sum()))


def _observed(of_ends: Floats, score: Floats) -> Floats:
    """Of the values for a win, a draw and a loss, the one of what happened; shape (matches,)."""
    observed: Floats = np.where(score == 1.0, of_ends[0], np.where(score == 0.0, of_ends[2], of_ends[1]))
    return observed


def false_shares(p_values: Floats) -> Floats:
    """Benjamini and Hochberg's adjusted p-values: the share of false ones among all as improbable; shape (tests,).

    Args:
        p_values: Of all tests, shape (tests,).
    """
    order = np.argsort(p_values, kind="stable")
    # p n / rank, made monotone from the largest p down.
    scaled = p_values[order] * p_values.size / np.arange(1, p_values.size + 1)
    shares = np.empty(p_values.size)
    shares[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return shares


def both_orders(prediction: FittedContests) -> BothOrders:
    """How answers about the same pair in both orders agree, beside how they would by noise and position bias alone.

    Args:
        prediction: What the fit says of the answers.
    """
    answers, items = prediction.answers, len(prediction.contests.items)
    low, high = np.minimum(answers.first, answers.second), np.maximum(answers.first, answers.second)
    keys, pair = np.unique(low * items + high, return_inverse=True)
    straight = answers.first == low
    answered = [np.bincount(pair, which, minlength=keys.size) > 0 for which in (straight, ~straight)]
    for_low, for_high = (np.zeros(keys.size, dtype=np.bool_) for _ in range(2))
    for_low[pair[np.where(straight, answers.choice == 1.0, answers.choice == 0.0)]] = True
    for_high[pair[np.where(straight, answers.choice == 0.0, answers.choice == 1.0)]] = True
    in_both = answered[0] & answered[1]
    contradicted = np.flatnonzero(in_both & for_low & for_high)
    chance = _contradiction(prediction, pair, straight, keys.size)[in_both]
    pair_ids = [
        (prediction.contests.items[key // items], prediction.contests.items[key % items]) for key in keys[contradicted]
    ]
    return BothOrders(
        pairs=int(in_both.sum()),
        contradicted=contradicted.size,
        expected=float(chance.sum()),
        p_value=_as_many(contradicted.size, chance) if in_both.any() else None,
        listed=tuple(pair_ids[:_MOST_LISTED]),
    )


def _contradiction(prediction: FittedContests, pair: Ints, straight: Bools, pairs: int) -> Floats:
    """Probability that a pair's answers contradict each other: one at least for either side; shape (pairs,)."""
    first, tie = prediction.answers.probabilities(prediction.strength)
    second = np.maximum(1.0 - first - tie, 0.0)
    for_low, for_high = np.where(straight, first, second), np.where(straight, second, first)
    none_for_high, none_for_low, ties = (np.ones(pairs) for _ in range(3))
    np.multiply.at(none_for_high, pair, 1.0 - for_high)
    np.multiply.at(none_for_low, pair, 1.0 - for_low)
    np.multiply.at(ties, pair, tie)
    chance: Floats = np.clip(1.0 - none_for_high - none_for_low + ties, 0.0, 1.0)
    return chance


def _as_many(observed: int, chance: Floats) -> float:
    """Probability that so many or more happen, of independent ones: normal, corrected for being whole."""
    from scipy.special import ndtr

    spread = math.sqrt(float((chance * (1 - chance)).sum()))
    if spread == 0.0:
        return 1.0 if observed <= chance.sum() + 1e-9 else 0.0
    return float(ndtr((float(chance.sum()) - observed + 0.5) / spread))


def _winner(prediction: FittedContests, match: int) -> str | None:
    contests = prediction.contests
    sides = {1.0: contests.a[match], 0.0: contests.b[match]}
    side = sides.get(float(contests.score[match]))
    return None if side is None else contests.items[side]
