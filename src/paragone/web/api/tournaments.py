"""How tournaments are doing over HTTP, and the queue of their Ranking Agent."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from paragone.domain.records import RankingTask, TaskType
from paragone.domain.records.wire import from_values
from paragone.web.admin_log import note
from paragone.web.api.answers import Cursor, Limit, Reason, refusals
from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Admin, Reader
from paragone.web.views import compare as compared
from paragone.web.views import judges as judging
from paragone.web.views import progress
from paragone.web.views.body import Body, StorableText
from paragone.web.views.links import AnomalyId, PoolId, TaskId
from paragone.wire.anomaly import Anomaly, AnomalyPage, Decision
from paragone.wire.head_to_head import HeadToHead
from paragone.wire.judge import Judges
from paragone.wire.task import Task, TaskPage
from paragone.wire.tournament import History, Status

router = APIRouter(prefix="/pools", tags=["tournaments"], responses=refusals(404))


class TaskRequest(Body):
    """Something that a Ranking Agent is asked for: a `RankingTask` of the documents.

    Attributes:
        id: Names the task within its tournament; the same again changes nothing.
        task_type: The kind of task.
        hypothesis_ids: About which hypotheses; none for all.
        priority: The higher goes first.
        tournament_parameters: Parameters to go by; None for the tournament's own.
        context: What else there is to say: texts of new hypotheses, matches of a round.
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
    """Where a tournament is: what waits, how sure it is, how it fares."""
    return progress.status(reader, pool)


@router.get("/{pool}/history")
def get_history(pool: PoolId, reader: LedgerDep, _: Reader) -> History:
    """How a tournament went, round by round."""
    return progress.history(reader, pool)


@router.get("/{pool}/judges")
def get_judges(pool: PoolId, reader: LedgerDep, _: Reader) -> Judges:
    """The judges of a tournament: agreement, bias with interval, ties, cost."""
    return judging.judges(reader, pool)


@router.get("/{pool}/compare")
def get_compare(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    count: Annotated[int, Query(ge=2, le=compared.MOST, description="Items, from the first on.")] = 16,
) -> HeadToHead:
    """The first items of the board against each other, and circles among all."""
    return compared.compare(reader, pool, count)


@router.get("/{pool}/anomalies")
def list_anomalies(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> AnomalyPage:
    """Rating changes that a person should look at, or has looked at."""
    return progress.anomalies(reader, pool, limit=limit, after=cursor)


@router.post("/{pool}/anomalies/{anomaly}", responses=refusals(404, 409))
def review_anomaly(pool: PoolId, anomaly: AnomalyId, body: AnomalyReview, reader: LedgerDep, who: Admin) -> Anomaly:
    """Decide about a rating change: keep the match behind it, or roll that back.

    The same decision again changes nothing. The reason is kept with the name of who gave it.
    """
    done, is_new = progress.review(reader, pool, anomaly, body.decision, f"{who.name}: {body.reason}")
    if is_new:
        note(reader, pool, who, "review", anomaly=anomaly, decision=body.decision)
    return done


@router.get("/{pool}/tasks")
def list_tasks(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> TaskPage:
    """The tasks of a tournament's Ranking Agent, in the order of submission."""
    return progress.tasks(reader, pool, limit=limit, after=cursor)


@router.get("/{pool}/tasks/{task}")
def get_task(pool: PoolId, task: TaskId, reader: LedgerDep, _: Reader) -> Task:
    """One task, and what became of it."""
    return progress.task(reader, pool, task)


@router.post("/{pool}/tasks", status_code=201, responses={200: {"model": Task}, **refusals(404, 409)})
def submit_task(pool: PoolId, body: TaskRequest, reader: LedgerDep, who: Admin, response: Response) -> Task:
    """Put a task into the queue. The same again changes nothing and is answered with 200."""
    task = from_values(RankingTask, body.model_dump(mode="json"))
    done, is_new = progress.submit(reader, pool, task)
    if is_new:
        note(reader, pool, who, "submit task", task=task.id)
    else:
        response.status_code = 200
    return done
