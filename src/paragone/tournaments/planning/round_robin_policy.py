"""The round-robin policy: every pair meets once."""

import random

from paragone.domain import Pairing
from paragone.pairing import round_robin
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings


def plan(state: TournamentState) -> Plan:
    """The next round of the cycle; after the last one, what stayed open in it."""
    rng = random.Random(f"round robin {state.settings.seed}")  # noqa: S311 - a shuffle, not a secret
    rounds = round_robin.rounds(state.ids, comparison_rounds=state.settings.comparison_rounds, rng=rng)
    if not is_planned(state):
        return Plan(pairings=_unplanned(state, rounds))
    planned = _planned(state)
    played_pairs = {Pairing(a=match.a, b=match.b).key for match in state.played}
    remaining = tuple(pairing for key, pairing in planned.items() if key not in played_pairs)
    return Plan(pairings=remaining, reason="" if remaining else "everyone has met everyone")


def _unplanned(state: TournamentState, rounds: round_robin.RoundRobin) -> tuple[Pairing, ...]:
    """The first round of which a pair was not planned yet, without those that were."""
    if not state.entered:
        # Rounds are planned in their order and may be cut short by the budget, so what was planned is where they begin.
        done, offset = divmod(state.rounds.distinct_pairs(), len(state.ids) // 2)
        return rounds[done][offset:]
    planned = _planned(state)  # in a smaller circle, if items joined since
    fresh = (tuple(pairing for pairing in pairings if pairing.key not in planned) for pairings in rounds)
    return next(filter(None, fresh))


def _planned(state: TournamentState) -> dict[tuple[str, str], Pairing]:
    """The pairs that were planned, each as it was the last time."""
    every = (pairing for past in state.rounds for pairing in past.pairings if isinstance(pairing, Pairing))
    return {pairing.key: pairing for pairing in every}


def is_planned(state: TournamentState) -> bool:
    """Whether every pair was planned at least once."""
    items = len(state.ids)
    return state.rounds.distinct_pairs() >= items * (items - 1) // 2


def most_comparisons(settings: TournamentSettings, items: int, rounds: int) -> int:  # noqa: ARG001 - as all policies
    """Those of all pairs."""
    return items * (items - 1) // 2 * settings.comparison_rounds
