"""A panel on the same questions."""

import numpy as np
import pytest
from scipy.special import expit

from paragone.ratings import Evidence
from paragone.ratings.question_panel import QuestionPanel, by_agreement, consensus, worth_asking

QUESTIONS, JUDGES = 200, 24


def panel(seed, *, inverted=14):
    """Judges that see the truth and share a lure in different measure, on pairs that share no item."""
    rng = np.random.default_rng(seed)
    right = rng.choice([-1.0, 1.0], QUESTIONS)
    truth = right * np.abs(rng.normal(0.9, 0.6, QUESTIONS))
    lure = -0.35 * right + rng.normal(0, 0.9, QUESTIONS)
    skill = np.append(rng.uniform(0, 0.35, inverted), rng.uniform(0.5, 1.6, JUDGES - inverted))
    taste = np.append(rng.uniform(0.6, 1.6, inverted), rng.uniform(0.1, 0.6, JUDGES - inverted))
    odds = 2 * (truth[:, None] * skill + lure[:, None] * taste)
    votes = rng.random(odds.shape) < expit(odds)
    question, judge = np.indices(votes.shape).reshape(2, -1)
    evidence = Evidence.from_arrays(
        2 * QUESTIONS,
        2 * question,
        2 * question + 1,
        votes.ravel() * 1.0,
        judge=judge,
        judges=[f"judge {number}" for number in range(JUDGES)],
    )
    gold = [(2 * at, 2 * at + 1) if side > 0 else (2 * at + 1, 2 * at) for at, side in enumerate(right.tolist())]
    return evidence, gold, right


def accuracy(found, right):
    rest = np.setdiff1d(np.arange(QUESTIONS), found.gold)
    return float((np.sign(found.probability - 0.5) == right)[rest].mean())


def test_gold_pairs_beat_the_agreement_of_judges_that_are_wrong_together():
    scores = []
    for seed in range(6):
        evidence, gold, right = panel(seed)
        asked = QuestionPanel.of(evidence)
        chosen = np.random.default_rng(seed).permutation(QUESTIONS)[:20]
        weighed = consensus(asked, [gold[at] for at in chosen])
        scores.append((accuracy(consensus(asked), right), accuracy(weighed, right), weighed.expected_accuracy))
    agreed, weighed, expected = np.mean(scores, axis=0)
    assert weighed > 0.75 > agreed + 0.05
    assert expected == pytest.approx(weighed, abs=0.08)


def test_too_few_judges_or_questions_are_no_panel():
    evidence, _, _ = panel(0)
    few = evidence.judge < 7
    assert QuestionPanel.of(_part(evidence, few)) is None
    assert QuestionPanel.of(_part(evidence, evidence.first < 40)) is None
    assert QuestionPanel.of(_part(evidence, evidence.judge < 8)) is not None


def test_a_judge_that_answered_little_does_not_belong_to_it():
    evidence, _, _ = panel(0)
    rare = _part(evidence, (evidence.judge != 3) | (evidence.first < 100))
    assert 3 not in QuestionPanel.of(rare).members.tolist()


def test_the_plane_of_the_factors_is_that_of_the_singular_vectors():
    evidence, _, _ = panel(1)
    found = QuestionPanel.of(evidence)
    left = np.linalg.svd(found.votes)[0][:, :2]
    plane = found.factors @ np.linalg.pinv(found.factors)
    assert np.allclose(plane, left @ left.T)
    assert np.allclose((found.factors**2).mean(axis=0), 1)


def test_which_item_of_a_pair_comes_first_changes_nothing():
    evidence, gold, _ = panel(2)
    turned = np.random.default_rng(0).random(len(evidence)) < 0.5
    other = Evidence.from_arrays(
        evidence.item_count,
        np.where(turned, evidence.second, evidence.first),
        np.where(turned, evidence.first, evidence.second),
        np.where(turned, 1 - evidence.score, evidence.score),
        judge=evidence.judge,
        judges=evidence.judges,
    )
    here, there = (consensus(QuestionPanel.of(each), gold[:12]) for each in (evidence, other))
    assert np.allclose(here.probability, there.probability)


def test_verdicts_on_gold_pairs_are_what_is_known():
    evidence, gold, right = panel(3)
    found = consensus(QuestionPanel.of(evidence), gold[:8])
    assert found.probability[:8].tolist() == ((1 + right[:8]) / 2).tolist()
    assert found.gold.tolist() == list(range(8))


def test_turning_all_gold_pairs_round_turns_all_verdicts_round():
    evidence, gold, _ = panel(4)
    asked = QuestionPanel.of(evidence)
    here, there = consensus(asked, gold[:12]), consensus(asked, [(b, a) for a, b in gold[:12]])
    assert np.allclose(here.probability, 1 - there.probability)


def test_agreement_is_that_of_em_written_plainly():
    votes = QuestionPanel.of(panel(5)[0]).votes
    odds = votes.sum(axis=1)
    for _ in range(200):
        chance = 1 / (1 + np.exp(-odds))
        rates = []
        for judge in range(votes.shape[1]):
            yes, no = votes[:, judge] > 0, votes[:, judge] < 0
            rates.append((2 + chance[yes].sum() + (1 - chance)[no].sum()) / (4 + yes.sum() + no.sum()))
        odds = votes @ np.log(np.array(rates) / (1 - np.array(rates)))
    assert np.allclose(by_agreement(votes), odds / np.sqrt(votes.shape[1]), atol=1e-4)


def test_pairs_chosen_a_few_at_a_time_teach_more_than_random_ones():
    chosen_scores, random_scores = [], []
    for seed in range(8):
        evidence, gold, right = panel(100 + seed)
        asked = QuestionPanel.of(evidence)
        chosen: list[int] = []
        while len(chosen) < 10:
            chosen += worth_asking(consensus(asked, [gold[at] for at in chosen]), 2)
        assert len(set(chosen)) == 10
        chosen_scores.append(accuracy(consensus(asked, [gold[at] for at in chosen]), right))
        rng = np.random.default_rng(seed)
        for _ in range(5):
            some = rng.permutation(QUESTIONS)[:10]
            random_scores.append(accuracy(consensus(asked, [gold[at] for at in some]), right))
    assert np.mean(chosen_scores) > np.mean(random_scores)


def _part(evidence, rows):
    return Evidence.from_arrays(
        evidence.item_count,
        evidence.first[rows],
        evidence.second[rows],
        evidence.score[rows],
        judge=evidence.judge[rows],
        judges=evidence.judges,
    )
