"""One worker in this process, on a ledger that goes away under it."""

import asyncio

import pytest

import virtual_time
from paragone.domain import Item, Pairing, Question, RatingConfig
from paragone.errors import Unwritable
from paragone.judges.budget import Budget
from paragone.judges.limits import Limited, Slots
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Ledger
from paragone.ledger.namespaces import pools, tournaments
from paragone.ledger.records import AskedQuestion, JudgingTerms
from paragone.tournaments.running.control import Gate
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from paragone.workers import running
from paragone.workers.judge_list import ListedJudge
from paragone.workers.overview import lines, overview
from paragone.workers.shared_limits import SharedBudget, SharedLimited
from paragone.workers.worker import Worker

PACE = {"per_minute": None, "timeout": 20.0, "attempts": 1, "wait": 0.5, "is_new": True}


@pytest.mark.parametrize(("namespace", "query"), [(tournaments.Tournaments, "events"), (pools.Items, "by_id")])
def test_a_job_is_done_though_the_ledger_goes_away_after_it_was_taken(tmp_path, monkeypatch, namespace, query):
    """Its first look at a tournament, and at the items of a question, fail once; else nobody asked the call again."""
    spec = f"simulated:{tmp_path / 'strengths.csv'}"
    (tmp_path / "strengths.csv").write_text("id,strength\ni0,0\ni1,9\n")
    with Ledger.open("sqlite://") as ledger:
        settings = settings_for(2, criteria="larger", judge="any", seed=1, pairing="informative")
        id = TournamentState.begin(
            ledger, "some", settings, [Item(id=f"i{n}", text=f"item {n}") for n in (0, 1)], RatingConfig()
        ).id
        ledger.tournaments.plan_round(id, 1, [Pairing(a="i0", b="i1")])
        ledger.remote_judging.open(id, JudgingTerms(judge="any", options=PACE), "nobody", tokens=0, cost=0.0)
        question = AskedQuestion(call="1.1.1", judge="any", shown=("i0", "i1"))
        ledger.remote_judging.ask(id, [question], lambda *_: None)
        plain, failures = getattr(namespace, query), []

        def away_once(self, *args, **options):
            if not failures:
                failures.append(query)
                raise Unwritable("the ledger is away", temporary=True)
            return plain(self, *args, **options)

        async def work():
            worker = Worker(ledger, {"any": ListedJudge(spec=spec)}, concurrency=1, give_back=lambda _: lambda *_: None)
            monkeypatch.setattr(namespace, query, away_once)
            await worker.do(id, ["1.1.1"])
            await worker.close()

        asyncio.run(work())
        assert failures == [query]
        assert ledger.remote_judging.collect(id)["1.1.1"]["kind"] == "answered"


def test_a_worker_says_how_many_calls_it_has_in_flight_and_not_how_many_questions_wait_for_their_turn(tmp_path):
    """Two jobs of two questions, and one call at a time."""
    (tmp_path / "strengths.csv").write_text("id,strength\ni0,0\ni1,9\n")
    calls = ["1.1.1", "1.1.2", "1.2.1", "1.2.2"]
    with Ledger.open("sqlite://") as ledger:
        settings = settings_for(2, criteria="larger", judge="any", seed=1, pairing="informative")
        items = [Item(id=f"i{n}", text=f"item {n}") for n in (0, 1)]
        id = TournamentState.begin(ledger, "some", settings, items, RatingConfig()).id
        ledger.tournaments.plan_round(id, 1, [Pairing(a="i0", b="i1")] * 2)
        ledger.remote_judging.open(id, JudgingTerms(judge="any", options=PACE), "nobody", tokens=0, cost=0.0)
        asked = [AskedQuestion(call=call, judge="any", shown=("i0", "i1")) for call in calls]
        ledger.remote_judging.ask(id, asked, lambda *_: None)
        reported = []

        async def work():
            spec = f"simulated:{tmp_path / 'strengths.csv'}?delay=0.02"
            worker = Worker(ledger, {"any": ListedJudge(spec=spec)}, concurrency=1, give_back=lambda _: lambda *_: None)
            worker.register()
            jobs = asyncio.gather(worker.do(id, calls[:2]), worker.do(id, calls[2:]))
            while not jobs.done():
                worker._beat({})
                (shown,) = overview(ledger).workers
                reported.append((worker.in_hand, shown.questions, shown.state))
                await asyncio.sleep(0.002)
            await jobs
            worker._beat({})
            reported.append((worker.in_hand, overview(ledger).workers[0].questions, "idle"))
            reported.extend(lines(overview(ledger))[:1])
            await worker.close()

        asyncio.run(work())
    assert ": idle, 0 of 1 call in flight; any; 4 answered" in reported.pop()
    assert {questions for _, questions, _ in reported} == {0, 1}
    assert (4, 1, "working") in reported
    assert reported[-1] == (0, 0, "idle")


@pytest.mark.parametrize("of_judge", [1, 2, None])
def test_calls_of_several_tournaments_together_keep_to_the_limit_of_the_worker(of_judge):
    """Two tournaments, whose judge answers so many at once, and a worker that has three calls in flight."""
    judge = SimulatedJudge({"i0": 0.0, "i1": 1.0}, delay=1.0)
    slots, most = Slots(3), []
    question = Question(call="1.1", first=Item(id="i0", text="a"), second=Item(id="i1", text="b"), criteria="c")

    async def work():
        limited = [
            SharedLimited(
                Limited(judge, of_judge), slots=slots, most=3, per_minute=None, starts=None, sleep=asyncio.sleep
            )
            for _ in "ab"
        ]
        calls = [asyncio.create_task(each.compare(question)) for each in limited for _ in range(6)]
        while not all(call.done() for call in calls):
            most.append(slots.held)
            await asyncio.sleep(0.5)

    _, seconds = virtual_time.run(work)
    assert max(most) == (2 if of_judge == 1 else 3)
    assert slots.held == 0
    assert seconds == pytest.approx(6.0 if of_judge == 1 else 4.0, abs=0.5)


@pytest.mark.parametrize(
    ("in_hand", "code", "words"),
    [(0, 0, "so it still lists this worker"), (2, 1, "so 2 more are not on record, and other workers ask them")],
)
def test_a_worker_ends_though_the_ledger_stays_away_and_says_what_is_lost(monkeypatch, in_hand, code, words):
    """While a call is under way it waits for that; the answer may yet be recorded."""
    monkeypatch.setattr(running, "GRACE", 0.01)
    monkeypatch.setattr(running, "STANDBY_PAUSE", 0.001)
    said, codes = [], []

    def away(*_, **__):
        raise Unwritable("the ledger is away", temporary=True)

    async def work(ledger):
        worker = Worker(ledger, {}, concurrency=1, give_back=lambda _: lambda *_: None, say=said.append)
        monkeypatch.setattr(ledger.remote_judging, "beat", away)
        beating = asyncio.create_task(worker.beat())
        worker.in_hand, worker.gate.asking = in_hand, 1
        leaving = asyncio.create_task(running._leave_without_ledger(worker, said.append, codes.append))
        await asyncio.sleep(0.03)
        assert not leaving.done()
        worker.gate.asking = 0
        await leaving
        beating.cancel()

    with Ledger.open("sqlite://") as ledger:
        asyncio.run(work(ledger))
    assert codes == [code]
    assert said == [
        "the ledger cannot be reached; trying again until it can",
        f"ended: 0 questions answered; the ledger cannot be reached, {words}",
    ]


def test_a_call_that_waited_for_the_budget_of_all_workers_takes_another_turn_of_the_rate():
    """The first call of its kind is made alone, for three seconds; the turns of all others are over by then."""
    items = [Item(id=f"i{n}", text=f"item {n}") for n in (0, 1)]
    judge = SimulatedJudge({"i0": 0.0, "i1": 1.0}, tokens=100, delay=3.0)
    turns = []
    with Ledger.open("sqlite://") as ledger:
        settings = settings_for(2, criteria="c", judge="any", seed=1, pairing="informative")
        id = TournamentState.begin(ledger, "some", settings, items, RatingConfig()).id
        terms = JudgingTerms(judge="any", options=PACE, max_tokens=100_000)
        ledger.remote_judging.open(id, terms, "nobody", tokens=0, cost=0.0)

        async def work():
            first, second = (SharedBudget(ledger, id, name, Gate()) for name in ("first", "second"))
            judges = [
                each.around(judge, Budget(tokens=terms.max_tokens), turn) for each in (first, first, second, second)
            ]
            questions = [Question(call=f"{n}.1", first=items[0], second=items[1], criteria="c") for n in range(4)]
            alone = asyncio.create_task(judges[0].compare(questions[0]))
            await asyncio.sleep(1.0)
            waiting = (judges[n].compare(questions[n]) for n in (1, 2, 3))
            await asyncio.gather(alone, *waiting)
            await judges[2].compare(questions[0])  # by now its kind is known, and nothing has to wait
            await asyncio.gather(first.changes.finished(), second.changes.finished())

        async def turn():
            turns.append(asyncio.get_running_loop().time())

        virtual_time.run(work)
    assert len(turns) == 3
    assert min(turns) >= 3.0
