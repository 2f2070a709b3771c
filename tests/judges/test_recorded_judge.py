"""The recorded judge repeats what was recorded, whatever the order of calls."""

import random
from collections import Counter

import pytest

from paragone.domain import Choice
from paragone.errors import UnreadableFile
from paragone.intake import Vote, Votes, read_votes
from paragone.judges.recorded_judge import RecordedJudge

TRI = [Vote(a="x", b="y", score=1.0), Vote(a="y", b="z", score=0.5, tie=True)]


def test_votes_are_repeated_in_both_orders(ask):
    judge = RecordedJudge(TRI)
    assert ask(judge, "x", "y").choice is Choice.FIRST
    assert ask(judge, "y", "x").choice is Choice.SECOND
    assert ask(judge, "y", "z").choice is ask(judge, "z", "y").choice is Choice.TIE


def test_an_absent_pair_abstains(ask):
    verdict = ask(RecordedJudge(TRI), "x", "z")
    assert verdict.choice is Choice.ABSTAIN
    assert (verdict.usage.calls, verdict.usage.cost) == (0, 0.0)


def test_the_order_that_was_recorded_comes_first(ask):
    judge = RecordedJudge([Vote(a="x", b="y", score=1.0), Vote(a="y", b="x", score=1.0)])
    assert ask(judge, "x", "y").choice is ask(judge, "y", "x").choice is Choice.FIRST


def test_a_probability_is_turned_round_with_the_sides(ask):
    judge = RecordedJudge([Vote(a="x", b="y", score=0.75), Vote(a="x", b="z", score=0.5)])
    assert (ask(judge, "x", "y").choice, ask(judge, "x", "y").probability) == (Choice.FIRST, 0.75)
    assert (ask(judge, "y", "x").choice, ask(judge, "y", "x").probability) == (Choice.SECOND, 0.25)
    assert (ask(judge, "z", "x").choice, ask(judge, "z", "x").probability) == (Choice.TIE, 0.5)
    assert ask(RecordedJudge(TRI), "x", "y").probability is None


def test_draws_depend_on_seed_and_call_and_not_on_the_order_of_calls(ask):
    votes = [Vote(a="x", b="y", score=score) for score in (1.0, 0.0, 1.0)]
    calls = [f"m{n}" for n in range(40)]
    one = {call: ask(RecordedJudge(votes, seed=7), call=call).choice for call in calls}
    judge = RecordedJudge(votes, seed=7)
    random.Random(1).shuffle(calls)
    assert {call: ask(judge, call=call).choice for call in calls} == one
    assert {call: ask(RecordedJudge(votes, seed=8), call=call).choice for call in calls} != one


def test_votes_are_drawn_by_weight(ask_often):
    judge = RecordedJudge([Vote(a="x", b="y", score=1.0, weight=3.0), Vote(a="x", b="y", score=0.0)])
    drawn = Counter(verdict.choice for verdict in ask_often(judge, 1000))
    # 750 expected of 1,000, standard deviation 13.7: four of them either way.
    assert 695 < drawn[Choice.FIRST] < 805


def test_the_identity_names_votes_and_seed(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("a,b,winner\nx,y,x\ny,z,tie\n")
    assert RecordedJudge(path).card == RecordedJudge(TRI).card
    assert RecordedJudge(path).card.reads_ids
    assert RecordedJudge(TRI).card.identity != RecordedJudge(TRI[:1]).card.identity
    assert RecordedJudge(TRI).card.identity != RecordedJudge(TRI, seed=1).card.identity


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(UnreadableFile, match="no such file"):
        RecordedJudge(tmp_path / "none.csv")


def test_winners_first_are_no_order_of_presentation(ask_often):
    """x beat y nine times in twelve; which side of the question x is on says nothing."""
    votes = read_votes([("x", "y")] * 9 + [("y", "x")] * 3)
    judge, other = RecordedJudge(votes), RecordedJudge(Votes(votes))
    for first, second, choice in (("x", "y", Choice.FIRST), ("y", "x", Choice.SECOND)):
        said = [verdict.choice for verdict in ask_often(judge, 400, first, second)]
        assert said.count(choice) / 400 == pytest.approx(0.75, abs=0.07)
    assert judge.card.identity == f"{other.card.identity}&order=unknown"
