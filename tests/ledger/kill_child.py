"""Does writing operations in forked processes, and kills them with SIGKILL before another of its writes each.

A point is the moment before a statement that writes (but the first, before which there is nothing), before the end of a
transaction, or just after it. Usage:

    kill_child.py URL OLD WHICH
                            prints a line of JSON for each operation: what its points were, and what was there after
                            each; a database of the first revision is made at OLD, and brought up to today

WHICH is ``all`` operations at all points; or ``some``: every fifth operation but the first, at the ends of transactions
and in the midst, and the migration at every 50th point, from the first.

Before its operation a process records an event and says so; then it is killed. All points of an operation are tried on
one tournament, so that a kill also meets what an earlier one may have left behind.
"""

import gc
import json
import os
import re
import signal
import sys
from contextlib import contextmanager
from functools import partial

from operations import ITEMS, NOTED, TOURNAMENTS, lying, ranked
from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool
from statements import watch_statements

from paragone.domain import RatingConfig
from paragone.ledger import Ledger, schema
from paragone.ledger.databases.database import Database, dialect_for, migrate, schema_version

WRITES = ("INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER")


@contextmanager
def watched(at_point):
    """Calls ``at_point`` with its name at every point of every connection of this process."""
    passed = []

    def at(name):
        if passed or not name.startswith("end"):  # of a transaction that only read
            passed.append(name)
            at_point(len(passed) - 1)

    def before(statement):
        if statement.lstrip().startswith(WRITES):
            at(re.split(r"\(| SET | WHERE ", statement)[0].strip())

    def end(_):
        at("end")

    def ended(*_):
        at("ended")

    stop = watch_statements(before)
    event.listen(Engine, "commit", end)
    event.listen(Pool, "checkin", ended)
    yield passed
    event.remove(Engine, "commit", end)
    event.remove(Pool, "checkin", ended)
    stop()


def in_a_process(first, operate, dies_at=-1):
    """Does something whole, and with what that gave an operation, up to one of its points; returns what was said."""
    reading, writing = os.pipe()
    if not os.fork():

        def at_point(number):
            if number == dies_at:
                os.kill(os.getpid(), signal.SIGKILL)

        at = first()
        os.write(writing, b"acknowledged\n")
        with watched(at_point):
            operate(at)
        os.write(writing, b"whole\n")
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as said:
        lines = said.read().splitlines()
    code = os.waitstatus_to_exitcode(os.wait()[1])
    assert code == (0 if len(lines) == 2 else -signal.SIGKILL), (code, lines)  # who comes to its end says so
    return lines


def kill_at_points(ledger, stem, operation, chosen):
    """What the points are, and for each what was there after a kill there; and what doing it again came to.

    Between two looks no connection is open: one that we held too would outlive the process that is killed, and only who
    opens a file that nobody has open must put right what a kill left. The ledger itself stays, for what it has
    prepared; to make that again would take most of the time.
    """
    operate = TOURNAMENTS.operations[operation]

    def alone(do, *args):
        done = do(ledger, *args)
        ledger._database.release()
        return done

    whole, broken = (alone(TOURNAMENTS.begin, f"{stem}{which}") for which in ("whole", "broken"))
    with watched(lambda _: None) as points:  # here, so that the statements are prepared for those that are killed
        alone(operate, whole)
    after, (untouched, _) = alone(TOURNAMENTS.state, whole), alone(rows, broken)
    killed = []
    for noted_before, number in enumerate(chosen(points), 1):
        first, then = partial(noting, ledger, broken), partial(operate, ledger, broken)
        assert in_a_process(first, lambda _, then=then: then(), number) == ["acknowledged"]
        now, noted = alone(rows, broken)
        there = "nothing" if now == untouched else "all" if alone(TOURNAMENTS.state, broken) == after else "a part"
        killed.append({"point": points[number], "kept": noted == noted_before, "there": there})
    alone(operate, broken)
    again = alone(TOURNAMENTS.state, broken) == after
    return {"operation": operation, "points": len(points), "killed": killed, "again": again}


def rows(ledger, id):
    with ledger._database.read() as connection:
        return lying(connection.connection.dbapi_connection, id)


def every(points):
    """The numbers of the points, but for the first, before which there is nothing."""
    return range(1, len(points))


def ends(points):
    """Those of the ends of transactions, and one in the midst."""
    return [number for number in every(points) if points[number].startswith("end") or number == len(points) // 2]


def noting(ledger, id):
    """An event more."""
    ledger.tournaments.add_event(id, NOTED, {})


def make_oldest(url):
    """Make a database of the first revision."""
    dialect, revisions = dialect_for(url, durable=False, patience=5), schema.REVISIONS
    database = Database(dialect)
    schema.REVISIONS = revisions[:1]
    with database.write(alone=True) as connection:
        migrate(connection, dialect, None)
    schema.REVISIONS = revisions
    database.close()


def as_it_is(url):
    """A database that is not brought up to today."""
    return Database(dialect_for(url, durable=False, patience=20))


def kill_the_migration(url, step):
    def revision():
        database = as_it_is(url)
        with database.read() as connection:
            current = schema_version(connection)
        database.close()
        return current

    def migrate_until(dies_at):
        return in_a_process(partial(as_it_is, url), Database.prepare, dies_at)

    revisions = []
    while revision() == schema.REVISIONS[0] and len(revisions) < 200:
        migrate_until(step * len(revisions))
        revisions.append(revision())
    with Ledger.open(url, durable=False) as ledger:
        ledger.pools.create("p", RatingConfig())
        ledger.items.add("p", ITEMS)
        ledger.matches.record("p", ranked("new"))
        return {"operation": "migrate", "revisions": revisions, "again": ledger.audit().ok}


def main():
    url, old, which = sys.argv[1:]
    chosen, places, step = {"all": (every, slice(None), 1), "some": (ends, slice(5, None, 5), 50)}[which]
    gc.freeze()  # or each process would copy what its collector looks through
    with Ledger.open(url, durable=False) as ledger:
        for number, operation in enumerate([*TOURNAMENTS.operations][places]):
            print(json.dumps(kill_at_points(ledger, f"t{number}", operation, chosen)))
    make_oldest(old)
    print(json.dumps(kill_the_migration(old, step)))


if __name__ == "__main__":
    main()
