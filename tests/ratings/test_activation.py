"""Need, against its formula and against the sum over every use."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import Content, ContentKind, ContentState, UsageConfig
from paragone.ratings.activation import SECONDS_A_DAY, need, odds

DEFAULTS = UsageConfig()
FILE = Content(kind=ContentKind.FILE, id="a.py", path="a.py")


def used(days: list[float], *, initial: float = 1200.0, config: UsageConfig = DEFAULTS) -> ContentState:
    """Content that was used on some days."""
    times = sorted(day * SECONDS_A_DAY for day in days)
    return ContentState(
        content=FILE,
        elo=initial,
        initial=initial,
        uses=len(times),
        first_use=times[0] if times else None,
        last_use=times[-1] if times else None,
        recent=tuple(times[-config.need_recent :]),
    )


@pytest.mark.parametrize("initial", [1600.0, 1200.0, 800.0])
def test_what_nobody_has_used_needs_what_it_began_at(initial: float) -> None:
    assert need(used([], initial=initial), 1e9, DEFAULTS) == pytest.approx(initial, abs=1e-9)


def test_two_uses_worked_by_hand() -> None:
    """Uses 1 and 4 days ago: 1^-0.6 + 4^-0.6 = 1.43528; a prior of odds 1 makes that 400 log10 2.43528 above 1200."""
    state = used([6.0, 9.0])
    assert odds(state, 10 * SECONDS_A_DAY, DEFAULTS) == pytest.approx(1.435275281648062, abs=1e-12)
    assert need(state, 10 * SECONDS_A_DAY, DEFAULTS) == pytest.approx(
        1200.0 + 400.0 * math.log10(2.435275281648062), abs=1e-9
    )


def test_a_use_this_instant_counts_as_one_a_minute_ago() -> None:
    assert odds(used([3.0]), 3 * SECONDS_A_DAY, DEFAULTS) == pytest.approx(1440.0**0.6)


@given(days=st.lists(st.floats(0, 300), min_size=1, max_size=40), since=st.floats(0.01, 100))
def test_near_the_sum_over_all_uses_and_equal_where_all_are_remembered(days: list[float], since: float) -> None:
    now = (max(days) + since) * SECONDS_A_DAY
    every = sum(max((now / SECONDS_A_DAY) - day, 1 / 1440) ** -0.6 for day in days)
    remembered = UsageConfig(need_recent=len(days))
    assert odds(used(days, config=remembered), now, remembered) == pytest.approx(every, rel=1e-9)
    if len(days) > DEFAULTS.need_recent:
        state = used(days)
        exact = sum((now / SECONDS_A_DAY - time / SECONDS_A_DAY) ** -0.6 for time in state.recent)
        oldest, newest = now / SECONDS_A_DAY - min(days), now / SECONDS_A_DAY - state.recent[0] / SECONDS_A_DAY
        left = len(days) - len(state.recent)
        assert exact + left * oldest**-0.6 <= odds(state, now, DEFAULTS) * (1 + 1e-9)
        assert odds(state, now, DEFAULTS) <= (exact + left * newest**-0.6) * (1 + 1e-9)


def test_many_uses_at_an_even_pace_are_approximated_to_two_percent() -> None:
    days = [float(day) for day in range(200)]
    every = sum((200 - day) ** -0.6 for day in days)
    assert odds(used(days), 200 * SECONDS_A_DAY, DEFAULTS) == pytest.approx(every, rel=0.02)


@given(days=st.lists(st.floats(0, 300), max_size=30), since=st.floats(0.0, 100))
def test_one_more_use_now_only_raises_it(days: list[float], since: float) -> None:
    last = max(days, default=0.0) + since
    now = last * SECONDS_A_DAY
    assert need(used([*days, last]), now, DEFAULTS) > need(used(days), now, DEFAULTS)


@given(days=st.lists(st.floats(0, 300), min_size=1, max_size=30), first=st.floats(0, 50), more=st.floats(0.01, 300))
def test_time_only_lowers_it_and_never_below_where_it_began(days: list[float], first: float, more: float) -> None:
    state, begin = used(days), max(days) + first
    soon = need(state, begin * SECONDS_A_DAY, DEFAULTS)
    later = need(state, (begin + more) * SECONDS_A_DAY, DEFAULTS)
    assert 1200.0 - 1e-9 <= later <= soon + 1e-9
