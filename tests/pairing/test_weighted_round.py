"""The matches of a round: against a plain twin that looks at all pairs, and its invariants."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.pairing.weighted_round import ANYBODY, Offers, RoundPart, choose, most_each


def offers_of(items, worth, meetings=None, foregone=None):
    """All pairs of some items, with what each is worth by (a, b)."""
    pairs = list(itertools.combinations(range(items), 2))
    a, b = np.array(pairs).T
    met = np.array([0 if meetings is None else meetings.get(pair, 0) for pair in pairs])
    certain = np.array([foregone is not None and pair in foregone for pair in pairs])
    values = np.array([worth[pair] for pair in pairs], dtype=np.float64)
    return Offers.of(a, b, worth=values, meetings=met, foregone=certain, luck=np.linspace(0, 1, a.size))


def everything(items, value=1.0):
    return {pair: value - 0.001 * sum(pair) for pair in itertools.combinations(range(items), 2)}


def plain(items, size, worth, met):
    """The same choice, by looking at all pairs again for each match; every item plays once, nobody is rearranged."""
    chosen = []
    for redundant in (False, True):
        while len(chosen) < size:
            free = set(range(items)) - {item for pair in chosen for item in pair}
            left = [pair for pair in itertools.combinations(sorted(free), 2) if (met.get(pair, 0) > 0) == redundant]
            if not left:
                break
            chosen.append(min(left, key=lambda pair: (met.get(pair, 0), -worth[pair])))
    return chosen


@given(st.integers(12, 24), st.integers(0, 2**32 - 1))
def test_chooses_what_the_plain_one_does(items, seed):
    rng = np.random.default_rng(seed)
    worth = {pair: float(rng.random()) for pair in itertools.combinations(range(items), 2)}
    met = {pair: int(rng.integers(0, 3)) for pair in worth if rng.random() < 0.3}
    size = items // 4  # few enough that nobody has to be rearranged
    found = choose(offers_of(items, worth, met), items=items, size=size)
    assert list(found.pairs) == plain(items, size, worth, met)


@given(st.integers(2, 14), st.integers(1, 25), st.integers(0, 2**32 - 1))
def test_no_redundant_match_where_a_better_one_could_be_played_instead(items, size, seed):
    rng = np.random.default_rng(seed)
    worth = everything(items)
    met = {pair: 1 for pair in worth if rng.random() < rng.random()}
    found = choose(offers_of(items, worth, met), items=items, size=size)
    used, most = Counter(item for pair in found.pairs for item in pair), most_each(items, size)
    assert len(set(found.pairs)) == len(found.pairs) <= size
    assert max(used.values(), default=0) <= most
    fresh = [pair for pair in worth if pair not in met and pair not in found.pairs]
    for a, b in (pair for pair in found.pairs if pair in met):
        spare = {item for item in range(items) if used[item] - (item in (a, b)) < most}
        assert not [pair for pair in fresh if set(pair) <= spare]


def test_pairs_are_rearranged_rather_than_played_again():
    # 0-1 is worth most, but then 2 and 3 could only meet again; 0-2 and 1-3 are both new
    worth = {**everything(4, 0.5), (0, 1): 1.0}
    found = choose(offers_of(4, worth, {(2, 3): 1}), items=4, size=2)
    assert not {(0, 1), (2, 3)} & set(found.pairs)
    assert sorted(item for pair in found.pairs for item in pair) == [0, 1, 2, 3]


def test_nobody_meets_again_as_long_as_another_round_is_possible():
    met = Counter()
    for _ in range(4):  # whom eight have not met in three rounds, they can all meet in a fourth, by Dirac's theorem
        for pair in choose(offers_of(8, everything(8), met), items=8, size=4).pairs:
            met[pair] += 1
    assert sorted(met.values()) == [1] * 16


def test_what_is_foregone_comes_after_what_was_played_before():
    worth = {(0, 1): 1.0, (0, 2): 0.9, (1, 2): 0.8}
    found = choose(offers_of(3, worth, {(0, 2): 4}, foregone={(0, 1), (1, 2)}), items=3, size=1)
    assert found.pairs == ((0, 2),)


@pytest.mark.parametrize(("items", "size", "most"), [(100, 50, 1), (99, 50, 2), (30, 50, 3), (2, 50, 3), (10, 1, 1)])
def test_each_plays_once_where_there_are_enough(items, size, most):
    assert most_each(items, size) == most


def test_two_items_play_one_match_a_round():
    assert choose(offers_of(2, everything(2)), items=2, size=50).pairs == ((0, 1),)


def test_wishes_come_first_even_where_they_are_redundant():
    worth = everything(8)
    found = choose(offers_of(8, worth, {(6, 7): 3}), items=8, size=2, wishes=[(7, 6), (5, ANYBODY)])
    assert found.pairs[0] == (6, 7)
    assert found.granted[0] == (6, 7)
    assert 5 in found.granted[1]
    assert found.pairs[1] == found.granted[1]


def test_a_wish_without_room_waits():
    found = choose(offers_of(8, everything(8)), items=8, size=2, wishes=[(0, 1), (0, 2), (2, 3), (4, 5)])
    assert found.granted == ((0, 1), None, (2, 3), None)


def test_the_same_match_grants_two_wishes():
    found = choose(offers_of(8, everything(8)), items=8, size=3, wishes=[(0, 1), (1, 0)])
    assert found.granted == ((0, 1), (0, 1))
    assert len(found.pairs) == 3


def test_each_part_gets_what_is_kept_for_it():
    members = np.isin(np.arange(40), [38, 39])  # worth least of all
    worth = everything(40)
    without = choose(offers_of(40, worth), items=40, size=10)
    found = choose(offers_of(40, worth), items=40, size=10, parts=[RoundPart(matches=2, members=members)])
    assert not {38, 39} & {item for pair in without.pairs for item in pair}
    assert {38, 39} <= {item for pair in found.pairs for item in pair}
