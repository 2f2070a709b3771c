"""A sequential test of a mean score against one half, whose errors hold however often one looks.

Scores of questions lie in [0, 1]. For each mean ``m`` that is supposed, two gamblers bet against it: one wins where
scores exceed ``m``, the other where they fall short. If the supposed mean is true, their capital is a
supermartingale, so it ever reaches ``1 / a`` with probability ``a`` at the most (Ville's inequality). A mean is
refuted once a capital does. Nothing is supposed of the scores' distribution but their bounds and that a question's
score, given those before, has the same mean.

The stake is predictable: it looks at earlier scores alone. It is that which grows capital fastest if the true mean is
off by the margin, which makes the test Wald's sequential probability ratio test where scores are 0 or 1; after as
many questions as that needs, it falls with the root of their number, so that the interval goes on narrowing.

Source: I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting, J. R. Stat. Soc. B 86
(2024), 1-27, sections 4.1 to 4.3; A. Wald, Sequential tests of statistical hypotheses, Ann. Math. Stat. 16 (1945),
117-186.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from paragone.domain.paired_comparison import PairedDesign, PairedLook, PairedVerdict
from paragone.domain.rounding import SHARE_DECIMALS, rounded

Floats = NDArray[np.float64]

EVEN = 0.5
_PRIOR_VARIANCE = 0.15
"""Variance of scores before any is seen: that of a judge who is of one mind in six questions out of ten."""
_PRIOR_QUESTIONS = 5
_LEAST_VARIANCE = 1e-3
_MOST_LOST = 0.9
"""Share of the capital that a gambler may lose in one question."""
_BISECTIONS = 40


def look(scores: Floats, design: PairedDesign) -> PairedLook:
    """What the test says of the scores so far.

    Args:
        scores: Score of the new system on each question, in the order of their drawing, shape (questions,).
        design: The test.
    """
    if not scores.size:
        return PairedLook()
    bets = stakes(scores, design)
    better, worse = (capital(scores, bets, EVEN, side=side) for side in (1, -1))
    verdict, after = settled(scores, design)
    low, high = (_bound(scores, bets, design.alpha, side=side) for side in (1, -1))
    return PairedLook(
        verdict=verdict,
        settled_after=after,
        estimate=float(rounded(scores.mean(), SHARE_DECIMALS)),
        low=low,
        high=high,
        p_better=_p_value(better),
        p_worse=_p_value(worse),
        fixed_questions=fixed_sample(_variance_at_margin(scores, design), design),
    )


def stakes(scores: Floats, design: PairedDesign) -> Floats:
    """The stake on each question, from the scores before it, shape (questions,)."""
    before = np.arange(scores.size)
    counted = before + _PRIOR_QUESTIONS
    total, squares = (np.concatenate([[0.0], np.cumsum(values)[:-1]]) for values in (scores, scores**2))
    mean = (total + _PRIOR_QUESTIONS * EVEN) / counted
    variance = (squares + _PRIOR_QUESTIONS * (_PRIOR_VARIANCE + EVEN**2)) / counted - mean**2
    variance = np.maximum(variance, _LEAST_VARIANCE)
    narrowing = np.sqrt(2 * math.log(2 / design.alpha) / (variance * (before + 1)))
    bets: Floats = np.minimum(design.margin / (variance + design.margin**2), narrowing)
    return bets


def capital(scores: Floats, bets: Floats, mean: float, *, side: int) -> Floats:
    """Logarithm of the capital after each question of who bets against a mean, shape (questions,).

    Args:
        scores: The scores.
        bets: The stakes.
        mean: The mean that is supposed.
        side: 1 to win where scores exceed it, -1 where they fall short.
    """
    worst = mean if side > 0 else 1.0 - mean
    stake = np.minimum(bets, _MOST_LOST / max(worst, 1e-12))
    return rounded(np.cumsum(np.log1p(side * stake * (scores - mean))), SHARE_DECIMALS)


def fixed_sample(variance: float, design: PairedDesign) -> int:
    """Questions of the fixed-sample test with the same alpha and power at the margin.

    Args:
        variance: Variance of a question's score.
        design: The test.
    """
    errors = ndtri(1 - design.alpha / 2) + ndtri(design.power)
    return max(2, math.ceil(float(rounded(errors**2 * variance / design.margin**2, SHARE_DECIMALS))))


def _variance_at_margin(scores: Floats, design: PairedDesign) -> float:
    """Variance of scores if the true mean is off by the margin: what a fixed sample would be planned for.

    Their spread around one half is kept. The variance around their own mean would be none where one side wins all.
    """
    spread = _PRIOR_QUESTIONS * _PRIOR_VARIANCE + float(((scores - EVEN) ** 2).sum())
    return max(spread / (_PRIOR_QUESTIONS + scores.size) - design.margin**2, _LEAST_VARIANCE)


def least_questions(design: PairedDesign) -> int:
    """Questions without which nothing is settled even if the new system wins them all."""
    count, after = 64, None
    while after is None:
        _, after = settled(np.ones(count), design)
        count *= 2
    return after


def least_further(scores: Floats, design: PairedDesign, most: int = 64) -> int:
    """Questions after these without which nothing is settled, even if one side wins them all.

    Args:
        scores: The scores so far, by which nothing is settled.
        design: The test.
        most: The answer at the most.
    """
    wins, losses = (np.concatenate([scores, np.full(most, end)]) for end in (1.0, 0.0))
    (better, above), (worse, below) = (
        _reached(all_scores, design, side) for all_scores, side in ((wins, 1), (losses, -1))
    )
    return int(min(better, worse, max(above, below), scores.size + most)) - scores.size


def settled(scores: Floats, design: PairedDesign) -> tuple[PairedVerdict, int | None]:
    """The first of the verdicts that is reached, and after how many questions; None if none is."""
    (better, above), (worse, below) = (_reached(scores, design, side) for side in (1, -1))
    reached = (
        (better, PairedVerdict.BETTER),
        (worse, PairedVerdict.WORSE),
        (max(above, below), PairedVerdict.SAME),
    )
    after, verdict = min(reached, key=lambda each: each[0])
    return (PairedVerdict.OPEN, None) if math.isinf(after) else (verdict, int(after))


def _reached(scores: Floats, design: PairedDesign, side: int) -> tuple[float, float]:
    """After how many questions one half is refuted from a side, and the margin on the other side of it."""
    bets = stakes(scores, design)
    even = capital(scores, bets, EVEN, side=side)
    margin = capital(scores, bets, EVEN - side * design.margin, side=side)
    return _first(even, math.log(2 / design.alpha)), _first(margin, math.log(1 / (1 - design.power)))


def _first(path: Floats, threshold: float) -> float:
    """After how many questions a path reaches a threshold; infinity if it never does."""
    reached = path >= round(threshold, SHARE_DECIMALS)
    return float(reached.argmax() + 1) if reached.any() else math.inf


def _bound(scores: Floats, bets: Floats, alpha: float, *, side: int) -> float:
    """The end of the interval on one side: the last mean that was ever refuted from there, by bisection."""
    threshold = math.log(2 / alpha)
    refuted, open_ = (0.0, 1.0) if side > 0 else (1.0, 0.0)
    for _ in range(_BISECTIONS):
        mean = (refuted + open_) / 2
        if math.isinf(_first(capital(scores, bets, mean, side=side), threshold)):
            open_ = mean
        else:
            refuted = mean
    return float(rounded(refuted, SHARE_DECIMALS))


def _p_value(path: Floats) -> float:
    return float(rounded(min(1.0, math.exp(-float(path.max()))), SHARE_DECIMALS))
