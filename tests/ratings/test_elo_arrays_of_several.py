"""Columns of matches of several: the plain loop and the compiled one against ``update_many`` and ``update_ordered``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import RatingConfig
from paragone.ratings.elo import update_many, update_ordered
from paragone.ratings.elo_arrays import replay_arrays, replay_many
from paragone.ratings.loops import compiled as seam

CONFIG = RatingConfig()
WAYS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not seam.available(), reason="numba is not installed")),
]
both_ways = pytest.mark.parametrize("compiled", WAYS)


@both_ways
def test_the_three_way_example_of_document_a(compiled):
    # scores .8, .6 and .9 between equals: each takes its share of every pair
    found = replay_many([[0, 1, 2]], [[0.8, 0.6, 0.9]], [1.0], 3, CONFIG, compiled=compiled)
    shares = [0.8 / 1.4 + 0.8 / 1.7, 0.6 / 1.4 + 0.6 / 1.5, 0.9 / 1.5 + 0.9 / 1.7]
    assert found == pytest.approx([1200 + 32 * (share - 1) for share in shares], abs=1e-9)


@both_ways
def test_the_best_of_an_order_takes_all(compiled):
    found = replay_many([2, 0, 1], None, None, 3, CONFIG, offsets=[0, 3], compiled=compiled)
    assert found == pytest.approx([1200, 1168, 1232], abs=1e-9)


@st.composite
def seasons(draw):
    items = draw(st.integers(2, 7))
    sizes = draw(st.lists(st.integers(2, items), min_size=1, max_size=8))
    entrants = [draw(st.permutations(range(items)))[:size] for size in sizes]
    scores = [draw(st.lists(st.floats(0, 10), min_size=size, max_size=size)) for size in sizes]
    weights = [draw(st.floats(-1, 2)) for _ in sizes]
    start = draw(st.lists(st.floats(-2000, 2000) | st.floats(-200_000, 200_000), min_size=items, max_size=items))
    return start, entrants, scores, weights


@both_ways
@given(seasons(), st.booleans())
def test_it_is_a_sequence_of_updates(compiled, played, is_ordered):
    start, entrants, scores, weights = played
    config = RatingConfig(floor=-150_000, ceiling=150_000)
    ratings = list(start)
    for who, points, weight in zip(entrants, scores, weights, strict=True):
        now = [ratings[i] for i in who]
        moves = (
            update_ordered(now, config, weight=weight)
            if is_ordered
            else update_many(now, points, config, weight=weight)
        )
        for i, move in zip(who, moves, strict=True):
            ratings[i] = move.new
    offsets = np.cumsum([0, *map(len, entrants)])
    score = None if is_ordered else np.concatenate(scores)
    flat = np.concatenate(entrants)
    found = replay_many(flat, score, weights, len(start), config, offsets=offsets, start=start, compiled=compiled)
    assert found == pytest.approx(ratings, abs=1e-9)


@pytest.mark.skipif(not seam.available(), reason="numba is not installed")
@pytest.mark.parametrize(("index", "usual"), [(np.int32, True), (np.int64, False)])
def test_compiled_and_plain_agree_to_the_last_bit(index, usual, deep):
    """Orders by the one kind of index and scores by the other, both by both with --deep: each is compiled anew."""
    rng = np.random.default_rng(8)
    entrants = rng.permuted(np.tile(np.arange(60), (500, 1)), axis=1)[:, :8].astype(index)
    for ordered in (False, True) if deep else (usual,):
        score, weight = (None if ordered else rng.integers(0, 4, (500, 8))), rng.uniform(0, 1.2, 500)
        found = [replay_many(entrants, score, weight, 60, CONFIG, compiled=way) for way in (False, True)]
        assert found[0].tolist() == found[1].tolist()
        assert found[0].mean() == pytest.approx(1200)


@both_ways
def test_a_crowd_of_two_is_a_match_of_two(compiled):
    rng = np.random.default_rng(2)
    a = rng.integers(0, 30, 800)
    b = (a + rng.integers(1, 30, 800)) % 30
    score = rng.choice([0.0, 0.5, 1.0], 800)
    pairs = np.column_stack([a, b])
    many = replay_many(pairs, np.column_stack([score, 1 - score]), None, 30, CONFIG, compiled=compiled)
    assert many == pytest.approx(replay_arrays(a, b, score, None, 30, CONFIG, compiled=compiled), abs=1e-9)


@both_ways
def test_no_match_moves_nobody(compiled):
    assert replay_many(np.empty((0, 8)), None, None, 2, CONFIG, compiled=compiled).tolist() == [1200, 1200]
    assert replay_many([], None, None, 2, CONFIG, offsets=[0], compiled=compiled).tolist() == [1200, 1200]


@both_ways
@pytest.mark.parametrize(
    ("columns", "given", "message"),
    [
        (([[0, 1], [0, 3]], None, None), {}, r"match 1 has an index outside of \[0, 3\)"),
        (([[0, 1], [-1, 2]], None, None), {}, r"match 1 has an index outside of \[0, 3\)"),
        (([[0, 1, 0]], None, None), {}, "match 0 has an item twice"),
        (([[0], [1]], None, None), {}, "match 0 has 1 entrants"),
        (([0, 1], None, None), {}, "need offsets"),
        (([0, 1, 2], None, None), {"offsets": [0, 2, 3]}, "match 1 has 1 entrants"),
        (([0, 1, 2], None, None), {"offsets": [0, 2]}, "from 0 to the 3 entrants"),
        (([[0, 1]], [[1, -1]], None), {}, "match 0 has a score"),
        (([[0, 1]], [[1, float("inf")]], None), {}, "match 0 has a score"),
        (([[0, 1]], [[1, float("nan")]], None), {}, "match 0 has a score"),
        (([[0, 1]], [1, 1], None), {}, "differ in shape"),
        (([[0, 1]], None, [1, 1]), {}, "1 matches need as many weights"),
        (([[0, 1]], None, [float("nan")]), {}, "match 0 has a weight"),
        (([[0, 1]], None, None), {"start": [1]}, "3 finite ratings"),
    ],
)
def test_crowds_that_cannot_be_are_refused(columns, given, message, compiled):
    with pytest.raises(ValueError, match=message):
        replay_many(*columns, 3, CONFIG, **given, compiled=compiled)
