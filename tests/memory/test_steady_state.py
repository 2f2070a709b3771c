"""Where patterns of use lead: fixed points by hand, and what has none."""

import math

import pytest

from paragone.domain.content import UsageConfig
from paragone.memory.doctor import steady_states
from paragone.ratings.elo import expected_score

DEFAULT = UsageConfig()


def states(config=DEFAULT, mean=1200.0):
    return {(one.zero_sum, one.fold_decay, one.way, one.every): one for one in steady_states(config, mean)}


def test_folded_decay_ends_where_a_use_gives_back_what_was_forgotten():
    for every in (1.0, 7.0):
        one = states()[True, True, "read", every]
        lost = (one.high - 800.0) * (1.0 - math.exp(-every / 30.0))
        given = 8.0 * (1.0 - expected_score(one.low, 1200.0))

        assert one.low == pytest.approx(one.high - lost)
        assert given == pytest.approx(lost, abs=0.01)
        assert one.rise == pytest.approx(0.0, abs=0.01)


def test_without_folding_a_daily_read_rises_without_end():
    one = states()[True, False, "read", 1.0]

    assert one.high > 1600.0
    assert one.rise > 10.0
    assert one.low == pytest.approx(800.0 + (one.high - 800.0) * math.exp(-1 / 30))


def test_the_literal_boosts_reach_the_ceiling():
    assert states()[False, False, "searched", 1.0].high == 4000.0
    assert states(UsageConfig(ceiling=2000.0))[False, False, "searched", 1.0].high == 2000.0


def test_the_chosen_constants_are_marked_and_all_combinations_are_there():
    found = steady_states(UsageConfig(fold_decay=True), 1200.0)

    assert len(found) == 2 * 2 * 2 * 3
    assert {(one.zero_sum, one.fold_decay) for one in found if one.chosen} == {(True, True)}
