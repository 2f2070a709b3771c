"""How far a running rating may be trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.progress.confidence import (
    Trust,
    confidence,
    confidences,
    scores,
    trust,
)
from paragone.domain import Match, Outcome, RatingChange


def test_the_documents_steps():
    assert [trust(n) for n in (0, 4, 5, 9, 10, 19, 20, 100)] == [
        Trust.NONE,
        Trust.NONE,
        Trust.INITIAL,
        Trust.INITIAL,
        Trust.STABLE,
        Trust.STABLE,
        Trust.HIGH,
        Trust.HIGH,
    ]
    assert trust(3, (2, 4, 8)) is Trust.INITIAL


def test_worked_values():
    nothing = confidence([], [], items=50)
    assert (nothing.confidence_score, nothing.label, nothing.variance) == (0.0, Trust.NONE, None)
    # ten matches at one rating against ten others: 2/3 of everything
    steady = confidence([1200.0] * 10, [f"h{n}" for n in range(10)], items=50)
    assert (steady.rating_stability, steady.opponent_diversity) == (1.0, 1.0)
    assert steady.confidence_score == pytest.approx(2 / 3)
    assert steady.label is Trust.STABLE
    # ratings 32 points up and down have a variance of K^2, and so half the stability; one opponent is a tenth of ten
    swinging = confidence([1168.0, 1232.0] * 10, ["h1"] * 20, items=50)
    assert swinging.rating_stability == pytest.approx(0.5)
    assert swinging.opponent_diversity == pytest.approx(0.1)
    assert swinging.confidence_score == pytest.approx(0.5 + 0.25 * 0.5 + 0.25 * 0.1)
    assert swinging.record.confidence_score == swinging.confidence_score


def test_only_the_last_ten_ratings_are_looked_at():
    wild = [1000.0, 1400.0] * 10
    assert confidence([*wild, *[1200.0] * 10], ["x"] * 30, items=9).rating_stability == 1.0


def test_where_there_are_few_others_meeting_all_of_them_is_full_diversity():
    assert confidence([1200.0] * 4, ["b", "c", "b", "c"], items=3).opponent_diversity == 1.0


@given(
    st.integers(0, 40),
    st.floats(0, 1e4),
    st.floats(0, 40),
    st.sampled_from(["matches", "variance", "opponents"]),
    st.floats(0.5, 500),
)
def test_the_score_rises_with_each_part_and_stays_in_its_bounds(matches, variance, opponents, which, more):
    def score(**parts):
        return scores([parts["matches"]], [parts["variance"]], [parts["opponents"]], items=100)[0]

    parts = {"matches": matches, "variance": variance, "opponents": opponents}
    better = {**parts, which: max(0, variance - more) if which == "variance" else parts[which] + more}
    assert 0 <= score(**parts) <= score(**better) <= 1


def test_matches_that_were_rolled_back_or_came_to_nothing_do_not_count():
    def match(id, outcome=Outcome.A):
        return Match(id=id, a="x", b="y", outcome=outcome)

    def change(item, match):
        return RatingChange(item=item, match=match, old=1200, new=1216, k=32, expected=0.5, score=1)

    stands = [match("1"), match("2", Outcome.VOID)]
    found = confidences(["x", "y", "z"], stands, [change("x", "1"), change("y", "1"), change("x", "rolled back")])
    assert {id: part.match_count for id, part in found.items()} == {"x": 1, "y": 1, "z": 0}
