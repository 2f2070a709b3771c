"""The one loop: budgets, failures, interruptions, resumption, and that none of it changes the result."""

import asyncio
import re
import shutil
import threading
import time
from dataclasses import replace

import pytest

import without_board
from paragone.domain import Choice, Question, Verdict
from paragone.errors import Busy, InvalidConfig, JudgeFailed
from paragone.judges.base import JudgeCard
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.planning.stopping import budget_in_words
from paragone.tournaments.running.runner import UNDECIDED
from paragone.tournaments.tournament import Tournament

ITEMS = [f"item {number:02}" for number in range(12)]
STRENGTHS = {str(place + 1): 0.5 * place for place in range(len(ITEMS))}
QUICK = CallOptions(concurrency=4, attempts=1, wait=0.001)
BUDGET = 40


class Counting:
    """A judge around a judge that remembers what was asked, and may act before it answers."""

    def __init__(self, inner, before=lambda count: None):
        self.inner, self.before, self.asked = inner, before, []

    @property
    def card(self) -> JudgeCard:
        return self.inner.card

    async def compare(self, question: Question) -> Verdict:
        self.asked.append((question.first.id, question.second.id))
        self.before(len(self.asked))
        return await self.inner.compare(question)

    def price(self, question):
        return self.inner.price(question)

    async def close(self):
        await self.inner.close()


def simulated(**options):
    return SimulatedJudge(STRENGTHS, **{"noise": 0.5, "bias": 0.3, "ties": 0.1, "seed": 5, **options})


def begin(judge, db, **options):
    options = {"seed": 3, "budget": BUDGET, "confidence": 0.999, **options}
    return Tournament.create(dict(zip(STRENGTHS, ITEMS, strict=True)), judge=judge, criteria="larger", db=db, **options)


def rows(board):
    return [replace(row, text="") for row in board.items]


def standing(tournament):
    """What a board shows but for what it draws."""
    return tournament.ledger.ratings.all(tournament.state.id), tournament.state.posterior.strength.tolist()


@pytest.fixture
def db(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The board of a run that nothing disturbed, call by call, and its ledger, to be copied."""
    db = tmp_path_factory.mktemp("whole") / "ledger.db"
    with begin(simulated(), db) as tournament:
        return tournament.run(pace=CallOptions(concurrency=1)), db


def test_the_order_in_which_answers_arrive_changes_nothing(whole, db):
    with begin(simulated(delay=0.002), db) as tournament:
        board = tournament.run(pace=CallOptions(concurrency=8))
    assert rows(board) == rows(whole[0])
    assert board.spending.decisions == whole[0].spending.decisions == BUDGET


@pytest.mark.parametrize("options", [{}, {"pairing": "round-robin"}, {"pairing": "swiss"}, {"winner": True}])
def test_no_comparison_beyond_the_budget_and_no_ordered_pair_twice(db, options):
    judge = Counting(simulated())
    with begin(judge, db, budget=25, **options) as tournament:
        spent = without_board.run(tournament, pace=QUICK)
    assert spent.decisions == len(judge.asked) <= 25
    assert len(set(judge.asked)) == len(judge.asked) or options == {"pairing": "swiss"}
    assert "budget" in tournament.stop.reason


def test_swiss_shows_both_orders_and_keeps_the_table_by_wins(db):
    judge = Counting(simulated())
    with begin(judge, db, pairing="swiss", budget=None) as tournament:
        board = tournament.run(pace=QUICK)
    assert all((b, a) in judge.asked for a, b in judge.asked)
    assert [row.wins for row in board.table] == sorted((row.wins for row in board.table), reverse=True)
    assert {row.id for row in board.table} == set(STRENGTHS)
    assert sum(row.losses < 2 for row in board.table) <= 1


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({"top": 3}, r"[\d.]+% of the true top 3 are expected among the first 3; the goal was at least 90%"),
        ({"winner": True, "confidence": 0.6}, r"the item on top is the best with .*; the goal was at least 0\.6"),
        ({"whole_order": True}, r"an agreement of [\d.]+ with .* is expected; the goal was at least 0\.9"),
        ({}, r"an agreement of .* of the true top 4 are expected; the goal was at least 0\.9 and 90%"),
    ],
)
def test_stops_when_the_forecast_reaches_the_confidence_and_says_so(db, goal, words):
    judge = SimulatedJudge(STRENGTHS, noise=0.05, seed=1)
    with begin(judge, db, **{"confidence": 0.9, **goal}, budget=132) as tournament:
        board = tournament.run(pace=QUICK)
    assert board.spending.decisions < 132
    assert [row.id for row in board.items[:3]] == ["12", "11", "10"]
    assert re.fullmatch(words, board.stopped)
    assert tournament.stop.finished


def test_an_interrupted_run_goes_on_to_the_board_of_an_uninterrupted_one(whole, db):
    first = Counting(simulated())
    with begin(first, db) as half:
        first.before = lambda count: half.gate.close("enough") if count == 23 else None
        without_board.run(half, pace=QUICK)
        assert not half.stop.finished
    second = Counting(simulated())
    with Tournament.open(db, judge=second) as rest:
        board = rest.run(pace=QUICK)
        assert rest.audit().ok
    assert rows(board) == rows(whole[0])
    assert len(first.asked) + len(second.asked) == BUDGET
    assert not set(first.asked) & set(second.asked)


def test_answers_that_wait_for_the_head_of_their_round_are_not_lost_to_the_budget(tmp_path):
    """Eleven of twelve are answered and none is committed, since the first is still out; then the run is left."""
    with begin(simulated(), tmp_path / "whole.db", budget=12) as whole:
        without_board.run(whole, pace=QUICK)
        expected = standing(whole)

    class Stuck(Counting):
        async def compare(self, question):
            if question.call == "1.1.1":
                await asyncio.Event().wait()
            verdict = await super().compare(question)
            if len(self.asked) == 11:
                asyncio.get_running_loop().call_later(0.2, half.gate.abandon)
            return verdict

    with begin(Stuck(simulated()), tmp_path / "half.db", budget=12) as half:
        assert without_board.run(half, pace=QUICK).decisions == 11
        assert half.state.played == []
    with Tournament.open(tmp_path / "half.db", judge=Counting(simulated())) as rest:
        without_board.run(rest, pace=QUICK)
        first = half.state.rounds[0].pairings[0]
        assert rest.judge.asked == [first.shown(first.orders[0])]
        assert standing(rest) == expected


def test_stopping_does_not_wait_for_turns_and_retries(db):
    slow = CallOptions(concurrency=4, per_minute=2, attempts=3, wait=60.0)
    close = lambda count: count == 1 and threading.Timer(0.05, lambda: tournament.gate.close("enough")).start()
    with begin(Counting(simulated(failures=0.5), close), db) as tournament:
        start = time.monotonic()
        without_board.run(tournament, pace=slow)
    assert tournament.stop.reason == "enough"
    assert time.monotonic() - start < 20


def test_failures_and_stops_do_not_change_the_order_of_record(whole, db):
    with begin(simulated(failures=0.3), db) as first:
        without_board.run(
            first, lambda progress: first.gate.close("a break") if progress.spending.decisions == 20 else None, QUICK
        )
    with Tournament.open(db, judge=simulated()) as rest:
        assert rows(rest.run(pace=QUICK)) == rows(whole[0])


@pytest.mark.parametrize("stop_after", [1, 5, 13])
def test_a_budget_that_ends_within_what_is_planned_is_why_the_run_ends(db, stop_after):
    with begin(simulated(), db) as tournament:
        without_board.run(
            tournament,
            lambda progress: progress.spending.decisions >= stop_after and tournament.gate.close("a break"),
            QUICK,
        )
        budget = tournament.state.answered + 1
        assert len(tournament.state.open_matches) >= 8
        tournament.extend(budget=budget)
        assert without_board.run(tournament, pace=QUICK).decisions == budget
        assert tournament.stop.reason == f"the budget of {budget} comparisons is spent"
        assert tournament.state.open_matches, "the rest of the plan stays open for a larger budget"
        tournament.extend(budget=1500)
        assert budget_in_words(tournament.state) == "the budget of 1,500 comparisons"


def test_leaving_does_not_wait_for_a_function_that_hangs(db):
    def hangs(first, second, criteria):
        for timer in timers:  # by the first of the calls
            timer.start()
        time.sleep(30)

    with begin(hangs, db) as tournament:
        timers = iter([threading.Timer(0.02, tournament.gate.abandon)])
        start = time.monotonic()
        without_board.run(tournament, pace=QUICK)
    assert time.monotonic() - start < 20


def test_a_function_that_leaves_is_a_failed_call(db):
    def leaves(first, second, criteria):
        raise SystemExit(3)

    with begin(leaves, db) as tournament:
        assert "SystemExit" in tournament.run(pace=QUICK).stopped


def test_abstentions_alone_are_no_forecast(db):
    with begin(simulated(abstentions=1.0), db, budget=24) as tournament:
        board = tournament.run(pace=QUICK)
    assert (board.forecast, board.abstentions) == (None, 24)


def test_a_run_that_was_stopped_goes_on_in_the_same_object(db):
    with begin(simulated(), db, budget=12) as tournament:
        tournament.gate.close("a break")
        assert tournament.run(pace=QUICK).stopped == "a break"
        assert without_board.run(tournament, pace=QUICK).decisions == 12


def test_an_outage_moves_no_rating_stops_the_run_and_costs_no_answer(db):
    with begin(simulated(failures=1.0), db) as tournament:
        spending = without_board.run(tournament, pace=QUICK)
        ratings, strength = standing(tournament)
    assert {rating.elo for rating in ratings.values()} == {1200.0}
    assert set(strength) == {0.0}
    assert spending.decisions == 0
    assert 0 < spending.failed <= QUICK.outage + QUICK.concurrency
    assert tournament.stop.failed
    assert not tournament.stop.finished
    assert "times in a row" in tournament.stop.reason
    with Tournament.open(db, judge=simulated()) as again:
        assert without_board.run(again, pace=QUICK).decisions == BUDGET


def test_an_outage_eats_no_budget_however_small(db):
    with begin(simulated(failures=1.0), db, budget=2) as tournament:
        without_board.run(tournament, pace=QUICK)
        assert tournament.stop.failed
        assert "answered none of 2 matches" in tournament.stop.reason
    with Tournament.open(db, judge=simulated()) as again:
        spent = without_board.run(again, pace=QUICK)
    assert (spent.decisions, again.stop.finished) == (2, True)


def test_some_failures_change_only_the_number_of_calls(tmp_path):
    with begin(simulated(), tmp_path / "sound.db", budget=30) as sound:
        without_board.run(sound, pace=QUICK)
        expected = standing(sound)
    shaky = CallOptions(concurrency=4, attempts=6, wait=0.0001)
    with begin(simulated(failures=0.2), tmp_path / "shaky.db", budget=30) as tournament:
        assert without_board.run(tournament, pace=shaky).requests > 30
        assert standing(tournament) == expected


def test_a_second_tournament_over_the_same_items_asks_nothing_again(whole, db):
    expected, before = whole
    shutil.copy(before, db)
    judge = Counting(simulated())
    with begin(judge, db) as tournament:
        board = tournament.run(pace=QUICK)
    assert judge.asked == []
    assert (board.spending.requests, board.spending.cached, board.spending.decisions) == (0, BUDGET, BUDGET)
    assert rows(board) == rows(expected)
    assert board.tournament != expected.tournament


def test_a_tournament_may_be_extended(db):
    with begin(simulated(), db, budget=20) as tournament:
        assert without_board.run(tournament, pace=QUICK).decisions == 20
        tournament.extend(budget=40)
        assert without_board.run(tournament, pace=QUICK).decisions == 40


def test_says_what_as_many_calls_again_would_bring(db):
    with begin(simulated(), db, budget=20) as tournament:
        board = tournament.run(pace=QUICK)
        assert board.outlook.tau > board.forecast.tau
        assert board.outlook.top == board.forecast.top
        tournament.extend(budget=67)
        assert tournament.run(pace=QUICK).outlook is None, "there are not twice as many ordered pairs"


def test_one_runner_at_a_time(db):
    with (
        begin(simulated(), db) as tournament,
        Tournament.open(db, judge=simulated()) as other,
        tournament.ledger.tournaments.claim(tournament.state.id),
        pytest.raises(Busy, match=tournament.state.id),
    ):
        without_board.run(other, pace=QUICK)


def test_abstentions_are_answers_but_no_evidence(db):
    with begin(simulated(abstentions=1.0), db, budget=12) as tournament:
        spending = without_board.run(tournament, pace=QUICK)
        ratings, _ = standing(tournament)
    assert {rating.matches for rating in ratings.values()} == {0}
    assert (spending.decisions, spending.failed) == (12, 0)


def test_a_budget_in_money_is_never_exceeded(db):
    class Priced(Counting):
        async def compare(self, question):
            verdict = await super().compare(question)
            return replace(verdict, usage=replace(verdict.usage, calls=1, cost=0.01))

        def price(self, question):
            return 0.01

    judge = Priced(simulated())
    with begin(judge, db, max_cost=0.155) as tournament:
        spent = without_board.run(tournament, pace=QUICK)
    assert spent.dollars == pytest.approx(0.15)
    assert len(judge.asked) == 15
    assert tournament.stop.finished
    assert "$0.155" in tournament.stop.reason


def test_a_budget_in_money_needs_a_price_before_anything_is_written(db):
    class Unpriced(Counting):
        def price(self, question):
            return None

    with pytest.raises(InvalidConfig, match="price"):
        begin(Unpriced(simulated()), db, max_cost=1.0)
    assert not db.exists()


def test_a_judge_that_breaks_for_another_reason_stops_the_run_which_names_its_error(db):
    class Broken(Counting):
        async def compare(self, question):
            raise RuntimeError("not a judge's failure")

    with begin(Broken(simulated()), db) as tournament:
        stopped = tournament.run(pace=QUICK).stopped
    assert stopped.startswith("the judge failed 10 times in a row")
    assert stopped.endswith("raised RuntimeError: not a judge's failure")


def test_a_run_inside_a_loop_runs_beside_it(db):
    async def inside():
        with begin(simulated(), db, budget=12) as tournament:
            return tournament.run(pace=QUICK)

    assert asyncio.run(inside()).spending.decisions == 12


def test_failures_keep_the_matches_that_were_answered(db):
    class Sometimes(Counting):
        async def compare(self, question):
            if "7" in (question.first.id, question.second.id):
                raise JudgeFailed("seven is out")
            return await super().compare(question)

    with begin(Sometimes(simulated()), db, pairing="round-robin", budget=None) as tournament:
        without_board.run(tournament, pace=QUICK)
        ratings = tournament.ledger.ratings.all(tournament.state.id)
    assert (ratings["7"].matches, ratings["7"].elo) == (0, 1200.0)
    assert sum(rating.matches for rating in ratings.values()) == 2 * 11 * 10 / 2
    assert all(c.verdict.choice is not Choice.FAILED for c in tournament.state.comparisons)


def test_a_judge_that_only_abstains_does_not_spend_the_budget(db):
    judge = Counting(simulated(abstentions=1.0))
    with begin(judge, db, budget=70) as tournament:
        without_board.run(tournament, pace=CallOptions(concurrency=1))
        assert len(judge.asked) == UNDECIDED
        assert "abstained 50 times and decided nothing" in tournament.stop.reason
        assert (tournament.stop.failed, tournament.stop.finished) == (True, False)
        tournament.judge = simulated()
        without_board.run(tournament, pace=QUICK)
        assert tournament.state.comparison_table.abstentions == UNDECIDED
        assert tournament.stop.finished


def test_a_judge_that_abstains_often_goes_on(db):
    judge = Counting(simulated(abstentions=0.9))
    with begin(judge, db, budget=70) as tournament:
        without_board.run(tournament, pace=QUICK)
    assert tournament.state.comparison_table.abstentions > UNDECIDED
    assert len(judge.asked) == 70


class Malformed(Counting):
    """Answers are paid for, and every second one is of no use."""

    async def compare(self, question):
        verdict = await super().compare(question)
        if len(self.asked) % 2:
            raise JudgeFailed("malformed", tokens=(400, 100), cost=0.001)
        return verdict


@pytest.mark.parametrize("attempts", [1, 3])
def test_a_limit_in_tokens_holds_over_runs_where_answers_are_of_no_use(db, attempts):
    judges, tokens = [], 40_000

    def malformed(stop_after):
        stop = lambda count: tournament.gate.close("enough") if count == stop_after else None
        judges.append(Malformed(simulated(tokens=500, cost=0.001), stop))
        return judges[-1]

    pace = replace(QUICK, attempts=attempts)
    with begin(malformed(23), db, max_tokens=tokens, budget=60) as tournament:
        without_board.run(tournament, pace=pace)
    for stop_after in (20, None):
        with Tournament.open(db, judge=malformed(stop_after)) as tournament:
            without_board.run(tournament, pace=pace)
            spent = tournament.ledger.tournaments.spending(tournament.state.id)
            taken = sum(len(judge.asked) for judge in judges)
            assert spent.tokens == 500 * taken
            assert spent.cost == pytest.approx(0.001 * taken)
    assert 500 * taken <= tokens
    assert 500 * taken > tokens - 2_000  # little is left over that a call would have fitted into
