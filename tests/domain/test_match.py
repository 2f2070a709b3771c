"""Pairings, comparisons, lists of several, and the matches they add up to."""

import pytest

from paragone.domain import (
    Choice,
    Comparison,
    Item,
    Lineup,
    Match,
    Order,
    Outcome,
    Pairing,
    Question,
    Ranking,
    Verdict,
)


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


def ranking(shown="abc", order=(2, 0, 1)):
    choice = Choice.RANKED if order else Choice.ABSTAIN
    return Ranking(call="1.1.1", shown=tuple(shown), verdict=Verdict(choice=choice, judge="j", order=tuple(order)))


def test_an_order_is_of_the_places_shown():
    assert ranking("abc", (2, 0, 1)).order == ("c", "a", "b")
    assert ranking("abc", ()).order == ()


def test_a_match_among_several_is_won_by_the_best_over_the_last():
    match = Match.of("1.1", Lineup(items=("a", "b", "c")), (ranking(),), round=1)
    assert (match.a, match.b, match.outcome, match.round) == ("c", "b", Outcome.A, 1)
    assert match.items == ("c", "a", "b")
    assert match.answers == (ranking(),)
    assert match.comparisons == ()


def test_an_abstention_makes_it_void():
    match = Match.ranked("1.1", ranking("abc", ()))
    assert match.outcome is Outcome.VOID
    assert match.items == ("a", "b", "c")


def test_a_lineup_is_one_call_and_a_pairing_one_for_each_order():
    assert Lineup(items=("a", "b", "c")).calls == 1
    assert Pairing(a="a", b="b").calls == 1
    assert Pairing(a="a", b="b").items == ("a", "b")


def test_a_question_holds_all_items_in_the_order_of_presentation():
    first, second, third = (Item(id=id, text=id) for id in "abc")
    assert Question(call="c", first=first, second=second, criteria="x").items == (first, second)
    question = Question(call="c", first=first, second=second, others=(third,), criteria="x")
    assert question.items == (first, second, third)


@pytest.mark.parametrize("items", [("a",), ("a", "b", "a"), ()])
def test_a_lineup_of_one_or_with_one_twice_is_refused(items):
    with pytest.raises(ValueError, match="two or more different items"):
        Lineup(items=items)


@pytest.mark.parametrize("order", [(0, 0, 1), (0, 1, 3), (1, 2, 3)])
def test_an_order_that_is_no_permutation_is_refused(order):
    with pytest.raises(ValueError, match="each place from 0 once"):
        Verdict(choice=Choice.RANKED, judge="j", order=order)


def test_only_a_ranked_verdict_has_an_order_and_it_is_of_all_that_was_shown():
    with pytest.raises(ValueError, match="a ranked verdict has an order"):
        Verdict(choice=Choice.RANKED, judge="j")
    with pytest.raises(ValueError, match="a ranked verdict has an order"):
        Verdict(choice=Choice.FIRST, judge="j", order=(0, 1))
    with pytest.raises(ValueError, match="orders 3 of 2 items"):
        ranking("ab", (2, 0, 1))
