"""What tests without an opponent are worth: the document's numbers, and the cliffs between them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Rating, RatingConfig, RedTeamResult, VerificationResult
from paragone.ratings.elo_rule import assess, gain

CONFIG = RatingConfig(initial=1500, k=32)


def redteam(robustness, successful=3, total=20, critical=0, domain=""):
    return RedTeamResult(
        id="t", item="a", robustness=robustness, successful=successful, total=total, critical=critical, domain=domain
    )


def verification(verified, disproven=0, k=16.0):
    return VerificationResult(id="t", item="a", verified=verified, disproven=disproven, k=k)


@pytest.mark.parametrize(
    ("test", "due"),
    [
        (redteam(0.85), 8.16),
        (redteam(0.8), 7.68),
        (redteam(1.0, 0, 20), 9.6),
        (redteam(0.799), 0.0),
        (redteam(0.5), 0.0),
        (redteam(0.4, 10, 20, 2), -12.0),  # half of 16, and two critical ones at 2
        (redteam(0.49, 0, 0, 0), 0.0),
        (redteam(0.0, 0, 0, 3), -6.0),  # no attacks: a rate of 0
        (redteam(0.0, 20, 20, 7), -30.0),
        (redteam(0.0, 20, 20, 700), -30.0),
        (verification(5, 1), 32.0),
        (verification(1, 5), -32.0),
        (verification(3, k=32.0), 48.0),
        (verification(0), 0.0),
        (verification(3, k=0.0), 0.0),
    ],
)
def test_what_a_test_is_worth(test, due):
    assert gain(test, CONFIG) == pytest.approx(due, abs=1e-12)


def test_a_red_team_depends_on_k_and_a_verification_does_not():
    doubled = RatingConfig(initial=1500, k=64)
    assert gain(redteam(0.85), doubled) == pytest.approx(16.32)
    assert gain(redteam(0.4, 10, 20), doubled) == pytest.approx(-16.0)
    assert gain(verification(5, 1), doubled) == 32.0


@given(st.floats(0, 1), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_a_red_team_is_worth_no_more_and_no_less_than_its_bounds(robustness, successful, failed, critical):
    test = redteam(robustness, successful, successful + failed, critical)
    assert -30.0 <= gain(test, CONFIG) <= 9.6
    assert (gain(test, CONFIG) > 0) == (robustness >= 0.8)


@pytest.mark.parametrize(
    "make", [lambda: redteam(0.9, domain="global"), lambda: replace(verification(1), domain="global")]
)
def test_no_domain_is_called_like_the_track_of_all_matches(make):
    with pytest.raises(ValueError, match="cannot be called 'global'"):
        make()


def test_both_ratings_move_and_count_no_match():
    ratings = Rating(item="a", elo=1600, matches=3, wins=3), Rating(item="a", elo=1550, track="law")
    after, made = assess(ratings, redteam(0.85, domain="law"), CONFIG)
    assert [(rating.elo, rating.matches, rating.track) for rating in after] == [
        (pytest.approx(1608.16), 3, "global"),
        (pytest.approx(1558.16), 0, "law"),
    ]
    assert [(change.match, change.track, change.k, change.score) for change in made] == [
        ("t", "global", 0.0, 0.0),
        ("t", "law", 0.0, 0.0),
    ]


def test_the_change_is_what_the_floor_leaves_of_it():
    config = RatingConfig(initial=1500, k=32, floor=100)
    (after,), (change,) = assess([Rating(item="a", elo=110)], verification(0, 5), config)
    assert (after.elo, change.change, change.clamped) == (100, -10, -30)
