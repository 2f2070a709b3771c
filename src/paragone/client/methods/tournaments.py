"""Tournaments: how they are doing, their tasks, and running them."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypedDict, Unpack

from paragone.client.addresses import pool_path, segment
from paragone.client.methods.asking import Asking, there
from paragone.client.values import Anomaly, AnomalyPage, History, Live, RunForecast, Status, Task, TaskPage


class Limits(TypedDict, total=False):
    """Limits that a run gets, where they are to be others than those of the tournament.

    Attributes:
        budget: A new total of judge calls.
        confidence: How sure the ranking has to be.
        max_cost: A new limit in US dollars.
        max_tokens: A new limit in tokens.
    """

    budget: int
    confidence: float
    max_cost: float
    max_tokens: int


class TournamentMethods(Asking):
    """How tournaments are doing, and what is done to them."""

    def status(self, pool: str) -> Status:
        """Where a tournament is: what waits, how sure it is, how it fares."""
        return self._at.get(Status, pool_path(pool, "status"))

    def history(self, pool: str) -> History:
        """How a tournament went, round by round."""
        return self._at.get(History, pool_path(pool, "history"))

    def live(self, pool: str) -> Live:
        """A tournament as it is being played; ``acts`` says what may be done now."""
        return self._at.get(Live, pool_path(pool, "live"))

    def forecast(self, pool: str, **limits: Unpack[Limits]) -> RunForecast:
        """What a run would take; its ``confirm`` begins that run."""
        return self._at.get(RunForecast, pool_path(pool, "forecast"), **limits)

    def run(self, pool: str, confirm: str, **limits: Unpack[Limits]) -> Live:
        """Have the server play a tournament: ``confirm`` is that of a forecast for the same limits.

        It is sent once: whether it was begun after all, ``live`` tells.
        """
        return there(self._at.post(Live, pool_path(pool, "run"), {"confirm": confirm, **limits}, again=False))

    def resume(self, pool: str, confirm: str) -> Live:
        """Go on with what was paused, stopped or interrupted: ``confirm`` is that of a forecast."""
        return there(self._at.post(Live, pool_path(pool, "resume"), {"confirm": confirm}, again=False))

    def pause(self, pool: str) -> Live:
        """Ask nothing more; the answers under way are waited for, and kept."""
        return there(self._at.post(Live, pool_path(pool, "pause"), {}, again=False))

    def stop(self, pool: str) -> Live:
        """End a run at once: what was answered is kept, and answers under way are not waited for."""
        return there(self._at.post(Live, pool_path(pool, "stop"), {}, again=False))

    def tasks(self, pool: str) -> Iterator[Task]:
        """The tasks of a tournament's Ranking Agent, in the order of submission."""
        return self._every(TaskPage, pool_path(pool, "tasks"), "tasks")

    def task(self, pool: str, task: str) -> Task:
        """One task, and what became of it."""
        return self._at.get(Task, pool_path(pool, "tasks", segment(task)))

    def submit(
        self,
        pool: str,
        id: str,
        task_type: Literal["NewHypothesis", "TournamentRound", "GlobalRanking"],
        hypothesis_ids: Sequence[str] = (),
        *,
        priority: int = 0,
        **more: Any,  # noqa: ANN401 - the further fields of the API's TaskRequest
    ) -> Task:
        """Put a task into the queue of a tournament's Ranking Agent; the same again changes nothing.

        Args:
            pool: The tournament.
            id: Names the task.
            task_type: What is asked for.
            hypothesis_ids: About which hypotheses; none for all.
            priority: The higher goes first.
            more: ``tournament_parameters`` and ``context`` of ``TaskRequest``.
        """
        about = {"id": id, "task_type": task_type, "hypothesis_ids": list(hypothesis_ids), "priority": priority}
        return there(self._at.post(Task, pool_path(pool, "tasks"), {**about, **more}))

    def anomalies(self, pool: str) -> Iterator[Anomaly]:
        """Rating changes that a person should look at, or has looked at."""
        return self._every(AnomalyPage, pool_path(pool, "anomalies"), "anomalies")

    def review(self, pool: str, anomaly: str, decision: Literal["kept", "rolled back"], reason: str) -> Anomaly:
        """Decide about a rating change: keep the match behind it, or roll that back. Again, it changes nothing."""
        path = pool_path(pool, "anomalies", segment(anomaly))
        return there(self._at.post(Anomaly, path, {"decision": decision, "reason": reason}))
