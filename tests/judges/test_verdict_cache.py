"""The verdict cache: what the key covers, what is kept, what is asked once."""

import asyncio
import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Choice, Item, Question, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges import Cached, JudgeCard, MemoryVerdicts, Settled, verdict_key
from paragone.judges.base import uniform
from paragone.judges.simulated_judge import SimulatedJudge

CARD = JudgeCard(identity="judge")
READER = JudgeCard(identity="judge", reads_ids=True)
EVEN = {"x": 0.0, "y": 0.0}


def test_the_key_is_sha_256_over_one_json_array(question):
    x, y = (hashlib.sha256(f"text of {name}".encode()).hexdigest() for name in "xy")
    parts = ["paragone verdict 1", [x, y], None, "clarity", "judge", "single_turn"]
    expected = hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()
    assert verdict_key(question("x", "y"), CARD) == expected


def test_the_key_tells_apart_what_may_change_the_answer_and_nothing_else(question):
    asked = question("x", "y")
    texts = {"x": "same", "y": "same"}
    others = [
        verdict_key(question("y", "x"), CARD),
        verdict_key(question("x", "z"), CARD),
        verdict_key(question("x", "y", criteria="wit"), CARD),
        verdict_key(asked, JudgeCard(identity="other")),
        verdict_key(asked, READER),
        verdict_key(replace(asked, turns=3), CARD),
        verdict_key(asked, CARD),
    ]
    assert len(set(others)) == len(others)
    assert verdict_key(question("x", "y", "other call"), CARD) == verdict_key(asked, CARD)
    assert verdict_key(question("x", "y", texts=texts), CARD) == verdict_key(
        question("p", "q", texts={"p": "same", "q": "same"}), CARD
    )
    assert verdict_key(question("x", "y", texts=texts), READER) != verdict_key(question("y", "x", texts=texts), READER)


words = st.text(max_size=3)
questions = st.builds(
    Question, call=st.just(""), first=st.builds(Item, id=st.just("1"), text=words),
    second=st.builds(Item, id=st.just("2"), text=words), criteria=words,
)  # fmt: skip


@given(questions, questions, words, words)
def test_no_two_questions_run_together(one, other, judge, another):
    same = one == other and judge == another
    assert (verdict_key(one, JudgeCard(identity=judge)) == verdict_key(other, JudgeCard(identity=another))) == same


def test_a_second_asking_is_answered_from_the_store(ask):
    store = MemoryVerdicts()
    judge = Cached(SimulatedJudge({"x": 9.0, "y": 0.0}, cost=0.1), store)
    first, again, turned = ask(judge, "x", "y"), ask(judge, "x", "y", "m2"), ask(judge, "y", "x")
    assert (first.cached, first.usage.calls, first.usage.cost) == (False, 1, 0.1)
    assert again == replace(first, cached=True, usage=Usage(calls=0, cost=0.0))
    assert (turned.choice, turned.cached) == (Choice.SECOND, False)
    assert len(store) == 2


def test_abstentions_are_answers_and_are_kept(ask):
    judge = Cached(SimulatedJudge(EVEN, abstentions=1.0), MemoryVerdicts())
    assert [ask(judge).cached, ask(judge).cached] == [False, True]


def test_failures_are_not_kept(ask):
    store = MemoryVerdicts()
    failing = SimulatedJudge(EVEN, failures=1.0)
    with pytest.raises(JudgeFailed):
        ask(Cached(failing, store))
    assert ask(Cached(Settled(failing), store)).choice is Choice.FAILED
    assert len(store) == 0
    assert ask(Cached(SimulatedJudge(EVEN), store)).choice.is_evidence


def test_the_store_decides_what_is_found(ask):
    class Constant:
        kept = 0

        def find(self, question, key):
            return Verdict(choice=Choice.TIE, judge=key) if question.call == "known" else None

        def keep(self, question, key, verdict):
            self.kept += 1

    store = Constant()
    judge = Cached(SimulatedJudge(EVEN), store)
    found = ask(judge, call="known")
    assert (found.choice, found.cached, len(found.judge), store.kept) == (Choice.TIE, False, 64, 0)
    ask(judge, call="unknown")
    assert store.kept == 1


def test_the_same_question_twice_at_once_is_asked_once(question):
    judge = Cached(SimulatedJudge(EVEN, delay=0.01), MemoryVerdicts())

    async def run():
        return await asyncio.gather(*(judge.compare(question(call=f"m{n}")) for n in range(3)))

    assert sorted(verdict.usage.calls for verdict in asyncio.run(run())) == [0, 0, 1]


def test_a_failure_leaves_the_next_in_line_to_ask(question):
    # A seed with which the first call fails and the second does not.
    seed = next(n for n in range(99) if uniform("failure", n, "m0", 1) < 0.5 <= uniform("failure", n, "m1", 1))
    judge = Cached(SimulatedJudge(EVEN, failures=0.5, delay=0.001, seed=seed), MemoryVerdicts())

    async def run():
        asked = (judge.compare(question(call=f"m{n}")) for n in range(4))
        return await asyncio.gather(*asked, return_exceptions=True)

    results = asyncio.run(run())
    assert isinstance(results[0], JudgeFailed)
    assert [verdict.cached for verdict in results[1:]] == [False, True, True]
