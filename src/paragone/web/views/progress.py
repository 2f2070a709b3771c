"""How a tournament is doing as values: where it is, how it went round by round, and the tasks of its queue."""

from collections.abc import Sequence
from typing import TypeVar

from paragone.domain.records import RankingTask
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.tournaments.agent import tasks as queue
from paragone.tournaments.status import anomaly_queue, history_of, review_anomaly, status_of, task_values
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.whole_tournament import of_whole, require_small
from paragone.wire.anomaly import Anomaly, AnomalyPage, Decision
from paragone.wire.task import Task, TaskPage
from paragone.wire.tournament import History, Status

T = TypeVar("T")


def status(reader: LedgerReader, pool: str) -> Status:
    """Where a tournament is.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
    """
    values = of_whole(reader, "status", pool, lambda: status_of(reader.ledger, reader.state(pool)))
    return Status.like(values)


def history(reader: LedgerReader, pool: str) -> History:
    """How a tournament went, round by round.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
    """
    values = of_whole(reader, "history", pool, lambda: history_of(reader.ledger, reader.state(pool)))
    return History.like(values)


def anomalies(reader: LedgerReader, pool: str, *, limit: int = 50, after: str | None = None) -> AnomalyPage:
    """Rating changes that a person should look at, or has looked at.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large, or the cursor belongs to another listing.
    """
    queued = of_whole(reader, "anomalies", pool, lambda: anomaly_queue(reader.state(pool)))
    page, following = _page(queued, ("anomalies", pool), limit, after)
    return AnomalyPage(anomalies=[Anomaly.like(anomaly) for anomaly in page], next=following)


def review(reader: LedgerReader, pool: str, id: str, decision: Decision, reason: str) -> tuple[Anomaly, bool]:
    """Decide about an anomaly; the same decision again changes nothing.

    Returns:
        The anomaly, and whether it was decided now.

    Raises:
        NotFound: If there is no such tournament, or no such anomaly.
        Conflict: If it was decided otherwise before.
    """
    require_small(reader, pool)
    state = reader.state(pool)
    before = {anomaly["id"]: anomaly["decision"] for anomaly in anomaly_queue(state)}
    try:
        review_anomaly(reader.ledger, state, id, decision, reason)
    except InvalidConfig as otherwise:
        raise Conflict(str(otherwise)) from otherwise
    decided = next(anomaly for anomaly in anomaly_queue(reader.state(pool)) if anomaly["id"] == id)
    return Anomaly.like(decided), before[id] is None


def tasks(reader: LedgerReader, pool: str, *, limit: int = 50, after: str | None = None) -> TaskPage:
    """The tasks of a tournament, in the order of submission.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If the cursor belongs to another listing.
    """
    every = list(queue.task_records(reader.ledger.tournaments.events(pool)).values())
    page, following = _page(every, ("tasks", pool), limit, after)
    return TaskPage(tasks=[Task.like(task_values(record)) for record in page], next=following)


def task(reader: LedgerReader, pool: str, id: str) -> Task:
    """One task.

    Raises:
        NotFound: If there is no such tournament, or no such task.
    """
    record = queue.task_records(reader.ledger.tournaments.events(pool)).get(id)
    if record is None:
        raise NotFound(f"{pool} has no task {id!r}")
    return Task.like(task_values(record))


def submit(reader: LedgerReader, pool: str, request: RankingTask) -> tuple[Task, bool]:
    """Put a task into the queue; the same again changes nothing.

    Returns:
        The task, and whether it is new.

    Raises:
        NotFound: If there is no such tournament.
        Conflict: If another task has that id.
        InvalidConfig: If it cannot be done.
    """
    records = queue.task_records(reader.ledger.tournaments.events(pool))
    problem = "" if request.id in records else queue.problem_with(request, reader.state(pool))
    if problem:
        raise InvalidConfig(f"the task cannot be done: {problem}")
    queue.submit(reader.ledger, pool, request)
    return task(reader, pool, request.id), request.id not in records


def _page(
    every: Sequence[T], listing: tuple[str, ...], limit: int, after: str | None
) -> tuple[Sequence[T], str | None]:
    """A page of what is only ever added to at the end."""
    last = place_of(after, listing)
    start = 0 if last is None else int(last[0] or 0)
    end = start + limit
    return every[start:end], cursor(listing, [end]) if end < len(every) else None
