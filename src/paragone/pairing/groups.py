"""Which items to put to a judge in one call, a batch of lists at a time: what ``informative`` is for pairs.

A list tells most about items that are near each other in the current order, and where the goal hangs on them. The
order of presentation is shuffled: a judge's liking for a place in the list then averages out. Items are indices.
"""

import math
from collections.abc import Iterable
from typing import Self

import numpy as np

from paragone.domain import Aim, Goal
from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.pairing.forecast import Floats, checked, membership

Group = tuple[int, ...]

_TOPS = (1, 3, 10)  # whose membership the balanced aim looks at
_FOCUS_SHARE = 0.5  # the part of a balanced batch that goes to them
_STRETCH = 2  # a list is drawn from so many times its length of neighbours where the nearest were together before
_SHUFFLES = 20


class ListHistory:
    """The lists shown so far: answered, abstained from, or still open.

    Attributes:
        items: Number of items.
        total: Lists shown.
        counts: For each item, how often it was in a list, or elsewhere before a judge.
    """

    def __init__(self, items: int) -> None:
        self.items = items
        self.total = 0
        self.counts = [0] * items
        self._sets: set[frozenset[int]] = set()
        self._lists: set[Group] = set()

    @classmethod
    def of(cls, items: int, groups: Iterable[Group], *, before: Iterable[int] = ()) -> Self:
        """A history from lists in any order.

        Args:
            items: Number of items.
            groups: The lists, each in its order of presentation.
            before: Items that were shown otherwise, once for each time.
        """
        history = cls(items)
        for item in before:
            history.counts[item] += 1
        for group in groups:
            history.add(group)
        return history

    def add(self, group: Group) -> None:
        """Note that a list was shown.

        Raises:
            ValueError: If an item is in it twice, or is no item at all.
        """
        if len(set(group)) < max(2, len(group)) or not all(0 <= item < self.items for item in group):
            raise ValueError(f"a list takes two or more different items of 0..{self.items - 1}, not {group}")
        self.total += 1
        self._sets.add(frozenset(group))
        self._lists.add(group)
        for item in group:
            self.counts[item] += 1

    def together(self, group: Iterable[int]) -> bool:
        """Whether exactly these items were in a list before."""
        return frozenset(group) in self._sets

    def shuffled(self, group: Iterable[int], rng: np.random.Generator) -> Group:
        """The items in a random order of presentation, in one that was not shown before where there is one."""
        order: Group = tuple(rng.permutation(sorted(group)).tolist())
        for _ in range(_SHUFFLES):
            if order not in self._lists:
                break
            order = tuple(rng.permutation(order).tolist())
        return order


def batch_size(items: int, size: int, goal: Goal) -> int:
    """Lists to ask at a time: as many texts as the pairs of a batch have, at least two lists."""
    part = 4 if goal.aim in {Aim.TOP, Aim.WINNER} else 2
    return max(math.ceil(items / part / size), 2)


def start(items: int, size: int, *, rng: np.random.Generator) -> tuple[Group, ...]:
    """The lists to begin with: a random ring of all items, cut so that each list shares one item with the next.

    So all items are tied together, and everybody is shown once, those where lists meet twice. Where the items do not
    come out even, the last list goes on round the ring.

    Args:
        items: Number of items.
        size: Length of a list, from 2 to ``items``.
        rng: Source of randomness.

    Raises:
        ValueError: If there are too few items, or the length is out of its range.
    """
    if not 2 <= size <= items:
        raise ValueError(f"a list takes from 2 to {items} of {items} items, not {size}")
    ring = rng.permutation(items)
    if size == items:
        return (tuple(ring.tolist()),)
    begins = range(0, items, size - 1)
    return tuple(tuple(rng.permutation(ring[np.arange(begin, begin + size) % items]).tolist()) for begin in begins)


def next_batch(
    mean: Floats,
    draws: Floats,
    history: ListHistory,
    goal: Goal,
    *,
    size: int,
    rng: np.random.Generator,
    count: int | None = None,
) -> tuple[Group, ...]:
    """The next batch of lists, which may be asked all at once.

    The first batch of all is `start`. Later ones serve what the goal hangs on, and then whoever has been shown least;
    each list is that item with its nearest neighbours in the order of the means.

    Args:
        mean: Posterior means, shape (N,), in any unit.
        draws: Posterior draws, shape (M, N).
        history: What has been shown, open lists included; left as it is.
        goal: The ranking asked for.
        size: Length of a list, from 2 to N.
        rng: Source of randomness; the same state gives the same batch.
        count: Lists wanted; by default `batch_size`.

    Returns:
        The items of each list, in the order of presentation.

    Raises:
        ValueError: If the shapes do not fit, a value is not finite, or a number is out of its range.
    """
    mean, draws = checked(mean, draws)
    if history.items != mean.size:
        raise ValueError(f"the history is of {history.items} items, the means are of {mean.size}")
    if count is not None and count < 1:
        raise ValueError(f"a batch holds at least one list, not {count}")
    if not history.total:
        return start(mean.size, size, rng=rng)[:count]
    if not 2 <= size <= mean.size:
        raise ValueError(f"a list takes from 2 to {mean.size} of {mean.size} items, not {size}")
    batch = _Batch(mean, history, size=size, count=count or batch_size(mean.size, size, goal), rng=rng)
    if goal.aim is not Aim.ORDER:
        share = _FOCUS_SHARE if goal.aim is Aim.BALANCED else 1.0
        batch.serve(_doubtful(draws, goal, rng), limit=math.ceil(share * batch.count))
    while len(batch.groups) < batch.count:
        batch.serve(np.lexsort((rng.random(mean.size), batch.exposure)).tolist(), limit=batch.count)
    return tuple(history.shuffled(group, rng) for group in batch.groups)


def _doubtful(draws: Floats, goal: Goal, rng: np.random.Generator) -> list[int]:
    """Items that may or may not belong to one of the tops that the goal looks at, the most doubtful first."""
    tops = {Aim.TOP: (goal.k or 1,), Aim.WINNER: (1,)}.get(goal.aim, _TOPS)
    belongs = np.array([membership(draws, top) for top in tops])
    # p (1 - p): the variance of belonging, largest where it is an even bet.
    doubt = np.sum(belongs * (1.0 - belongs), axis=0)
    doubt = rounded(doubt, SHARE_DECIMALS)
    order = np.lexsort((rng.random(doubt.size), -doubt))
    ranked: list[int] = order[doubt[order] > 0.0].tolist()
    return ranked


class _Batch:
    """Lists gathered for one batch, by the places of their items in the order of the means.

    Attributes:
        groups: The lists.
        count: How many are wanted.
        exposure: How often each item was shown, this batch included.
    """

    def __init__(self, mean: Floats, history: ListHistory, *, size: int, count: int, rng: np.random.Generator) -> None:
        self.groups: list[list[int]] = []
        self.count = count
        self.exposure = np.array(history.counts)
        self._shown = history
        self._size = size
        self._rng = rng
        self._order = np.lexsort((rng.random(mean.size), -mean))
        self._place = np.argsort(self._order)
        self._used = np.zeros(mean.size, dtype=np.int64)

    def serve(self, queue: Iterable[int], *, limit: int) -> None:
        """A list for each in turn who is in none of this batch yet, until there are so many lists."""
        least = int(self._used.min())
        for item in queue:
            if len(self.groups) >= limit:
                return
            if self._used[item] <= least:
                self._add(self._around(item))

    def _add(self, group: list[int]) -> None:
        self.groups.append(group)
        self._used[group] += 1
        self.exposure[group] += 1

    def _around(self, item: int) -> list[int]:
        """The item and those nearest to it, the ones that this batch has used less coming first among the near."""
        rank, reach = self._place[item], _STRETCH * (self._size - 1)
        around = np.arange(max(rank - reach, 0), min(rank + reach + 1, self._order.size))
        by_distance = around[np.argsort(np.abs(around - rank), kind="stable")]
        rest = self._order[by_distance[1 : 1 + reach]]
        nearest = rest[np.argsort(self._used[rest], kind="stable")][: self._size - 1]
        group = [item, *nearest.tolist()]
        if self._shown.together(group):
            group = [item, *self._rng.permutation(rest)[: self._size - 1].tolist()]
        return group
