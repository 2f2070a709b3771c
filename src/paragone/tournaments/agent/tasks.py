"""The task queue of a Ranking Agent, which lives in the ledger, so that any process may add to it.

A kind of task is a ``TaskType``, checked here when it is submitted, and done in ``task_execution``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from paragone.domain import Item
from paragone.domain.records import RankingTask, TaskType
from paragone.domain.records.wire import as_values, from_values
from paragone.errors import Conflict, InvalidItems, NotFound
from paragone.intake.items import check_item
from paragone.ledger import Event, Ledger
from paragone.tournaments.state import TournamentState

TASK, TASK_STATE, TASK_CHANGE, QUEUE = "task", "task_state", "task_change", "queue"
"""Kinds of events: a task was submitted, what became of it, what was asked of it later, what of the whole queue."""

MATCHES, HYPOTHESES = "matches", "hypotheses"
"""Keys of a task's context: matches of the round asked for; the texts of new hypotheses."""


class TaskState(StrEnum):
    """The state of a task."""

    QUEUED = "queued"
    PAUSED = "paused"
    RUNNING = "running"
    CANCELLING = "cancelling"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether the task is over."""
        return self in _FINAL

    @property
    def is_begun(self) -> bool:
        """Whether the task runs or is over."""
        return self not in (TaskState.QUEUED, TaskState.PAUSED)


_GIVEN_UP = (TaskState.CANCELLING, TaskState.CANCELLED)
_FINAL = frozenset((TaskState.DONE, TaskState.FAILED, TaskState.REFUSED, TaskState.CANCELLED))


class TaskAct(StrEnum):
    """What may be asked of a task that has not begun; a round may also be cancelled while it is played."""

    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"
    PRIORITIZE = "prioritize"


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskRecord:
    """A task with its state.

    Attributes:
        task: The task, as it was submitted.
        position: Its position in the order of submission, from 0.
        priority: Its present priority; None for that of the task.
        state: Its state.
        result: Its result, as plain JSON values; empty before.
        error: Why it failed, was refused or was cancelled.
        evidence: What was on record when its result was computed: ``matches``, ``verdicts``, ``rounds``, ``at``.
        rounds_before: Rounds that were unfinished when it was submitted, by id: whether each had begun.
    """

    task: RankingTask
    position: int
    priority: int | None = None
    state: TaskState = TaskState.QUEUED
    result: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    rounds_before: Mapping[str, bool] = field(default_factory=dict)

    @property
    def urgency(self) -> int:
        """Its present priority."""
        return self.task.priority if self.priority is None else self.priority

    @property
    def is_round(self) -> bool:
        """Whether it is to play a round."""
        return self.task.task_type is TaskType.TOURNAMENT_ROUND

    @property
    def turn(self) -> tuple[int, int]:
        """Sorts tasks: by priority, the highest first, then by submission."""
        return (-self.urgency, self.position)


def task_records(events: Iterable[Event]) -> dict[str, TaskRecord]:
    """All tasks in the events of a tournament by id, in the order of submission.

    The order of record decides: what comes after a final state, or is asked of a task that has begun, changes nothing;
    but a round that is played can be cancelled.
    """
    records: dict[str, TaskRecord] = {}
    for event in events:
        if event.kind == TASK and event.detail["id"] not in records:
            task = from_values(RankingTask, event.detail)
            before = _unfinished_rounds(records) if task.task_type is TaskType.GLOBAL_RANKING else {}
            records[task.id] = TaskRecord(task=task, position=len(records), rounds_before=before)
        elif event.kind in (TASK_STATE, TASK_CHANGE) and event.detail["id"] in records:
            record = records[event.detail["id"]]
            follow = _changed if event.kind == TASK_CHANGE else _advanced
            records[record.task.id] = follow(record, event.detail)
    return records


def _unfinished_rounds(records: Mapping[str, TaskRecord]) -> dict[str, bool]:
    """The rounds that are not over, by id: whether each has begun."""
    return {
        id: record.state.is_begun
        for id, record in records.items()
        if record.task.task_type is TaskType.TOURNAMENT_ROUND and not record.state.is_final
    }


def _advanced(record: TaskRecord, detail: Mapping[str, Any]) -> TaskRecord:
    """What became of a task; a task that was paused does not begin, and one that is being cancelled not anew."""
    state = TaskState(detail["state"])
    if record.state.is_final or (
        state is TaskState.RUNNING and record.state in (TaskState.PAUSED, TaskState.CANCELLING)
    ):
        return record
    is_cancelled = state is TaskState.DONE and record.state is TaskState.CANCELLING
    return replace(
        record,
        state=TaskState.CANCELLED if is_cancelled else state,
        result=detail.get("result") or {},
        error=record.error if is_cancelled else detail.get("error") or "",
        evidence=detail.get("evidence") or {},
    )


def _changed(record: TaskRecord, detail: Mapping[str, Any]) -> TaskRecord:
    """What was asked of a task; one that has begun stays as it is, but for a round that is cancelled."""
    act = TaskAct(detail["act"])
    if record.state.is_begun:
        stops = act is TaskAct.CANCEL and record.state is TaskState.RUNNING and record.is_round
        return replace(record, state=TaskState.CANCELLING, error=detail.get("reason") or "") if stops else record
    match act:
        case TaskAct.CANCEL:
            return replace(record, state=TaskState.CANCELLED, error=detail.get("reason") or "")
        case TaskAct.PAUSE:
            return replace(record, state=TaskState.PAUSED, error=detail.get("reason") or "")
        case TaskAct.RESUME:
            return replace(record, state=TaskState.QUEUED, error="")
        case TaskAct.PRIORITIZE:
            return replace(record, priority=int(detail["priority"]))


@dataclass(frozen=True, kw_only=True, slots=True)
class QueuePause:
    """A pause of the whole queue.

    Attributes:
        reason: Why, in words.
        at: Since when.
    """

    reason: str
    at: datetime


def queue_pause(events: Iterable[Event]) -> QueuePause | None:
    """The pause of the queue that holds now; None if the queue is open."""
    pause: QueuePause | None = None
    for event in events:
        if event.kind == QUEUE:
            is_paused = event.detail["act"] == TaskAct.PAUSE
            pause = (pause or QueuePause(reason=event.detail.get("reason") or "", at=event.at)) if is_paused else None
    return pause


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
        ledger.tournaments.add_event(tournament, TASK, as_values(task))
        events += ledger.tournaments.events(
            tournament, after=len(events)
        )  # another process may have been quicker with that id
    if as_values(task_records(events)[task.id].task) != as_values(task):
        raise Conflict(f"another task is called {task.id!r}: give this one an id of its own")
    return task.id


def change(
    ledger: Ledger, tournament: str, id: str, act: TaskAct, *, reason: str = "", priority: int | None = None
) -> TaskRecord:
    """Cancel, pause, resume or prioritize a task that has not begun; the same again changes nothing.

    A round that is played can be cancelled too: it asks nothing new, finishes and records the matches that have begun,
    and is ``cancelling`` until then.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        id: Id of the task.
        act: What to do.
        reason: Why, in words.
        priority: The new priority, to prioritize.

    Returns:
        The task as it is now.

    Raises:
        NotFound: If there is no such tournament or task.
        Conflict: If the task is over, or has begun and cannot be changed any more.
    """
    record = _known(ledger, tournament, id)
    detail: dict[str, Any] = {"id": id, "act": act.value, "reason": reason}
    if priority is not None:
        detail["priority"] = priority
    if _changed(record, detail) != record:
        ledger.tournaments.add_event(tournament, TASK_CHANGE, detail)
        record = _known(ledger, tournament, id)  # the agent may have begun it at the same moment
    if record.state.is_begun and not (act is TaskAct.CANCEL and record.state in _GIVEN_UP):
        raise Conflict(
            f"task {id!r} is {record.state.value}: only a task that has not begun can be changed, and a round cancelled"
        )
    return record


def change_queue(ledger: Ledger, tournament: str, act: TaskAct, *, reason: str = "") -> QueuePause | None:
    """Pause the whole queue, or resume it; the same again changes nothing.

    While it is paused, no task begins; what has begun is finished.

    Returns:
        The pause that holds now; None if the queue is open.

    Raises:
        NotFound: If there is no such tournament.
    """
    pause = queue_pause(ledger.tournaments.events(tournament))
    if (pause is None) is (act is TaskAct.PAUSE):
        ledger.tournaments.add_event(tournament, QUEUE, {"act": act.value, "reason": reason})
        pause = queue_pause(ledger.tournaments.events(tournament))
    return pause


def _known(ledger: Ledger, tournament: str, id: str) -> TaskRecord:
    record = task_records(ledger.tournaments.events(tournament)).get(id)
    if record is None:
        raise NotFound(f"{tournament} has no task {id!r}; `paragone tournament tasks` lists them")
    return record


def problem_with(task: RankingTask, state: TournamentState) -> str:
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


def _of_newcomers(task: RankingTask, state: TournamentState) -> str:
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


def _of_round(task: RankingTask, state: TournamentState) -> str:
    matches = (task.context or {}).get(MATCHES, 1)
    if not isinstance(matches, int) or isinstance(matches, bool) or matches < 1:
        return f"{MATCHES} is a whole number from 1 up, not {matches!r}"
    unknown = sorted(set(task.hypothesis_ids).difference(state.ids))
    if unknown:
        return f"there is no hypothesis {unknown[0]!r} in {state.id}"
    return "one hypothesis has nobody to meet" if len(set(task.hypothesis_ids)) == 1 else ""


def _of_ranking(task: RankingTask, state: TournamentState) -> str:
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
