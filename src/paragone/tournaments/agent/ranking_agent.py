"""The Ranking Agent: tasks in, rankings out; all of its state is in the ledger."""

import asyncio
from collections.abc import Mapping
from typing import Any

from paragone.domain.records import RankingTask, TaskType
from paragone.errors import EmbeddingFailed, JudgeFailed, NotConverged, UsageError
from paragone.ledger import Event
from paragone.tournaments.agent import tasks
from paragone.tournaments.agent.task_execution import (
    Integrations,
    MetaReviewConsumer,
    ReviewProvider,
    Supervisor,
    TaskExecutor,
)
from paragone.tournaments.agent.tasks import TaskRecord, TaskState
from paragone.tournaments.proximity import ProximityProvider
from paragone.tournaments.running.control import Observer, Stop, unobserved
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.tournament_settings import CallOptions

POLL = 0.5
"""Seconds between two queries for tasks that other processes submitted."""

AT_ONCE = 8
"""Maximum number of concurrent tasks without a round, so that priorities count where many wait."""


class RankingAgent:
    """Does the tasks of a supervisor, the highest priority first (T21).

    New hypotheses and rankings are done at once, also while a round is judged; rounds are played one at a time, each
    after the tasks ahead of it in the queue. A task is recorded before it is begun. After a crash, unfinished tasks
    continue where they were, and nothing is done twice: no verdict, no rating change, no round.

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
        self._events += self.tournament.ledger.tournaments.events(self.tournament.state.id, after=len(self._events))
        return tasks.task_records(self._events)

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
            executor = TaskExecutor(tournament.ledger, tournament.state, runner, self._integrations)
            await executor.open()
            await self._shift(executor, until_idle=until_idle)
            gate = tournament.gate
            idle = Stop(reason="no task is left", finished=False, paused=True)
            stop = executor.stop or (Stop(reason=gate.reason, finished=False) if gate.closed else idle)
            runner.stop = stop
            return stop

    async def _shift(self, executor: TaskExecutor, *, until_idle: bool) -> None:
        """Start tasks as they come until the gate is closed, or none is left; then wait for the running ones."""
        running: dict[str, asyncio.Task[None]] = {}
        try:
            while not self.tournament.gate.closed:
                self._submitted.clear()
                for record in startable(self.tasks(), running):
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
        try:
            result = await executor.do(task)
        except UsageError as error:
            self._note(task, TaskState.REFUSED, error=str(error))
        except (EmbeddingFailed, JudgeFailed, NotConverged) as error:
            self._note(task, TaskState.FAILED, error=str(error))
        else:
            if result is not None:
                self._note(task, TaskState.DONE, result=result)

    def _note(
        self, task: RankingTask, state: TaskState, *, result: Mapping[str, Any] | None = None, error: str = ""
    ) -> None:
        detail = {"id": task.id, "state": state.value, "result": result, "error": error}
        self.tournament.ledger.tournaments.add_event(self.tournament.state.id, "task_state", detail)


def startable(records: Mapping[str, TaskRecord], running: Mapping[str, object]) -> list[TaskRecord]:
    """The tasks to begin now, in order: those without a round, and a round if it is first in the queue."""
    unfinished = sorted((entry for entry in records.values() if not entry.state.is_final), key=lambda entry: entry.turn)
    quick = sum(records[id].task.task_type is not TaskType.TOURNAMENT_ROUND for id in running)
    chosen: list[TaskRecord] = []
    for position, record in enumerate(unfinished):
        is_round = record.task.task_type is TaskType.TOURNAMENT_ROUND
        if record.task.id in running or (is_round and position > 0) or (not is_round and quick >= AT_ONCE):
            continue
        chosen.append(record)
        quick += not is_round
    return chosen
