"""How tournaments are doing over HTTP, and the queue of their Ranking Agent."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Response
from pydantic import Field

from paragone.domain.records import RankingTask, TaskType
from paragone.domain.records.wire import from_values
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.tournaments import status as statuses
from paragone.tournaments.agent import tasks as queue
from paragone.web.admin_log import note
from paragone.web.api.answers import Cursor, Limit, Reason, refusals
from paragone.web.middleware.authentication import Admin, Reader
from paragone.web.parameters import AnomalyId, Body, LedgerDep, PoolId, StorableText, TaskId
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import compare as comparisons
from paragone.web.views import judges as judging
from paragone.web.views.cursors import cursor, number_of
from paragone.wire.anomaly import Anomaly, AnomalyPage, Decision
from paragone.wire.head_to_head import HeadToHead
from paragone.wire.judge import Judges
from paragone.wire.task import Task, TaskPage
from paragone.wire.tournament import History, Status

router = APIRouter(prefix="/pools", tags=["tournaments"], responses=refusals(404))
T = TypeVar("T")


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
    """

    id: Annotated[StorableText, Field(min_length=1, max_length=200)]
    task_type: TaskType
    hypothesis_ids: list[str] = Field(default=[])
    priority: Annotated[int, Field(ge=-(2**31), lt=2**31)] = 0
    tournament_parameters: dict[str, Any] | None = None
    context: dict[str, Any] | None = None


class AnomalyReview(Body):
    """A decision about a suspicious rating change.

    Attributes:
        decision: ``kept``: the match stands; ``rolled back``: it is voided.
        reason: Why.
    """

    decision: Decision
    reason: Reason


@router.get("/{pool}/status")
def get_status(pool: PoolId, reader: LedgerDep, _: Reader) -> Status:
    """Where a tournament stands: open matches, confidence, forecast and health."""
    values = reader.whole("status", pool, lambda: statuses.status_of(reader.ledger, reader.state(pool)))
    return Status.like(values)


@router.get("/{pool}/history")
def get_history(pool: PoolId, reader: LedgerDep, _: Reader) -> History:
    """How a tournament went, round by round."""
    values = reader.whole("history", pool, lambda: statuses.history_of(reader.ledger, reader.state(pool)))
    return History.like(values)


@router.get("/{pool}/judges")
def get_judges(pool: PoolId, reader: LedgerDep, _: Reader) -> Judges:
    """The judges of a tournament: agreement, bias with interval, ties, cost."""
    return judging.judges(reader, pool)


@router.get("/{pool}/compare")
def get_compare(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    count: Annotated[int, Query(ge=2, le=comparisons.MOST, description="Items, from the first on.")] = 16,
) -> HeadToHead:
    """The first items of the board against each other, and cycles among all."""
    return comparisons.compare(reader, pool, count)


@router.get("/{pool}/anomalies")
def list_anomalies(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> AnomalyPage:
    """Rating changes that a person should look at, or has looked at."""
    queued = reader.whole("anomalies", pool, lambda: statuses.anomaly_queue(reader.state(pool)))
    page, following = _page(queued, ("anomalies", pool), limit, cursor)
    return AnomalyPage(anomalies=[Anomaly.like(anomaly) for anomaly in page], next=following)


@router.post("/{pool}/anomalies/{anomaly}", responses=refusals(404, 409))
def review_anomaly(pool: PoolId, anomaly: AnomalyId, body: AnomalyReview, reader: LedgerDep, who: Admin) -> Anomaly:
    """Decide about a rating change: keep the match behind it, or roll that back.

    The same decision again changes nothing. The reason is kept with the name of who gave it.
    """
    reader.require_small(pool)
    state = reader.state(pool)
    before = {queued["id"]: queued["decision"] for queued in statuses.anomaly_queue(state)}
    try:
        statuses.review_anomaly(reader.ledger, state, anomaly, body.decision, f"{who.name}: {body.reason}")
    except InvalidConfig as decided_otherwise:
        raise Conflict(str(decided_otherwise)) from decided_otherwise
    if before[anomaly] is None:
        note(reader, pool, who, "review", anomaly=anomaly, decision=body.decision)
    return next(
        Anomaly.like(queued) for queued in statuses.anomaly_queue(reader.state(pool)) if queued["id"] == anomaly
    )


@router.get("/{pool}/tasks")
def list_tasks(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> TaskPage:
    """The tasks of a tournament's Ranking Agent, in the order of submission."""
    records = list(queue.task_records(reader.ledger.tournaments.events(pool)).values())
    page, following = _page(records, ("tasks", pool), limit, cursor)
    return TaskPage(tasks=[Task.like(statuses.task_values(record)) for record in page], next=following)


@router.get("/{pool}/tasks/{task}")
def get_task(pool: PoolId, task: TaskId, reader: LedgerDep, _: Reader) -> Task:
    """One task, and its result."""
    return _task(reader, pool, task)


@router.post("/{pool}/tasks", status_code=201, responses={200: {"model": Task}, **refusals(404, 409)})
def submit_task(pool: PoolId, body: TaskRequest, reader: LedgerDep, who: Admin, response: Response) -> Task:
    """Put a task into the queue. The same again changes nothing and is answered with 200."""
    task = from_values(RankingTask, body.model_dump(mode="json"))
    is_new = task.id not in queue.task_records(reader.ledger.tournaments.events(pool))
    problem = queue.problem_with(task, reader.state(pool)) if is_new else ""
    if problem:
        raise InvalidConfig(f"the task cannot be done: {problem}")
    queue.submit(reader.ledger, pool, task)
    if is_new:
        note(reader, pool, who, "submit task", task=task.id)
    else:
        response.status_code = 200
    return _task(reader, pool, task.id)


def _task(reader: LedgerReader, pool: str, id: str) -> Task:
    record = queue.task_records(reader.ledger.tournaments.events(pool)).get(id)
    if record is None:
        raise NotFound(f"{pool} has no task {id!r}")
    return Task.like(statuses.task_values(record))


def _page(
    entries: Sequence[T], listing: tuple[str, ...], limit: int, after: str | None
) -> tuple[Sequence[T], str | None]:
    """A page of a list that only grows at its end."""
    start = number_of(after, listing) or 0
    end = start + limit
    return entries[start:end], cursor(listing, [end]) if end < len(entries) else None
