"""How a tournament is doing as values: where it is, how it went round by round, and the tasks of its queue."""

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from paragone.domain.records import (
    HypothesisRanking,
    MatchRequest,
    RankingTask,
    ResourceMetrics,
    RoundStats,
    SystemHealth,
)
from paragone.errors import Conflict, InvalidConfig, NotFound
from paragone.tournaments.agent import tasks as queue
from paragone.tournaments.status import anomaly_queue, history_of, review_anomaly, status_of, task_values
from paragone.web.readers.ledger_reader import Library
from paragone.web.views.cursors import cursor, place_of
from paragone.web.views.small import of_whole, require_small
from paragone.web.views.spending import SpentView
from paragone.web.views.values import Known, View, Words

T = TypeVar("T")
Decision = Literal["kept", "rolled back"]


class LeaderView(View):
    """One of the best.

    Attributes:
        id: Its id.
        rating: Strength in Elo points.
        low: Lower end of its interval.
        high: Upper end.
        elo: The running Elo.
        matches: Matches that counted.
    """

    id: Words
    rating: Known
    low: Known
    high: Known
    elo: float
    matches: int


class TaskView(View):
    """A task of a Ranking Agent's queue.

    Attributes:
        id: Names the task.
        task_type: ``NewHypothesis``, ``TournamentRound`` or ``GlobalRanking``.
        hypothesis_ids: About which hypotheses; none for all.
        priority: The higher goes first.
        tournament_parameters: Parameters to go by; None for the tournament's own.
        context: What else the asker had to say.
        state: ``queued``, ``running``, ``done``, ``failed`` or ``refused``.
        result: What it brought.
        error: Why it failed or was refused.
    """

    id: Words
    task_type: str
    hypothesis_ids: list[Words]
    priority: int
    tournament_parameters: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    state: str
    result: dict[str, Any]
    error: Words


class TaskPage(View):
    """Tasks, in the order of submission.

    Attributes:
        tasks: The tasks.
        next: Cursor of the next page; None on the last.
    """

    tasks: list[TaskView]
    next: str | None = None


class StatusView(View):
    """Where a tournament is.

    Attributes:
        tournament: Its id.
        hypotheses: Items.
        matches: Matches that stand.
        current_round: The round that was planned last; 0 before the first.
        active_matches: Ids of its matches that were not recorded yet.
        pending_matches: Matches that were asked for and not planned yet.
        round_statistics: How that round is going.
        incomplete: Items that lack something.
        tasks: Tasks that wait or run.
        to_review: Rating changes that a person should look at.
        leaders: The best.
        confidence: How many items have which confidence, by label.
        convergence: How far ranks have settled, in words.
        health: How it is doing; None before anything was played.
        spent: What it took.
        stopped: Why the last run ended; empty where none did.
    """

    tournament: Words
    hypotheses: int
    matches: int
    current_round: int
    active_matches: list[Words]
    pending_matches: list[MatchRequest]
    round_statistics: RoundStats | None
    incomplete: list[Words]
    tasks: list[TaskView]
    to_review: int
    leaders: list[LeaderView]
    confidence: dict[str, int]
    convergence: Words
    health: SystemHealth | None
    spent: SpentView
    stopped: Words


class RoundView(View):
    """What a round brought.

    Attributes:
        round_id: Its number, from 1.
        matches_completed: Matches that were recorded.
        matches_planned: Matches of its plan.
        average_rating_change: Mean size of the moves of ratings, in Elo points.
        top_performers: The best by running Elo at its end.
        computational_cost: What it took.
        forecast_units: Compute units that it was planned to take.
        budget: Compute units that it might take; None for no limit.
        degraded: Ids of matches that would have been debates, or longer ones, had there been the means.
        deferred: Pairs that were left for a later round.
        left_out: Pairs that were not paid for at all.
        open: Whether some of its matches were not recorded yet.
    """

    round_id: str
    matches_completed: int
    matches_planned: int
    average_rating_change: float
    top_performers: list[HypothesisRanking]
    computational_cost: ResourceMetrics
    forecast_units: float | None
    budget: float | None
    degraded: list[Words]
    deferred: list[tuple[Words, Words]]
    left_out: list[tuple[Words, Words]]
    open: bool


class RestView(View):
    """A judge or an advocate that was not asked for a while.

    Attributes:
        who: Its identity.
        reason: Why.
    """

    who: Words
    reason: Words = ""


class HistoryView(View):
    """How a tournament went.

    Attributes:
        tournament: Its id.
        rounds: All rounds, the one that is still open too.
        rested: Who was left in peace for a while, and why.
        stopped: Why the last run ended; empty where none did.
    """

    tournament: Words
    rounds: list[RoundView]
    rested: list[RestView]
    stopped: Words


class AnomalyView(View):
    """A rating change that looks wrong.

    Attributes:
        id: Names it.
        item: Whose rating.
        match: The match that moved it.
        kind: What is odd about it.
        size: By how many Elo points.
        reason: Why it looks wrong.
        decision: ``kept`` or ``rolled back``; None before somebody decided.
        because: Why it was decided so.
    """

    id: Words
    item: Words
    match: Words
    kind: str
    size: float
    reason: Words
    decision: str | None
    because: Words


class AnomalyPage(View):
    """Rating changes that a person should look at, or has looked at, in the order in which they were found.

    Attributes:
        anomalies: They.
        next: Cursor of the next page; None on the last.
    """

    anomalies: list[AnomalyView]
    next: str | None = None


def status(library: Library, pool: str) -> StatusView:
    """Where a tournament is.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
    """
    values = of_whole(library, "status", pool, lambda: status_of(library.ledger, library.state(pool)))
    return StatusView.model_validate(values)


def history(library: Library, pool: str) -> HistoryView:
    """How a tournament went, round by round.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
    """
    values = of_whole(library, "history", pool, lambda: history_of(library.ledger, library.state(pool)))
    return HistoryView.model_validate(values)


def anomalies(library: Library, pool: str, *, limit: int = 50, after: str | None = None) -> AnomalyPage:
    """Rating changes that a person should look at, or has looked at.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large, or the cursor belongs to another listing.
    """
    queued = of_whole(library, "anomalies", pool, lambda: anomaly_queue(library.state(pool)))
    shown, following = _page(queued, ("anomalies", pool), limit, after)
    return AnomalyPage(anomalies=[AnomalyView.model_validate(one) for one in shown], next=following)


def review(library: Library, pool: str, id: str, decision: Decision, reason: str) -> tuple[AnomalyView, bool]:
    """Decide about an anomaly; the same decision again changes nothing.

    Returns:
        The anomaly, and whether it was decided now.

    Raises:
        NotFound: If there is no such tournament, or no such anomaly.
        Conflict: If it was decided otherwise before.
    """
    require_small(library, pool)
    state = library.state(pool)
    before = {one["id"]: one["decision"] for one in anomaly_queue(state)}
    try:
        review_anomaly(library.ledger, state, id, decision, reason)
    except InvalidConfig as otherwise:
        raise Conflict(str(otherwise)) from otherwise
    decided = next(one for one in anomaly_queue(library.state(pool)) if one["id"] == id)
    return AnomalyView.model_validate(decided), before[id] is None


def tasks(library: Library, pool: str, *, limit: int = 50, after: str | None = None) -> TaskPage:
    """The tasks of a tournament, in the order of submission.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If the cursor belongs to another listing.
    """
    every = list(queue.task_records(library.ledger.tournaments.events(pool)).values())
    shown, following = _page(every, ("tasks", pool), limit, after)
    return TaskPage(tasks=[TaskView.model_validate(task_values(one)) for one in shown], next=following)


def task(library: Library, pool: str, id: str) -> TaskView:
    """One task.

    Raises:
        NotFound: If there is no such tournament, or no such task.
    """
    found = queue.task_records(library.ledger.tournaments.events(pool)).get(id)
    if found is None:
        raise NotFound(f"{pool} has no task {id!r}")
    return TaskView.model_validate(task_values(found))


def submit(library: Library, pool: str, wanted: RankingTask) -> tuple[TaskView, bool]:
    """Put a task into the queue; the same again changes nothing.

    Returns:
        The task, and whether it is new.

    Raises:
        NotFound: If there is no such tournament.
        Conflict: If another task has that id.
        InvalidConfig: If it cannot be done.
    """
    known = queue.task_records(library.ledger.tournaments.events(pool))
    problem = "" if wanted.id in known else queue.problem_with(wanted, library.state(pool))
    if problem:
        raise InvalidConfig(f"the task cannot be done: {problem}")
    queue.submit(library.ledger, pool, wanted)
    return task(library, pool, wanted.id), wanted.id not in known


def _page(
    every: Sequence[T], listing: tuple[str, ...], limit: int, after: str | None
) -> tuple[Sequence[T], str | None]:
    """A page of what is only ever added to at the end."""
    last = place_of(after, listing)
    start = 0 if last is None else int(last[0] or 0)
    end = start + limit
    return every[start:end], cursor(listing, [end]) if end < len(every) else None
