"""What each round took, against what was foreseen and what it was allowed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from paragone.analysis.figures import Expense
from paragone.analysis.progress.trends import Progression
from paragone.domain import DebateTurn, Match, Tier, Usage
from paragone.ledger import Event
from paragone.tournaments.documents.chronicle import round_of
from paragone.tournaments.planning.weighted.tiers import match_tier
from paragone.tournaments.state import State


def expenses(
    state: State,
    progression: Progression,
    turns: Iterable[DebateTurn],
    failures: Mapping[str, Usage] | None = None,
) -> tuple[Expense, ...]:
    """Compute units and money of each round's matches; calls that brought no answer are money, but no units.

    A match between items of two tiers counts for the higher one, by the running Elo before its round.

    Args:
        state: The tournament.
        progression: The running Elo round by round.
        turns: All turns of its debates.
        failures: What calls took that brought no answer, by call.
    """
    spoken, paid = _by_call(turns)
    units: defaultdict[int, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    money: defaultdict[int, list[float | None]] = defaultdict(list)
    whose = _Tiers(state, progression)
    for match in state.played:
        units[match.round][whose.of(match)] += sum(1 + spoken.get(answer.call, 0) for answer in match.answers)
        for answer in match.answers:
            money[match.round].extend((answer.verdict.usage.cost, *paid.get(answer.call, ())))
    for call, usage in (failures or {}).items():
        if usage.cost is not None:
            money[round_of(call)].append(usage.cost)
    plans = _plans(state.events)
    return tuple(
        Expense(
            round=number,
            units={str(tier): units[number][tier] for tier in Tier if tier in units[number]},
            forecast=_number(plans.get(number, {}).get("forecast_units")),
            budget=_number(plans.get(number, {}).get("budget")),
            money=_total(money[number]),
        )
        for number in sorted(units)
    )


def _by_call(turns: Iterable[DebateTurn]) -> tuple[dict[str, int], dict[str, list[float | None]]]:
    """Turns spoken for each call, and what each of them cost."""
    paid: defaultdict[str, list[float | None]] = defaultdict(list)
    for turn in turns:
        paid[turn.call].append(turn.usage.cost)
    return {call: len(costs) for call, costs in paid.items()}, dict(paid)


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


def _total(costs: list[float | None]) -> float | None:
    """The sum; None where one of them is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None
