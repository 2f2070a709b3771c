"""A tournament in progress, and the controls to run, pause and stop it."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse, Response

from paragone.domain.spending import money
from paragone.errors import Conflict, InvalidConfig, NotFound, UsageError
from paragone.presenting.figures import convergence
from paragone.presenting.figures.theme import nothing
from paragone.presenting.page import Chart
from paragone.presenting.terms import AGREEMENT, BRIEF_AGREEMENT
from paragone.web.forms import FormDep
from paragone.web.middleware.access_tokens import Caller
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.pages.board import without_guesses
from paragone.web.pages.rendering import (
    Scale,
    as_data,
    events_url,
    forecast_tiles,
    number,
    page,
    pages_of,
    scale,
    scale_of,
)
from paragone.web.parameters import LedgerDep, Nth, PoolId, RunsDep
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.runs.active_runs import ActiveRuns
from paragone.web.views import board as board_views
from paragone.web.views import live as views
from paragone.web.views import pools
from paragone.web.views.board import BoardQuery
from paragone.web.voting.voters import PEOPLE
from paragone.wire.address import api_url, pool_url
from paragone.wire.live import LiveTournament, RunForecast, RunLimits
from paragone.wire.pool import Pool

router = APIRouter()
MOST = 10
"""Items of the board that is shown beside."""
ROUNDS, SETTLING = 8, 40
"""Rounds of a page, and rounds of a page of how ranks settled."""
LIMITS = ("budget", "confidence", "max_cost", "max_tokens")
"""Limits of a run, by their fields."""
CONDITIONS = {
    "new": ("not begun", ""),
    "beginning": ("beginning", "on"),
    "running": ("running", "on"),
    "pausing": ("pausing", "on"),
    "stopping": ("stopping", "on"),
    "elsewhere": ("running elsewhere", "on"),
    "paused": ("paused", ""),
    "stopped": ("stopped", ""),
    "interrupted": ("interrupted", "off"),
    "finished": ("finished", ""),
}
"""Name and style of each condition."""


@router.get("/pools/{pool}/live")
def live(
    pool: PoolId, reader: LedgerDep, runs: RunsDep, who: Reader, rounds: Nth = 1, settling: Nth = 1
) -> HTMLResponse:
    """A tournament in progress; if it cannot be watched, why."""
    about, why = pools.pool(reader, pool), ""
    status: LiveTournament | None = None
    try:
        status = views.live(reader, runs, pool)
    except (NotFound, InvalidConfig) as reason:
        why = str(reason)
    tables: dict[str, tuple[Sequence[object], int, int, str]] = {}
    if status is not None:
        tables["rounds"] = (status.rounds[::-1], rounds, ROUNDS, "#rounds-title")
        tables["settling"] = (status.settling[::-1], settling, SETTLING, "#settles-title")
    board = None if status is None else without_guesses(board_views.board(reader, pool, BoardQuery(limit=MOST)), about)
    by_people = about.tournament is not None and about.tournament.judge == PEOPLE
    return page(
        "live.html",
        section="live",
        who=who,
        pool=about,
        live=events_url(pool),
        data=as_data(progress=pool_url(pool, "live"), spending=pool_url(pool, "status")) if status else None,
        charts=() if status is None or by_people else _charts(status),
        live_status=status,
        tables=pages_of(pool_url(pool, "live"), tables),
        why=why,
        board=board,
        name=("people vote", "on") if by_people else None if status is None else CONDITIONS[status.condition],
        by_people=by_people,
        is_moving=status is not None
        and status.condition in {"beginning", "running", "pausing", "stopping", "elsewhere"},
        tiles=[] if status is None else _tiles(about, status),
        spans=[] if status is None or by_people else _spans(status),
        scale=None if board is None else scale_of(board.rows),
        leaning=None if status is None else _leaning(status),
        vote=pool_url(pool, "vote"),
        start=pool_url(pool, "live", "start"),
        pause=api_url(pool_url(pool, "pause")),
        stop=api_url(pool_url(pool, "stop")),
    )


_Field = Annotated[str, Query(max_length=20)]


@router.get("/pools/{pool}/live/start")
def start(
    pool: PoolId,
    reader: LedgerDep,
    runs: RunsDep,
    who: Admin,
    budget: _Field = "",
    confidence: _Field = "",
    max_cost: _Field = "",
    max_tokens: _Field = "",
) -> HTMLResponse:
    """The forecast of a run, and the button that begins it."""
    limits = {"budget": budget, "confidence": confidence, "max_cost": max_cost, "max_tokens": max_tokens}
    return _start_page(reader, runs, pool, who, {name: value.strip() for name, value in limits.items()})


@router.post("/pools/{pool}/live/start")
def begin(pool: PoolId, reader: LedgerDep, runs: RunsDep, who: Admin, form: FormDep) -> Response:
    """Begin the run that a forecast was confirmed for."""
    limits = {name: form.fields.get(name, "")[:20] for name in LIMITS}
    changes, why = _limits(limits)
    if changes is not None:
        reader.require_small(pool)  # or the live page could not be given once it has begun
        try:
            runs.begin(pool, who, changes, form.fields.get("confirm", ""))
            return RedirectResponse(pool_url(pool, "live"), 303)
        except (UsageError, Conflict) as reason:
            if isinstance(reason, NotFound):
                raise
            why = str(reason)
    return _start_page(reader, runs, pool, who, limits, why)


def _start_page(
    reader: LedgerReader, runs: ActiveRuns, pool: str, who: Caller, limits: dict[str, str], refused: str = ""
) -> HTMLResponse:
    """The forecast of a run; or why it did not begin."""
    forecast, why = _forecast(reader, runs, pool, limits)
    status = views.live(reader, runs, pool)
    return page(
        "start.html",
        status=409 if refused else 200,
        section="live",
        who=who,
        pool=pools.pool(reader, pool),
        live_status=status,
        forecast=forecast,
        expected=[] if forecast is None else _expected(forecast),
        price="" if forecast is None else forecast.expected.value().facts()["dollars"],
        why=why,
        refused="" if refused == why else refused,
        limits=limits,
        runs=status.condition in {"beginning", "running", "pausing", "stopping", "elsewhere"},
        back=pool_url(pool, "live"),
    )


def _limits(fields: Mapping[str, str]) -> tuple[RunLimits | None, str]:
    """The limits of a form; if one is no number, None and what is wrong."""
    try:
        budget, tokens = (int(fields[name]) if fields[name] else None for name in ("budget", "max_tokens"))
        confidence, cost = (float(fields[name]) if fields[name] else None for name in ("confidence", "max_cost"))
    except ValueError:
        return None, "a limit is a number"
    return views.limits(budget, confidence, cost, tokens), ""


def _forecast(
    reader: LedgerReader, runs: ActiveRuns, pool: str, limits: dict[str, str]
) -> tuple[RunForecast | None, str]:
    """The forecast of a run; if there is none, why."""
    changes, why = _limits(limits)
    if changes is None:
        return None, why
    try:
        return views.forecast_of(reader, runs, pool, changes), ""
    except (UsageError, Conflict) as reason:
        if isinstance(reason, NotFound):
            raise
        return None, str(reason)


def _expected(forecast: RunForecast) -> list[tuple[str, str]]:
    """The four counts of a forecast, and how reliable each is."""
    words = forecast.expected.value().facts()
    limits = {"decisions": "at the most", "requests": "about", "tokens": "about", "dollars": "about"}
    return [(f"{name.capitalize()}, {limits[name]}", words_of_limit) for name, words_of_limit in words.items()]


def _charts(status: LiveTournament) -> tuple[Chart, ...]:
    """The convergence chart. It is there from the start, so that it grows while somebody watches."""
    title = "Does the ranking settle?"
    if status.pending and not status.settling:
        return (Chart(id="convergence", section="progress", title=title, note="", figure=nothing("Being computed.")),)
    note = (
        "Rank correlation of the running Elo with that of the round before; dotted: where it counts as stable. "
        f"{BRIEF_AGREEMENT.capitalize()}: how like the true order the board is expected to be, as {AGREEMENT.exact}."
    )
    figure = convergence(status.settling, threshold=status.threshold)
    return (Chart(id="convergence", section="progress", title=title, note=note, figure=figure),)


def _tiles(about: Pool, status: LiveTournament) -> list[tuple[str, str]]:
    tiles = [("Round", f"{status.round:,}")] if status.round else []
    tiles.append(("Matches", f"{about.matches:,}"))
    if status.pace is not None:
        tiles.append(("Answers a second", number(status.pace.rate, ".1f")))
        if status.pace.seconds_left is not None:
            tiles.append(("Time left, at the most", _clock(status.pace.seconds_left)))
    tiles += status.budget.spending.tiles()
    forecast = status.forecast
    if forecast is not None:
        tiles += forecast_tiles(forecast)
    return tiles


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _spans(status: LiveTournament) -> list[tuple[str, float, float | None, str]]:
    """Spending against limits: name, amount, limit and both in words."""
    spent = status.budget
    most = f"{spent.most:,}" if spent.limited else f"at most {spent.most:,}"
    rows: list[tuple[str, float, float | None, str]] = [
        ("Decisions", spent.answered, spent.most, f"{spent.answered:,} of {most}; {spent.remaining:,} left")
    ]
    spending, words = spent.spending, spent.spending.value().facts()
    if spent.max_cost is not None:
        dollars = spending.dollars_known or 0.0
        rows.append(("Dollars", dollars, spent.max_cost, f"{words['dollars']} of {money(spent.max_cost)}"))
    if spent.max_tokens is not None:
        rows.append(("Tokens", spending.tokens, spent.max_tokens, f"{words['tokens']} of {spent.max_tokens:,}"))
    return rows


def _leaning(status: LiveTournament) -> Scale:
    """A scale around zero that holds the intervals of all biases."""
    ends = [abs(end) for bias in status.bias for end in (bias.low, bias.high) if end is not None]
    reach = max(ends, default=1.0) or 1.0
    return scale(-reach, reach)
