"""The Swiss policy: who lost equally often meets, and who has lost too often is out."""

import random

from paragone.pairing import swiss
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings


def plan(state: TournamentState) -> Plan:
    """The next round by losses, until all but one item are out."""
    rng = random.Random(f"swiss {state.settings.seed} {len(state.rounds) + 1}")  # noqa: S311 - a shuffle, not a secret
    following = swiss.next_round(
        state.ids,
        state.matches,
        elimination_count=state.settings.elimination_count,
        draws=state.settings.draws,
        comparison_rounds=state.settings.comparison_rounds,
        rng=rng,
    )
    return Plan(pairings=following.pairings, reason=following.reason)


def most_comparisons(settings: TournamentSettings, items: int, rounds: int) -> int:  # noqa: ARG001 - as all policies
    """Those of the longest tournament by its rules."""
    matches = swiss.most_matches(items, elimination_count=settings.elimination_count, draws=settings.draws)
    return settings.comparison_rounds * matches
