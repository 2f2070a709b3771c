"""Tiers, and what follows from them: debate or not, how long, and who pays."""

import numpy as np
import pytest

from paragone.domain import Pairing, PolicyConfig, Tier, TournamentConfig, TournamentSystemConfig
from paragone.tournaments.planning.tiers import are_debates, level_of, match_tier, tier_of, turns_of

SYSTEM = TournamentSystemConfig()


@pytest.mark.parametrize(
    ("rating", "tier"),
    [
        (2000, Tier.ELITE),
        (1600, Tier.ELITE),
        (1599.9, Tier.STRONG),
        (1400, Tier.STRONG),
        (1399.9, Tier.AVERAGE),
        (1100, Tier.AVERAGE),
        (1099.9, Tier.DEVELOPING),
        (500, Tier.DEVELOPING),
    ],
)
def test_lower_bounds_belong_to_the_tier(rating, tier):
    assert tier_of(rating, 5, SYSTEM) is level_of(rating, SYSTEM.policy) is tier


@pytest.mark.parametrize("rating", [900, 1200, 1700])
def test_an_item_with_few_matches_is_new_whatever_its_rating(rating):
    assert tier_of(rating, 4, SYSTEM) is Tier.NEW
    assert tier_of(rating, 5, SYSTEM) is not Tier.NEW


@pytest.mark.parametrize(
    ("a", "b", "turns"),
    [
        (1650, 1620, 5),  # document R, "Elite Tier Match": a 5-turn scientific debate
        (1650, 1500, 4),  # by the lower tier
        (1650, 1000, 3),  # mandatory where either is Elite
        (1600, 1400, 4),  # Elite begins at 1600
        (1599, 1401, 4),
        (1401, 1400, 0),  # both must be above 1400
        (1550, 1399, 0),
        (1200, 1200, 0),
    ],
)
def test_who_debates_and_for_how_long(a, b, turns):
    assert turns_of(a, b, SYSTEM) == turns_of(b, a, SYSTEM) == turns


def test_turns_are_configured_by_tier():
    system = TournamentSystemConfig(policy=PolicyConfig(debate_rounds={Tier.ELITE: 3, Tier.STRONG: 5}))
    assert (turns_of(1650, 1620, system), turns_of(1650, 1500, system)) == (3, 5)


@pytest.mark.parametrize("threshold", [1400.0, 1650.0])
def test_of_many_pairs_it_is_known_at_once_who_debates(threshold):
    system = TournamentSystemConfig(tournament_parameters=TournamentConfig(multi_turn_threshold=threshold))
    ratings = [900.0, 1099.9, 1100.0, 1399.9, 1400.0, 1400.1, 1599.9, 1600.0, 1700.0]
    a, b = (side.ravel() for side in np.meshgrid(ratings, ratings))
    expected = [turns_of(one, other, system) > 0 for one, other in zip(a.tolist(), b.tolist(), strict=True)]
    assert are_debates(a, b, system).tolist() == expected


def test_the_higher_of_the_two_pays():
    assert match_tier(1650, 1000, SYSTEM.policy) is Tier.ELITE
    assert match_tier(1000, 1450, SYSTEM.policy) is Tier.STRONG
    assert match_tier(1000, 1099, SYSTEM.policy) is Tier.DEVELOPING


def test_an_elite_debate_takes_eleven_units():
    assert Pairing(a="a", b="b", turns=turns_of(1650, 1620, SYSTEM)).units == 11
