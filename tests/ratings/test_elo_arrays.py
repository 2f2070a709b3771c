"""Columns of matches: the plain loop and the compiled one against the replay of objects, match by match."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Match, Outcome, RatingConfig
from paragone.ratings.elo import update
from paragone.ratings.elo_arrays import replay_arrays, replay_rows
from paragone.ratings.loops import compiled as seam
from paragone.ratings.running_elo import replay

CONFIG = RatingConfig()
TIGHT = RatingConfig(k=400, floor=1100, ceiling=1300)
WAYS = [
    False,
    pytest.param(True, marks=pytest.mark.skipif(not seam.available(), reason="numba is not installed")),
]
both_ways = pytest.mark.parametrize("compiled", WAYS)


def season(count, items, seed=3):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, items, count)
    b = (a + rng.integers(1, items, count)) % items
    return a, b, rng.choice([0.0, 0.5, 1.0], count), rng


@cache
def replayed(config, weights):
    """Columns of a season, and the plain replay of its matches."""
    a, b, score, rng = season(1000, 40)
    weight = rng.uniform(-0.2, 1.4, 1000) if weights else np.ones(1000)
    outcome = {0.0: Outcome.B, 0.5: Outcome.DRAW, 1.0: Outcome.A}
    matches = [
        Match(id=f"m{number}", a=str(i), b=str(j), outcome=outcome[s], confidence=w)
        for number, (i, j, s, w) in enumerate(zip(a.tolist(), b.tolist(), score.tolist(), weight.tolist(), strict=True))
    ]
    return (a, b, score, weight), replay(matches, config, map(str, range(40)))


@both_ways
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("config", [CONFIG, TIGHT])
def test_columns_give_the_ratings_of_a_replay_to_the_last_bit(config, weights, compiled):
    (a, b, score, weight), played = replayed(config, weights)
    found = replay_rows(a, b, score, weight if weights else None, 40, config, compiled=compiled)
    assert found.ratings.tolist() == [played.ratings[str(i)].elo for i in range(40)]
    assert found.old_a.tolist() == [change.old for change in played.changes[0::2]]
    assert found.new_a.tolist() == [change.new for change in played.changes[0::2]]
    assert found.old_b.tolist() == [change.old for change in played.changes[1::2]]
    assert found.new_b.tolist() == [change.new for change in played.changes[1::2]]
    assert found.expected.tolist() == [change.expected for change in played.changes[0::2]]


@st.composite
def seasons(draw):
    items = draw(st.integers(2, 5))
    number = st.integers(0, items - 1)
    pair = st.tuples(number, number).filter(lambda two: two[0] != two[1])
    match = st.tuples(pair, st.floats(0, 1), st.floats(-1, 2), st.floats(0, 500), st.floats(-900, 900))
    start = draw(st.lists(st.floats(-9000, 9000), min_size=items, max_size=items))
    return start, draw(st.lists(match, min_size=1, max_size=30))


@both_ways
@given(seasons())
def test_k_weight_and_advantage_of_each_match_are_those_of_an_update(compiled, played):
    start, matches = played
    config = RatingConfig(floor=-8000, ceiling=8000)
    ratings = list(start)
    for (i, j), score, weight, k, advantage in matches:
        moves = update((ratings[i], ratings[j]), score, config, weight=weight, k=(k, k), advantage=advantage)
        ratings[i], ratings[j] = moves[0].new, moves[1].new
    pairs, score, weight, k, advantage = zip(*matches, strict=True)
    a, b = zip(*pairs, strict=True)
    found = replay_arrays(
        a, b, score, weight, len(start), config, start=start, k=k, advantage=advantage, compiled=compiled
    )
    assert found.tolist() == ratings


@pytest.mark.skipif(not seam.available(), reason="numba is not installed")
@pytest.mark.parametrize(("index", "usual"), [(np.int32, np.float32), (np.int64, np.float64), (np.uint8, np.float64)])
def test_any_kind_of_column_gives_the_same(index, usual, deep):
    """Each kind of index beside one kind of score, and beside both with --deep: for each two numba compiles anew."""
    a, b, _, rng = season(20_000, 200)
    scores = rng.random(20_000)
    for number in (np.float32, np.float64) if deep else (usual,):
        share = scores.astype(number)
        plain = replay_arrays(a, b, share, None, 200, CONFIG, compiled=False)
        found = replay_arrays(a.astype(index), b.astype(index), share, None, 200, CONFIG, compiled=True)
        apart = replay_arrays(np.repeat(a, 2)[::2], b.astype(index), share, None, 200, CONFIG, compiled=True)
        assert found.tolist() == plain.tolist() == apart.tolist()


@both_ways
def test_columns_can_go_on_from_where_they_stood(compiled):
    a, b, score = [0, 1, 2, 0], [1, 2, 0, 2], [1, 0.5, 0.25, 0]
    whole = replay_arrays(a, b, score, None, 3, CONFIG, compiled=compiled)
    half = replay_arrays(a[:2], b[:2], score[:2], None, 3, CONFIG, compiled=compiled)
    kept = half.copy()
    rest = replay_arrays(a[2:], b[2:], score[2:], None, 3, CONFIG, start=half, compiled=compiled)
    assert rest.tolist() == whole.tolist()
    assert half.tolist() == kept.tolist()
    assert replay_arrays([], [], [], None, 3, CONFIG, compiled=compiled).tolist() == [1200, 1200, 1200]


@both_ways
def test_rows_can_be_written_over_once_they_are_kept(compiled):
    a, b, score, _ = season(1000, 20)
    whole = replay_rows(a, b, score, None, 20, CONFIG, compiled=compiled)
    first = rows = replay_rows(a[:400], b[:400], score[:400], None, 20, CONFIG, compiled=compiled)
    kept = [first.new_b.copy()]
    for part in (slice(400, 800), slice(800, 1000)):
        columns = (a[part], b[part], score[part], None, 20, CONFIG)
        rows = replay_rows(*columns, start=rows.ratings, into=rows, compiled=compiled)
        kept.append(rows.new_b.copy())
    assert np.shares_memory(rows.old_a, first.old_a)
    assert rows.ratings.tolist() == whole.ratings.tolist()
    assert np.concatenate(kept).tolist() == whole.new_b.tolist()
    with pytest.raises(ValueError, match="rows of 200 matches have no room for 201"):
        replay_rows(a[:201], b[:201], score[:201], None, 20, CONFIG, into=rows, compiled=compiled)


@both_ways
def test_ratings_far_apart_do_not_overflow(compiled):
    config = RatingConfig(floor=-1e9, ceiling=1e9)
    far = [0.0, 1e6, 0.0, 100_000.0, 0.0]
    found = replay_rows([0, 1, 3], [1, 2, 4], [1, 0, 1], None, 5, config, start=far, compiled=compiled)
    assert found.expected[:2].tolist() == [0.0, 1.0]
    assert found.ratings[:3].tolist() == [32.0, 1e6 - 64, 32.0]
    assert found.ratings[3:].tolist() == [100_000.0, 0.0]


@both_ways
def test_evalica_agrees(compiled):
    from evalica import Winner
    from evalica import elo as evalica_elo

    # without weights: evalica's weights scale the score and not the expectation, and points get lost
    a, b, score, _ = season(500, 40, seed=5)
    winner = {0.0: Winner.Y, 0.5: Winner.Draw, 1.0: Winner.X}
    scores = evalica_elo(
        [str(i) for i in a], [str(i) for i in b], [winner[s] for s in score.tolist()], initial=1200, k=32
    ).scores
    found = replay_arrays(a, b, score, None, 40, CONFIG, compiled=compiled)
    assert found == pytest.approx([scores.get(str(i), 1200.0) for i in range(40)], abs=1e-9)


@both_ways
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0, 1], [1], [1], None), "differ in shape"),
        (([0], [1], [1], [1, 1]), "differ in shape"),
        (([[0]], [[1]], [[1]], None), "differ in shape"),
        (([0], [2], [1], None), r"match 0 .* outside of \[0, 2\)"),
        (([0, -1], [1, 1], [1, 1], None), r"match 1 .* outside of \[0, 2\)"),
        (([0, 2**62], [1, 1], [1, 1], None), r"match 1 .* outside of \[0, 2\)"),
        (([0, 1], [1, 1], [1, 1], None), "match 1 pairs an item with itself"),
        (([0.0], [1], [1], None), "whole numbers, not float64"),
        (([0], [1], [float("nan")], None), "match 0 has a score of nan"),
        (([0, 0], [1, 1], [0, 2], None), r"match 1 has a score of 2\.0"),
    ],
)
def test_columns_that_cannot_be_are_refused(columns, message, compiled):
    with pytest.raises(ValueError, match=message):
        replay_arrays(*columns, 2, CONFIG, compiled=compiled)


@both_ways
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": [32, -1]}, r"match 1 has a K of -1\.0"),
        ({"k": [float("inf"), 32]}, "match 0 has a K of inf"),
        ({"k": [32]}, "differ in shape"),
        ({"advantage": [0, float("nan")]}, "match 1 has an advantage that is not a finite number"),
        ({"weight": [float("nan"), 1]}, "match 0 has a weight"),
        ({"start": [1200.0]}, "2 finite ratings"),
        ({"start": [1200.0, float("nan")]}, "2 finite ratings"),
    ],
)
def test_what_is_known_beside_has_to_be_possible(given, message, compiled):
    everything = {"weight": [1, 1], "k": [32, 32], "advantage": [0, 0]} | given  # one machine code does for all
    with pytest.raises(ValueError, match=message):
        replay_arrays([0, 0], [1, 1], [1, 1], items=2, config=CONFIG, **everything, compiled=compiled)
