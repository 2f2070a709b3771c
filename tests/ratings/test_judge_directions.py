"""In which direction judges answer."""

import itertools

import numpy as np
import pytest
from scipy.special import expit

from paragone.ratings import Evidence, fit
from paragone.ratings.judge_directions import direction_odds, directions

ITEMS = 20


def panel(inverted, *, seed, votes=200, judges=5):
    """Judges of slope 1 or -1, each asked random pairs; the truth and the evidence."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 2, ITEMS)
    judge = np.arange(votes) % judges
    a = rng.integers(ITEMS, size=votes)
    b = (a + rng.integers(1, ITEMS, size=votes)) % ITEMS
    odds = np.where(judge < inverted, -1.0, 1.0) * (truth[a] - truth[b]) + 0.4
    won = (rng.random(votes) < expit(odds)) * 1.0
    score = np.where(rng.random(votes) < 0.1, 0.5, won)
    evidence = Evidence.from_arrays(ITEMS, a, b, score, judge=judge, judges=[f"judge {n}" for n in range(judges)])
    return truth, evidence


def known(truth, count):
    """Pairs (better, worse) that share no item."""
    pairs = np.random.default_rng(count).permutation(truth.size)[: 2 * count].reshape(-1, 2).tolist()
    return [(a, b) if truth[a] > truth[b] else (b, a) for a, b in pairs]


def tau(a, b):
    pairs = list(itertools.combinations(range(len(a)), 2))
    return sum(np.sign((a[i] - a[j]) * (b[i] - b[j])) for i, j in pairs) / len(pairs)


def test_judges_that_agree_are_taken_at_their_word():
    _, evidence = panel(0, seed=1)
    found = directions(evidence, positioned=evidence.judges)
    assert found.identified
    assert found.mirrored == 0.0
    assert found.turned(evidence) is evidence


def test_one_contrary_judge_of_five_is_turned_round():
    truth, evidence = panel(1, seed=2)
    found = directions(evidence, positioned=evidence.judges)
    assert found.sign.tolist() == [-1, 1, 1, 1, 1]
    assert (found.agreed, found.opposed, found.identified) == (4, 1, True)
    assert tau(fit(found.turned(evidence)).strength, truth) > 0.7


@pytest.mark.parametrize("seed", range(4))
def test_without_gold_a_majority_of_inverted_judges_cannot_be_told_from_its_mirror_image(seed):
    truth, evidence = panel(3, seed=seed)
    found = directions(evidence, positioned=evidence.judges)
    assert not found.identified
    # With 3 against 2 and a Beta(1, 5) of inverted judges: B(3, 8) against B(4, 7), which is 7 to 3.
    split = found.agreed - found.opposed
    assert found.mirrored == pytest.approx({1: 0.3, 0: 0.45}[split])
    assert tau(fit(found.turned(evidence)).strength, truth) < -0.5


@pytest.mark.parametrize("inverted", [2, 3, 4])
def test_ten_gold_pairs_tell_who_is_right(inverted, deep):
    """Of each number of judges who answer the wrong way round two panels, four with --deep."""
    for seed in range(4 if deep else 2):
        truth, evidence = panel(inverted, seed=seed)
        found = directions(evidence, known(truth, 10), positioned=evidence.judges)
        assert found.identified
        assert found.sign.tolist() == [-1] * inverted + [1] * (5 - inverted)
        assert tau(fit(found.turned(evidence)).strength, truth) > 0.6


def test_a_judge_alone_is_turned_round_by_gold():
    truth, evidence = panel(1, seed=3, votes=80, judges=1)
    found = directions(evidence, known(truth, 8))
    assert found.sign.tolist() == [-1]
    assert directions(evidence).sign.tolist() == [1]


def test_judges_that_guess_are_not_taken_for_wrong():
    rng = np.random.default_rng(5)
    for seed in range(6):
        _, evidence = panel(0, seed=seed)
        guessed = np.where(evidence.judge > 1, rng.integers(2, size=len(evidence)), evidence.score)
        mixed = Evidence.from_arrays(
            ITEMS, evidence.first, evidence.second, guessed, judge=evidence.judge, judges=evidence.judges
        )
        assert (directions(mixed, positioned=mixed.judges).sign == 1).all()


def test_the_odds_of_a_majority():
    # B(1 + down, 5 + up): one of five inverted is B(2, 9) = 1 / 90 against B(5, 6) = 1 / 1260.
    assert direction_odds(np.array([2.0, 2, 2, 2, -2])) == pytest.approx(np.log(14))
    assert direction_odds(np.array([2.0, -2, 0.5])) == 0.0


def test_turning_twice_changes_nothing():
    _, evidence = panel(3, seed=0)
    found = directions(evidence, positioned=evidence.judges)
    twice = found.turned(found.turned(evidence))
    assert np.array_equal(twice.score, evidence.score)


def test_lists_are_read_from_the_end():
    rankings = [[0, 1, 2], [3, 1]]
    votes = panel(1, seed=2)[1]
    evidence = Evidence.from_arrays(
        ITEMS,
        votes.first,
        votes.second,
        votes.score,
        judge=votes.judge,
        judges=votes.judges,
        rankings=rankings,
        ranking_judge=[0, 1],
    )
    turned = directions(evidence, positioned=evidence.judges).turned(evidence)
    assert turned.rankings.tolist() == [[2, 1, 0], [3, 1, -1]]


def test_renaming_items_turns_nothing():
    truth, evidence = panel(3, seed=1)
    order = np.random.default_rng(0).permutation(ITEMS)
    moved = Evidence.from_arrays(
        ITEMS,
        order[evidence.first],
        order[evidence.second],
        evidence.score,
        judge=evidence.judge,
        judges=evidence.judges,
    )
    gold = known(truth, 6)
    there = [(int(order[a]), int(order[b])) for a, b in gold]
    here = directions(evidence, gold, positioned=evidence.judges)
    away = directions(moved, there, positioned=evidence.judges)
    assert here.sign.tolist() == away.sign.tolist()
    assert here.mirrored == pytest.approx(away.mirrored, abs=1e-3)


def test_gold_that_fixes_all_strengths_leaves_no_doubt():
    _, evidence = panel(0, seed=6, votes=60, judges=1)
    won = evidence.score == 1.0
    same = list(zip(evidence.first[won].tolist(), evidence.second[won].tolist(), strict=True))
    assert directions(evidence, same).identified
    against = directions(evidence, [(b, a) for a, b in same])
    assert against.sign.tolist() == [-1]
    assert against.identified
