"""Where ratings go, with moves worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.progress.rating_trends import (
    RatingTrend,
    TrendDirection,
    emerging,
    last_matches,
    progression,
    trends,
)
from paragone.domain import BoardRow, Match, Outcome, RatingChange


def change(item, match, old, new, *, k=32.0, expected=0.5, score=1.0):
    return RatingChange(item=item, match=match, old=old, new=new, k=k, expected=expected, score=score)


def moves(match, winner, loser, by=16.0, before=(1200.0, 1200.0)):
    return [
        change(winner, match, before[0], before[0] + by),
        change(loser, match, before[1], before[1] - by, score=0.0),
    ]


def test_the_rating_after_each_round():
    changes = [*moves("1.1", "a", "b"), *moves("3.1", "a", "c", before=(1216.0, 1200.0))]
    found = progression("abc", changes, {"1.1": 1, "3.1": 3}, initial=1200.0)
    assert found.rounds == (0, 1, 2, 3)
    assert found.elo.tolist() == [
        [1200.0, 1200.0, 1200.0],
        [1216.0, 1184.0, 1200.0],
        [1216.0, 1184.0, 1200.0],
        [1232.0, 1184.0, 1184.0],
    ]
    assert found.moves[[0, 2]].tolist() == [16.0, 16.0]
    assert math.isnan(found.moves[1])


def test_nobody_has_a_rating_before_joining():
    found = progression("ab", moves("2.1", "a", "b"), {"2.1": 2}, initial=1200.0, entered={"b": 2})
    assert np.isnan(found.elo[:2, 1]).all()
    assert found.elo[2].tolist() == [1216.0, 1184.0]


def test_a_seed_moves_a_rating_and_is_no_move_of_a_match():
    seed = change("a", "seed:a", 1200.0, 1300.0, k=0.0)
    found = progression("ab", [seed, *moves("1.1", "a", "b", before=(1300.0, 1200.0))], {"1.1": 1}, initial=1200.0)
    assert found.elo[1].tolist() == [1316.0, 1184.0]
    assert found.moves.tolist() == [16.0]


def test_what_undoes_a_match_counts_with_the_round_it_was_recorded_in():
    undone = [change("a", "1.1", 1216.0, 1200.0, k=0.0), change("b", "1.1", 1184.0, 1200.0, k=0.0)]
    changes = [*moves("1.1", "a", "b"), *moves("2.1", "c", "d"), *undone]
    found = progression("abcd", changes, {"1.1": 1, "2.1": 2}, initial=1200.0)
    assert found.elo[1].tolist() == [1216.0, 1184.0, 1200.0, 1200.0]
    assert found.elo[2].tolist() == [1200.0, 1200.0, 1216.0, 1184.0]
    assert found.moves.tolist() == [16.0, 16.0]


def test_without_matches_there_is_only_the_beginning():
    found = progression("ab", [], {}, initial=1500.0)
    assert (found.rounds, found.elo.tolist(), found.moves.size) == ((0,), [[1500.0, 1500.0]], 0)


@given(st.lists(st.tuples(st.integers(1, 6), st.floats(-30, 30)), max_size=40))
def test_the_last_line_is_where_the_ratings_are(said):
    """Rounds come in order, as the ledger has them."""
    at, changes, round_of = 1200.0, [], {}
    for number, (round_number, by) in enumerate(sorted(said, key=lambda one: one[0])):
        changes.append(change("a", str(number), at, at + by))
        round_of[str(number)] = round_number
        at += by
    found = progression("a", changes, round_of, initial=1200.0)
    assert found.elo[-1, 0] == at
    assert len(found.rounds) == max(round_of.values(), default=0) + 1


def test_five_wins_of_five_equal_matches_are_more_than_chance_and_three_of_five_are_not():
    """Five even matches at K 32: standard deviation 32 sqrt(5 / 4) = 35.8; five wins bring 80 points, 2.2 of that."""
    won = [change("a", str(n), 1200.0, 1216.0) for n in range(5)]
    mixed = [change("b", str(n), 1200.0, 1216.0 if n < 3 else 1184.0, score=float(n < 3)) for n in range(5)]
    known = trends("abc", [*won, *mixed], map(str, range(5)))
    assert known["a"].noise == pytest.approx(32 * math.sqrt(1.25))
    assert (known["a"].change, known["a"].direction) == (80.0, TrendDirection.RISING)
    assert (known["b"].change, known["b"].direction) == (16.0, TrendDirection.STEADY)
    assert known["b"].form == (1.0, 1.0, 1.0, 0.0, 0.0)
    assert known["c"] == RatingTrend(item="c")
    assert known["c"].direction is TrendDirection.STEADY


def test_only_the_last_five_matches_that_stand_are_recent():
    changes = [change("a", str(n), 1200.0, 1184.0, score=0.0) for n in range(9)]
    known = trends("a", changes, [str(n) for n in range(9) if n != 8])["a"]
    assert (known.matches, known.change, known.direction) == (8, -80.0, TrendDirection.FALLING)
    assert len(known.form) == 5


def row(id, rank, rank_low, matches):
    return BoardRow(
        id=id, rank=rank, rank_low=rank_low, rank_high=rank + 9, rating=1200.0, low=1100.0, high=1300.0, elo=1200.0,
        wins=0, losses=0, ties=0, matches=matches,
    )  # fmt: skip


def test_who_is_emerging():
    rising = {"change": 20.0}
    rows = [
        row("on top already", 1, 1, 4),
        row("emerging", 11, 3, 6),
        row("too many matches", 12, 3, 10),
        row("cannot be on top", 13, 11, 6),
        row("losing", 14, 2, 6),
        row("not played", 15, 1, 0),
        row("emerging too", 16, 10, 9),
    ]
    known = {r.id: RatingTrend(item=r.id, **({"change": -5.0} if r.id == "losing" else rising)) for r in rows}
    assert emerging(rows, known, top=10) == ("emerging", "emerging too")
    assert emerging(rows, known, top=10, most=1) == ("emerging",)
    assert emerging([], {}, top=10) == ()


def test_in_a_long_tournament_few_is_half_of_what_others_have():
    rows = [*(row(f"old {n}", n, n, 60) for n in range(1, 6)), row("newcomer", 6, 2, 25)]
    assert emerging(rows, {r.id: RatingTrend(item=r.id, change=9.0) for r in rows}, top=5) == ("newcomer",)


def test_the_last_matches_of_each_item_in_order():
    matches = [Match(id=str(n), a="a", b="bc"[n % 2], outcome=Outcome.A) for n in range(6)]
    matches.append(Match(id="void", a="a", b="b", outcome=Outcome.VOID))
    found = last_matches(matches, "abd", 2)
    assert {id: [match.id for match in form] for id, form in found.items()} == {
        "a": ["4", "5"],
        "b": ["2", "4"],
        "d": [],
    }
