"""A tournament as it is being played: what is in flight, how sure it is, what it took and why it will stop."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from paragone.analysis.figures import Settling
from paragone.domain import Board, Planned, Spending
from paragone.tournaments.planning.schedule import most_comparisons
from paragone.tournaments.report.looks import looks
from paragone.tournaments.report.performance import settled_in_words, settling
from paragone.tournaments.report.ranking import standings
from paragone.tournaments.results.tournament_board import board_of
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import Extension, TournamentSettings
from paragone.web.books.library import Library
from paragone.web.playing.quote import Quote, cannot_run
from paragone.web.playing.room import Room
from paragone.web.playing.run import Run
from paragone.web.playing.steering import PAUSE, Steering
from paragone.web.views.board_values import ForecastView
from paragone.web.views.live_values import (
    Act,
    BiasView,
    BudgetView,
    Condition,
    LiveView,
    OpenView,
    PaceView,
    RoundLine,
    RunForecast,
    SettlingView,
)
from paragone.web.views.reasons import reasons
from paragone.web.views.small import of_whole, require_small
from paragone.web.views.spending import SpentView

PATIENCE = 0.5
"""Seconds that a reader waits for the figures of now; then there are those of before."""
MOST_IN_FLIGHT = 24
"""Matches in flight that are shown."""
MOST_ROUNDS = 50
"""Rounds that are shown, the last ones."""

_ACTS: dict[str, list[Act]] = {
    "new": ["run"],
    "running": ["pause", "stop"],
    "pausing": ["stop"],
    "paused": ["resume", "run"],
    "stopped": ["resume", "run"],
    "interrupted": ["resume", "run"],
    "finished": ["run"],
}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Figures:
    """What takes a fit, or several."""

    board: Board
    convergence: str
    settling: tuple[Settling, ...]


def live(library: Library, room: Room, pool: str) -> LiveView:
    """A tournament as it is being played.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
        Busy: If it is still being read.
    """
    run = room.run_of(pool)
    asked = {} if run is None else run.in_flight()  # before the state is read, so that it knows of their matches
    state = of_whole(library, "where it is", pool, lambda: library.state(pool))
    found, spent = room.steering(pool), library.ledger.spending(pool)
    made, pending = library.newest("live", pool, lambda: _figures(library, pool), PATIENCE)
    figures = None if made is None else made.value
    forecast = None if figures is None else figures.board.forecast
    condition, cannot = _condition(library, pool, run, found), cannot_run(pool, state.settings)
    items, rounds = len(state.items), len(state.rounds)
    return LiveView(
        pool=pool,
        condition=condition,
        by=found.by if run is None else run.by,
        acts=[act for act in _ACTS.get(condition, []) if not cannot or act in ("pause", "stop")],
        cannot=cannot,
        stopped=found.reason,
        failure="" if run is not None else room.failure(pool),
        will_stop=reasons(state.settings, items=items, rounds=rounds, spent=spent, forecast=forecast),
        round=rounds,
        rounds=_rounds(state),
        open=_open(state.open_matches, asked),
        open_count=len(state.open_matches),
        in_flight=len(asked),
        pace=_pace(run),
        budget=_budget(state.settings, items, rounds, spent),
        pending=pending,
        convergence="nothing was played yet" if figures is None else figures.convergence,
        threshold=state.system.optimization.rating_stability_threshold,
        settling=[] if figures is None else _seen(SettlingView, figures.settling),
        forecast=None if forecast is None else ForecastView.model_validate(forecast, from_attributes=True),
        outlook=_outlook(figures),
        bias=[] if figures is None else _bias(figures.board),
        level=state.settings.level,
    )


def forecast_of(library: Library, room: Room, pool: str, changes: Extension) -> RunForecast:
    """What a run of a tournament would take, under other limits where some are given.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it cannot be run from here, is too large, or a limit cannot be.
        UsageError: If its judge cannot be opened.
    """
    require_small(library, pool)
    return _told(pool, room.quote(pool, changes))


def _told(pool: str, told: Quote) -> RunForecast:
    about = told.estimate
    return RunForecast(
        pool=pool,
        sentence=about.sentence(),
        judge=about.judge,
        items=about.items,
        expected=SpentView.of(about.expected),
        done=about.done,
        confirm=told.confirm,
    )


def _figures(library: Library, pool: str) -> _Figures:
    state = library.state(pool)
    if not state.played:
        return _Figures(board=board_of(library.ledger, state), convergence="nothing was played yet", settling=())
    found = standings(library.ledger, state)
    steps = settling(found.progression, looks(state))
    return _Figures(board=found.board, convergence=settled_in_words(state, found.progression), settling=steps)


def _condition(library: Library, pool: str, run: Run | None, found: Steering) -> Condition:
    if run is not None and not run.has_begun:
        return "beginning"
    if run is not None or library.ledger.is_claimed(pool):
        if run is None and not found.is_ours:
            return "elsewhere"
        return "running" if not found.wish else "pausing" if found.wish == PAUSE else "stopping"
    if not found.begun and not library.state(pool).rounds:
        return "new"
    if not found.ended:
        return "interrupted"
    return "finished" if found.finished else "paused" if found.is_paused else "stopped"


def _rounds(state: State) -> list[RoundLine]:
    played = Counter(match.round for match in state.played)
    return [
        RoundLine(number=one.number, planned=len(one.pairings), played=played[one.number])
        for one in state.rounds[-MOST_ROUNDS:]
    ]


def _open(named: Iterable[tuple[str, Planned]], asked: dict[str, float]) -> list[OpenView]:
    waiting: dict[str, float] = {}
    for call, seconds in asked.items():
        match = ".".join(call.split(".")[:2])
        waiting[match] = max(seconds, waiting.get(match, 0.0))
    found = [
        OpenView(id=id, items=list(one.items), calls=one.calls, asked=id in waiting, seconds=waiting.get(id))
        for id, one in named
    ]
    return sorted(found, key=lambda one: not one.asked)[:MOST_IN_FLIGHT]


def _pace(run: Run | None) -> PaceView | None:
    seen = None if run is None else run.progress
    if seen is None:
        return None
    return PaceView(
        rate=seen.rate,
        seconds_left=seen.seconds_left,
        notes=[*(f"{shown.who}: {shown.words}" for shown in seen.discovered), *seen.notes],
    )


def _budget(brief: TournamentSettings, items: int, rounds: int, spent: Spending) -> BudgetView:
    most = max(spent.decisions, most_comparisons(brief, items, rounds))
    return BudgetView(
        answered=spent.decisions,
        most=most,
        left=max(0, most - spent.decisions),
        limited=brief.budget_set is not None,
        spending=SpentView.of(spent),
        max_tokens=brief.max_tokens,
        max_cost=brief.max_cost,
    )


def _outlook(figures: _Figures | None) -> ForecastView | None:
    outlook = None if figures is None else figures.board.outlook
    return None if outlook is None else ForecastView.model_validate(outlook, from_attributes=True)


def _bias(board: Board) -> list[BiasView]:
    return [
        BiasView(
            judge=one.judge,
            comparisons=one.comparisons,
            bias=one.position_bias,
            low=one.position_low,
            high=one.position_high,
        )
        for one in board.judges
    ]


def _seen(view: type[SettlingView], steps: Iterable[Settling]) -> list[SettlingView]:
    return [view.model_validate(step, from_attributes=True) for step in steps]


def limits(
    budget: int | None = None,
    confidence: float | None = None,
    max_cost: float | None = None,
    max_tokens: int | None = None,
) -> Extension:
    """Other limits of a tournament: those of these that are given."""
    said = {"budget": budget, "confidence": confidence, "max_cost": max_cost, "max_tokens": max_tokens}
    return cast("Extension", {name: value for name, value in said.items() if value is not None})
