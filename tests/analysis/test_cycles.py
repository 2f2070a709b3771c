"""The circles themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.quality.contests import Contests
from paragone.analysis.quality.cycles import rings_of, strong_parts, tangles

ARCS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda arc: arc[0] < arc[1]), unique=True)


def beaten(arcs, items=8):
    """Contests in which the first of each arc beat the second."""
    names = [chr(97 + n) for n in range(items)]
    tails, heads = zip(*arcs, strict=True) if arcs else ((), ())
    return Contests.of(names, [f"m{n}" for n in range(len(arcs))], tails, heads, [1.0] * len(arcs))


def find(arcs, items=8, **how):
    return tangles(beaten(arcs, items), np.random.default_rng(0), **how)


def turned(ring):
    at = ring.index(min(ring))
    return tuple(ring[at:] + ring[:at])


@given(ARCS, st.integers(0, 2**16))
def test_they_are_networkxs(pairs, coin):
    """The shortest circle through each arc, of all that networkx lists; and its strongly connected parts."""
    import networkx as nx

    arcs = [pair if coin >> place % 16 & 1 else pair[::-1] for place, pair in enumerate(pairs)]
    graph = nx.DiGraph(arcs)
    everything = [turned(ring) for ring in nx.simple_cycles(graph, length_bound=5)]
    tails, heads = (np.array([arc[side] for arc in arcs], dtype=np.int64) for side in (0, 1))
    rings, complete = rings_of(tails, heads)
    assert complete
    assert set(rings) <= set(everything)
    for tail, head in arcs:
        through = [len(ring) for ring in everything if (tail, head) in zip(ring, ring[1:] + ring[:1], strict=True)]
        ours = [len(ring) for ring in rings if (tail, head) in zip(ring, ring[1:] + ring[:1], strict=True)]
        assert min(through, default=0) == min(ours, default=0)
    parts = sorted((len(part) for part in nx.strongly_connected_components(graph) if len(part) > 1), reverse=True)
    assert strong_parts(tails, heads, 8)[1] == tuple(parts)
    threes = {ring for ring in everything if len(ring) == 3}
    listed = {turned([ord(item) - 97 for item in cycle.items]) for cycle in find(arcs, most=100).cycles}
    assert threes <= listed <= set(everything)


def test_a_circle_names_its_items_its_matches_and_the_upset():
    contests = Contests.of("abc", ["1.1", "1.2", "1.3", "2.1"], [0, 1, 2, 0], [1, 2, 0, 1], [1, 1, 1, 0.5])
    (cycle,) = tangles(contests, np.random.default_rng(0), np.array([2.0, 1.0, 0.0])).cycles
    assert cycle.items == ("a", "b", "c")
    assert [beat.matches for beat in cycle.beats] == [("1.1", "2.1"), ("1.2",), ("1.3",)]
    assert (cycle.upset.winner, cycle.upset.loser) == ("c", "a")
    assert cycle.upset.chance == pytest.approx(1 / (1 + np.exp(2)))
    assert cycle.beats[0].chance == pytest.approx(1 / (1 + np.exp(-1)))


def test_the_shortest_come_first_and_of_these_the_largest_upset():
    arcs = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 4), (5, 7), (7, 4)]
    strength = np.array([0, 0, 0, 0, 1.0, 0.9, 0.8, -3.0])
    found = find(arcs, strength=strength)
    assert [len(cycle.items) for cycle in found.cycles] == [3, 3, 4]
    assert found.cycles[0].upset.winner == "h"
    assert found.parts == (4, 4)
    assert found.complete
    first = find(arcs, strength=strength, most=1)
    assert (len(first.cycles), first.complete) == (1, False)


def test_an_order_has_none():
    found = find([(i, j) for i in range(8) for j in range(i + 1, 8)])
    assert (found.cycles, found.parts, found.complete) == ((), (), True)


def test_draws_and_equal_wins_beat_nobody():
    contests = Contests.of("abc", "1234", [0, 1, 2, 0], [1, 2, 0, 2], [1, 1, 1, 1])
    assert tangles(contests, np.random.default_rng(0)).cycles == ()


def test_large_pools_stop_in_time_and_say_so():
    ring = [(n, (n + 1) % 400) for n in range(400)] + [(n, (n + 397) % 400) for n in range(400)]
    found = find(ring, 400, steps=500)
    assert not found.complete
    assert found.parts == (400,)
    rng = np.random.default_rng(0)
    arcs = rng.choice(20_000, (100_000, 2))
    many = Contests.of(
        [str(n) for n in range(20_000)],
        [str(n) for n in range(100_000)],
        arcs[:, 0],
        np.where(arcs[:, 0] == arcs[:, 1], (arcs[:, 1] + 1) % 20_000, arcs[:, 1]),
        np.ones(100_000),
    )
    assert len(tangles(many, rng, rng.normal(size=20_000)).cycles) == 20
