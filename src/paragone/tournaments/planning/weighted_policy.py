"""The weighted policy: the specifications' pairing of hypotheses, one round at a time, and when it is over."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any

import numpy as np

from paragone.analysis.progress.convergence import Sweep, convergence, rank_stability, top_stability
from paragone.domain import MatchProtocol, Outcome, Pairing, TournamentSystemConfig
from paragone.pairing.presentation import alternating_orders
from paragone.pairing.weighted import Floats, Ints
from paragone.pairing.weighted_round import most_each
from paragone.ratings.elo import confidence_weight, expected_score
from paragone.tournaments.planning.protocol_choice import Depth, by_worth
from paragone.tournaments.planning.round_draw import DrawnMatches, Queue, RequestedMatch, draw, queue
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.planning.tier_strategies import RoundState, TierStrategies, round_state, tier_strategies
from paragone.tournaments.planning.tiers import Allocation, MatchCost, allocate, match_tier
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import Contest
from paragone.tournaments.tournament_settings import TournamentSettings

NAMED = 50
"""Items that a list in the notes names at most."""


def plan(state: TournamentState, *, among: Collection[str] | None = None, matches: int | None = None) -> Plan:
    """The next round of a tournament of hypotheses; a pure function of its state.

    Args:
        state: The tournament.
        among: Items that may play in this round; all by default.
        matches: Number of matches; that of the parameters by default.

    Returns:
        The round with its notes, or why there is none. A round that was requested, by naming items or a number of
        matches or by an open match request, is played even if the ranking has settled.
    """
    now = round_state(state, among)
    if len(now.ids) < 2:
        return Plan(reason=f"{len(now.ids)} of {len(now.item_ids)} can play: a match needs two", finished=False)
    requests = queue(state, now)
    if among is None and matches is None and not requests.waiting:
        reason = enough(state, now)
        if reason:
            return Plan(reason=reason)
    strategies = tier_strategies(now, state.event_state.fast_track)
    drawn = draw(now, requests.waiting, strategies, _size(state, matches))
    depths = depths_of(state, now, drawn.pairs)
    costs = [_cost(a, b, depth, state, now) for (a, b), depth in zip(drawn.pairs, depths, strict=True)]
    limit = now.system.optimization.resource_budget_per_round
    paid = allocate(costs, limit, now.system.policy.budget_shares)
    if not paid.turns:
        return Plan(reason=_nothing_to_play(costs, limit))
    return Plan(
        pairings=_pairings(state, drawn, depths, paid),
        notes={
            "number": now.number,
            **_spending_notes(drawn, costs, paid, limit),
            **_request_notes(drawn, paid, requests),
            "explored": sum(_is_new(drawn.pairs[at], now) for at in paid.turns),
            **_depth_notes(drawn, depths, paid),
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


def _size(state: TournamentState, matches: int | None) -> int:
    """Matches of the round within the tournament's budget; at least one, which may then be too expensive."""
    size = state.system.scheduling.matches_per_round if matches is None else matches
    if state.settings.budget is None:
        return size
    return min(size, max(1, (state.settings.budget - state.answered) // state.settings.comparison_rounds))


def depths_of(state: TournamentState, now: RoundState, pairs: Sequence[tuple[str, str]]) -> list[Depth]:
    """How each match of a round is judged, by the rule that the parameters name.

    Args:
        state: The tournament.
        now: The tournament before the round.
        pairs: Ids of the two items of each match.
    """
    rule = now.system.policy.debate_rule
    by_rating = [now.turns(a, b) if rule in ("rating", "either") else 0 for a, b in pairs]
    depths = by_worth(state, pairs, [now.longest(a, b) for a, b in pairs])
    reason = {"by": "rating", "protocol": MatchProtocol.MULTI_TURN.value}
    return [
        Depth(turns=turns, level=depth.level, reason=reason) if turns else depth
        for turns, depth in zip(by_rating, depths, strict=True)
    ]


def _cost(a: str, b: str, depth: Depth, state: TournamentState, now: RoundState) -> MatchCost:
    tier = match_tier(now.rating(a), now.rating(b), now.system.policy)
    optional = depth.reason is not None and depth.reason["by"] == "worth"
    return MatchCost(tier=tier, comparisons=state.settings.comparison_rounds, turns=depth.turns, optional=optional)


def _pairings(
    state: TournamentState, drawn: DrawnMatches, depths: Sequence[Depth], paid: Allocation
) -> tuple[Pairing, ...]:
    orders, degraded = alternating_orders(state.settings.comparison_rounds), set(paid.degraded)
    return tuple(
        Pairing(
            a=a,
            b=b,
            orders=orders,
            turns=paid.turns[at],
            degraded=at in degraded,
            panel=depths[at].panel,
            level=depths[at].level,
        )
        for at, (a, b) in enumerate(drawn.pairs)
        if at in paid.turns
    )


def _depth_notes(drawn: DrawnMatches, depths: Sequence[Depth], paid: Allocation) -> dict[str, Any]:
    """Which matches are more than direct comparisons, and why."""
    reasons = ((at, depths[at].reason) for at in sorted(paid.turns))
    deeper = [{"pair": list(drawn.pairs[at]), **reason} for at, reason in reasons if reason is not None]
    return {"depth": deeper} if deeper else {}


def _nothing_to_play(costs: Sequence[MatchCost], limit: float | None) -> str:
    if not costs:
        return "every pair that could meet has been asked in both orders"
    least = min(match.units for match in costs)
    return (
        f"a round's budget of {limit:g} compute units pays for none of its {len(costs)} matches: the least of them "
        f"takes {least}, and its tier has a share of that budget alone"
    )


def _spending_notes(
    drawn: DrawnMatches, costs: Sequence[MatchCost], paid: Allocation, limit: float | None
) -> dict[str, Any]:
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


def _request_notes(drawn: DrawnMatches, paid: Allocation, requests: Queue) -> dict[str, Any]:
    played = {tuple(sorted(drawn.pairs[at])) for at in paid.turns}
    granted: list[tuple[RequestedMatch, tuple[str, str]]] = [
        (requests.waiting[at], pair) for at, pair in drawn.granted.items() if pair in played
    ]
    return {
        "served": [request.id for request, _ in granted if request.id],
        "returning": [list(pair) for request, pair in granted if not request.id],
        "refused": [dict(refused) for refused in requests.refused],
    }


def _is_new(pair: tuple[str, str], now: RoundState) -> bool:
    return any(now.field.matches[now.index[id]] < now.field.trusted for id in pair)


def _strategy_notes(
    strategies: TierStrategies, drawn: DrawnMatches, paid: Allocation, still: Sequence[str]
) -> dict[str, Any]:
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


# Stability is Spearman's correlation of ranks. Under a constant K the running Elo never comes to rest: among 150 items
# Kendall's tau between sweeps stays below .9 however long they play, and a threshold of .95 in it is never reached.
SWEEPS = 3
"""How many sweeps in a row the ranking must have stayed the same."""

TOP = 10

_CLOSE_ENOUGH = 1e-9


def enough(state: TournamentState, now: RoundState) -> str:
    """Why the tournament is over; empty as long as it is not.

    It goes on while any item that does not rest has too few matches for a trusted rating: that item may be the best.

    Args:
        state: The tournament.
        now: The tournament before the next round.
    """
    if now.least_matches < now.field.trusted:
        return ""
    return clear_winner(now) or settled(state, now)


def clear_winner(now: RoundState) -> str:
    """The first is too far ahead of the second to be in doubt."""
    first, second = now.field.by_rating[:2].tolist()
    gap, least = float(now.field.rating[first] - now.field.rating[second]), now.system.policy.clear_winner_gap
    if gap <= least:
        return ""
    return (
        f"there is a clear winner: {now.ids[first]!r} leads by {gap:.0f} Elo points, more than {least:g}, and everyone "
        f"{'who does not rest ' if now.resting else ''}has played {now.field.trusted} matches or more"
    )


def least_to_settle(system: TournamentSystemConfig) -> int:
    """Matches that every item that does not rest must have before a ranking counts as stable."""
    return max(system.policy.min_matches_for_stability, system.optimization.min_matches_for_confidence)


def settled(state: TournamentState, now: RoundState) -> str:
    """The ranking was stable for some sweeps, and so was its top, or all sweeps together changed little."""
    threshold = now.system.optimization.rating_stability_threshold
    if now.least_matches < least_to_settle(now.system):
        return ""
    tables = past_ratings(state, now, SWEEPS)
    if len(tables) <= SWEEPS:
        return ""
    result = convergence(tables, threshold=threshold, top=TOP, by="spearman")
    if result.stable_rounds < SWEEPS:
        return ""
    least = min(result.stability)
    stable = f"the ranking is stable: its rank correlation with the one before was {least:.3f} or more"
    each = f"{SWEEPS} times in a row, each time after as many matches as everyone plays one in"
    played = f"everyone{' who does not rest' if now.resting else ''} has played {least_to_settle(now.system)} or more"
    target, overall = f"(the parameters ask for {threshold:g})", rank_stability(tables[0], tables[-1], by="spearman")
    if min(result.top_stability) == 1.0 and top_stability(tables[0], tables[-1], TOP) == 1.0:
        top = min(TOP, len(now.ids))
        return f"{stable} {target} {each}, and the top {top} stayed the same; {played}"
    if overall >= threshold:
        little = f"more rounds bring little: over all of them together it was {overall:.3f}"
        return f"{stable} {target} {each}; {little}; {played}"
    return ""


def past_ratings(state: TournamentState, now: RoundState, sweeps: int) -> list[Floats]:
    """Ratings at the ends of the last sweeps and now, the oldest first, shape (items,) each.

    They are rewound from the present ones match by match, so only the last rounds have to be read.
    """
    rating, tables = now.field.rating.copy(), [now.field.rating.copy()]
    sweep = Sweep(len(now.ids))
    for rows in state.played.rounds_back():
        matches = _undone(state, rows)
        for match in matches:
            _undo(match, rating, state, now)
        if sweep.ends_with(len(matches)):
            tables.append(rating.copy())
        if len(tables) > sweeps:
            break
    return tables[::-1]


def stagnant(state: TournamentState, now: RoundState) -> tuple[str, ...]:
    """Items whose rank, round by round, has not changed over their last ten matches.

    Only the last rounds count, four for each of these matches: items that play more rarely are not marked.
    """
    limit = now.system.policy.stagnant_after
    rounds = [_undone(state, rows) for rows in islice(state.played.rounds_back(), 4 * limit)]
    busy = Counter(item for matches in rounds for match in matches for item in (match.a, match.b))
    candidates = np.array(
        sorted(now.index[id] for id, times in busy.items() if times >= limit and id in now.index), dtype=int
    )
    rating, unchanged = now.field.rating.copy(), []
    today, played = _ranks(rating, candidates), np.zeros(rating.size, dtype=int)
    for matches in rounds:
        if not candidates.size:
            break
        for match in matches:
            played[_undo(match, rating, state, now)] += 1
        same = _ranks(rating, candidates) == today
        candidates, today = candidates[same], today[same]
        done = played[candidates] >= limit
        unchanged += candidates[done].tolist()
        candidates, today = candidates[~done], today[~done]
    return tuple(now.ids[index] for index in sorted(unchanged))


def _undone(state: TournamentState, rows: range) -> list[Contest]:
    """The matches of a round that moved ratings, the last first."""
    matches = map(state.played.contest, reversed(rows))
    return [match for match in matches if match.id not in state.rolled_back and match.outcome is not Outcome.VOID]


def _undo(match: Contest, rating: Floats, state: TournamentState, now: RoundState) -> list[int]:
    """Take a match back; returns the indices of its items, if they may play.

    After the match the gap is the gap before plus both moves, and the moves follow from the gap before: a fixed point,
    approached about ten times closer with each step as K is far below the 400 points of the scale. Matches with items
    that may not play are skipped.
    """
    indices = [now.index[item] for item in (match.a, match.b) if item in now.index]
    if len(indices) < 2:
        return indices
    a, b = indices
    k = state.config.k * confidence_weight(match.confidence)
    after = float(rating[a] - rating[b])
    gap, last = after, math.inf
    while abs(gap - last) > _CLOSE_ENOUGH:
        gap, last = after - 2.0 * k * (match.outcome.score - expected_score(gap, 0.0)), gap
    rating[a] -= (after - gap) / 2.0
    rating[b] += (after - gap) / 2.0
    return indices


def _ranks(rating: Floats, indices: Ints) -> Ints:
    """Ranks of some items among all, from 1; ratings that differ by less than a rounding error tie."""
    near = np.round(-rating, 6)
    return np.searchsorted(np.sort(near), near[indices]) + 1
