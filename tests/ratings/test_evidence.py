"""Evidence: what counts, what is left out, and what is refused."""

import numpy as np
import pytest

from paragone.domain import Choice, Comparison, Ranking, Verdict
from paragone.errors import InvalidVotes
from paragone.ratings import Evidence
from paragone.ratings.evidence import list_judge

IDS = ("a", "b", "c")


def comparison(first, second, choice, judge="j", probability=None, call="call"):
    return Comparison(
        call=call, first=first, second=second, verdict=Verdict(choice=choice, judge=judge, probability=probability)
    )


def test_letters_are_hard_evidence():
    evidence = Evidence.of(
        [
            comparison("a", "b", Choice.FIRST),
            comparison("b", "c", Choice.SECOND),
            comparison("c", "a", Choice.TIE),
        ],
        IDS,
    )
    assert evidence.item_count == 3
    assert evidence.first.tolist() == [0, 1, 2]
    assert evidence.second.tolist() == [1, 2, 0]
    assert evidence.score.tolist() == [1.0, 0.0, 0.5]
    assert evidence.tie.tolist() == [False, False, True]
    assert not evidence.soft.any()
    assert len(evidence) == 3


def test_a_stated_probability_is_the_evidence_and_the_letter_is_not():
    evidence = Evidence.of(
        [comparison("a", "b", Choice.FIRST, probability=0.4), comparison("a", "b", Choice.TIE, probability=0.5)], IDS
    )
    assert evidence.score.tolist() == [0.4, 0.5]
    assert evidence.soft.all()
    assert not evidence.tie.any()


def test_abstentions_and_failures_are_no_evidence():
    evidence = Evidence.of(
        [
            comparison("a", "b", Choice.ABSTAIN, judge="silent"),
            comparison("a", "b", Choice.FAILED, judge="down", probability=0.9),
            comparison("a", "b", Choice.FIRST),
        ],
        IDS,
        weights=[5.0, 6.0, 7.0],
    )
    assert len(evidence) == 1
    assert evidence.judges == ("j",)
    assert evidence.weight.tolist() == [7.0]


def test_judges_are_sorted_so_that_the_order_of_comparisons_does_not_name_them():
    evidence = Evidence.of([comparison("a", "b", Choice.FIRST, "z"), comparison("a", "b", Choice.FIRST, "k")], IDS)
    assert evidence.judges == ("k", "z")
    assert evidence.judge.tolist() == [1, 0]


@pytest.mark.parametrize("judge", ["j", "k", "lists, lists of 3"])
def test_evidence_without_a_judge_is_that_of_all_others(judge):
    comparisons = [
        comparison("a", "b", Choice.FIRST),
        comparison("b", "c", Choice.TIE, judge="k"),
        comparison("c", "a", Choice.SECOND, judge="m", probability=0.3),
        comparison("a", "c", Choice.SECOND),
    ]
    verdict = Verdict(choice=Choice.RANKED, judge="lists", order=(1, 0, 2))
    rankings = [Ranking(call="r", shown=IDS, verdict=verdict)]
    evidence = Evidence.of(comparisons, IDS, rankings=rankings).without_judge(judge)
    others = Evidence.of(
        [each for each in comparisons if each.verdict.judge != judge],
        IDS,
        rankings=[each for each in rankings if list_judge(each) != judge],
    )
    assert evidence.judges == others.judges
    assert judge not in evidence.judges
    for name in ("first", "second", "score", "tie", "soft", "weight", "judge", "ranking_weight", "ranking_judge"):
        assert getattr(evidence, name).tolist() == getattr(others, name).tolist()


def test_weights_by_judge_are_one_where_not_named():
    evidence = Evidence.of(
        [comparison("a", "b", Choice.FIRST, "k"), comparison("a", "b", Choice.FIRST, "z")], IDS, weights={"z": 0.25}
    )
    assert evidence.weight.tolist() == [1.0, 0.25]


def test_an_unknown_item_is_refused_by_name():
    with pytest.raises(InvalidVotes, match="'m-7' names 'x', which is none of the 3 items"):
        Evidence.of([comparison("a", "x", Choice.FIRST, call="m-7")], IDS)


def test_as_many_weights_as_comparisons():
    with pytest.raises(InvalidVotes, match="2 weights for 1 comparisons"):
        Evidence.of([comparison("a", "b", Choice.FIRST)], IDS, weights=[1.0, 2.0])


def test_no_comparisons_at_all():
    assert len(Evidence.of([], IDS)) == 0


def test_plain_arrays_tell_ties_and_probabilities_apart_by_themselves():
    evidence = Evidence.from_arrays(2, [0, 0, 0], [1, 1, 1], [1, 0.5, 0.7])
    assert evidence.tie.tolist() == [False, True, False]
    assert evidence.soft.tolist() == [False, False, True]
    assert evidence.weight.tolist() == [1.0, 1.0, 1.0]


def test_rankings_of_several_lengths_share_an_array():
    evidence = Evidence.from_arrays(4, [], [], [], rankings=[[2, 0, 1, 3], [1, 3]], ranking_weight=[1.0, 0.5])
    assert evidence.rankings.tolist() == [[2, 0, 1, 3], [1, 3, -1, -1]]
    assert len(evidence) == 2


def test_arrays_are_copies_that_cannot_be_written_to():
    score = np.array([1.0])
    evidence = Evidence.from_arrays(2, [0], [1], score)
    score[0] = 0.0
    assert evidence.score[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        evidence.score[0] = 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"first": [0, 9]}, "comparison 1: items are numbered from 0 to 2"),
        ({"first": [-1, 0]}, "comparison 0: items are numbered"),
        ({"second": [1, 0]}, "comparison 1: an item cannot meet itself"),
        ({"score": [1.0, 1.5]}, r"comparison 1: a score must lie in \[0, 1\]"),
        ({"score": [float("nan"), 1.0]}, "comparison 0: a score must lie"),
        ({"score": [1.0]}, "first holds 2|holds 2 values"),
        ({"score": ["win", "loss"]}, "score cannot be read as an array of float64"),
        ({"score": [[1.0, 0.0]]}, "score must have one dimension"),
        ({"weight": [1.0, -1.0]}, "comparison 1: a weight must lie between 0 and 1e"),
        ({"weight": [float("inf"), 1.0]}, "comparison 0: a weight must lie"),
        ({"judge": [0, 1]}, "comparison 1: its judge is none of the 1 judges"),
        ({"judges": ("j", "j")}, "a judge is named twice"),
        ({"score": [1.0, 0.7], "soft": [False, False]}, "comparison 1: a score other than 0, 0.5 and 1 must be soft"),
        ({"tie": [True, False]}, "comparison 0: a score of 0.5 is either soft or a tie"),
        (
            {"score": [1.0, 0.5], "tie": [False, True], "soft": [False, True]},
            "comparison 1: it is either soft or a tie",
        ),
        ({"item_count": 0}, "at least one item"),
        ({"rankings": [[0]]}, "ranking 0 orders 1 items"),
        ({"rankings": [[0, 1], [0, 1, 0]]}, "ranking 1 names an item twice"),
        ({"rankings": [[0, 5]]}, "names item 5"),
        ({"rankings": [[0, -1]]}, "names item -1"),
        ({"rankings": [[0, 1]], "ranking_weight": [1.0, 2.0]}, "2 weights for 1 rankings"),
        ({"rankings": [[0, 1]], "ranking_weight": [-2.0]}, "a ranking's weight must lie"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_row(arguments, message):
    good = {"item_count": 3, "first": [0, 0], "second": [1, 2], "score": [1.0, 0.0]}
    with pytest.raises(InvalidVotes, match=message):
        Evidence.from_arrays(**(good | arguments))
