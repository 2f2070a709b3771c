"""Runs of tournaments over HTTP: live state, forecast, and run, pause, resume and stop."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from paragone.web.api.answers import refusals
from paragone.web.middleware.authentication import Admin, Reader
from paragone.web.parameters import Body, LedgerDep, PoolId, RunsDep
from paragone.web.views import live as views
from paragone.wire.live import LiveTournament, RunForecast

router = APIRouter(prefix="/pools", tags=["tournaments"], responses=refusals(404))

MOST = 2**31 - 1
Whole = Annotated[int | None, Field(ge=1, le=MOST)]
Sure = Annotated[float | None, Field(gt=0, lt=1)]
Money = Annotated[float | None, Field(gt=0, le=1e9)]


class RunConfirmation(Body):
    """Confirmation to spend what a forecast estimated.

    Attributes:
        confirm: The ``confirm`` of the forecast. Nothing starts without it, or if the forecast has changed since.
    """

    confirm: Annotated[str, Field(max_length=100)] = ""


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
    return views.live(reader, runs, pool)


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
    return views.forecast_of(reader, runs, pool, views.limits(budget, confidence, max_cost, max_tokens))


@router.post("/{pool}/run", status_code=202, responses=refusals(404, 409))
def run(pool: PoolId, body: RunRequest, reader: LedgerDep, runs: RunsDep, who: Admin) -> LiveTournament:
    """Run a tournament on this server by its own judge, within the given limits or its own.

    `confirm` is that of a forecast for the same limits.
    """
    changes = views.limits(body.budget, body.confidence, body.max_cost, body.max_tokens)
    reader.require_small(pool)  # or the answer could not be given once it has begun
    runs.begin(pool, who, changes, body.confirm)
    return views.live(reader, runs, pool)


@router.post("/{pool}/resume", status_code=202, responses=refusals(404, 409))
def resume(pool: PoolId, body: RunConfirmation, reader: LedgerDep, runs: RunsDep, who: Admin) -> LiveTournament:
    """Resume a tournament that was paused, stopped or interrupted; `confirm` comes from a forecast."""
    reader.require_small(pool)
    runs.go_on(pool, who, body.confirm)
    return views.live(reader, runs, pool)


@router.post("/{pool}/pause", status_code=202, responses=refusals(404, 409))
def pause(pool: PoolId, reader: LedgerDep, runs: RunsDep, who: Admin, _: EmptyBody | None = None) -> LiveTournament:
    """Ask nothing more; the answers under way are waited for, and kept."""
    runs.wish(pool, who, "pause")
    return views.live(reader, runs, pool)


@router.post("/{pool}/stop", status_code=202, responses=refusals(404, 409))
def stop(pool: PoolId, reader: LedgerDep, runs: RunsDep, who: Admin, _: EmptyBody | None = None) -> LiveTournament:
    """Stop a run at once: recorded answers are kept, and answers in flight are dropped."""
    runs.wish(pool, who, "stop")
    return views.live(reader, runs, pool)
