"""What answers to the same pair have in common: sticky judges, preferences in circles, and nothing of either."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.ratings import Evidence, FitOptions, draws, fit
from paragone.ratings.fit_types import Repeats
from paragone.ratings.inference.repeats import discounted

REPEATS = FitOptions(repeats=True)
ITEMS = 20


def all_pairs(*, effect=0.0, times=1, sticky=False, seed=0, share=1.0):
    """Truth and evidence: random pairs in both orders, so many times; a bias of 0.4 nats towards the first."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=ITEMS) * 1.5
    truth -= truth.mean()
    a, b = np.triu_indices(ITEMS, 1)
    chosen = rng.random(a.size) < share
    a, b = a[chosen], b[chosen]
    odds = truth[a] - truth[b] + effect * rng.normal(size=a.size)
    both = np.concatenate([odds, -odds]) + 0.4
    luck = rng.random((1 if sticky else times, both.size)) * np.ones((times, 1))
    score = (luck < 1 / (1 + np.exp(-both))).astype(float).ravel()
    first, second = np.tile(np.concatenate([a, b]), times), np.tile(np.concatenate([b, a]), times)
    return truth, Evidence.from_arrays(ITEMS, first, second, score)


def covered(found, truth):
    return np.mean(np.abs(found.strength - truth) < 1.96 * found.standard_error)


def test_where_nothing_is_asked_twice_nothing_changes():
    _, evidence = all_pairs()
    once = evidence.first < evidence.second
    evidence = Evidence.from_arrays(ITEMS, evidence.first[once], evidence.second[once], evidence.score[once])
    found, plain = fit(evidence, REPEATS), fit(evidence)
    assert found.repeats == Repeats()
    assert found.strength.tolist() == plain.strength.tolist()
    assert found.standard_error.tolist() == plain.standard_error.tolist()
    assert found.evidence is evidence


def test_pair_effects_are_found_and_intervals_hold_again():
    effects, with_them, without = [], [], []
    for seed in range(6):
        truth, evidence = all_pairs(effect=1.5, seed=seed)
        found = fit(evidence, REPEATS)
        effects.append(found.repeats.pair_effect)
        with_them.append(covered(found, truth))
        without.append(covered(fit(evidence), truth))
        assert found.repeats.pairs == ITEMS * (ITEMS - 1) // 2
    assert np.mean(effects) == pytest.approx(1.4, abs=0.25)
    assert np.mean(without) < 0.8
    assert np.mean(with_them) > 0.88


def test_a_transitive_judge_pays_little():
    found = [fit(all_pairs(seed=seed)[1], REPEATS) for seed in range(4)]
    plain = [fit(all_pairs(seed=seed)[1]) for seed in range(4)]
    assert max(one.repeats.stretch for one in found) < 1.1
    widths = [one.standard_error.mean() / other.standard_error.mean() for one, other in zip(found, plain, strict=True)]
    assert np.mean(widths) < 1.08


def test_a_sticky_judges_repeats_are_no_evidence():
    _, once = all_pairs(share=0.3)
    _, often = all_pairs(share=0.3, times=5, sticky=True)
    one, five, taken_for_new = fit(once, REPEATS), fit(often, REPEATS), fit(often)
    assert five.repeats.stickiness > 0.9
    assert five.evidence.weight.sum() < 1.2 * len(once)
    assert taken_for_new.standard_error.mean() < 0.75 * one.standard_error.mean()
    assert five.standard_error.mean() == pytest.approx(one.standard_error.mean(), rel=0.15)
    assert five.strength == pytest.approx(one.strength, abs=0.5)


def test_repeats_of_a_judge_that_decides_anew_count_in_full():
    _, evidence = all_pairs(share=0.3, times=5)
    found = fit(evidence, REPEATS)
    assert found.repeats.stickiness < 0.05
    assert found.evidence.weight.sum() > 0.7 * len(evidence)


def test_one_pair_asked_a_thousand_times_is_not_sticky():
    score = np.repeat([1.0, 0.0], [700, 300])
    evidence = Evidence.from_arrays(2, np.zeros(1000, int), np.ones(1000, int), score)
    found = fit(evidence, FitOptions(repeats=True, position=False))
    assert found.repeats.stickiness < 0.01
    assert found.strength[0] - found.strength[1] == pytest.approx(np.log(7 / 3), abs=0.02)


def test_a_weight_is_no_repeat():
    _, evidence = all_pairs(share=0.3)
    once = evidence.first < evidence.second
    columns = evidence.first[once], evidence.second[once], evidence.score[once]
    heavy = Evidence.from_arrays(ITEMS, *columns, weight=np.full(once.sum(), 5.0))
    assert fit(heavy, REPEATS).repeats == Repeats()


def test_answers_to_a_pair_weigh_what_their_correlation_leaves():
    """Three of one order at 0.5 weigh 1 / (1 + 2 * 0.5) each, 1.5 together; then 0.2 across the two orders."""
    evidence = Evidence.from_arrays(3, [0, 0, 0, 1, 2], [1, 1, 1, 0, 1], [1.0, 1.0, 0.0, 0.0, 1.0])
    weights = discounted(evidence, Repeats(stickiness=0.5, across=0.2), np.ones(5, bool)).weight
    assert weights == pytest.approx([*[0.5 / 1.2] * 3, 1 / 1.3, 1.0])


def test_soft_verdicts_and_other_judges_are_left_as_they_are():
    evidence = Evidence.from_arrays(2, [0, 1, 0], [1, 0, 1], [0.7, 0.4, 1.0], judge=[0, 0, 1], judges=("a", "b"))
    assert discounted(evidence, Repeats(stickiness=1.0, across=1.0), np.ones(3, bool)).weight.tolist() == [
        1.0,
        1.0,
        1.0,
    ]


@given(st.integers(0, 2**32 - 1), st.floats(0, 1), st.floats(0, 1))
def test_nothing_ever_weighs_more_and_a_pair_never_less_than_one_answer(seed, sticky, across):
    rng = np.random.default_rng(seed)
    first = rng.integers(4, size=30)
    evidence = Evidence.from_arrays(4, first, (first + rng.integers(1, 4, size=30)) % 4, rng.integers(2, size=30) * 1.0)
    weight = discounted(evidence, Repeats(stickiness=sticky, across=across), np.ones(30, bool)).weight
    assert (weight <= 1).all()
    low, high = np.minimum(evidence.first, evidence.second), np.maximum(evidence.first, evidence.second)
    assert (np.bincount(low * 4 + high, weights=weight)[np.unique(low * 4 + high)] >= 1 - 1e-9).all()


def test_the_order_of_answers_changes_nothing_but_rounding():
    _, evidence = all_pairs(effect=1.0, share=0.5)
    turned = {
        column.name: getattr(evidence, column.name)[::-1]
        for column in dataclasses.fields(evidence)
        if column.name in ("first", "second", "score", "tie", "soft", "weight", "judge")
    }
    found, again = fit(evidence, REPEATS), fit(dataclasses.replace(evidence, **turned), REPEATS)
    assert again.strength == pytest.approx(found.strength, abs=1e-7)
    assert again.repeats.pair_effect == pytest.approx(found.repeats.pair_effect, abs=1e-7)


def test_draws_and_covariance_are_stretched_alike():
    _, evidence = all_pairs(effect=1.5)
    found = fit(evidence, REPEATS)
    sample = draws(found, 2000, np.random.default_rng(0))
    # The posterior tails off outwards, so that its mean lies a little beyond its mode.
    assert sample.mean(axis=0) @ found.strength == pytest.approx(found.strength @ found.strength, rel=0.12)
    assert sample.std(axis=0) == pytest.approx(found.standard_error, rel=0.2)
    assert np.sqrt(np.diagonal(found.covariance)) == pytest.approx(found.standard_error)


def test_a_large_fit_finds_the_same_as_a_small_one():
    truth, evidence = all_pairs(effect=1.5)
    dense, sparse = (fit(evidence, FitOptions(repeats=True, dense_limit=limit)) for limit in (1500, 0))
    assert sparse.covariance is None
    assert sparse.repeats.pair_effect == pytest.approx(dense.repeats.pair_effect, abs=0.1)
    assert sparse.strength == pytest.approx(dense.strength, abs=0.15)
    assert covered(sparse, truth) > 0.8
