"""Every method of the system, in each backend."""

import inspect
import re
from datetime import datetime
from pathlib import Path

import pytest

from paragone.agents import EloSystem, Lifetimes
from paragone.domain import ItemKind, RatingConfig
from paragone.errors import Conflict, InvalidConfig, NotFound, Unwritable
from paragone.ledger import Ledger

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "elo-system.md"
THREE = {"claude": 0.8, "gpt4": 0.6, "gemini": 0.4}


class TestRatings:
    def test_an_unknown_agent_has_the_initial_rating_and_is_not_stored(self, any_elo):
        assert any_elo.get_rating("nobody").elo == 1500.0
        assert any_elo.get_ratings_batch(["nobody", "none"])["none"].agent_name == "none"
        assert any_elo.get_ratings_batch([]) == {}
        assert any_elo.list_agents() == []

    def test_agents_are_registered_with_their_model(self, any_elo):
        assert any_elo.register_agent("claude").model is None
        assert any_elo.initialize_agent("claude", model="opus").model == "opus"
        assert any_elo.register_agent("claude").model == "opus"
        assert any_elo.list_agents() == ["claude"]

    def test_boards(self, any_elo):
        any_elo.record_match("d1", list(THREE), THREE, "security")
        any_elo.record_match(winner="gemini", loser="claude")
        any_elo.register_agent("grok")
        everyone = ["gemini", "gpt4", "grok", "claude"]
        assert any_elo.list_agents() == everyone
        assert [rating.agent_name for rating in any_elo.get_all_ratings()] == everyone
        assert [rating.agent_name for rating in any_elo.get_leaderboard(2)] == everyone[:2]
        assert [rating.agent_name for rating in any_elo.get_leaderboard(10**30)] == everyone
        assert any_elo.get_leaderboard(0) == []
        in_security = ["claude", "gpt4", "grok", "gemini"]
        assert [rating.agent_name for rating in any_elo.get_leaderboard(domain="security")] == in_security
        assert [rating.agent_name for rating in any_elo.get_cached_leaderboard(3, "security")] == in_security[:3]
        assert [rating.agent_name for rating in any_elo.get_top_agents_for_domain("security")] == in_security
        assert [row["agent_name"] for row in any_elo.get_snapshot_leaderboard()] == everyone

    def test_statistics(self, any_elo):
        empty = {"total_agents": 0, "avg_elo": 1500.0, "max_elo": 1500.0, "min_elo": 1500.0, "total_matches": 0}
        assert any_elo.get_stats() == empty
        any_elo.record_match(winner="claude", loser="gpt4")
        known = {"total_agents": 2, "avg_elo": 1500.0, "max_elo": 1516.0, "min_elo": 1484.0, "total_matches": 1}
        assert any_elo.get_stats() == known

    def test_history_has_every_move_newest_first(self, any_elo):
        any_elo.record_match("d1", scores={"claude": 1.0, "gpt4": 0.0})
        any_elo.update_from_verification("claude", "logic", 1)
        any_elo.roll_back("d1", "disputed")
        history = any_elo.get_elo_history("claude")
        assert [elo for _, elo in history] == pytest.approx([1508.0, 1524.0, 1516.0])
        assert [elo for _, elo in any_elo.get_elo_history("claude", limit=1)] == pytest.approx([1508.0])
        assert all(datetime.fromisoformat(at).utcoffset() is not None for at, _ in history)


class TestDebates:
    def test_recent_ones(self, any_elo):
        any_elo.record_match("d1", list(THREE), THREE, "security", task="review")
        any_elo.record_match("d2", ["b", "a"], {"a": 0.5, "b": 0.5})
        newest, oldest = any_elo.get_recent_matches()
        assert oldest["elo_changes"] == any_elo.record_match("d1", list(THREE), THREE, "security", task="review")
        del oldest["elo_changes"], oldest["created_at"]
        assert oldest == {
            "debate_id": "d1", "winner": "claude", "participants": list(THREE), "domain": "security",
            "scores": THREE, "rolled_back": False,
        }  # fmt: skip
        assert (newest["winner"], newest["domain"], newest["participants"]) == (None, None, ["b", "a"])
        assert [debate["debate_id"] for debate in any_elo.get_cached_recent_matches(1)] == ["d2"]
        any_elo.roll_back("d1", "disputed")
        assert [debate["rolled_back"] for debate in any_elo.get_recent_matches()] == [False, True]

    def test_the_same_debate_again_changes_nothing(self, any_elo, contents):
        first = any_elo.record_match("d1", list(THREE), THREE, "security", 0.5)
        any_elo.record_match(winner="gpt4", loser="claude")
        before = contents(any_elo)
        assert any_elo.record_match("d1", list(THREE), THREE, "security", 0.5) == first
        assert any_elo.recorded_debates(["d1", "d2"]) == {"d1"}
        assert contents(any_elo) == before

    def test_the_same_debate_in_another_form_or_order_changes_nothing(self, any_elo, contents):
        first = any_elo.record_match("d1", list(THREE), THREE)
        two = any_elo.record_match("d2", winner="claude", loser="gpt4")
        before = contents(any_elo)
        assert any_elo.record_match("d1", sorted(THREE), THREE) == first
        assert any_elo.record_match("d1", scores=dict(reversed(THREE.items()))) == first
        assert any_elo.record_match("d2", ["gpt4", "claude"], {"claude": 1, "gpt4": 0}) == two
        assert contents(any_elo) == before

    @pytest.mark.parametrize(
        "other",
        [
            {"scores": {**THREE, "gpt4": 0.7}},
            {"participants": ["gpt4", "claude"], "scores": {"gpt4": 0.6, "claude": 0.8}},
            {"domain": "law"},
            {"confidence_weight": 0.5},
            {"task": "another"},
        ],
    )
    def test_an_id_with_other_content_is_a_conflict(self, elo, contents, other):
        call = {"debate_id": "d1", "participants": list(THREE), "scores": THREE, "domain": "security"}
        elo.record_match(**call)
        before = contents(elo)
        with pytest.raises(Conflict, match="d1"):
            elo.record_match(**{**call, **other})
        assert contents(elo) == before

    def test_many_at_once_are_all_recorded_or_none(self, any_elo, contents):
        before = contents(any_elo)
        calls = [{"debate_id": f"d{n}", "scores": {"a": 1.0, "b": 0.0}} for n in range(3)]
        with pytest.raises(Conflict):
            any_elo.record_matches([*calls, {**calls[0], "scores": {"a": 0.0, "b": 1.0}}])
        assert contents(any_elo) == before
        done = any_elo.record_matches([*calls, {"participants": ["a"]}, calls[0]])
        assert done[3] == {}
        assert done[4] == done[0] == pytest.approx({"a": 16.0, "b": -16.0})
        assert any_elo.record_matches([]) == []

    def test_head_to_head_counts_who_scored_more(self, any_elo):
        any_elo.record_match("d1", list(THREE), THREE)
        any_elo.record_match("d2", list(THREE), {"claude": 0.1, "gpt4": 0.2, "gemini": 0.9})
        any_elo.record_match("d3", ["gpt4", "claude"], {"claude": 0.5, "gpt4": 0.5})
        any_elo.record_match("d4", ["gpt4", "claude"], {"claude": 0.5, "gpt4": 0.6})
        any_elo.record_match("d5", ["gpt4", "gemini"], {"gemini": 0.5, "gpt4": 0.6})
        any_elo.roll_back("d4", "disputed")
        assert any_elo.get_head_to_head("gpt4", "claude") == {
            "agent_a": "gpt4", "agent_b": "claude", "matches": 3, "a_wins": 1, "b_wins": 1, "draws": 1,
            "gpt4_wins": 1, "claude_wins": 1,
        }  # fmt: skip
        assert any_elo.get_head_to_head("x", "y")["matches"] == 0

    def test_a_rollback_leaves_what_would_be_without_it(self, any_elo):
        any_elo.record_match("d1", list(THREE), THREE, "security")
        any_elo.record_match("d2", list(THREE), {"claude": 0.0, "gpt4": 0.2, "gemini": 0.1}, "security")
        moved = any_elo.roll_back("d1", "disputed")
        with EloSystem("sqlite://") as other:
            other.record_match("d2", list(THREE), {"claude": 0.0, "gpt4": 0.2, "gemini": 0.1}, "security")
            expected = other.get_ratings_batch(list(THREE))
        found = any_elo.get_ratings_batch(list(THREE))
        assert {name: rating.elo for name, rating in found.items()} == pytest.approx(
            {name: rating.elo for name, rating in expected.items()}
        )
        assert {name: rating.domain_elos for name, rating in found.items()} == {
            name: pytest.approx(rating.domain_elos) for name, rating in expected.items()
        }
        assert set(moved) == set(THREE)
        assert any_elo.roll_back("d1", "disputed") == moved
        assert any_elo.audit().ok
        with pytest.raises(NotFound):
            any_elo.roll_back("d9", "never was")


class TestCalibration:
    def test_predictions_of_winners(self, any_elo):
        any_elo.record_winner_prediction("t1", "claude", "gpt4", 0.2)
        any_elo.record_winner_prediction("t1", "claude", "gpt4", 0.75)
        any_elo.record_winner_prediction("t1", "gemini", "claude", 7.0)
        pending = any_elo.get_agent_calibration_history("claude")[0]
        assert (pending["confidence"], pending["correct"], pending["brier_score"]) == (0.75, None, None)
        scores = any_elo.resolve_tournament_calibration("t1", "claude")
        assert scores == {"claude": 0.5625, "gemini": 0.0}
        assert any_elo.resolve_tournament_calibration("t1", "claude") == scores
        assert any_elo.resolve_tournament_calibration("t2", "claude") == {}
        claude = any_elo.get_rating("claude")
        assert (claude.calibration_total, claude.calibration_correct, claude.calibration_brier_sum) == (1, 0, 0.5625)
        known = any_elo.get_agent_calibration_history("claude", limit=5)[0]
        assert (known["tournament_id"], known["predicted_winner"], known["correct"]) == ("t1", "gpt4", False)
        with pytest.raises(Conflict, match="t1"):
            any_elo.resolve_tournament_calibration("t1", "gpt4")
        with pytest.raises(Conflict, match="t1"):
            any_elo.record_winner_prediction("t1", "grok", "gpt4", 0.5)

    def test_predictions_in_domains(self, any_elo):
        for place in range(6):
            any_elo.record_domain_prediction("claude", "legal", 0.8, place > 0, prediction_id=f"p{place}")
        any_elo.record_domain_prediction("claude", "legal", 0.8, True, prediction_id="p1")
        any_elo.record_domain_prediction("claude", "medicine", 0.6, True)
        assert any_elo.recorded_predictions(["p1", "p9"]) == {"p1"}
        with pytest.raises(Conflict, match="p1"):
            any_elo.record_domain_prediction("claude", "legal", 0.9, True, prediction_id="p1")
        numbers = any_elo.get_domain_calibration("claude")
        assert (numbers["total"], numbers["correct"], numbers["accuracy"]) == (7, 6, 6 / 7)
        legal = {"predictions": 6, "correct": 5, "accuracy": 5 / 6, "brier_score": pytest.approx(0.84 / 6)}
        assert numbers["domains"]["legal"] == legal
        assert list(numbers["domains"]) == ["legal", "medicine"]
        assert list(any_elo.get_domain_calibration("claude", "medicine")["domains"]) == ["medicine"]
        assert any_elo.get_best_domains("claude") == [("legal", pytest.approx(0.86 * 0.5125))]
        assert len(any_elo.get_calibration_by_bucket("claude")) == 2
        (bucket,) = any_elo.get_calibration_by_bucket("claude", "legal")
        assert (bucket["predictions"], bucket["correct"]) == (6, 5)
        assert any_elo.get_expected_calibration_error("claude", "legal") == pytest.approx(abs(5 / 6 - 0.85))

    def test_confidences_within_domains_are_clamped(self, any_elo):
        any_elo.record_domain_prediction("claude", "legal", 1.7, True)
        any_elo.record_domain_predictions(
            [{"agent_name": "claude", "domain": "legal", "confidence": -2, "correct": True}]
        )
        assert [bucket["bucket_key"] for bucket in any_elo.get_calibration_by_bucket("claude")] == [
            "0.0-0.1",
            "0.9-1.0",
        ]
        assert any_elo.get_rating("claude").calibration_brier_sum == 1.0

    def test_where_nothing_was_foretold(self, any_elo):
        nothing = {"total": 0, "correct": 0, "accuracy": 0.0, "brier_score": 1.0, "domains": {}}
        assert any_elo.get_domain_calibration("nobody") == nothing
        assert any_elo.get_calibration_by_bucket("nobody") == []
        assert any_elo.get_expected_calibration_error("nobody") == 1.0
        assert any_elo.get_best_domains("nobody") == any_elo.get_agent_calibration_history("nobody") == []
        assert any_elo.calibration("nobody").predictions == 0

    def test_the_report_is_over_all_that_is_known(self, elo):
        elo.record_domain_predictions(
            [
                {"agent_name": "claude", "domain": "legal", "confidence": 0.8, "correct": place < 7}
                for place in range(10)
            ]
        )
        elo.record_winner_prediction("t1", "claude", "gpt4", 0.6)
        elo.resolve_tournament_calibration("t1", "gpt4")
        elo.record_winner_prediction("t2", "claude", "gpt4", 0.9)  # nobody knows yet
        assert elo.calibration("claude", "legal").predictions == 10
        report = elo.calibration("claude", seed=3)
        assert (report.predictions, report.correct, report.seed) == (11, 8, 3)
        assert (report.domains["legal"].predictions, report.domains["legal"].correct) == (10, 7)
        assert report.brier.value == pytest.approx(elo.get_rating("claude").calibration_brier_score)

    def test_the_board_is_of_those_with_enough_predictions(self, any_elo):
        for agent, confidence in [("sure", 0.9), ("surer", 0.99), ("timid", 0.5)]:
            records = [{"agent_name": agent, "domain": "x", "confidence": confidence, "correct": True}] * 5
            any_elo.record_domain_predictions(records)
        any_elo.record_domain_prediction("new", "x", 1.0, True)
        assert [agent.agent_name for agent in any_elo.get_calibration_leaderboard()] == ["surer", "sure", "timid"]
        assert [agent.agent_name for agent in any_elo.get_calibration_leaderboard(1)] == ["surer"]

    def test_critiques(self, any_elo):
        for accepted in (True, True, False):
            any_elo.record_critique("claude", accepted)
        any_elo.record_critique("claude", True, critique_id="c1")
        any_elo.record_critique("claude", True, critique_id="c1")
        claude = any_elo.get_rating("claude")
        assert (claude.critiques_accepted, claude.critiques_total, claude.critique_acceptance_rate) == (3, 4, 0.75)


class TestRelationships:
    def test_all_is_seen_from_the_first(self, any_elo):
        any_elo.update_relationship("zoe", "abe", 3, 1, 4, 2, 3, 1, 6, 5, 2, 1)
        raw = any_elo.get_relationship_raw("abe", "zoe")
        assert raw == {
            "agent_a": "abe", "agent_b": "zoe", "debate_count": 3, "agreement_count": 1,
            "critique_count_a_to_b": 2, "critique_count_b_to_a": 4,
            "critique_accepted_a_to_b": 1, "critique_accepted_b_to_a": 3,
            "position_changes_a_after_b": 5, "position_changes_b_after_a": 6,
            "a_wins_over_b": 1, "b_wins_over_a": 2,
        }  # fmt: skip
        assert any_elo.get_all_relationships_for_agent("abe") == [raw]
        (from_the_other,) = any_elo.get_all_relationships_for_agent("zoe")
        assert from_the_other == any_elo.get_relationship_raw("zoe", "abe")
        assert (from_the_other["agent_b"], from_the_other["a_wins_over_b"]) == ("abe", 2)
        assert any_elo.get_relationship_raw("zoe", "eve") is None

    def test_rivals_and_allies(self, any_elo):
        any_elo.update_relationships_batch(
            [
                {"agent_a": "ann", "agent_b": "rival", "debate_increment": 20, "a_win": 5, "b_win": 5},
                {"agent_a": "ally", "agent_b": "ann", "debate_increment": 5, "agreement_increment": 5},
                {"agent_a": "ann", "agent_b": "some", "debate_increment": 9, "agreement_increment": 4, "a_win": 9},
            ]
        )
        assert [one["agent_b"] for one in any_elo.get_rivals("ann")] == ["rival", "some"]
        assert [one["agent_b"] for one in any_elo.get_rivals("ann", limit=1)] == ["rival"]
        assert [one["agent_b"] for one in any_elo.get_allies("ann")] == ["ally", "some"]
        assert any_elo.get_rivals("nobody") == any_elo.get_allies("nobody") == []
        assert [one["agent_b"] for one in any_elo.get_all_relationships_for_agent("ann", 2)] == ["rival", "some"]

    def test_an_update_with_an_id_counts_once(self, any_elo):
        any_elo.update_relationship("ann", "bob", 1, update_id="u1")
        any_elo.update_relationships_batch(
            [{"agent_a": "ann", "agent_b": "bob", "debate_increment": 1, "update_id": "u1"}]
        )
        assert any_elo.get_relationship_raw("ann", "bob")["debate_count"] == 1
        with pytest.raises(Conflict, match="u1"):
            any_elo.update_relationship("ann", "bob", 2, update_id="u1")


class TestTestsOfStrength:
    def test_red_teams(self, any_elo):
        change = any_elo.record_redteam_result("claude", 0.85, 3, 20, session_id="s1", domain="security")
        assert any_elo.record_redteam_result("claude", 0.85, 3, 20, session_id="s1", domain="security") == change
        any_elo.record_redteam_result("gpt4", 0.85, 3, 20, session_id="s1")
        any_elo.record_redteam_result("claude", 0.25, 10, 20, 2, session_id="s2")
        with pytest.raises(Conflict):
            any_elo.record_redteam_result("claude", 0.9, 3, 20, session_id="s1", domain="security")
        summary = any_elo.get_vulnerability_summary("claude")
        history = summary.pop("history")
        assert summary == {
            "redteam_sessions": 2, "total_elo_impact": pytest.approx(8.16 - 12), "last_session": "s2",
            "attacks": 40, "successful": 13, "critical": 2, "mean_robustness": pytest.approx(0.55),
        }  # fmt: skip
        assert [(one["session_id"], one["domain"]) for one in history] == [("s2", None), ("s1", "security")]
        assert [one["change"] for one in history] == pytest.approx([-12, 8.16])
        assert any_elo.get_rating("claude").domain_elos == {"security": pytest.approx(1508.16)}
        empty = any_elo.get_vulnerability_summary("nobody")
        assert (empty["redteam_sessions"], empty["last_session"], empty["mean_robustness"]) == (0, None, None)

    def test_sessions_without_a_name_count_each_time(self, any_elo):
        for _ in range(2):
            any_elo.record_redteam_result("claude", 0.85, 3, 20)
        assert any_elo.get_rating("claude").elo == pytest.approx(1516.32)
        assert len(any_elo.tests("claude")) == len(any_elo.tests()) == 2
        assert any_elo.tests("nobody") == []

    def test_verification(self, any_elo):
        assert any_elo.update_from_verification("claude", "logic", 5, 1, verification_id="v1") == pytest.approx(32.0)
        assert any_elo.update_from_verification("claude", "logic", 5, 1, verification_id="v1") == pytest.approx(32.0)
        assert any_elo.update_from_verification("claude", "logic", 1, 1) == 0.0
        impact = any_elo.get_verification_impact("claude")
        assert (impact["agent_name"], impact["verification_events"]) == ("claude", 2)
        assert impact["total_impact"] == pytest.approx(32.0)
        assert [one["verified_count"] for one in impact["history"]] == [1, 5]

    def test_the_session_and_the_agent_name_a_test_whatever_is_in_their_names(self, elo):
        elo.record_redteam_result("b:c", 0.9, 0, 1, session_id="a")
        elo.record_redteam_result("c", 0.4, 0, 1, session_id="a:b")
        assert len(elo.tests()) == 2

    def test_strengths(self, elo):
        for n in range(6):
            elo.record_match(f"d{n}", scores={"ann": 0.9, "bob": 0.5, "cas": 0.1}, domain="law")
        strengths = elo.get_strengths()
        assert [one.agent for one in strengths] == ["ann", "bob", "cas"]
        assert all(one.low < one.strength < one.high for one in strengths)
        assert [one.agent for one in elo.get_strengths("law")] == ["ann", "bob", "cas"]


class TestOptions:
    def test_who_won_counts_instead_of_the_ratio(self, path):
        with EloSystem(path, outcome="win") as elo:
            assert elo.record_match(scores={"a": 0.8, "b": 0.6}) == pytest.approx({"a": 16.0, "b": -16.0})

    def test_the_margin_counts_instead_of_the_ratio(self, path):
        with EloSystem(path, outcome="margin") as elo:
            assert elo.record_match(scores={"a": 0.8, "b": 0.6}) == pytest.approx({"a": 3.2, "b": -3.2})

    def test_the_mean_over_opponents_instead_of_the_sum(self, path):
        with EloSystem(path, outcome="win", normalize="n-1") as elo:
            changes = elo.record_match(scores={"a": 0.9, "b": 0.6, "c": 0.3, "d": 0.1})
            assert changes == pytest.approx({"a": 16.0, "b": 16 / 3, "c": -16 / 3, "d": -16.0})

    @pytest.mark.parametrize("wrong", [{"outcome": "luck"}, {"normalize": "n"}])
    def test_there_are_no_others(self, path, wrong):
        with pytest.raises(InvalidConfig, match="is one of"):
            EloSystem(path, **wrong)
        assert not path.exists()


class TestOpening:
    def test_the_database_has_the_name_that_old_code_gives_it(self, path, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with EloSystem(db_path=path) as elo:
            elo.record_match(winner="a", loser="b")
        with EloSystem(path) as elo, EloSystem(db_path=":memory:") as other:
            assert elo.list_agents() == ["a", "b"]
            assert other.list_agents() == []
        with pytest.raises(InvalidConfig, match="db_path"):
            EloSystem(path, db_path=path)
        assert not (tmp_path / "paragone.db").exists()

    def test_a_pool_keeps_its_configuration(self, shared_url):
        mine = RatingConfig(initial=1000.0, k=16.0)
        with EloSystem(shared_url, config=mine) as elo:
            elo.record_match(winner="a", loser="b")
        for config in (None, mine):
            with EloSystem(shared_url, config=config) as elo:
                assert elo.get_rating("a").elo == 1008.0
                assert elo.get_rating("c").elo == elo.get_stats()["avg_elo"] == 1000.0
        with pytest.raises(Conflict, match="'agents' already exists"):
            EloSystem(shared_url, config=RatingConfig(initial=1500.0))

    def test_pools_of_one_database_share_nothing(self, path):
        with EloSystem(path) as one, EloSystem(path, pool="others") as other:
            one.record_match("d1", scores={"a": 1.0, "b": 0.0})
            assert other.list_agents() == other.get_recent_matches() == other.get_snapshot_leaderboard() == []
            assert other.record_match("d1", scores={"a": 0.0, "b": 1.0})["a"] == -16.0

    def test_a_pool_of_something_else_is_refused(self, path):
        with Ledger.open(path) as ledger:
            ledger.pools.create("ideas", RatingConfig(), kind=ItemKind.HYPOTHESIS)
        with pytest.raises(Conflict, match="'ideas' holds items of kind hypothesis, not agents"):
            EloSystem(path, pool="ideas")

    def test_what_is_no_ledger_is_refused(self, path):
        path.write_text("not a database")
        with pytest.raises(Unwritable):
            EloSystem(path)

    def test_two_systems_on_two_databases_share_nothing(self, tmp_path):
        with EloSystem(tmp_path / "one.db") as one, EloSystem(tmp_path / "two.db") as two:
            one.record_match(winner="a", loser="b")
            assert two.get_leaderboard() == two.get_snapshot_leaderboard() == []
            assert two.get_stats()["total_matches"] == 0
            two.record_match(winner="b", loser="a")
            assert one.get_leaderboard()[0].agent_name == "a"

    def test_what_is_recorded_is_there_when_it_is_opened_again(self, path, contents):
        with EloSystem(path, lifetimes=Lifetimes(leaderboard=0)) as elo:
            elo.record_match("d1", list(THREE), THREE, "security")
            elo.record_redteam_result("claude", 0.9, 1, 9)
            elo.update_relationship("claude", "gpt4", 1)
            before = contents(elo)
        with EloSystem(path) as elo:
            assert contents(elo) == before


def test_the_page_has_every_method_as_it_is():
    methods = {name: method for name, method in inspect.getmembers(EloSystem) if not name.startswith("_")}
    cells = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    named = {found[1]: found[2] for cell in cells for found in re.finditer(r"`(\w+)(?:\((.*?)\))?`", cell)}
    assert set(methods) - {"close"} <= set(named)
    for name, arguments in named.items():
        if arguments is not None and name in methods:
            parameters = list(inspect.signature(methods[name]).parameters.values())[1:]
            shown = [argument.partition("=")[0] for argument in arguments.split(", ") if argument not in ("*", "")]
            assert shown == [parameter.name for parameter in parameters], name
            defaults = dict(argument.split("=") for argument in arguments.split(", ") if "=" in argument)
            assert defaults == {one.name: repr(one.default) for one in parameters if one.default is not one.empty}, name
