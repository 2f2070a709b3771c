"""A judge and an advocate whose answers follow from the question, and delays and failures from the seed."""

import asyncio
from typing import TYPE_CHECKING

from paragone.domain import Choice, DebateTurn, Question, Speaker, Stage, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import DebateCard, JudgeCard, ListCard, uniform
from simulator.scenario import COST

if TYPE_CHECKING:
    from simulator.part import Part

_NEVER = 100_000.0


class SimulatedModel:
    """A model behind an endpoint, as far as the stack of judges knows.

    Args:
        process: The process that asks it.
    """

    def __init__(self, process: "Part") -> None:
        self._process = process
        lists = ListCard(identity="model:simulated/lists")
        debates = DebateCard(identity="model:simulated/debates")
        self.card = JudgeCard(identity="model:simulated", reads_ids=True, lists=lists, debates=debates)

    async def compare(self, question: Question) -> Verdict:
        """Answer in the time and manner that the seed says."""
        await _answered(self._process, question.call, question.call)
        return answer(question, self.card)

    def price(self, question: Question) -> float | None:
        """The same for each call."""
        return COST

    async def close(self) -> None:
        """Nothing to give back."""


class SimulatedAdvocate:
    """An advocate that says what follows from the question and the turns before; it fails as the model does.

    Args:
        process: The process that asks it.
    """

    identity = "advocate:simulated"

    def __init__(self, process: "Part") -> None:
        self._process = process

    def prompt_hash(self, stage: Stage) -> None:
        """There is no prompt."""

    async def argue(
        self, question: Question, speaker: Speaker, stage: Stage, so_far: tuple[DebateTurn, ...]
    ) -> DebateTurn:
        """Speak in the time and manner that the seed says."""
        number = len(so_far) + 1
        await _answered(self._process, turn_of(question.call, number), question.call)
        return DebateTurn(
            call=question.call,
            number=number,
            speaker=speaker,
            stage=stage,
            content=f"{speaker} {stage} after {len(so_far)} turns on {[item.id for item in question.items]}",
            claims=(f"claim {number}",),
            rebuttals=(),
            evidence=(),
            advocate=self.identity,
            usage=Usage(calls=1, input_tokens=100, output_tokens=50, cost=COST),
        )

    def price(self, question: Question) -> float | None:
        """The same for each turn."""
        return COST

    async def close(self) -> None:
        """Nothing to give back."""


def turn_of(call: str, number: int) -> str:
    """What stands for a turn where a call stands for a verdict."""
    return f"{call}/{number}"


async def _answered(process: "Part", key: str, call: str) -> None:
    """Be asked, and answer in time or fail. What is paid for is ``key``; failures are recorded for ``call``."""
    record = process.world.record
    attempt = record.asked(process, key)
    process.step("ask", f"{key} attempt {attempt}")
    try:
        await asyncio.sleep(_seconds(process, key, attempt))
        _fail(process, key, call, attempt)
    except asyncio.CancelledError:
        if not process.is_dead:
            record.lost(process, call)
            process.trace(f"cut off {key} attempt {attempt}")
        raise
    finally:
        record.ended(process, key)
    record.answered(process, key)
    process.step("answer", f"{key} attempt {attempt}")


def _seconds(process: "Part", key: str, attempt: int) -> float:
    seed, faults = process.world.scenario.seed, process.world.judge_faults
    drawn, chance = uniform("seconds", seed, key, attempt), uniform("slow", seed, key, attempt)
    if chance < faults.hangs:
        return _NEVER
    return 60.0 if chance < faults.hangs + faults.slow else 0.3 + 1.5 * drawn


def _fail(process: "Part", key: str, call: str, attempt: int) -> None:
    seed, faults = process.world.scenario.seed, process.world.judge_faults
    chance = uniform("failure", seed, key, attempt)
    if chance >= faults.fails:
        return
    process.world.record.lost(process, call)
    process.trace(f"failed {key} attempt {attempt}")
    kind = chance / faults.fails
    wait = 100.0 if kind < 0.05 else 5.0 if kind < 0.4 else None
    raise JudgeFailed(f"failure of {key}, attempt {attempt}", retry_after=wait, retryable=kind < 0.9, tokens=(0, 0))


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
