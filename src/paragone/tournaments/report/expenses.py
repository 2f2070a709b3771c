"""What each round took, against what was foreseen and what it was allowed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from paragone.analysis.figures import Expense
from paragone.analysis.progress.trends import Progression
from paragone.domain import Match, Spending, Tier
from paragone.domain.spending import NOTHING
from paragone.ledger import Event
from paragone.tournaments.documents.chronicle import by_round
from paragone.tournaments.planning.tiers import match_tier
from paragone.tournaments.state import State


def expenses(state: State, progression: Progression, spending: Mapping[str, Spending]) -> tuple[Expense, ...]:
    """Compute units and money of each round; an attempt that brought no answer is money, but no unit.

    A match between items of two tiers counts for the higher one, by the running Elo before its round.

    Args:
        state: The tournament.
        progression: The running Elo round by round.
        spending: What each call took.
    """
    units: defaultdict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    whose = _Tiers(state, progression)
    for match in state.played:
        tier = whose.of(match)
        units[match.round][tier] += sum(1 + spending.get(answer.call, NOTHING).turns for answer in match.answers)
    plans, money = _plans(state.events), by_round(spending)
    return tuple(
        Expense(
            round=number,
            units={str(tier): units[number][tier] for tier in Tier if tier in units[number]},
            forecast=_number(plans.get(number, {}).get("forecast_units")),
            budget=_number(plans.get(number, {}).get("budget")),
            money=money.get(number, NOTHING).cost,
        )
        for number in sorted(units)
    )


class _Tiers:
    """The tier that a match is played in."""

    def __init__(self, state: State, progression: Progression) -> None:
        self._policy = state.system.policy
        self._column = {id: place for place, id in enumerate(progression.ids)}
        self._elo = progression.elo
        self._initial = state.config.initial

    def of(self, match: Match) -> Tier:
        before = max(0, match.round - 1)
        values = (self._elo[before, self._column[id]] for id in match.items)
        ratings = [float(value) if np.isfinite(value) else self._initial for value in values]
        return match_tier(max(ratings), min(ratings), self._policy)


def _plans(events: Iterable[Event]) -> dict[int, Mapping[str, Any]]:
    """How each round was planned, by its number."""
    return {int(event.detail["number"]): event.detail for event in events if event.kind == "round"}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
