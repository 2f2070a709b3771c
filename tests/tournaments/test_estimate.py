"""What a run will take, said before it spends."""

import pytest

import without_board
from paragone.domain import OptimizationConfig, SchedulingConfig, Spending, TournamentSystemConfig
from paragone.domain.spending import NOTHING
from paragone.errors import JudgeFailed
from paragone.judges.base import JudgeCard
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.planning import weighted_policy
from paragone.tournaments.planning.estimate import estimate
from paragone.tournaments.tournament import Tournament

ITEMS = {str(number): f"item {number}" for number in range(12)}
ONE_BY_ONE = CallOptions(concurrency=1, attempts=1)


class Stubborn(SimulatedJudge):
    """Has no answer to the second question, and stops the run at the tenth."""

    asked = 0
    tournament = None

    async def compare(self, question):
        self.asked += 1
        if self.asked == 2:
            raise JudgeFailed("no answer")
        if self.asked == 10:
            self.tournament.gate.close("enough")
        return await super().compare(question)


@pytest.fixture
def tournament():
    judge = Stubborn({id: float(id) for id in ITEMS}, noise=0.5, seed=5)
    with Tournament.create(ITEMS, judge=judge, criteria="larger", budget=40, seed=3) as found:
        judge.tournament = found
        yield found


def said(tournament):
    done = tournament.ledger.tournaments.spending(tournament.state.id)
    return estimate(tournament.state, tournament.open_judge(), done)


def test_before_the_first_call(tournament):
    assert (said(tournament).expected.decisions, said(tournament).done) == (40, 0)
    assert said(tournament).sentence().endswith("at most 40 decisions; about 40 requests, 0 tokens, free of charge")


def test_answers_of_matches_that_wait_for_another_are_not_asked_again(tournament):
    without_board.run(tournament, pace=ONE_BY_ONE)
    assert len(tournament.state.played) == 1  # the others wait for the second match, which has no answer
    assert (said(tournament).expected.decisions, said(tournament).done) == (31, 9)
    spent = without_board.run(tournament, pace=ONE_BY_ONE)
    assert (spent.decisions, spent.failed, spent.requests) == (40, 1, 41)
    assert (said(tournament).expected.decisions, said(tournament).done) == (0, 40)


class Dear:
    """A judge, or an advocate, of whom only the price is asked."""

    def __init__(self, price):
        self.asks = price
        self.identity = "dear"
        self.card = JudgeCard(identity="dear")

    def price(self, question):
        return self.asks


def session(past, ratings, *, budget=None, matches=3, calls=None, **options):
    system = TournamentSystemConfig(
        scheduling=SchedulingConfig(matches_per_round=matches),
        optimization=OptimizationConfig(resource_budget_per_round=budget),
    )
    return past(ratings, system=system, budget=calls, **options)


def test_what_a_session_of_hypotheses_takes_is_said_in_calls_units_and_money(past):
    made = session(past, {"a": 1700, "b": 1690, "c": 1450, "d": 1440, "e": 1200, "f": 1210})
    found = estimate(made.state, Dear(0.01), NOTHING, Dear(0.1))
    # a round: a debate of five turns a side, one of four, and a comparison; ten of them are a session
    assert (found.expected.decisions, found.session.rounds, found.session.debates) == (30, 10, 2)
    assert found.session.units == 10 * (11 + 9 + 1)
    assert found.expected.cost == pytest.approx(10 * (3 * 0.01 + 18 * 0.1))
    assert found.sentence() == (
        "6 items, judge dear: at most 30 decisions; 10 rounds, the next of 3 matches, 2 of them debates; "
        "about 210 compute units in all; about 210 requests, tokens not known, $18.3000"
    )


def test_a_budget_of_calls_bounds_the_rounds_and_what_they_take(past):
    found = estimate(session(past, 6, calls=5).state, Dear(0.0), NOTHING)
    assert (found.expected.decisions, found.session.rounds, found.session.units) == (5, 2, 6)
    assert "2 rounds, the next of 3 matches, no debate among them; about 6 compute units" in found.sentence()
    last = estimate(session(past, 6, calls=1).state, Dear(0.0), NOTHING)
    assert "1 round, the next of 1 match, no debate among them; about 1 compute unit in all" in last.sentence()


def test_with_a_budget_a_round_the_units_are_a_limit(past):
    found = estimate(session(past, 6, budget=2).state, Dear(None), NOTHING)
    assert (found.expected.decisions, found.session.units, found.expected.cost) == (20, 20, None)
    assert "at most 20 compute units in all" in found.sentence()


def test_in_the_middle_of_a_session_what_is_open_and_what_is_left_of_it_counts(past):
    made = session(past, 8)
    for _ in range(4):
        made.plan(weighted_policy.plan(made.state))
    made.record("4.1", made.state.rounds[-1].pairings[0], None)
    found = estimate(made.state, Dear(0.0), Spending(decisions=1))
    assert found.session.rounds == 6
    assert found.expected.decisions == 2 + 6 * 3


def test_a_session_that_has_but_to_be_finished_plans_no_other(past):
    made = session(past, 8)
    for _ in range(10):
        made.plan(weighted_policy.plan(made.state))
    found = estimate(made.state, Dear(0.0), NOTHING)
    assert (found.session.rounds, found.expected.decisions) == (0, 3)
