"""Usefulness of content: worked numbers, bounds, and what no history may reach."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.ratings.usefulness import (
    NOTHING,
    Endings,
    Feedback,
    Reporting,
    advantage,
    doubted,
    ended,
    log_odds,
    looked_at,
    probability,
    reported_used,
    reported_wrong,
    searched,
    settled,
    shown_at,
    succeeded,
    trust,
    was_useful,
)

SILENT = Reporting(opened=40.0)


def test_new_content_is_an_even_guess_and_neither_gains_nor_loses():
    assert (probability(NOTHING), log_odds(NOTHING), advantage(NOTHING), trust(NOTHING)) == (0.5, 0.0, 0.0, 1.0)
    assert not NOTHING.is_known


def test_reports_move_the_probability_as_a_beta_posterior_does():
    assert probability(reported_used(NOTHING)) == 2 / 3
    assert probability(reported_wrong(NOTHING)) == 1 / 5
    assert trust(reported_wrong(NOTHING)) == 2 / 5
    # P = 2/3 and n = 3: the optimistic estimate is 2/3 + sqrt(2/9/4) = .902; that of new content .5 + sqrt(1/4/3).
    fresh = 0.5 + math.sqrt(1 / 12)
    used = 2 / 3 + math.sqrt(2 / 9 / 4)
    expected = math.log(used / (1 - used)) - math.log(fresh / (1 - fresh))
    assert advantage(reported_used(NOTHING)) == pytest.approx(expected, abs=1e-12)


def test_a_silent_opening_at_the_end_is_for_it_and_one_in_the_middle_against_it():
    # An agent that never reports: rho = 1.5 * 1/42; useful 0.9 * (1 - rho), useless 0.35 * (1 - rho/20).
    rho = 1.5 / 42
    last, _ = was_useful(NOTHING, is_last=True, endings=Endings(), reporting=SILENT)
    middle, _ = was_useful(NOTHING, is_last=False, endings=Endings(), reporting=SILENT)
    useful, useless = 0.9 * (1 - rho), 0.35 * (1 - 0.05 * rho)
    assert last == pytest.approx(useful / (useful + useless), abs=1e-12)
    assert middle < 0.5 < last


def test_silence_of_an_agent_that_reports_is_against_what_it_opened():
    reporting = Reporting()
    for _ in range(40):
        reporting = searched(reporting, reported=True)
    y, weight = was_useful(NOTHING, is_last=True, endings=Endings(), reporting=reporting)
    assert reporting.share == 0.95
    assert y < 0.15
    assert weight > 0.8


def test_ends_of_searches_that_say_nothing_have_no_weight():
    endings = Endings()
    for number in range(600):  # half of all searches end after either kind
        endings = ended(endings, is_useful=bool(number % 4 < 2), is_last=bool(number % 2))
    _, weight = was_useful(NOTHING, is_last=True, endings=endings, reporting=SILENT)
    _, before = was_useful(NOTHING, is_last=True, endings=Endings(), reporting=SILENT)
    assert weight < 0.3 < 0.5 < before


def test_openings_never_outweigh_two_observations():
    feedback = NOTHING
    for _ in range(1000):
        y, weight = was_useful(feedback, is_last=True, endings=Endings(), reporting=SILENT)
        feedback = settled(feedback, y, weight)
    assert feedback.helped + feedback.idle <= 2.0 + 1e-9
    assert probability(feedback) <= 0.75
    assert probability(reported_wrong(feedback)) < 0.5


def test_a_touch_does_not_resurrect_what_was_often_wrong():
    feedback = NOTHING
    for _ in range(20):
        feedback = reported_wrong(feedback)
    assert probability(feedback) == pytest.approx(1 / 12)
    assert probability(reported_used(feedback)) < 0.2
    assert advantage(reported_used(feedback)) < -1.5


def test_later_uses_of_one_search_weigh_less():
    feedback = [reported_used(NOTHING, number=number).used for number in (1, 3, 4, 6, 30)]
    assert feedback == [1.0, 1.0, 0.5625, 0.25, pytest.approx(0.01)]


def test_old_reports_fade_so_that_content_may_change():
    feedback = NOTHING
    for _ in range(50):
        feedback = reported_used(feedback)
    assert feedback.used == pytest.approx(10.0)
    for _ in range(5):
        feedback = reported_wrong(feedback)
    assert probability(feedback) < 0.35


def test_being_shown_lowers_optimism_alone():
    shown = NOTHING
    for _ in range(10):
        shown = shown_at(shown, 1)
    assert probability(shown) == 0.5
    optimistic, fresh = 0.5 + math.sqrt(0.25 / 8), 0.5 + math.sqrt(1 / 12)  # ten times shown are five trials
    expected = math.log(optimistic / (1 - optimistic)) - math.log(fresh / (1 - fresh))
    assert advantage(shown) == pytest.approx(expected, abs=1e-12) == pytest.approx(-0.578, abs=1e-3)
    assert (looked_at(1), looked_at(11)) == (1.0, 0.125)


def test_what_only_silence_is_against_is_tried_again_after_others_were_shown():
    idle = Feedback(idle=2.0, shown=1.0)  # P = 1/4 and n = 4.5
    fresh = 0.5 + math.sqrt(1 / 12)
    for waited, growth in ((0.0, 1.0), (12.0, 1 + math.log(2))):
        optimistic = 1 / 4 + math.sqrt(growth * 3 / 16 / 5.5)
        expected = math.log(optimistic / (1 - optimistic)) - math.log(fresh / (1 - fresh))
        assert advantage(idle, trials=1.0 + waited) == pytest.approx(expected, abs=1e-12)
    assert advantage(idle, trials=1e9) == pytest.approx(-0.3, abs=1e-12)


def test_reports_and_new_content_do_not_depend_on_what_others_were_shown():
    for feedback in (NOTHING, reported_used(NOTHING), reported_wrong(NOTHING), Feedback(used=10.0, shown=1e3)):
        assert advantage(feedback, trials=1e9) == advantage(feedback)


COUNTS = st.floats(0.0, 12.0)
FEEDBACK = st.builds(Feedback, used=COUNTS, wrong=COUNTS, helped=COUNTS, idle=COUNTS, shown=st.floats(0.0, 1e6))


@given(FEEDBACK)
def test_evidence_moves_the_probability_its_own_way(feedback):
    assert 0.0 < probability(feedback) < 1.0
    bounded = settled(feedback, 0.5, 0.0)
    assert probability(reported_used(bounded)) >= probability(bounded) - 1e-12
    assert probability(succeeded(bounded, 0.5)) >= probability(bounded) - 1e-12
    assert probability(doubted(bounded)) <= probability(bounded) + 1e-12
    assert advantage(replace(bounded, shown=bounded.shown + 1.0)) <= advantage(bounded) + 1e-12


@given(FEEDBACK, st.booleans(), st.floats(0.0, 60.0), st.floats(0.0, 1.0))
def test_an_opening_is_a_probability_with_a_weight(feedback, is_last, opened, share):
    reporting = Reporting(opened=opened, reported=opened * share)
    y, weight = was_useful(feedback, is_last=is_last, endings=Endings(), reporting=reporting)
    assert 0.0 < y < 1.0
    assert 0.0 <= weight < 1.0
    after = settled(feedback, y, weight)
    assert after.used + after.wrong <= 10.0 + 1e-9
    assert after.helped + after.idle <= 2.0 + 1e-9
