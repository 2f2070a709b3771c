"""The ways to say what a debate came to, and what is refused."""

import math
import sqlite3

import numpy as np
import pytest

from paragone.agents import EloSystem
from paragone.errors import InvalidConfig, InvalidEvidence

NAMES = ["", "  ", "x" * 129, "a\nb", "a\x00b", "a\x7fb", "a\u2028b", "half \ud800", None, 7, b"bytes"]
"""What nobody can be called."""

TRICKS = [
    "'; DROP TABLE match; --",
    'a" OR "1"="1',
    "../../etc/passwd",
    "%_%",
    "a\\b",
    "-rf",
    "{0}",
    "é",
    "名前",
    "$(id)",
]
"""Odd names that are names like others."""


class TestForms:
    def test_participants_and_scores(self, elo):
        changes = elo.record_match("d", ["a", "b"], {"a": 1.0, "b": 0.0}, "law", 1.0)
        assert changes == {"a": 16.0, "b": -16.0}

    def test_scores_alone_name_the_participants(self, elo):
        assert list(elo.record_match("d", scores={"b": 1, "a": 0})) == ["b", "a"]

    def test_winner_and_loser(self, elo):
        assert elo.record_match(winner="a", loser="b") == {"a": 16.0, "b": -16.0}
        assert elo.record_match(winner="c", loser="d", draw=True) == {"c": 0.0, "d": 0.0}
        assert elo.get_rating("c").draws == 1
        assert elo.record_match("d1", winner="e", loser="f", participants=["f", "e"]) == {"e": 16.0, "f": -16.0}
        assert elo.recorded_debates(["d1"]) == {"d1"}

    def test_the_old_positional_form(self, elo):
        assert elo.record_match("a", "b") == {"a": 16.0, "b": -16.0}
        assert elo.record_match("c", "d", True) == {"c": 0.0, "d": 0.0}
        assert elo.record_match("e", "f", False) == {"e": 16.0, "f": -16.0}
        assert elo.record_match("g", "h", draw=True) == {"g": 0.0, "h": 0.0}
        assert elo.record_match("i", "j", {"i": 0.75, "j": 0.25}) == {"i": 8.0, "j": -8.0}
        assert elo.record_match("a", "b")["a"] < 16.0, "without an id each counts"
        assert elo.record_match("d1", "l", winner="k") == {"k": 16.0, "l": -16.0}
        assert elo.recorded_debates(["a", "d1"]) == {"d1"}

    def test_a_draw_of_those_who_took_part(self, elo):
        assert elo.record_match("d", ["a", "b", "c"], draw=True) == {"a": 0.0, "b": 0.0, "c": 0.0}
        assert elo.get_rating("c").draws == 1

    @pytest.mark.parametrize(
        ("call", "beginning"),
        [
            ({"task": "Review  the\ncode!"}, "Review-the-code-"),
            ({"domain": "security"}, "security-"),
            ({"task": "review", "domain": "security"}, "review-"),
            ({}, "debate-"),
            ({"task": "???"}, "debate-"),
            ({"task": "x" * 500}, "x" * 64 + "-"),
        ],
    )
    def test_missing_ids_are_made_of_task_or_domain(self, path, call, beginning):
        with EloSystem(path, new_id=lambda: "1f") as elo:
            elo.record_match(winner="a", loser="b", **call)
            assert elo.get_recent_matches()[0]["debate_id"] == f"{beginning}1f"

    @pytest.mark.parametrize(
        "call",
        [
            {},
            {"participants": []},
            {"participants": ["a"], "scores": {"a": 1.0}},
            {"scores": {"a": 1.0}},
            {"participants": ["a"], "draw": True},
            {"winner": "a"},
        ],
    )
    def test_fewer_than_two_are_no_debate(self, elo, call):
        assert elo.record_match("d", **call) == {}
        assert elo.list_agents() == elo.get_recent_matches() == []

    def test_numbers_of_any_kind_are_scores(self, elo):
        scores = {"a": np.float32(0.75), "b": np.int64(0), "c": True}
        assert elo.record_match("d", scores=scores)
        assert elo.get_recent_matches()[0]["scores"] == {"a": 0.75, "b": 0.0, "c": 1.0}

    def test_several_with_the_highest_score_drew_and_so_did_all(self, elo):
        elo.record_match("d", scores={"a": 0.9, "b": 0.9, "c": 0.1})
        assert [elo.get_rating(name).draws for name in "abc"] == [1, 1, 1]
        assert elo.get_recent_matches()[0]["winner"] is None

    def test_no_score_at_all_is_shared(self, elo):
        assert elo.record_match("d", scores={"a": 0.0, "b": 0.0}) == {"a": 0.0, "b": 0.0}

    @pytest.mark.parametrize(("given", "weight"), [(0.5, 0.5), (0.0, 0.1), (-3, 0.1), (7, 1.0), (math.inf, 1.0)])
    def test_the_confidence_weight_is_clamped(self, elo, given, weight):
        assert elo.record_match("d", scores={"a": 1.0, "b": 0.0}, confidence_weight=given)["a"] == pytest.approx(
            16 * weight
        )

    def test_weights_that_clamp_to_the_same_are_the_same_debate(self, elo):
        first = elo.record_match("d", scores={"a": 1.0, "b": 0.0}, confidence_weight=0.0)
        assert elo.record_match("d", scores={"a": 1.0, "b": 0.0}, confidence_weight=0.1) == first


@pytest.fixture(scope="module")
def untouched():
    """A system that nothing is ever recorded in."""
    with EloSystem("sqlite://") as opened:
        yield opened


class TestRefused:
    @pytest.mark.parametrize(
        "call",
        [
            {"participants": ["a", "a"], "scores": {"a": 1.0}},
            {"participants": ["a", "b", "a"], "scores": {"a": 1.0, "b": 0.0}},
            {"winner": "a", "loser": "a"},
            {"participants": "a", "debate_id": "a"},
            {"participants": "a", "debate_id": None},
            {"participants": ["a", "b"], "scores": {"a": 1.0}},
            {"participants": ["a", "b"]},
            {"participants": ["a", "b"], "scores": {"a": 1.0, "b": 0.0, "c": 0.5}},
            {"participants": ["a", "b", "c"], "winner": "a", "loser": "b"},
            {"participants": 5},
            {"participants": ["a", "b"], "scores": [1.0, 0.0]},
            {"participants": ["a", "b"], "scores": True},
            {"winner": "b", "scores": {"a": 1.0, "b": 0.0}},
            {"draw": True, "scores": {"a": 1.0, "b": 0.0}},
            *({"scores": {"a": score, "b": 0.5}} for score in (-0.1, math.nan, math.inf, "0.8", None, 10**400)),
            *({"scores": {"a": 1.0, "b": 0.5}, "confidence_weight": weight} for weight in (math.nan, "1", None)),
            {"scores": {"a": 1.0, "b": 0.5}, "domain": "global"},
            {"scores": {"a": 1.0, "b": 0.5}, "domain": "a\nb"},
            {"scores": {"a": 1.0, "b": 0.5}, "task": 7},
            {"scores": {"a": 1.0, "b": 0.5}, "debate_id": ""},
            {"scores": {"a": 1.0, "b": 0.5}, "debate_id": "x" * 513},
            {"scores": {"a": 1.0, "b": 0.5}, "debate_id": 7},
            {"scores": {"a": 1.0, "b": 0.5}, "calibration_tracker": "no tracker"},
        ],
        ids=str,
    )
    def test_a_debate_that_cannot_be(self, untouched, call):
        with pytest.raises(InvalidEvidence) as caught:
            untouched.record_match(**call)
        assert isinstance(caught.value, ValueError)
        assert untouched.list_agents() == untouched.get_recent_matches() == []

    def test_which_of_many_cannot_be_is_said(self, untouched):
        fine = {"winner": "a", "loser": "b"}
        with pytest.raises(InvalidEvidence, match=r"^debate 2: an agent does not meet itself"):
            untouched.record_matches([fine, {"winner": "a", "loser": "a"}])
        with pytest.raises(InvalidEvidence, match=r"^debate 2: 'looser' is unknown; there are calibration_tracker"):
            untouched.record_matches([fine, {"winner": "a", "looser": "b"}])
        with pytest.raises(InvalidEvidence, match=r"^debate 2: expected a mapping from argument to value, not 'a'"):
            untouched.record_matches([fine, "a"])
        pair = {"agent_a": "a", "agent_b": "b"}
        with pytest.raises(InvalidEvidence, match=r"^update 2: a_win is a whole number from 0"):
            untouched.update_relationships_batch([pair, {**pair, "a_win": -1}])
        said = {"agent_name": "a", "domain": "law", "confidence": 0.5, "correct": True}
        with pytest.raises(InvalidEvidence, match=r"^prediction 2: a confidence is a number"):
            untouched.record_domain_predictions([said, {**said, "confidence": "high"}])
        with pytest.raises(InvalidEvidence, match=r"^a_win is a whole number"):  # one alone needs no place
            untouched.update_relationship("a", "b", a_win=-1)
        assert untouched.list_agents() == []

    def test_a_set_has_no_order_of_its_own(self):
        names = {f"agent {number}" for number in range(9)}
        with EloSystem("sqlite://", warn=False) as elo:
            elo.record_match("d", names, dict.fromkeys(names, 1.0))
            assert elo.get_recent_matches()[0]["participants"] == sorted(names)

    @pytest.mark.parametrize("patience", [-1, math.nan, "soon", None])
    def test_a_patience_that_cannot_be(self, patience):
        with pytest.raises(InvalidConfig, match="patience is a number of seconds, 0 or more, not"):
            EloSystem("sqlite://", patience=patience)

    @pytest.mark.parametrize("name", NAMES, ids=repr)
    def test_names_that_nobody_can_have(self, untouched, name):
        calls = [
            lambda: untouched.record_match("d", ["a", name], {"a": 1.0, name: 0.0}),
            lambda: untouched.get_rating(name),
            lambda: untouched.get_ratings_batch(["a", name]),
            lambda: untouched.register_agent(name),
            lambda: untouched.record_winner_prediction("t", name, "a", 0.5),
            lambda: untouched.record_winner_prediction("t", "a", name, 0.5),
            lambda: untouched.resolve_tournament_calibration("t", name),
            lambda: untouched.record_domain_prediction(name, "law", 0.5, True),
            lambda: untouched.record_critique(name, True),
            lambda: untouched.update_relationship("a", name, 1),
            lambda: untouched.compute_relationship_metrics(name, "a"),
            lambda: untouched.get_rivals(name),
            lambda: untouched.get_head_to_head("a", name),
            lambda: untouched.record_redteam_result(name, 0.9, 0, 1),
            lambda: untouched.update_from_verification(name, "law", 1),
            lambda: untouched.get_vulnerability_summary(name),
            lambda: untouched.get_elo_history(name),
            lambda: untouched.calibration(name),
        ]
        for call in calls:
            with pytest.raises(InvalidEvidence):
                call()
        assert untouched.list_agents() == []

    def test_numbers_that_cannot_be(self, untouched):
        calls = [
            lambda: untouched.record_winner_prediction("t", "a", "b", math.nan),
            lambda: untouched.record_winner_prediction("", "a", "b", 0.5),
            lambda: untouched.record_domain_prediction("a", "law", math.nan, True),
            lambda: untouched.record_domain_prediction("a", "global", 0.5, True),
            lambda: untouched.record_domain_prediction("a", "", 0.5, True),
            lambda: untouched.record_domain_prediction("a", "law", 0.5, "yes"),
            lambda: untouched.record_domain_predictions([{"agent_name": "a", "domain": "law", "confidence": 0.5}]),
            lambda: untouched.record_domain_predictions(
                [{"agent_name": "a", "domain": "law", "confidence": 0.5, "correct": True, "wrong": 1}]
            ),
            lambda: untouched.record_critique("a", 2),
            lambda: untouched.update_relationship("a", "a", 1),
            lambda: untouched.update_relationship("a", "b", -1),
            lambda: untouched.update_relationship("a", "b", 0.5),
            lambda: untouched.update_relationships_batch([{"agent_a": "a", "agent_b": "b", "debates": 1}]),
            lambda: untouched.update_relationships_batch([{"agent_a": "a"}]),
            lambda: untouched.compute_relationship_metrics("a", "a"),
            lambda: untouched.get_head_to_head("a", "a"),
            lambda: untouched.record_redteam_result("a", 1.1, 0, 1),
            lambda: untouched.record_redteam_result("a", -0.1, 0, 1),
            lambda: untouched.record_redteam_result("a", math.nan, 0, 1),
            lambda: untouched.record_redteam_result("a", 0.9, 2, 1),
            lambda: untouched.record_redteam_result("a", 0.9, -1, 1),
            lambda: untouched.record_redteam_result("a", 0.9, 0, 1, domain="global"),
            lambda: untouched.update_from_verification("a", "law", -1),
            lambda: untouched.update_from_verification("a", "law", 1, k_factor=math.inf),
            lambda: untouched.update_from_verification("a", "law", 1, k_factor=-1),
            lambda: untouched.update_from_verification("a", "law", 1, k_factor=1e308),
            lambda: untouched.update_from_verification("a", "law", 10**400),
            lambda: untouched.update_relationship("a", "b", 10**30),
            lambda: untouched.get_ratings_batch("ab"),
            lambda: untouched.get_leaderboard(-1),
            lambda: untouched.get_leaderboard(1.5),
            lambda: untouched.get_leaderboard(domain="global"),
            lambda: untouched.get_snapshot_leaderboard(-1),
            lambda: untouched.get_recent_matches("5"),
            lambda: untouched.record_matches([{"debate": "d"}]),
        ]
        for call in calls:
            with pytest.raises(InvalidEvidence):
                call()
        assert untouched.list_agents() == []

    def test_names_are_names_whatever_they_say(self, any_elo):
        any_elo.record_match("'; DROP TABLE match; --", TRICKS, {name: n for n, name in enumerate(TRICKS)}, "../law")
        for name in TRICKS:
            assert any_elo.get_rating(name).domain_elos.keys() == {"../law"}
            any_elo.record_redteam_result(name, 0.9, 0, 1, session_id=name)
            any_elo.update_relationship(name, "claude", 1)
            any_elo.record_domain_prediction(name, name, 0.5, True)
        assert set(any_elo.list_agents()) == {*TRICKS, "claude"}
        assert any_elo.get_head_to_head("%_%", "é")["matches"] == 1
        assert any_elo.audit().ok

    def test_pools_are_named_like_agents(self, path, tmp_path):
        with pytest.raises(InvalidEvidence, match="name of a pool"):
            EloSystem(path, pool="a\nb")
        with EloSystem(path, pool="../../elsewhere") as elo:
            elo.record_match(winner="a", loser="b")
        assert {file.name for file in tmp_path.iterdir()} == {
            "agents.db",
            "agents.db...%2F..%2Felsewhere.snapshot.json",
        }
        assert sqlite3.connect(path).execute("SELECT pool FROM pool").fetchall() == [("../../elsewhere",)]
