"""The round robin: everybody meets everybody, and nobody is favoured by the order of presentation."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Order
from paragone.errors import InvalidConfig, InvalidItems
from paragone.pairing import round_robin


def rounds(items, seed=0, **options):
    return round_robin.rounds([str(i) for i in range(items)], rng=random.Random(seed), **options)


@given(st.integers(2, 25), st.integers(1, 3), st.integers(0, 999))
def test_every_pair_meets_once_a_cycle_and_nobody_plays_twice_in_a_round(items, cycles, seed):
    played = rounds(items, seed, cycles=cycles)
    assert len(played) == cycles * (items - 1 + items % 2)
    for round in played:
        assert (
            len({item for pairing in round for item in (pairing.a, pairing.b)}) == 2 * len(round) == items - items % 2
        )
    meetings = Counter(pairing.key for round in played for pairing in round)
    assert len(meetings) == items * (items - 1) // 2
    assert set(meetings.values()) == {cycles}


@given(st.integers(3, 25))
def test_of_an_odd_number_everybody_sits_out_once_a_cycle(items):
    if items % 2 == 0:
        items += 1
    idle = [{str(i) for i in range(items)} - {i for p in round for i in (p.a, p.b)} for round in rounds(items)]
    assert sorted(item for items_idle in idle for item in items_idle) == sorted(str(i) for i in range(items))


@given(st.integers(2, 40))
def test_presentation_is_balanced_at_every_moment_and_even_at_the_end(items):
    lead = Counter()
    for round in rounds(items):
        for pairing in round:
            lead[pairing.a] += 1
            lead[pairing.b] -= 1
        assert max(abs(count) for count in lead.values()) <= 2
    assert {abs(count) for count in lead.values()} <= ({0} if items % 2 else {1})


def test_the_second_cycle_swaps_the_orders():
    played = rounds(7, cycles=2)
    first, second = played[:7], played[7:]
    assert [[(p.b, p.a) for p in round] for round in second] == [[(p.a, p.b) for p in round] for round in first]


@pytest.mark.parametrize(
    ("comparison_rounds", "orders"), [(1, (Order.AB,)), (2, (Order.AB, Order.BA)), (3, (Order.AB, Order.BA, Order.AB))]
)
def test_orders_alternate(comparison_rounds, orders):
    assert {p.orders for round in rounds(5, comparison_rounds=comparison_rounds) for p in round} == {orders}


def test_four_items_by_hand():
    class Unshuffled(random.Random):
        def shuffle(self, x):
            pass

    played = round_robin.rounds(list("ABCD"), rng=Unshuffled())
    # seats 0, 1, 2 on the circle and D outside of it: in turn t those meet whose seats add up to t modulo 3
    assert [[pairing.key for pairing in round] for round in played] == [
        [("A", "D"), ("B", "C")],
        [("C", "D"), ("A", "B")],
        [("B", "D"), ("A", "C")],
    ]


def test_the_seed_decides_who_meets_first():
    assert list(rounds(10, seed=1)) == list(rounds(10, seed=1))
    assert list(rounds(10, seed=1)) != list(rounds(10, seed=2))


def test_rounds_are_made_when_asked_for(cpu_seconds):
    def first_and_last():
        played = rounds(10_000)
        return played, played[-1], played[0]

    (played, last, first), seconds = cpu_seconds(first_and_last)
    assert len(last) == len(first) == 5_000
    assert seconds < 1
    assert len(played) == 9_999


def test_it_is_a_sequence():
    played = rounds(4)
    assert played[-1] == played[2] == list(played)[-1]
    assert played[1:] == (played[1], played[2])
    with pytest.raises(IndexError):
        played[3]


@pytest.mark.parametrize(
    ("ids", "options", "error", "message"),
    [
        (["A"], {}, InvalidItems, "two items or more, not 1"),
        (["A", "A"], {}, InvalidItems, "more than once"),
        (["A", "B"], {"cycles": 0}, InvalidConfig, "cycles"),
        (["A", "B"], {"comparison_rounds": 0}, InvalidConfig, "comparison_rounds"),
    ],
)
def test_what_cannot_be_is_refused(ids, options, error, message):
    with pytest.raises(error, match=message):
        round_robin.rounds(ids, rng=random.Random(0), **options)
