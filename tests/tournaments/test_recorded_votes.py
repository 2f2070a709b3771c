"""Recorded comparisons, ranked without a judge."""

import pytest

import paragone
from paragone.errors import InvalidConfig, InvalidVotes
from paragone.tournaments.results.publish import facts

VOTES = [
    {"a": "x", "b": "y", "winner": "a"},
    {"a": "y", "b": "z", "winner": "a"},
    {"a": "x", "b": "z", "winner": "a"},
    {"a": "z", "b": "x", "winner": "tie"},
    {"a": "y", "b": "x", "winner": "y"},
] * 4


def test_ranks_them_with_records_and_intervals():
    board = paragone.fit(VOTES)
    assert [row.id for row in board.items] == ["y", "x", "z"]
    assert (board["x"].wins, board["x"].losses, board["x"].ties, board["x"].matches) == (8, 4, 4, 16)
    assert board["x"].low < board["x"].rating < board["x"].high
    assert board["x"].rank_low <= 2 <= board["x"].rank_high
    assert sum(row.rating for row in board.items) == pytest.approx(3 * 1200)
    assert board.position_bias is None


def test_the_strength_does_not_depend_on_the_order_of_the_votes_but_the_elo_does():
    forwards, backwards = paragone.fit(VOTES), paragone.fit(VOTES[::-1])
    for row in forwards.items:
        assert backwards[row.id].rating == pytest.approx(row.rating, abs=1e-6)
    assert {row.elo for row in forwards.items} != {row.elo for row in backwards.items}


def test_the_elo_of_worked_numbers():
    board = paragone.fit([{"a": "x", "b": "y", "winner": "a"}])
    assert (board["x"].elo, board["y"].elo) == (1216, 1184)


def test_an_advantage_at_home_in_the_running_elo():
    votes = [("x", "y", "a"), ("y", "x", "tie")]
    board = paragone.fit(votes, config=paragone.RatingConfig(initial=1500, k=20), advantage=65)
    first = 20 * (1 - 1 / (1 + 10 ** (-65 / 400)))
    second = 20 * (0.5 - 1 / (1 + 10 ** ((2 * first - 65) / 400)))
    assert board["x"].elo == pytest.approx(1500 + first - second)
    assert board["x"].rating == paragone.fit(votes, config=paragone.RatingConfig(initial=1500))["x"].rating
    with pytest.raises(InvalidConfig, match="advantage"):
        paragone.fit(votes, advantage=float("nan"))


def test_a_position_term_where_the_order_is_known():
    leaning = [{"a": a, "b": b, "winner": "a"} for a, b in (("x", "y"), ("y", "x"), ("y", "z"), ("z", "y"))] * 10
    board = paragone.fit(leaning, position=True)
    assert board.position_bias > 1
    assert board.judges[0].first_share == 1.0
    assert max(row.rating for row in board.items) - min(row.rating for row in board.items) < 1
    assert len({row.rank for row in board.items}) == 1


def test_abstentions_are_counted_and_said():
    board = paragone.fit([("x", "y", "a"), ("x", "y", ""), ("y", "z", "skip"), ("y", "z", "tie")])
    assert board.abstentions == 2
    assert board.stopped == "2 recorded comparisons"


def test_nothing_but_abstentions_is_no_ranking():
    with pytest.raises(InvalidVotes, match="no vote"):
        paragone.fit([{"a": "x", "b": "y", "winner": ""}])


def test_a_panel_is_told_how_sharp_its_judges_are_even_where_orders_were_not_recorded():
    pairs = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("b", "d"), ("a", "d")] * 4
    sharp = [{"a": a, "b": b, "winner": a, "judge": "sharp"} for a, b in pairs]
    dull = [{"a": a, "b": b, "winner": (a, b)[at % 2], "judge": "dull"} for at, (a, b) in enumerate(pairs)]
    board = paragone.fit(sharp + dull)
    slopes = {report.judge: report.slope for report in board.judges}
    assert slopes["sharp"] > 2 * slopes["dull"]
    assert board.position_bias is None
    said = dict(facts(board))
    assert "sharpness of dull" in said
    assert not any(name.startswith("position bias") for name in said)
