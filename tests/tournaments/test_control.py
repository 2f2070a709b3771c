"""Stopping a run without losing what is under way, or at once."""

import asyncio

import pytest

from paragone.domain import Choice, Item, Question
from paragone.judges.function_judge import FunctionJudge
from paragone.tournaments.running.control import Gate, GateClosed

QUESTION = Question(call="1.1.1", first=Item(id="a", text="a"), second=Item(id="b", text="b"), criteria="c")


def test_an_open_gate_lets_through():
    judge = Gate().guard(FunctionJudge(lambda first, second, criteria: "first"))
    assert asyncio.run(judge.compare(QUESTION)).choice is Choice.FIRST


def test_a_closed_gate_asks_nothing_and_keeps_the_first_reason():
    gate = Gate()
    gate.close("enough")
    gate.close("later")
    asked = []
    judge = gate.guard(FunctionJudge(lambda *parts: asked.append(parts)))
    with pytest.raises(GateClosed, match="enough"):
        asyncio.run(judge.compare(QUESTION))
    assert asked == []


def test_what_is_under_way_is_answered_after_closing_but_not_after_abandoning():
    async def run(stop):
        gate, begun, go_on = Gate(), asyncio.Event(), asyncio.Event()

        async def slow(first, second, criteria):
            begun.set()
            await go_on.wait()
            return "second"

        answer = asyncio.create_task(gate.guard(FunctionJudge(slow)).compare(QUESTION))
        await begun.wait()
        stop(gate)
        await asyncio.sleep(0)
        if not gate.abandoned:
            go_on.set()
        return await answer

    assert asyncio.run(run(lambda gate: gate.close("enough"))).choice is Choice.SECOND
    with pytest.raises(GateClosed, match="interrupted"):
        asyncio.run(run(Gate.abandon))
