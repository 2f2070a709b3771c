"""The planner's side: a judge whose questions go to workers, and come back as answers in the ledger."""

import asyncio
import functools
import os
import platform
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

from sqlalchemy import Connection

from paragone.domain import Choice, DebateTurn, Question, Speaker, Stage, Usage, Verdict
from paragone.errors import BudgetSpent, Busy, InvalidConfig, JudgeFailed, LedgerError
from paragone.judges.availability import Discovery, Outage
from paragone.judges.base import JudgeCard
from paragone.judges.budget import filled
from paragone.judges.debates.debate import Advocate
from paragone.ledger import Ledger
from paragone.ledger.namespaces.remote_judging import DEAD_AFTER
from paragone.ledger.records import AnnouncedJudge, AskedQuestion, JudgingTerms, WorkerRecord
from paragone.tournaments.running.control import ASKING, GateClosed
from paragone.tournaments.running.delegation import WORKERS_PREFIX, DelegatedRun
from paragone.tournaments.running.recording import is_temporary
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.workers.batching import ended, patiently
from paragone.workers.judge_list import card_of
from paragone.workers.outcomes import ANSWERED, FAILED, SPENT, failed_verdict, failure_of

LARGEST_JOB = 25
"""Questions in a job, at the most."""
LOOK_FOR_LOST = 5.0
"""Seconds between two looks for questions that are gone, though nobody has told their outcome here."""
LOOK_AGAIN = 0.5
"""Seconds until outcomes are looked for again that could not be read."""
ANNOUNCED_WAIT = 0.3
"""Seconds between two looks for a worker that has the judge."""


class Jobs(Protocol):
    """How questions get to workers."""

    def add(self, connection: Connection, questions: Sequence[AskedQuestion]) -> None:
        """Queue jobs for questions, in the transaction that writes these."""
        ...

    async def watch(self, wake: Callable[[], None]) -> None:
        """Wake the planner when questions may be done, and give those of dead workers to others; until cancelled."""
        ...


NewJobs = Callable[[Ledger, str, int], Jobs]
"""Makes the queue of a tournament, given the ledger, the tournament and the size of a job."""
Announce = Callable[[TournamentSettings], AnnouncedJudge]
"""What workers say of a judge under the settings of a tournament, such as its seed."""


class JudgedByWorkers:
    """A judge that workers have, under a name.

    Args:
        announced: What the workers say of it.
        new_jobs: How questions get to them.
        spec: See below; by default the name at the workers.
        announce: What they say of it under a tournament's settings; None where only they know.

    Attributes:
        spec: What the settings of its tournaments name.
    """

    def __init__(
        self, announced: AnnouncedJudge, new_jobs: NewJobs, *, spec: str = "", announce: Announce | None = None
    ) -> None:
        self.spec = spec or WORKERS_PREFIX + announced.name
        self._announced, self._new_jobs, self._announce = announced, new_jobs, announce
        self._card = card_of(announced)
        self._askers: list[Asker] = []

    @property
    def card(self) -> JudgeCard:
        """Its card, as workers announced it."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Refused: only a run can have questions asked.

        Raises:
            JudgeFailed: Always.
        """
        raise JudgeFailed(f"{self.spec} answers the questions of a run only, not {question.call}", attempts=0)

    def price(self, question: Question) -> float | None:  # noqa: ARG002 - workers know more
        """Price of a call of usual length, in US dollars."""
        return self._announced.price

    def under(self, settings: TournamentSettings) -> "JudgedByWorkers":
        """The judge with the card that it has under these settings, as far as that is known here."""
        if self._announce is None:
            return self
        return JudgedByWorkers(self._announce(settings), self._new_jobs, spec=self.spec)

    def delegate(self, run: DelegatedRun) -> "Asker":
        """The judge that has a run's questions asked."""
        asker = Asker(self, run, self._announced.name, self._new_jobs)
        self._askers.append(asker)
        return asker

    def own_advocate(self) -> Advocate:
        """Its own model as an advocate, of which only the identity is known here."""
        return _RemoteAdvocate(self._announced)

    async def close(self) -> None:
        """End what its runs have going on."""
        for asker in self._askers:
            await asker.close()
        self._askers = []


class _RemoteAdvocate:
    def __init__(self, announced: AnnouncedJudge) -> None:
        self._announced = announced

    @property
    def identity(self) -> str:
        return self._announced.advocate

    def prompt_hash(self, stage: Stage) -> str | None:  # noqa: ARG002
        return None

    async def argue(
        self, question: Question, speaker: Speaker, stage: Stage, transcript: tuple[DebateTurn, ...]
    ) -> DebateTurn:
        raise JudgeFailed(
            f"{self.identity} speaks at workers only: {question.call} {speaker} {stage} {len(transcript)}"
        )

    def price(self, question: Question) -> float | None:  # noqa: ARG002
        return self._announced.price

    async def close(self) -> None:
        """Nothing to do."""


class Asker:
    """Has the questions of one run asked by workers; failures are verdicts.

    Questions that come in the same turn of the event loop are written together, as rows and jobs in one transaction. A
    question that is there already, from a planner that died, is waited for and not asked again.

    Args:
        judge: The judge.
        run: The run.
        name: Its name at the workers.
        new_jobs: How questions get to them.
    """

    def __init__(self, judge: JudgedByWorkers, run: DelegatedRun, name: str, new_jobs: NewJobs) -> None:
        self._judge, self._run, self._name, self._new_jobs = judge, run, name, new_jobs
        self._ledger, self._tournament = run.ledger, run.tournament
        self._new: list[tuple[AskedQuestion, bool]] = []
        self._awaited: dict[str, asyncio.Future[Verdict | Mapping[str, Any]]] = {}
        self._written: dict[str, AskedQuestion] = {}
        self._overdue: frozenset[str] = frozenset()
        self._is_held_up = False
        self._jobs: Jobs | None = None
        self._starting = asyncio.Lock()
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[Any]] = []
        self._asking: asyncio.Task[None] | None = None

    @property
    def card(self) -> JudgeCard:
        """The judge's card."""
        return self._judge.card

    def price(self, question: Question) -> float | None:
        """As the judge says."""
        return self._judge.price(question)

    async def compare(self, question: Question) -> Verdict:
        """The answer of a worker.

        Raises:
            BudgetSpent: If the budget of all workers together did not cover it.
            GateClosed: If the run was stopped before a worker had taken it.
            InvalidConfig: If workers refuse it.
        """
        await self._start()
        future = self._awaited.get(question.call)
        if future is None:
            future = self._awaited[question.call] = asyncio.get_running_loop().create_future()
            ids = tuple(item.id for item in question.items)
            row = AskedQuestion(
                call=question.call,
                judge=self._name,
                shown=ids,
                turns=question.turns,
                panel=question.panel,
                level=question.level,
            )
            self._put([(row, ASKING.get().fresh)])
        answer = await asyncio.shield(future)
        return answer if isinstance(answer, Verdict) else self._told(question, answer)

    async def ready(self) -> None:
        """Announce this planner and watch for answers; while the ledger is away, the first question does that."""
        with suppress(LedgerError, Busy):
            await self._start()

    def overdue(self) -> frozenset[str]:
        """The calls that take too long by what their workers say, as of the last look; another look follows."""
        self._is_held_up = True
        self._wake.set()
        return self._overdue

    def _put(self, questions: list[tuple[AskedQuestion, bool]]) -> None:
        self._new += questions
        if questions and (self._asking is None or self._asking.done()):
            self._asking = asyncio.create_task(self._ask())

    async def _start(self) -> None:
        async with self._starting:
            if self._jobs is not None:
                return
            workers = await asyncio.to_thread(self._workers)
            size = max(1, min(LARGEST_JOB, min(workers, default=2) // 2))
            self._jobs = await asyncio.to_thread(self._opened, size)
            works: list[Awaitable[None]] = [self._jobs.watch(self._wake.set), self._collect(), self._withdraw()]
            for work in works:
                task = asyncio.ensure_future(work)
                task.add_done_callback(self._broken)
                self._tasks.append(task)

    def _workers(self) -> list[int]:
        return [each.concurrency for each in living(self._ledger) if self._name in each.judges]

    def _opened(self, size: int) -> Jobs:
        run, pace = self._run, self._run.pace
        system = run.settings.system
        spent = filled(self._ledger.tournaments.spending(self._tournament))
        options = {
            "per_minute": pace.per_minute,
            "timeout": pace.timeout if system is None else min(pace.timeout, system.scheduling.timeout_per_match),
            "attempts": pace.attempts,
            "wait": pace.wait,
            "is_new": not spent.decisions,
        }
        terms = JudgingTerms(
            judge=self._name,
            options=options,
            max_tokens=run.settings.max_tokens,
            max_cost=run.settings.max_cost,
        )
        planner = f"process {os.getpid()} on {platform.node()}"
        self._ledger.remote_judging.open(
            self._tournament, terms, planner, tokens=spent.tokens, cost=spent.dollars or 0.0
        )
        return self._new_jobs(self._ledger, self._tournament, size)

    def _broken(self, task: "asyncio.Task[Any]") -> None:
        """Pass an error in the background on to whoever waits."""
        if task.cancelled() or task.exception() is None or isinstance(task.exception(), GateClosed):
            return
        for future in self._awaited.values():
            if not future.done():
                future.set_exception(task.exception() or RuntimeError("no answer"))

    async def _ask(self) -> None:
        """Write what waits to be asked."""
        while self._new:
            await asyncio.sleep(0)  # until all that is planned together is here
            batch, self._new = self._new, []
            adding = functools.partial(self._add, batch)
            (recorded,) = await asyncio.gather(patiently(adding), return_exceptions=True)
            if isinstance(recorded, BaseException):
                for question, _ in batch:
                    self._resolve(question.call, recorded)
                continue
            self._written |= {question.call: question for question, _ in batch if question.call in self._awaited}
            for call, verdict in recorded.items():
                self._resolve(call, verdict)
            self._wake.set()  # some may have been done before

    def _add(self, batch: Sequence[tuple[AskedQuestion, bool]]) -> dict[str, Verdict]:
        """Add questions without an answer; the answers of the others."""
        jobs = self._jobs
        if jobs is None:
            raise RuntimeError("the queue is not open")
        old = [question.call for question, is_fresh in batch if not is_fresh]
        recorded = self._ledger.remote_judging.answers(self._tournament, old) if old else {}
        self._ledger.remote_judging.ask(
            self._tournament, [question for question, _ in batch if question.call not in recorded], jobs.add
        )
        return recorded

    async def _collect(self) -> None:
        """Take outcomes as they come."""
        clock = asyncio.get_running_loop().time
        looked = clock()
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                outcomes, answers = await asyncio.to_thread(self._collected)
            except (LedgerError, Busy) as error:
                if not is_temporary(error):
                    raise
                await asyncio.sleep(LOOK_AGAIN)  # nothing else may wake it again
                self._wake.set()
                continue
            for call, outcome in outcomes.items():
                answer = answers.get(call)
                self._resolve(call, {**outcome, "answer": answer})
            if clock() - looked > LOOK_FOR_LOST:
                looked = clock()
                await self._ask_lost()

    async def _ask_lost(self) -> None:
        """Ask again what is there no more: another planner took its outcome before it noticed that it was none."""
        written = [*self._written]
        calls = await patiently(lambda: self._ledger.remote_judging.calls(self._tournament))
        self._put([(self._written.pop(call), False) for call in written if call not in calls and call in self._written])

    def _collected(self) -> tuple[dict[str, Mapping[str, Any]], dict[str, Verdict]]:
        outcomes = self._ledger.remote_judging.collect(self._tournament)
        if self._is_held_up:
            self._is_held_up, self._overdue = False, self._ledger.remote_judging.overdue(self._tournament)
        answered = [call for call, outcome in outcomes.items() if outcome["kind"] == ANSWERED]
        return outcomes, self._ledger.remote_judging.answers(self._tournament, answered) if answered else {}

    def _resolve(self, call: str, answer: "Verdict | Mapping[str, Any] | BaseException") -> None:
        self._written.pop(call, None)
        future = self._awaited.pop(call, None)
        if future is None or future.done():
            return
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    async def _withdraw(self) -> None:
        """When the run is stopped, take back what no worker has begun."""
        with suppress(GateClosed):
            while True:
                await self._run.gate.sleep(3600.0)
        while True:  # a worker may hand questions back a little later
            for call in await patiently(lambda: self._ledger.remote_judging.withdraw(self._tournament)):
                self._resolve(call, GateClosed(self._run.gate.reason))
            await asyncio.sleep(ANNOUNCED_WAIT)

    def _told(self, question: Question, outcome: Mapping[str, Any]) -> Verdict:
        """Report what happened, and return the verdict."""
        reports = self._run.reports
        for usage in outcome["lost"]:
            reports.on_lost(Verdict(choice=Choice.FAILED, judge="", usage=Usage(**usage)))
        for kind, detail in outcome["events"]:
            reports.on_event(kind, detail)
        for who, words in outcome["discovered"]:
            reports.on_discovery(Discovery(who=who, words=words))
        for who, reason, seconds in outcome["outages"]:
            reports.on_outage(Outage(who=who, reason=reason, seconds=seconds))
        failure = failure_of(outcome)
        if failure is not None and outcome["kind"] != ANSWERED:
            reports.on_failure(failure)
            if outcome["unusable"]:
                reports.on_unusable(failure)
        if outcome["kind"] == ANSWERED and isinstance(outcome["answer"], Verdict):
            verdict = outcome["answer"]  # from the ledger, which does not have what a provider had cached
            usage = replace(verdict.usage, cached_tokens=int(outcome.get("cached_tokens", 0)))
            verdict = replace(verdict, usage=usage)
            reports.on_verdict(question, verdict)
            return verdict
        if outcome["kind"] == FAILED:
            return failed_verdict(outcome)
        if outcome["kind"] == SPENT:
            raise BudgetSpent(outcome["why"])
        raise InvalidConfig(f"a worker refused {question.call}: {outcome.get('why', 'its answer is not on record')}")

    async def close(self) -> None:
        """End what goes on in the background."""
        await ended(self._tasks)
        self._tasks = []


def living(ledger: Ledger) -> list[WorkerRecord]:
    """The workers that are there."""
    return [worker for worker in ledger.remote_judging.workers() if worker.silence < DEAD_AFTER]


async def awaited_judge(ledger: Ledger, name: str, say: Callable[[str], None]) -> AnnouncedJudge:
    """What workers say of a judge; waits for one that has it."""
    is_announced = False
    while True:
        judges = await asyncio.to_thread(ledger.remote_judging.judges)
        if name in judges:
            return judges[name]
        if not is_announced:
            alternatives = f"; there are {', '.join(map(repr, sorted(judges)))}" if judges else ""
            say(
                f"waiting for a worker that has the judge {name!r}{alternatives}; start one: paragone worker "
                "--judges FILE"
            )
            is_announced = True
        await asyncio.sleep(ANNOUNCED_WAIT)
