"""Code written against document A runs with its import changed, and comes to the numbers that were settled."""

import inspect
from dataclasses import fields

import pytest

from paragone.agents import AgentRating, EloSystem
from paragone.domain import RatingConfig

_RECORDING = """
from aragora.ranking.elo import EloSystem

elo = EloSystem()

# Modern API: multi-agent with scores
changes = elo.record_match(
    debate_id="debate-001",
    participants=["claude", "gpt4", "gemini"],
    scores={"claude": 0.8, "gpt4": 0.6, "gemini": 0.4},
    domain="security",
    confidence_weight=0.9
)

# Legacy API: two-player
changes = elo.record_match(
    winner="claude",
    loser="gpt4",
    draw=False,
    task="code review"
)
"""

_DOMAINS = """
rating = elo.get_rating("claude")

# Global ELO
print(rating.elo)  # 1623

# Domain ELOs
print(rating.domain_elos)  # {"security": 1580, "legal": 1490, ...}
"""

_PREDICTIONS = """
# Tournament winner prediction
elo.record_winner_prediction(
    tournament_id="tourney-001",
    predictor_agent="claude",
    predicted_winner="gpt4",
    confidence=0.75
)

# Resolve tournament
brier_scores = elo.resolve_tournament_calibration(
    tournament_id="tourney-001",
    actual_winner="claude"
)
"""

_DOMAIN_CALIBRATION = """
# Record domain-specific prediction
elo.record_domain_prediction(
    agent_name="claude",
    domain="legal",
    confidence=0.8,
    correct=True
)

# Get calibration curve (by confidence bucket)
buckets = elo.get_calibration_by_bucket("claude", domain="legal")
# Returns: [{"bucket_key": "0.8-0.9", "accuracy": 0.82, ...}, ...]

# Expected Calibration Error
ece = elo.get_expected_calibration_error("claude")
"""

_LEADERBOARDS = """
# Global leaderboard
top_agents = elo.get_leaderboard(limit=20)

# Domain leaderboard
top_security = elo.get_leaderboard(limit=10, domain="security")

# Calibration leaderboard
best_calibrated = elo.get_calibration_leaderboard(limit=10)
"""

_RELATIONSHIPS = """
# Update relationship
elo.update_relationship(
    agent_a="claude",
    agent_b="gpt4",
    debate_increment=1,
    agreement_increment=1,
    critique_a_to_b=2,
    critique_accepted_a_to_b=1,
    a_win=1
)

# Get relationship metrics
metrics = elo.compute_relationship_metrics("claude", "gpt4")
# Returns: {"rivalry_score": 0.4, "alliance_score": 0.6, ...}

# Find rivals and allies
rivals = elo.get_rivals("claude", limit=5)
allies = elo.get_allies("claude", limit=5)
"""

_RED_TEAM = """
elo_change = elo.record_redteam_result(
    agent_name="claude",
    robustness_score=0.85,
    successful_attacks=3,
    total_attacks=20,
    critical_vulnerabilities=0,
    session_id="session-001"
)

summary = elo.get_vulnerability_summary("claude")
"""

_VERIFICATION = """
elo_change = elo.update_from_verification(
    agent_name="claude",
    domain="mathematics",
    verified_count=5,
    disproven_count=1,
    k_factor=16.0
)
"""

_BATCHES = """
# Batch rating fetch
ratings = elo.get_ratings_batch(["claude", "gpt4", "gemini"])

# Batch relationship updates
elo.update_relationships_batch([
    {"agent_a": "claude", "agent_b": "gpt4", "debate_increment": 1},
    {"agent_a": "gpt4", "agent_b": "gemini", "agreement_increment": 1},
])
"""

_SNAPSHOTS = """
# Fast leaderboard from snapshot
leaderboard = elo.get_snapshot_leaderboard(limit=20)

# Fast recent matches from snapshot
matches = elo.get_cached_recent_matches(limit=10)
"""

SNIPPETS = tuple(
    snippet.replace("aragora.ranking.elo", "paragone.agents")
    for snippet in (
        _RECORDING,
        _DOMAINS,
        _PREDICTIONS,
        _DOMAIN_CALIBRATION,
        _LEADERBOARDS,
        _RELATIONSHIPS,
        _RED_TEAM,
        _VERIFICATION,
        _BATCHES,
        _SNAPSHOTS,
    )
)
"""The code of document A that calls the system, as it stands there and in its order, but for the import."""


@pytest.fixture
def ran(tmp_path, monkeypatch, capsys):
    """The names that document A's code leaves behind, run in an empty folder; a warning would be an error."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for snippet in SNIPPETS:
        exec(compile(snippet, "document A", "exec"), names)
    yield names
    names["elo"].close()


def test_its_code_runs_by_changing_one_import(ran, tmp_path):
    assert (tmp_path / "paragone.db").exists()
    assert set(ran["changes"]) == {"claude", "gpt4"}
    assert ran["brier_scores"] == {"claude": 0.5625}
    assert [bucket["bucket_key"] for bucket in ran["buckets"]] == ["0.8-0.9"]
    assert ran["buckets"][0]["accuracy"] == 1.0
    assert ran["ece"] == pytest.approx(0.15)
    assert [agent.agent_name for agent in ran["top_agents"]] == ["claude", "gemini", "gpt4"]
    assert [agent.agent_name for agent in ran["top_security"]] == ["claude", "gpt4", "gemini"]
    assert ran["best_calibrated"] == []
    assert ran["metrics"]["head_to_head"] == "1-0"
    assert ran["rivals"] == []
    assert [ally["agent_b"] for ally in ran["allies"]] == ["gpt4"]
    assert ran["summary"]["redteam_sessions"] == 1
    assert ran["summary"]["total_elo_impact"] == pytest.approx(8.16)
    assert ran["elo_change"] == pytest.approx(32.0)
    assert list(ran["ratings"]) == ["claude", "gpt4", "gemini"]
    assert [entry["agent_name"] for entry in ran["leaderboard"]] == ["claude", "gemini", "gpt4"]
    assert [match["debate_id"] for match in ran["matches"]][1:] == ["debate-001"]
    assert ran["elo"].audit().ok


def test_the_three_way_example(elo):
    changes = elo.record_match(
        debate_id="debate-001",
        participants=["claude", "gpt4", "gemini"],
        scores={"claude": 0.8, "gpt4": 0.6, "gemini": 0.4},
        domain="security",
        confidence_weight=0.9,
    )
    assert list(changes) == ["claude", "gpt4", "gemini"]
    assert changes == pytest.approx({"claude": 6.857142857, "gpt4": 0.822857143, "gemini": -7.68}, abs=1e-9)
    claude, gpt4 = elo.get_rating("claude"), elo.get_rating("gpt4")
    assert claude.elo == claude.domain_elos["security"] == pytest.approx(1506.857142857)
    assert (claude.wins, claude.losses, claude.draws, claude.debates_count) == (1, 0, 0, 1)
    assert (gpt4.wins, gpt4.losses, gpt4.draws, gpt4.debates_count) == (0, 1, 0, 1)


def test_a_favourite_who_wins_by_a_little_loses_points(elo):
    for _ in range(10):
        elo.record_match(winner="claude", loser="gpt4")
    with pytest.warns(UserWarning, match="'claude' won and lost"):
        changes = elo.record_match(participants=["claude", "gpt4"], scores={"claude": 0.8, "gpt4": 0.6})
    assert changes["claude"] < 0


def test_tests_of_strength(elo):
    assert elo.record_redteam_result("claude", 0.85, 3, 20) == pytest.approx(8.16)
    assert elo.record_redteam_result("gpt4", 0.6, 9, 20) == 0.0
    assert elo.record_redteam_result("gemini", 0.3, 10, 20, 2) == pytest.approx(-12.0)
    assert elo.record_redteam_result("grok", 0.1, 20, 20, 50) == -30.0
    assert elo.update_from_verification("claude", "mathematics", 5, 1, 16.0) == pytest.approx(32.0)
    assert elo.update_from_verification("claude", "mathematics", 0, 0) == 0.0
    claude = elo.get_rating("claude")
    assert claude.elo == pytest.approx(1540.16)
    assert claude.domain_elos == {"mathematics": pytest.approx(1540.16)}
    assert claude.debates_count == 0


def test_what_is_returned_is_what_was_applied_after_the_floor(elo):
    assert elo.update_from_verification("claude", "", 0, 174) == pytest.approx(-1392.0)
    assert elo.update_from_verification("claude", "logic", 0, 10) == pytest.approx(-8.0)
    assert elo.get_rating("claude").elo == 100.0
    assert elo.get_verification_impact("claude")["total_impact"] == pytest.approx(-1400.0)
    assert elo.record_redteam_result("claude", 0.1, 20, 20, 50) == 0.0
    assert elo.update_from_verification("gpt4", "logic", 1000) == pytest.approx(2500.0)
    assert elo.get_rating("gpt4").elo == elo.get_rating("gpt4").domain_elos["logic"] == 4000.0
    assert elo.record_redteam_result("gpt4", 0.85, 0, 20) == 0.0


def test_what_is_returned_is_the_global_change_not_that_of_the_domain(path):
    with EloSystem(path, config=RatingConfig(initial=120.0, k=32.0)) as elo:
        elo.record_match(scores={"claude": 1.0, "gpt4": 0.0}, domain="law")
        assert elo.record_match(scores={"claude": 1.0, "gpt4": 0.0})["gpt4"] == pytest.approx(-4.0)
        last = elo.record_match(scores={"claude": 1.0, "gpt4": 0.0}, domain="law")
        gpt4 = elo.get_rating("gpt4")
        assert (last["gpt4"], gpt4.elo, gpt4.domain_elos) == (0.0, 100.0, {"law": 100.0})
        assert elo.get_recent_matches()[0]["elo_changes"] == last


def test_calibration_counts_from_the_fifth_prediction_on(elo):
    for _ in range(4):
        elo.record_domain_prediction("claude", "legal", 0.9, True)
    assert elo.get_rating("claude").calibration_score == 0.0
    elo.record_domain_prediction("claude", "legal", 0.9, True)
    rating = elo.get_rating("claude")
    assert rating.calibration_brier_score == pytest.approx(0.01)
    assert rating.calibration_score == pytest.approx(0.99 * 0.5)
    elo.record_domain_predictions(
        [{"agent_name": "claude", "domain": "legal", "confidence": 0.9, "correct": True}] * 40
    )
    assert elo.get_rating("claude").calibration_score == pytest.approx(0.99)
    elo.record_domain_prediction("claude", "legal", 0.9, True)
    assert elo.get_rating("claude").calibration_score == pytest.approx(0.99)


def test_a_confidence_of_one_falls_in_the_last_bucket(elo):
    for confidence, correct in [(1.0, True), (0.95, True), (0.9, False), (0.0, False)]:
        elo.record_domain_prediction("claude", "legal", confidence, correct)
    first, last = elo.get_calibration_by_bucket("claude")
    assert (first["bucket_key"], first["predictions"], first["expected_accuracy"]) == ("0.0-0.1", 1, 0.05)
    assert (last["bucket_key"], last["predictions"], last["expected_accuracy"]) == ("0.9-1.0", 3, 0.95)
    assert last["mean_confidence"] == pytest.approx(0.95)
    ece = 3 / 4 * abs(2 / 3 - 0.95) + 1 / 4 * 0.05
    assert elo.get_expected_calibration_error("claude") == pytest.approx(ece)


def test_calibration_multiplies_k_by_two_less_the_quality(elo):
    class Tracker:
        def get_quality(self, agent):
            return {"claude": 0.25, "gpt4": 1.0}[agent]

    scores = {"claude": 1.0, "gpt4": 0.0, "gemini": 0.0}
    changes = elo.record_match("d", list(scores), scores, calibration_tracker=Tracker())
    assert changes == pytest.approx({"claude": 2 * 16 * 1.75, "gpt4": -16.0, "gemini": -16.0})


def test_relationships(elo):
    more = {"critique_a_to_b": 4, "critique_accepted_a_to_b": 1}
    elo.update_relationship("zoe", "abe", 10, 2, a_win=3, b_win=1, **more)
    seen = elo.compute_relationship_metrics("zoe", "abe")
    rivalry = 0.3 * 0.5 + 0.4 * 0.8 + 0.3 / 3
    alliance = 0.5 * 0.2 + 0.3 * 0.25 + 0.2 * (2 / 3)
    assert (seen["rivalry_score"], seen["alliance_score"]) == pytest.approx((rivalry, alliance))
    assert (seen["relationship"], seen["agreement_rate"], seen["head_to_head"]) == ("neutral", 0.2, "3-1")
    assert elo.compute_relationship_metrics("abe", "zoe")["head_to_head"] == "1-3"
    assert elo.compute_relationship_metrics("abe", "eve")["relationship"] == "unknown"
    elo.update_relationship("abe", "eve", critique_a_to_b=1)
    assert elo.compute_relationship_metrics("abe", "eve")["relationship"] == "no_history"
    elo.update_relationship("abe", "eve", 1, 1)
    assert elo.compute_relationship_metrics("abe", "eve")["relationship"] == "acquaintance"
    elo.update_relationship("ann", "bob", 20, a_win=5, b_win=5)
    assert elo.compute_relationship_metrics("ann", "bob")["relationship"] == "rival"


def test_the_rating_has_every_field_and_property_of_the_document():
    names = [field.name for field in fields(AgentRating)]
    assert names[:12] == [
        "agent_name", "elo", "domain_elos", "wins", "losses", "draws", "debates_count", "critiques_accepted",
        "critiques_total", "calibration_correct", "calibration_total", "calibration_brier_sum",
    ]  # fmt: skip
    fresh = AgentRating("claude")
    assert (fresh.elo, fresh.elo_rating, fresh.domain_elos, fresh.win_rate, fresh.games_played) == (
        1500,
        1500,
        {},
        0,
        0,
    )
    assert (fresh.critique_acceptance_rate, fresh.calibration_accuracy, fresh.calibration_score) == (0, 0, 0)
    assert (fresh.calibration_brier_score, fresh.total_debates) == (1.0, 0)
    played = AgentRating(
        "claude", wins=3, losses=1, draws=1, debates_count=5, critiques_accepted=1, critiques_total=4,
        calibration_correct=4, calibration_total=5, calibration_brier_sum=0.5,
    )  # fmt: skip
    assert (played.win_rate, played.games_played, played.critique_acceptance_rate) == (0.6, 5, 0.25)
    assert (played.calibration_accuracy, played.calibration_brier_score) == (0.8, 0.1)
    assert played.calibration_score == pytest.approx(0.45)


@pytest.mark.parametrize(
    ("method", "arguments"),
    {
        "record_match": "debate_id participants scores domain confidence_weight calibration_tracker winner loser draw "
        "task",
        "get_rating": "agent_name use_cache",
        "get_ratings_batch": "agent_names",
        "record_winner_prediction": "tournament_id predictor_agent predicted_winner confidence",
        "resolve_tournament_calibration": "tournament_id actual_winner",
        "record_domain_prediction": "agent_name domain confidence correct prediction_id",
        "get_calibration_by_bucket": "agent_name domain",
        "get_expected_calibration_error": "agent_name domain",
        "get_leaderboard": "limit domain use_cache",
        "get_calibration_leaderboard": "limit use_cache",
        "update_relationships_batch": "updates",
        "compute_relationship_metrics": "agent_a agent_b",
        "get_rivals": "agent_name limit",
        "get_allies": "agent_name limit",
        "record_redteam_result": "agent_name robustness_score successful_attacks total_attacks "
        "critical_vulnerabilities session_id domain",
        "get_vulnerability_summary": "agent_name",
        "update_from_verification": "agent_name domain verified_count disproven_count k_factor verification_id",
        "get_snapshot_leaderboard": "limit",
        "get_cached_recent_matches": "limit",
        "register_agent": "agent_name model",
        "get_elo_history": "agent_name limit",
        "get_head_to_head": "agent_a agent_b",
        "get_top_agents_for_domain": "domain limit",
        "record_critique": "agent_name accepted critique_id",
        "get_all_relationships_for_agent": "agent_name limit",
        "get_best_domains": "agent_name limit",
        "get_agent_calibration_history": "agent_name limit",
    }.items(),
)
def test_arguments_have_the_documents_names_and_order(method, arguments):
    assert list(inspect.signature(getattr(EloSystem, method)).parameters)[1:] == arguments.split()
