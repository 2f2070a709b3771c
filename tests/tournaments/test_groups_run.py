"""Tournaments of lists, whole: budgets, failures, interruptions, mixed pools, and the length that a pilot chooses."""

import asyncio
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import warm_start
import without_board
from paragone.domain import Choice, Lineup, Match, Pairing, Ranking, Verdict
from paragone.domain.spending import NOTHING as NOTHING_SPENT
from paragone.errors import InvalidConfig
from paragone.judges.call_options import CallOptions
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.presenting.board_facts import facts
from paragone.tournaments.planning.estimate import estimate
from paragone.tournaments.planning.informative_policy import decision_in_words, group_size, list_decision
from paragone.tournaments.planning.schedule import plan_round
from paragone.tournaments.planning.stopping import BudgetLeft, budget_left, within
from paragone.tournaments.results.tournament_board import WhatIf
from paragone.tournaments.running.control import unobserved
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.tournament_settings import settings_for

pytestmark = pytest.mark.slow

STRENGTHS = {f"i{place:02}": 0.4 * place for place in range(14)}
QUICK = CallOptions(concurrency=4, attempts=1, wait=0.001)
ONE_BY_ONE = CallOptions(concurrency=1)
BUDGET = 10
"""Four rounds: each is planned by a fit and draws of its own, which is what a test here takes."""


class Counting:
    """A judge around a judge that remembers what was asked, and may act before it answers."""

    def __init__(self, inner, before=lambda count: None):
        self.inner, self.before, self.asked = inner, before, []

    @property
    def card(self):
        return self.inner.card

    async def compare(self, question):
        self.asked.append(tuple(item.id for item in question.items))
        self.before(len(self.asked))
        return await self.inner.compare(question)

    def price(self, question):
        return self.inner.price(question)

    async def close(self):
        await self.inner.close()


def simulated(**options):
    return SimulatedJudge(STRENGTHS, **{"bias": 0.3, "ties": 0.1, "seed": 5, **options})


def begin(judge, db, **options):
    options = {"seed": 3, "group_size": 5, "confidence": 0.999, "budget": BUDGET, **options}
    return Tournament.create({id: f"text {id}" for id in STRENGTHS}, judge=judge, criteria="larger", db=db, **options)


def rows(board):
    return [replace(row, text="") for row in board.items]


@pytest.fixture
def db(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The board of a run that nothing disturbed, in a loop of one's own, what it asked, and its ledger."""
    judge, db = Counting(simulated()), tmp_path_factory.mktemp("whole") / "ledger.db"
    with begin(judge, db) as tournament:
        return asyncio.run(tournament.arun(pace=QUICK)), judge.asked, db


@pytest.fixture(scope="module")
def expected(whole):
    """The rows of that board."""
    return rows(whole[0])


def test_a_list_is_one_call_and_no_more_are_made_than_the_budget(whole):
    board, asked, db = whole
    with Ledger.open(db) as ledger:
        assert ledger.audit().ok
    assert board.spending.decisions == len(asked) == BUDGET
    assert set(map(len, asked)) == {5}
    assert len(set(asked)) == BUDGET
    assert set(Counter(id for group in asked for id in group)) == set(STRENGTHS)
    assert board.stopped == f"the budget of {BUDGET} calls is spent"
    assert [row.id for row in board.items[:2]] <= ["i13", "i12", "i11"]


def test_the_same_seed_gives_the_same_board_in_whatever_order_answers_arrive(expected, db):
    with begin(simulated(delay=0.002), db) as tournament:
        assert rows(tournament.run(pace=ONE_BY_ONE)) == expected


def test_an_interrupted_run_goes_on_to_the_same_board(expected, db):
    first = Counting(simulated())
    with begin(first, db) as half:
        first.before = lambda count: half.gate.close("enough") if count == 6 else None
        without_board.run(half, pace=QUICK)
        assert not half.stop.finished
    second = Counting(simulated())
    with Tournament.open(db, judge=second) as rest:
        board = rest.run(pace=QUICK)
        assert rest.audit().ok
    assert rows(board) == expected
    assert len(first.asked) + len(second.asked) == BUDGET
    assert not set(first.asked) & set(second.asked)


def test_killed_in_the_middle_it_goes_on_to_the_same_board(expected, db):
    script = (
        "import os, signal, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from test_groups_run import CallOptions, Counting, begin, simulated\n"
        "die = lambda count: count == 7 and os.kill(os.getpid(), signal.SIGKILL)\n"
        "begin(Counting(simulated(), die), sys.argv[2]).run(pace=CallOptions(concurrency=2))\n"
    )
    subprocess.run([warm_start.python(), "-c", script, str(Path(__file__).parent), str(db)], check=False)
    with Ledger.open(db) as ledger:
        assert ledger.audit().ok
        kept = ledger.tournaments.spending(ledger.tournaments.get().id).decisions
    assert 4 <= kept < BUDGET
    judge = Counting(simulated())
    with Tournament.open(db, judge=judge) as rest:
        assert rows(rest.run(pace=QUICK)) == expected
        assert rest.audit().ok
    assert len(judge.asked) == BUDGET - kept


def test_the_cache_serves_lists(whole, expected, db):
    shutil.copy(whole[2], db)
    judge = Counting(simulated())
    with begin(judge, db) as again:
        board = again.run(pace=QUICK)
    assert judge.asked == []
    assert (board.spending.decisions, board.spending.cached) == (BUDGET, BUDGET)
    assert rows(board) == expected


def test_failures_are_asked_again_and_count_for_nothing(expected, db):
    with begin(simulated(failures=0.3), db) as tournament:
        board = tournament.run(pace=CallOptions(concurrency=4, attempts=4, wait=0.001))
        assert tournament.audit().ok
    assert rows(board) == expected


def test_an_outage_ranks_nobody(db):
    with begin(simulated(failures=1.0), db) as tournament:
        board = tournament.run(pace=QUICK)
        assert tournament.stop.failed
    assert {row.matches for row in board.items} == {0}
    assert board.forecast is None


def test_abstentions_are_void_matches(db):
    with begin(simulated(abstentions=1.0), db, budget=6) as tournament:
        board = tournament.run(pace=QUICK)
        assert tournament.audit().ok
    assert (board.abstentions, board.spending.decisions) == (6, 6)
    assert {row.elo for row in board.items} == {1200.0}


def test_without_a_budget_as_many_texts_are_shown_as_ten_pairs_an_item_show():
    assert settings_for(14, criteria="x", judge="j", group_size=5).budget == 56
    assert settings_for(14, criteria="x", judge="j", group_size=2).budget == 140
    assert settings_for(150, criteria="x", judge="j", group_size=10).budget == 300
    assert settings_for(14, criteria="x", judge="j", group_size="auto").budget is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group_size": 1}, "group_size must be at least 2"),
        ({"group_size": "some"}, "a number from 2, or 'auto'"),
        ({"group_size": 2.5}, "group_size is a whole number, not 2.5"),
        ({"group_size": []}, "group_size is a whole number"),
        ({"group_size": 15}, "a group of 15 cannot be made of 14"),
        ({"group_size": 3, "pairing": "swiss"}, "informative pairing alone"),
        ({"group_size": "auto", "comparison_rounds": 2}, r"--orders\) is for pairs"),
    ],
)
def test_groups_that_cannot_be_are_refused(options, message):
    with pytest.raises(InvalidConfig, match=message):
        settings_for(14, criteria="x", judge="j", **options)
    with pytest.raises(InvalidConfig, match="two items are a pair"):
        settings_for(2, criteria="x", judge="j", group_size="auto")


def test_a_judge_of_pairs_is_refused_before_anything_is_written(db):
    with pytest.raises(InvalidConfig, match="compares two items at a time"):
        begin(lambda first, second, criteria: "first", db)
    assert not db.exists()


def test_a_judge_of_shorter_lists_is_refused_also_when_it_comes_later(db):
    judge = simulated()
    judge._card = replace(judge.card, lists=replace(judge.card.lists, most=4))
    with pytest.raises(InvalidConfig, match="orders 4 items at the most, and 5"):
        begin(judge, db)
    with begin(simulated(), db):
        pass
    with Tournament.open(db, judge=judge) as later, pytest.raises(InvalidConfig, match="4 items at the most"):
        later.run(pace=QUICK)


def test_a_function_that_orders_is_enough(db):
    def by_id(items, criteria):
        return sorted((item.id for item in items), reverse=True)

    with begin(FunctionJudge(by_id), db) as tournament:
        without_board.run(tournament, pace=QUICK)
        by_strength = dict(zip(tournament.state.ids, tournament.state.posterior.strength.tolist(), strict=True))
    assert sorted(by_strength, key=by_strength.get) == sorted(STRENGTHS)


def test_rollback_what_if_and_inspection_go_over_lists(whole, db):
    shutil.copy(whole[2], db)
    with Tournament.open(db) as tournament:
        match = tournament.state.played[0]
        seen = tournament.inspect("1.1")
        assert seen.heading[0] == f"match 1.1: 5 in one call: {match.items[0]} first of 5"
        assert [line[1] for line in seen.lines] == list(match.items)
        assert sorted(int(line[2]) for line in seen.lines) == [1, 2, 3, 4, 5]
        middle = match.items[2]
        about = tournament.inspect(middle)
        assert "1.1" in [record["id"] for record in about.record["matches"]]
        assert ("1.1", match.items[0], match.items[-1], f"{middle} in place 3 of 5", "1") in about.lines
        assert tournament.inspect(match.items[0]).lines[0][3] == f"{match.items[0]} first of 5"
        verdict = tournament.records("verdicts")[0]
        assert (verdict["order"], verdict["shown"]) == (list(match.items), list(match.ranking.shown))
        without = tournament.whatif(WhatIf(without_matches=("1.1",)))
        tournament.rollback("1.1", "disputed")
        assert [(row.id, row.elo) for row in tournament.board().items] == [(row.id, row.elo) for row in without.items]
        assert tournament.audit().ok
        assert tournament.inspect("1.1").heading[1] == "rolled back: it no longer counts"


def test_what_fits_into_what_is_left():
    pair, lineup = Pairing(a="a", b="b"), Lineup(items=("a", "b", "c", "d"))
    assert within((pair, lineup, pair), BudgetLeft(calls=2)) == (pair, lineup)
    assert within((pair, lineup, pair), BudgetLeft(texts=7)) == (pair, lineup)
    assert within((pair, lineup, pair), BudgetLeft(texts=5)) == (pair,)
    assert within((pair, lineup, pair), BudgetLeft()) == (pair, lineup, pair)


AUTO = {"group_size": "auto", "budget": None}
MANY = {f"m{place:02}": 0.25 * place for place in range(40)}
PILOT = 48 + 7 + 7
"""Calls of a pilot over forty items: 96 + 28 + 70 texts, a quarter of 800."""


class Unanswered(Counting):
    """Answers so many calls; with the next in flight the run is left."""

    def __init__(self, inner, calls):
        super().__init__(inner)
        self.calls = calls

    async def compare(self, question):
        if len(self.asked) == self.calls:
            self.leave()
            await asyncio.Event().wait()
        return await super().compare(question)


def play_until_unanswered(tournament, observer=unobserved):
    """Play until the judge of a tournament does not answer."""
    tournament.judge.leave = tournament.gate.abandon
    without_board.run(tournament, observer, ONE_BY_ONE)


def piloted(db, calls, *, observer=unobserved, **options):
    """Play a tournament of forty up to so many calls, and leave it with the next of them in flight."""
    judge = Unanswered(SimulatedJudge(MANY, seed=2, **options), calls)
    with Tournament.create({id: id for id in MANY}, judge=judge, criteria="x", db=db, seed=3, **AUTO) as found:
        play_until_unanswered(found, observer)


LISTS_WIN = {"list_noise": 0.5, "tokens": None}


@pytest.fixture(scope="module")
def pilot(tmp_path_factory):
    """The ledger of a tournament whose pilot found lists the better buy, its board and its notes."""
    db, heard = tmp_path_factory.mktemp("pilot") / "ledger.db", []
    piloted(db, PILOT, observer=lambda progress: heard.append(progress.notes), **LISTS_WIN)
    with Tournament.open(db) as tournament:
        return db, tournament.board(), heard


def planned_sizes(state):
    """How many items are in a call of the pilot, how often, and in the calls of the block that follows."""
    pilot, following = (Counter(len(planned.items) for planned in block.pairings) for block in state.rounds[:2])
    return pilot, set(following)


def test_the_pilot_is_asked_first_and_the_better_buy_follows(pilot):
    db, board, _ = pilot
    with Tournament.open(db) as tournament:
        chosen = group_size(tournament.state)
        assert planned_sizes(tournament.state) == ({2: 48, 4: 7, 10: 7}, {chosen})
        assert tournament.audit().ok
    assert chosen > 2
    assert {report.size for report in board.lists} >= {4, 10}
    assert all(report.noise_low < report.noise < report.noise_high for report in board.lists)
    assert any(name.startswith("lists of 10") and "as noisy as a pair" in said for name, said in facts(board))
    choice = board.list_choice
    assert choice.size == chosen
    assert choice.gain > 1
    assert choice.words.endswith(f"lists of {chosen} from here on")
    assert ("items in a call", choice.words) in facts(board)
    assert all(len(report.places) == report.size for report in board.lists)


def test_pairs_follow_where_lists_are_much_noisier(db):
    piloted(db, PILOT, list_noise=12.0)
    with Tournament.open(db) as tournament:
        decision = list_decision(tournament.state)
        assert planned_sizes(tournament.state) == ({2: 48, 4: 7, 10: 7}, {2})
        assert decision_in_words(tournament.state, decision).endswith("pairs from here on")
    assert (decision.size, decision.gain < 1) == (2, True)


def test_a_run_says_what_the_pilot_chose_and_why(pilot):
    db, board, heard = pilot
    judge, words = Counting(SimulatedJudge(MANY, seed=2, **LISTS_WIN)), board.list_choice.words
    with Tournament.create({id: id for id in MANY}, judge=judge, criteria="x", seed=3, **AUTO) as found:
        assert "a pilot finds out whether lists of up to 10" in estimate(found.state, judge, NOTHING_SPENT).sentence()
    assert "times the tokens of a pair" in words
    with Tournament.open(db, judge=judge) as found:
        assert words in estimate(found.state, judge, NOTHING_SPENT).sentence()
    assert heard[-1] == (words,)
    assert heard[0] == ()


def test_a_favoured_place_is_found_and_said(db):
    with begin(simulated(bias=5.0), db, group_size=7, budget=8) as tournament:
        board = tournament.run(pace=QUICK)
    (report,) = board.lists
    assert report.places[0] > 0.5 > -0.5 > report.places[-1]
    assert sum(report.places) == pytest.approx(0, abs=1e-4)
    assert any("places in lists of 7" in name and "taken out" in said for name, said in facts(board))


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ({}, "auto"),
        ({"budget": 50}, 2),
        ({"group_size": 2}, 2),
        ({"pairing": "swiss"}, 2),
        ({"comparison_rounds": 2}, 2),
    ],
)
def test_a_language_model_is_asked_for_lists_if_a_pilot_finds_them_better(given, chosen):
    items = {id: f"text {id}" for id in MANY}
    judge = "llm:model@http://127.0.0.1:9/v1"
    with Tournament.create(items, judge=judge, criteria="x", seed=3, **given) as found:
        assert found.state.settings.group_size == chosen
    with Tournament.create(dict(list(items.items())[:20]), judge=judge, criteria="x", seed=3) as small:
        assert small.state.settings.group_size == 2
    with Tournament.create(items, judge=SimulatedJudge(MANY), criteria="x", seed=3) as other:
        assert other.state.settings.group_size == 2


def test_an_interrupted_pilot_goes_on_to_the_same_plan(pilot, db):
    whole, expected, _ = pilot
    piloted(db, 30, **LISTS_WIN)
    judge = Unanswered(SimulatedJudge(MANY, seed=2, **LISTS_WIN), PILOT - 30)
    with Tournament.open(db, judge=judge) as rest:
        play_until_unanswered(rest)
        board, planned = rest.board(), rest.state.rounds
    with Ledger.open(whole) as ledger:
        assert planned == TournamentState.load(ledger, ledger.tournaments.get().id).rounds
    assert rows(board) == rows(expected)


def test_where_no_budget_is_given_texts_are_counted(db):
    with begin(simulated(), db, **AUTO) as tournament:
        assert budget_left(tournament.state) == BudgetLeft(texts=20 * len(STRENGTHS))
        tournament.state.played.append(
            Match.ranked("1.1", Ranking(call="1", shown=("i00", "i01", "i02"), verdict=NOTHING))
        )
        assert budget_left(tournament.state) == BudgetLeft(texts=20 * len(STRENGTHS) - 3)


NOTHING = Verdict(choice=Choice.ABSTAIN, judge="j")


def test_where_calls_are_limited_lists_are_the_better_buy_for_longer(db):
    judge = Counting(simulated(list_noise=1.5))
    with begin(judge, db, group_size="auto", budget=7) as tournament:
        calls = len(plan_round(tournament.state).pairings)
        judge.before = lambda count: tournament.gate.close("the pilot is over") if count == calls else None
        assert without_board.run(tournament, pace=QUICK).decisions == calls < 7
        assert group_size(tournament.state) == 10


def test_a_judge_may_answer_none_of_a_pilots_lists(db):
    class PairsOnly(Counting):
        async def compare(self, question):
            verdict = await super().compare(question)
            return replace(verdict, choice=Choice.ABSTAIN, order=()) if question.others else verdict

    with begin(PairsOnly(simulated()), db, group_size="auto", budget=7) as tournament:
        without_board.run(tournament, pace=QUICK)
        assert group_size(tournament.state) == 2
