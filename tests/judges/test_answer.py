"""Answers from outside: what is read, what is refused."""

import math

import pytest

from paragone.domain import Choice, CriterionScore
from paragone.judges.answer import read_answer


@pytest.mark.parametrize("label", ["first", "second", "tie", "abstain"])
def test_labels(label):
    assert read_answer(label).choice == label
    assert read_answer({"winner": label}).choice == label


def test_none_abstains():
    assert read_answer(None).choice is Choice.ABSTAIN
    assert read_answer({"winner": None}).choice is Choice.ABSTAIN


@pytest.mark.parametrize(
    ("scores", "read"),
    [
        ({"novelty": [0.5, 1]}, (CriterionScore(criterion="novelty", first=0.5, second=1.0),)),
        ({"novelty": {"first": 0.5, "second": 1}}, (CriterionScore(criterion="novelty", first=0.5, second=1.0),)),
        ({"first": 0.8, "second": 0.3}, (CriterionScore(criterion="overall", first=0.8, second=0.3),)),
        ({}, ()),
        (None, ()),
    ],
)
def test_the_whole_answer(scores, read):
    answer = read_answer({"winner": "tie", "probability": 0.5, "rationale": "close", "scores": scores})
    assert (answer.choice, answer.probability, answer.rationale, answer.scores) == (Choice.TIE, 0.5, "close", read)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("First", "the answer 'First' is none of first, second, tie, abstain"),
        ("failed", "the answer 'failed' is none of"),
        ("", "the answer '' is none of"),
        (1, "the answer 1 is none of"),
        (True, "the answer True is none of"),
        ({}, "without 'winner'"),
        ({"winner": ["first"]}, r"the answer ['first'] is none of"),
        ({"winner": "first", "probability": 0.2}, "disagree"),
        ({"winner": "tie", "probability": 0.9}, "disagree"),
        ({"winner": "first", "probability": 1.5}, "probability is a number from 0 to 1, not 1.5"),
        ({"winner": "first", "probability": math.nan}, "not nan"),
        ({"winner": "first", "probability": "0.5"}, "not '0.5'"),
        ({"winner": "first", "rationale": 3}, "a rationale is text"),
        ({"winner": "first", "scores": [1, 2]}, "scores are a mapping"),
        ({"winner": "first", "scores": {"novelty": 1}}, "the scores of 'novelty' are [first, second], not 1"),
        ({"winner": "first", "scores": {"novelty": [1, 2]}}, "a score of 'novelty' is a number from 0 to 1, not 2"),
        ({"winner": "first", "scores": {"novelty": {"first": 1}}}, "a score of 'novelty' is a number"),
        ("x" * 1000, "..."),
    ],
)
def test_anything_else_is_an_error_and_never_a_tie(value, said):
    with pytest.raises(ValueError) as raised:
        read_answer(value)
    assert said in str(raised.value)
    assert len(str(raised.value)) < 200
