"""Runs of the open co-scientists, with the fields that their own code writes; odd rows are left out and counted."""

import json

import pytest

from paragone.errors import UnreadableFile
from paragone.intake.coscientist import read_run, run_of
from paragone.intake.items import id_of

LONG = "Sleep replays what was learned, and " * 8


def kaimen():
    """``co_scientist/models``: ids, ``full_text``, reviews and matches apart, scores from 0 to 1."""
    hypothesis = {"session_id": "s", "created_by": "generation", "title": "T", "summary": "S", "elo": 1200.0}
    review = {"session_id": "s", "kind": "full", "verdict": "neutral", "body": "Plausible.", "evidence": []}
    match = {
        "session_id": "s",
        "mode": "debate",
        "elo_a_before": 1200.0,
        "elo_b_before": 1200.0,
        "rationale": "because",
    }
    return {
        "research_goal": "why we sleep",
        "hypotheses": [
            {**hypothesis, "id": "hyp_1", "full_text": "One.", "state": "in_tournament"},
            {**hypothesis, "id": "hyp_2", "full_text": "Two.", "state": "draft"},
            {**hypothesis, "id": "hyp_3", "full_text": "Three.", "state": "rejected"},
        ],
        "reviews": [
            {
                **review,
                "id": "rev_1",
                "hypothesis_id": "hyp_1",
                "scores": {"novelty": 0.8, "correctness": 0.4, "testability": None},
            },
            {**review, "id": "rev_2", "hypothesis_id": "hyp_2", "scores": {"novelty": None}},
            {**review, "id": "rev_3", "hypothesis_id": "hyp_9", "scores": {"novelty": 0.5}},
        ],
        "matches": [
            {**match, "id": "m1", "hyp_a": "hyp_1", "hyp_b": "hyp_2", "winner": "b"},
            {**match, "id": "m2", "hyp_a": "hyp_1", "hyp_b": "hyp_2", "mode": "invalid", "winner": None},
            {**match, "id": "m3", "hyp_a": "hyp_1", "hyp_b": "hyp_3", "winner": "a"},
        ],
    }


def jataware():
    """``Hypothesis.to_dict`` and ``tournament_matchups``: no ids, texts cut after 200 characters, scores out of 10."""
    review = {"review_summary": "Fine.", "scores": {"novelty": 7, "feasibility": 5}, "overall_score": 6.0}
    hypothesis = {"elo_rating": 1224, "win_count": 1, "loss_count": 0, "score": 6.0, "reviews": [review]}
    match = {"reasoning": "clearer", "confidence": "High", "winner_elo_before": 1200, "winner_elo_after": 1212}
    return {
        "hypotheses": [{**hypothesis, "text": LONG + "one"}, {**hypothesis, "text": "Another claim."}],
        "tournament_matchups": [
            {**match, "hypothesis_a": LONG[:200] + "...", "hypothesis_b": "Another claim.", "winner": "a"},
            {**match, "hypothesis_a": "Unheard of.", "hypothesis_b": "Another claim.", "winner": "b"},
        ],
    }


def conradry():
    """``ReviewedHypothesis`` by ``uid``, and ``RankingMatchResult``: the winner is 1 or 2."""
    return {
        "goal": "why we sleep",
        "hypotheses": {
            "u1": {"uid": "u1", "hypothesis": "One.", "predictions": ["p"], "verification_result": "holds"},
            "u2": {"uid": "u2", "hypothesis": "Two.", "predictions": ["p"], "verification_result": "fails"},
        },
        "match_history": [{"uid1": "u1", "uid2": "u2", "winner": 2, "debate": "WINNER: 2"}],
    }


def test_kaimen():
    run = run_of(kaimen())
    assert (run.goal, [item.id for item in run.items]) == ("why we sleep", ["hyp_1", "hyp_2"])
    (review,) = run.reviews
    assert (review.item, review.score, dict(review.scores)) == (
        "hyp_1",
        pytest.approx(0.6),
        {"novelty": 0.8, "correctness": 0.4},
    )
    assert [(match.a, match.b, match.winner, match.judge) for match in run.matches] == [
        ("hyp_1", "hyp_2", "hyp_2", "debate")
    ]
    assert run.left_out == {
        "hypotheses that were withdrawn": 1,
        "reviews of unknown hypotheses": 1,
        "reviews without a score": 1,
        "matches without a winner": 1,
        "matches whose sides are unknown or not to be told apart": 1,
    }


def test_jataware_and_guy915():
    run = run_of(jataware())
    first, second = (item.id for item in run.items)
    assert (first, second) == (id_of(LONG + "one"), "Another claim.")
    assert [(match.winner, match.reason) for match in run.matches] == [(first, "clearer")]
    assert {(review.item, review.score, review.text) for review in run.reviews} == {
        (id, 0.6, "Fine.") for id in (first, second)
    }
    assert run.left_out == {"matches whose sides are unknown or not to be told apart": 1}


def test_two_texts_that_begin_alike_cannot_be_told_apart_in_a_log():
    state = jataware()
    state["hypotheses"].append({"text": LONG + "two"})
    assert run_of(state).matches == ()


def test_conradry():
    run = run_of(conradry())
    assert {item.id: item.text for item in run.items} == {"u1": "One.", "u2": "Two."}
    assert [match.winner for match in run.matches] == ["u2"]
    assert run.left_out == {}


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"hypotheses": []}', '{"hypotheses": 5}', "[" * 100_000])
def test_what_is_no_run_is_refused(tmp_path, content):
    (tmp_path / "run.json").write_text(content)
    with pytest.raises(UnreadableFile, match=r"run\.json"):
        read_run(tmp_path / "run.json")


def test_odd_rows_do_not_cost_the_others(tmp_path):
    state = kaimen()
    state["hypotheses"] += [
        5,
        {"id": 7},
        {"id": "hyp_1", "full_text": "Again."},
        {"id": "hyp_4", "full_text": "", "title": "T"},
    ]
    state["reviews"] += ["x", {"hypothesis_id": "hyp_1", "scores": {"novelty": "high", "clarity": True}}]
    state["matches"] += [None, {"hyp_a": "hyp_1", "hyp_b": "hyp_1", "winner": "a"}]
    (tmp_path / "run.json").write_text(json.dumps(state))
    run = read_run(tmp_path / "run.json")
    assert {item.id: item.text for item in run.items} == {"hyp_1": "One.", "hyp_2": "Two.", "hyp_4": ""}
    assert run.left_out["hypotheses without an id or a text"] == 1
    assert run.left_out["hypotheses that are there twice"] == 1
    assert len(run.matches) == len(run.reviews) == 1
