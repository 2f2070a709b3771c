"""Ratings of those who do not play go back towards where they began."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from paragone.domain import PolicyConfig, Rating, TournamentSystemConfig
from paragone.tournaments.running.maintenance import decay_adjustments

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
MONTHLY = TournamentSystemConfig(policy=PolicyConfig(decay_days=30))
RATINGS = {
    "idle": Rating(item="idle", elo=1600.0, matches=9),
    "low": Rating(item="low", elo=1000.0, matches=9),
    "busy": Rating(item="busy", elo=1500.0, matches=9),
    "new": Rating(item="new", elo=1200.0),
}


def since(**days):
    return {id: START - timedelta(days=days.get(id, 30)) for id in RATINGS}


def test_it_is_off_unless_asked_for():
    assert decay_adjustments(RATINGS, since(), START, TournamentSystemConfig()) == ()


def test_a_month_leaves_one_part_in_e_of_the_distance():
    idle, low = decay_adjustments(RATINGS, since(busy=0.4), START, MONTHLY)
    assert (idle.item, low.item) == ("idle", "low")  # busy played on the same day, new has no rating to lose
    assert idle.moved(1600.0) == pytest.approx(1200 + 400 / math.e)
    assert low.moved(1000.0) == pytest.approx(1200 - 200 / math.e)
    assert idle.reason == "inactive for 30 days"


def test_days_made_up_for_come_to_the_same_as_day_by_day():
    (at_once,) = decay_adjustments({"idle": RATINGS["idle"]}, since(idle=10), START, MONTHLY)
    rating, last = 1600.0, START - timedelta(days=10)
    for day, hour in enumerate((5, 11, -9, 0, 3, -12, 11, 2, 1, 0), start=1):
        now = START - timedelta(days=10 - day, hours=hour)
        for step in decay_adjustments(
            {"idle": Rating(item="idle", elo=rating, matches=9)}, {"idle": last}, now, MONTHLY
        ):
            rating, last = step.moved(rating), now
    assert rating == pytest.approx(at_once.moved(1600.0))


def test_asked_for_again_on_the_same_day_it_is_the_same():
    first, later = (decay_adjustments(RATINGS, since(), START + timedelta(hours=hours), MONTHLY) for hours in (0, 5))
    assert first == later
    assert first[0].id == "decay:idle:2026-03-01"
