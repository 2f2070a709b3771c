"""Killed between any two writes of any operation: whole or not at all, and doing it again completes it.

What a kill leaves of an SQLite ledger are its files as they are at that instant, so they are copied there. A server
sees no more of it than a connection that ends, so it is told to end it there. Processes that are killed with SIGKILL
confirm both.
"""

import importlib.util
import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import pytest
from sqlalchemy import event

import warm_start
from paragone.errors import Unwritable
from paragone.ledger import Ledger, schema

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CHILD = Path(__file__).with_name("kill_child.py")
WRITES = ("INSERT", "UPDATE", "DELETE")

spec = importlib.util.spec_from_file_location("operations", CHILD.with_name("operations.py"))
operations = sys.modules["operations"] = importlib.util.module_from_spec(spec)  # its dataclass looks itself up there
spec.loader.exec_module(operations)
STORIES = {"tournaments": operations.TOURNAMENTS, "agents": operations.AGENTS}
OPERATIONS = [(story, name) for story in STORIES for name in STORIES[story].operations]


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

    with statements(engine, before), listening(engine, "commit", end):
        yield


@contextmanager
def statements(engine, before):
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
        """What a kill, or somebody who has it open, left elsewhere."""
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


def content(path):
    """The bytes of a file and its log, if it has one."""
    return [file.read_bytes() for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]


def lying(where, id):
    """The rows of a pool in a file, or as a ledger reads them."""
    if isinstance(where, Path):
        with closing(sqlite3.connect(where)) as connection:
            return operations.lying(connection, id)
    with where._database.read() as connection:
        return operations.lying(connection.connection.dbapi_connection, id)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("killed")


@pytest.fixture(scope="module")
def begun(folder):
    """For each story the files of a ledger with a pool in it, all of it acknowledged and most of it in the log; and the
    pool's id."""

    @cache
    def make(story):
        with Ledger.open(folder / f"{story}.db", durable=False) as ledger:
            id = STORIES[story].begin(ledger, "pool")
            copy(folder / f"{story}.db", folder / f"{story} begun.db")
        return folder / f"{story} begun.db", id

    return make


@pytest.fixture(scope="module")
def at(folder):
    place = LedgerAt(folder / "ledger.db")
    yield place
    place.ledger.close()


@pytest.fixture(scope="module")
def whole(folder, begun, at):
    """What an operation leaves where nothing breaks it off, the points on the way, and the files as they are there and
    just after its end: the same file where they did not change."""

    @cache
    def done(story, name):
        points, files, contents = [], [], []

        def keep(point):
            points.append(point)
            contents.append(content(at.path))
            if contents[-1:] == contents[-2:-1]:
                files.append(files[-1])
                return
            files.append(folder / f"{story} {name} {len(files)}.db")
            copy(at.path, files[-1])

        file, id = begun(story)
        ledger = at.put(file)
        with watched(ledger, keep):
            STORIES[story].operations[name](ledger, id)
        keep("ended")
        assert len(points) > 4, "an operation writes several times"
        assert points[-2] == "end"
        assert lying(files[-1], id) == lying(ledger, id), "what was acknowledged is there"
        return STORIES[story].state(ledger, id), points, files

    return done


@pytest.mark.parametrize(("story", "name"), OPERATIONS)
def test_files_as_they_are_between_any_two_writes(begun, at, whole, story, name):
    after, points, files = whole(story, name)
    file, id = begun(story)
    before = lying(file, id)
    for copied, until in dict(zip(files[:-1], points[:-1], strict=True)).items():
        assert lying(copied, id) == before, until
    ledger = at.put(files[-2])
    STORIES[story].operations[name](ledger, id)
    copy(at.path, files[0])
    assert STORIES[story].state(at.put(files[0]), id) == after, "the same again completes it"


@pytest.fixture(scope="module")
def served(lent_url):
    with Ledger.open(lent_url(), durable=False) as ledger:
        yield ledger


def test_a_connection_that_ends_between_two_writes(served, cut, whole, deep):
    """In the midst and before the end of every fourth operation; with --deep before each write of each."""
    for story, name in OPERATIONS[:: 1 if deep else 4]:
        _cut_off(served, cut, story, name, whole(story, name)[0], every=deep)


def _cut_off(served, cut, story, name, after, *, every):
    operate, points = STORIES[story].operations[name], []
    id = STORIES[story].begin(served, f"{story} {name}".replace(" ", "-"))

    def cut_at(here):
        points.clear()

        def at_point(point):
            points.append(point)
            if here(point):
                cut()

        with pytest.raises(Unwritable, match="was lost"), watched(served, at_point):
            operate(served, id)
        assert lying(served, id) == before, (name, points)

    before = lying(served, id)
    cut_at("end".__eq__)
    many = len(points)
    assert many >= 4, "an operation writes several times"
    for number in range(many) if every else [many // 2]:
        cut_at(lambda _, number=number: len(points) == number + 1)
    operate(served, id)
    assert STORIES[story].state(served, id) == after, "the same again completes it, as in a file"


def test_processes_that_are_killed(new_url, deep):
    """Without --deep of every fifth operation but the first, at the ends of transactions and in the midst."""
    arguments = [warm_start.python(), str(CHILD), new_url(), new_url(), "all" if deep else "some"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *reports, migration = map(json.loads, done.stdout.splitlines())
    assert [report["operation"] for report in reports] == [*operations.TOURNAMENTS.operations][
        slice(None) if deep else slice(5, None, 5)
    ]
    for report in reports:
        assert report["points"] >= 4, "an operation writes several times"
        _check(report["operation"], report["killed"])
        assert report["again"], f"{report['operation']}: to do it again completes it"
    _check_migration(migration)


def _check(operation, killed):
    assert [kill["point"] for kill in killed[-2:]] == ["end", "ended"]
    assert len(killed) > 2
    assert all(kill["kept"] for kill in killed), (operation, "what was acknowledged before is there, and once")
    assert {kill["there"] for kill in killed[:-1]} == {"nothing"}, (operation, killed)
    whole = "nothing" if operation == "rebuild" else "all"  # to make projections again changes nothing
    assert killed[-1]["there"] == whole, (operation, killed)


def _check_migration(migration):
    revisions = migration["revisions"]
    assert revisions == [schema.REVISIONS[0]] * (len(revisions) - 1) + [schema.REVISIONS[-1]]
    assert len(revisions) > 2
    assert migration["again"]
