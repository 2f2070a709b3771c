"""Five answers, four outcomes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Choice, Outcome, Verdict, decide


def test_a_tie_an_abstention_and_a_failure_are_three_things():
    assert [choice for choice in Choice if choice.is_evidence] == [
        Choice.FIRST,
        Choice.SECOND,
        Choice.TIE,
        Choice.RANKED,
    ]
    assert [choice for choice in Choice if not choice.is_answer] == [Choice.FAILED]


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ([1, 1], Outcome.A),
        ([1, 0], Outcome.DRAW),
        ([0], Outcome.B),
        ([1, 0.5], Outcome.A),
        ([0.5, 0.5], Outcome.DRAW),
        ([], Outcome.VOID),
    ],
)
def test_more_wins_wins_and_equal_is_a_draw(scores, outcome):
    assert decide(scores) is outcome


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0])))
def test_turning_the_sides_round_turns_the_outcome_round(scores):
    turned = {Outcome.A: Outcome.B, Outcome.B: Outcome.A}
    outcome = decide(scores)
    assert decide(1 - score for score in scores) is turned.get(outcome, outcome)


def test_a_void_match_has_no_score():
    assert [outcome.score for outcome in (Outcome.A, Outcome.DRAW, Outcome.B)] == [1.0, 0.5, 0.0]
    with pytest.raises(ValueError, match="void"):
        _ = Outcome.VOID.score


def test_a_probability_is_one():
    with pytest.raises(ValueError, match=r"1\.5"):
        Verdict(choice=Choice.FIRST, judge="x", probability=1.5)
