"""Published rules as configuration: advantage, margin of victory, reversion between periods."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain import Match, Outcome, Rating, RatingConfig
from paragone.errors import InvalidConfig
from paragone.ratings.elo import update
from paragone.ratings.elo_arrays import replay_arrays
from paragone.ratings.elo_rule import Conditions, EloRule, MarginOfVictory, ProvisionalK, Reversion, Reverted
from paragone.ratings.running_elo import replay, step

A, B, DRAW, VOID = Outcome.A, Outcome.B, Outcome.DRAW, Outcome.VOID
CONFIG = RatingConfig(initial=1500, k=20)
PUBLISHED = EloRule(advantage=65, margin=MarginOfVictory(), reversion=Reversion(mean=1505, share=1 / 3))
NEUTRAL = Conditions(neutral=True)


def match(number, a, b, outcome):
    return Match(id=f"m{number}", a=a, b=b, outcome=outcome)


def test_the_first_football_game_of_1920_by_hand():
    # Rock Island 1503.947 at home, St. Paul 1300, 48:0; published probability 0.824651
    before = (Rating(item="RII", elo=1503.947), Rating(item="STP", elo=1300.0))
    after, changes = step(before, match(1, "RII", "STP", A), CONFIG, rule=PUBLISHED, conditions=Conditions(margin=48))
    assert changes[0].expected == pytest.approx(0.824651, abs=5e-7)
    # ln 49 = 3.891820, times 2.2 / (2.2 + 0.268947) = 0.891068: a factor of 3.467878
    assert changes[0].k == pytest.approx(20 * 3.467878, abs=2e-4)
    assert after[0].elo - 1503.947 == pytest.approx(20 * 3.467878 * (1 - 0.824651), abs=1e-4)
    assert after[0].elo + after[1].elo == pytest.approx(2803.947)


def test_an_advantage_is_expected_and_not_kept():
    even = (1500.0, 1500.0)
    home, away = update(even, 1.0, CONFIG, advantage=65)
    assert home.expected == pytest.approx(1 / (1 + 10 ** (-65 / 400)))
    assert (home.old, away.old) == even
    assert home.change == pytest.approx(20 * (1 - home.expected))
    assert home.change == -away.change
    assert update(even, 1.0, CONFIG, advantage=-65)[0].expected == pytest.approx(1 - home.expected)


def test_nobody_has_it_on_neutral_ground():
    before = (Rating(item="x", elo=1500), Rating(item="y", elo=1500))
    played = match(1, "x", "y", A)
    assert step(before, played, CONFIG, rule=EloRule(advantage=65), conditions=NEUTRAL) == step(before, played, CONFIG)
    assert step(before, played, CONFIG, rule=EloRule(advantage=65)) != step(before, played, CONFIG)


@pytest.mark.parametrize(
    ("margin", "lead", "factor"),
    [
        (0, 0.0, math.log(2)),  # a margin of 0 counts as 1
        (1, 0.0, math.log(2)),
        (7, 0.0, math.log(8)),
        (7, 220.0, math.log(8) / 1.1),
        (7, -220.0, math.log(8) / 0.9),
        (3, 2200.0, math.log(4) / 2),
        (21, None, 2.2 * math.log(2)),  # a draw
    ],
)
def test_the_factor_of_a_margin(margin, lead, factor):
    assert MarginOfVictory()(margin, lead) == pytest.approx(factor)


@given(st.floats(0, 200), st.floats(0, 200), st.floats(-2000, 3900), st.floats(-2000, 3900))
def test_it_grows_with_the_margin_and_falls_with_the_lead(margin, wider, lead, longer):
    rule = MarginOfVictory()
    assert rule(max(margin, wider), lead) >= rule(min(margin, wider), lead) > 0
    assert rule(margin, max(lead, longer)) <= rule(margin, min(lead, longer))


def test_the_lead_is_the_winners_with_its_advantage():
    seen = []
    rule = EloRule(advantage=65, margin=lambda margin, lead: seen.append((margin, lead)) or 1.0)
    before = (Rating(item="x", elo=1600), Rating(item="y", elo=1500))
    for outcome, margin in ((A, 3), (B, 4), (DRAW, None)):
        step(before, match(1, "x", "y", outcome), CONFIG, rule=rule, conditions=Conditions(margin=margin))
    assert seen == [(3, 165), (4, -165), (0, None)]


def test_margin_and_schedule_multiply():
    rule = EloRule(schedule=ProvisionalK(new=40, established=10, after=1), margin=lambda *_: 1.5)
    before = (Rating(item="x", elo=1500), Rating(item="y", elo=1500, matches=3))
    _, changes = step(before, match(1, "x", "y", A), CONFIG, rule=rule, conditions=Conditions(margin=1))
    assert [change.k for change in changes] == [60, 15]


def test_a_new_season_goes_a_third_of_the_way_back():
    matches = [match(1, "x", "y", A), match(2, "x", "y", VOID), match(3, "x", "z", A), match(4, "x", "z", B)]
    seasons = {"m1": "1999", "m2": "2000", "m3": "2000", "m4": "2000"}
    conditions = {id: Conditions(period=season) for id, season in seasons.items()}
    rule = EloRule(reversion=Reversion(mean=1505, share=1 / 3))
    played = replay(matches, CONFIG, rule=rule, conditions=conditions)
    begun = 1505 / 3 + 1510 * 2 / 3
    # z plays its first season and y none in 2000; x reverts once
    assert played.reversions == (Reverted(item="x", period="2000", old=1510, new=pytest.approx(begun)),)
    assert [change.old for change in played.changes[2:4]] == pytest.approx([begun, 1500])
    assert played.periods == {"x": "2000", "y": "1999", "z": "2000"}
    assert played.ratings["x"].matches == 3


def test_who_stayed_away_for_years_reverts_once():
    matches = [match(1, "x", "y", A), match(2, "x", "y", A)]
    conditions = {"m1": Conditions(period="1995"), "m2": Conditions(period="1999")}
    played = replay(matches, CONFIG, rule=EloRule(reversion=Reversion(mean=1500, share=1)), conditions=conditions)
    assert [reverted.new for reverted in played.reversions] == [1500, 1500]
    assert played.ratings["x"].elo == 1510


@st.composite
def seasons(draw):
    teams = [f"t{number}" for number in range(draw(st.integers(2, 5)))]
    pairs = st.permutations(teams).map(lambda order: order[:2])
    games = st.tuples(pairs, st.integers(0, 40), st.integers(0, 40), st.booleans(), st.integers(0, 1))
    played, year, found = draw(st.lists(games, max_size=30)), 0, []
    for number, ((home, away), scored, conceded, neutral, later) in enumerate(played):
        year += later
        found.append((f"m{number}", home, away, scored, conceded, neutral, str(year)))
    return found


def published_program(games):
    """FiveThirtyEight's program, written down plainly: probability before each game, and ratings after the last."""
    elo, season, expected = {}, {}, []
    for _, home, away, scored, conceded, neutral, year in games:
        for team in (home, away):
            elo.setdefault(team, 1500.0)
            if season.get(team, year) != year:
                elo[team] = 1505 / 3 + elo[team] * 2 / 3
            season[team] = year
        difference = elo[home] - elo[away] + (0 if neutral else 65)
        probability = 1 / (10 ** (-difference / 400) + 1)
        result = 0.5 if scored == conceded else float(scored > conceded)
        apart = max(abs(scored - conceded), 1)
        below = 1.0 if result == 0.5 else (difference if result == 1 else -difference) * 0.001 + 2.2
        shift = 20 * math.log(apart + 1) * 2.2 / below * (result - probability)
        elo[home] += shift
        elo[away] -= shift
        expected.append(probability)
    return expected, elo


def as_matches(games):
    matches, conditions = [], {}
    for id, home, away, scored, conceded, neutral, year in games:
        outcome = DRAW if scored == conceded else A if scored > conceded else B
        matches.append(Match(id=id, a=home, b=away, outcome=outcome))
        conditions[id] = Conditions(neutral=neutral, margin=abs(scored - conceded), period=year)
    return matches, conditions


@given(seasons())
def test_the_published_program_agrees(games):
    matches, conditions = as_matches(games)
    played = replay(matches, CONFIG, rule=PUBLISHED, conditions=conditions)
    expected, elo = published_program(games)
    assert [change.expected for change in played.changes[::2]] == pytest.approx(expected, abs=1e-9)
    assert {item: rating.elo for item, rating in played.ratings.items()} == pytest.approx(elo, abs=1e-6)


@given(seasons(), st.integers(0, 30))
def test_a_replay_in_two_parts_is_the_replay_of_all(games, cut):
    matches, conditions = as_matches(games)
    whole = replay(matches, CONFIG, rule=PUBLISHED, conditions=conditions)
    head = replay(matches[:cut], CONFIG, rule=PUBLISHED, conditions=conditions)
    tail = replay(
        matches[cut:], CONFIG, start=head.ratings, periods=head.periods, rule=PUBLISHED, conditions=conditions
    )
    assert tail.ratings == whole.ratings
    assert tail.periods == whole.periods
    assert head.changes + tail.changes == whole.changes
    assert head.reversions + tail.reversions == whole.reversions


@given(seasons())
def test_the_record_of_each_item_is_unbroken(games):
    matches, conditions = as_matches(games)
    played = replay(matches, CONFIG, rule=PUBLISHED, conditions=conditions)
    for item, rating in played.ratings.items():
        moves = [change for change in played.changes if change.item == item]
        breaks = {reverted.old: reverted.new for reverted in played.reversions if reverted.item == item}
        stood = 1500.0
        for move in moves:
            assert move.old in (stood, breaks.get(stood))
            stood = move.new
        assert stood == rating.elo


def test_a_reverted_rating_keeps_within_floor_and_ceiling():
    config = RatingConfig(initial=1500, floor=1400, ceiling=1600)
    conditions = {"m1": Conditions(period="1"), "m2": Conditions(period="2")}
    rule = EloRule(reversion=Reversion(mean=3000, share=1))
    matches = [match(1, "x", "y", A), match(2, "x", "z", DRAW)]
    assert replay(matches, config, rule=rule, conditions=conditions).reversions[0].new == 1600


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (EloRule(margin=MarginOfVictory()), "'m1' has no margin"),
        (EloRule(reversion=Reversion(mean=1500, share=0.5)), "'m1' has no period"),
    ],
)
def test_what_the_rule_needs_must_be_known(rule, message):
    with pytest.raises(ValueError, match=message):
        replay([match(1, "x", "y", A)], CONFIG, rule=rule)


def test_a_lead_beyond_the_rule_is_refused():
    with pytest.raises(ValueError, match="2500 Elo points behind is beyond this rule"):
        MarginOfVictory()(3, -2500.0)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Reversion(mean=math.nan, share=0.5), "mean of Reversion"),
        (lambda: Reversion(mean=1500, share=1.5), "share of Reversion"),
        (lambda: Reversion(mean=1500, share=math.nan), "share of Reversion"),
        (lambda: EloRule(advantage=math.inf), "advantage"),
        (lambda: Conditions(margin=-1), "margin"),
        (lambda: Conditions(margin=math.nan), "margin"),
        (lambda: MarginOfVictory(damping=0), "damping of MarginOfVictory"),
        (lambda: MarginOfVictory(slope=-1), "slope of MarginOfVictory"),
        (lambda: MarginOfVictory(draw=0), "draw of MarginOfVictory"),
    ],
)
def test_values_out_of_range_are_refused_by_name(make, named):
    with pytest.raises(InvalidConfig, match=named):
        make()


def test_an_advantage_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="an advantage must be a finite number"):
        update((1500, 1500), 1, CONFIG, advantage=math.nan)


def test_whole_numbers_for_ratings_lose_no_fraction_over_columns():
    config = RatingConfig(initial=1500, k=20)
    matches = [match(1, "x", "y", A), match(2, "y", "x", DRAW)]
    expected = replay(matches, config).ratings
    found = replay_arrays([0, 1], [1, 0], [1, 0.5], None, 2, config)
    assert found.tolist() == [expected["x"].elo, expected["y"].elo]


def test_columns_know_the_advantage_too():
    config = RatingConfig(initial=1500, k=20)
    rule = EloRule(advantage=65)
    matches = [match(1, "x", "y", A), match(2, "y", "x", DRAW), match(3, "x", "y", B)]
    expected = replay(matches, config, rule=rule, conditions={"m3": NEUTRAL}).ratings
    found = replay_arrays([0, 1, 0], [1, 0, 1], [1, 0.5, 0], None, 2, config, advantage=[65, 65, 0])
    assert found.tolist() == [expected["x"].elo, expected["y"].elo]
