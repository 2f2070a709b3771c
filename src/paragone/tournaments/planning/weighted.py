"""The weighted policy: the documents' pairing of hypotheses, one round at a time; state in, plan out."""

from collections.abc import Collection, Sequence
from typing import Any

from paragone.domain import Pairing
from paragone.pairing.presentation import alternating_orders
from paragone.pairing.weighted_round import most_each
from paragone.tournaments.planning.brackets import Brackets, brackets
from paragone.tournaments.planning.drawing import Draw, draw
from paragone.tournaments.planning.match_requests import Queue, Request, queue
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.planning.situation import Situation, situation
from paragone.tournaments.planning.tiers import Allocation, MatchCost, allocate, match_tier
from paragone.tournaments.planning.weighted_stopping import enough, stagnant
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import TournamentSettings

NAMED = 50
"""Items that a list in the notes names at most."""


def plan(state: State, *, among: Collection[str] | None = None, matches: int | None = None) -> Plan:
    """The next round of a tournament of hypotheses; a pure function of its state.

    Args:
        state: The tournament.
        among: Items that may play in this round; all by default.
        matches: Number of matches; that of the parameters by default.

    Returns:
        The round with its notes, or why there is none. A round that was requested, by naming items or a number of
        matches or by an open match request, is played even if the ranking has settled.
    """
    now = situation(state, among)
    if len(now.ids) < 2:
        return Plan(reason=f"{len(now.ids)} of {len(now.item_ids)} can play: a match needs two", finished=False)
    requests = queue(state, now)
    if among is None and matches is None and not requests.waiting:
        reason = enough(state, now)
        if reason:
            return Plan(reason=reason)
    strategies = brackets(now, state.event_state.fast_track)
    drawn = draw(now, requests.waiting, strategies, _size(state, matches))
    costs = [_cost(a, b, state, now) for a, b in drawn.pairs]
    limit = now.system.optimization.resource_budget_per_round
    paid = allocate(costs, limit, now.system.policy.budget_shares)
    if not paid.turns:
        return Plan(reason=_nothing_to_play(costs, limit))
    return Plan(
        pairings=_pairings(state, drawn, paid),
        notes={
            "number": now.number,
            **_spending_notes(drawn, costs, paid, limit),
            **_request_notes(drawn, paid, requests),
            "explored": sum(_is_new(drawn.pairs[at], now) for at in paid.turns),
            "brackets": _strategy_notes(strategies, drawn, paid, stagnant(state, now)),
        },
    )


def most_comparisons(settings: TournamentSettings, items: int, rounds: int) -> int:
    """Those up to the end of the session that the tournament is in."""
    return (rounds + rounds_left(settings, rounds)) * most_in_round(settings, items)


def rounds_left(settings: TournamentSettings, rounds: int) -> int:
    """Rounds that are left of the present session of a tournament of hypotheses; all of a new one if it is over."""
    if settings.system is None:
        return 0
    session = settings.system.scheduling.rounds_per_session
    return session - rounds % session


def most_in_round(settings: TournamentSettings, items: int) -> int:
    """Maximum number of calls in one round of a tournament of hypotheses."""
    if settings.system is None:
        return 0
    per_round, limit = (
        settings.system.scheduling.matches_per_round,
        settings.system.optimization.resource_budget_per_round,
    )
    matches = min(per_round, most_each(items, per_round) * items // 2, items * (items - 1) // 2)
    calls = matches * settings.comparison_rounds
    return calls if limit is None else min(calls, int(limit))


def _size(state: State, matches: int | None) -> int:
    """Matches of the round within the tournament's budget; at least one, which may then be too expensive."""
    size = state.system.scheduling.matches_per_round if matches is None else matches
    if state.settings.budget is None:
        return size
    return min(size, max(1, (state.settings.budget - state.answered) // state.settings.comparison_rounds))


def _cost(a: str, b: str, state: State, now: Situation) -> MatchCost:
    tier = match_tier(now.rating(a), now.rating(b), now.system.policy)
    return MatchCost(tier=tier, comparisons=state.settings.comparison_rounds, turns=now.turns(a, b))


def _pairings(state: State, drawn: Draw, paid: Allocation) -> tuple[Pairing, ...]:
    orders, degraded = alternating_orders(state.settings.comparison_rounds), set(paid.degraded)
    return tuple(
        Pairing(a=a, b=b, orders=orders, turns=paid.turns[at], degraded=at in degraded)
        for at, (a, b) in enumerate(drawn.pairs)
        if at in paid.turns
    )


def _nothing_to_play(costs: Sequence[MatchCost], limit: float | None) -> str:
    if not costs:
        return "every pair that could meet has been asked in both orders"
    least = min(match.units for match in costs)
    return (
        f"a round's budget of {limit:g} compute units pays for none of its {len(costs)} matches: the least of them "
        f"takes {least}, and its tier has a share of that budget alone"
    )


def _spending_notes(drawn: Draw, costs: Sequence[MatchCost], paid: Allocation, limit: float | None) -> dict[str, Any]:
    full_units = sum(match.units for match in costs)
    put_off = {"degraded": paid.degraded, "deferred": paid.deferred, "left_out": paid.left_out}
    return {
        "forecast_units": paid.forecast,
        "budget": limit,
        "by_tier": {tier.value: units for tier, units in paid.spent.items()},
        "shares": None if paid.allowed is None else {tier.value: units for tier, units in paid.allowed.items()},
        "load": None if limit is None else full_units / limit,
        **{what: [list(drawn.pairs[at]) for at in indices] for what, indices in put_off.items()},
        "reasons": {what: _REASONS[what] for what, indices in put_off.items() if indices},
    }


_REASONS = {
    "degraded": "the Strong tier's share of the budget does not pay for the debate: compared directly",
    "deferred": "the Elite tier's share of the budget does not pay for the debate, which is mandatory: next round",
    "left_out": "the tier's share of the budget is spent",
}


def _request_notes(drawn: Draw, paid: Allocation, requests: Queue) -> dict[str, Any]:
    played = {tuple(sorted(drawn.pairs[at])) for at in paid.turns}
    granted: list[tuple[Request, tuple[str, str]]] = [
        (requests.waiting[at], pair) for at, pair in drawn.granted.items() if pair in played
    ]
    return {
        "served": [request.id for request, _ in granted if request.id],
        "returning": [list(pair) for request, pair in granted if not request.id],
        "refused": [dict(refused) for refused in requests.refused],
    }


def _is_new(pair: tuple[str, str], now: Situation) -> bool:
    return any(now.field.matches[now.index[id]] < now.field.trusted for id in pair)


def _strategy_notes(strategies: Brackets, drawn: Draw, paid: Allocation, still: Sequence[str]) -> dict[str, Any]:
    """What became of the strategies in the round."""
    played = {frozenset(drawn.pairs[at]) for at in paid.turns}
    champion = strategies.champion
    return {
        "champion": list(champion) if champion is not None and frozenset(champion) in played else None,
        "fast_track": [list(match) for match in strategies.fast_track if frozenset(match) in played],
        "resting": list(strategies.resting[:NAMED]),
        "resting_count": len(strategies.resting),
        "stagnant": list(still[:NAMED]),
    }
