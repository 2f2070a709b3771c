"""Panels: who is asked, under whose name, and what weighing by reliability is worth."""

import asyncio
import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from paragone.domain import Choice, Comparison, Item, Order, Pairing, Question, Usage, Verdict
from paragone.errors import InvalidConfig, JudgeFailed, UnknownJudge
from paragone.judges import Budget, Cached, MemoryVerdicts, Settled, verdict_key
from paragone.judges.base import compare_pair
from paragone.judges.debates.advocate_spec import advocate_like, open_advocate
from paragone.judges.debates.debate import MemoryTurns
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.panel_judge import PanelJudge, seat
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.judges.spec import open_judge
from paragone.judges.stack import Stack
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence

STRENGTHS = {"x": 9.0, "y": 0.0, "z": 4.0}


def members(count=3, **options):
    return [SimulatedJudge(STRENGTHS, noise=0.0, seed=seed, **options) for seed in range(count)]


def test_with_as_many_comparisons_as_members_every_match_is_judged_by_all():
    panel = PanelJudge(members(3))
    items = {id: Item(id=id, text=id) for id in "xy"}
    pairing = Pairing(a="x", b="y", orders=(Order.AB, Order.BA, Order.AB))
    for place in range(1, 5):
        answers = asyncio.run(compare_pair(panel, pairing, items, "clarity", f"1.{place}"))
        assert {answer.verdict.judge for answer in answers} == {member.card.identity for member in panel.members}


def test_with_one_comparison_a_match_they_take_turns(question):
    panel = PanelJudge(members(3))
    asked = [question(call=f"{round}.{place}.1") for round in (1, 2) for place in range(1, 31)]
    judges = [asyncio.run(panel.compare(each)).judge for each in asked]
    assert set(Counter(judges).values()) == {20}
    assert judges[0] != judges[30], "the first match of a round is not always the same member's"


def test_the_seat_follows_from_the_name_of_the_call_alone():
    assert [seat("1.1.1", 3), seat("1.1.2", 3), seat("1.2.1", 3), seat("2.1.1", 3)] == [0, 1, 1, 1]
    drawn = [seat(f"call {name}", 4) for name in ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")]
    assert drawn == [seat(f"call {name}", 4) for name in ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")]
    assert len(set(drawn)) > 1


def test_keys_names_and_prompts_are_the_members_own(question):
    panel = PanelJudge([*members(1), FunctionJudge(lambda first, second, criteria: "first", name="one")])
    for call in ("1.1.1", "1.1.2"):
        asked = question(call=call)
        own = panel.members[seat(call, 2)].card
        assert panel.card.identity_for(asked) == own.identity
        assert verdict_key(asked, panel.card) == verdict_key(asked, own), "what a member said alone is found again"
        assert verdict_key(replace(asked, turns=2), panel.card) == verdict_key(replace(asked, turns=2), own)


def test_a_verdict_is_cached_under_the_member_who_gave_it(question):
    store, panel = MemoryVerdicts(), PanelJudge(members(2))
    judge = Cached(panel, store)
    first, second = (asyncio.run(judge.compare(question(call=call))) for call in ("1.1.1", "1.1.2"))
    assert (first.cached, second.cached) == (False, False)
    assert first.judge != second.judge
    assert asyncio.run(judge.compare(question(call="1.2.2"))).judge == first.judge
    assert asyncio.run(judge.compare(question(call="1.2.2"))).cached


def test_a_member_that_fails_costs_its_own_comparisons_alone(question):
    panel = PanelJudge([*members(1), SimulatedJudge(STRENGTHS, seed=7, failures=1.0)])
    judge = Settled(panel)
    answers = [asyncio.run(judge.compare(question(call=f"1.{place}.1"))) for place in range(1, 9)]
    assert [answer.choice for answer in answers].count(Choice.FAILED) == 4
    assert {answer.judge for answer in answers if answer.choice is Choice.FAILED} == {panel.members[1].card.identity}


def test_each_members_own_limit_holds_and_waiting_for_it_is_no_part_of_the_timeout(question):
    now, most = Counter(), Counter()

    def counted(name, limit):
        async def answer(first, second, criteria):
            now[name] += 1
            most[name] = max(most[name], now[name])
            await asyncio.sleep(0.02)
            now[name] -= 1
            return "first"

        return FunctionJudge(answer, name=name, concurrency=limit)

    panel = PanelJudge([counted("narrow", 1), counted("wide", None)])
    judge = Stack(store=MemoryVerdicts(), concurrency=12, timeout=0.06, attempts=1).around(panel)

    async def ask():
        asked = (question(first=f"x{place}", call=f"1.{place}.1") for place in range(1, 13))
        return await asyncio.gather(*map(judge.compare, asked))

    assert [answer.choice for answer in asyncio.run(ask())] == [Choice.FIRST] * 12
    assert most == {"narrow": 1, "wide": 6}


def test_a_panel_hears_debates_where_all_members_do(question):
    deaf = FunctionJudge(lambda first, second, criteria: "first", name="deaf")
    assert PanelJudge([*members(1), deaf]).card.debates is None
    panel, turns = PanelJudge(members(2)), MemoryTurns()
    judge = Stack(store=MemoryVerdicts(), advocate=ScriptedAdvocate(), turns=turns, attempts=1).around(panel)
    asked = [replace(question(call=call), turns=1) for call in ("1.1.1", "1.1.2")]
    verdicts = [asyncio.run(judge.compare(each)) for each in asked]
    assert [verdict.judge for verdict in verdicts] == [
        panel.members[seat(each.call, 2)].card.debates.identity for each in asked
    ]
    other = ScriptedAdvocate()
    other._identity = "another"
    again = Stack(store=MemoryVerdicts(), advocate=other, attempts=1).around(panel)
    assert verdict_key(asked[0], judge.card) != verdict_key(asked[0], again.card), "another advocate, another debate"


def test_a_panel_orders_lists_where_all_members_do():
    assert PanelJudge(members(2)).card.lists.most == 100
    pairs_only = FunctionJudge(lambda first, second, criteria: "first", name="pairs")
    assert PanelJudge([*members(1), pairs_only]).card.lists is None


def test_prices_are_the_members_own(question):
    dear = SimulatedJudge(STRENGTHS, seed=9, cost=2.0)
    panel = PanelJudge([*members(1, cost=1.0), dear])
    assert {panel.price(question(call="1.1.1")), panel.price(question(call="1.1.2"))} == {1.0, 2.0}
    judge = Stack(store=MemoryVerdicts(), budget=Budget(money=3.0)).around(panel)
    assert asyncio.run(judge.compare(question(call="1.1.1"))).usage != Usage()


def test_a_panel_is_two_or_more_and_nobody_twice():
    with pytest.raises(InvalidConfig, match="two members"):
        PanelJudge(members(1))
    with pytest.raises(InvalidConfig, match="in the panel twice"):
        PanelJudge([*members(1), *members(1)])


@pytest.fixture
def strengths(tmp_path):
    file = tmp_path / "strengths.csv"
    file.write_text("id,score\nx,9\ny,0\n")
    return file


def test_a_spec_names_members_between_pluses(strengths):
    panel = open_judge(f"panel:simulated:{strengths}?noise=0.5 + simulated:{strengths} +  command:cat a ++ b +++ c")
    sharp, plain, program = (member.card.identity for member in panel.members)
    assert sharp != plain
    assert program == "command:cat a + b ++ c"
    assert panel.card.identity.startswith("panel:")


def test_members_that_draw_do_not_err_together(strengths):
    one, other = open_judge(f"panel:simulated:{strengths} + simulated:{strengths}", seed=4).members
    assert one.card.identity == open_judge(f"simulated:{strengths}", seed=4).card.identity
    assert other.card.identity == open_judge(f"simulated:{strengths}", seed=5).card.identity


@pytest.mark.parametrize(
    "spec", ["panel:", "panel:human", "panel:human +", "panel:human+human", "panel:nobody + human"]
)
def test_a_spec_that_names_no_panel_is_refused(spec):
    with pytest.raises(UnknownJudge):
        open_judge(spec)


def test_a_panel_cannot_sit_in_a_panel():
    with pytest.raises(UnknownJudge, match="panel cannot sit"):
        open_judge("panel:human + panel:human")


def test_a_panel_of_no_models_has_the_scripted_advocate():
    assert advocate_like(PanelJudge(members(2))).identity == ScriptedAdvocate().identity


def test_the_scripted_advocate_has_a_spec(question):
    plain, failing = open_advocate("scripted"), open_advocate("scripted?failures=1&tokens=5&seed=2")
    assert plain.identity == failing.identity == ScriptedAdvocate().identity
    assert asyncio.run(plain.argue(question(), "first", "opening", ())).usage.output_tokens == 0
    with pytest.raises(JudgeFailed):
        asyncio.run(failing.argue(question(), "first", "opening", ()))


@pytest.mark.parametrize(
    ("spec", "says"),
    [("nobody", "the kinds are"), ("llm:", "the kinds are"), ("scripted?speed=1", "no option 'speed'"),
     ("scripted?failures=x", "cannot be 'x': write a number"), ("", "the kinds are")],
)  # fmt: skip
def test_an_advocate_that_is_none_is_refused(spec, says):
    with pytest.raises(UnknownJudge, match=f"(?i){says}"):
        open_advocate(spec)


def kendall(order, truth):
    """Kendall's tau of an order of items, best first, with the true strengths."""
    pairs = list(combinations(order, 2))
    return sum(1 if truth[better] > truth[worse] else -1 for better, worse in pairs) / len(pairs)


def answers_of_a_panel(seed):
    """Two good and five bad judges (who guess, nearly) on the same 100 pairs of 20 items."""
    chance = random.Random(seed)
    truth = {f"i{place:02}": chance.gauss(0.0, 1.5) for place in range(20)}
    panel = PanelJudge(
        [
            SimulatedJudge(truth, noise=0.5 if place < 2 else 12.0, bias=0.4, seed=10 * seed + place)
            for place in range(7)
        ]
    )
    pairs = chance.sample(list(combinations(truth, 2)), 100)
    asked = [
        Question(call=f"1.{place}.{number}", first=Item(id=a, text=a), second=Item(id=b, text=b), criteria="")
        for place, pair in enumerate(pairs, start=1)
        for number, (a, b) in enumerate([chance.sample(pair, 2)] * 7, start=1)
    ]

    async def ask():
        return await asyncio.gather(*map(panel.compare, asked))

    verdicts = asyncio.run(ask())
    return truth, [
        Comparison(call=question.call, first=question.first.id, second=question.second.id, verdict=verdict)
        for question, verdict in zip(asked, verdicts, strict=True)
    ]


def test_a_panel_with_many_bad_judges_weighed_by_the_fit_beats_its_own_majority():
    def order(comparisons, ids):
        strength = fit(Evidence.of(comparisons, ids)).strength
        return sorted(ids, key=lambda name: -strength[ids.index(name)])

    gains = []
    for seed in range(5):
        truth, comparisons = answers_of_a_panel(seed)
        firsts = Counter()
        for comparison in comparisons:
            firsts[comparison.call.rpartition(".")[0]] += comparison.verdict.choice is Choice.FIRST
        voted = [
            replace(
                comparison,
                verdict=Verdict(
                    choice=Choice.FIRST if firsts[comparison.call.rpartition(".")[0]] > 3 else Choice.SECOND,
                    judge="majority",
                ),
            )
            for comparison in comparisons[::7]
        ]
        ids = list(truth)
        weighed, majority = kendall(order(comparisons, ids), truth), kendall(order(voted, ids), truth)
        gains.append(weighed - majority)
    assert all(gain > 0.0 for gain in gains), gains
    assert sum(gains) / len(gains) > 0.1, gains


def test_its_verdicts_bear_the_names_of_its_members():
    members = [SimulatedJudge({"a": 1.0}, seed=seed) for seed in (1, 2)]
    assert PanelJudge(members).card.identities == members[0].card.identities | members[1].card.identities
    assert members[0].card.identity in members[0].card.identities
