"""Debates by worth: what a match matters, what a verdict tells, which form pays, and that plans and records agree."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

import without_board
from paragone import Tournament
from paragone.domain import (
    Choice,
    Item,
    MatchProtocol,
    Pairing,
    PolicyConfig,
    SchedulingConfig,
    Spending,
    Tier,
    TournamentConfig,
    TournamentSystemConfig,
)
from paragone.domain import records as documents
from paragone.domain.records.wire import from_json, to_json
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.debates.token_estimates import comparison_tokens
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger.records import AskedQuestion
from paragone.ratings.bradley_terry import fit
from paragone.tournaments.planning import protocol_choice, weighted_policy
from paragone.tournaments.planning.estimate import estimate
from paragone.tournaments.planning.protocol_choice import (
    DIRECT,
    PairEstimates,
    PricedForm,
    choose,
    forms_of,
    information,
)
from paragone.tournaments.planning.schedule import Plan
from paragone.tournaments.planning.tier_strategies import round_state
from paragone.tournaments.planning.tiers import MatchCost, allocate
from paragone.tournaments.records.chronicle import Chronicle
from paragone.tournaments.records.match_records import match_results
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings

PANEL, DEBATE = (MatchProtocol.PANEL, 0), (MatchProtocol.MULTI_TURN, 0)
TEXT = "a hypothesis of usual length " * 60


def plain_information(difference, deviation, sharpness, steps=20_000):
    """The mutual information by its definition: an integral over the true difference."""
    normal, joint = NormalDist(difference, deviation), [[0.0, 0.0], [0.0, 0.0]]
    width = 16 * deviation / steps
    for step in range(steps):
        truth = difference - 8 * deviation + (step + 0.5) * width
        mass, first = normal.pdf(truth) * width, 1 / (1 + math.exp(-sharpness * truth))
        joint[0][truth > 0] += mass * first
        joint[1][truth > 0] += mass * (1 - first)
    return sum(
        joint[verdict][truth]
        * math.log(joint[verdict][truth] / (sum(joint[verdict]) * (joint[0][truth] + joint[1][truth])))
        for verdict in (0, 1)
        for truth in (0, 1)
    )


@pytest.mark.parametrize(("difference", "deviation"), [(0.0, 1.0), (0.5, 0.7), (-1.0, 2.0), (1.2, 0.8)])
@pytest.mark.parametrize("sharpness", [0.5, 1.0, 2.5])
def test_information_is_that_of_the_definition(difference, deviation, sharpness):
    [told] = information(np.array([difference]), np.array([deviation]), sharpness)
    assert told == pytest.approx(plain_information(difference, deviation, sharpness), abs=0.003)


def test_a_clear_disparity_tells_nothing_and_an_oracle_about_equals_tells_all():
    assert information(np.array([9.0]), np.array([1.0]), 5.0)[0] == 0.0
    assert information(np.array([0.0]), np.array([1.0]), 1e6)[0] == pytest.approx(math.log(2), abs=1e-6)
    assert information(np.array([0.0]), np.array([1.0]), 0.0)[0] == 0.0


def about(matter, certainty=0.6):
    ones = np.ones(len(matter))
    return PairEstimates(difference=ones, deviation=ones, matter=np.array(matter), certainty=certainty * ones)


def offers(*worths):
    """Offers of (information, tokens), the direct one first, for as many pairs as they list."""
    forms = (DIRECT, PANEL, DEBATE)
    return [
        PricedForm(form=form, information=np.array(told, dtype=float), tokens=np.array(tokens, dtype=float))
        for form, (told, tokens) in zip(forms, worths, strict=False)
    ]


def test_a_deeper_form_pays_where_its_tokens_bring_more_than_further_direct_comparisons():
    # the price of a token: (.5 x .1 + .1 x .1) / 2000 = 3e-5; the panel adds matter x .06 for 600 tokens, worth .018
    direct, panel = ([0.1, 0.1], [1000, 1000]), ([0.16, 0.16], [1600, 1600])
    chosen, ratio = choose(offers(direct, panel), about([0.5, 0.1]), plenty=1.0)
    assert chosen.tolist() == [1, 0]
    assert ratio.tolist() == pytest.approx([0.03 / 0.018, 1.0])


def test_the_budget_chooses_between_the_protocols():
    # a debate adds .3 x matter for 9,000 tokens, which cost .27 at a price of 3e-5: too much until tokens are plenty
    direct, panel, debate = ([0.1, 0.1], [1000, 1000]), ([0.16, 0.16], [1600, 1600]), ([0.4, 0.4], [10_000, 10_000])
    three = offers(direct, panel, debate)
    assert choose(three, about([0.5, 0.1]), plenty=1.0)[0].tolist() == [1, 0]
    assert choose(three, about([0.5, 0.1]), plenty=5.0)[0].tolist() == [2, 1]
    assert choose(three, about([0.5, 0.1]), plenty=100.0)[0].tolist() == [2, 2]


def test_never_for_clear_disparities_and_never_where_nothing_matters():
    direct, panel = ([0.1], [1000]), ([0.6], [1001])
    assert choose(offers(direct, panel), about([0.9], certainty=0.949), plenty=1.0)[0].tolist() == [1]
    assert choose(offers(direct, panel), about([0.9], certainty=0.95), plenty=1e9)[0].tolist() == [0]
    assert choose(offers(direct, panel), about([0.0]), plenty=1e9)[0].tolist() == [0]


@pytest.mark.parametrize(
    ("policy", "forms"),
    [
        ({}, (DIRECT, PANEL, DEBATE)),
        ({"protocol": "panel"}, (DIRECT, PANEL)),
        ({"protocol": "debate"}, (DIRECT, DEBATE)),
        ({"protocol": "direct"}, (DIRECT,)),
        ({"debate_rule": "rating"}, (DIRECT,)),
    ],
)
def test_the_parameters_say_what_may_be_chosen(policy, forms):
    assert forms_of(PolicyConfig(**policy), debates=True, levels=1) == forms
    assert forms_of(PolicyConfig(**policy), debates=False, levels=1) == (DIRECT,)


def test_a_cascade_offers_every_protocol_with_every_judge():
    policy = PolicyConfig(protocol="panel")
    assert forms_of(policy, debates=True, levels=2) == (
        DIRECT, PANEL, (MatchProtocol.SINGLE_TURN, 1), (MatchProtocol.PANEL, 1)
    )  # fmt: skip


def long_texts(made):
    made.state.items = tuple(Item(id=item.id, text=TEXT) for item in made.state.items)
    made.state.settings = replace(made.state.settings, advocate="scripted")
    return made


def a_ladder(past, **policy):
    """Twenty items of which the earlier beat the later, five times over; ``new`` has not played."""
    ids = [f"i{n:02}" for n in range(20)]
    system = TournamentSystemConfig(policy=PolicyConfig(**policy))
    made = long_texts(past(dict.fromkeys([*ids, "new"], 1200.0), matches=dict.fromkeys(ids, 20), system=system))
    for step in range(1, 6):
        a_round(made, [(ids[n], ids[n + step]) for n in range(20 - step)])
    return made, ids


def a_round(made, pairs):
    """A round in which the first of each pair wins, shown first in every second match."""
    shown = [Pairing(a=pair[at % 2], b=pair[1 - at % 2]) for at, pair in enumerate(pairs)]
    made.plan(Plan(pairings=tuple(shown), notes={"number": len(made.state.rounds) + 1}))
    made.play(min)


def test_newcomers_against_the_top_are_debated_and_clear_disparities_are_not(past):
    made, ids = a_ladder(past, debate_rule="worth", protocol="panel", panel_sharpness=2.0, debate_margin=1.0)
    pairs = [("new", ids[4]), (ids[0], ids[19]), (ids[18], ids[19]), (ids[5], ids[6])]
    depths = protocol_choice.by_worth(made.state, pairs, [3] * len(pairs))
    assert [depth.panel for depth in depths] == [True, False, False, True]
    reason = depths[0].reason
    assert (reason["by"], reason["protocol"]) == ("worth", "panel")
    assert reason["matter"] > 0.2
    assert reason["certainty"] < 0.95
    assert reason["worth"] > 1.0


def test_the_plan_says_why_and_is_the_same_from_the_same_past(past):
    made, _ = a_ladder(past, debate_rule="worth", protocol="panel", panel_sharpness=2.0, debate_margin=1.0)
    first = weighted_policy.plan(made.state)
    deep = [list(pairing.items) for pairing in first.pairings if pairing.panel]
    assert deep
    assert [note["pair"] for note in first.notes["depth"]] == deep
    again = weighted_policy.plan(made.again())
    assert (again.pairings, again.notes) == (first.pairings, first.notes)


def test_without_evidence_nothing_is_known_to_be_worth_a_debate(past):
    made = long_texts(past(12, matches=0, system=TournamentSystemConfig(policy=PolicyConfig(debate_rule="worth"))))
    assert not any(pairing.turns or pairing.panel for pairing in weighted_policy.plan(made.state).pairings)


def test_a_debate_by_worth_that_the_round_does_not_pay_for_is_a_direct_comparison():
    policy = PolicyConfig()
    costs = [MatchCost(tier=Tier.AVERAGE, comparisons=1, turns=3, optional=optional) for optional in (True, False)]
    paid = allocate(costs, 6.0, policy.budget_shares)
    assert (paid.turns, paid.degraded, paid.left_out) == ({0: 0}, (0,), (1,))
    assert paid.forecast == 1


def test_with_tokens_to_spare_whatever_is_open_is_debated(past):
    made, _ = a_ladder(past, debate_rule="worth", protocol="debate", debate_sharpness=1.6, debate_margin=2.5)
    assert not [pairing for pairing in weighted_policy.plan(made.state).pairings if pairing.turns]
    made.state.settings = replace(made.state.settings, max_tokens=10**12)
    planned = weighted_policy.plan(made.state)
    assert {pairing.turns for pairing in planned.pairings if "new" in pairing.items} == {3}


def test_the_rule_by_rating_is_that_of_the_documents_and_holds_beside_worth(past):
    ratings = {"e0": 1650, "e1": 1620, "low": 1000}
    turns = {}
    for rule in ("rating", "either", "worth"):
        made = long_texts(past(ratings, system=TournamentSystemConfig(policy=PolicyConfig(debate_rule=rule))))
        turns[rule] = weighted_policy.depths_of(made.state, round_state(made.state), [("e0", "e1")])[0].turns
    assert turns == {"rating": 5, "either": 5, "worth": 0}


def test_tiers_by_strength_reach_elite_where_the_running_elo_does_not(past):
    for by, elite in (("elo", 0), ("strength", 3)):
        made, ids = a_ladder(past, tiers_by=by, debate_rule="rating")
        for _ in range(3):
            a_round(made, [(ids[n], ids[m]) for n in range(3) for m in range(10, 20)])
        now = round_state(made.state)
        assert sum(now.level(id).value == "elite" for id in ids[:3]) == elite, by
        elos = [made.state.ratings[id].elo for id in now.ids]
        assert now.field.rating.tolist() == pytest.approx(elos, abs=1e-4)  # opponents are still chosen by it


def test_old_ledgers_keep_the_rule_of_the_documents():
    made = TournamentSettings(criteria="c", judge="j", pairing="weighted", system=TournamentSystemConfig())
    values = made.as_json()
    assert TournamentSettings.from_json(values) == made
    for name in ("debate_rule", "protocol", "tiers_by", "panel_sharpness", "debate_sharpness", "debate_margin"):
        del values["system"]["policy"][name]
    del values["cascade"]
    old = TournamentSettings.from_json(values).system.policy
    assert (old.debate_rule, old.tiers_by) == ("rating", "elo")


def a_tournament(judge, rounds=6, **policy):
    return Tournament.create(
        [{"id": f"h{n}", "text": f"{n} {TEXT}"} for n in range(12)],
        judge=judge,
        advocate="scripted",
        criteria="merit",
        pairing="weighted",
        seed=3,
        system=TournamentSystemConfig(
            tournament_parameters=TournamentConfig(match_batch_size=4),
            scheduling=SchedulingConfig(rounds_per_session=rounds, matches_per_round=6),
            policy=PolicyConfig(**policy),
        ),
    )


def test_panels_are_played_recorded_and_measured():
    strengths = {f"h{n}": n / 3 for n in range(12)}
    judge = SimulatedJudge(strengths, panel_noise=0.4, seed=1, tokens=None)
    with a_tournament(
        judge, debate_rule="worth", protocol="panel", panel_sharpness=2.0, debate_margin=1.0
    ) as tournament:
        without_board.run(tournament)
        state = tournament.state
        planned = {
            f"{past.number}.{place}": pairing
            for past in state.rounds
            for place, pairing in enumerate(past.pairings, start=1)
            if isinstance(pairing, Pairing)
        }
        panels = [match for match in state.matches if match.protocol is MatchProtocol.PANEL]
        assert panels
        assert {match.id for match in panels} == {id for id, pairing in planned.items() if pairing.panel}
        assert all(answer.verdict.judge.endswith("/panel debates:0.4") for m in panels for answer in m.comparisons)
        usage = panels[0].comparisons[0].verdict.usage
        lengths = [len(item.text) for item in state.items if item.id in panels[0].items]
        assert usage.input_tokens + usage.output_tokens == comparison_tokens(lengths, panel=True)
        assert set(protocol_choice.identities(state).values()) == {DIRECT, PANEL}
        assert TournamentState.load(tournament.ledger, state.id).rounds == state.rounds
        shown = tournament.inspect(panels[0].id)
        assert "a panel debate in one answer" in shown.heading[1]
        assert shown.heading[2].startswith(
            "planned as a panel debate: it decides who is in the top with probability 0."
        )
        direct = next(match for match in state.matches if match.protocol is MatchProtocol.SINGLE_TURN)
        assert len(tournament.inspect(direct.id).heading) == 2
        sharp = protocol_choice.sharpness(state, state.plain_fit, (DIRECT, PANEL))
        assert sharp[PANEL] > sharp[DIRECT]


class Voting(SimulatedJudge):
    """A model whose panels are as sharp as its direct verdicts; four of five experts vote for the verdict."""

    async def compare(self, question):
        verdict = await super().compare(question)
        return (
            replace(verdict, probability=5 / 7 if verdict.choice is Choice.FIRST else 2 / 7)
            if question.panel
            else verdict
        )


def test_votes_are_measured_as_decisions_are():
    judge = Voting({f"h{n}": n / 4 for n in range(12)}, seed=1, sticky=False)
    policy = {"debate_rule": "worth", "protocol": "panel", "panel_sharpness": 2.0, "debate_margin": 0.5}
    with a_tournament(judge, rounds=14, **policy) as tournament:
        without_board.run(tournament)
        state = tournament.state
    evidence = state.evidence
    assert 40 < evidence.soft.sum() < 0.8 * len(evidence), "panels and direct verdicts"
    decided = replace(
        evidence, score=(evidence.score > 0.5).astype(float), soft=np.zeros(len(evidence.soft), dtype=bool)
    )
    options = replace(state.fit_options(evidence.judges), no_signal=0.0, repeats=False)
    by_votes, by_decisions = (
        protocol_choice.sharpness(state, each, (DIRECT, PANEL)) for each in (state.plain_fit, fit(decided, options))
    )
    ratio = by_decisions[PANEL] / by_decisions[DIRECT]
    assert by_votes[PANEL] / by_votes[DIRECT] == pytest.approx(ratio, rel=0.1)
    slopes = {protocol_choice.identities(state)[judge]: slope for judge, slope in zip(
        state.plain_fit.judges, state.plain_fit.slope.tolist(), strict=True
    )}  # fmt: skip
    assert slopes[PANEL] / slopes[DIRECT] < 0.6 * ratio, "slopes alone take probabilities for doubt"


class NoPanels(SimulatedJudge):
    """A model that takes the request for a panel and cannot write the answer."""

    async def compare(self, question):
        if question.panel:
            raise JudgeFailed("its votes are a list, not ''", retryable=False)
        return await super().compare(question)


def test_panels_that_fail_each_time_are_no_longer_planned():
    judge = NoPanels({f"h{n}": n / 3 for n in range(12)}, seed=1)
    with a_tournament(
        judge, debate_rule="worth", protocol="panel", panel_sharpness=2.0, debate_margin=1.0
    ) as tournament:
        without_board.run(tournament)
        state = tournament.state
        planned = [sum(pairing.panel for pairing in past.pairings) for past in state.rounds]
        assert {match.protocol for match in state.matches} == {MatchProtocol.SINGLE_TURN}
        assert protocol_choice.unusable(state) == {PANEL}
    first = next(at for at in range(len(planned)) if sum(planned[: at + 1]) >= 3)
    assert first < len(planned) - 1
    assert planned[first + 1 :] == [0] * (len(planned) - first - 1)


def test_documents_know_panels_as_debates_and_their_records_round_trip():
    judge = SimulatedJudge({f"h{n}": n / 3 for n in range(12)}, seed=1)
    with a_tournament(judge, debate_rule="always", protocol="panel") as tournament:
        without_board.run(tournament)
        results = match_results(Chronicle.read(tournament.ledger, tournament.state))
    assert {result.debate_type for result in results} == {MatchProtocol.MULTI_TURN}
    for result in results:
        assert from_json(documents.MatchResult, to_json(result)) == result


def test_a_judge_that_cannot_hold_panels_is_not_asked_for_them():
    def judge(first, second, criteria, transcript):
        return {"winner": "first"}

    with a_tournament(judge) as tournament:
        assert tournament.state.system.policy.protocol == "debate"
    with pytest.raises(InvalidConfig, match="cannot hold a debate within one answer"):
        a_tournament(judge, protocol="panel")


def test_workers_are_asked_in_the_same_form():
    form = AskedQuestion(call="1.1.1", judge="j", shown=("h0", "h1"), panel=True, level=1)
    plain = AskedQuestion(call="1.2.1", judge="j", shown=("h2", "h3"))
    with a_tournament(SimulatedJudge({f"h{n}": 0.0 for n in range(12)})) as tournament:
        judging, id = tournament.ledger.remote_judging, tournament.state.id
        judging.ask(id, [form, plain], lambda connection, new: None)
        assert judging.take(id, ["1.1.1", "1.2.1"], "worker") == [form, plain]


def test_the_forecast_of_a_session_counts_panels_as_what_they_take():
    taken = {}
    for protocol in ("direct", "panel"):
        judge = SimulatedJudge({f"h{n}": n / 3 for n in range(12)}, seed=1, tokens=None)
        with a_tournament(judge, debate_rule="always", protocol=protocol) as tournament:
            found = estimate(tournament.state, judge, Spending(), tournament.open_advocate())
            taken[protocol] = found.expected.input_tokens + found.expected.output_tokens
            assert (found.session.matches, found.session.debates) == (6, 6 * (protocol == "panel"))
    assert taken["panel"] - taken["direct"] == pytest.approx(6 * 6 * 640, rel=0.01)
