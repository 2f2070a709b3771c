"""What protocols are worth on labelled pairs: worked by hand, and measured on a judge of known accuracy."""

import asyncio
import math

import pytest

from paragone.domain import Item
from paragone.errors import InvalidConfig
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.debates.tokens import comparison_tokens
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.protocol_value import LabelledPair, interval, measured
from paragone.judges.simulated_judge import SimulatedJudge

TEXT = "a text of some length " * 20


def pairs(count):
    """Pairs of items that are one nat apart, the better one first in every second."""
    items = [Item(id=f"i{n:04}", text=TEXT) for n in range(2 * count)]
    made = [(items[2 * n], items[2 * n + 1]) for n in range(count)]
    return [LabelledPair(first=better, second=worse, winner=better.id) for better, worse in made]


def strengths(labelled):
    return {item.id: float(item.id == pair.winner) for pair in labelled for item in (pair.first, pair.second)}


def test_the_interval_is_wilsons():
    share, low, high = interval(8.0, 10)
    # (0.8 + 1.92073 / 10) / (1 + 3.84146 / 10) -+ 1.95996 / 1.384146 sqrt(.8 x .2 / 10 + 3.84146 / 400)
    assert (share, low, high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)
    assert interval(0.0, 0) == (0.5, 0.0, 1.0)


def test_a_judge_of_known_accuracy_is_measured():
    labelled = pairs(400)
    judge = SimulatedJudge(
        strengths(labelled), bias=0.5, panel_noise=0.5, debate_noise=0.25, failures=0.05, tokens=None
    )
    advocate = ScriptedAdvocate(tokens=None)
    direct, panel, debate = asyncio.run(measured(judge, labelled, criteria="merit", advocate=advocate, turns=3))
    assert [value.protocol for value in (direct, panel, debate)] == ["direct", "panel", "debate"]
    # with a bias of 1/2 and either order: the mean of logistic(s + 1/2) and logistic(s - 1/2), s = 1, 2 and 4
    for value, sharpness in ((direct, 1.0), (panel, 2.0), (debate, 4.0)):
        expected = sum(1 / (1 + math.exp(-sharpness - bias)) for bias in (0.5, -0.5)) / 2
        assert value.low <= expected <= value.high, value.protocol
    assert (direct.sharpness, panel.sharpness) == (None, pytest.approx(2.0, abs=0.5))
    assert (direct.requests, panel.requests, debate.requests) == pytest.approx((1, 1, 7), abs=0.4)
    lengths = [len(TEXT)] * 2
    assert direct.tokens == comparison_tokens(lengths)
    assert panel.tokens == comparison_tokens(lengths, panel=True)
    assert debate.tokens == comparison_tokens(lengths, 3)
    assert panel.information > debate.information


def test_protocols_that_a_judge_lacks_are_left_out():
    def judge(first, second, criteria):
        return "first"

    [direct] = asyncio.run(measured(FunctionJudge(judge), pairs(10), criteria="merit"))
    assert (direct.protocol, direct.accuracy, direct.information) == ("direct", 0.5, 0.0)


def test_what_cannot_be_measured_is_refused():
    judge = SimulatedJudge({})
    with pytest.raises(InvalidConfig, match="no labelled pair"):
        asyncio.run(measured(judge, [], criteria="merit"))
    odd = LabelledPair(first=Item(id="a", text="a"), second=Item(id="b", text="b"), winner="c")
    with pytest.raises(InvalidConfig, match="the label 'c' is neither 'a' nor 'b'"):
        asyncio.run(measured(judge, [odd], criteria="merit"))
