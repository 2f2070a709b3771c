"""The circles themselves: which items beat each other in a ring, and by which matches (T13).

Circles of three are found among all triples, longer ones by a search in the parts of the graph that hold circles at
all; both stop after so many steps, so that a large pool costs no more than a small one. What is listed first are the
shortest, and of these the ones with the upset that the fit finds least likely.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from paragone.analysis.quality.contests import Contests, Floats, Ints, Pairs
from paragone.analysis.quality.transitivity import MOST_WEDGES, triples

LONGEST = 5
"""Items in the longest circle that is looked for."""
STEPS = 200_000
"""Arcs that the search for longer circles follows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Beat:
    """One item that won more of its matches against another than it lost.

    Attributes:
        winner: Its id.
        loser: The other's.
        matches: The matches between them.
        chance: Probability that the winner is preferred, by the strengths alone; None without a fit.
    """

    winner: str
    loser: str
    matches: tuple[str, ...]
    chance: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Cycle:
    """Items of whom each beat the next, and the last the first.

    Attributes:
        beats: Who beat whom, the least likely of them last.
    """

    beats: tuple[Beat, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """The ids, each before the one that it beat."""
        return tuple(beat.winner for beat in self.beats)

    @property
    def upset(self) -> Beat:
        """The win that the fit finds least likely: the one to look at."""
        return self.beats[-1]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tangles:
    """Circles in a pool.

    Attributes:
        cycles: The circles that are listed.
        complete: Whether these are all circles of that length or shorter.
        parts: Sizes of the strongly connected parts of two items or more, the largest first: within one, everybody
            has beaten everybody by way of others, and the results alone give no order.
    """

    cycles: tuple[Cycle, ...]
    complete: bool
    parts: tuple[int, ...]


def tangles(
    contests: Contests,
    rng: np.random.Generator,
    strength: Floats | None = None,
    *,
    most: int = 20,
    longest: int = LONGEST,
    steps: int = STEPS,
    wedges: int = MOST_WEDGES,
) -> Tangles:
    """Find circles.

    Args:
        contests: The matches.
        rng: Draws a sample of triples, where they are too many.
        strength: Of each item in nats, shape (items,): says how likely each win was.
        most: Circles that are listed.
        longest: Items in the longest circle that is looked for.
        steps: Arcs that the search for circles of four and more follows.
        wedges: Pairs of neighbours that are looked at for circles of three.
    """
    pairs = Pairs.met(contests)
    decided = pairs.net != 0
    winner = np.where(pairs.net > 0, pairs.low, pairs.high)[decided]
    loser = np.where(pairs.net > 0, pairs.high, pairs.low)[decided]
    part, sizes = strong_parts(winner, loser, len(contests.items))
    inside = part[winner] == part[loser]
    rings, complete = _threes(pairs, len(contests.items), rng, wedges)
    if len(rings) < most and longest > 3:
        found, all_found = rings_of(winner[inside], loser[inside], longest=longest, steps=steps)
        rings, complete = list(dict.fromkeys([*rings, *found])), complete and all_found
    shown = _least_likely(rings, strength, most)
    between = _matches_between(contests, shown)
    cycles = tuple(_cycle(contests, ring, between, strength) for ring in shown)
    return Tangles(cycles=cycles, complete=complete and len(rings) <= most, parts=sizes)


def strong_parts(winner: Ints, loser: Ints, items: int) -> tuple[Ints, tuple[int, ...]]:
    """Strongly connected parts of who beat whom: the part of each item, and the sizes of those of two or more."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    arcs = csr_array((np.ones(winner.size), (winner, loser)), shape=(items, items))
    _, part = connected_components(arcs, directed=True, connection="strong")
    sizes = np.bincount(part)
    labels: Ints = part.astype(np.int64)
    return labels, tuple(sorted(sizes[sizes > 1].tolist(), reverse=True))


def rings_of(
    winner: Ints, loser: Ints, *, longest: int = LONGEST, steps: int = STEPS
) -> tuple[list[tuple[int, ...]], bool]:
    """For each arc a shortest circle through it, up to a length; and whether every arc's turn came.

    Each circle begins with its lowest item and is listed once, the shortest first.

    Args:
        winner: The item at the tail of each arc, shape (arcs,).
        loser: The one at its head.
        longest: Items in the longest circle.
        steps: Arcs that are followed in all.
    """
    beaten: dict[int, list[int]] = {}
    for tail, head in zip(winner.tolist(), loser.tolist(), strict=True):
        beaten.setdefault(tail, []).append(head)
    found: dict[tuple[int, ...], None] = {}
    for tail, head in zip(winner.tolist(), loser.tolist(), strict=True):
        way, steps = _way(beaten, head, tail, longest - 1, steps)
        if steps <= 0:
            break
        if way:
            found[_turned(way)] = None
    return sorted(found, key=lambda ring: (len(ring), ring)), steps > 0


def _way(beaten: Mapping[int, list[int]], start: int, goal: int, most: int, steps: int) -> tuple[tuple[int, ...], int]:
    """A shortest way from start to goal, both included, over so many arcs at the most; and the steps that are left."""
    before, depth, waiting = {start: start}, {start: 0}, deque([start])
    while waiting and steps > 0:
        here = waiting.popleft()
        if depth[here] == most:
            continue
        for there in beaten.get(here, ()):
            steps -= 1
            if there not in before:
                before[there], depth[there] = here, depth[here] + 1
                waiting.append(there)
            if there == goal:
                return _back(before, start, goal), steps
    return (), steps


def _back(before: Mapping[int, int], start: int, goal: int) -> tuple[int, ...]:
    way = [goal]
    while way[-1] != start:
        way.append(before[way[-1]])
    return tuple(reversed(way))


def _threes(pairs: Pairs, items: int, rng: np.random.Generator, wedges: int) -> tuple[list[tuple[int, ...]], bool]:
    """The circles of three, each from its lowest item on."""
    found = triples(pairs, items, rng, most=wedges)
    circular = found.circular(pairs.net)
    first = found.low_middle[circular]
    low, middle, high = pairs.low[first], pairs.high[first], pairs.high[found.low_high[circular]]
    onwards = pairs.net[first] > 0
    rings = np.stack([low, np.where(onwards, middle, high), np.where(onwards, high, middle)], axis=1)
    return [tuple(ring) for ring in np.unique(rings, axis=0).tolist()], found.exact


def _turned(ring: tuple[int, ...]) -> tuple[int, ...]:
    """The same circle from its lowest item on."""
    at = ring.index(min(ring))
    return ring[at:] + ring[:at]


def _arcs(ring: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(zip(ring, (*ring[1:], ring[0]), strict=True))


def _least_likely(rings: list[tuple[int, ...]], strength: Floats | None, most: int) -> list[tuple[int, ...]]:
    """The shortest, and of these the ones with the largest upset."""
    if strength is None:
        return sorted(rings, key=lambda ring: (len(ring), ring))[:most]
    points: list[float] = strength.tolist()

    def upset(ring: tuple[int, ...]) -> float:
        return min(points[tail] - points[head] for tail, head in _arcs(ring))

    return sorted(rings, key=lambda ring: (len(ring), upset(ring), ring))[:most]


def _matches_between(contests: Contests, rings: Iterable[tuple[int, ...]]) -> dict[tuple[int, int], list[str]]:
    """The matches between those who beat each other in these rings, by the lower and the higher index."""
    wanted = {(min(arc), max(arc)) for ring in rings for arc in _arcs(ring)}
    keys = np.array([low * len(contests.items) + high for low, high in wanted], dtype=np.int64)
    low, high = np.minimum(contests.a, contests.b), np.maximum(contests.a, contests.b)
    between: dict[tuple[int, int], list[str]] = {pair: [] for pair in wanted}
    for place in np.flatnonzero(np.isin(low * len(contests.items) + high, keys)).tolist():
        between[int(low[place]), int(high[place])].append(contests.matches[place])
    return between


def _cycle(
    contests: Contests,
    ring: tuple[int, ...],
    between: Mapping[tuple[int, int], list[str]],
    strength: Floats | None,
) -> Cycle:
    beats = [
        Beat(
            winner=contests.items[tail],
            loser=contests.items[head],
            matches=tuple(between[min(tail, head), max(tail, head)]),
            chance=None if strength is None else float(1 / (1 + np.exp(strength[head] - strength[tail]))),
        )
        for tail, head in _arcs(ring)
    ]
    if strength is not None:
        last = min(range(len(beats)), key=lambda place: beats[place].chance or 0.0)
        beats = beats[last + 1 :] + beats[: last + 1]
    return Cycle(beats=tuple(beats))
