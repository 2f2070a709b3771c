"""Debates: who speaks when, what is kept, what a cut-off debate costs, and what stands around every call."""

import asyncio
from dataclasses import replace

import pytest

from paragone.domain import Choice, Item, Order, Pairing, Question, Speaker, Stage, Usage, stages
from paragone.errors import BudgetSpent, InvalidConfig, JudgeFailed
from paragone.judges import Budget, MemoryVerdicts, verdict_key
from paragone.judges.base import JudgeCard, Wrapper, compare_pair, in_debate
from paragone.judges.budget import tokens_at_most
from paragone.judges.debates.debate import (
    AdvocateAsJudge,
    DebateJudge,
    JudgeAndAdvocate,
    MemoryTurns,
    TurnVerdict,
    next_turn,
    simpler,
)
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate, sentences
from paragone.judges.retrying import timed_out
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.judges.stack import Stack, check_debates

STRENGTHS = {"x": 9.0, "y": 0.0}
TEXTS = {"x": "Naps help memory. Recall rose by 20 %. Sleep replays traces.", "y": "Coffee delays sleep."}


class JudgedComparison(Wrapper):
    """Notes what the judge inside was asked."""

    def __init__(self, judge):
        super().__init__(judge)
        self.asked = []

    async def compare(self, question):
        self.asked.append(question)
        return await super().compare(question)


class Failing(ScriptedAdvocate):
    """Fails at some turns, for so many times."""

    def __init__(self, *numbers, times=10**9, retryable=True):
        super().__init__()
        self.numbers, self.times, self.retryable, self.tried = numbers, times, retryable, []

    async def argue(self, question, speaker, stage, so_far):
        self.tried.append(len(so_far) + 1)
        if len(so_far) + 1 in self.numbers and self.times > 0:
            self.times -= 1
            raise JudgeFailed("lost for words", retryable=self.retryable)
        return await super().argue(question, speaker, stage, so_far)


@pytest.fixture
def debate(question):
    def make(turns=3, call="1.1.1", first="x", second="y"):
        return replace(question(first, second, call, texts=TEXTS), turns=turns)

    return make


def simulated(**options):
    return SimulatedJudge(STRENGTHS, noise=0.0, **options)


def around(judge, advocate=None, **options):
    """Everything around a judge, without waits; and what was kept."""
    turns, store, falls = MemoryTurns(), MemoryVerdicts(), []
    options = {"store": store, "turns": turns, "wait": 0.0, "attempts": 1, "on_fallback": falls.append, **options}
    return Stack(advocate=advocate or ScriptedAdvocate(), **options).around(judge), turns, store, falls


def run(judge, question):
    return asyncio.run(judge.compare(question))


def test_the_sides_alternate_and_each_opens_argues_and_closes(debate):
    judge, turns, _, _ = around(simulated())
    assert run(judge, debate(3)).choice is Choice.FIRST
    said = turns.of("1.1.1")
    assert [(turn.number, turn.speaker, turn.stage) for turn in said] == [
        (1, Speaker.FIRST, Stage.OPENING), (2, Speaker.SECOND, Stage.OPENING),
        (3, Speaker.FIRST, Stage.EXCHANGE), (4, Speaker.SECOND, Stage.EXCHANGE),
        (5, Speaker.FIRST, Stage.CLOSING), (6, Speaker.SECOND, Stage.CLOSING),
    ]  # fmt: skip


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 5])
def test_next_turn_goes_through_the_stages_of_both_sides(debate, turns):
    question, seen = debate(turns), []
    while in_debate(question):
        speaker, stage = next_turn(question)
        seen.append((speaker, stage))
        said = asyncio.run(ScriptedAdvocate().argue(question, speaker, stage, question.transcript))
        question = replace(question, transcript=(*question.transcript, said))
    assert seen == [(speaker, stage) for stage in stages(turns) for speaker in Speaker]


def test_a_question_without_turns_goes_straight_to_the_judge(debate):
    advocate, inside = Failing(1), JudgedComparison(simulated())
    judge, _, _, _ = around(inside, advocate)
    assert run(judge, debate(0)).choice is Choice.FIRST
    assert (advocate.tried, inside.asked) == ([], [debate(0)])


def test_the_judge_hears_the_whole_debate_and_only_then_is_asked(debate):
    inside = JudgedComparison(simulated(cost=0.5))
    judge, turns, _, _ = around(inside, ScriptedAdvocate(cost=0.1))
    verdict = run(judge, debate(2))
    assert inside.asked == [replace(debate(2), transcript=turns.of("1.1.1"))]
    assert verdict.usage == Usage(calls=1, cost=0.5), "turns carry their own usage"
    assert [turn.usage.cost for turn in turns.of("1.1.1")] == [0.1] * 4


def test_a_debate_that_was_cut_off_goes_on_where_it_was(debate):
    broken = Failing(4, retryable=False)
    judge, turns, _, _ = around(simulated(), broken)
    inside = DebateJudge(JudgeAndAdvocate(simulated(), AdvocateAsJudge(broken)), turns)
    with pytest.raises(JudgeFailed, match="lost for words"):
        run(inside, debate(3))
    before = turns.of("1.1.1")
    assert len(before) == 3

    mended = Failing()
    judge, _, _, _ = around(simulated(), mended, turns=turns)
    assert run(judge, debate(3)).choice is Choice.FIRST
    assert mended.tried == [4, 5, 6], "no turn is paid for twice"
    assert turns.of("1.1.1")[:3] == before


def test_the_two_orders_of_a_match_are_two_debates(debate):
    judge, turns, _, _ = around(simulated())
    items = {id: Item(id=id, text=text) for id, text in TEXTS.items()}
    pairing = Pairing(a="x", b="y", orders=(Order.AB, Order.BA), turns=1)
    one, other = asyncio.run(compare_pair(judge, pairing, items, "clarity", "1.1"))
    assert (one.verdict.choice, other.verdict.choice) == (Choice.FIRST, Choice.SECOND)
    assert turns.of("1.1.1")[0].claims == ("Naps help memory.",)
    assert turns.of("1.1.2")[0].claims == ("Coffee delays sleep.",), "whoever is shown first begins"


def test_turns_and_verdicts_pass_the_same_gate_retries_and_limits(debate):
    guarded, most, now = [], 0, 0

    class Gate(Wrapper):
        async def compare(self, question):
            nonlocal most, now
            guarded.append(len(question.transcript))
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1
            return await super().compare(question)

    advocate = Failing(2, times=2)
    judge, turns, _, falls = around(simulated(), advocate, guard=Gate, concurrency=1, attempts=3)

    async def two():
        return await asyncio.gather(judge.compare(debate(1)), judge.compare(debate(1, "1.2.1", "y", "x")))

    assert [verdict.choice for verdict in asyncio.run(two())] == [Choice.FIRST, Choice.SECOND]
    assert sorted(guarded) == [0, 0, 1, 1, 1, 1, 2, 2], "two turns and a verdict each, and two retries of a turn"
    assert most == 1
    assert falls == []
    assert sum(turn.usage.calls for call in ("1.1.1", "1.2.1") for turn in turns.of(call)) == 4


def test_a_budget_counts_turns_and_stops_a_debate_without_going_down_the_ladder(debate):
    judge, turns, _, falls = around(simulated(), budget=Budget(calls=3))
    with pytest.raises(BudgetSpent):
        run(judge, debate(2))
    assert (len(turns.of("1.1.1")), falls) == (3, [])


def test_a_budget_in_money_is_reserved_by_whoever_speaks_next(debate):
    judge, turns, _, _ = around(simulated(cost=1.0), ScriptedAdvocate(cost=0.1), budget=Budget(money=1.15))
    with pytest.raises(BudgetSpent):
        run(judge, debate(1))
    assert len(turns.of("1.1.1")) == 2, "both turns fit, the verdict would not"


def test_what_was_said_counts_in_the_estimate_of_tokens(debate):
    judge, turns, _, _ = around(simulated())
    run(judge, debate(1))
    heard = replace(debate(1), transcript=turns.of("1.1.1"))
    said = sum(len(text.encode()) for turn in heard.transcript for text in (turn.content, *turn.claims, *turn.evidence))
    assert tokens_at_most(heard) - tokens_at_most(debate(1)) == pytest.approx(said // 2, abs=1)


def test_a_slow_advocate_is_out_of_time(debate):
    judge, _, _, falls = around(simulated(), ScriptedAdvocate(delay=5.0), timeout=0.01)
    verdict = run(judge, debate(1))
    assert verdict.choice is Choice.FIRST, "the direct comparison still came"
    assert "scripted" in falls[0].error
    assert "0.01 s" in falls[0].error


def test_a_verdict_that_is_out_of_time_says_so(debate):
    judge, _, _, _ = around(simulated(delay=5.0), timeout=0.01)
    assert timed_out(run(judge, debate(0)))
    judge, _, _, _ = around(simulated(failures=1.0))
    assert not timed_out(run(judge, debate(0)))


def test_the_ladder_halves_and_then_compares_directly():
    assert [simpler(turns) for turns in (5, 4, 3, 2, 1)] == [(2, 0), (2, 0), (1, 0), (1, 0), (0,)]


def test_a_debate_that_fails_late_is_decided_on_its_first_half(debate):
    advocate = Failing(7, retryable=False)
    inside = JudgedComparison(simulated())
    judge, turns, _, falls = around(inside, advocate)
    assert run(judge, debate(5)).choice is Choice.FIRST
    assert advocate.tried == [1, 2, 3, 4, 5, 6, 7], "what was said before is not said again"
    assert inside.asked == [replace(debate(2), transcript=turns.of("1.1.1")[:4])]
    assert [(fall.call, fall.step, fall.turns, fall.error) for fall in falls] == [
        ("1.1.1", "shorter", 2, "lost for words")
    ]


def test_a_debate_that_cannot_even_begin_becomes_a_direct_comparison(debate):
    inside = JudgedComparison(simulated())
    judge, _, store, falls = around(inside, Failing(1))
    verdict = run(judge, debate(5))
    assert [(fall.step, fall.turns) for fall in falls] == [("shorter", 2), ("direct", 0)]
    assert inside.asked == [debate(0)]
    assert verdict.judge == inside.card.identity, "the name of who compares directly, not of who hears debates"
    assert store.find(debate(0), verdict_key(debate(0), judge.card)) is not None
    assert store.find(debate(5), verdict_key(debate(5), judge.card)) is None, "no debate is cached that was not held"


def test_where_nothing_helps_the_failure_is_the_answer(debate):
    judge, _, store, falls = around(simulated(failures=1.0))
    verdict = run(judge, debate(2))
    assert verdict.choice is Choice.FAILED
    assert [fall.step for fall in falls] == ["shorter", "direct", "later"]
    assert len(store) == 0


def test_a_failed_direct_comparison_is_nothing_to_do_with_debates(debate):
    judge, _, _, falls = around(simulated(failures=1.0))
    assert run(judge, debate(0)).choice is Choice.FAILED
    assert falls == []


class Deaf(Wrapper):
    """A judge that compares texts and hears no debates."""

    @property
    def card(self):
        return replace(super().card, debates=None)


def test_a_judge_that_cannot_hear_debates_is_refused_beforehand_or_compares_directly(debate):
    with pytest.raises(InvalidConfig, match="cannot decide debates"):
        check_debates(Deaf(simulated()))
    check_debates(simulated())
    advocate = Failing()
    judge, _, _, falls = around(Deaf(simulated()), advocate)
    assert run(judge, debate(3)).choice is Choice.FIRST
    assert (advocate.tried, falls[-1].step) == ([], "direct")


def test_a_judge_alone_holds_no_debate(debate):
    with pytest.raises(JudgeFailed, match="nobody speaks"):
        run(DebateJudge(simulated()), debate(1))


def test_the_key_of_a_verdict_has_the_length_the_advocate_and_what_was_said(debate):
    card = JudgeAndAdvocate(simulated(), AdvocateAsJudge(ScriptedAdvocate())).card
    other = replace(card, debates=replace(card.debates, advocate="another"))
    judge, turns, _, _ = around(simulated())
    run(judge, debate(3))
    heard = replace(debate(3), transcript=turns.of("1.1.1"))
    reworded = replace(heard, transcript=(replace(heard.transcript[0], claims=()), *heard.transcript[1:]))
    keys = [
        verdict_key(debate(0), card), verdict_key(debate(3), card), verdict_key(debate(5), card),
        verdict_key(debate(3), other), verdict_key(heard, card), verdict_key(reworded, card),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert verdict_key(debate(0), card) == verdict_key(debate(0), other) == verdict_key(debate(0), simulated().card)
    assert verdict_key(debate(3), card) == verdict_key(debate(3, "9.9.9"), card)


def test_a_held_debate_is_not_held_again(debate):
    judge, turns, _, _ = around(simulated())
    run(judge, debate(1))
    again = run(judge, debate(1, "2.1.1"))
    assert again.cached
    assert turns.of("2.1.1") == ()


def test_a_turn_is_an_abstention_to_whoever_looks_at_it_as_a_verdict(debate):
    spoken = run(AdvocateAsJudge(ScriptedAdvocate(tokens=7)), debate(1))
    assert isinstance(spoken, TurnVerdict)
    assert (spoken.choice, spoken.usage.output_tokens, spoken.turn.number) == (Choice.ABSTAIN, 7, 1)


def test_the_simulated_judge_may_be_sharper_in_debates(debate):
    blunt = SimulatedJudge({"x": 1.0, "y": 0.0}, noise=5.0, debate_noise=0.01, sticky=False)
    judge, _, _, _ = around(blunt)

    async def firsts(turns):
        asked = (debate(turns, f"1.{at}.{turns}") for at in range(60))
        return sum([(await blunt.compare(question)).choice is Choice.FIRST for question in asked])

    assert asyncio.run(firsts(3)) == 60
    assert 20 <= asyncio.run(firsts(0)) <= 50
    assert run(judge, debate(3)).judge == blunt.card.debates.identity != blunt.card.identity


def test_a_simulated_debate_and_a_simulated_comparison_are_drawn_apart(debate):
    judge = SimulatedJudge({f"{at}": 0.0 for at in range(40)})

    async def answers(turns):
        pairs = [(f"{at}", f"{at + 1}") for at in range(0, 40, 2)]
        return [(await judge.compare(debate(turns, first=a, second=b))).choice for a, b in pairs]

    assert asyncio.run(answers(0)) != asyncio.run(answers(3))


def test_the_scripted_advocate_says_what_the_text_says(debate):
    judge, turns, _, _ = around(simulated())
    run(judge, debate(3))
    opening, _, exchange, _, closing, _ = turns.of("1.1.1")
    assert opening.content == "What this text holds: Naps help memory."
    assert exchange.claims == exchange.evidence == ("Recall rose by 20 %.",)
    assert exchange.rebuttals == ("That “Coffee delays sleep” does not settle it: “Recall rose by 20 %”",)
    assert closing.claims == ("Naps help memory.",)
    assert sentences("  One.\nTwo!  Three ") == ("One.", "Two!", "Three")


def test_the_scripted_advocate_fails_as_often_as_it_is_told_and_a_retry_may_succeed(debate):
    async def failures(advocate):
        failed = 0
        for at in range(200):
            try:
                await advocate.argue(debate(1, f"1.{at}.1"), Speaker.FIRST, Stage.OPENING, ())
            except JudgeFailed:
                failed += 1
        return failed

    advocate = ScriptedAdvocate(failures=0.3)
    assert 40 <= asyncio.run(failures(advocate)) <= 80
    assert asyncio.run(failures(ScriptedAdvocate(failures=1.0))) == 200
    judge, _, _, falls = around(simulated(), ScriptedAdvocate(failures=0.5), attempts=12)
    assert run(judge, debate(3)).choice is Choice.FIRST
    assert falls == []


@pytest.mark.parametrize("options", [{"failures": 1.5}, {"delay": -1}, {"tokens": -1}, {"cost": float("inf")}])
def test_options_out_of_range_are_refused_by_name(options):
    with pytest.raises(InvalidConfig, match=next(iter(options))):
        ScriptedAdvocate(**options)


def test_an_empty_text_has_an_advocate_too(question):
    empty = replace(question("x", "y", "1.1.1", texts={"x": " ", "y": ""}), turns=2)
    judge, turns, _, _ = around(simulated())
    assert run(judge, empty).choice is Choice.FIRST
    assert all(turn.content for turn in turns.of("1.1.1"))


def test_a_plain_card_answers_for_itself(question):
    card = JudgeCard(identity="one")
    asked: Question = question()
    assert (card.answering(asked), card.identity_for(replace(asked, turns=3))) == (card, "one")
