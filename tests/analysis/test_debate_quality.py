"""What a verdict and its debate are worth, in numbers worked out by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.quality.debates import DebateQuality, confidence_of, debate_quality, margin
from paragone.domain import Choice, CriterionScore, DebateTurn, Speaker, Stage, Verdict

TEXTS = (
    "Cells that lack X divide twice as fast. A knock-out in mice would show it.",
    "Protein Y folds slowly because it lacks a chaperone.",
)
REASONS = "The first names a test that could fail, the second does not."
WEIGHTS = {"novelty": 1.0, "testability": 3.0}


def score(criterion, first, second):
    return CriterionScore(criterion=criterion, first=first, second=second)


FIRST_AHEAD = (score("novelty", 0.5, 0.6), score("testability", 0.9, 0.4))


def verdict(choice=Choice.FIRST, scores=FIRST_AHEAD, rationale=REASONS):
    return Verdict(choice=choice, judge="judge", scores=scores, rationale=rationale)


SAID = {
    (1, "opening"): "Cells without X divide fast, and mice would show whether that is so.",
    (2, "opening"): "A missing chaperone explains the slow folding of Y in plain terms.",
    (1, "exchange"): "Slow folding is known already; what follows from it is left open.",
    (2, "exchange"): "Knock-outs of X are lethal in mice, which the first text passes over.",
    (1, "closing"): "A conditional knock-out would do, so the test stands and can fail.",
    (2, "closing"): "Both can be tested, but only the second says by which mechanism.",
}


def debate(**changes):
    stages = ("opening", "exchange", "closing")
    return [
        replace(
            DebateTurn(
                call="1.1.1",
                number=2 * at + side,
                speaker=Speaker.FIRST if side == 1 else Speaker.SECOND,
                stage=Stage(stage),
                content=SAID[side, stage],
                rebuttals=("That Y folds slowly is known.",) if stage == "exchange" else (),
                evidence=("“A knock-out in mice would show it.”",) if side == 1 else ("Smith et al. 2019",),
            ),
            **changes,
        )
        for at, stage in enumerate(stages)
        for side in (1, 2)
    ]


def quality(*args, **kwargs):
    return debate_quality(*args, texts=TEXTS, rationale=True, weights=WEIGHTS, **kwargs)


def test_a_careful_decision_after_a_proper_debate_is_worth_1():
    assert quality(verdict(), debate()) == DebateQuality(score=1.0, flags=())
    assert confidence_of(quality(verdict(), debate())) == 1.0


def test_what_was_not_asked_for_is_not_missed():
    assert debate_quality(verdict(scores=(), rationale="")) == DebateQuality()


@pytest.mark.parametrize("choice", [Choice.ABSTAIN, Choice.FAILED])
def test_what_is_no_answer_has_nothing_to_be_judged_by(choice):
    assert quality(verdict(choice, (), ""), ()) == DebateQuality()


def test_the_margin_is_the_weighted_mean_of_the_differences():
    assert margin(FIRST_AHEAD, WEIGHTS) == pytest.approx((1 * -0.1 + 3 * 0.5) / 4)
    assert margin(FIRST_AHEAD, {}) == pytest.approx(0.2)
    assert margin((), WEIGHTS) is None
    assert margin(FIRST_AHEAD, {"clarity": 1.0}) is None, "what is not weighed decides nothing"


@pytest.mark.parametrize(
    ("decided", "worth", "flag"),
    [
        (verdict(rationale=""), 0.7, "no rationale"),
        (verdict(rationale="The first."), 0.85, "the rationale is hardly one"),
        (verdict(Choice.SECOND), 0.6, "the scores (+0.35 for the first) contradict the decision"),
        (verdict(Choice.TIE), 0.6, "the scores (+0.35 for the first) contradict the decision"),
        (verdict(Choice.TIE, (score("novelty", 0.5, 0.5), score("testability", 0.5, 0.4))), 1.0, None),
        (
            verdict(scores=(score("novelty", 0.5, 0.5), score("testability", 0.5, 0.5))),
            0.85,
            "the scores do not tell the two apart",
        ),
        (verdict(scores=(score("testability", 0.9, 0.4),)), 0.95, "not scored: novelty"),
        (verdict(scores=()), 0.8, "not scored: novelty, testability"),
    ],
)
def test_each_lack_of_a_verdict_takes_off_what_is_said(decided, worth, flag):
    found = quality(decided)
    assert found.score == pytest.approx(worth)
    assert found.flags == (() if flag is None else (flag,))


def test_a_margin_within_the_noise_contradicts_nothing():
    close = (score("novelty", 0.5, 0.5), score("testability", 0.5, 0.56))
    assert margin(close, WEIGHTS) == pytest.approx(-0.045)
    assert quality(verdict(Choice.FIRST, close)).flags == ()


@pytest.mark.parametrize(
    ("turns", "worth", "flag"),
    [
        (debate(evidence=()), 0.8, "the first and the second cited nothing"),
        (debate()[:1] + debate(evidence=())[1:], 0.9, "the second cited nothing"),
        (debate(evidence=("All experts agree.",)), 0.9, "evidence that is found in neither text"),
        (debate()[:5] + debate(content="No.")[5:], 0.95, "turns that say nothing: 1 of 6"),
        (debate()[:4] + debate(content=SAID[1, "opening"] + " Really.")[4:5] + debate()[5:], 1 - 0.2 / 6,
         "turns that repeat: 1 of 6"),
        (debate()[:3] + debate(rebuttals=(" ",))[3:], 0.9, "turns that answer nothing: 1 of 2"),
    ],
)  # fmt: skip
def test_each_lack_of_a_debate_takes_off_what_is_said(turns, worth, flag):
    found = quality(verdict(), turns)
    assert found.score == pytest.approx(worth)
    assert found.flags == (flag,)


def test_a_passage_counts_whatever_its_quotation_marks_and_line_breaks():
    cited = "'it lacks a\n  CHAPERONE'"
    assert quality(verdict(), debate(evidence=(cited,))).score == 1.0


def test_the_confidence_of_a_match_is_the_mean_of_its_verdicts_and_never_under_a_tenth():
    assert confidence_of() == 1.0
    assert confidence_of(DebateQuality(score=0.5), DebateQuality(score=0.8)) == pytest.approx(0.65)
    assert confidence_of(DebateQuality(score=0.0)) == 0.1


words = st.text(alphabet="ab c.", max_size=30)
turns = st.lists(
    st.builds(
        DebateTurn, call=st.just("c"), number=st.just(1), speaker=st.sampled_from(Speaker),
        stage=st.sampled_from(Stage), content=words, rebuttals=st.tuples(words), evidence=st.tuples(words),
    ),
    max_size=6,
)  # fmt: skip
scores = st.lists(
    st.builds(CriterionScore, criterion=st.sampled_from(list(WEIGHTS)), first=st.floats(0, 1), second=st.floats(0, 1)),
    max_size=2,
    unique_by=lambda scored: scored.criterion,
).map(tuple)


@given(st.sampled_from([Choice.FIRST, Choice.SECOND, Choice.TIE]), scores, words, turns)
def test_quality_is_a_share_and_has_a_flag_for_whatever_it_lacks(choice, scored, rationale, said):
    found = quality(verdict(choice, scored, rationale), said)
    assert 0.0 <= found.score <= 1.0
    assert (found.score < 1.0) == bool(found.flags)
    assert 0.1 <= confidence_of(found) <= 1.0


@given(scores, words, turns)
def test_turning_the_sides_round_changes_no_quality(scored, rationale, said):
    turned = tuple(replace(pair, first=pair.second, second=pair.first) for pair in scored)
    other = [replace(turn, speaker=turn.speaker.opponent) for turn in said]
    one = quality(verdict(Choice.FIRST, scored, rationale), said)
    assert one.score == pytest.approx(quality(verdict(Choice.SECOND, turned, rationale), other).score)
