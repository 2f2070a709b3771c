"""K schedules: how far a match may move an item that has played so many."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Match, Outcome, RatingConfig
from paragone.errors import InvalidConfig
from paragone.ratings.elo_rule import ConstantK, DecreasingK, EloRule, ProvisionalK
from paragone.ratings.running_elo import replay


def test_a_constant_k():
    assert [ConstantK()(matches) for matches in (0, 5, 1000)] == [32, 32, 32]
    assert ConstantK(16)(3) == 16


def test_content_is_established_after_ten_updates():
    schedule = ProvisionalK()
    assert [schedule(matches) for matches in (0, 9, 10, 11, 500)] == [16, 16, 8, 8, 8]


def test_newcomers_to_chess_are_new_for_thirty_games():
    # FIDE rating regulations 8.3.3: 40 until 30 games are completed, then 20 (below 2400)
    schedule = ProvisionalK(new=40, established=20, after=30)
    assert [schedule(matches) for matches in (0, 29, 30)] == [40, 40, 20]


def test_the_decreasing_schedule_of_tennis():
    # Kovalchik 2016: K = 250 / (matches + 5) ** 0.4
    schedule = DecreasingK()
    assert schedule(0) == pytest.approx(131.3264, abs=1e-4)
    assert schedule(27) == pytest.approx(62.5)  # 32 ** 0.4 is 4
    assert DecreasingK(lowest=70)(27) == 70


@given(st.integers(0, 10_000), st.floats(0, 2), st.floats(0.1, 100), st.floats(0, 50))
def test_it_never_rises_and_never_falls_below_the_lowest(matches, power, offset, lowest):
    schedule = DecreasingK(power=power, offset=offset, lowest=lowest)
    assert lowest <= schedule(matches + 1) <= schedule(matches)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: ConstantK(0), "k of ConstantK"),
        (lambda: ConstantK(math.nan), "k of ConstantK"),
        (lambda: ProvisionalK(new=-1), "new of ProvisionalK"),
        (lambda: ProvisionalK(established=0), "established of ProvisionalK"),
        (lambda: ProvisionalK(after=-1), "after of ProvisionalK"),
        (lambda: DecreasingK(scale=math.inf), "scale of DecreasingK"),
        (lambda: DecreasingK(offset=0), "offset of DecreasingK"),
        (lambda: DecreasingK(power=-0.1), "power of DecreasingK"),
        (lambda: DecreasingK(lowest=-1), "lowest of DecreasingK"),
    ],
)
def test_values_out_of_range_are_refused_by_name(make, named):
    with pytest.raises(InvalidConfig, match=named):
        make()


def test_a_newcomer_and_a_veteran_move_by_their_own_k():
    matches = [Match(id=str(i), a="old", b=f"other {i}", outcome=Outcome.DRAW) for i in range(10)]
    matches.append(Match(id="last", a="old", b="new", outcome=Outcome.A))
    played = replay(matches, RatingConfig(), rule=EloRule(schedule=ProvisionalK()))
    old, new = played.changes[-2:]
    assert (old.item, old.k, old.change) == ("old", 8, 4)
    assert (new.item, new.k, new.change) == ("new", 16, -8)
