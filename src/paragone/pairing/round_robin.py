"""The round robin: every pair meets once a cycle, in rounds that nobody plays twice in.

By the circle method. Presentation is balanced: from round to round an item alternates between being shown first and
second, comes out even over a cycle give or take half a match, and the next cycle swaps the orders.

Source: E. Lucas, "Récréations mathématiques" II, 1883, "Les jeux de demoiselles".
"""

import random
from collections.abc import Iterator, Sequence
from typing import overload

from paragone.domain import Order, Pairing
from paragone.errors import InvalidConfig, InvalidItems
from paragone.pairing.presentation import alternating_orders

RoundPairings = tuple[Pairing, ...]


class RoundRobin(Sequence[RoundPairings]):
    """The rounds, each made when it is asked for."""

    def __init__(self, seats: Sequence[str], *, cycles: int, orders: tuple[Order, ...]) -> None:
        self._seats = tuple(seats)
        self._cycles = cycles
        self._orders = orders
        self._circle = len(seats) - 1 + len(seats) % 2

    def __len__(self) -> int:
        return self._cycles * self._circle

    @overload
    def __getitem__(self, at: int) -> RoundPairings: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[RoundPairings, ...]: ...
    def __getitem__(self, at: int | slice) -> RoundPairings | tuple[RoundPairings, ...]:
        numbers = range(len(self))[at]
        return self._round(numbers) if isinstance(numbers, int) else tuple(self._round(number) for number in numbers)

    def _round(self, number: int) -> RoundPairings:
        cycle, turn = divmod(number, self._circle)
        seated = (_presented(pair, cycle) for pair in _pairs(turn, self._circle, len(self._seats)))
        return tuple(Pairing(a=self._seats[a], b=self._seats[b], orders=self._orders) for a, b in seated)


def rounds(ids: Sequence[str], *, cycles: int = 1, comparison_rounds: int = 1, rng: random.Random) -> RoundRobin:
    """The rounds of a round robin.

    Args:
        ids: The items. Of an odd number one sits out in each round, each of them once a cycle.
        cycles: How often every pair meets; the side shown first changes from cycle to cycle.
        comparison_rounds: Comparisons a match, in alternating order.
        rng: Shuffles the items, here and now.

    Returns:
        The rounds in their order; made one at a time, so that the first of many cost little.

    Raises:
        InvalidItems: If there are fewer than two items, or an id twice.
        InvalidConfig: If there is to be no cycle or no comparison.
    """
    if len(ids) < 2:
        raise InvalidItems(f"a round robin needs two items or more, not {len(ids)}")
    if len(set(ids)) < len(ids):
        raise InvalidItems("an id occurs more than once")
    if cycles < 1:
        raise InvalidConfig(f"cycles must be at least 1, not {cycles}")
    orders = alternating_orders(comparison_rounds)
    seats = list(ids)
    rng.shuffle(seats)
    return RoundRobin(seats, cycles=cycles, orders=orders)


def _pairs(turn: int, circle: int, count: int) -> Iterator[tuple[int, int]]:
    """The pairs of one turn: those seats of an odd circle whose numbers add up to ``turn``, modulo its size.

    From turn to turn a seat's opponent moves up by one, so that the side shown first alternates. The seat that would
    meet itself meets the seat outside of the circle, number ``circle``, which is empty where the count is odd.
    """
    # The seat x with 2 x = turn modulo the odd circle: (circle + 1) / 2 is the inverse of 2.
    alone = turn * ((circle + 1) // 2) % circle
    if circle < count:
        yield alone, circle
    for step in range(1, (circle + 1) // 2):
        yield (alone + step) % circle, (alone - step) % circle


def _presented(pair: tuple[int, int], cycle: int) -> tuple[int, int]:
    """Show the lower seat first where the two are an odd number of seats apart: so every seat comes out even."""
    low, high = min(pair), max(pair)
    return (low, high) if (high - low + cycle) % 2 else (high, low)
