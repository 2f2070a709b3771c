"""Plans ahead of answers: the order of arrival, kills, stragglers and failures change no result, and nobody waits."""

import asyncio
import json
import os
import random
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import virtual_time
import warm_start
import without_board
from paragone.domain import Choice, Comparison, Match, SchedulingConfig, TournamentSystemConfig, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import Wrapper, uniform
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.tournaments.planning.blocks import PARTS, window_of
from paragone.tournaments.planning.schedule import plan_round
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.rounds import PlanOrder
from paragone.tournaments.tournament import Tournament

COUNT = 16
ITEMS = {f"i{number:02}": f"item {number}" for number in range(COUNT)}
STRENGTHS = {id: 0.4 * number for number, id in enumerate(ITEMS)}
QUICK = CallOptions(concurrency=6, attempts=1, wait=0.001)
WINDOW = 16
BUDGET = 40


def simulated(**options):
    return SimulatedJudge(STRENGTHS, **{"noise": 0.7, "bias": 0.2, "ties": 0.1, "seed": 5, **options})


def begin(judge, db, **options):
    options = {"seed": 3, "budget": BUDGET, "confidence": 0.9999, **options}
    return Tournament.create(ITEMS, judge=judge, criteria="larger", db=db, **options)


def contents(ledger):
    """All that a tournament's ledger holds but for times: answers by call, everything else in the order of record."""
    id = ledger.tournaments.get().id
    events = [(event.kind, event.detail) for event in ledger.tournaments.events(id)]
    return {
        "rounds": [
            (plan.number, [repr(pairing) for pairing in plan.pairings]) for plan in ledger.tournaments.rounds(id)
        ],
        "notes": [detail for kind, detail in events if kind == "round"],
        "aside": [detail for kind, detail in events if kind == "aside"],
        "matches": [repr(entry.match) for entry in ledger.matches.all(id)],
        "changes": [repr(change) for change in ledger.ratings.changes(id)],
        "ratings": {item: repr(rating) for item, rating in ledger.ratings.all(id).items()},
    }


class Released(Wrapper):
    """Answers come back one by one, in an order that has nothing to do with the order of the questions."""

    def __init__(self, judge, seed):
        super().__init__(judge)
        self._random, self._open = random.Random(seed), []

    async def compare(self, question):
        turn = asyncio.get_running_loop().create_future()
        self._open.append(turn)
        asyncio.get_running_loop().call_later(0.001 * self._random.random(), self._release)
        await turn
        return await super().compare(question)

    def _release(self):
        turn = self._open.pop(self._random.randrange(len(self._open)))
        if not turn.done():
            turn.set_result(None)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a tournament comes to where one call is made after the other."""

    def played(pairing):
        db = tmp_path_factory.mktemp("whole") / f"{pairing}.db"
        with begin(simulated(), db, pairing=pairing) as tournament:
            without_board.run(tournament, pace=CallOptions(concurrency=1))
            return contents(tournament.ledger)

    return {pairing: played(pairing) for pairing in ("informative", "round-robin")}


@pytest.mark.parametrize("pairing", ["informative", "round-robin"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=max(3, settings().max_examples // 8), deadline=None)
def test_the_order_of_arrival_changes_nothing_in_the_ledger(undisturbed, pairing, seed):
    with begin(Released(simulated(), seed), "sqlite://", pairing=pairing) as tournament:
        without_board.run(tournament, pace=QUICK)
        assert contents(tournament.ledger) == undisturbed[pairing]
        assert tournament.audit().ok


class Killing(Wrapper):
    """Kills its process when so many questions have been put."""

    def __init__(self, judge, after):
        super().__init__(judge)
        self._left = after

    async def compare(self, question):
        self._left -= 1
        if self._left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(0.002 * uniform(question.call))
        return await super().compare(question)


@pytest.mark.parametrize("pairing", ["informative", "round-robin"])
def test_killed_twice_it_comes_to_what_an_undisturbed_run_comes_to(undisturbed, pairing, tmp_path):
    db = tmp_path / "l.db"
    with begin(simulated(), db, pairing=pairing):
        pass
    for _ in range(2):
        killed = subprocess.run(
            [warm_start.python(), "-c", _RESUME, str(Path(__file__).parent), str(db)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert "killed" not in killed.stdout
    with Tournament.open(db, judge=simulated()) as tournament:
        assert 0 < len(tournament.state.played) < BUDGET
        without_board.run(tournament, pace=QUICK)
        assert contents(tournament.ledger) == undisturbed[pairing]
        spent = tournament.ledger.tournaments.spending(tournament.state.id)
        assert spent.decisions == BUDGET
        assert tournament.audit().ok


_RESUME = """
import sys
sys.path.insert(0, sys.argv[1])
from test_scheduling import *

with Tournament.open(sys.argv[2], judge=Killing(simulated(), 18)) as tournament:
    without_board.run(tournament, pace=QUICK)
print("it was not killed")
"""


class Watching(Wrapper):
    """Looks at the ledger whenever it is asked."""

    def __init__(self, judge, db):
        super().__init__(judge)
        self.db, self.ahead, self.unplanned = db, 0, []

    async def compare(self, question):
        await asyncio.sleep(0.001 * (1 + 20 * (uniform(question.call) < 0.1)))
        with Ledger.open(self.db) as ledger:
            id = ledger.tournaments.get().id
            order = PlanOrder.of(ledger.tournaments.rounds(id), (), ())
            number = order.rounds.place(question.call.rpartition(".")[0])
            self.unplanned += [] if number is not None else [question.call]
            self.ahead = max(self.ahead, (number or 0) - ledger.matches.count(id))
        return await super().compare(question)


def test_nothing_is_asked_beyond_the_window_or_before_its_plan_is_on_record(tmp_path):
    judge = Watching(simulated(), tmp_path / "l.db")
    with begin(judge, judge.db) as tournament:
        without_board.run(tournament, pace=QUICK)
        window = window_of(tournament.state.settings, COUNT, QUICK.concurrency)
    assert judge.unplanned == []
    assert window.size == WINDOW
    assert 1 < judge.ahead < WINDOW


def at_scale(seconds, *, items=30, matches=240, concurrency=12, pairing="informative"):
    """A tournament in virtual time; what it came to, and the seconds over matches x 1.5 s / calls in flight."""

    class Timed(Wrapper):
        calls = now = most = tasks = 0

        async def compare(self, question):
            Timed.calls += 1
            self.now += 1
            if Timed.calls % 8 == 0:  # to count them takes a sixth of all
                Timed.tasks = max(self.tasks, len(asyncio.all_tasks()))
            Timed.most = max(self.most, self.now)
            try:
                await asyncio.sleep(seconds(question.call, Timed.calls))
                return await super().compare(question)
            finally:
                self.now -= 1

    truth = {f"i{number}": uniform("strength", number) * 4 for number in range(items)}
    judge = Timed(SimulatedJudge(truth, seed=1))
    options = {"budget": matches, "seed": 1, "confidence": 0.9999, "pairing": pairing}
    with Tournament.create({id: id for id in truth}, judge=judge, criteria="c", **options) as tournament:
        pace = CallOptions(concurrency=concurrency)
        _, took = virtual_time.run(lambda: without_board.arun(tournament, pace=pace))
        assert len(tournament.state.played) == matches
        return tournament.state, Timed, took / (matches * 1.5 / concurrency)


@pytest.mark.parametrize("pairing", ["informative", "round-robin"])
def test_calls_are_in_flight_all_the_time(pairing):
    """Also where the window of the informative pairing is wider than there are items."""
    state, judge, over = at_scale(lambda call, asked: 1.0 + uniform(call), pairing=pairing)
    assert not [event for event in state.events if event.kind == "aside"]
    assert judge.most == 12
    assert over <= 1.10
    assert judge.calls == 240
    # What is planned ahead is begun, and waits: so much of it, however many matches there are.
    assert judge.tasks < 180


def test_matches_that_wait_for_their_turn_in_a_wide_window_are_not_slow():
    seconds = lambda call, asked: 1.0 + uniform(call)
    state, judge, over = at_scale(seconds, items=120, matches=150, concurrency=4, pairing="round-robin")
    assert not [event for event in state.events if event.kind == "aside"]
    assert (judge.most, over <= 1.10) == (4, True)


def test_stragglers_cost_a_quarter_and_two_percent_more_calls():
    slow = lambda call, asked: 60.0 if uniform("slow", call, asked) < 0.01 else 1.0 + uniform(call, asked)
    state, judge, over = at_scale(slow, matches=300, concurrency=10, pairing="round-robin")
    assert over <= 1.25
    assert 300 < judge.calls <= 1.02 * 300
    assert not [event for event in state.events if event.kind == "aside"]


def test_the_virtual_clock_does_not_wait_for_timers_that_were_cancelled():
    async def a_minute():
        asyncio.get_running_loop().call_later(1.0, print).cancel()
        await asyncio.sleep(60.0)

    start = time.monotonic()
    assert virtual_time.run(a_minute) == (None, 60.0)
    assert time.monotonic() - start < 20


def test_a_match_that_hangs_is_set_aside_and_counts_where_its_answer_comes(tmp_path):
    """A judge that is no model is not asked twice. The pointer passes its slow match, and a replay passes it there."""

    class Stuck(Wrapper):
        @property
        def card(self):
            return replace(super().card, sends=False)

        async def compare(self, question):
            await asyncio.sleep(40.0 if question.call == "2.1.1" else 1.0 + uniform(question.call))
            return await super().compare(question)

    with begin(Stuck(simulated()), tmp_path / "l.db") as tournament:
        virtual_time.run(lambda: without_board.arun(tournament, pace=QUICK))
        state = tournament.state
    (aside,) = [event.detail for event in state.events if event.kind == "aside"]
    assert aside["match"] == "2.1"
    ids = [match.id for match in state.played]
    assert ids.index("2.1") > ids.index("2.2") + 5
    assert len(ids) == BUDGET
    with Tournament.open(tmp_path / "l.db", judge=simulated()) as again:
        order = PlanOrder.of(again.state.rounds, again.state.played.ids(), again.state.events)
        assert (order.pointer, order.open) == (BUDGET, [])
        assert order.records_at(order.rounds.place("2.1") + 1) == aside["after"]
        assert again.audit().ok


def test_a_match_without_an_answer_is_asked_three_times_and_left_for_a_later_run(tmp_path):
    class Refusing(Wrapper):
        asked = 0

        async def compare(self, question):
            if question.call == "2.1.1":
                Refusing.asked += 1
                raise JudgeFailed("it does not like this one")
            return await super().compare(question)

    with begin(Refusing(simulated()), tmp_path / "l.db") as tournament:
        assert without_board.run(tournament, pace=QUICK).decisions == BUDGET, "the budget is for answers"
        assert tournament.stop.finished
    assert Refusing.asked == 3
    with Tournament.open(tmp_path / "l.db", judge=simulated()) as again:
        without_board.run(again, pace=QUICK)
        assert len(again.state.played) == BUDGET, "another was planned in its place, and the budget is spent"
        again.extend(budget=BUDGET + 1)
        without_board.run(again, pace=QUICK)
        assert "2.1" in {match.id for match in again.state.played}
        assert len(again.state.played) == BUDGET + 1


@pytest.mark.parametrize("pairing", ["informative", "round-robin"])
def test_items_that_were_retired_are_not_asked_about(tmp_path, pairing):
    shown = set()

    class Noting(Wrapper):
        async def compare(self, question):
            shown.update((question.first.id, question.second.id))
            return await super().compare(question)

    with begin(Noting(simulated()), tmp_path / "l.db", pairing=pairing) as tournament:
        tournament.retire(["i03"], "withdrawn")
        without_board.run(tournament, pace=QUICK)
        assert tournament.stop.finished
        asides = [event.detail["reason"] for event in tournament.state.events if event.kind == "aside"]
        assert set(asides) == {"retired"}
        assert tournament.audit().ok
    assert shown == set(ITEMS) - {"i03"}


def test_what_caps_the_concurrency_is_said(tmp_path):
    notes = []
    system = TournamentSystemConfig(scheduling=SchedulingConfig(matches_per_round=4, rounds_per_session=1))
    with begin(simulated(), tmp_path / "l.db", pairing="weighted", system=system, budget=None) as tournament:
        without_board.run(tournament, lambda progress: notes.extend(progress.notes), CallOptions(concurrency=64))
    assert "match_batch_size 10 keeps at most 10 calls in flight, fewer than the concurrency 64" in notes


def test_an_interrupt_keeps_the_answers_in_flight(tmp_path):
    class Interrupting(Wrapper):
        asked = 0

        async def compare(self, question):
            Interrupting.asked += 1
            if Interrupting.asked == 30:
                tournament.gate.close("interrupted")
            await asyncio.sleep(0.01)
            return await super().compare(question)

    with begin(Interrupting(simulated()), tmp_path / "l.db") as tournament:
        without_board.run(tournament, pace=QUICK)
        # Calls that had passed the gate are answered; no other is asked.
        assert 30 <= Interrupting.asked < 30 + QUICK.concurrency
        assert tournament.ledger.tournaments.spending(tournament.state.id).decisions == Interrupting.asked
        assert len(tournament.state.played) == Interrupting.asked
        assert not tournament.stop.finished


def test_a_tournament_of_a_version_without_notes_goes_on(tmp_path):
    """Rounds of earlier versions were planned as a whole: two of them, the last with a match open, and one left out."""
    with begin(simulated(), tmp_path / "l.db", budget=40) as tournament:
        ledger, id = tournament.ledger, tournament.state.id
        first = tournament.state
        for number in (1, 2):
            following = plan_round(first)
            ledger.tournaments.plan_round(id, number, following.pairings)
            first = TournamentState.load(ledger, id)
            made = [play for play in first.open_matches if play[0] not in ("1.3", "2.4")]
            for match_id, planned in made:
                record_one(ledger, id, match_id, planned)
            first = TournamentState.load(ledger, id)
    with Tournament.open(tmp_path / "l.db", judge=simulated()) as again:
        assert [id for id, _ in again.state.open_matches] == ["2.4"]
        without_board.run(again, pace=QUICK)
        played = {match.id for match in again.state.played}
        assert "2.4" in played
        assert "1.3" not in played
        assert again.state.answered == 40
        assert again.stop.finished


def record_one(ledger, id, match_id, planned):
    """Record a match that the first item won."""
    first, second = planned.shown(planned.orders[0])
    verdict = Verdict(choice=Choice.FIRST, judge="j")
    comparison = Comparison(call=f"{match_id}.1", first=first, second=second, verdict=verdict)
    ledger.matches.record(id, Match.of(match_id, planned, (comparison,), round=int(match_id.partition(".")[0])))


def test_the_notes_of_a_block_say_what_it_knew(tmp_path):
    with begin(simulated(), tmp_path / "l.db") as tournament:
        without_board.run(tournament, pace=QUICK)
        notes = contents(tournament.ledger)["notes"]
    assert json.loads(json.dumps(notes)) == notes
    evidence = [note["evidence"] for note in notes]
    starts = [0]
    for block in tournament.state.rounds:
        starts.append(starts[-1] + len(block.pairings))
    assert evidence == [max(0, start + WINDOW // PARTS - WINDOW) for start in starts[:-1]]
    assert {note["window"] for note in notes} == {WINDOW}
