"""Recorded comparisons, ranked without a judge."""

import dataclasses
import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paragone
from paragone.errors import InvalidConfig, InvalidVotes
from paragone.intake.vote import VoteFields
from paragone.presenting.board_facts import facts

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
    pairs = [("x", "y"), ("y", "x"), ("y", "z"), ("z", "y")]
    leaning = [{"a": a, "b": b, "winner": winner} for a, b in pairs for winner in "aaaaaaaaab"]
    board = paragone.fit(leaning, position=True)
    assert board.position_bias > 1
    assert board.judges[0].first_share == 0.9
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


PLAYERS = ("p1", "p2", "p3", "p4")


@pytest.fixture(scope="module")
def winners_first():
    """1,200 votes of four players, 200 a pair: p1 has 436 wins, 164 losses, p4 167 and 433."""
    wins = {(0, 1): 130, (0, 2): 140, (0, 3): 166, (1, 2): 122, (1, 3): 134, (2, 3): 133}
    return [
        (PLAYERS[winner], PLAYERS[loser])
        for (one, other), count in wins.items()
        for winner, loser in [(one, other)] * count + [(other, one)] * (200 - count)
    ]


def sides_shuffled(pairs, seed=0):
    draw = random.Random(seed)
    return [(*(pair if draw.random() < 0.5 else pair[::-1]), pair[0]) for pair in pairs]


def ratings(board):
    return {row.id: (row.rating, row.low, row.high, row.rank_low, row.rank_high) for row in board.items}


class TestWhateverSideTheWinnerStandsOn:
    def test_winners_first_is_the_same_evidence_as_shuffled_sides(self, winners_first):
        shuffled = paragone.fit(sides_shuffled(winners_first))
        assert [(row.id, round(row.rating)) for row in shuffled.items] == [
            ("p1", 1330), ("p2", 1224), ("p3", 1173), ("p4", 1073)
        ]  # fmt: skip
        for votes in (
            [(won, lost, won) for won, lost in winners_first],
            [(lost, won, won) for won, lost in winners_first],
            winners_first,
        ):
            board = paragone.fit(votes)
            assert ratings(board) == ratings(shuffled)
            assert "answers to one pair are independent" in board.notes[1]

    def test_no_position_term_where_the_winner_stands_first_even_if_asked_for(self, winners_first):
        board = paragone.fit([(won, lost, won) for won, lost in winners_first], position=True)
        assert ratings(board) == ratings(paragone.fit(winners_first))
        assert board.position_bias is None
        assert "no position term" in board.notes[1]

    @pytest.mark.parametrize("repeats", [True, False, None])
    def test_decided_evidence_is_never_a_board_of_equals(self, winners_first, repeats):
        for judge in (None, "one"):
            votes = [{"winner": won, "loser": lost, "judge": judge} for won, lost in winners_first]
            board = paragone.fit(votes, repeats=repeats)
            assert [row.id for row in board.items] == list(PLAYERS)
            assert board["p1"].rating - board["p4"].rating > 100

    def test_a_named_judge_that_repeats_itself_is_found_whatever_the_sides(self):
        draw = random.Random(3)
        strength = {f"i{n}": n / 3 for n in range(8)}
        once = [
            (a, b) if draw.random() < 1 / (1 + math.exp(strength[b] - strength[a])) else (b, a)
            for a, b in itertools.combinations(strength, 2)
        ]
        votes = [{"winner": won, "loser": lost, "judge": "j"} for won, lost in once] * 6
        sticky = paragone.fit(votes)
        assert sticky.method["repeats"]["stickiness"] > 0.8
        assert paragone.fit(votes, repeats=False).method["repeats"] is None
        shuffled = [{"a": a, "b": b, "winner": w, "judge": "j"} for a, b, w in sides_shuffled(once * 6)]
        assert ratings(paragone.fit(shuffled)) == ratings(sticky)
        nobody = paragone.fit(votes, judge=False)
        assert nobody.method["repeats"] is None
        assert nobody["i7"].rating - 1200 > 2 * (sticky["i7"].rating - 1200)  # six times the evidence
        # Six times the same answers are no six answers: they leave it open whether there is any signal.
        assert nobody.forecast.no_signal < 0.15
        assert sticky.forecast.no_signal > 0.3

    @settings(max_examples=settings().max_examples // 6)
    @given(
        st.lists(
            st.tuples(st.permutations("wxyz"), st.sampled_from(["a", "b", "tie"]), st.sampled_from(["", "j", "k"])),
            min_size=2, max_size=12,
        ),
        st.lists(st.booleans(), min_size=12, max_size=12),
    )  # fmt: skip
    def test_sides_never_matter(self, rows, turns):
        votes = [{"a": items[0], "b": items[1], "winner": winner, "judge": judge} for items, winner, judge in rows]
        turned = [
            {**vote, "a": vote["b"], "b": vote["a"], "winner": {"a": "b", "b": "a"}.get(vote["winner"], "tie")}
            if turn
            else vote
            for vote, turn in zip(votes, turns, strict=False)
        ]
        named = [
            {
                "winner": vote["b" if vote["winner"] == "b" else "a"],
                "loser": vote["a" if vote["winner"] == "b" else "b"],
                "draw": vote["winner"] == "tie",
                "judge": vote["judge"],
            }
            for vote in votes
        ]
        expected = ratings(paragone.fit(votes))
        assert ratings(paragone.fit(turned)) == expected
        assert ratings(paragone.fit(named)) == expected

    def test_options_as_a_value_and_as_keywords(self, winners_first):
        options = paragone.VoteOptions(repeats=True)
        assert paragone.fit(winners_first, options=options).method == paragone.fit(winners_first, repeats=True).method
        assert paragone.fit(winners_first, options=options, repeats=False).method["repeats"] is None
        with pytest.raises(InvalidConfig, match="l2 belongs to the plain model"):
            paragone.VoteOptions(l2=0.1)
        with pytest.raises(InvalidConfig, match="plain model has no terms"):
            paragone.VoteOptions(plain=True, position=True)
        assert set(VoteFields.__annotations__) == {field.name for field in dataclasses.fields(paragone.VoteOptions)}


class TestPlain:
    def test_it_ranks_with_intervals_and_says_what_it_is(self, winners_first):
        board = paragone.fit([{"winner": won, "loser": lost, "judge": won} for won, lost in winners_first], plain=True)
        assert [row.id for row in board.items] == list(PLAYERS)
        assert board.method["name"] == "bradley-terry"
        assert (board.method["ties"], board.method["l2"], board.method["spread"]) == ("half a win", 0.0, "none")
        assert (board.judges, board.method["slope"]) == ((), {"judge": 1.0})
        assert board["p1"].low < board["p1"].rating < board["p1"].high

    def test_who_never_lost_has_no_estimate_without_a_penalty(self):
        votes = [("x", "y", "x"), ("y", "z", "y"), ("z", "y", "z")]
        with pytest.raises(InvalidVotes, match=r"none of the other items ever beat or tied 'x', .* --l2 0.01"):
            paragone.fit(votes, plain=True)
        with pytest.raises(InvalidVotes, match=r"beat or tied 'a', 'b'"):
            paragone.fit([("a", "b", "tie"), ("c", "d", "tie")], plain=True)
        assert paragone.fit(votes, plain=True, l2=0.01).items[0].id == "x"
        assert paragone.fit([*votes, ("x", "y", "tie")], plain=True).items[0].id == "x"
