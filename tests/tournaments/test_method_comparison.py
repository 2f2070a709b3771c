"""Several methods side by side: ranks, agreement, and what explains the difference."""

import itertools
import json

import pytest

import paragone
from paragone.errors import InvalidConfig
from paragone.tournaments.method_comparison import METHODS, fit_methods

WORTH = {"a": 4, "b": 3, "c": 2, "d": 1}
PAIRS = list(itertools.combinations(WORTH, 2))
WON = [("b", "a", "b"), ("c", "b", "c"), ("d", "c", "d"), ("d", "c", "tie")]
"""Everybody won and lost and there are ties, without which Newman's iteration goes on to its last step."""
ROUND = [*WON, *[(one, other, one) for one, other in PAIRS] * 4]


def test_all_methods_agree_on_a_clear_order():
    comparison = paragone.fit_methods(ROUND)
    assert [method.name for method in comparison.methods] == list(METHODS)
    assert [item.id for item in comparison.items] == list(WORTH)
    assert comparison.votes == len(ROUND)
    assert min(min(row) for row in comparison.agreement) > 0.6
    assert [row[at] for at, row in enumerate(comparison.agreement)] == [1.0] * len(METHODS)


@pytest.fixture
def fewer_steps(monkeypatch):
    monkeypatch.setattr("paragone.ratings.other_methods._MOST_STEPS", 1_000)


def test_a_method_without_a_solution_is_left_out_and_named(fewer_steps):
    """``a`` wins always and ``d`` never, without ties: the maximum of Newman's likelihood is at infinity."""
    decided = [(one, other, one) for one, other in PAIRS] * 4
    comparison = fit_methods(decided, ("newman", "bt", "elo"))
    assert [method.name for method in comparison.methods] == ["bt", "elo"]
    assert any(
        note.startswith("newman scores all items alike") and "no fixed point" in note for note in comparison.notes
    )
    assert [item.id for item in comparison.items] == list(WORTH)


def test_where_fewer_than_two_tell_items_apart_agreement_is_absent_not_a_number_that_json_lacks(fewer_steps):
    comparison = fit_methods([(one, other, one) for one, other in PAIRS] * 4, ("newman", "bt"))
    assert comparison.agreement == ((None, None), (None, 1.0))
    ties = fit_methods([(one, other, "tie") for one, other in PAIRS], ("bt", "winrate"))
    assert ties.agreement == ((None, None), (None, None))
    assert len(ties.notes) >= 2


def test_agreement_is_kendalls_tau_b():
    from scipy.stats import kendalltau

    votes = [("a", "b", "a"), ("b", "c", "b"), ("c", "d", "c"), ("d", "a", "d"), ("b", "d", "b"), ("a", "c", "tie")]
    comparison = fit_methods(votes, ("bt", "elo", "winrate"))
    ranks = [[-item.ranks[name] for item in comparison.items] for name in ("bt", "elo", "winrate")]
    expected = [[kendalltau(one, other).statistic for other in ranks] for one in ranks]
    assert [list(row) for row in comparison.agreement] == [pytest.approx(row) for row in expected]


def test_strong_opponents_explain_what_a_win_rate_takes_away():
    """``s`` wins half of its matches against the two best, ``w`` most of its against the two worst."""
    ladder = [(f"i{n}", f"i{m}", f"i{n}") for n in range(8) for m in range(n + 1, 8) for _ in range(3)]
    hard = [("s", f"i{n}", winner) for n in (0, 1) for winner in ("s", f"i{n}") for _ in range(6)]
    easy = [("w", f"i{n}", winner) for n in (6, 7) for winner in ("w", "w", f"i{n}") for _ in range(4)]
    comparison = fit_methods([*ladder, *hard, *easy], ("bt", "winrate"))
    ranks = {item.id: item.ranks for item in comparison.items}
    assert ranks["s"]["bt"] < ranks["w"]["bt"]
    assert ranks["s"]["winrate"] > ranks["w"]["winrate"]
    reasons = {item.id: item.reasons for item in comparison.moved}
    assert any(reason.startswith("stronger opponents") for reason in reasons["s"])
    assert any(reason.startswith("weaker opponents") for reason in reasons["w"])
    assert comparison.methods[1].explained["opponents"] < -0.5


def test_the_order_of_play_explains_what_elo_does():
    """``late`` lost its first ten matches and won its last ten: the strength is that of all, Elo that of the last."""
    others = [("x", "y", winner) for winner in ("x", "y", "x", "y", "x")]
    early = [("late", name, name) for name in ("x", "y", "z") * 5]
    later = [("late", name, "late") for name in ("x", "y", "z") * 4]
    comparison = fit_methods([*others, *early, *later], ("bt", "elo"))
    late = next(item for item in comparison.moved if item.id == "late")
    assert late.above == ("elo",)
    assert any("order of play: elo has it at 1, and at 4 with the votes in reverse" in each for each in late.reasons)
    assert comparison.methods[1].explained["form"] > 0.5


def test_few_matches_are_named():
    votes = [*ROUND * 3, ("new", "a", "new"), ("new", "b", "new")]
    comparison = fit_methods(votes, ("bt", "trueskill"))
    new = next(item for item in comparison.moved if item.id == "new")
    assert new.reasons[0] == "few matches: 2, where half of the items have 42 or more"
    assert new.below == ("trueskill",)


def test_weights_and_probabilities_are_said_where_they_do_not_count():
    votes = [{"a": "x", "b": "y", "winner": 0.8, "weight": 2.0}, {"a": "y", "b": "x", "winner": 1.0, "weight": 1.0}]
    notes = fit_methods(votes, ("bt", "glicko2", "winrate", "openskill")).notes
    assert "weights do not count in glicko2, openskill" in notes
    assert "1 probabilities count as wins of the likelier side in winrate, openskill" in notes


@pytest.mark.parametrize(
    ("methods", "words"),
    [(("bt", "pagernk"), "did you mean pagerank"), (("bt",), "name two or more"), (("bt", "bt"), "each once")],
)
def test_methods_that_cannot_be_compared(methods, words):
    with pytest.raises(InvalidConfig, match=words):
        fit_methods(ROUND, methods)


def test_a_notebook_shows_ranks_and_frames():
    comparison = fit_methods(ROUND, ("bt", "elo"))
    assert "<table" in comparison._repr_html_()
    assert list(comparison.to_pandas().columns)[:2] == ["id", "matches"]


def test_json_is_that_of_python():
    from dataclasses import asdict

    comparison = fit_methods(ROUND, ("bt", "elo"))
    assert json.loads(json.dumps(asdict(comparison)))["items"][0]["ranks"] == {"bt": 1, "elo": 1}
