"""The documents' records: their fields, and JSON and back."""

import builtins
import collections.abc
import dataclasses
import json
import subprocess
import sys
import types
import typing
from datetime import UTC, datetime, timedelta, timezone
from enum import Enum
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import paragone.domain.records as records
from paragone.domain import MatchProtocol, Outcome, TournamentConfig
from paragone.domain.records import (
    RECORDS,
    Comparison,
    EloUpdate,
    Hypothesis,
    MatchRequest,
    MatchResult,
    Priority,
    RankingTask,
    SimilarityGraph,
    TaskType,
    as_values,
    from_json,
    from_values,
    to_json,
)
from paragone.domain.records.wire import RECORDS as LISTED
from paragone.errors import InvalidRecord

DOCUMENTS = {
    "MatchRequest": "hypothesis_id current_elo creation_timestamp similarity_graph_id priority",
    "DebateOutcome": "match_id hypothesis_a_id hypothesis_b_id winner_id debate_type debate_summary "
    "evaluation_criteria",
    "CriterionScore": "criterion score_a score_b",
    "EloUpdate": "hypothesis_id old_rating new_rating rating_change match_id timestamp "
    "previous_rating match_count win_rate confidence_interval",
    "TournamentRoundResults": "round_id matches_completed average_rating_change top_performers computational_cost",
    "HypothesisRanking": "hypothesis_id current_elo matches_played win_rate",
    "ResourceMetrics": "calls cached_calls input_tokens output_tokens cost wall_seconds compute_units",
    "PatternAnalysis": "winning_characteristics losing_characteristics debate_topic_trends "
    "recommendation_for_generation confidence",
    "TournamentState": "current_round active_matches pending_matches hypothesis_ratings round_statistics",
    "TournamentHistory": "completed_rounds all_matches rating_progression pattern_analyses",
    "EffectivenessMetrics": "rating_convergence_rate top_10_stability computational_efficiency "
    "correlation_with_ground_truth",
    "RankingTask": "task_type hypothesis_ids tournament_parameters priority context",
    "HypothesisSet": "hypotheses current_ratings tournament_history review_scores",
    "SimilarityGraph": "similarity_matrix clusters recommended_matches",
    "MatchResult": "id hypothesis_a_id hypothesis_b_id winner_id debate_type debate_transcript decision_rationale "
    "criteria_scores timestamp",
    "DebateTurn": "speaker content claims rebuttals evidence_cited",
    "RankingReport": "ranked_hypotheses rating_distribution top_performers emerging_candidates performance_trends",
    "RankedHypothesis": "hypothesis_id rank elo_rating match_record recent_form",
    "Confidence": "match_count rating_stability opponent_diversity confidence_score",
}
NOW = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_field_of_the_documents_is_there_under_its_name(name):
    kind = getattr(records, name)
    there = {field.name for field in dataclasses.fields(kind)}
    assert set(DOCUMENTS[name].split()) - there == set()
    assert kind in LISTED


def test_every_record_is_listed_and_frozen():
    things = [getattr(records, name) for name in records.__all__]
    kinds = {thing for thing in things if dataclasses.is_dataclass(thing)}
    assert kinds == set(RECORDS)
    assert all(kind.__dataclass_params__.frozen for kind in RECORDS)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
floats = st.floats(allow_nan=False, allow_infinity=False)
zones = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-8))])
SIMPLE = {
    str: texts,
    float: floats,
    int: st.integers(),
    bool: st.booleans(),
    type(None): st.none(),
    datetime: st.datetimes(min_value=datetime(1970, 1, 1), timezones=zones),  # noqa: DTZ001 - drawn with a zone
    Any: st.recursive(st.none() | st.booleans() | st.integers() | floats | texts, st.lists, max_leaves=4),
    TournamentConfig: st.builds(TournamentConfig, k_factor=st.floats(1, 100), match_batch_size=st.integers(1, 50)),
}


@cache
def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type; of a record, with every field filled."""
    parts = get_args(hint)
    match get_origin(hint):
        case typing.Annotated:
            return values(parts[0])
        case typing.Union | types.UnionType:
            return st.one_of(*map(values, parts))
        case typing.Literal:
            return st.sampled_from(parts)
        case collections.abc.Mapping:
            return st.dictionaries(values(parts[0]), values(parts[1]), max_size=2)
        case builtins.tuple:
            if parts[-1] is Ellipsis:
                return st.lists(values(parts[0]), max_size=2).map(tuple)
            return st.tuples(*map(values, parts))
    if hint in SIMPLE:
        return SIMPLE[hint]
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    fields = {name: values(of) for name, of in get_type_hints(hint, include_extras=True).items() if name[0] != "_"}
    made = st.fixed_dictionaries(fields)
    return made.map(lambda said: hint(**(consistent(said) if hint is EloUpdate else said)))


def consistent(said: dict[str, Any]) -> dict[str, Any]:
    return {**said, "rating_change": said["new_rating"] - said["old_rating"], "previous_rating": None}


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_json_and_back_is_the_same_record(kind):
    @given(values(kind))
    def check(record):
        text = to_json(record)
        again = from_json(kind, text)
        assert again == record
        assert to_json(again) == text
        assert from_values(kind, as_values(record)) == record
        assert from_json(kind, text.encode()) == record

    check()


def test_the_rendering_is_what_the_documents_show():
    request = MatchRequest(
        id="r1", hypothesis_id="h7", priority=Priority.HIGH, current_elo=1456, creation_timestamp=NOW
    )
    assert json.loads(to_json(request)) == {
        "id": "r1",
        "hypothesis_id": "h7",
        "priority": "high",
        "opponent_id": None,
        "current_elo": 1456,
        "creation_timestamp": "2026-01-05T09:30:00Z",
        "similarity_graph_id": "",
    }


def test_tables_by_pairs_are_lists_in_json():
    graph = SimilarityGraph(similarity_matrix={("a", "b"): 0.5, ("a", "c"): -1.0}, recommended_matches=(("a", "b"),))
    assert as_values(graph)["similarity_matrix"] == [["a", "b", 0.5], ["a", "c", -1.0]]
    assert from_json(SimilarityGraph, to_json(graph)).similarity_matrix["a", "b"] == 0.5


def result(**changes: Any) -> MatchResult:
    said = {"id": "1.1", "hypothesis_a_id": "a", "hypothesis_b_id": "b", "winner_id": "a", "decision_rationale": "",
            "debate_type": MatchProtocol.SINGLE_TURN, "timestamp": NOW, "outcome": Outcome.A}  # fmt: skip
    return MatchResult(**{**said, **changes})


def test_records_are_values_tables_included():
    one = result(criteria_scores={"novelty": Comparison(score_a=0.5, score_b=0.25)})
    assert hash(one) == hash(from_json(MatchResult, to_json(one)))
    with pytest.raises(TypeError, match="cannot be changed"):
        one.criteria_scores["clarity"] = Comparison(score_a=0.0, score_b=0.0)


UPDATE = {"hypothesis_id": "h", "old_rating": 1200, "new_rating": 1216, "rating_change": 16, "match_id": "1.1",
          "timestamp": "2026-01-05T09:30:00Z", "match_count": 1, "win_rate": 1.0,
          "confidence_interval": [1000, 1400]}  # fmt: skip


def test_old_and_previous_rating_are_the_same():
    update = from_values(EloUpdate, UPDATE)
    assert update.previous_rating == update.old_rating == 1200
    assert from_values(EloUpdate, {**UPDATE, "previous_rating": 1200}) == update


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"old_rating": "1200"}, "old_rating"),
        ({"old_rating": 1200.5}, "old_rating"),
        ({"win_rate": "high"}, "win_rate"),
        ({"timestamp": "yesterday"}, "timestamp"),
        ({"confidence_interval": [1000]}, "confidence_interval"),
        ({"elo": 3}, "elo"),
        ({"rating_change": 15}, "is none by 15"),
        ({"previous_rating": 1100}, "previous_rating 1100"),
    ],
)
def test_what_is_no_such_record_is_refused_with_the_field(changes, named):
    with pytest.raises(InvalidRecord, match=named):
        from_values(EloUpdate, {**UPDATE, **changes})


@pytest.mark.parametrize(
    ("kind", "text", "named"),
    [
        (EloUpdate, "{}", "hypothesis_id"),
        (EloUpdate, "[]", "EloUpdate"),
        (EloUpdate, '{"hypothesis_id"', "EloUpdate"),
        (RankingTask, '{"id": "t", "task_type": "Rank"}', "task_type"),
        (
            RankingTask,
            '{"id": "t", "task_type": "GlobalRanking", "tournament_parameters": {"k_factor": 0}}',
            "k_factor",
        ),
        (RankingTask, '{"id": "t", "task_type": "GlobalRanking", "tournament_parameters": {"k": 1}}', "k"),
        (Comparison, '{"score_a": NaN, "score_b": 1}', "score_a"),
        (SimilarityGraph, '{"similarity_matrix": [["a", "b", 1], ["a", "b", 0]]}', "twice"),
    ],
)
def test_text_that_holds_no_such_record_is_refused(kind, text, named):
    with pytest.raises(InvalidRecord, match=named):
        from_json(kind, text)


@pytest.mark.parametrize("record", [Comparison(score_a=float("nan"), score_b=0.0), Hypothesis(id="h", text="\ud800")])
def test_what_json_has_no_form_for_is_refused(record):
    with pytest.raises(InvalidRecord, match=type(record).__name__):
        to_json(record)


def test_a_task_carries_its_parameters():
    task = RankingTask(
        id="t1", task_type=TaskType.TOURNAMENT_ROUND, priority=2, tournament_parameters=TournamentConfig(k_factor=16)
    )
    assert as_values(task)["task_type"] == "TournamentRound"
    assert from_json(RankingTask, to_json(task)).tournament_parameters.k_factor == 16


def test_records_can_be_made_without_loading_pydantic():
    code = "import sys, paragone.domain.records; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "False"
