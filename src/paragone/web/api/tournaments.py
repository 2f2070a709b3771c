"""How tournaments are doing over HTTP, and the queue of their Ranking Agent."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from paragone.domain.records import RankingTask, TaskType
from paragone.domain.records.wire import from_values
from paragone.web.admin_log import note
from paragone.web.api.answers import Cursor, Limit, Reason, refusals
from paragone.web.dependencies import Books
from paragone.web.middleware.authentication import Admin, Reader
from paragone.web.views import compare as compared
from paragone.web.views import judges as judging
from paragone.web.views import progress
from paragone.web.views.compare import CompareView
from paragone.web.views.judges import JudgesView
from paragone.web.views.links import AnomalyId, PoolId, TaskId
from paragone.web.views.progress import (
    AnomalyPage,
    AnomalyView,
    Decision,
    HistoryView,
    StatusView,
    TaskPage,
    TaskView,
)
from paragone.web.views.values import Given

router = APIRouter(prefix="/pools", tags=["tournaments"], responses=refusals(404))


class TaskWanted(BaseModel, extra="forbid"):
    """Something that a Ranking Agent is asked for: a `RankingTask` of the documents.

    Attributes:
        id: Names the task within its tournament; the same again changes nothing.
        task_type: What is asked for.
        hypothesis_ids: About which hypotheses; none for all.
        priority: The higher goes first.
        tournament_parameters: Parameters to go by; None for the tournament's own.
        context: What else there is to say: texts of new hypotheses, matches of a round.
    """

    id: Annotated[Given, Field(min_length=1, max_length=200)]
    task_type: TaskType
    hypothesis_ids: list[str] = []
    priority: Annotated[int, Field(ge=-(2**31), lt=2**31)] = 0
    tournament_parameters: dict[str, Any] | None = None
    context: dict[str, Any] | None = None


class DecisionGiven(BaseModel, extra="forbid"):
    """What somebody decides about a rating change that looks wrong.

    Attributes:
        decision: ``kept``: the match stands; ``rolled back``: it is voided.
        reason: Why.
    """

    decision: Decision
    reason: Reason


@router.get("/{pool}/status")
def get_status(pool: PoolId, books: Books, _: Reader) -> StatusView:
    """Where a tournament is: what waits, how sure it is, how it fares."""
    return progress.status(books, pool)


@router.get("/{pool}/history")
def get_history(pool: PoolId, books: Books, _: Reader) -> HistoryView:
    """How a tournament went, round by round."""
    return progress.history(books, pool)


@router.get("/{pool}/judges")
def get_judges(pool: PoolId, books: Books, _: Reader) -> JudgesView:
    """The judges of a tournament: agreement, bias with interval, ties, cost."""
    return judging.judges(books, pool)


@router.get("/{pool}/compare")
def get_compare(
    pool: PoolId,
    books: Books,
    _: Reader,
    count: Annotated[int, Query(ge=2, le=compared.MOST, description="Items, from the first on.")] = 16,
) -> CompareView:
    """The first items of the board against each other, and circles among all."""
    return compared.compare(books, pool, count)


@router.get("/{pool}/anomalies")
def list_anomalies(pool: PoolId, books: Books, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> AnomalyPage:
    """Rating changes that a person should look at, or has looked at."""
    return progress.anomalies(books, pool, limit=limit, after=cursor)


@router.post("/{pool}/anomalies/{anomaly}", responses=refusals(404, 409))
def review_anomaly(pool: PoolId, anomaly: AnomalyId, given: DecisionGiven, books: Books, who: Admin) -> AnomalyView:
    """Decide about a rating change: keep the match behind it, or roll that back.

    The same decision again changes nothing. The reason is kept with the name of who gave it.
    """
    done, is_new = progress.review(books, pool, anomaly, given.decision, f"{who.name}: {given.reason}")
    if is_new:
        note(books, pool, who, "review", anomaly=anomaly, decision=given.decision)
    return done


@router.get("/{pool}/tasks")
def list_tasks(pool: PoolId, books: Books, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> TaskPage:
    """The tasks of a tournament's Ranking Agent, in the order of submission."""
    return progress.tasks(books, pool, limit=limit, after=cursor)


@router.get("/{pool}/tasks/{task}")
def get_task(pool: PoolId, task: TaskId, books: Books, _: Reader) -> TaskView:
    """One task, and what became of it."""
    return progress.task(books, pool, task)


@router.post("/{pool}/tasks", status_code=201, responses={200: {"model": TaskView}, **refusals(404, 409)})
def submit_task(pool: PoolId, wanted: TaskWanted, books: Books, who: Admin, response: Response) -> TaskView:
    """Put a task into the queue. The same again changes nothing and is answered with 200."""
    task = from_values(RankingTask, wanted.model_dump(mode="json"))
    done, is_new = progress.submit(books, pool, task)
    if is_new:
        note(books, pool, who, "submit task", task=task.id)
    else:
        response.status_code = 200
    return done
