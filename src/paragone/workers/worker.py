"""A worker: announces its judges, gives signs of life, and answers the questions of the jobs that it gets."""

import asyncio
import os
import platform
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial

from paragone.errors import Busy, LedgerError, NotFound, UnknownJudge, UsageError
from paragone.judges.limits import Slots
from paragone.ledger import Ledger
from paragone.ledger.namespaces.remote_judging import Also
from paragone.ledger.records import AskedQuestion, WorkerRecord
from paragone.tournaments.running.control import Gate
from paragone.workers.answering import TournamentJudging
from paragone.workers.batching import BatchRunner, patiently
from paragone.workers.judge_list import JudgeList, announced
from paragone.workers.outcomes import ANSWERED, FAILED, REFUSED, AnswerNotes

BEAT = 1.0
"""Seconds between two signs of life."""


class Worker:
    """Answers questions of any tournament of a ledger, with the judges on its list.

    Args:
        ledger: The ledger.
        judges: The judges.
        concurrency: Calls in flight at the most.
        give_back: Queues questions that are left when the worker ends.
        say: Tells the user something.

    Attributes:
        id: Its id.
        gate: Close it to end: calls under way are finished, other questions handed back.
        answered: Questions answered.
        failed: Questions that could not be answered.
        handed_back: Questions handed back.
        in_hand: Questions taken whose answers are not on record yet.
    """

    def __init__(
        self,
        ledger: Ledger,
        judges: JudgeList,
        *,
        concurrency: int,
        give_back: Callable[[str], Also],
        say: Callable[[str], None] = lambda words: None,  # noqa: ARG005
    ) -> None:
        self.id = uuid.uuid4().hex
        self.gate = Gate()
        self.answered = self.failed = self.handed_back = self.in_hand = 0
        self._ledger, self._judges, self._concurrency = ledger, judges, concurrency
        self._give_back, self._say = give_back, say
        self._slots = Slots(concurrency)
        self._open: dict[str, TournamentJudging] = {}
        self._opening = asyncio.Lock()
        self._done: dict[str, BatchRunner[tuple[str, dict[str, object]], None]] = {}
        self._heard = time.monotonic()
        self._is_away = False

    @property
    def jobs(self) -> int:
        """Jobs to take at once, when each has half as many questions as the worker may ask."""
        return 3 if self._concurrency > 1 else 2

    def register(self) -> None:
        """Announce the worker and its judges.

        Raises:
            InvalidConfig: If another worker has another judge under one of these names.
            UsageError: If a judge cannot be opened.
        """
        record = WorkerRecord(worker=self.id, host=platform.node(), process=os.getpid(), concurrency=self._concurrency)
        self._ledger.remote_judging.register(
            record, [announced(name, listed.open()) for name, listed in self._judges.items()]
        )

    async def beat(self) -> None:
        """Give signs of life until cancelled."""
        while True:
            overdue = {tournament: judging.overdue() for tournament, judging in self._open.items()}
            try:
                await asyncio.to_thread(self._beat, {id: calls for id, calls in overdue.items() if calls})
            except (LedgerError, Busy):
                self._note_contact(is_away=True)
            else:
                self._heard = time.monotonic()
                self._note_contact(is_away=False)
            await asyncio.sleep(BEAT)

    def _note_contact(self, *, is_away: bool) -> None:
        if is_away is not self._is_away:
            self._is_away = is_away
            self._say("the ledger cannot be reached; trying again until it can" if is_away else "the ledger is back")

    @property
    def silence(self) -> float:
        """Seconds since the ledger last took a sign of life."""
        return time.monotonic() - self._heard

    def _beat(self, overdue: Mapping[str, Collection[str]]) -> None:
        """Say what it does, and which calls take too long, so that their planner can go on without them."""
        self._ledger.remote_judging.beat(
            self.id, calls=self._slots.held, answered=self.answered, failed=self.failed, overdue=overdue
        )

    async def do(self, tournament: str, calls: list[str]) -> None:
        """Do a job: ask those of its questions that have no answer; returns when their answers are on record."""
        questions = await patiently(lambda: self._ledger.remote_judging.take(tournament, calls, self.id))
        if not questions:
            return
        try:
            judging = await self._judging(tournament)
            wrong = next((question for question in questions if question.judge != judging.terms.judge), None)
            if wrong is not None:
                raise UnknownJudge(f"a job asks for the judge {wrong.judge!r}, its tournament for another")
        except UsageError as error:
            await self._refuse(tournament, questions, str(error))
            return
        await patiently(lambda: judging.read_items(questions))
        results = await asyncio.gather(*(self._answer(tournament, judging, question) for question in questions))
        back = [question.call for question, answered in zip(questions, results, strict=True) if not answered]
        if back:
            also = self._give_back(tournament)
            await patiently(lambda: self._ledger.remote_judging.give_back(tournament, back, also))
            self.handed_back += len(back)

    async def _refuse(self, tournament: str, questions: Sequence[AskedQuestion], why: str) -> None:
        self._say(f"a job of {tournament} was refused: {why}")
        self.failed += len(questions)
        outcomes = {question.call: AnswerNotes().ended(REFUSED, why) for question in questions}
        await patiently(lambda: self._ledger.remote_judging.finish(tournament, outcomes))

    async def _judging(self, tournament: str) -> TournamentJudging:
        """The judge of a tournament in its wrappers, by the terms of now."""
        async with self._opening:
            terms = await patiently(lambda: self._ledger.remote_judging.terms(tournament))
            judging = self._open.get(tournament)
            if judging is None or not _same(judging.terms, terms):
                opened = partial(
                    TournamentJudging,
                    self._ledger,
                    tournament,
                    terms,
                    self._judges,
                    worker=self.id,
                    gate=self.gate,
                    slots=self._slots,
                    concurrency=self._concurrency,
                )
                judging = await patiently(opened)  # or a job taken while the ledger goes away is never done
                self._open[tournament] = judging
            judging.note_outages(terms)
            return judging

    async def _answer(self, tournament: str, judging: TournamentJudging, question: AskedQuestion) -> bool:
        """Whether a question was asked, rather than left since the worker ends."""
        self.in_hand += 1
        try:
            outcome = await asyncio.create_task(judging.answer(question))
        except NotFound as error:
            outcome = AnswerNotes().ended(REFUSED, str(error))
        finally:
            self.in_hand -= 1
        if outcome is None:
            return False
        self.answered += outcome["kind"] == ANSWERED
        self.failed += outcome["kind"] in (FAILED, REFUSED)
        await self._finished(tournament).add((question.call, outcome))
        return True

    def _finished(self, tournament: str) -> BatchRunner[tuple[str, dict[str, object]], None]:
        def write(entries: Sequence[tuple[str, dict[str, object]]]) -> Sequence[None]:
            self._ledger.remote_judging.finish(tournament, dict(entries))
            return [None] * len(entries)

        return self._done.setdefault(tournament, BatchRunner(write))

    async def close(self) -> None:
        """End, when all that was answered is on record."""
        for judging in self._open.values():
            await judging.close()
        with suppress(LedgerError, Busy):
            await asyncio.to_thread(self._ledger.remote_judging.leave, self.id)


def _same(old: object, new: object) -> bool:
    from dataclasses import replace

    return replace(old, outages={}) == replace(new, outages={})  # type: ignore[type-var]
