"""Forgetting, against the worked numbers of document M."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import UsageConfig
from paragone.ratings.activation import SECONDS_A_DAY, decayed, retention, true_half_life

DEFAULTS = UsageConfig()
elos = st.floats(100.0, 4000.0)
times = st.floats(0.0, 4e9)


def test_1600_after_thirty_days_reads_1094_30() -> None:
    assert decayed(1600.0, 0.0, 30 * SECONDS_A_DAY, DEFAULTS) == pytest.approx(800.0 + 800.0 / math.e, abs=1e-12)
    assert f"{decayed(1600.0, 0.0, 30 * SECONDS_A_DAY, DEFAULTS):.2f}" == "1094.30"


def test_half_of_the_height_is_gone_after_the_true_half_life() -> None:
    days = true_half_life(30.0)
    assert days == pytest.approx(20.794, abs=5e-4)
    assert retention(days, 30.0) == pytest.approx(0.5)
    assert decayed(1200.0, 0.0, days * SECONDS_A_DAY, DEFAULTS) == pytest.approx(1000.0)


@pytest.mark.parametrize("elo", [800.0, 799.9, 100.0])
def test_a_rating_at_the_base_or_below_stays(elo: float) -> None:
    assert decayed(elo, 0.0, 1e9, DEFAULTS) == elo


def test_what_was_never_used_stays() -> None:
    assert decayed(1600.0, None, 1e9, DEFAULTS) == 1600.0


@given(elo=elos, last=times, as_of=times)
def test_it_only_lowers_and_approaches_the_base_from_above(elo: float, last: float, as_of: float) -> None:
    shown = decayed(elo, last, as_of, DEFAULTS)
    assert min(elo, 800.0) <= shown <= elo
    if as_of <= last:
        assert shown == pytest.approx(elo)


@given(elo=elos, last=times, days=st.floats(0, 300), more=st.floats(0, 300))
def test_it_is_read_from_the_rating_and_the_time_alone(elo: float, last: float, days: float, more: float) -> None:
    """Twice a while is once the whole while: decay that is computed on read can be computed as often as one likes."""
    first = decayed(elo, last, last + days * SECONDS_A_DAY, DEFAULTS)
    then = decayed(first, last, last + more * SECONDS_A_DAY, DEFAULTS)
    assert then == pytest.approx(decayed(elo, last, last + (days + more) * SECONDS_A_DAY, DEFAULTS), abs=1e-6)
