"""A round within its compute units: shares, what flows down, what is degraded, deferred, left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import PolicyConfig, Tier
from paragone.tournaments.planning.tiers import MatchCost, allocate

SHARES = PolicyConfig().budget_shares
ELITE, STRONG, AVERAGE, DEVELOPING = Tier.ELITE, Tier.STRONG, Tier.AVERAGE, Tier.DEVELOPING


def asked(*matches):
    return [MatchCost(tier=tier, comparisons=1, turns=turns) for tier, turns in matches]


def test_without_a_budget_everything_is_played():
    found = allocate(asked((ELITE, 5), (STRONG, 4), (AVERAGE, 0)), None, SHARES)
    assert (found.turns, found.forecast, found.allowed) == ({0: 5, 1: 4, 2: 0}, 11 + 9 + 1, None)


def test_an_unused_share_flows_to_the_next_tier_down():
    found = allocate(asked(*[(AVERAGE, 0)] * 100), 100, SHARES)
    assert found.allowed == {ELITE: 40, STRONG: 70, AVERAGE: 90, DEVELOPING: pytest.approx(10)}
    assert len(found.turns) == 90  # 40 + 30 + 20; the last tenth is for Developing
    assert found.left_out == tuple(range(90, 100))


def test_the_first_matches_of_a_tier_are_the_ones_that_are_paid_for():
    found = allocate(asked((DEVELOPING, 0), (DEVELOPING, 0), (ELITE, 5)), 1, {ELITE: 0.0, DEVELOPING: 1.0, **_none()})
    assert (found.turns, found.left_out, found.deferred) == ({0: 0}, (1,), (2,))


def _none():
    return {STRONG: 0.0, AVERAGE: 0.0}


def test_an_elite_match_is_deferred_and_a_strong_one_degraded():
    # 40 of 100 units pay for three Elite debates of 11 and leave 7; 7 and 30 pay for four Strong ones of 9 and a call
    found = allocate(asked(*[(ELITE, 5)] * 4, *[(STRONG, 4)] * 7), 100, SHARES)
    assert found.deferred == (3,)
    assert found.degraded == (8,)
    assert found.left_out == (9, 10)
    assert found.spent == {ELITE: 33, STRONG: 37, AVERAGE: 0, DEVELOPING: 0}
    assert found.turns[8] == 0


def test_shares_that_do_not_add_up_to_the_last_digit_lose_no_unit():
    shares = {ELITE: 0.1, STRONG: 0.2, AVERAGE: 0.0, DEVELOPING: 0.7}
    assert len(allocate(asked(*[(STRONG, 0)] * 3), 10, shares).turns) == 3  # .1 + .2 of 10 are 3.0000000000000004


matches = st.lists(
    st.builds(
        MatchCost, tier=st.sampled_from([*SHARES]), comparisons=st.integers(1, 4), turns=st.sampled_from([0, 3, 4, 5])
    ),
    max_size=60,
)
parts = st.lists(st.integers(0, 10), min_size=4, max_size=4).filter(any)


@given(matches, st.floats(0.5, 400), parts)
def test_a_budget_is_never_exceeded(asked, budget, parts):
    shares = {tier: part / sum(parts) for tier, part in zip(SHARES, parts, strict=True)}
    found = allocate(asked, budget, shares)
    assert found.forecast <= budget + 1e-6
    assert sum(asked[at].comparisons * (2 * turns + 1) for at, turns in found.turns.items()) == found.forecast
    assert sorted([*found.turns, *found.deferred, *found.left_out]) == list(range(len(asked)))
    assert all(asked[at].tier is ELITE for at in found.deferred)
    assert all(asked[at].tier is STRONG and asked[at].turns and not found.turns[at] for at in found.degraded)
