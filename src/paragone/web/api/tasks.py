"""Tasks of a Ranking Agent over HTTP: the queue, what is asked of it, and which items are available."""

from typing import Annotated, Any

from fastapi import Response
from pydantic import Field

from paragone.domain.records import RankingTask, TaskType
from paragone.domain.records.wire import from_values
from paragone.errors import InvalidConfig, NotFound
from paragone.intake.items import MAX_TEXT
from paragone.tournaments import status as statuses
from paragone.tournaments.agent import tasks as queue
from paragone.tournaments.agent.dependencies import refusal
from paragone.tournaments.agent.tasks import TaskAct
from paragone.tournaments.incomplete_hypotheses import amend, waiting
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import RETIRED, RETURNED, EventState
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.parameters import Body, Cursor, ItemId, LedgerDep, Limit, PoolId, StorableText, TaskId
from paragone.web.problems import refusals
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.cursors import page_of_growing
from paragone.wire.task import IncompleteItem, Task, TaskPage, TaskQueue

router = api_router(404, prefix="/pools", tags=["tournaments"])


# The fields of ``domain.records.RankingTask``, with the limits of what may be sent.
class TaskRequest(Body):
    """A task for a Ranking Agent: a `RankingTask` of the documents.

    Its parameters arrive as plain values, which ``from_values`` checks with messages that name them.

    Attributes:
        id: Names the task within its tournament; the same again changes nothing.
        task_type: The kind of task.
        hypothesis_ids: Ids of the hypotheses; none for all.
        priority: The higher goes first.
        tournament_parameters: Parameters of the task; the tournament's own if None.
        context: Further input, such as texts of new hypotheses or matches of a round.
        after: Ids of the tasks that must be done before; they may be submitted later.
    """

    id: Annotated[StorableText, Field(min_length=1, max_length=200)]
    task_type: TaskType
    hypothesis_ids: list[str] = Field(default=[])
    priority: Annotated[int, Field(ge=-(2**31), lt=2**31)] = 0
    tournament_parameters: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    after: list[Annotated[StorableText, Field(min_length=1, max_length=200)]] = Field(default=[], max_length=1000)


class TaskChange(Body):
    """A change of a task that has not begun, or of the queue.

    Attributes:
        reason: Why, in words.
    """

    reason: Annotated[StorableText, Field(max_length=1000)] = ""


class TaskPriority(Body):
    """Another priority of a task that has not begun.

    Attributes:
        priority: The higher goes first.
    """

    priority: Annotated[int, Field(ge=-(2**31), lt=2**31)]


class Amendment(Body):
    """The complete text of a hypothesis.

    Attributes:
        text: The text.
    """

    text: Annotated[StorableText, Field(min_length=1, max_length=MAX_TEXT)]


class Availability(Body):
    """Items that retire, or that are readmitted.

    Attributes:
        items: Ids of the items.
        reason: Why, in words.
    """

    items: Annotated[list[str], Field(min_length=1, max_length=10_000)]
    reason: Annotated[StorableText, Field(max_length=1000)] = ""


@router.get("/{pool}/tasks")
def list_tasks(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> TaskPage:
    """The tasks of a tournament's Ranking Agent, in the order of submission."""
    page, following = page_of_growing(_tasks(reader, pool), ("tasks", pool), limit, cursor)
    return TaskPage(tasks=[Task.like(task) for task in page], next=following)


@router.get("/{pool}/tasks/{task}")
def get_task(pool: PoolId, task: TaskId, reader: LedgerDep, _: Reader) -> Task:
    """One task, and its result."""
    return _task(reader, pool, task)


@router.post("/{pool}/tasks", status_code=201, responses={200: {"model": Task}, **refusals(404, 409)})
def submit_task(pool: PoolId, body: TaskRequest, reader: LedgerDep, who: Admin, response: Response) -> Task:
    """Put a task into the queue. The same task again changes nothing, and gets 200."""
    task = from_values(RankingTask, body.model_dump(mode="json"))
    records = queue.task_records(reader.ledger.tournaments.events(pool))
    is_new = task.id not in records
    problem = refusal(task, reader.state(pool), records) if is_new else ""
    if problem:
        raise InvalidConfig(f"the task cannot be done: {problem}")
    queue.submit(reader.ledger, pool, task)
    if is_new:
        reader.log_act(pool, who.name, "submit task", task=task.id)
    else:
        response.status_code = 200
    return _task(reader, pool, task.id)


@router.post("/{pool}/tasks/{task}/cancel", responses=refusals(404, 409))
def cancel_task(pool: PoolId, task: TaskId, reader: LedgerDep, who: Admin, body: TaskChange | None = None) -> Task:
    """Cancel a task that has not begun, or a round that is played. Tasks that are `after` it are refused.

    Of a round that is played, what has begun is finished and recorded. It is `cancelling` until then.
    """
    return _change_task(pool, task, reader, who.name, TaskAct.CANCEL, reason="" if body is None else body.reason)


@router.post("/{pool}/tasks/{task}/pause", responses=refusals(404, 409))
def pause_task(pool: PoolId, task: TaskId, reader: LedgerDep, who: Admin, body: TaskChange | None = None) -> Task:
    """Pause a task that has not begun: it waits until it is resumed."""
    return _change_task(pool, task, reader, who.name, TaskAct.PAUSE, reason="" if body is None else body.reason)


@router.post("/{pool}/tasks/{task}/resume", responses=refusals(404, 409))
def resume_task(pool: PoolId, task: TaskId, reader: LedgerDep, who: Admin, body: TaskChange | None = None) -> Task:
    """Put a paused task back into the queue."""
    return _change_task(pool, task, reader, who.name, TaskAct.RESUME, reason="" if body is None else body.reason)


@router.post("/{pool}/tasks/{task}/priority", responses=refusals(404, 409))
def prioritize_task(pool: PoolId, task: TaskId, body: TaskPriority, reader: LedgerDep, who: Admin) -> Task:
    """Give a task that has not begun another priority."""
    return _change_task(pool, task, reader, who.name, TaskAct.PRIORITIZE, priority=body.priority)


@router.get("/{pool}/queue")
def get_queue(pool: PoolId, reader: LedgerDep, _: Reader) -> TaskQueue:
    """Whether the queue of tasks is paused."""
    return TaskQueue.like(statuses.queue_values(queue.queue_pause(reader.ledger.tournaments.events(pool))))


@router.post("/{pool}/queue/pause", responses=refusals(404))
def pause_queue(pool: PoolId, reader: LedgerDep, who: Admin, body: TaskChange | None = None) -> TaskQueue:
    """Pause the queue: no task begins, also in later runs; what has begun is finished."""
    return _change_queue(pool, reader, who.name, TaskAct.PAUSE, "" if body is None else body.reason)


@router.post("/{pool}/queue/resume", responses=refusals(404))
def resume_queue(pool: PoolId, reader: LedgerDep, who: Admin, body: TaskChange | None = None) -> TaskQueue:
    """Let the queue go on."""
    return _change_queue(pool, reader, who.name, TaskAct.RESUME, "" if body is None else body.reason)


@router.get("/{pool}/incomplete")
def list_incomplete(pool: PoolId, reader: LedgerDep, _: Reader) -> list[IncompleteItem]:
    """The hypotheses whose text is empty or cut off. They do not play until they are amended."""
    return [*waiting(reader.state(pool))]


@router.post("/{pool}/incomplete/{item}", responses=refusals(404, 409))
def amend_item(pool: PoolId, item: ItemId, body: Amendment, reader: LedgerDep, who: Admin) -> list[IncompleteItem]:
    """Complete a hypothesis: it joins, and its first match is requested. Returns those that are still incomplete."""
    reader.require_small(pool)
    state = TournamentState.load(reader.ledger, pool)
    amend(reader.ledger, state, item, body.text.strip())
    reader.log_act(pool, who.name, "amend", item=item)
    return [*waiting(state)]


@router.post("/{pool}/retire", responses=refusals(404))
def retire_items(pool: PoolId, body: Availability, reader: LedgerDep, who: Admin) -> list[str]:
    """Retire items: no new match is planned with them, and their open matches wait. Returns all that are retired."""
    return _set_available(pool, body, reader, who.name, RETIRED)


@router.post("/{pool}/readmit", responses=refusals(404))
def readmit_items(pool: PoolId, body: Availability, reader: LedgerDep, who: Admin) -> list[str]:
    """Make retired items available again. Returns those that are still retired."""
    return _set_available(pool, body, reader, who.name, RETURNED)


def _set_available(pool: str, body: Availability, reader: LedgerReader, by: str, kind: str) -> list[str]:
    reader.state(pool).require(body.items)
    reader.ledger.tournaments.add_event(pool, kind, {"items": body.items, "reason": body.reason})
    reader.log_act(pool, by, "retire" if kind == RETIRED else "readmit", items=body.items)
    return sorted(EventState(reader.ledger.tournaments.events(pool)).retired)


def _change_task(
    pool: str, id: str, reader: LedgerReader, by: str, act: TaskAct, *, reason: str = "", priority: int | None = None
) -> Task:
    queue.change(reader.ledger, pool, id, act, reason=reason, priority=priority)
    reader.log_act(pool, by, f"{act.value} task", task=id)
    return _task(reader, pool, id)


def _change_queue(pool: str, reader: LedgerReader, by: str, act: TaskAct, reason: str) -> TaskQueue:
    pause = queue.change_queue(reader.ledger, pool, act, reason=reason)
    reader.log_act(pool, by, f"{act.value} queue")
    return TaskQueue.like(statuses.queue_values(pause))


def _tasks(reader: LedgerReader, pool: str) -> list[dict[str, Any]]:
    events = reader.ledger.tournaments.events(pool)
    return statuses.task_list(events, reader.matches(pool))


def _task(reader: LedgerReader, pool: str, id: str) -> Task:
    for task in _tasks(reader, pool):
        if task["id"] == id:
            return Task.like(task)
    raise NotFound(f"{pool} has no task {id!r}")
