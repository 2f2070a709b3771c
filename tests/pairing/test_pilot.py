"""The pilot: what it asks, and the length of list that follows from what it measures."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.pairing.pilot import ADAPTIVE, ITEMS, LISTS, PAIRS, Noise, choose, gain, overhead_of, pilot


def sure(ratio):
    return Noise(ratio=ratio, log_error=0.0)


def test_a_pair_gains_one_and_lists_break_even_where_the_note_says():
    assert gain(2, 1.0) == pytest.approx(1.0)
    for size, ratio in ((4, 1.695), (10, 2.060)):
        harmonic = sum(1 / place for place in range(1, size + 1))
        assert ratio == pytest.approx(2 * math.sqrt(ADAPTIVE * (1 - harmonic / size)), abs=1e-3)
        assert gain(size, ratio) == pytest.approx(1.0, abs=2e-3)
        assert gain(size, 0.9 * ratio) > 1.0 > gain(size, 1.1 * ratio)


def test_a_dear_call_speaks_for_longer_lists():
    """With 3 texts' worth of prompt, ten texts cost 13 / 5 of a pair; where calls alone are counted, as much as one."""
    assert gain(10, 1.0) == pytest.approx(1.5 * 4 * (10 - 2.92897) / 10, rel=1e-5)
    assert gain(10, 1.0, overhead=3.0) == pytest.approx(1.5 * 2 * (10 - 2.92897) / (13 / 5), rel=1e-5)
    assert gain(10, 1.0, overhead=math.inf) == pytest.approx(1.5 * 2 * (10 - 2.92897), rel=1e-5)


@pytest.mark.parametrize(
    ("noises", "overhead", "chosen"),
    [
        ({}, 0.0, 2),
        ({4: sure(1.0), 10: sure(1.0)}, 0.0, 10),
        ({4: sure(4.0), 10: sure(4.0)}, 0.0, 2),
        ({4: sure(1.9), 10: sure(1.9)}, 0.0, 10),
        ({4: sure(2.3), 10: sure(2.3)}, 0.0, 2),
        ({4: sure(1.0), 10: sure(6.0)}, 0.0, 4),
        ({4: sure(2.5), 10: sure(2.5)}, math.inf, 10),
        ({3: sure(1.0)}, 0.0, 3),
    ],
)
def test_the_length_that_tells_most_is_chosen(noises, overhead, chosen):
    assert choose(noises, overhead=overhead) == chosen


def test_what_was_measured_roughly_counts_for_little():
    rough = {size: Noise(ratio=2.5, log_error=1.5) for size in (4, 10)}
    exact = {size: sure(2.5) for size in (4, 10)}
    assert (choose(rough), choose(exact)) == (10, 2)


@given(ratio=st.floats(0.3, 8.0), error=st.floats(0.0, 2.0), overhead=st.floats(0.0, 50.0))
def test_a_choice_lies_between_a_pair_and_the_longest_tried(ratio, error, overhead):
    noises = {4: Noise(ratio=ratio, log_error=error), 10: Noise(ratio=ratio, log_error=error)}
    assert 2 <= choose(noises, overhead=overhead) <= 10


def test_overhead_from_tokens():
    """A prompt of 600 tokens and texts of 200 each: a call costs three texts besides its own."""
    assert overhead_of({2: 1000.0, 4: 1400.0, 10: 2600.0}) == pytest.approx(3.0)
    assert overhead_of({2: 0.0, 10: 0.0}) == 0.0
    assert overhead_of({2: 1000.0}) == 0.0
    assert overhead_of({2: 400.0, 10: 2000.0}) == pytest.approx(0.0, abs=1e-9)
    assert overhead_of({2: 500.0, 10: 500.0}) == math.inf or overhead_of({2: 500.0, 10: 500.0}) > 1e6


def test_a_whole_pilot():
    asked = pilot(150, 3000, rng=np.random.default_rng(1))
    assert len(asked.pairs) == len(set(asked.pairs)) == PAIRS
    assert sorted(map(len, asked.lists)) == [4] * LISTS + [10] * LISTS
    assert len(asked.lists[0]) != len(asked.lists[1])  # a pilot that is cut short has both lengths
    seen = {item for group in (*asked.pairs, *asked.lists) for item in group}
    assert len(seen) == ITEMS
    assert seen == {item for pair in asked.pairs for item in pair}


@pytest.mark.parametrize(("items", "texts"), [(40, 800), (12, 240), (3, 60), (5, 10)])
def test_a_pilot_takes_a_quarter_of_a_small_budget(items, texts):
    asked = pilot(items, texts, rng=np.random.default_rng(1))
    taken = 2 * len(asked.pairs) + sum(map(len, asked.lists))
    assert taken <= max(0.25 * texts, 2 + 2 * min(items, 10))
    assert asked.pairs
    assert asked.lists
    assert all(len(set(group)) == len(group) <= items for group in (*asked.pairs, *asked.lists))


def test_two_items_need_no_pilot():
    with pytest.raises(ValueError, match="three items or more"):
        pilot(2, 100, rng=np.random.default_rng(1))
