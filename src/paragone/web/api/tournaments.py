"""Tournaments over HTTP: status, analyses, what-if boards, anomalies, and runs."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import Field

from paragone.errors import Conflict, InvalidConfig
from paragone.presenting.figures.relations import MOST as MOST_COMPARED
from paragone.tournaments import status as statuses
from paragone.tournaments.results.patterns import analyse_patterns
from paragone.tournaments.results.quality import quality_of
from paragone.tournaments.results.tournament_board import WhatIf
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.parameters import (
    AnomalyId,
    Body,
    Cursor,
    LedgerDep,
    Limit,
    PoolId,
    Reason,
    RunsDep,
    StorableText,
    file_of,
)
from paragone.web.problems import refusals
from paragone.web.views import judges, live, reports
from paragone.web.views.board import compare
from paragone.web.views.cursors import page_of_growing
from paragone.web.views.what_if import what_if_board
from paragone.wire.anomaly import Anomaly, AnomalyPage, Decision
from paragone.wire.board import Board
from paragone.wire.consistency import Consistency
from paragone.wire.head_to_head import HeadToHead
from paragone.wire.judge import Judges
from paragone.wire.live import LiveTournament, RunForecast
from paragone.wire.pattern import Patterns
from paragone.wire.tournament import History, Status

router = api_router(404, prefix="/pools", tags=["tournaments"])

MOST_LEFT_OUT = 100
"""Maximum numbers of matches and of judges to leave out in a what-if."""
LeftOut = Annotated[tuple[Annotated[StorableText, Query(max_length=500)], ...], Query(max_length=MOST_LEFT_OUT)]

Whole = Annotated[int | None, Field(ge=1, le=2**31 - 1)]
Sure = Annotated[float | None, Field(gt=0, lt=1)]
Money = Annotated[float | None, Field(gt=0, le=1e9)]


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
    """The state of a tournament: open matches, confidence, forecast and health."""
    values = reader.whole("status", pool, lambda: statuses.status_of(reader.ledger, reader.state(pool)))
    return Status.like(values)


@router.get("/{pool}/history")
def get_history(pool: PoolId, reader: LedgerDep, _: Reader) -> History:
    """The history of a tournament, round by round."""
    values = reader.whole("history", pool, lambda: statuses.history_of(reader.ledger, reader.state(pool)))
    return History.like(values)


@router.get("/{pool}/judges")
def get_judges(pool: PoolId, reader: LedgerDep, _: Reader) -> Judges:
    """The judges of a tournament: agreement, bias with interval, ties, cost."""
    return judges.judges(reader, pool)


@router.get("/{pool}/compare")
def get_compare(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    count: Annotated[int, Query(ge=2, le=MOST_COMPARED, description="Items, from the first on.")] = 16,
) -> HeadToHead:
    """The first items of the board against each other, and cycles among all."""
    return compare(reader, pool, count)


@router.get("/{pool}/anomalies")
def list_anomalies(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> AnomalyPage:
    """Rating changes that a person should look at, or has looked at."""
    queued = reader.whole("anomalies", pool, lambda: statuses.anomaly_queue(reader.state(pool)))
    page, following = page_of_growing(queued, ("anomalies", pool), limit, cursor)
    return AnomalyPage(anomalies=[Anomaly.like(anomaly) for anomaly in page], next=following)


@router.post("/{pool}/anomalies/{anomaly}", responses=refusals(404, 409))
def review_anomaly(pool: PoolId, anomaly: AnomalyId, body: AnomalyReview, reader: LedgerDep, who: Admin) -> Anomaly:
    """Decide on a suspicious rating change: keep the match behind it, or roll it back.

    The same decision again changes nothing. The reason is kept with the admin's name.
    """
    reader.require_small(pool)
    state = reader.state(pool)
    before = {queued["id"]: queued["decision"] for queued in statuses.anomaly_queue(state)}
    try:
        statuses.review_anomaly(reader.ledger, state, anomaly, body.decision, f"{who.name}: {body.reason}")
    except InvalidConfig as decided_otherwise:
        raise Conflict(str(decided_otherwise)) from decided_otherwise
    if before[anomaly] is None:
        reader.log_act(pool, who.name, "review", anomaly=anomaly, decision=body.decision)
    return next(
        Anomaly.like(queued) for queued in statuses.anomaly_queue(reader.state(pool)) if queued["id"] == anomaly
    )


@router.get("/{pool}/consistency")
def get_consistency(pool: PoolId, reader: LedgerDep, _: Reader) -> Consistency:
    """Whether the results are consistent: cycles, surprising results, sudden swings, both orders, judges."""
    return reader.whole("consistency", pool, lambda: quality_of(reader.ledger, reader.state(pool)))


@router.get("/{pool}/patterns", responses=refusals(404, 501))
def get_patterns(pool: PoolId, reader: LedgerDep, _: Reader) -> Patterns:
    """What wins and what loses, and how topics fare. Nothing is recorded, and no model is asked."""
    return Patterns.like(reader.whole("patterns", pool, lambda: analyse_patterns(reader.state(pool))))


@router.get("/{pool}/report", response_class=Response, responses=file_of(reports.TYPES.values()))
def get_report(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    format: Annotated[
        reports.ReportFormat, Query(description="A page, all values, the leaderboard, or a folder of pages.")
    ] = "json",
) -> Response:
    """The report of a tournament as a file: a page that needs no server, JSON with everything, CSV, or a site.

    The site is the board with the report, as `paragone publish` writes them, in a zip.
    """
    headers = {"content-disposition": f'attachment; filename="report.{format}"', "cache-control": "no-store"}
    return Response(reports.report_file(reader, pool, format), media_type=reports.TYPES[format], headers=headers)


@router.get("/{pool}/parameters")
def get_parameters(pool: PoolId, reader: LedgerDep, _: Reader) -> dict[str, Any]:
    """The parameters of a tournament, under the names that `paragone tournament config` has for them."""
    return reader.whole("parameters", pool, lambda: asdict(reader.state(pool).system))


@router.get("/{pool}/whatif")
def suppose(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    k: Annotated[float | None, Query(gt=0, le=10_000, description="Another K factor for the running Elo.")] = None,
    initial: Annotated[float | None, Query(ge=-1e6, le=1e6, description="Another initial rating.")] = None,
    without_match: Annotated[LeftOut, Query(description="A match to leave out; may be repeated.")] = (),
    without_judge: Annotated[LeftOut, Query(description="A judge to leave out; may be repeated.")] = (),
    position: Annotated[bool, Query(description="Whether to fit each judge's position bias.")] = True,
    limit: Limit = 50,
) -> Board:
    """The first rows of the board as it would be under other settings or without some evidence.

    Nothing is changed; calls and cost are the real ones.
    """
    assumptions = WhatIf(
        k=k, initial=initial, without_matches=without_match, without_judges=without_judge, position=position
    )
    return what_if_board(reader, pool, assumptions, limit)


class RunConfirmation(Body):
    """Confirmation to spend what a forecast estimated.

    Attributes:
        confirm: The ``confirm`` of the forecast. Nothing starts without it, or if the forecast has changed since.
    """

    confirm: Annotated[str, Field(max_length=100)] = ""


# The fields are those of ``wire.live.RunLimits``, which has only the limits that change. A body checks their ranges.
class RunRequest(RunConfirmation):
    """A run, under other limits where some are given.

    Attributes:
        budget: A new total of judge calls.
        confidence: How sure the ranking has to be.
        max_cost: A new limit in US dollars.
        max_tokens: A new limit in tokens.
    """

    budget: Whole = None
    confidence: Sure = None
    max_cost: Money = None
    max_tokens: Whole = None


class EmptyBody(Body):
    """A body that says nothing."""


@router.get("/{pool}/live")
def get_live(pool: PoolId, reader: LedgerDep, runs: RunsDep, _: Reader) -> LiveTournament:
    """The live state of a tournament: rounds, matches in flight, convergence, forecast, budget, bias."""
    return live.live(reader, runs, pool)


@router.get("/{pool}/forecast")
def get_forecast(
    pool: PoolId,
    reader: LedgerDep,
    runs: RunsDep,
    _: Admin,
    budget: Annotated[Whole, Query(description="A new total of judge calls.")] = None,
    confidence: Annotated[Sure, Query(description="How sure the ranking has to be.")] = None,
    max_cost: Annotated[Money, Query(description="A new limit in US dollars.")] = None,
    max_tokens: Annotated[Whole, Query(description="A new limit in tokens.")] = None,
) -> RunForecast:
    """Forecast the cost of a run by the tournament's own judge. No model is called and nothing is written."""
    return live.forecast_of(reader, runs, pool, live.limits(budget, confidence, max_cost, max_tokens))


@router.post("/{pool}/run", status_code=202, responses=refusals(404, 409))
def run(pool: PoolId, body: RunRequest, reader: LedgerDep, runs: RunsDep, who: Admin) -> LiveTournament:
    """Run a tournament on this server by its own judge, within the given limits or its own.

    `confirm` is that of a forecast for the same limits.
    """
    changes = live.limits(body.budget, body.confidence, body.max_cost, body.max_tokens)
    reader.require_small(pool)  # or the answer could not be given once it has begun
    runs.begin(pool, who, changes, body.confirm)
    return live.live(reader, runs, pool)


@router.post("/{pool}/resume", status_code=202, responses=refusals(404, 409))
def resume(pool: PoolId, body: RunConfirmation, reader: LedgerDep, runs: RunsDep, who: Admin) -> LiveTournament:
    """Resume a tournament that was paused, stopped or interrupted; `confirm` comes from a forecast."""
    reader.require_small(pool)
    runs.go_on(pool, who, body.confirm)
    return live.live(reader, runs, pool)


@router.post("/{pool}/pause", status_code=202, responses=refusals(404, 409))
def pause(pool: PoolId, reader: LedgerDep, runs: RunsDep, who: Admin, _: EmptyBody | None = None) -> LiveTournament:
    """Pause a run: nothing more is asked; answers in flight are awaited and kept."""
    runs.wish(pool, who, "pause")
    return live.live(reader, runs, pool)


@router.post("/{pool}/stop", status_code=202, responses=refusals(404, 409))
def stop(pool: PoolId, reader: LedgerDep, runs: RunsDep, who: Admin, _: EmptyBody | None = None) -> LiveTournament:
    """Stop a run at once: recorded answers are kept, and answers in flight are dropped."""
    runs.wish(pool, who, "stop")
    return live.live(reader, runs, pool)
