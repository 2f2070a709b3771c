"""Moves that no contest made: within floor and ceiling, and no match."""

import pytest

from paragone.domain import Rating, RatingConfig
from paragone.ratings.elo_rule import move_rating

CONFIG = RatingConfig(initial=1500.0, k=32.0, floor=100.0, ceiling=4000.0)


@pytest.mark.parametrize(
    ("intended", "new", "clamped"), [(1510.0, 1510.0, 0.0), (40.0, 100.0, -60.0), (4025.0, 4000.0, 25.0)]
)
def test_a_move_ends_at_floor_and_ceiling_and_says_what_they_took(intended, new, clamped):
    before = Rating(item="a", elo=1500.0, matches=3, wins=2, losses=1, track="law")
    after, change = move_rating(before, "t1", intended, CONFIG)
    assert (after.elo, after.matches, after.wins, after.losses, after.track) == (new, 3, 2, 1, "law")
    assert (change.item, change.match, change.track) == ("a", "t1", "law")
    assert (change.old, change.new, change.clamped) == (1500.0, new, clamped)
    assert (change.k, change.expected, change.score) == (0.0, 0.0, 0.0)
