"""A judge whose answers follow from the question alone, and whose delays and failures follow from the seed."""

import asyncio
from typing import TYPE_CHECKING

from paragone.domain import Choice, Question, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import JudgeCard, ListCard, uniform
from simulator.scenario import COST

if TYPE_CHECKING:
    from simulator.process import Process

_NEVER = 100_000.0


class SimulatedModel:
    """A model behind an endpoint, as far as the stack of judges knows.

    Args:
        process: The process that asks it.
    """

    def __init__(self, process: "Process") -> None:
        self._process = process
        lists = ListCard(identity="model:simulated/lists")
        self.card = JudgeCard(identity="model:simulated", reads_ids=True, lists=lists)

    async def compare(self, question: Question) -> Verdict:
        """Answer in the time and manner that the seed says."""
        process, call = self._process, question.call
        attempt = process.world.record.asked(process, question)
        process.step("ask", f"{call} attempt {attempt}")
        try:
            await asyncio.sleep(self._seconds(process, call, attempt))
            self._fail(process, call, attempt)
        except asyncio.CancelledError:
            if not process.is_dead:
                process.world.record.lost(process, call)
                process.trace(f"cut off {call} attempt {attempt}")
            raise
        finally:
            process.world.record.ended(process, call)
        process.world.record.answered(process, call)
        process.step("answer", f"{call} attempt {attempt}")
        return answer(question, self.card)

    def _seconds(self, process: "Process", call: str, attempt: int) -> float:
        seed, faults = process.world.scenario.seed, process.world.judge_faults
        drawn, chance = uniform("seconds", seed, call, attempt), uniform("slow", seed, call, attempt)
        if chance < faults.hangs:
            return _NEVER
        return 60.0 if chance < faults.hangs + faults.slow else 0.3 + 1.5 * drawn

    def _fail(self, process: "Process", call: str, attempt: int) -> None:
        seed, faults = process.world.scenario.seed, process.world.judge_faults
        chance = uniform("failure", seed, call, attempt)
        if chance >= faults.fails:
            return
        process.world.record.lost(process, call)
        process.trace(f"failed {call} attempt {attempt}")
        kind = chance / faults.fails
        wait = 100.0 if kind < 0.05 else 5.0 if kind < 0.4 else None
        raise JudgeFailed(
            f"failure of {call}, attempt {attempt}", retry_after=wait, retryable=kind < 0.9, tokens=(0, 0)
        )

    def price(self, question: Question) -> float | None:
        """The same for each call."""
        return COST

    async def close(self) -> None:
        """Nothing to give back."""


def answer(question: Question, card: JudgeCard) -> Verdict:
    """The answer to a question, which depends on nothing else."""
    ids = [item.id for item in question.items]
    strength = {id: int(id[1:]) + 2.5 * uniform("noise", id, *ids) for id in ids}
    usage = Usage(calls=1, input_tokens=100, output_tokens=5, cost=COST)
    judge = card.identity_for(question)
    if question.others:
        order = tuple(sorted(range(len(ids)), key=lambda place: -strength[ids[place]]))
        return Verdict(choice=Choice.RANKED, judge=judge, order=order, usage=usage)
    first, second = (strength[id] for id in ids)
    choice = Choice.TIE if abs(first - second) < 0.2 else Choice.FIRST if first > second else Choice.SECOND
    return Verdict(choice=choice, judge=judge, rationale=f"{ids}", usage=usage)
