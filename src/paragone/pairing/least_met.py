"""The nearest in rating whom an item has met least: where it looks when it has met its neighbours.

An item of a long tournament has met hundreds of others. All pairs within the reach of those whom it has not met would
be more and more pairs to be weighed; the few nearest are as good, and remain few.
"""

from dataclasses import dataclass

import numpy as np

from paragone.pairing.weighted import ENOUGH, REACH, Field, Flags, Ints, codes

WIDER = 4
"""How many times farther each look goes than the one before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meetings:
    """Who met whom, seen from some items. All arrays have shape (meetings,), a row for each item and each opponent.

    Attributes:
        item: The item, an index.
        other: Its opponent, an index.
        times: How often they met.
        spent: Whether they are not to meet again, since nothing new would come of it.
    """

    item: Ints
    other: Ints
    times: Ints
    spent: Flags

    def of(self, codes_sorted: Ints, items: int) -> tuple[Ints, Flags]:
        """How often pairs met, and which of them are spent, shape (pairs,) each.

        Args:
            codes_sorted: The pairs as codes, ascending; each is of one item or two that these meetings are seen from.
            items: Number of items.
        """
        times, spent = np.zeros(codes_sorted.size, dtype=np.int64), np.zeros(codes_sorted.size, dtype=np.bool_)
        if self.item.size and codes_sorted.size:
            code = np.minimum(self.item, self.other) * items + np.maximum(self.item, self.other)
            at = np.minimum(np.searchsorted(codes_sorted, code), codes_sorted.size - 1)
            matched = codes_sorted[at] == code
            times[at[matched]] = self.times[matched]
            spent[at[matched]] = self.spent[matched]
        return times, spent


def least_met(field: Field, who: Ints, meetings: Meetings) -> Ints:
    """For each of some items the opponents that it has met least, the nearest in rating first: ``ENOUGH`` of them.

    Those that it has not met come first, however far they are; pairs that are spent are left out.

    Args:
        field: Those who may play.
        who: The items, shape (some,).
        meetings: Their meetings.

    Returns:
        Pairs as codes, each once, ascending.
    """
    rank = np.empty(field.size, dtype=np.int64)
    rank[field.by_rating] = np.arange(field.size)
    reach, chosen = REACH, [np.zeros(0, dtype=np.int64)]
    while who.size:
        reach = min(WIDER * reach, field.size)
        cost, opponents = _within_reach(field, rank, who, meetings, reach)
        done = np.count_nonzero(cost == 0, axis=1) >= ENOUGH
        if reach == field.size:
            done[:] = True
        chosen.append(_cheapest(cost[done], opponents[done], who[done], ENOUGH, field.size))
        who = who[~done]
    return np.unique(np.concatenate(chosen))


def _within_reach(field: Field, rank: Ints, who: Ints, meetings: Meetings, reach: int) -> tuple[Ints, Ints]:
    """Of each item the meetings with those within reach, the nearest first, and who they are: (items, 2 reach) each.

    Where there is nobody, or nobody to be met again, the meetings are -1.
    """
    away = np.arange(1, reach + 1)
    steps = np.stack([-away, away], axis=1).ravel()
    at = rank[who][:, np.newaxis] + steps
    inside = (at >= 0) & (at < field.size)
    cost = np.where(inside, 0, -1)
    row = np.full(field.size, -1, dtype=np.int64)
    row[who] = np.arange(who.size)
    gap = rank[meetings.other] - rank[meetings.item]
    near = (row[meetings.item] >= 0) & (np.abs(gap) <= reach)
    gap = gap[near]
    cost[row[meetings.item[near]], 2 * (np.abs(gap) - 1) + (gap > 0)] = np.where(
        meetings.spent[near], -1, meetings.times[near]
    )
    return cost, field.by_rating[np.where(inside, at, 0)]


def _cheapest(cost: Ints, opponents: Ints, who: Ints, enough: int, items: int) -> Ints:
    """The pairs of each row with the fewest meetings, the nearest of these; never those that cost -1."""
    width = cost.shape[1]
    # Meetings first, then distance, in one integer: columns are in the order of distance.
    key = np.where(cost < 0, np.iinfo(np.int64).max, cost * width + np.arange(width))
    few = min(enough, width)
    best = np.argpartition(key, few - 1, axis=1)[:, :few]
    some = np.take_along_axis(cost, best, axis=1) >= 0
    ones = np.broadcast_to(who[:, np.newaxis], best.shape)[some]
    return codes(ones, np.take_along_axis(opponents, best, axis=1)[some], items)
