"""A cascade of judges: who is asked, what it costs, what happens when the better judge is out, and its spec."""

import asyncio
from dataclasses import replace

import pytest

from paragone import Tournament
from paragone.domain import Choice, PolicyConfig, SchedulingConfig, TournamentSystemConfig
from paragone.errors import InvalidConfig, JudgeFailed, UnknownJudge
from paragone.judges import MemoryVerdicts
from paragone.judges.panel_judge import PanelJudge, is_cascade
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.judges.spec import open_judge
from paragone.judges.stack import Stack
from paragone.judges.verdict_cache import verdict_key
from paragone.ledger import By
from paragone.tournaments.planning.protocol_choice import DIRECT, identities
from paragone.workers.judge_list import announced, card_of

STRENGTHS = {f"h{n:02}": n / 4 for n in range(16)}


def cascade(cost=(0.001, 0.004), **expert):
    members = [
        SimulatedJudge(STRENGTHS, seed=1, cost=cost[0]),
        SimulatedJudge(STRENGTHS, seed=2, cost=cost[1], **expert),
    ]
    return PanelJudge(members, cascade=True)


def test_the_plan_says_who_answers(question):
    judge = cascade(noise=0.1)
    asked = question("h00", "h01", "1.7.1")
    verdicts = [asyncio.run(judge.compare(replace(asked, level=level))) for level in (0, 1, 5)]
    cheap, expert = (member.card.identity for member in judge.members)
    assert [verdict.judge for verdict in verdicts] == [cheap, expert, expert]
    assert [judge.price(replace(asked, level=level)) for level in (0, 1)] == [0.001, 0.004]
    assert verdict_key(asked, judge.card) != verdict_key(replace(asked, level=1), judge.card)
    assert is_cascade(judge.card)
    assert is_cascade(judge.around(lambda member: member).card)
    assert not is_cascade(PanelJudge(judge.members).card)
    assert card_of(announced("both", judge)) == judge.card  # as workers announce it


def test_where_the_better_judge_fails_the_first_one_answers(question):
    class Down(SimulatedJudge):
        async def compare(self, asked):
            raise JudgeFailed("it is down", retryable=False)

    steps = []
    members = [SimulatedJudge({"h00": 9.0, "h01": 0.0}), Down(STRENGTHS, seed=2)]
    judge = Stack(store=MemoryVerdicts(), on_fallback=steps.append).around(PanelJudge(members, cascade=True))
    verdict = asyncio.run(judge.compare(replace(question("h00", "h01", "1.1.1"), level=1)))
    assert (verdict.choice, verdict.judge) == (Choice.FIRST, members[0].card.identity)
    assert [step.step for step in steps] == ["cheaper"]


def test_its_spec_is_that_of_a_panel_by_another_name(tmp_path):
    file = tmp_path / "truth.csv"
    file.write_text("id,score\na,1\nb,2\n")
    judge = open_judge(f"cascade:simulated:{file}?noise=2&cost=0.001 + simulated:{file}?noise=0.5&cost=0.01&tokens=-1")
    assert is_cascade(judge.card)
    assert judge.card.identity.startswith("cascade:")
    with pytest.raises(UnknownJudge, match="names one judge; write cascade:SPEC"):
        open_judge("cascade:human")
    with pytest.raises(UnknownJudge, match="a panel cannot sit in a cascade"):
        open_judge("cascade:human + panel:human")


def tournament(judge, **options):
    system = TournamentSystemConfig(
        scheduling=SchedulingConfig(rounds_per_session=12, matches_per_round=8),
        policy=PolicyConfig(clear_winner_gap=3999.0, protocol="direct", **options.pop("policy", {})),
    )
    items = [{"id": id, "text": f"text {id}"} for id in STRENGTHS]
    options = {"pairing": "weighted", "system": system, **options}
    return Tournament.create(items, judge=judge, criteria="merit", seed=5, **options)


def test_the_expert_is_asked_where_it_pays_and_spending_is_told_by_judge():
    judge = cascade(cost=(0.001, 0.002), noise=0.2)
    with tournament(judge, policy={"expert_sharpness": 3.0}) as played:
        assert played.state.settings.cascade == (1.0, 2.0)
        played.run()
        cheap, expert = (member.card.identity for member in judge.members)
        counts = {who: sum(c.verdict.judge == who for c in played.state.comparisons) for who in (cheap, expert)}
        assert min(counts.values()) > 5
        planned = [pairing.level for past in played.state.rounds for pairing in past.pairings]
        assert planned.count(1) == counts[expert]
        spent = played.ledger.tournaments.spending_by(played.state.id, By.WHO)
        assert {who: spent[who].dollars for who in counts} == pytest.approx(
            {cheap: 0.001 * counts[cheap], expert: 0.002 * counts[expert]}
        )
        assert identities(played.state) == {cheap: DIRECT, expert: (DIRECT[0], 1)}


def test_one_that_is_not_worth_its_price_is_hardly_asked():
    with tournament(cascade(cost=(0.001, 1.0))) as played:
        played.run()
        assert not any(pairing.level for past in played.state.rounds for pairing in past.pairings)


def test_prices_that_are_unknown_are_taken_to_rise_tenfold():
    with tournament(cascade(cost=(0.0, 0.0))) as made:
        assert made.state.settings.cascade == (1.0, 10.0)


def test_pairings_that_do_not_plan_who_answers_refuse_it():
    with pytest.raises(InvalidConfig, match="planned by the weighted pairing, not by 'informative'"):
        tournament(cascade(), pairing="informative", system=None)
