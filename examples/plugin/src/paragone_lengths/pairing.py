"""The pairing ``neighbours``: in each round those next to each other by wins meet, until all rounds are played."""

import random

from paragone.domain import Pairing
from paragone.tournaments.planning.schedule import Plan

ROUNDS = 5


def plan(state):
    """The next round. What is random is seeded, so that a run that was killed goes on to the same board."""
    if len(state.rounds) >= ROUNDS:
        return Plan(reason=f"{ROUNDS} rounds are played")
    wins = dict.fromkeys(state.ids, 0.0)
    for match in state.matches:
        for comparison in match.comparisons:
            for item in comparison.shown:
                wins[item] += comparison.score_of(item) or 0.0
    order = list(state.ids)
    random.Random(f"{state.settings.seed} {len(state.rounds)}").shuffle(order)
    order.sort(key=lambda item: -wins[item])
    return Plan(pairings=tuple(Pairing(a=a, b=b) for a, b in zip(order[::2], order[1::2], strict=False)))


def most_comparisons(settings, items, rounds):
    return ROUNDS * (items // 2)
