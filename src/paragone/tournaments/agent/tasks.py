"""The task queue of a Ranking Agent. It lives in the ledger, so any process may add to it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from paragone.domain import Item
from paragone.domain.records import RankingTask, TaskType
from paragone.domain.records.wire import as_values, from_values
from paragone.errors import Conflict, InvalidItems
from paragone.intake.items import check_item
from paragone.ledger import Event, Ledger
from paragone.tournaments.state import State

MATCHES, HYPOTHESES = "matches", "hypotheses"
"""Keys of a task's context: matches of the round asked for; the texts of new hypotheses."""


class TaskState(StrEnum):
    """The state of a task."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"

    @property
    def is_final(self) -> bool:
        """Whether the task is over."""
        return self in (TaskState.DONE, TaskState.FAILED, TaskState.REFUSED)


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskRecord:
    """A task with its state.

    Attributes:
        task: The task.
        position: Its position in the order of submission, from 0.
        state: Its state.
        result: Its result, as plain JSON values; empty before.
        error: Why it failed or was refused.
    """

    task: RankingTask
    position: int
    state: TaskState = TaskState.QUEUED
    result: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""

    @property
    def turn(self) -> tuple[int, int]:
        """Sorts tasks: by priority, the highest first, then by submission."""
        return (-self.task.priority, self.position)


def task_records(events: Iterable[Event]) -> dict[str, TaskRecord]:
    """All tasks in the events of a tournament by id, in the order of submission."""
    records: dict[str, TaskRecord] = {}
    for event in events:
        if event.kind == "task" and event.detail["id"] not in records:
            task = from_values(RankingTask, event.detail)
            records[task.id] = TaskRecord(task=task, position=len(records))
        elif event.kind == "task_state" and event.detail["id"] in records:
            before, detail = records[event.detail["id"]], event.detail
            records[before.task.id] = TaskRecord(
                task=before.task,
                position=before.position,
                state=TaskState(detail["state"]),
                result=detail.get("result") or {},
                error=detail.get("error") or "",
            )
    return records


def submit(ledger: Ledger, tournament: str, task: RankingTask) -> str:
    """Put a task into the queue; the same task again changes nothing.

    Returns:
        Its id.

    Raises:
        Conflict: If another task has that id.
        NotFound: If there is no such tournament.
    """
    events = ledger.tournaments.events(tournament)
    if task.id not in task_records(events):
        ledger.tournaments.add_event(tournament, "task", as_values(task))
        events += ledger.tournaments.events(
            tournament, after=len(events)
        )  # another process may have been quicker with that id
    if as_values(task_records(events)[task.id].task) != as_values(task):
        raise Conflict(f"another task is called {task.id!r}: give this one an id of its own")
    return task.id


def problem_with(task: RankingTask, state: State) -> str:
    """Why a task cannot be done, in words; empty if it can."""
    parameters = task.tournament_parameters
    if parameters is not None and (parameters.k_factor, parameters.initial_elo_rating) != (
        state.config.k,
        state.config.initial,
    ):
        return (
            f"the ratings of {state.id} begin at {state.config.initial:g} and move by a K of {state.config.k:g}; "
            "k_factor and initial_elo_rating of a task cannot be others"
        )
    return _PROBLEMS[task.task_type](task, state)


def _of_newcomers(task: RankingTask, state: State) -> str:
    wrong = _unreadable((task.context or {}).get(HYPOTHESES) or {})
    if wrong:
        return wrong
    if not hypothesis_details(task):
        return "it names no hypothesis: give hypothesis_ids, and their texts in context.hypotheses"
    texts = {item.id: item.text for item in state.items}
    for id, detail in hypothesis_details(task).items():
        text = detail.get("text") or ""
        if not isinstance(text, str):
            return f"the text of hypothesis {id!r} is no text: {text!r:.60}"
        lacking = detail.get("missing") or ()
        if not isinstance(lacking, list | tuple) or not all(isinstance(what, str) for what in lacking):
            return f"what hypothesis {id!r} is missing must be a list of words, not {lacking!r:.60}"
        try:
            check_item(Item(id=id, text=text if text.strip() else "to come"), "context.hypotheses")
        except InvalidItems as error:
            return str(error)
        if id in texts and text.strip() and texts[id] != text:
            return f"hypothesis {id!r} is there already, with another text: a changed one needs an id of its own"
    return ""


def _unreadable(hypotheses: object) -> str:
    """Why the new hypotheses of a task cannot be read; empty if they can."""
    if isinstance(hypotheses, Mapping):
        return ""
    if not isinstance(hypotheses, list | tuple):
        return f"context.{HYPOTHESES} is a mapping from id to text, or a list of records, not {hypotheses!r:.60}"
    odd = [entry for entry in hypotheses if not isinstance(entry, Mapping) or "id" not in entry]
    return f"a record of context.{HYPOTHESES} needs an id: {odd[0]!r:.60}" if odd else ""


def _of_round(task: RankingTask, state: State) -> str:
    matches = (task.context or {}).get(MATCHES, 1)
    if not isinstance(matches, int) or isinstance(matches, bool) or matches < 1:
        return f"{MATCHES} is a whole number from 1 up, not {matches!r}"
    unknown = sorted(set(task.hypothesis_ids).difference(state.ids))
    if unknown:
        return f"there is no hypothesis {unknown[0]!r} in {state.id}"
    return "one hypothesis has nobody to meet" if len(set(task.hypothesis_ids)) == 1 else ""


def _of_ranking(task: RankingTask, state: State) -> str:
    unknown = sorted(set(task.hypothesis_ids).difference(state.ids))
    return f"there is no hypothesis {unknown[0]!r} in {state.id}" if unknown else ""


_PROBLEMS = {
    TaskType.NEW_HYPOTHESIS: _of_newcomers,
    TaskType.TOURNAMENT_ROUND: _of_round,
    TaskType.GLOBAL_RANKING: _of_ranking,
}


def hypothesis_details(task: RankingTask) -> dict[str, Mapping[str, Any]]:
    """The details of each new hypothesis of a task, by id: ``text``, and ``missing`` if it is incomplete.

    ``context.hypotheses`` is a mapping from id to text or to such a record, or a list of records with an ``id``.
    """
    hypotheses = (task.context or {}).get(HYPOTHESES) or {}
    if not isinstance(hypotheses, Mapping):
        hypotheses = {str(entry["id"]): entry for entry in hypotheses if isinstance(entry, Mapping) and "id" in entry}
    records = {id: entry if isinstance(entry, Mapping) else {"text": entry} for id, entry in hypotheses.items()}
    return {id: records.get(id, {}) for id in dict.fromkeys((*task.hypothesis_ids, *records))}


def incomplete_hypotheses(events: Iterable[Event], joined: set[str]) -> dict[str, Mapping[str, Any]]:
    """Hypotheses that were submitted incomplete and have not joined since, by id."""
    flagged = {event.detail["id"]: event.detail for event in events if event.kind == "incomplete"}
    return {id: detail for id, detail in flagged.items() if id not in joined}
