"""The posterior between two fits, beside the plain formulas that it updates step by step."""

import numpy as np
import pytest

from paragone.domain import Choice, Comparison, Verdict
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import FitOptions
from paragone.tournaments.planning.blocks import Window, window_note, window_of
from paragone.tournaments.planning.carried_posterior import CarriedPosterior
from paragone.tournaments.tournament_settings import settings_for


def chance(lead):
    return 1 / (1 + np.exp(-lead))


def test_expected_pairs_add_their_information_to_the_inverse():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((6, 6))
    mean, covariance = rng.standard_normal(6), root @ root.T / 6 + 0.1 * np.eye(6)
    carried, precision = CarriedPosterior(mean, covariance, 0.3), np.linalg.inv(covariance)
    for first, second in ((0, 1), (4, 2), (0, 5), (1, 0), (3, 4)):
        carried.expect(first, second)
        along = np.eye(6)[first] - np.eye(6)[second]
        p = chance(mean[first] - mean[second] + 0.3)
        precision += p * (1 - p) * np.outer(along, along)
    assert carried.covariance == pytest.approx(np.linalg.inv(precision), abs=1e-12)
    assert carried.mean == pytest.approx(mean), "nothing was answered"


def test_an_answer_moves_the_mean_by_one_newton_step():
    carried = CarriedPosterior(np.zeros(2), np.eye(2))
    carried.expect(0, 1)
    # The difference has variance 2 and information 1/4: 2 / (1 + 2/4) = 4/3 is left, times a surprise of 1/2.
    assert carried.covariance[0, 0] - 2 * carried.covariance[0, 1] + carried.covariance[1, 1] == pytest.approx(4 / 3)
    carried.learn(0, 1, 1.0)
    assert carried.mean[0] - carried.mean[1] == pytest.approx(2 / 3)


def test_large_pools_carry_the_variances_alone():
    carried = CarriedPosterior(np.zeros(3), np.ones(3))
    carried.expect(0, 1)
    assert carried.covariance == pytest.approx([1 - 1 / 6, 1 - 1 / 6, 1.0])
    carried.learn(0, 1, 0.0)
    assert carried.mean == pytest.approx([-5 / 12, 5 / 12, 0.0])


def test_it_stays_near_a_full_fit():
    """Sixty answers on top of a fit of two hundred, beside the fit of all of them."""
    rng, items = np.random.default_rng(3), 20
    truth = rng.normal(0, 1.2, items)
    ids = [f"i{number}" for number in range(items)]

    def answered(number):
        first, second = rng.choice(items, 2, replace=False)
        choice = Choice.FIRST if rng.random() < chance(truth[first] - truth[second]) else Choice.SECOND
        verdict = Verdict(choice=choice, judge="j")
        return Comparison(call=str(number), first=ids[first], second=ids[second], verdict=verdict)

    answers = [answered(number) for number in range(260)]
    options = FitOptions(position=False)
    before, after = (fit(Evidence.of(answers[:count], ids), options) for count in (200, 260))
    carried = CarriedPosterior.of(before)
    for answer in answers[200:]:
        pair = ids.index(answer.first), ids.index(answer.second)
        carried.expect(*pair)
        carried.learn(*pair, float(answer.verdict.choice is Choice.FIRST))
    moved = np.abs(after.strength - before.strength).max()
    assert np.abs(carried.mean - carried.mean.mean() - after.strength).max() < 0.35 * moved
    draws = carried.draws(4000, np.random.default_rng(0))
    assert draws.mean(axis=1) == pytest.approx(carried.mean.mean(), abs=1e-6)
    assert draws.std(axis=0) == pytest.approx(after.standard_error, rel=0.3)


def settings(pairing="informative", **options):
    return settings_for(150, criteria="c", judge="j", pairing=pairing, **options)


@pytest.mark.parametrize(
    ("items", "concurrency", "before", "size", "block"),
    [
        (150, 8, 0, 75, 37),  # half of the items
        (150, 37, 0, 75, 37),  # of which half may be in flight
        (150, 38, 0, 152, 75),  # four times the calls in flight
        (150, 200, 0, 600, 75),  # in blocks of disjoint pairs
        (12, 8, 0, 16, 8),  # never below sixteen
        (12, 64, 0, 48, 8),  # nor above four times the items
        (150, 8, 153, 153, 75),  # a tournament keeps its window
    ],
)
def test_the_window(items, concurrency, before, size, block):
    assert window_of(settings(), items, concurrency, before) == Window(size=size, block=block)


def test_what_needs_no_answers_has_no_limit_and_what_needs_a_round_has_no_window():
    assert window_of(settings("round-robin"), 150, 8) == Window(size=None, block=75)
    assert window_of(settings("swiss"), 150, 8) is None
    assert window_of(settings("weighted"), 150, 8) is None
    assert window_of(settings(group_size=5), 150, 8) is None


def test_a_wide_window_is_said():
    assert window_note(window_of(settings(), 150, 37), 150, 37) == ""
    note = window_note(window_of(settings(), 150, 200), 150, 200)
    assert "600 matches" in note
    assert note.endswith("with a concurrency of 37 it would be 75")
    assert window_note(window_of(settings(), 12, 8), 12, 8) == ""
