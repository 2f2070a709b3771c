"""Killed between any two writes: evidence about agents is there whole or not at all, and the same again completes it.

What a kill leaves of an SQLite ledger are its files as they are at that instant, so they are copied there. A server
sees no more of it than a connection that ends, so it is told to end it there.
"""

import itertools
import os
import shutil
import sqlite3
from contextlib import contextmanager

import psycopg
import pytest
from sqlalchemy import bindparam, event, select

from paragone.domain import (
    Critique,
    Dealings,
    DomainPrediction,
    EvidenceKind,
    ItemKind,
    Match,
    Prediction,
    RatingConfig,
    RedTeamResult,
    Relation,
    Resolution,
    Scorecard,
)
from paragone.errors import Unwritable
from paragone.ledger import Ledger, schema
from paragone.ledger.column_types import as_stored

pytestmark = pytest.mark.slow

WRITES = ("INSERT", "UPDATE", "DELETE")
ROWS = {
    table.name: select(*as_stored(table)).where(table.c.pool == bindparam("of_pool"))
    for table in schema.metadata.sorted_tables
    if "pool" in table.c
}
NUMBERS = itertools.count()


def scored(id, a="claude", b="gpt", c="gemini"):
    return Match.scored(id, Scorecard(participants=(a, b, c), scores=(0.8, 0.6, 0.4), domain="law"))


def known(id, agent):
    return DomainPrediction(id=id, agent=agent, domain="law", confidence=0.7, correct=True)


def relation(id, a, b):
    return Relation(id=id, a=a, b=b, dealings=Dealings(debates=1, a_wins=1))


def begin(ledger, pool):
    """A pool in which something has happened already."""
    ledger.pools.create(pool, RatingConfig(initial=1500.0, k=32.0), kind=ItemKind.AGENT)
    ledger.agents.record_matches(pool, [scored("m0"), scored("m1", "gpt", "claude", "llama")])
    ledger.agents.record_prediction(pool, Prediction(tournament="t", predictor="claude", winner="gpt", confidence=0.75))
    ledger.agents.record_prediction(pool, Prediction(tournament="t", predictor="new", winner="gpt", confidence=0.5))
    ledger.agents.record_domain_predictions(pool, [known("p0", "claude")])
    ledger.agents.record_relations(pool, [relation("r0", "claude", "gpt")])
    ledger.agents.record_test(pool, RedTeamResult(id="attack", item="claude", robustness=0.9, successful=1, total=9))
    ledger.agents.record_critiques(pool, [Critique(id="critique", agent="gpt", accepted=True)])
    ledger.agents.record_prediction(pool, Prediction(tournament="s", predictor="claude", winner="gpt", confidence=0.75))
    ledger.agents.resolve(pool, Resolution(tournament="s", winner="gpt"))


FORETOLD = Prediction(tournament="u", predictor="another", winner="gpt", confidence=0.5)
ATTACKED = RedTeamResult(id="test", item="claude", robustness=0.9, successful=1, total=9, domain="law")
OPERATIONS = {
    "register": lambda ledger, pool: ledger.agents.register(pool, "another", "model"),
    "record_prediction": lambda ledger, pool: ledger.agents.record_prediction(pool, FORETOLD),
    "resolve": lambda ledger, pool: ledger.agents.resolve(pool, Resolution(tournament="t", winner="gpt")),
    "record_domain_predictions": lambda ledger, pool: ledger.agents.record_domain_predictions(
        pool, [known("p1", "claude"), known("p2", "another"), known("p3", "gpt")]
    ),
    "record_critiques": lambda ledger, pool: ledger.agents.record_critiques(
        pool, [Critique(id="c1", agent="claude", accepted=True), Critique(id="c2", agent="another", accepted=False)]
    ),
    "relate": lambda ledger, pool: ledger.agents.record_relations(
        pool, [relation("r1", "gpt", "claude"), relation("r2", "claude", "another")]
    ),
    "record_scores": lambda ledger, pool: ledger.agents.record_matches(
        pool, [scored("m2", "claude", "gpt", "another"), scored("m3")]
    ),
    "record_test": lambda ledger, pool: ledger.agents.record_test(pool, ATTACKED),
    "void a test": lambda ledger, pool: ledger.agents.void(pool, "attack", "not valid"),
    "void a critique": lambda ledger, pool: ledger.agents.void(pool, "critique", "x", kind=EvidenceKind.CRITIQUE),
    "void a relation": lambda ledger, pool: ledger.agents.void(pool, "r0", "x"),
    "void a resolution": lambda ledger, pool: ledger.agents.void(pool, "s", "the jury was wrong"),
    "rollback": lambda ledger, pool: ledger.matches.rollback(pool, "m0", "disputed"),
    "rebuild": lambda ledger, pool: ledger.rebuild(pool),
}
"""Each may be done again, and then completes what a kill broke off."""


def state(ledger, pool):
    """All that is known of a pool, less moments and its name."""
    report = ledger.audit(pool)
    assert report.ok, report.differences
    return (
        (report.commits, report.rows, ledger.items.all(pool), ledger.ratings.changes(pool)),
        (ledger.agents.records(pool), ledger.agents.relations(pool), [each.test for each in ledger.agents.tests(pool)]),
        [(each.prediction, each.brier) for each in ledger.agents.predictions(pool)],
        [each.prediction for each in ledger.agents.domain_predictions(pool)],
        [(each.match, each.rolled_back) for each in ledger.agents.matches(pool)],
    )


def rows(ledger, pool):
    """Every row that a pool has in any table, as it lies there."""
    with ledger._database.read() as connection:
        return {table: sorted(connection.execute(asked, {"of_pool": pool})) for table, asked in ROWS.items()}


@contextmanager
def watched(ledger, at_point):
    """Calls ``at_point`` before each write of a ledger, and before the end of a transaction that has written."""
    engine, wrote = ledger._database._engine, []

    def before(statement):
        if statement.lstrip().startswith(WRITES):
            wrote.append(statement)
            at_point(" ".join(statement.split()[:3]))

    def end(_connection):
        if wrote:
            at_point("end")

    with told(engine, before), listening(engine, "commit", end):
        yield


@contextmanager
def told(engine, before):
    """Calls ``before`` with each statement; SQLite tells them itself, since some reach its driver past SQLAlchemy."""

    def asked(connection, _cursor, statement, *_):
        if connection.dialect.name != "sqlite":
            before(statement)

    def traced(connection, *_):
        if isinstance(connection, sqlite3.Connection):
            connection.set_trace_callback(before)

    def untraced(connection, *_):
        if isinstance(connection, sqlite3.Connection):
            connection.set_trace_callback(None)

    with (
        listening(engine, "before_cursor_execute", asked),
        listening(engine, "checkout", traced),
        listening(engine, "checkin", untraced),
    ):
        yield


@contextmanager
def listening(engine, name, listener):
    event.listen(engine, name, listener)
    try:
        yield
    finally:
        event.remove(engine, name, listener)


def whole(ledger, operate):
    """What an operation leaves where nothing breaks it off, and the points on the way."""
    pool, points = f"whole {next(NUMBERS)}", []
    begin(ledger, pool)
    with watched(ledger, points.append):
        operate(ledger, pool)
    assert len(points) >= 4, "an operation writes several times"
    assert points[-1] == "end"
    return state(ledger, pool), points


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("killed")


@pytest.fixture(scope="module")
def filed_ledger(folder):
    with Ledger.open(folder / "ledger.db", durable=False) as ledger:
        yield ledger


@pytest.fixture(scope="module")
def found(folder):
    """Opens the files that a kill left; by one ledger, for the statements that it has prepared."""
    file = folder / "found.db"
    with Ledger.open(file, durable=False) as ledger:

        def open_(left):
            ledger._database.release()
            file.with_name("found.db-shm").unlink(missing_ok=True)
            for end in ("", "-wal"):
                shutil.move(f"{left}{end}", f"{file}{end}")
            return ledger

        yield open_


@pytest.mark.parametrize("operate", OPERATIONS.values(), ids=OPERATIONS)
def test_files_as_they_are_between_any_two_writes(folder, filed_ledger, found, operate):
    after, points = whole(filed_ledger, operate)
    pool, copies = f"broken {next(NUMBERS)}", []
    begin(filed_ledger, pool)
    before = rows(filed_ledger, pool)

    def copy(_=None):
        copies.append(folder / f"{len(copies)}.db")
        for end in ("", "-wal"):
            shutil.copy(folder / f"ledger.db{end}", f"{copies[-1]}{end}")

    with watched(filed_ledger, copy):
        operate(filed_ledger, pool)
    copy()
    *broken_off, ended = copies
    assert len(broken_off) == len(points)
    for left, point in zip(broken_off, points, strict=True):
        ledger = found(left)
        assert rows(ledger, pool) == before, point
    operate(ledger, pool)
    assert state(ledger, pool) == after, "the same again completes it"
    assert state(found(ended), pool) == after


@pytest.fixture(scope="module")
def served(ledger_url):
    with Ledger.open(ledger_url(), durable=False) as ledger:
        yield ledger


@pytest.fixture(scope="module")
def cut(postgres):
    """Ends all connections of this process to the server, as its end would."""
    with psycopg.connect(postgres, autocommit=True) as admin:
        ours = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE %s"
        yield lambda: admin.execute(ours, [f"process {os.getpid()} on %"])


@pytest.mark.parametrize("operate", OPERATIONS.values(), ids=OPERATIONS)
def test_a_connection_that_ends_between_two_writes(served, cut, operate, deep):
    """Each takes a new connection: without --deep it ends in the middle, and before the end."""
    after, points = whole(served, operate)
    pool = f"broken {next(NUMBERS)}"
    begin(served, pool)
    before = rows(served, pool)
    for number in range(len(points)) if deep else (len(points) // 2, len(points) - 1):
        passed = itertools.count()

        def at_point(_, number=number, passed=passed):
            if next(passed) == number:
                cut()

        with pytest.raises(Unwritable, match="was lost"), watched(served, at_point):
            operate(served, pool)
        assert rows(served, pool) == before, (number, points)
    operate(served, pool)
    assert state(served, pool) == after
