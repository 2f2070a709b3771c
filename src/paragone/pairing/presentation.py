"""What has been asked, and which side of a pair is shown first.

A judge may favour the side shown first. Asking a pair once and balancing, item by item, how often each is shown first
costs half of asking in both orders, and lets the fit estimate the favour; it must not follow skill (the leader always
first), or the two cannot be told apart.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from paragone.domain import Order
from paragone.errors import InvalidConfig


class PairHistory:
    """The comparisons asked so far, by order of presentation: answered, abstained from, or still open.

    Kept by adding, a comparison at a time; what was added in which order makes no difference. Items are the indices
    ``0 .. items - 1``.

    Attributes:
        items: Number of items.
        total: Comparisons asked.
        pairs: Pairs asked, in one order or both.
        both: Pairs asked in both orders.
        counts: For each item, comparisons it was in.
        leads: For each item, how many times more it was shown first than second.
    """

    def __init__(self, items: int) -> None:
        self.items = items
        self.total = 0
        self.pairs = 0
        self.both = 0
        self.counts = [0] * items
        self.leads = [0] * items
        self._times: dict[int, int] = {}

    @classmethod
    def of(cls, items: int, comparisons: Iterable[tuple[int, int]]) -> Self:
        """A history from (first, second) in any order."""
        history = cls(items)
        for first, second in comparisons:
            history.add(first, second)
        return history

    def add(self, first: int, second: int) -> None:
        """Note that ``first`` was shown before ``second``.

        Raises:
            ValueError: If they are the same item, or one is no item at all.
        """
        if first == second or not (0 <= first < self.items and 0 <= second < self.items):
            raise ValueError(f"a comparison takes two different items of 0..{self.items - 1}, not {first} and {second}")
        if not self.times(first, second):
            turned = self.times(second, first) > 0
            self.both += turned
            self.pairs += not turned
        self._times[self._key(first, second)] = self.times(first, second) + 1
        self.total += 1
        for item, lead in ((first, 1), (second, -1)):
            self.counts[item] += 1
            self.leads[item] += lead

    def times(self, first: int, second: int) -> int:
        """How often this pair was asked in this order."""
        return self._times.get(self._key(first, second), 0)

    def orders(self, a: int, b: int) -> int:
        """In how many orders the pair was asked: 0, 1 or 2."""
        items, times = self.items, self._times
        return (a * items + b in times) + (b * items + a in times)

    def orders_asked(self) -> NDArray[np.int8]:
        """In how many orders each pair was asked, shape (items, items), symmetric."""
        orders = np.zeros(self.items * self.items, dtype=np.int8)
        orders[np.fromiter(self._times, np.int64, len(self._times))] = 1
        table = orders.reshape(self.items, self.items)
        return table + table.T

    def _key(self, first: int, second: int) -> int:
        return first * self.items + second


def present(
    pairs: Iterable[tuple[int, int]], history: PairHistory, *, rng: np.random.Generator
) -> tuple[tuple[int, int], ...]:
    """Choose for each pair who is shown first.

    A pair that was asked is turned round. Otherwise whoever has been shown first less often, relative to second, goes
    first; the coin decides between equals. Pairs are taken in turn, each counting for those after it.

    Args:
        pairs: Pairs of items, each pair at most once, in any order within a pair.
        history: The history; left as it is.
        rng: The coin.

    Returns:
        (first, second) for each pair, in the order given.
    """
    pairs = tuple(pairs)
    shift: Counter[int] = Counter()
    presented = []
    for (a, b), heads in zip(pairs, rng.random(len(pairs)) < 0.5, strict=True):
        lead = history.leads[a] + shift[a] - history.leads[b] - shift[b]
        first, second = (a, b) if _goes_first(history, a, b, lead, heads=bool(heads)) else (b, a)
        shift[first] += 1
        shift[second] -= 1
        presented.append((first, second))
    return tuple(presented)


def _goes_first(history: PairHistory, a: int, b: int, lead: int, *, heads: bool) -> bool:
    turned, repeated = history.times(b, a), history.times(a, b)
    if turned != repeated:
        return turned > repeated
    return lead < 0 or (lead == 0 and heads)


def alternating_orders(comparison_rounds: int) -> tuple[Order, ...]:
    """AB, BA, AB, ... for as many comparisons as a match has.

    Raises:
        InvalidConfig: If there is to be no comparison.

    Source: the Swiss specification, "位置バイアスの軽減".
    """
    if comparison_rounds < 1:
        raise InvalidConfig(f"comparison_rounds must be at least 1, not {comparison_rounds}")
    return tuple(Order.BA if turn % 2 else Order.AB for turn in range(comparison_rounds))
