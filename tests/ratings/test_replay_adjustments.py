"""Adjustments between matches: by hand, within floor and ceiling, and by columns as by objects."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Adjustment, AdjustmentKind, Match, Outcome, Rating, RatingChange, RatingConfig
from paragone.ratings.adjustment_columns import AdjustmentColumns, adjust_arrays, replay_adjusted
from paragone.ratings.running_elo import adjust, replay

CONFIG = RatingConfig()
TIGHT = RatingConfig(k=200.0, floor=1150.0, ceiling=1300.0)
ITEMS = "wxyz"

matches = st.tuples(st.permutations(range(4)).map(lambda order: order[:2]), st.sampled_from([1.0, 0.5, 0.0]))
moves = st.tuples(st.integers(0, 3), st.floats(900, 1500), st.sampled_from([0.0, 0.1, 0.5, 1.0]) | st.floats(0, 1))
OUTCOMES = {1.0: Outcome.A, 0.5: Outcome.DRAW, 0.0: Outcome.B}


def adjustment(id, item, target, share=1.0):
    return Adjustment(id=id, item=item, kind=AdjustmentKind.SEED, target=target, share=share)


def test_a_seed_a_match_and_a_decay_by_hand():
    played = replay(
        [
            adjustment("seed", "x", 1600.0),
            Match(id="m", a="x", b="y", outcome=Outcome.B),
            adjustment("decay", "x", 1200.0, 0.25),
        ],
        CONFIG,
        ITEMS,
    )
    # expected 1 / (1 + 10 ** -1) = 10/11: x loses 32 * 10/11 = 29.0909, then a quarter of what it is above 1200
    assert played.ratings["x"] == Rating(
        item="x", elo=pytest.approx(1200 + 0.75 * (400 - 320 / 11)), matches=1, losses=1
    )
    assert played.ratings["y"].elo == pytest.approx(1200 + 320 / 11)
    assert [(change.match, change.item) for change in played.changes] == [
        ("seed", "x"),
        ("m", "x"),
        ("m", "y"),
        ("decay", "x"),
    ]
    assert played.changes[0] == RatingChange(item="x", match="seed", old=1200, new=1600, k=0, expected=0, score=0)


@pytest.mark.parametrize(("target", "new", "clamped"), [(2000.0, 1300, 700), (0.0, 1150, -1150), (1300.0, 1300, 0)])
def test_floor_and_ceiling_take_their_part(target, new, clamped):
    before = Rating(item="x", elo=1250.0, matches=7, wins=4, losses=2, ties=1)
    after, change = adjust(before, adjustment("a", "x", target), TIGHT)
    assert after == Rating(item="x", elo=new, matches=7, wins=4, losses=2, ties=1)
    assert (change.old, change.new, change.clamped) == (1250, new, clamped)


def test_no_share_is_no_move_and_still_a_change():
    after, change = adjust(Rating(item="x", elo=1234.5), adjustment("a", "x", 1900.0, 0.0), CONFIG)
    assert (after.elo, change.change) == (1234.5, 0.0)


def test_an_item_that_nobody_named_before_is_adjusted_from_the_initial_rating():
    played = replay([adjustment("a", "new", 1300.0, 0.5)], CONFIG)
    assert played.ratings == {"new": Rating(item="new", elo=1250.0)}


@given(st.lists(st.one_of(matches, moves), max_size=25), st.sampled_from([CONFIG, TIGHT]))
def test_columns_give_the_ratings_of_a_replay_to_the_last_bit(history, config):
    entries, rows, shifts = [], [], []
    for number, entry in enumerate(history):
        if len(entry) == 2:
            (a, b), score = entry
            entries.append(Match(id=f"m{number}", a=ITEMS[a], b=ITEMS[b], outcome=OUTCOMES[score], confidence=0.7))
            rows.append((a, b, score, 0.7))
        else:
            item, target, share = entry
            entries.append(adjustment(f"m{number}", ITEMS[item], target, share))
            shifts.append((item, target, share, len(rows)))
    item, target, share, before = (
        (np.array(column) for column in zip(*shifts, strict=True)) if shifts else [np.zeros(0)] * 4
    )
    columns = AdjustmentColumns(item=item.astype(np.int64), target=target, share=share, before=before.astype(np.int64))
    a, b, score, weight = (np.array(column) for column in zip(*rows, strict=True)) if rows else [np.zeros(0)] * 4
    found = replay_adjusted(a.astype(np.int64), b.astype(np.int64), score, weight, 4, config, columns)
    played = replay(entries, config, ITEMS)
    assert found.tolist() == [played.ratings[id].elo for id in ITEMS]
    assert [place for place, _ in columns.between()] == sorted({place for *_, place in shifts})


def test_what_adjustments_of_columns_came_to_is_noted():
    moved = AdjustmentColumns(
        item=np.array([1, 1, 0]),
        target=np.array([1280.0, 1400.0, 1200.0]),
        share=np.array([0.5, 1.0, 1.0]),
        before=np.zeros(3, np.int64),
    )
    ratings = np.array([1250.0, 1200.0])
    assert adjust_arrays(ratings, moved, TIGHT).T.tolist() == [[1200, 1240, 0], [1240, 1300, 100], [1250, 1200, 0]]
    assert ratings.tolist() == [1200.0, 1300.0]
