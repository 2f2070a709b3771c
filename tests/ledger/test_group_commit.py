"""Group commit: what waits is one transaction, and each entry ends as if it had been written alone."""

import asyncio
import signal
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

import warm_start
from paragone.domain import Choice, Item, ItemKind, Match, Outcome, Prediction, RatingConfig, Resolution
from paragone.errors import Busy, Conflict, LedgerError, NotFound, Unwritable
from paragone.ledger import Ledger
from paragone.ledger.databases.committer import MOST

OTHER = "other"
ANSWERS = [Choice.FIRST, Choice.SECOND, Choice.FAILED]


@pytest.fixture
def filled(ledger, forge):
    for pool in ("p", OTHER):
        ledger.pools.create(pool, forge.config)
        ledger.items.add(pool, forge.items(4))
    return ledger


@pytest.fixture
def shared(new_ledger, forge):
    """A ledger that several connections can use, so not one in memory."""
    with Ledger.open(new_ledger(), durable=False, patience=20) as ledger:
        for pool in ("p", OTHER):
            ledger.pools.create(pool, forge.config)
            ledger.items.add(pool, forge.items(4))
        yield ledger


def held(ledger, work):
    """Does some work while the committer can write nothing, so that all that it submits is one batch."""
    writing, go = threading.Event(), threading.Event()

    def hold():
        with ledger._database.write() as connection:
            connection.exec_driver_sql("SELECT commits FROM head WHERE pool = 'p' " + for_update(ledger))
            writing.set()
            assert go.wait(20)

    holder = threading.Thread(target=hold)
    holder.start()
    assert writing.wait(20)
    try:
        return work()
    finally:
        go.set()
        holder.join()


def for_update(ledger):
    return "" if "SQLite" in type(ledger._database.dialect).__name__ else "FOR UPDATE"


def transactions(ledger):
    """A list to which each end of a transaction is added."""
    ends = []
    event.listen(ledger._database._engine, "commit", lambda _: ends.append("commit"))
    return ends


def outcomes(futures):
    return [type(future.exception(20)) if future.exception(20) else future.result() for future in futures]


class TestABatch:
    def test_is_one_transaction(self, shared, forge):
        def submit_all():
            return [shared.submit(shared.matches.record, "p", forge.match(f"m{n}")) for n in range(20)]

        futures = held(shared, submit_all)
        first = futures[0].result(20)
        ends = transactions(shared)
        assert [len(future.result(20)) for future in futures] == [2] * 20
        assert first[0].match == "m0"
        futures = held(
            shared, lambda: [shared.submit(shared.matches.record, "p", forge.bare(f"n{n}")) for n in range(20)]
        )
        outcomes(futures)
        assert len(ends) <= 3, "the one that held the others up, and one or two batches"
        assert [entry.match.id for entry in shared.matches.all("p")] == [f"{k}{n}" for k in "mn" for n in range(20)]
        assert shared.audit().ok

    def test_has_at_most_so_many_entries(self, shared, forge):
        count = 2 * MOST + 1
        futures = held(shared, lambda: [
            shared.submit(shared.matches.record, "p", forge.bare(f"m{n}")) for n in range(count)
        ])  # fmt: skip
        outcomes(futures)
        assert shared.matches.count("p") == count
        assert shared.audit().ok

    def test_refused_entries_have_their_errors_and_leave_no_row(self, shared, forge):
        def submit_all():
            record = shared.matches.record
            return [
                shared.submit(record, "p", forge.match("m0")),
                shared.submit(record, "p", forge.match("m1", "i0", "nobody")),
                shared.submit(record, "nowhere", forge.match("m2")),
                shared.submit(record, "p", forge.match("m0")),
                shared.submit(record, "p", forge.match("m0", choice=Choice.SECOND)),
                shared.submit(record, "p", Match(id="m4", a="i0", b="i0", outcome=Outcome.A)),
                shared.submit(record, "p", forge.match("m5", "i2", "i3")),
                shared.submit(record, OTHER, forge.match("m0")),
            ]

        first, *refused, last, other = held(shared, submit_all)
        again = refused.pop(2)
        assert [future.exception(20).__class__ for future in refused] == [NotFound, NotFound, Conflict, LedgerError]
        assert again.result(20) == first.result(20)
        assert [change.item for change in last.result(20)] == ["i2", "i3"]
        assert len(other.result(20)) == 2
        assert [entry.match.id for entry in shared.matches.all("p")] == ["m0", "m5"]
        assert shared.audit().ok

    def test_a_row_that_the_database_refuses_fails_alone(self, shared, forge):
        """The same review twice has no key; a trigger stands in for a database that refuses one of the rows."""
        with shared._database.write() as connection:
            if for_update(shared):
                connection.exec_driver_sql("ALTER TABLE item ADD CONSTRAINT no CHECK (text <> 'refused')")
            else:
                connection.exec_driver_sql(
                    "CREATE TRIGGER no BEFORE INSERT ON item WHEN new.text = 'refused' "
                    "BEGIN SELECT RAISE(ABORT, 'no such text'); END"
                )

        def submit_all():
            texts = ["fine", "refused", "fine too"]
            return [shared.submit(shared.items.add, "p", [Item(id=text, text=text)]) for text in texts]

        one, two, three = held(shared, submit_all)
        assert [item.id for item in one.result(20) + three.result(20)] == ["fine", "fine too"]
        with pytest.raises(Conflict, match="refused a row"):
            two.result(20)
        assert [item.id for item in shared.items.all("p")] == ["i0", "i1", "i2", "i3", "fine", "fine too"]

    def test_a_verdict_and_its_match_and_the_same_again(self, shared, forge):
        match = forge.match("m0")

        def submit_all():
            record = shared.tournaments.record_verdict
            return [
                shared.submit(record, "p", match.comparisons[0], key="k"),
                shared.submit(shared.matches.record, "p", match),
                shared.submit(record, "p", match.comparisons[0], key="k"),
                shared.submit(record, "p", forge.comparison("m0.AB", choice=Choice.SECOND)),
            ]

        *futures, conflict = held(shared, submit_all)
        outcomes(futures)
        with pytest.raises(Conflict):
            conflict.result(20)
        assert shared.tournaments.total_spending().decisions == 1
        assert shared.audit().ok

    def test_a_command_that_wrote_by_itself_before_it_was_refused_leaves_nothing(self, shared):
        """A late prediction makes its agent known, with a rating, before it is refused."""
        shared.pools.create("agents", RatingConfig(), kind=ItemKind.AGENT)
        shared.agents.resolve("agents", Resolution(tournament="t", winner="gpt"))
        late = Prediction(tournament="t", predictor="late", winner="gpt", confidence=0.75)
        early = Prediction(tournament="u", predictor="early", winner="gpt", confidence=0.75)
        record = shared.agents.record_prediction
        for _ in range(2):  # as one of several, and alone
            futures = held(shared, lambda: [shared.submit(record, "agents", each) for each in (late, early, late)])
            assert [type(future.exception(20)) for future in futures] == [Conflict, type(None), Conflict]
        with pytest.raises(Conflict):
            record("agents", late)
        assert [agent.rating.item for agent in shared.agents.records("agents")] == ["early"]
        assert shared.audit().ok

    def test_of_the_same_match_only_one_is_new(self, shared, forge):
        record_new = shared.matches.record_new
        futures = held(shared, lambda: [shared.submit(record_new, "p", forge.match("m0")) for _ in range(5)])
        assert [future.result(20) for future in futures] == [True, False, False, False, False]
        assert not record_new("p", forge.match("m0"))
        with ThreadPoolExecutor(8) as threads:
            news = list(threads.map(lambda _: record_new("p", forge.match("m1")), range(8)))
        assert sorted(news) == [False] * 7 + [True]
        assert shared.matches.count("p") == 2


class TestCallers:
    def test_threads_get_their_own_results(self, shared, forge):
        def record(number):
            return shared.matches.record("p", forge.match(f"m{number}", f"i{number % 4}", f"i{(number + 1) % 4}"))

        with ThreadPoolExecutor(16) as threads:
            for number, changes in enumerate(threads.map(record, range(160))):
                assert [change.match for change in changes] == [f"m{number}"] * 2
        assert shared.matches.count("p") == 160
        assert shared.audit().ok

    def test_a_single_writer_starts_no_thread(self, shared, forge):
        before = threading.active_count()
        shared.matches.record("p", forge.match("m0"))
        assert threading.active_count() == before

    def test_where_no_thread_can_be_started_the_caller_writes(self, shared, forge, monkeypatch):
        """Those behind it waited for a thread that there never was."""

        def refuse(_):
            raise RuntimeError("can't start new thread")

        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", refuse)
            assert shared.submit(shared.matches.record, "p", forge.match("m0")).done()
            shared.matches.record("p", forge.match("m1"))
        shared.submit(shared.matches.record, "p", forge.match("m2")).result(20)
        assert [entry.match.id for entry in shared.matches.all("p")] == ["m0", "m1", "m2"]

    def test_who_waits_too_long_leaves(self, path, forge):
        with Ledger.open(path, patience=0.1) as ledger:
            ledger.pools.create("p", forge.config)
            ledger.items.add("p", forge.items(2))
            other = sqlite3.connect(path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            with ThreadPoolExecutor(4) as threads:
                calls = [threads.submit(ledger.matches.record, "p", forge.match(f"m{n}")) for n in range(4)]
                submitted = ledger.submit(ledger.matches.record, "p", forge.match("m4"))
                assert {type(call.exception(20)) for call in [*calls, submitted]} == {Busy}
            other.execute("ROLLBACK")
            other.close()
            assert ledger.matches.all("p") == ()
            ledger.matches.record("p", forge.match("m0"))
            assert ledger.submit(ledger.matches.record, "p", forge.match("m1")).result(20)

    def test_a_full_disk_is_told_to_all_and_each_may_try_again(self, path, forge):
        with Ledger.open(path) as ledger:
            ledger.pools.create("p", forge.config)
            ledger.items.add("p", forge.items(4))
            connection = ledger._database._engine.raw_connection()
            connection.close()  # the pool hands the same one out again
            pages = connection_pragma(ledger, "page_count")
            connection_pragma(ledger, f"max_page_count = {pages}")
            matches = [forge.match(f"m{n}", rationale="long " * 1000) for n in range(8)]
            futures = held(ledger, lambda: [ledger.submit(ledger.matches.record, "p", match) for match in matches])
            errors = [future.exception(20) for future in futures]
            for _ in range(3):
                connection_pragma(ledger, "max_page_count = 100000")
            assert [type(error) for error in errors if error] == [Unwritable] * len(
                [error for error in errors if error]
            )
            for match in matches:
                ledger.matches.record("p", match)
            assert [entry.match.id for entry in ledger.matches.all("p")] == [f"m{n}" for n in range(8)]
            assert ledger.audit().ok

    def test_closing_waits_for_what_was_submitted(self, new_ledger, forge):
        url = new_ledger()
        with Ledger.open(url, durable=False) as ledger:
            ledger.pools.create("p", forge.config)
            ledger.items.add("p", forge.items(4))
            futures = [ledger.submit(ledger.matches.record, "p", forge.match(f"m{n}")) for n in range(50)]
        assert all(future.done() for future in futures)
        with Ledger.open(url) as ledger:
            assert ledger.matches.count("p") == 50

    def test_only_what_adds_to_a_pool_can_be_submitted(self, shared):
        with pytest.raises(TypeError, match=r"Matches\.get cannot be submitted|cannot be submitted"):
            shared.submit(shared.matches.exists, "p", "m0")

    def test_a_snapshot_takes_nothing(self, shared, forge):
        with shared.snapshot() as snapshot:
            with pytest.raises(LedgerError, match="one version"):
                snapshot.matches.record("p", forge.match("m0"))
            with pytest.raises(LedgerError, match="one version"):
                snapshot.submit(snapshot.matches.record, "p", forge.match("m0")).result(20)


def connection_pragma(ledger, pragma):
    with ledger._database.read() as connection:
        result = connection.exec_driver_sql(f"PRAGMA {pragma}").first()
        return result and result[0]


class Turns:
    """Turns of a loop, with the seconds that its thread worked in each, whatever else the machine does."""

    def __init__(self):
        self.seconds, self._changed = [], threading.Condition()

    async def count(self):
        while True:
            began = time.thread_time()
            await asyncio.sleep(0.001)
            with self._changed:
                self.seconds.append(time.thread_time() - began)
                self._changed.notify_all()

    def pass_by(self, count):
        """Wait in another thread until the loop had so many turns more; whether it had."""
        with self._changed:
            end = len(self.seconds) + count
            return self._changed.wait_for(lambda: len(self.seconds) >= end, 20)


class TestEventLoops:
    def test_a_loop_goes_on_while_the_disk_is_slow(self, path, forge):
        """A COMMIT ends once the loop has gone on for a hundred turns, none of which works for 50 ms."""
        turns, commits = Turns(), []
        with Ledger.open(path) as ledger:
            ledger.pools.create("p", forge.config)
            ledger.items.add("p", forge.items(4))
            committing = ledger._database._engine, "commit", lambda _: commits.append(turns.pass_by(100))
            event.listen(*committing)
            asyncio.run(self._recorded(ledger, [forge.match(f"m{n}") for n in range(50)], turns))
            event.remove(*committing)
            assert ledger.matches.count("p") == 50
        assert all(commits)
        assert 0 < len(commits) < 20, "50 matches wait for the disk a few times, and not 50 times"
        assert max(turns.seconds) < 0.05

    @staticmethod
    async def _recorded(ledger, matches, turns):
        turning = asyncio.create_task(turns.count())
        changes = await asyncio.gather(*(ledger.recorded(ledger.matches.record, "p", match) for match in matches))
        assert [change[0].match for change in changes] == [match.id for match in matches]
        turning.cancel()

    def test_errors_arrive_and_a_cancelled_caller_harms_nobody(self, shared, forge):
        async def work():
            refused = asyncio.create_task(
                shared.recorded(shared.matches.record, "p", forge.match("m0", "i0", "nobody"))
            )
            cancelled = asyncio.create_task(shared.recorded(shared.matches.record, "p", forge.match("m1")))
            fine = asyncio.create_task(shared.recorded(shared.matches.record, "p", forge.match("m2")))
            await asyncio.sleep(0)
            cancelled.cancel()
            with pytest.raises(NotFound):
                await refused
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            assert len(await fine) == 2

        asyncio.run(work())
        assert [entry.match.id for entry in shared.matches.all("p")] == ["m1", "m2"], "what was submitted is written"

    def test_a_loop_that_has_ended_holds_nobody_up(self, shared, forge):
        async def leave():
            asyncio.get_running_loop().create_task(shared.recorded(shared.matches.record, "p", forge.match("m0")))
            await asyncio.sleep(0)

        held(shared, lambda: asyncio.run(leave()))
        shared.matches.record("p", forge.match("m1"))
        assert [entry.match.id for entry in shared.matches.all("p")] == ["m0", "m1"]


ENTRIES = st.lists(
    st.one_of(
        st.tuples(st.just("match"), st.integers(0, 5), st.integers(0, 4), st.integers(0, 4), st.sampled_from(Choice)),
        st.tuples(st.just("verdict"), st.integers(0, 5), st.integers(0, 4), st.sampled_from(ANSWERS), st.booleans()),
        st.tuples(st.just("event"), st.integers(0, 5)),
        st.tuples(st.just("item"), st.integers(3, 5), st.booleans()),
    ),
    max_size=30,
)  # fmt: skip


def calls(ledger, forge, entries):
    """What to record, as calls of methods: items that are missing, matches and verdicts that contradict each other."""
    for kind, number, *rest in entries:
        if kind == "match":
            a, b, choice = rest
            if choice in (Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.ABSTAIN) and a != b:
                yield ledger.matches.record, (forge.match(f"m{number}", f"i{a}", f"i{b}", choice),), {}
            else:
                yield ledger.matches.record, (forge.bare(f"m{number}", f"i{a}", f"i{b}", Outcome.B),), {}
        elif kind == "verdict":
            second, choice, again = rest
            error = "down" if choice is Choice.FAILED else ""
            answer = forge.comparison(f"m{number}.AB", "i0", f"i{second}", choice, error=error)
            yield ledger.tournaments.record_verdict, (answer,), {"again": again}
        elif kind == "event":
            yield ledger.tournaments.add_event, ("happened", {"number": number}), {}
        else:
            yield ledger.items.add, ([Item(id=f"i{number}", text="one" if rest[0] else "other")],), {}


def contents(ledger, pool):
    matches = [(entry.match, entry.sequence) for entry in ledger.matches.all(pool)]
    return (
        matches,
        ledger.ratings.all(pool),
        ledger.ratings.changes(pool),
        [(event.kind, event.detail) for event in ledger.tournaments.events(pool)],
        ledger.items.all(pool),
        ledger.tournaments.spending(pool),
    )


@given(batches=st.lists(ENTRIES, max_size=3))
@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_batches_are_what_their_entries_are_one_by_one(tmp_path_factory, forge, batches):
    """The naive twin: the same calls, each a transaction of its own."""
    folder = tmp_path_factory.mktemp("twins")
    with (
        Ledger.open(folder / "grouped.db", durable=False) as grouped,
        Ledger.open(folder / "alone.db", durable=False) as alone,
    ):
        for ledger in (grouped, alone):
            ledger.tournaments.create("t", settings={}, items=forge.items(4), config=forge.config)
        for entries in batches:
            futures = held(grouped, lambda entries=entries: [
                grouped.submit(method, "t-1", *arguments, **options)
                for method, arguments, options in calls(grouped, forge, entries)
            ])  # fmt: skip
            expected = [
                _outcome(method, "t-1", *arguments, **options)
                for method, arguments, options in calls(alone, forge, entries)
            ]
            assert [_outcome(future.result, 20) for future in futures] == expected
        assert contents(grouped, "t-1") == contents(alone, "t-1")
        report = grouped.audit()
        assert report.ok, report.differences


def _outcome(call, *arguments, **options):
    try:
        return call(*arguments, **options)
    except (LedgerError, NotFound) as error:
        return type(error), str(error)


@pytest.mark.parametrize("leads", [True, False])
def test_who_is_interrupted_holds_nobody_up(path, forge, leads):
    """The main thread is interrupted while it writes or waits, by a signal as Ctrl-C sends it."""
    with Ledger.open(path) as ledger:
        ledger.pools.create("p", forge.config)
        ledger.items.add("p", forge.items(4))
        committing, go = threading.Event(), threading.Event()

        def slow(_):
            committing.set()
            go.wait(1.0)

        event.listen(ledger._database._engine, "commit", slow)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        with ThreadPoolExecutor(4) as threads:
            if leads:
                others = []
                threads.submit(lambda: committing.wait(20) and others.extend(_record(ledger, forge, threads)))
            else:
                others = _record(ledger, forge, threads)
                assert committing.wait(20)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt):
                ledger.matches.record("p", forge.match("mine"))
            go.set()
            _until(lambda: len(others) == 3 and all(other.done() for other in others))
        assert [len(other.result()) for other in others] == [2] * 3
        assert {"m0", "m1", "m2"} <= {entry.match.id for entry in ledger.matches.all("p")}
        ledger.matches.record("p", forge.match("mine"))
        assert ledger.audit().ok


def test_an_interrupt_just_after_the_commit_has_nothing_written_twice(path, forge, monkeypatch):
    """Those whose entries were in the transaction hear that they may be recorded, and say ``again``."""
    with Ledger.open(path) as ledger:
        id = ledger.tournaments.create("t", settings={}, items=forge.items(2), config=forge.config).id
        begun, go = threading.Event(), threading.Event()
        committer = ledger._database.committer
        writing, add_event = committer._write, ledger.tournaments.add_event

        @contextmanager
        def interrupted():
            with writing() as connection:
                begun.set()
                assert go.wait(20)
                yield connection
            monkeypatch.setattr(committer, "_write", writing)
            raise KeyboardInterrupt

        monkeypatch.setattr(committer, "_write", interrupted)

        def submit():
            begun.wait(20)
            others.extend(ledger.submit(add_event, id, "other", {"n": n}) for n in range(3))
            go.set()

        others = []
        with ThreadPoolExecutor(1) as threads:
            threads.submit(submit)
            with pytest.raises(KeyboardInterrupt):
                add_event(id, "own", {})
        for other in others:
            with pytest.raises(Unwritable, match="may be recorded or not") as failure:
                other.result(20)
            assert failure.value.temporary
        add_event(id, "later", {})
        assert [event.kind for event in ledger.tournaments.events(id)][1:] == ["own", *["other"] * 3, "later"]
        assert ledger.audit().ok


def _record(ledger, forge, threads):
    return [threads.submit(ledger.matches.record, "p", forge.match(f"m{n}")) for n in range(3)]


def _until(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_kills_among_sixteen_writers_lose_nothing_that_was_acknowledged(new_ledger, tmp_path, forge, deep):
    kills, url = 40 if deep else 3, new_ledger()
    with Ledger.open(url) as ledger:
        ledger.pools.create("p", forge.config)
        ledger.items.add("p", forge.items(4))
    child, told = Path(__file__).with_name("group_child.py"), tmp_path / "acknowledged"
    subprocess.run([warm_start.python(), str(child), url, str(told), str(kills)], check=True)
    acknowledged = told.read_text().split()
    with Ledger.open(url) as ledger:
        recorded = {entry.match.id for entry in ledger.matches.all("p")}
        report = ledger.audit()
    assert report.ok, report.differences
    assert len(acknowledged) >= kills
    assert set(acknowledged) <= recorded
    assert {id.partition(".")[0] for id in acknowledged} == {str(kill) for kill in range(kills)}
