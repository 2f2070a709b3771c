"""A tournament in progress: calls in flight, convergence, spending, and why it will stop."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from paragone.domain import Aim, Board, Forecast, Goal, Planned, Spending
from paragone.domain.spending import money
from paragone.tournaments.planning.schedule import most_comparisons
from paragone.tournaments.planning.stopping import text_budget
from paragone.tournaments.planning.weighted_policy import rounds_left
from paragone.tournaments.report.global_ranking import settled_in_words, settling, standings
from paragone.tournaments.report.strength_history import strength_history
from paragone.tournaments.results.tournament_board import board_of
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.runs.active_runs import ActiveRuns, QuotedRun
from paragone.web.runs.run import PAUSE, Run, Steering
from paragone.wire.live import (
    Budget,
    LiveTournament,
    OpenMatch,
    Pace,
    PositionBias,
    RoundProgress,
    RunAction,
    RunCondition,
    RunForecast,
    RunLimits,
    Settling,
)
from paragone.wire.spending import SpendingSummary


def reasons(
    brief: TournamentSettings, *, items: int, rounds: int, spent: Spending, forecast: Forecast | None
) -> list[str]:
    """Each reason that may end the tournament or its session, likelier ones first.

    Args:
        brief: Its settings.
        items: Number of items.
        rounds: Rounds planned so far.
        spent: Its spending so far.
        forecast: Expected quality of its ranking; None before that is known.
    """
    sentences = [_by_pairing(brief, items, rounds, forecast)]
    if brief.budget_set is not None:
        sentences.append(f"when its budget of {brief.budget_set:,} decisions is spent: {spent.decisions:,} so far")
    texts = text_budget(brief, items)
    if texts is not None:
        sentences.append(f"when it has shown {texts:,} texts")
    if brief.max_cost is not None:
        sentences.append(f"when its limit of {money(brief.max_cost)} is spent: {spent.facts()['dollars']} so far")
    if brief.max_tokens is not None:
        sentences.append(f"when its limit of {brief.max_tokens:,} tokens is spent: {spent.facts()['tokens']} so far")
    return sentences


def _by_pairing(brief: TournamentSettings, items: int, rounds: int, forecast: Forecast | None) -> str:
    if brief.pairing == "informative":
        return f"when {_wanted(brief.goal)} is expected: {_expected(brief.goal, forecast)}"
    if brief.pairing == "swiss":
        losses = "1 loss" if brief.elimination_count == 1 else f"{brief.elimination_count} losses"
        return f"when all but one are out, each after {losses}"
    if brief.pairing == "round-robin":
        return f"when every pair was played: {most_comparisons(brief, items):,} calls in all"
    if brief.paired is not None:
        return (
            f"when its test is settled, or every question was asked: at most {most_comparisons(brief, items):,} calls"
        )
    rounds_to_go = rounds_left(brief, rounds)
    session = "1 round" if rounds_to_go == 1 else f"{rounds_to_go} rounds"
    return f"when its session is over, in {session}, or the ranking has settled"


def _wanted(goal: Goal) -> str:
    sure = f"{goal.confidence:.0%}"
    if goal.aim is Aim.WINNER:
        return f"the one on top to be the best with {sure}"
    if goal.aim is Aim.TOP:
        return f"{sure} of the true top {goal.k} among the first {goal.k}"
    if goal.aim is Aim.ORDER:
        return f"an agreement of {goal.confidence:g} with the true order (Kendall's tau)"
    return f"an agreement of {goal.confidence:g} with the true order (Kendall's tau) and {sure} of the true top"


def _expected(goal: Goal, forecast: Forecast | None) -> str:
    if forecast is None:
        return "nothing is known yet"
    if goal.aim is Aim.WINNER:
        return f"{forecast.p_best:.0%} now"
    if goal.aim is Aim.TOP:
        return f"{forecast.recall:.0%} now"
    if goal.aim is Aim.ORDER:
        return f"{forecast.tau:.2f} now"
    return f"{forecast.tau:.2f} and {forecast.recall:.0%} now"


PATIENCE = 0.5
"""Seconds to wait for current figures; after these the previous ones are used."""
MOST_IN_FLIGHT = 24
"""Maximum matches in flight that are listed."""
MOST_ROUNDS = 50
"""Latest rounds that are listed."""

_ACTS: dict[str, list[RunAction]] = {
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
    """Figures that take one or more fits."""

    board: Board
    convergence: str
    settling: tuple[Settling, ...]


def live(reader: LedgerReader, runs: ActiveRuns, pool: str) -> LiveTournament:
    """A tournament in progress.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
        Busy: If it is still being read.
    """
    run = runs.run_of(pool)
    in_flight = {} if run is None else run.in_flight()  # read before the state, so that the state has their matches
    state = reader.whole("where it is", pool, lambda: reader.state(pool))
    claimed = reader.ledger.tournaments.is_claimed(pool)  # before why it ended: that is on record when the claim ends
    steering, spent = runs.steering(pool), reader.ledger.tournaments.spending(pool)
    snapshot, pending = reader.newest("live", pool, lambda: _figures(reader, pool), PATIENCE)
    figures = None if snapshot is None else snapshot.value
    forecast = None if figures is None else figures.board.forecast
    condition, cannot = _condition(reader, pool, run, steering, claimed=claimed), runs.cannot_run(pool, state.settings)
    items, rounds = len(state.items), len(state.rounds)
    return LiveTournament(
        pool=pool,
        condition=condition,
        by=steering.by if run is None else run.by,
        acts=[act for act in _ACTS.get(condition, []) if not cannot or act in ("pause", "stop")],
        cannot=cannot,
        stopped=steering.reason,
        failure="" if run is not None else runs.failure(pool),
        will_stop=reasons(state.settings, items=items, rounds=rounds, spent=spent, forecast=forecast),
        round=rounds,
        rounds=_rounds(state),
        open=_open(state.open_matches, in_flight),
        open_count=len(state.open_matches),
        in_flight=len(in_flight),
        pace=_pace(run),
        budget=_budget(state.settings, items, rounds, spent),
        pending=pending,
        convergence="nothing was played yet" if figures is None else figures.convergence,
        threshold=state.system.optimization.rating_stability_threshold,
        settling=[] if figures is None else list(figures.settling),
        forecast=forecast,
        outlook=_outlook(figures),
        bias=[] if figures is None else _bias(figures.board),
        level=state.settings.level,
    )


def forecast_of(reader: LedgerReader, runs: ActiveRuns, pool: str, changes: RunLimits) -> RunForecast:
    """Forecast of what a run of a tournament would take, with other limits if some are given.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it cannot be run from here, is too large, or a limit is invalid.
        UsageError: If its judge cannot be opened.
    """
    reader.require_small(pool)
    return _run_forecast(pool, runs.quote(pool, changes))


def _run_forecast(pool: str, quote: QuotedRun) -> RunForecast:
    estimate = quote.estimate
    return RunForecast.like(
        estimate,
        pool=pool,
        sentence=estimate.sentence(),
        expected=SpendingSummary.of(estimate.expected),
        confirm=quote.confirm,
    )


def _figures(reader: LedgerReader, pool: str) -> _Figures:
    state = reader.state(pool)
    if not state.played:
        return _Figures(board=board_of(reader.ledger, state), convergence="nothing was played yet", settling=())
    ranking = standings(reader.ledger, state)
    steps = settling(ranking.progression, strength_history(state))
    return _Figures(board=ranking.board, convergence=settled_in_words(state, ranking.progression), settling=steps)


def _condition(reader: LedgerReader, pool: str, run: Run | None, steering: Steering, *, claimed: bool) -> RunCondition:
    if run is not None and not run.has_begun:
        return "beginning"
    if run is not None or claimed:
        if run is None and not steering.is_ours:
            return "elsewhere"
        return "running" if not steering.wish else "pausing" if steering.wish == PAUSE else "stopping"
    if not steering.has_started and not reader.state(pool).rounds:
        return "new"
    if not steering.ended:
        return "interrupted"
    return "finished" if steering.finished else "paused" if steering.is_paused else "stopped"


def _rounds(state: TournamentState) -> list[RoundProgress]:
    played = Counter(match.round for match in state.played)
    return [
        RoundProgress(number=plan.number, planned=len(plan.pairings), played=played[plan.number])
        for plan in state.rounds[-MOST_ROUNDS:]
    ]


def _open(matches: Iterable[tuple[str, Planned]], in_flight: dict[str, float]) -> list[OpenMatch]:
    waiting: dict[str, float] = {}
    for call, seconds in in_flight.items():
        match = ".".join(call.split(".")[:2])
        waiting[match] = max(seconds, waiting.get(match, 0.0))
    rows = [
        OpenMatch(
            id=id, items=list(planned.items), calls=planned.calls, in_flight=id in waiting, seconds=waiting.get(id)
        )
        for id, planned in matches
    ]
    return sorted(rows, key=lambda row: not row.in_flight)[:MOST_IN_FLIGHT]


def _pace(run: Run | None) -> Pace | None:
    progress = None if run is None else run.progress
    if progress is None:
        return None
    return Pace(
        rate=progress.rate,
        seconds_left=progress.seconds_left,
        notes=[*(f"{judge.who}: {judge.words}" for judge in progress.discovered), *progress.notes],
    )


def _budget(brief: TournamentSettings, items: int, rounds: int, spent: Spending) -> Budget:
    most = max(spent.decisions, most_comparisons(brief, items, rounds))
    return Budget(
        answered=spent.decisions,
        most=most,
        remaining=max(0, most - spent.decisions),
        limited=brief.budget_set is not None,
        spending=SpendingSummary.of(spent),
        max_tokens=brief.max_tokens,
        max_cost=brief.max_cost,
    )


def _outlook(figures: _Figures | None) -> Forecast | None:
    return None if figures is None else figures.board.outlook


def _bias(board: Board) -> list[PositionBias]:
    return [
        PositionBias(
            judge=report.judge,
            comparisons=report.comparisons,
            bias=report.position_bias,
            low=report.position_low,
            high=report.position_high,
        )
        for report in board.judges
    ]


def limits(
    budget: int | None = None,
    confidence: float | None = None,
    max_cost: float | None = None,
    max_tokens: int | None = None,
) -> RunLimits:
    """The limits that are given."""
    values = {"budget": budget, "confidence": confidence, "max_cost": max_cost, "max_tokens": max_tokens}
    return cast("RunLimits", {name: value for name, value in values.items() if value is not None})
