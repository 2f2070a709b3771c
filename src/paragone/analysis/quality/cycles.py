"""Transitivity: whether A beats C where A beat B and B beat C, and the cycles where it does not.

One item beats another where it won more of their matches. A triple is decided where all three pairs are. A judge that
is right three times in four makes many cycles among near-equals without any fault, so the number of cycles stands
beside the numbers that noise alone would make, drawn from the posterior of the fit.

Cycles of three are found among all triples, longer ones by a search in the strongly connected parts of the graph; both
stop after a fixed number of steps, so that a large pool costs no more than a small one. The shortest cycles are listed
first, and of these the ones with the least likely upset.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from paragone.analysis.quality.contests import Bools, Contests, FittedContests, Floats, Ints, MetPairs
from paragone.wire.consistency import Cycles, Transitivity
from paragone.wire.head_to_head import Beat, Cycle

MOST_WEDGES = 1_000_000
"""Up to this many ways to choose two neighbours of an item, all triples are looked at; of more, a sample."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Triples:
    """Triples of items of whom all pairs met; pairs are named by their index.

    Attributes:
        low_middle: The pair of the first and the second by index, shape (triples,).
        middle_high: Of the second and the third.
        low_high: Of the first and the third.
        exact: Whether these are all, or drawn evenly from all, with replacement.
    """

    low_middle: Ints
    middle_high: Ints
    low_high: Ints
    exact: bool

    def decided(self, net: Floats) -> Bools:
        """Which have a winner in every pair, by the pairs' nets."""
        decided: Bools = (net[self.low_middle] != 0) & (net[self.middle_high] != 0) & (net[self.low_high] != 0)
        return decided

    def circular(self, net: Floats) -> Bools:
        """Which go round in a circle."""
        sign = np.sign(net)
        low_side, high_side, across = sign[self.low_middle], sign[self.middle_high], sign[self.low_high]
        circles: Bools = (low_side != 0) & (low_side == high_side) & (across == -low_side)
        return circles


def triples(pairs: MetPairs, items: int, rng: np.random.Generator, *, most: int = MOST_WEDGES) -> Triples:
    """Triples of whom all pairs met: all of them, or a sample where they are too many to look at.

    Args:
        pairs: The pairs that met.
        items: How many items there are.
        rng: Draws the sample.
        most: Pairs of neighbours that are looked at.
    """
    count = pairs.low.size
    degree = np.bincount(np.concatenate([pairs.low, pairs.high]), minlength=items)
    # from the item that met fewer to the one that met more: no item then has many to choose two from
    turned = (degree[pairs.low] > degree[pairs.high]) | (
        (degree[pairs.low] == degree[pairs.high]) & (pairs.low > pairs.high)
    )
    tail, head = np.where(turned, pairs.high, pairs.low), np.where(turned, pairs.low, pairs.high)
    order = np.argsort(tail, kind="stable")
    fan = np.bincount(tail, minlength=items)
    starts, wedges = np.cumsum(fan) - fan, fan * (fan - 1) // 2
    total = int(wedges.sum())
    chosen = np.arange(total) if total <= most else np.sort(rng.integers(total, size=most))
    ends = np.cumsum(wedges)
    at = np.searchsorted(ends, chosen, side="right")
    first_pick, second_pick = _two_of(chosen - (ends[at] - wedges[at]) if total else chosen)
    first, second = order[starts[at] + first_pick], order[starts[at] + second_pick]
    low, high = np.minimum(head[first], head[second]), np.maximum(head[first], head[second])
    keys, closing = pairs.low * items + pairs.high, low * items + high
    third = np.searchsorted(keys, closing)
    closed = third < count
    closed[closed] = keys[third[closed]] == closing[closed]
    return _sorted_sides(first[closed], second[closed], third[closed], exact=total <= most)


def transitivity(
    contests: Contests,
    rng: np.random.Generator,
    prediction: FittedContests | None = None,
    *,
    most: int = MOST_WEDGES,
) -> Transitivity:
    """How transitive results are, and how transitive noise alone would leave them.

    Args:
        contests: The matches.
        rng: Draws the sample of triples, and the matches that noise makes.
        prediction: What a fit says of the same matches; without it nothing is expected.
        most: Pairs of neighbours that are looked at.
    """
    pairs = MetPairs.met(contests)
    sampled = triples(pairs, len(contests.items), rng, most=most)
    decided, circular = int(sampled.decided(pairs.net).sum()), int(sampled.circular(pairs.net).sum())
    share = 1.0 - circular / decided if decided else None
    if prediction is None or decided == 0:
        return Transitivity(triples=decided, circular=circular, exact=sampled.exact, share=share)
    ends = prediction.ends_by_draw()
    replayed = np.array([_circles(prediction.contests, pairs, sampled, win, draw, rng) for win, draw in ends])
    # Replayed matches decide other triples, some pairs being drawn: the share is compared, not the count.
    scaled = replayed[:, 0] * decided / np.maximum(replayed[:, 1], 1)
    low, high = np.quantile(scaled, [0.025, 0.975])
    return Transitivity(
        triples=decided,
        circular=circular,
        exact=sampled.exact,
        expected=float(scaled.mean()),
        expected_low=float(low),
        expected_high=float(high),
        p_value=(1 + int((scaled >= circular).sum())) / (1 + len(scaled)),
        share=share,
    )


def _circles(
    contests: Contests, pairs: MetPairs, sampled: Triples, win: Floats, draw: Floats, rng: np.random.Generator
) -> tuple[int, int]:
    """Circular and decided triples, had the same matches been played once more."""
    luck = rng.random(win.size)
    score = np.where(luck < win, 1.0, np.where(luck < win + draw, 0.5, 0.0))
    net = pairs.nets(contests, score)
    return int(sampled.circular(net).sum()), int(sampled.decided(net).sum())


def _two_of(number: Ints) -> tuple[Ints, Ints]:
    """The two places, the lower first, of each number in the list (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    # Invert the triangular numbers: h (h - 1) / 2 <= number < h (h + 1) / 2. The root of a large number may be off by
    # one either way, hence the two corrections in integers.
    higher = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    higher -= higher * (higher - 1) // 2 > number
    higher += (higher + 1) * higher // 2 <= number
    return number - higher * (higher - 1) // 2, higher


def _sorted_sides(first: Ints, second: Ints, third: Ints, *, exact: bool) -> Triples:
    """Triples from their three pairs in any order: pairs are numbered by their lower item and then by the higher."""
    sides = np.sort(np.stack([first, second, third]), axis=0)
    # of i < j < k the pairs (i, j), (i, k), (j, k) stand in this order
    return Triples(low_middle=sides[0], low_high=sides[1], middle_high=sides[2], exact=exact)


LONGEST = 5
"""Items in the longest circle that is looked for."""
STEPS = 200_000
"""Arcs that the search for longer circles follows."""


def tangles(
    contests: Contests,
    rng: np.random.Generator,
    strength: Floats | None = None,
    *,
    chance: Floats | None = None,
    most: int = 20,
    longest: int = LONGEST,
    steps: int = STEPS,
    wedges: int = MOST_WEDGES,
) -> Cycles:
    """Find circles.

    Args:
        contests: The matches.
        rng: Draws a sample of triples, where they are too many.
        strength: Of each item in nats, shape (items,): says which upset is the largest.
        chance: Of each match's result by all else, shape (matches,); see ``chance_of_result``. Without it, the chance
            of a win is that by the strengths.
        most: Circles that are listed.
        longest: Items in the longest circle that is looked for.
        steps: Arcs that the search for circles of four and more follows.
        wedges: Pairs of neighbours that are looked at for circles of three.
    """
    pairs = MetPairs.met(contests)
    decided = pairs.net != 0
    winner = np.where(pairs.net > 0, pairs.low, pairs.high)[decided]
    loser = np.where(pairs.net > 0, pairs.high, pairs.low)[decided]
    # A circle lies wholly within one strongly connected part: arcs between parts need not be followed.
    part, sizes = strong_parts(winner, loser, len(contests.items))
    inside = part[winner] == part[loser]
    rings, complete = _threes(pairs, len(contests.items), rng, wedges)
    if len(rings) < most and longest > 3:
        own_rings, all_found = rings_of(winner[inside], loser[inside], longest=longest, steps=steps)
        rings, complete = list(dict.fromkeys([*rings, *own_rings])), complete and all_found
    reported = _least_likely(rings, strength, most)
    between = _matches_between(contests, reported)
    cycles = tuple(_cycle(contests, ring, between, strength, chance) for ring in reported)
    return Cycles(cycles=cycles, complete=complete and len(rings) <= most, parts=sizes)


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
    rings: dict[tuple[int, ...], None] = {}
    for tail, head in zip(winner.tolist(), loser.tolist(), strict=True):
        way, steps = _way(beaten, head, tail, longest - 1, steps)
        if steps <= 0:
            break
        if way:
            rings[_turned(way)] = None
    return sorted(rings, key=lambda ring: (len(ring), ring)), steps > 0


def _way(beaten: Mapping[int, list[int]], start: int, goal: int, most: int, steps: int) -> tuple[tuple[int, ...], int]:
    """A shortest way from start to goal, both included, over so many arcs at the most; and the steps that are left."""
    before, depth, waiting = {start: start}, {start: 0}, deque([start])
    while waiting and steps > 0:
        node = waiting.popleft()
        if depth[node] == most:
            continue
        for neighbour in beaten.get(node, ()):
            steps -= 1
            if neighbour not in before:
                before[neighbour], depth[neighbour] = node, depth[node] + 1
                waiting.append(neighbour)
            if neighbour == goal:
                return _back(before, start, goal), steps
    return (), steps


def _back(before: Mapping[int, int], start: int, goal: int) -> tuple[int, ...]:
    way = [goal]
    while way[-1] != start:
        way.append(before[way[-1]])
    return tuple(reversed(way))


def _threes(pairs: MetPairs, items: int, rng: np.random.Generator, wedges: int) -> tuple[list[tuple[int, ...]], bool]:
    """The circles of three, each from its lowest item on."""
    sampled = triples(pairs, items, rng, most=wedges)
    circular = sampled.circular(pairs.net)
    first = sampled.low_middle[circular]
    low, middle, high = pairs.low[first], pairs.high[first], pairs.high[sampled.low_high[circular]]
    onwards = pairs.net[first] > 0
    rings = np.stack([low, np.where(onwards, middle, high), np.where(onwards, high, middle)], axis=1)
    return [tuple(ring) for ring in np.unique(rings, axis=0).tolist()], sampled.exact


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


def _matches_between(contests: Contests, rings: Iterable[tuple[int, ...]]) -> dict[tuple[int, int], list[int]]:
    """Indices of the matches between those who beat each other in these rings, by the lower and the higher index."""
    pairs = {(min(arc), max(arc)) for ring in rings for arc in _arcs(ring)}
    keys = np.array([low * len(contests.items) + high for low, high in pairs], dtype=np.int64)
    low, high = np.minimum(contests.a, contests.b), np.maximum(contests.a, contests.b)
    between: dict[tuple[int, int], list[int]] = {pair: [] for pair in pairs}
    for match in np.flatnonzero(np.isin(low * len(contests.items) + high, keys)).tolist():
        between[int(low[match]), int(high[match])].append(match)
    return between


def _cycle(
    contests: Contests,
    ring: tuple[int, ...],
    between: Mapping[tuple[int, int], list[int]],
    strength: Floats | None,
    chance: Floats | None,
) -> Cycle:
    beats = []
    for tail, head in _arcs(ring):
        matches = between[min(tail, head), max(tail, head)]
        beats.append(
            Beat(
                winner=contests.items[tail],
                loser=contests.items[head],
                matches=tuple(contests.matches[match] for match in matches),
                chance=_chance_of_win(contests, matches, tail, head, strength, chance),
            )
        )
    if strength is not None:
        last = min(range(len(beats)), key=lambda index: beats[index].chance or 0.0)
        beats = beats[last + 1 :] + beats[: last + 1]
    return Cycle(items=tuple(beat.winner for beat in beats), beats=tuple(beats))


def _chance_of_win(
    contests: Contests, matches: list[int], winner: int, loser: int, strength: Floats | None, chance: Floats | None
) -> float | None:
    """How likely it was that one beat the other: of several matches that it won, the least likely."""
    if chance is not None:
        won = [match for match in matches if contests.score[match] == (1.0 if contests.a[match] == winner else 0.0)]
        return min(float(chance[match]) for match in won)
    return None if strength is None else float(1 / (1 + np.exp(strength[loser] - strength[winner])))
