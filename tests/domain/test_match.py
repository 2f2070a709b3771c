"""Pairings, comparisons and the matches they add up to."""

import pytest

from paragone.domain import Choice, Comparison, Match, Order, Outcome, Pairing, Verdict


def comparison(first, second, choice):
    return Comparison(call="1", first=first, second=second, verdict=Verdict(choice=choice, judge="j"))


def test_a_pairing_shows_its_sides_in_order():
    pairing = Pairing(a="x", b="y", orders=(Order.AB, Order.BA))
    assert [pairing.shown(order) for order in pairing.orders] == [("x", "y"), ("y", "x")]
    assert pairing.key == Pairing(a="y", b="x").key


@pytest.mark.parametrize("wrong", [{"a": "x", "b": "x"}, {"a": "x", "b": "y", "orders": ()}])
def test_a_pairing_needs_two_items_and_an_order(wrong):
    with pytest.raises(ValueError, match="x"):
        Pairing(**wrong)


def test_a_score_is_by_item_whatever_the_order():
    assert comparison("x", "y", Choice.FIRST).score_of("x") == 1.0
    assert comparison("y", "x", Choice.FIRST).score_of("x") == 0.0
    assert comparison("y", "x", Choice.TIE).score_of("x") == 0.5
    assert comparison("y", "x", Choice.FAILED).score_of("x") is None


@pytest.mark.parametrize(
    ("choices", "outcome"),
    [
        ((Choice.FIRST, Choice.SECOND), Outcome.A),  # x twice: first in AB, second in BA
        ((Choice.FIRST, Choice.FIRST), Outcome.DRAW),  # the first shown twice: a position bias, not a winner
        ((Choice.FAILED, Choice.FIRST), Outcome.B),  # an error skips that comparison
        ((Choice.ABSTAIN, Choice.FAILED), Outcome.VOID),
    ],
)
def test_a_match_adds_up_its_comparisons(choices, outcome):
    pairing = Pairing(a="x", b="y", orders=(Order.AB, Order.BA))
    asked = (comparison("x", "y", choices[0]), comparison("y", "x", choices[1]))
    assert Match.of("1.1", pairing, asked, round=1).outcome is outcome
