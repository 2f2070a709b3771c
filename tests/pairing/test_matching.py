"""The largest matching, judged by trying them all."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.pairing.matching import largest_matching, paired_in_order, with_another_single


@st.composite
def graphs(draw, most=9):
    count = draw(st.integers(1, most))
    pairs = list(combinations(range(count), 2))
    chosen = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return draw(st.permutations(range(count))), {frozenset(pair) for pair in chosen}


def question(edges):
    return lambda u, v: frozenset((u, v)) in edges


def most_pairs(vertices, edges) -> int:
    """The naive twin: leave the first vertex alone, or pair it with each of the others in turn."""
    if len(vertices) < 2:
        return 0
    u, *rest = vertices
    with_u = [1 + most_pairs([w for w in rest if w != v], edges) for v in rest if frozenset((u, v)) in edges]
    return max([most_pairs(rest, edges), *with_u])


def check(mate, edges, order):
    assert all(mate[mate[v]] == v and frozenset((v, mate[v])) in edges for v in mate)
    assert set(mate) <= set(order)


@given(graphs())
def test_no_larger_matching_exists(graph):
    order, edges = graph
    mate = largest_matching(order, question(edges), paired_in_order(order, question(edges)))
    check(mate, edges, order)
    assert len(mate) // 2 == most_pairs(order, edges)


@given(graphs())
def test_it_can_begin_with_nobody_paired(graph):
    order, edges = graph
    mate = largest_matching(order, question(edges), {})
    check(mate, edges, order)
    assert len(mate) // 2 == most_pairs(order, edges)


@given(graphs())
def test_whoever_is_paired_stays_paired(graph):
    order, edges = graph
    start = paired_in_order(order, question(edges))
    assert set(start) <= set(largest_matching(order, question(edges), start))


@given(graphs(), st.data())
def test_another_is_left_alone_exactly_where_that_is_possible(graph, data):
    order, edges = graph
    mate = largest_matching(order, question(edges), {})
    alone = [v for v in order if v not in mate]
    if len(alone) != 1:
        return
    candidate = data.draw(st.sampled_from(order))
    found = with_another_single(order, question(edges), mate, alone[0], {candidate})
    check(found, edges, order)
    possible = most_pairs([v for v in order if v != candidate], edges) == len(mate) // 2
    assert [v for v in order if v not in found] == [candidate if possible else alone[0]]


def test_blossoms_within_blossoms():
    # two triangles on a path, and a tail at each end: only a search that shrinks odd cycles pairs all ten
    edges = {
        frozenset(pair)
        for pair in [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 6), (6, 7), (7, 5), (7, 8), (8, 9)]
    }
    start = {1: 2, 2: 1, 3: 4, 4: 3, 5: 6, 6: 5, 7: 8, 8: 7}
    mate = largest_matching(range(10), question(edges), start)
    check(mate, edges, range(10))
    assert len(mate) == 10


@pytest.mark.parametrize("missing", [0, 40])
def test_five_thousand_who_may_nearly_all_meet_take_a_second(missing, cpu_seconds):
    rng = random.Random(missing)
    strangers = [set(rng.sample(range(5000), missing)) for _ in range(5000)]

    def joined(u, v):
        return u != v and v not in strangers[u] and u not in strangers[v]

    mate, seconds = cpu_seconds(lambda: largest_matching(range(5000), joined, paired_in_order(range(5000), joined)))
    assert len(mate) == 5000
    assert seconds < 5
