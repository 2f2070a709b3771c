"""The sequential test of a mean score: worked by hand, against a plain twin, and its errors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.sequential_test import capital, fixed_sample, least_questions, look, stakes
from paragone.domain import PairedDesign, PairedVerdict
from paragone.errors import InvalidConfig

DESIGN = PairedDesign()
scores_of_pairs = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60).map(np.array)


def plain_capital(scores, design, mean, side):
    """The capital question by question, as the definition has it."""
    path, logarithm = [], 0.0
    for at, score in enumerate(scores):
        seen = [0.5] * 5 + list(scores[:at])
        middle = sum(seen) / len(seen)
        spread = (5 * 0.15 + sum((each - middle) ** 2 for each in seen)) / len(seen)
        stake = design.margin / (max(spread, 1e-3) + design.margin**2)
        stake = min(stake, math.sqrt(2 * math.log(2 / design.alpha) / (max(spread, 1e-3) * (at + 1))))
        stake = min(stake, 0.9 / (mean if side > 0 else 1 - mean))
        logarithm += math.log(1 + side * stake * (score - mean))
        path.append(logarithm)
    return path


@given(scores_of_pairs, st.floats(0.05, 0.95), st.sampled_from([1, -1]))
def test_the_capital_is_that_of_the_plain_definition(scores, mean, side):
    fast = capital(scores, stakes(scores, DESIGN), mean, side=side)
    assert fast == pytest.approx(plain_capital(scores.tolist(), DESIGN, mean, side), abs=1e-8)


def test_the_first_stakes_by_hand():
    # No score seen: variance .15, so .1 / (.15 + .01). After a win: mean (5 * .5 + 1) / 6 = .58333, squares
    # (5 * .4 + 1) / 6 = .5, variance .5 - .34028 = .15972.
    assert stakes(np.array([1.0, 0.0]), DESIGN) == pytest.approx([0.1 / 0.16, 0.1 / (0.5 - (3.5 / 6) ** 2 + 0.01)])


@given(st.integers(0, 12))
def test_a_supposed_mean_that_is_true_brings_no_gain_on_average(wins):
    """The expected capital over all 2^n sequences of fair coins is exactly 1: what the error rates rest on."""
    size = wins % 6 + 1
    sequences = [np.array([float(bits >> at & 1) for at in range(size)]) for bits in range(2**size)]
    for side in (1, -1):
        ends = [math.exp(capital(scores, stakes(scores, DESIGN), 0.5, side=side)[-1]) for scores in sequences]
        assert sum(ends) / len(ends) == pytest.approx(1.0, abs=1e-6)


@given(scores_of_pairs)
def test_verdict_interval_and_evidence_say_the_same_and_mirror_each_other(scores):
    now, mirrored = look(scores, DESIGN), look(1.0 - scores, DESIGN)
    assert now.low <= now.high
    assert (now.low, now.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-6)
    assert (now.p_better, now.p_worse) == pytest.approx((mirrored.p_worse, mirrored.p_better))
    assert (now.p_better <= 0.025 + 1e-9) == (now.low >= 0.5 - 1e-6)
    opposite = {PairedVerdict.BETTER: PairedVerdict.WORSE, PairedVerdict.WORSE: PairedVerdict.BETTER}
    assert mirrored.verdict is opposite.get(now.verdict, now.verdict)


@given(scores_of_pairs)
def test_a_verdict_stands_whatever_comes_after_it(scores):
    now = look(scores, DESIGN)
    if now.settled_after is not None:
        early = look(scores[: now.settled_after], DESIGN)
        assert (early.verdict, early.settled_after) == (now.verdict, now.settled_after)
        assert look(scores[: now.settled_after - 1], DESIGN).verdict is PairedVerdict.OPEN


def test_an_unbroken_run_of_wins_settles_it_as_soon_as_anything_can():
    least = least_questions(DESIGN)
    assert look(np.ones(least), DESIGN).verdict is PairedVerdict.BETTER
    assert look(np.ones(least - 1), DESIGN).verdict is PairedVerdict.OPEN
    assert look(np.zeros(least), DESIGN).verdict is PairedVerdict.WORSE


def test_nothing_is_known_without_a_score():
    empty = look(np.zeros(0), DESIGN)
    assert (empty.verdict, empty.estimate, empty.low, empty.high) == (PairedVerdict.OPEN, None, 0.0, 1.0)


def test_ties_alone_are_no_difference():
    now = look(np.full(200, 0.5), DESIGN)
    assert now.verdict is PairedVerdict.SAME
    assert now.low > 0.4
    assert now.high < 0.6


def test_the_fixed_sample_by_the_textbook():
    # (1.959964 + 1.644854)^2 * .25 / .01 = 324.9
    assert fixed_sample(0.25, DESIGN) == 325
    # (1.959964 + 0.841621)^2 * .25 / .0025 = 784.9
    assert fixed_sample(0.25, PairedDesign(power=0.8, margin=0.05)) == 785


def test_what_a_fixed_sample_would_take_is_planned_for_the_margin():
    # (5 * .15 + 15 * .25) / 20 - .01 = .215, and 12.995 * .215 / .01 = 279.4; around a mean of 1 there is no variance.
    assert look(np.ones(15), DESIGN).fixed_questions == 280


@pytest.mark.parametrize(("mean", "wrong"), [(0.5, ("better", "worse")), (0.6, ("worse", PairedVerdict.SAME.value))])
def test_errors_keep_their_bounds_at_all_looks_together(mean, wrong):
    rng, runs = np.random.default_rng(20), 200
    verdicts = []
    for _ in range(runs):
        draws = (rng.random((2, 400)) < mean).mean(axis=0)
        verdicts.append(look(draws, DESIGN).verdict.value)
    bound = 0.05
    # Three standard errors above the bound would happen once in a thousand seeds at the bound itself.
    share = sum(verdict in wrong for verdict in verdicts) / runs
    assert share < bound + 3 * math.sqrt(bound * (1 - bound) / runs)
    assert sum(verdict == PairedVerdict.OPEN.value for verdict in verdicts) < runs / 50


@pytest.mark.parametrize(
    "wrong",
    [{"alpha": 0.0}, {"alpha": math.nan}, {"power": 1.0}, {"margin": 0.5}, {"block": 0}, {"new": "old"}],
)
def test_a_test_that_cannot_be_is_refused(wrong):
    with pytest.raises(InvalidConfig, match=next(iter(wrong)) if "new" not in wrong else "names that differ"):
        PairedDesign(**wrong)
