"""Killed between any two writes: evidence about agents is there whole or not at all, and the same again completes it.

What a kill leaves of an SQLite ledger are its files as they are at that instant, so they are copied there. A server
sees no more of it than a connection that ends, so it is told to end it there.
"""

import shutil
import sqlite3
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import event

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

pytestmark = pytest.mark.slow

WRITES = ("INSERT", "UPDATE", "DELETE")
TABLES = [table.name for table in schema.metadata.sorted_tables if "pool" in table.c]
POOL = "agents"


def scored(id, a="claude", b="gpt", c="gemini"):
    return Match.scored(id, Scorecard(participants=(a, b, c), scores=(0.8, 0.6, 0.4), domain="law"))


def known(id, agent):
    return DomainPrediction(id=id, agent=agent, domain="law", confidence=0.7, correct=True)


def relation(id, a, b):
    return Relation(id=id, a=a, b=b, dealings=Dealings(debates=1, a_wins=1))


def begin(ledger, pool=POOL):
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


def state(ledger, pool=POOL):
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


def rows(run, pool=POOL):
    """Every row that a pool has in any table, as it lies there; ``run`` runs a statement."""
    return {table: sorted(map(repr, run(f"SELECT * FROM \"{table}\" WHERE pool = '{pool}'"))) for table in TABLES}


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


class LedgerAt:
    """A ledger in a file that may be replaced by another; it stays for the statements that it has prepared.

    Args:
        path: The file.
    """

    def __init__(self, path):
        self.path = path
        self.ledger = Ledger.open(path, durable=False)

    def put(self, other):
        """What a kill, or a ledger that was closed, left elsewhere."""
        self.ledger._database.release()
        for end in ("-wal", "-shm"):
            Path(f"{self.path}{end}").unlink(missing_ok=True)
        copy(other, self.path)
        return self.ledger


def copy(here, there):
    """Copy a file and its log, if it has one, as they are."""
    for end in ("", "-wal"):
        if Path(f"{here}{end}").exists():
            shutil.copy(f"{here}{end}", f"{there}{end}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("killed")


@pytest.fixture(scope="module")
def begun(folder):
    """A closed ledger file with a pool in it."""
    with Ledger.open(folder / "begun.db", durable=False) as ledger:
        begin(ledger)
    return folder / "begun.db"


@pytest.fixture(scope="module")
def at(folder):
    place = LedgerAt(folder / "ledger.db")
    yield place
    place.ledger.close()


@pytest.fixture(scope="module")
def whole(folder, begun, at):
    """What an operation leaves where nothing breaks it off, the points on the way, and the files as they are there."""

    @cache
    def done(name):
        points, files = [], []

        def keep(point):
            points.append(point)
            files.append(folder / f"{name} {len(files)}.db")
            copy(at.path, files[-1])

        ledger = at.put(begun)
        with watched(ledger, keep):
            OPERATIONS[name](ledger, POOL)
        assert len(points) >= 4, "an operation writes several times"
        assert points[-1] == "end"
        return state(ledger), points, files

    return done


@pytest.mark.parametrize("name", OPERATIONS)
def test_files_as_they_are_between_any_two_writes(begun, at, whole, name):
    after, points, files = whole(name)
    with closing(sqlite3.connect(begun)) as connection:
        before = rows(connection.execute)
    for file, point in zip(files, points, strict=True):
        with closing(sqlite3.connect(file)) as connection:
            assert rows(connection.execute) == before, point
    ledger = at.put(files[-1])
    OPERATIONS[name](ledger, POOL)
    copy(at.path, files[0])
    assert state(at.put(files[0])) == after, "the same again completes it"


@pytest.fixture(scope="module")
def served(ledger_url):
    with Ledger.open(ledger_url(), durable=False) as ledger:
        yield ledger


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_connection_that_ends_between_two_writes(served, cut, whole, name, deep):
    """Each takes a new connection: without --deep it ends in the midst, and before the end."""
    after, operate, points = whole(name)[0], OPERATIONS[name], []
    begin(served, name)

    def lying():
        with served._database.read() as connection:
            return rows(connection.exec_driver_sql, name)

    def cut_at(here):
        points.clear()

        def at_point(point):
            points.append(point)
            if here(point):
                cut()

        with pytest.raises(Unwritable, match="was lost"), watched(served, at_point):
            operate(served, name)
        assert lying() == before, points

    before = lying()
    cut_at("end".__eq__)
    many = len(points)
    assert many >= 4, "an operation writes several times"
    for number in range(many) if deep else [many // 2]:
        cut_at(lambda _, number=number: len(points) == number + 1)
    operate(served, name)
    assert state(served, name) == after, "the same again completes it, as in a file"
