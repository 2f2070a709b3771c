"""Goals and rating configurations refuse what cannot be."""

import pytest

from paragone.domain import Aim, Goal, RatingConfig
from paragone.errors import InvalidConfig


@pytest.mark.parametrize(
    "wrong",
    [{"k": 3}, {"aim": Aim.TOP}, {"aim": Aim.TOP, "k": 0}, {"confidence": 0.0}, {"confidence": 1.0}],
)
def test_goals(wrong):
    with pytest.raises(InvalidConfig):
        Goal(**wrong)


@pytest.mark.parametrize("wrong", [{"k": 0.0}, {"initial": 50.0}, {"ceiling": 1000.0}, {"k": float("nan")}])
def test_rating_configurations(wrong):
    with pytest.raises(InvalidConfig, match=next(iter(wrong))):
        RatingConfig(**wrong)


def test_an_initial_rating_that_ratings_may_not_have_is_named_with_their_bounds():
    with pytest.raises(InvalidConfig, match=r"initial rating 9000 lies outside .* floor 100 to ceiling 4000"):
        RatingConfig(initial=9000)


def test_the_defaults_are_those_of_tournament_pools():
    config = RatingConfig()
    assert (config.initial, config.k, config.floor, config.ceiling) == (1200, 32, 100, 4000)
