"""The Ranking Agent: tasks in, rankings out; all of its state is in the ledger."""

import asyncio
from collections.abc import Mapping
from typing import Any

from paragone.domain.records import RankingTask
from paragone.errors import EmbeddingFailed, JudgeFailed, NotConverged, UsageError
from paragone.judges.call_options import CallOptions
from paragone.ledger import Event
from paragone.tournaments.agent import tasks
from paragone.tournaments.agent.dependencies import hindrance, startable, waiting_in_words
from paragone.tournaments.agent.task_execution import (
    Integrations,
    MetaReviewConsumer,
    ReviewProvider,
    Supervisor,
    TaskExecutor,
)
from paragone.tournaments.agent.tasks import QueuePause, TaskAct, TaskRecord, TaskState
from paragone.tournaments.proximity import ProximityProvider
from paragone.tournaments.running.control import Observer, Stop, unobserved
from paragone.tournaments.tournament import Tournament

POLL = 0.5
"""Seconds between two queries for tasks that other processes submitted."""


class RankingAgent:
    """Does the tasks of a supervisor, the highest priority first.

    New hypotheses are added at once, also while a round is judged. Rounds are played one at a time, each after the
    tasks ahead of it in the queue. A ranking waits for the rounds submitted before it, unless it has a higher priority,
    or the same as a round that had begun by then. A task's ``after`` adds to that.

    A task is recorded before it is begun. After a crash, unfinished tasks continue where they were, and nothing is done
    twice: no verdict, no rating change, no round.

    Args:
        tournament: The tournament, of the weighted pairing.
        supervisor: Told of rankings and of the cost of rounds.
        proximity: Provides similarities; by default the embedder that the settings name, if any.
        reviews: Provides reviews, which seed ratings.
        meta_review: Told of what wins and what loses.
        pace: How judge calls are made.
        observer: Called after every verdict and every round.
    """

    def __init__(
        self,
        tournament: Tournament,
        *,
        supervisor: Supervisor | None = None,
        proximity: ProximityProvider | None = None,
        reviews: ReviewProvider | None = None,
        meta_review: MetaReviewConsumer | None = None,
        pace: CallOptions | None = None,
        observer: Observer = unobserved,
    ) -> None:
        self.tournament = tournament
        if proximity is None:
            proximity = tournament.open_similarity()
        self._integrations = Integrations(
            supervisor=supervisor, proximity=proximity, reviews=reviews, meta_review=meta_review
        )
        self._pace = pace or CallOptions()
        self._observer = observer
        self._submitted = asyncio.Event()
        self._events: tuple[Event, ...] = ()
        self._records: dict[str, TaskRecord] = {}

    def submit(self, task: RankingTask) -> str:
        """Add a task to the queue; the same task again changes nothing.

        Returns:
            Its id.

        Raises:
            Conflict: If another task has that id.
        """
        id = tasks.submit(self.tournament.ledger, self.tournament.state.id, task)
        self._submitted.set()
        return id

    def tasks(self) -> dict[str, TaskRecord]:
        """All tasks by id, in the order of submission, with what became of them."""
        fresh = self.tournament.ledger.tournaments.events(self.tournament.state.id, after=len(self._events))
        if fresh:
            self._events += fresh
            self._records = tasks.task_records(self._events)
        return dict(self._records)

    def cancel(self, id: str, reason: str = "") -> TaskRecord:
        """Cancel a task that has not begun, or a round that is played; tasks that are ``after`` it are refused.

        Of a round that is played, what has begun is finished and recorded; it is ``cancelling`` until then, and its
        result says how far it came.

        Raises:
            NotFound: If there is no such task.
            Conflict: If it has begun or is over.
        """
        return self._change(id, TaskAct.CANCEL, reason=reason)

    def prioritize(self, id: str, priority: int) -> TaskRecord:
        """Give a task that has not begun another priority.

        Raises:
            NotFound: If there is no such task.
            Conflict: If it has begun or is over.
        """
        return self._change(id, TaskAct.PRIORITIZE, priority=priority)

    def pause(self, id: str | None = None, reason: str = "") -> None:
        """Pause a task that has not begun, or without an id the queue: nothing begins, what has begun is finished.

        Raises:
            NotFound: If there is no such task.
            Conflict: If it has begun or is over.
        """
        self._set_paused(id, TaskAct.PAUSE, reason)

    def resume(self, id: str | None = None, reason: str = "") -> None:
        """Let a paused task, or without an id the paused queue, go on.

        Raises:
            NotFound: If there is no such task.
            Conflict: If it has begun or is over.
        """
        self._set_paused(id, TaskAct.RESUME, reason)

    def queue_pause(self) -> QueuePause | None:
        """The pause of the queue that holds now; None if the queue is open."""
        self.tasks()
        return tasks.queue_pause(self._events)

    def _set_paused(self, id: str | None, act: TaskAct, reason: str) -> None:
        if id is not None:
            self._change(id, act, reason=reason)
            return
        tasks.change_queue(self.tournament.ledger, self.tournament.state.id, act, reason=reason)
        self._submitted.set()

    def _change(self, id: str, act: TaskAct, *, reason: str = "", priority: int | None = None) -> TaskRecord:
        ledger, tournament = self.tournament.ledger, self.tournament.state.id
        record = tasks.change(ledger, tournament, id, act, reason=reason, priority=priority)
        self._submitted.set()
        return record

    async def run(self) -> Stop:
        """Do tasks until none is left, or the run has to stop.

        Raises:
            Busy: If somebody else is running the tournament.
        """
        return await self._work(until_idle=True)

    async def serve(self) -> Stop:
        """Do tasks, also of other processes, until ``tournament.gate`` is closed.

        Raises:
            Busy: If somebody else is running the tournament.
        """
        return await self._work(until_idle=False)

    async def _work(self, *, until_idle: bool) -> Stop:
        tournament = self.tournament
        async with tournament.playing(self._observer, self._pace, relate=False) as runner:
            executor = TaskExecutor(tournament.ledger, tournament.state, runner, self._integrations, tournament.gate)
            await executor.open(self._being_cancelled())
            await self._shift(executor, until_idle=until_idle)
            gate = tournament.gate
            idle = Stop(reason=self._idle_reason(), finished=False, paused=True)
            stop = executor.stop or (Stop(reason=gate.reason, finished=False) if gate.closed else idle)
            runner.stop = stop
            return stop

    def _idle_reason(self) -> str:
        """Why no task begins, in words."""
        records = self.tasks()
        waiting = [record for record in records.values() if not record.state.is_final]
        if not waiting:
            return "no task is left"
        first = min(waiting, key=lambda record: record.turn)
        words = waiting_in_words(first, records, tasks.queue_pause(self._events))
        more = f", and {len(waiting) - 1} more wait" if len(waiting) > 1 else ""
        return f"no task can begin: {first.task.id} waits, {words}{more}"

    def _being_cancelled(self) -> list[str]:
        """Ids of the tasks that were cancelled while their rounds were played."""
        return [id for id, record in self.tasks().items() if record.state is TaskState.CANCELLING]

    def _refuse_hindered(self) -> None:
        """Refuse tasks that can never begin; such a refusal may hinder others."""
        while True:
            records = self.tasks()
            hindered = {
                record.task.id: (record.task, problem)
                for record in records.values()
                if not record.state.is_begun and (problem := hindrance(record.task, records))
            }
            for task, problem in hindered.values():
                self._note(task, TaskState.REFUSED, error=problem)
            if not hindered:
                return

    async def _shift(self, executor: TaskExecutor, *, until_idle: bool) -> None:
        """Start tasks as they come until the gate is closed, or none is left; then wait for the running ones."""
        running: dict[str, asyncio.Task[None]] = {}
        try:
            while not self.tournament.gate.closed:
                self._submitted.clear()
                self._refuse_hindered()
                for id in self._being_cancelled():
                    executor.cancel(id)
                for record in startable(self.tasks(), running, pause=tasks.queue_pause(self._events)):
                    running[record.task.id] = asyncio.create_task(self._do(executor, record))
                if until_idle and not running:
                    break
                await self._wait(running)
            await asyncio.gather(*running.values())
        finally:
            for task in running.values():
                task.cancel()
            await asyncio.gather(*running.values(), return_exceptions=True)

    async def _wait(self, running: dict[str, asyncio.Task[None]]) -> None:
        """Wait until a task is done, or another one may have come; an unexpected error ends the run."""
        news = asyncio.create_task(self._submitted.wait())
        try:
            await asyncio.wait({*running.values(), news}, timeout=POLL, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
        for id in [id for id, task in running.items() if task.done()]:
            running.pop(id).result()

    async def _do(self, executor: TaskExecutor, record: TaskRecord) -> None:
        task = record.task
        problem = tasks.problem_with(task, self.tournament.state)
        if problem:
            self._note(task, TaskState.REFUSED, error=problem)
            return
        if record.state is TaskState.QUEUED:
            self._note(task, TaskState.RUNNING)
            if self.tasks()[task.id].state is not TaskState.RUNNING:
                return  # it was cancelled or paused at the same moment
        try:
            answer = await executor.do(task)
        except UsageError as error:
            self._note(task, TaskState.REFUSED, error=str(error))
        except (EmbeddingFailed, JudgeFailed, NotConverged) as error:
            self._note(task, TaskState.FAILED, error=str(error))
        else:
            if answer is not None:
                done = TaskState.DONE  # which the record takes for cancelled if that was asked for before
                self._note(task, done, result=answer.result, evidence=answer.evidence, events=answer.dropped)

    def _note(
        self,
        task: RankingTask,
        state: TaskState,
        *,
        result: Mapping[str, Any] | None = None,
        error: str = "",
        evidence: Mapping[str, Any] | None = None,
        events: tuple[tuple[str, Mapping[str, Any]], ...] = (),
    ) -> None:
        detail = {"id": task.id, "state": state.value, "result": result, "error": error}
        if evidence is not None:
            detail["evidence"] = evidence
        recorded = [*events, (tasks.TASK_STATE, detail)]
        self.tournament.ledger.tournaments.add_events(self.tournament.state.id, recorded)
