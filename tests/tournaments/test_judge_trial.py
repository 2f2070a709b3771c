"""Trials of protocols on labelled pairs: worked by hand, and measured on a judge of known accuracy."""

import math
from dataclasses import replace

import pytest

import virtual_time
from paragone.analysis.quality.judge_trial import LabelledPair, information, relative_sharpness
from paragone.domain import Item
from paragone.errors import JudgeFailed
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.debates.token_estimates import comparison_tokens
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.judge_trial import AnswerFile, protocols_of, tried
from paragone.wire.judge_trial import ShareEstimate

TEXT = "a text of some length " * 20


def pairs(count):
    """Pairs of items that are one nat apart, the better one on either side."""
    items = [Item(id=f"i{n:04}", text=TEXT) for n in range(2 * count)]
    return [LabelledPair(a=items[2 * n], b=items[2 * n + 1], a_is_better=n % 2 == 0) for n in range(count)]


def strengths(labelled):
    better = {(pair.a if pair.a_is_better else pair.b).id for pair in labelled}
    return {item.id: float(item.id in better) for pair in labelled for item in (pair.a, pair.b)}


def trials(judge, labelled, protocols, **how):
    return virtual_time.run(lambda: tried("it", judge, labelled, protocols, criteria="merit", again=0, **how))[0]


def test_sharpness_and_information_are_those_of_the_definition():
    def agreed(share, count):
        return ShareEstimate(share=share, low=0.0, high=1.0, count=count)

    # ln(9.5 / 1.5) / ln(7.5 / 3.5), and 1 - H(9.5 / 11)
    assert relative_sharpness(agreed(0.9, 10), agreed(0.7, 10)) == round(math.log(9.5 / 1.5) / math.log(7.5 / 3.5), 3)
    share = 9.5 / 11
    entropy = -share * math.log2(share) - (1 - share) * math.log2(1 - share)
    assert information(agreed(0.9, 10)) == pytest.approx(1 - entropy)
    assert (information(agreed(0.5, 10)), information(agreed(None, 0))) == (0.0, 0.0)
    assert relative_sharpness(agreed(0.9, 10), agreed(0.5, 10)) is None, "of no direct verdict that tells anything"


def test_protocols_of_a_judge_of_known_accuracy_stand_side_by_side():
    labelled = pairs(300)
    judge = SimulatedJudge(
        strengths(labelled), bias=0.5, panel_noise=0.5, debate_noise=0.25, failures=0.05, tokens=None
    )
    assert protocols_of(judge.card, debates=True) == ("direct", "panel", "debate")
    assert protocols_of(judge.card, debates=False) == ("direct", "panel")
    advocate = ScriptedAdvocate(tokens=None)
    direct, panel = trials(judge, labelled, ("direct", "panel"))
    # seven requests each: a third of the pairs is enough for its interval
    (debate,) = trials(judge, labelled[:100], ("debate",), advocate=advocate, turns=3)
    assert [each.protocol for each in (direct, panel, debate)] == ["direct", "panel", "debate"]
    # with a bias of 1/2 and either order: the mean of logistic(s + 1/2) and logistic(s - 1/2), s = 1, 2 and 4
    for trial, sharpness in ((direct, 1.0), (panel, 2.0), (debate, 4.0)):
        expected = sum(1 / (1 + math.exp(-sharpness - bias)) for bias in (0.5, -0.5)) / 2
        assert trial.agreement.low <= expected <= trial.agreement.high, trial.protocol
    assert (direct.sharpness, panel.sharpness) == (None, pytest.approx(2.0, abs=0.6))
    requests = [trial.requests_per_decision for trial in (direct, panel, debate)]
    assert requests == pytest.approx((1, 1, 7), abs=0.4)
    lengths = [len(TEXT)] * 2
    assert [trial.tokens_per_decision for trial in (direct, panel, debate)] == [
        comparison_tokens(lengths), comparison_tokens(lengths, panel=True), comparison_tokens(lengths, 3)
    ]  # fmt: skip
    assert panel.information > debate.information


def test_protocols_that_a_judge_lacks_are_left_out():
    card = FunctionJudge(lambda a, b, criteria: "first").card
    assert protocols_of(card, debates=True) == ("direct",)


class NoPanels(SimulatedJudge):
    """A model that takes the request for a panel and cannot write the answer."""

    async def compare(self, question):
        if question.panel:
            raise JudgeFailed("its votes are a list, not ''", retryable=False)
        return await super().compare(question)


def test_an_answer_in_another_form_says_nothing_about_this_one():
    labelled = pairs(6)
    direct, panel = trials(NoPanels(strengths(labelled)), labelled, ("direct", "panel"))
    assert (direct.failed, panel.failed, panel.agreement.count) == (0, 12, 0)


def test_a_trial_goes_on_from_its_file_with_what_its_debates_took(tmp_path):
    labelled = pairs(4)
    how = {"advocate": ScriptedAdvocate(tokens=None), "turns": 1}
    asked = []

    class Counted(SimulatedJudge):
        async def compare(self, question):
            asked.append(question.call)
            return await super().compare(question)

    judge = Counted(strengths(labelled), tokens=None)
    first = trials(judge, labelled, ("direct", "debate"), answers=AnswerFile(tmp_path / "a.jsonl"), **how)
    count = len(asked)
    again = trials(judge, labelled, ("direct", "debate"), answers=AnswerFile(tmp_path / "a.jsonl"), **how)
    assert (len(asked), count) == (16, 16), "nothing is asked again"
    assert [each.tokens_per_decision for each in again] == [each.tokens_per_decision for each in first]
    assert again[1].tokens_per_decision == comparison_tokens([len(TEXT)] * 2, 1)
    same = [replace(each, spending=first[0].spending, seconds_per_decision=0.0) for each in (*first, *again)]
    assert same[:2] == same[2:]
