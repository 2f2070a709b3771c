"""A match that takes too long at a worker does not hold up the others, on a virtual clock."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import virtual_time
from paragone.domain import Item, Question, RatingConfig, Verdict
from paragone.judges.base import Judge, JudgeCard, Wrapper, uniform
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.ledger.records import AskedQuestion, WorkerRecord
from paragone.tournaments.state.rounds import PlanOrder
from paragone.tournaments.tournament import Tournament
from paragone.workers.judge_list import announced
from paragone.workers.local import LocalJobs, serve_jobs
from paragone.workers.planner import JudgedByWorkers

ITEMS = {f"i{number:02}": f"item {number}" for number in range(16)}
QUICK = CallOptions(concurrency=6, attempts=1, wait=0.001)


class Stuck(Wrapper):
    """A judge that is no model, so not asked twice; one call takes 40 seconds."""

    @property
    def card(self) -> JudgeCard:
        return replace(super().card, sends=False)

    async def compare(self, question: Question) -> Verdict:
        await asyncio.sleep(40.0 if question.call == "2.1.1" else 1.0 + uniform(question.call))
        return await super().compare(question)


@dataclass(frozen=True)
class Listed:
    """A judge on a list, opened already."""

    spec: Judge
    price: None = None

    def open(self) -> Judge:
        return self.spec


class Child:
    """A worker process, as its planner sees it; it runs in the same event loop, on the same ledger."""

    def __init__(self, ledger: Ledger, judges: Any) -> None:
        self.lines, self.told = asyncio.StreamReader(), asyncio.StreamReader()
        self.stdin, self.stdout, self.returncode = self, self.told, None
        self.task = asyncio.create_task(self._serve(ledger, judges))

    async def _serve(self, ledger: Ledger, judges: Any) -> None:
        await self.lines.readline()
        await serve_jobs(ledger, judges, 6, self.lines.readline, lambda line: self.told.feed_data(line.encode()))

    def write(self, line: bytes) -> None:
        self.lines.feed_data(line)

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        self.lines.feed_eof()

    async def wait(self) -> None:
        await self.task
        self.returncode = 0


def judged(path: Path, judge: Judge) -> JudgedByWorkers:
    def jobs(ledger: Ledger, tournament: str, size: int) -> LocalJobs:
        async def start(_: str) -> Child:
            return Child(ledger, {"stuck": Listed(judge)})

        return LocalJobs(ledger, str(path), tournament, size, judges={}, processes=1, concurrency=6, start=start)

    return JudgedByWorkers(announced("stuck", judge), jobs)


def test_a_match_that_hangs_at_a_worker_is_set_aside_and_counts_where_its_answer_comes(tmp_path: Path) -> None:
    judge = Stuck(SimulatedJudge({id: 0.4 * number for number, id in enumerate(ITEMS)}, noise=0.7, seed=5))
    path = tmp_path / "ledger.db"
    options: Any = {"seed": 3, "budget": 32, "confidence": 0.9999}
    with Tournament.create(ITEMS, judge=judged(path, judge), criteria="larger", db=path, **options) as tournament:
        virtual_time.run(lambda: tournament.arun(pace=QUICK))
        ids = [match.id for match in tournament.state.played]
        asides = [event.detail for event in tournament.state.events if event.kind == "aside"]
        assert tournament.audit().ok
        order = PlanOrder.of(tournament.state.rounds, ids, tournament.state.events)
    (aside,) = asides
    assert (aside["match"], aside["reason"]) == ("2.1", "slow")
    assert order.records_at(order.rounds.place("2.1") + 1) == aside["after"]
    assert ids.index("2.1") > ids.index("2.2") + 5
    assert len(ids) == 32


@pytest.mark.parametrize("after", ["taken again", "given back"])
def test_a_question_that_takes_too_long_is_overdue_until_it_is_done_or_somebody_elses(
    tmp_path: Path, after: str
) -> None:
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        items = tuple(Item(id=id, text=id) for id in "ab")
        pool = ledger.tournaments.create("t", settings={}, items=items, config=RatingConfig()).pool
        for name in ("v", "w"):
            ledger.remote_judging.register(WorkerRecord(worker=name, host="h", process=1, concurrency=4), [])
        calls = ["1.1.1", "1.2.1", "1.3.1"]
        questions = [AskedQuestion(call=call, judge="j", shown=("a", "b"), turns=0) for call in calls]
        ledger.remote_judging.ask(pool, questions, lambda *_: None)
        ledger.remote_judging.take(pool, calls, "w")
        ledger.remote_judging.beat("v", calls=0, answered=0, failed=0, overdue={pool: calls[:1]})
        assert ledger.remote_judging.overdue(pool) == frozenset(), "they are not its own"
        ledger.remote_judging.beat("w", calls=3, answered=0, failed=0, overdue={pool: calls[:2], "another": calls})
        assert ledger.remote_judging.overdue(pool) == set(calls[:2])
        assert [worker.tournaments for worker in ledger.remote_judging.workers()] == [{}, {pool: 3}]
        if after == "taken again":
            assert len(ledger.remote_judging.take(pool, calls[:1], "v")) == 1
        else:
            ledger.remote_judging.give_back(pool, calls[:1], lambda *_: None)
        ledger.remote_judging.finish(pool, {calls[1]: {"kind": "answered"}})
        assert ledger.remote_judging.overdue(pool) == frozenset()
