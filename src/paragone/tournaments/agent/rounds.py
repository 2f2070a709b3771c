"""The round that a task asks for: planned once, whatever happens, and what came of it."""

from dataclasses import replace
from typing import Any

from paragone.domain import Spending, TournamentConfig
from paragone.domain.records import EloUpdate, RankingTask, ResourceMetrics, TournamentRoundResults
from paragone.tournaments.agent.tasks import MATCHES
from paragone.tournaments.documents import Chronicle, round_results, round_updates
from paragone.tournaments.documents.resources import as_metrics
from paragone.tournaments.planning.round_plan import Plan
from paragone.tournaments.planning.weighted.rounds import weighted_plan
from paragone.tournaments.state import State


def round_of(state: State, task: str) -> int | None:
    """The round that was planned for a task; None before."""
    rounds = (event.detail for event in state.events if event.kind == "round" and event.detail.get("task") == task)
    return next((int(detail["number"]) for detail in rounds), None)


def planned_for(state: State, task: RankingTask) -> Plan:
    """The round that a task asks for: so many matches among its hypotheses, by its parameters."""
    matches = (task.context or {}).get(MATCHES, state.system.policy.tournament_batch_size)
    among = task.hypothesis_ids or None
    found = weighted_plan(with_parameters(state, task.tournament_parameters), among=among, matches=matches)
    return replace(found, notes={**found.notes, "task": task.id})


def with_parameters(state: State, parameters: TournamentConfig | None) -> State:
    """The state under the parameters of a task, where it has any."""
    if parameters is None:
        return state
    system = replace(state.system, tournament_parameters=parameters)
    return replace(state, brief=replace(state.brief, system=system))


def needed(plan: Plan, expected: Spending) -> ResourceMetrics:
    """What a round is expected to take."""
    return as_metrics(expected, 0.0, float(plan.notes.get("forecast_units", expected.units)))


def results(chronicle: Chronicle, number: int) -> tuple[TournamentRoundResults, tuple[EloUpdate, ...]]:
    """What a round came to, and every change of a rating that it made."""
    return round_results(chronicle, number), tuple(round_updates(chronicle, number))


def nothing_played(reason: str) -> dict[str, Any]:
    """The result of a task whose round had no match."""
    return {"matches_completed": 0, "reason": reason}
