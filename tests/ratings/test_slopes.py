"""A slope for each judge of a panel: found again, weighed by, and absent where there is one judge."""

from dataclasses import replace

import numpy as np
import pytest

from paragone.ratings import Evidence, FitOptions, fit
from paragone.ratings.bradley_terry import given_signal
from paragone.ratings.inference import panel as panel_module
from paragone.ratings.inference.panel import MOST_JOINT, _constrained_root, _determinant_slope, _determinant_slopes


def panel(slopes, *, items=20, answers=300, seed=0, bias=0.3):
    """Truth and evidence: every judge is asked the same random pairs."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=items) * 2
    truth -= truth.mean()
    first = rng.integers(items, size=answers)
    second = (first + rng.integers(1, items, size=answers)) % items
    odds = np.multiply.outer(slopes, truth[first] - truth[second]) + bias
    scores = (rng.random(odds.shape) < 1 / (1 + np.exp(-odds))).astype(float)
    arrays = np.tile(first, len(slopes)), np.tile(second, len(slopes)), scores.ravel()
    judge = np.repeat(np.arange(len(slopes)), answers)
    return truth, arrays, {"judge": judge, "judges": [f"judge {at}" for at in range(len(slopes))]}


def evidence_of(arrays, named, items=20, order=slice(None)):
    first, second, score = (array[order] for array in arrays)
    return Evidence.from_arrays(items, first, second, score, judge=named["judge"][order], judges=named["judges"])


def agreement(found, truth):
    """Share of pairs in the right order, less those in the wrong one."""
    upper = np.triu_indices(truth.size, 1)
    return np.mean(np.sign(np.subtract.outer(found, found)[upper]) * np.sign(np.subtract.outer(truth, truth)[upper]))


@pytest.mark.parametrize("seed", range(3))
def test_slopes_are_found_again_within_their_intervals(seed):
    slopes = np.array([1.6, 0.8, 0.4])
    truth, arrays, named = panel(slopes, seed=seed, answers=500)
    found = fit(evidence_of(arrays, named))
    middle = np.exp(np.log(slopes).mean())
    assert found.slope.prod() == pytest.approx(1)
    off = np.log(found.slope) - np.log(slopes / middle)
    assert (np.abs(off) < 3 * found.slope_se).all()
    assert (found.slope_se < 0.2).all()
    assert np.mean(np.abs(found.strength - truth * middle) < 1.96 * found.standard_error) >= 0.85


def test_two_good_judges_among_seven_outweigh_the_majority():
    slopes = np.array([1.0, 1.0, 0.1, 0.1, 0.1, 0.1, 0.1])
    wins = []
    for seed in range(4):
        truth, arrays, named = panel(slopes, answers=120, seed=seed)
        votes = arrays[2].reshape(len(slopes), -1).mean(axis=0) > 0.5
        majority = fit(Evidence.from_arrays(20, arrays[0][:120], arrays[1][:120], votes.astype(float)))
        evidence = evidence_of(arrays, named)
        weighed, alike = fit(evidence), fit(evidence, FitOptions(slope=False))
        taus = [agreement(found.strength, truth) for found in (weighed, alike, majority)]
        wins.append(taus)
    weighed, alike, majority = np.mean(wins, axis=0)
    assert weighed > alike + 0.03
    assert weighed > majority + 0.05


def test_one_judge_has_no_slope_and_its_fit_is_the_same_without():
    _, arrays, named = panel([1.0])
    evidence = evidence_of(arrays, named)
    found, plain = fit(evidence), fit(evidence, FitOptions(slope=False))
    assert found.slope.tolist() == [1.0]
    assert found.slope_se.tolist() == [0.0]
    assert found.strength.tolist() == plain.strength.tolist()
    assert found.standard_error.tolist() == plain.standard_error.tolist()


def test_a_judge_that_was_not_heard_has_no_slope():
    _, arrays, named = panel([1.0, 0.5])
    both = fit(evidence_of(arrays, named))
    with_a_third = fit(evidence_of(arrays, named | {"judges": [*named["judges"], "silent"]}))
    assert with_a_third.slope == pytest.approx([*both.slope, 1.0])
    assert with_a_third.slope_se[2] == 0.0
    assert with_a_third.strength == pytest.approx(both.strength)


def test_neither_the_order_of_answers_nor_of_judges_matters():
    _, arrays, named = panel([1.5, 1.0, 0.3])
    found = fit(evidence_of(arrays, named))
    shuffled = np.random.default_rng(1).permutation(named["judge"].size)
    turned = {"judge": 2 - named["judge"], "judges": named["judges"][::-1]}
    again = fit(evidence_of(arrays, turned, order=shuffled))
    assert again.slope[::-1] == pytest.approx(found.slope, abs=1e-3)
    assert again.strength == pytest.approx(found.strength, abs=1e-3)


def test_a_fit_that_starts_from_another_comes_to_the_same():
    _, arrays, named = panel([1.5, 1.0, 0.3])
    evidence = evidence_of(arrays, named)
    cold = fit(evidence)
    part = fit(evidence_of(arrays, named, order=slice(0, None, 2)))
    warm = fit(evidence, start=part)
    assert warm.slope == pytest.approx(cold.slope, rel=1e-4)
    assert warm.strength == pytest.approx(cold.strength, abs=1e-3)


def test_of_many_judges_the_dull_are_told_from_the_sharp():
    slopes = np.where(np.arange(MOST_JOINT + 4) % 2, 0.2, 1.5)
    _, arrays, named = panel(slopes, answers=60)
    found = fit(evidence_of(arrays, named))
    assert found.slope.prod() == pytest.approx(1)
    assert np.median(found.slope[slopes > 1]) > 3 * np.median(found.slope[slopes < 1])


def test_a_judge_whose_probabilities_go_too_far_has_a_high_slope():
    """Two judges of the same strengths: one says the log-odds, one says twice them; both scatter by 0.2 nats."""
    rng = np.random.default_rng(2)
    truth = rng.normal(size=12)
    first = rng.integers(12, size=200)
    second = (first + rng.integers(1, 12, size=200)) % 12
    judge = np.repeat([0, 1], 100)
    odds = (truth[first] - truth[second]) * np.array([1.0, 2.0])[judge] + rng.normal(size=200) * 0.2
    score = 1 / (1 + np.exp(-odds))
    found = fit(Evidence.from_arrays(12, first, second, score, judge=judge, judges=("plain", "loud")))
    assert found.slope[1] / found.slope[0] == pytest.approx(2.0, rel=0.1)
    assert (found.dispersion < 0.1).all()


def test_orderings_have_the_slope_of_their_judge():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=12) * 2
    first = rng.integers(12, size=400)
    second = (first + rng.integers(1, 12, size=400)) % 12
    score = (rng.random(400) < 1 / (1 + np.exp(truth[second] - truth[first]))).astype(float)
    lists = [rng.choice(12, size=5, replace=False) for _ in range(80)]
    noisy = [sorted(items, key=lambda item: -truth[item] / 2 - rng.gumbel()) for items in lists]
    found = fit(
        Evidence.from_arrays(
            12, first, second, score, judges=("pairs", "lists"), rankings=noisy, ranking_judge=np.ones(80, int)
        )
    )
    assert np.log(found.slope[1] / found.slope[0]) == pytest.approx(np.log(0.5), abs=3 * 2 * found.slope_se[1])
    assert found.slope[1] < 0.85


@pytest.mark.parametrize("judges", [2, 3, 7])
def test_answers_that_seem_to_say_less_than_nothing_leave_the_prior(judges):
    """Far from the optimum the curvature of the evidence may be negative; the root is then the prior's alone."""
    turned = np.random.default_rng(0).standard_normal((judges, judges))
    bend = np.diag(np.linspace(-5.0, -0.1, judges)) - turned @ turned.T
    scale = _constrained_root(bend, np.ones(judges, bool), 1.5)
    assert np.linalg.eigvalsh(scale @ scale.T)[1:] == pytest.approx(np.full(judges - 1, 1.5**2))
    assert scale.sum(axis=0) == pytest.approx(np.zeros(judges - 1), abs=1e-12)


def test_all_judges_at_once_bend_the_curvature_as_each_does_alone(monkeypatch):
    """Votes, ties, soft verdicts, a judge without a position term and one that was not heard."""
    rng = np.random.default_rng(4)
    first = rng.integers(6, size=90)
    second = (first + rng.integers(1, 6, size=90)) % 6
    judge, score = rng.integers(4, size=90), rng.choice([0.0, 0.5, 1.0], size=90, p=[0.3, 0.2, 0.5])
    score[judge == 2] = rng.random(np.count_nonzero(judge == 2))
    judges = ("one", "two", "soft", "four", "silent")
    evidence = Evidence.from_arrays(6, first, second, score, judge=judge, judges=judges)
    _, climb = given_signal(evidence, FitOptions(position=frozenset(judges[1:])))
    model, optimum = climb.ascent.model, climb.optimum
    moves = rng.normal(size=(5, model.dimension)) * [[1.0], [1.0], [1.0], [1.0], [0.0]]
    plain = [_determinant_slope(model, climb.hyper, optimum, move, at) for at, move in enumerate(moves)]
    assert len(set(np.round(plain[:4], 3))) == 4
    for at_once in (2**13, 50):
        monkeypatch.setattr(panel_module, "_AT_ONCE", at_once)
        slopes = _determinant_slopes(model, climb.hyper, optimum, moves)
        assert slopes == pytest.approx(plain, abs=1e-8)
    # the plain way itself: the logarithm of the determinant further on, less that before
    step = 1e-4
    slope = model.slope * np.exp(step * (np.arange(5) == 1))
    ahead = replace(model, slope=slope).entries(optimum.theta + step * moves[1], climb.hyper)
    further = climb.ascent.pattern.curvature(ahead).log_determinant() - optimum.curvature.log_determinant()
    assert plain[1] == pytest.approx(further / step, abs=1e-2)


def test_two_judges_of_opposite_minds_with_position_terms_are_fitted():
    """What the second says against the first is more than the first says: the evidence bends the wrong way."""
    first, second = np.array([0, 1, 0, 1, 2, 3] * 2), np.array([1, 2, 2, 3, 3, 0] * 2)
    score, judge = np.repeat([1.0, 0.0], 6), np.repeat([0, 1], 6)
    found = fit(Evidence.from_arrays(4, first, second, score, judge=judge, judges=("one", "other")))
    assert found.converged
    assert np.isfinite(found.slope_se).all()
    assert (found.slope_se > 0).all()
