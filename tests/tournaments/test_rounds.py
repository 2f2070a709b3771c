"""Planned rounds, columns of numbers and notes of rounds, beside the plain lists that they stand for."""

from datetime import UTC, datetime
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Lineup, Order, Pairing
from paragone.ledger import Event, PlannedRound
from paragone.tournaments.state.history import packed
from paragone.tournaments.state.packed_columns import PackedColumn
from paragone.tournaments.state.rounds import Rounds

PAIRS = st.builds(
    lambda pair, orders, judged, level: Pairing(a=pair[0], b=pair[1], orders=orders, level=level, **judged),
    st.sampled_from([pair for both in combinations("abcde", 2) for pair in (both, both[::-1])]),
    st.sampled_from([(Order.AB,), (Order.BA,), (Order.AB, Order.BA)]),
    st.sampled_from([{}, {"turns": 2, "degraded": True}, {"panel": True}]),
    st.integers(0, 1),
)
LINEUPS = st.permutations("abcde").map(lambda ids: Lineup(items=tuple(ids[:3])))
PLANS = st.lists(st.lists(PAIRS | LINEUPS, max_size=4).map(tuple), max_size=6)


@given(PLANS, st.data())
def test_rounds_are_the_list_that_they_were_made_of(plans, data):
    plain = [PlannedRound(number=number, pairings=pairings) for number, pairings in enumerate(plans, start=1)]
    rounds = Rounds(plain)
    assert rounds == plain
    assert [rounds[row] for row in range(-len(plain), len(plain))] == plain + plain
    assert rounds[-2:] == plain[-2:]
    matches = [
        (f"{each.number}.{place}", planned) for each in plain for place, planned in enumerate(each.pairings, start=1)
    ]
    assert rounds.matches == len(matches)
    assert [rounds.planned(place) for place in range(rounds.matches)] == matches
    assert [rounds.place(id) for id, _ in matches] == list(range(len(matches)))
    pairs = {planned.key for _, planned in matches if isinstance(planned, Pairing)}
    assert rounds.distinct_pairs() == len(pairs)
    copy = rounds.copy()
    rounds.append(PlannedRound(number=len(plain) + 1, pairings=(Pairing(a="x", b="a"),)))
    assert (copy, rounds[-1].pairings[0].a) == (plain, "x")


@pytest.mark.parametrize("id", ["1", "1.0", "1.3", "3.1", "1.01", "1.-1", "vote-1", "1.1.1", "", ".", "1.9999999999"])
def test_what_is_not_planned_has_no_place(id):
    pairs = (Pairing(a="a", b="b"), Pairing(a="a", b="c"))
    rounds = Rounds([PlannedRound(number=1, pairings=pairs), PlannedRound(number=2, pairings=pairs)])
    assert rounds.place(id) is None
    assert rounds.place("2.1") == 2


KINDS = {"b": (-(2**7), 2**7 - 1), "i": (-(2**31), 2**31 - 1), "q": (-(2**63), 2**63 - 1)}


@given(st.sampled_from(sorted(KINDS)), st.data())
def test_a_column_is_the_list_of_its_whole_numbers(kind, data):
    low, high = KINDS[kind]
    some = st.sampled_from([0, 1, 127, 128, 32767, 32768, low, high]).filter(lambda value: low <= value <= high)
    values = data.draw(st.lists(some | st.integers(low, high), max_size=8))
    column = PackedColumn(kind)
    for value in values:
        column.append(value)
    assert list(column) == values == [column[at] for at in range(len(column))]
    assert list(column[1:-1]) == values[1:-1]
    np.testing.assert_array_equal(column.as_array(), np.array(values, dtype=kind))
    assert column.as_array().dtype == np.dtype(kind)
    assert (column.nbytes == 0) == (len(set(values)) < 2)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_column_refuses_what_is_beyond_its_type(kind):
    column = PackedColumn(kind)
    column.append(0)
    with pytest.raises(OverflowError):
        column.append(KINDS[kind][1] + 1)
    column.append(1)
    assert list(column) == [0, 1]


@given(st.lists(st.sampled_from([0.0, 1.0, 0.1, float("nan"), float("inf")]), max_size=6))
def test_a_column_is_the_list_of_its_real_numbers(values):
    column = PackedColumn("d")
    for value in values:
        column.append(value)
    copy = column.copy()
    column.append(7.0)
    np.testing.assert_array_equal(copy.as_array(), np.array(values, dtype=np.float64))
    assert [repr(value) for value in copy] == [repr(value) for value in values]


def test_equal_values_take_nothing_and_others_what_they_need():
    column = PackedColumn("q")
    for _ in range(100):
        column.append(5)
    assert column.nbytes == 0
    column.append(6)
    assert column.nbytes == 101
    column.append(300)
    assert column.nbytes == 2 * 102
    column.append(2**40)
    assert column.nbytes == 8 * 103


def test_the_notes_of_a_round_are_packed_and_read_the_same():
    detail = {"number": 3, "granted": [], "words": "ä", "brackets": {"rest": [["a", 1.5]]}}
    event = Event(kind="round", detail=detail, at=datetime(2026, 1, 1, tzinfo=UTC))
    kept = packed(event)
    assert kept == event
    assert kept.detail == detail
    assert (kept.detail["words"], kept.detail.get("none", 7), list(kept.detail)) == ("ä", 7, list(detail))
    other = packed(Event(kind="round", detail={"number": 4}, at=event.at))
    assert (other.detail["number"], kept.detail["number"]) == (4, 3)
    told = Event(kind="stopped", detail={"reason": "x"}, at=event.at)
    assert packed(told) is told
