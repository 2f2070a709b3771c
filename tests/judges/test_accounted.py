"""Each attempt without an answer is told as it ends, by the name of who failed."""

import asyncio
from dataclasses import replace

import pytest

from paragone.domain import Choice, Usage
from paragone.errors import JudgeFailed
from paragone.judges import MemoryVerdicts
from paragone.judges.base import Wrapper
from paragone.judges.debates.debate import AdvocateAsJudge
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.panel_judge import PanelJudge
from paragone.judges.retrying import Accounted
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.judges.stack import Stack

EVEN = {"x": 0.0, "y": 0.0}


class Failing(Wrapper):
    """Fails so many times with what it is given, then answers."""

    def __init__(self, *failures):
        super().__init__(SimulatedJudge(EVEN, seed=1))
        self.failures = list(failures)

    async def compare(self, question):
        if self.failures:
            raise self.failures.pop(0)
        return await super().compare(question)


def told_of(judge, question, **options):
    told = []
    stack = Stack(
        store=MemoryVerdicts(), wait=0.0, on_lost=lambda asked, verdict: told.append(verdict), **options
    ).around(judge)
    return told, asyncio.run(stack.compare(question()))


def test_each_failed_attempt_is_told_and_the_answer_says_what_its_own_took(question):
    failures = [JudgeFailed("cut", tokens=(100, 10), cost=0.5), JudgeFailed("429", tokens=(0, 0)), JudgeFailed("hung")]
    told, answer = told_of(Failing(*failures), question, attempts=4)
    assert [verdict.usage for verdict in told] == [
        Usage(calls=1, input_tokens=100, output_tokens=10, cost=0.5), Usage(calls=1, cost=0.0), Usage(calls=1),
    ]  # fmt: skip
    assert [verdict.error for verdict in told] == ["cut", "429", "hung"]
    assert {verdict.choice for verdict in told} == {Choice.FAILED}
    assert answer.usage.calls == 1


def test_nobody_who_was_not_asked_is_told_of(question):
    told, answer = told_of(Failing(JudgeFailed("it rests", retryable=False, attempts=0)), question)
    assert (told, answer.choice) == ([], Choice.FAILED)


def test_a_function_fails_without_a_request(question):
    def broken(first, second, criteria):
        raise OSError("broken")

    told, _ = told_of(FunctionJudge(broken), question, attempts=2)
    assert [(verdict.usage.calls, verdict.usage.cost) for verdict in told] == [(0, None)] * 2


def test_a_member_of_a_panel_fails_by_its_own_name(question):
    members = [SimulatedJudge(EVEN, seed=1, failures=1.0), SimulatedJudge(EVEN, seed=2, failures=1.0)]
    told, _ = told_of(PanelJudge(members), question, attempts=1)
    assert told[0].judge in {member.card.identity for member in members}


def test_an_advocate_fails_by_its_own_name(question):
    advocate, told = ScriptedAdvocate(failures=1.0), []
    judge = Accounted(AdvocateAsJudge(advocate), lambda asked, verdict: told.append(verdict))
    with pytest.raises(JudgeFailed):
        asyncio.run(judge.compare(replace(question(), turns=2)))
    assert [verdict.judge for verdict in told] == [advocate.identity]


def test_what_is_cut_off_while_a_model_works_is_a_request_of_which_nothing_more_is_known(question):
    told = []

    async def cut(judge):
        asking = asyncio.create_task(Accounted(judge, lambda asked, verdict: told.append(verdict)).compare(question()))
        await asyncio.sleep(0.01)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    async def slow(first, second, criteria):
        await asyncio.sleep(30)

    asyncio.run(cut(SimulatedJudge(EVEN, delay=30.0)))
    assert [verdict.usage for verdict in told] == [Usage(calls=1)]
    asyncio.run(cut(FunctionJudge(slow)))
    assert len(told) == 1, "a function sends nothing"
