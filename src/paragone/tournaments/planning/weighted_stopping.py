"""When a tournament of the weighted policy is over, and why (T11).

Stability is Spearman's correlation of ranks. Under a constant K the running Elo never comes to rest: among 150 items
Kendall's tau between sweeps stays below .9 however long they play, and a threshold of .95 in it would never be reached.
"""

import math
from collections import Counter
from itertools import islice

import numpy as np

from paragone.analysis.progress.convergence import Sweep, convergence, rank_stability, top_stability
from paragone.domain import Outcome
from paragone.pairing.weighted import Floats, Ints
from paragone.ratings.elo import confidence_weight, expected_score
from paragone.tournaments.planning.situation import Situation
from paragone.tournaments.state import State
from paragone.tournaments.state.matches import Contest

SWEEPS = 3
"""How many sweeps in a row the ranking must have stayed the same."""

TOP = 10

_CLOSE_ENOUGH = 1e-9


def enough(state: State, now: Situation) -> str:
    """Why the tournament is over; empty as long as it is not.

    It goes on while any item has too few matches for a trusted rating: that item may be the best.

    Args:
        state: The tournament.
        now: The situation before the next round.
    """
    if int(now.field.matches.min()) < now.field.trusted:
        return ""
    return clear_winner(now) or settled(state, now)


def clear_winner(now: Situation) -> str:
    """The first is too far ahead of the second to be in doubt."""
    first, second = now.field.by_rating[:2].tolist()
    gap, least = float(now.field.rating[first] - now.field.rating[second]), now.system.policy.clear_winner_gap
    if gap <= least:
        return ""
    return (
        f"there is a clear winner: {now.ids[first]!r} leads by {gap:.0f} Elo points, more than {least:g}, and everyone "
        f"has played {now.field.trusted} matches or more"
    )


def settled(state: State, now: Situation) -> str:
    """The ranking was stable for some sweeps, and so was its top, or all sweeps together changed little."""
    policy, threshold = now.system.policy, now.system.optimization.rating_stability_threshold
    if int(now.field.matches.min()) < policy.min_matches_for_stability:
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
    target, overall = f"({threshold:g} was asked for)", rank_stability(tables[0], tables[-1], by="spearman")
    if min(result.top_stability) == 1.0 and top_stability(tables[0], tables[-1], TOP) == 1.0:
        top = min(TOP, len(now.ids))
        return f"{stable} {target} {each}, and the top {top} stayed the same"
    if overall >= threshold:
        return f"{stable} {target} {each}; more rounds bring little: over all of them together it was {overall:.3f}"
    return ""


def past_ratings(state: State, now: Situation, sweeps: int) -> list[Floats]:
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


def stagnant(state: State, now: Situation) -> tuple[str, ...]:
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


def _undone(state: State, rows: range) -> list[Contest]:
    """The matches of a round that moved ratings, the last first."""
    matches = map(state.played.contest, reversed(rows))
    return [match for match in matches if match.id not in state.rolled_back and match.outcome is not Outcome.VOID]


def _undo(match: Contest, rating: Floats, state: State, now: Situation) -> list[int]:
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
