"""Does writing operations in forked processes, and kills them with SIGKILL before another of its writes each.

Those of agents are in ``test_ledger_agents_kills.py``.

A point is the moment before a statement that writes (but the first, before which there is nothing), before the end of a
transaction, or just after it. Usage:

    kill_child.py URL OLD WHICH
                            prints a line of JSON for each operation: what its points were, and what was found after
                            each; a database of the first revision is made at OLD, and brought up to today

WHICH is ``all`` points; or ``ends``: those of transactions, where one that ended before shows as well; or ``kinds``:
these, and each kind of statement where it is met first. Of the migration it is every 7th, or every 14th of ``ends``.

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

from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool
from statements import watch_statements

from paragone.domain import (
    Adjustment,
    AdjustmentKind,
    Choice,
    Comparison,
    DebateTurn,
    Item,
    Lineup,
    Match,
    Order,
    Pairing,
    Ranking,
    RatingConfig,
    Review,
    Scorecard,
    Speaker,
    Stage,
    Verdict,
)
from paragone.ledger import Ledger, schema
from paragone.ledger.databases.database import Database, dialect_for, migrate, schema_version

ITEMS = [Item(id=id, text=f"text {id}") for id in "abcd"]
TABLES = [table.name for table in schema.metadata.sorted_tables if "pool" in table.c and table is not schema.head]
WRITES = ("INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER")


def comparison(call, first="a", second="b"):
    return Comparison(call=call, first=first, second=second, verdict=Verdict(choice=Choice.FIRST, judge="j"))


def ranked(id):
    verdict = Verdict(choice=Choice.RANKED, judge="j", order=(2, 0, 1))
    return Match.ranked(id, Ranking(call=f"{id}.1", shown=("a", "b", "c"), verdict=verdict))


def match(id, a="a", b="b"):
    both = (comparison(f"{id}.AB", a, b), comparison(f"{id}.BA", b, a))
    return Match.of(id, Pairing(a=a, b=b, orders=(Order.AB, Order.BA)), both)


def created(ledger, id):
    """A second tournament of the same stem, once."""
    stem = id.removesuffix("-1")
    if f"{stem}-2" not in {record.id for record in ledger.tournaments.all()}:
        ledger.tournaments.create(stem, settings={}, items=ITEMS, config=RatingConfig())


def extended(ledger, id):
    if "extended" not in {found.kind for found in ledger.tournaments.events(id)}:
        ledger.tournaments.add_event(id, "extended", {"budget": 3})


def items(ledger, id):
    ledger.items.add(id, [Item(id=new, text="new") for new in "ef"])


def planned(ledger, id):
    debate = Pairing(a="a", b="b", turns=3, degraded=True)
    ledger.tournaments.plan_round(id, 1, [debate, Lineup(items=("a", "b", "c"))], {"forecast_units": 8})


def noticed(ledger, id):
    """Two events, once."""
    if "task" not in {found.kind for found in ledger.tournaments.events(id)}:
        ledger.tournaments.add_events(id, [("task", {"id": "t1"}), ("task_state", {"id": "t1", "state": "running"})])


def scored(id):
    return Match.scored(id, Scorecard(participants=("c", "a", "d"), scores=(0.8, 0.6, 0.4), domain="law"))


def turn(number):
    speaker = Speaker.FIRST if number % 2 else Speaker.SECOND
    return DebateTurn(call="c", number=number, speaker=speaker, stage=Stage.OPENING, content="said", claims=("so",))


def adjustment(id, item, target, share=1.0):
    return Adjustment(id=id, item=item, kind=AdjustmentKind.SEED, target=target, share=share)


def joined(ledger, id):
    fresh = [Item(id=new, text="new") for new in "ef"]
    seeds = [adjustment("seed e", "e", 1300.0), adjustment("seed a", "a", 1300.0, 0.5)]
    ledger.tournaments.join(id, fresh, round=2, adjustments=seeds, reviews=[Review(item="e", reviewer="r", score=0.5)])


OPERATIONS = {
    "create_tournament": created,
    "add_items": items,
    "add_event": extended,
    "plan_round": planned,
    "record_verdict": lambda ledger, of: ledger.tournaments.record_verdict(of, comparison("c"), key="k"),
    "record_match": lambda ledger, of: ledger.matches.record(of, match("new", "c", "d")),
    "record_match of a ranking": lambda ledger, of: ledger.matches.record(of, ranked("new")),
    "record_turn": lambda ledger, of: ledger.tournaments.record_turn(of, turn(1)),
    "record_review": lambda ledger, of: ledger.items.record_review(of, Review(item="a", reviewer="r", score=0.5)),
    "adjust": lambda ledger, of: ledger.ratings.adjust(
        of, [adjustment("d1", "a", 1200.0, 0.5), adjustment("d2", "b", 1200.0, 0.5), adjustment("d3", "a", 1100.0)]
    ),
    "join": joined,
    "join with reviews that wake": lambda ledger, of: ledger.tournaments.join(
        of, (), round=2, reviews=[Review(item=id, reviewer="r", score=0.5) for id in "ab"], wake=True
    ),
    "add_events": noticed,
    "rollback": lambda ledger, of: ledger.matches.rollback(of, "d0", "disputed"),
    "rebuild": lambda ledger, of: ledger.rebuild(of),
}
"""Each may be done again, and then completes what a kill broke off."""


def tournament(ledger, stem):
    """A tournament that some matches have been played in."""
    made = ledger.tournaments.create(stem, settings={"goal": "all"}, items=ITEMS, config=RatingConfig())
    ledger.matches.record(made.id, match("m0"))
    ledger.ratings.adjust(made.id, [adjustment("d0", "a", 1200.0, 0.25)])
    ledger.matches.record(made.id, match("m1", "b", "c"))
    ledger.agents.record_matches(made.id, [scored("d0")])
    return made.id


def state(ledger, id):
    """All that is known of a tournament and of the next of its stem, less moments, hashes and the events noted here."""
    report, beside = ledger.audit(id), id.removesuffix("1") + "2"
    others = [record.pool for record in ledger.tournaments.all() if record.id == beside]
    kinds = [found.kind for found in ledger.tournaments.events(id)]
    noted = kinds.count("noted")
    assert report.ok, report.differences
    assert all(ledger.audit(other).ok for other in others)
    return (
        [len(ledger.items.all(other)) for other in others],
        (report.commits - noted, report.rows - noted),
        [kind for kind in kinds if kind != "noted"],
        [(entry.match, entry.rolled_back) for entry in ledger.matches.all(id)],
        (
            ledger.ratings.all(id),
            ledger.ratings.changes(id),
            ledger.items.all(id),
            ledger.tournaments.rounds(id),
            ledger.tournaments.verdict(id, "c"),
        ),
        (
            ledger.tournaments.turns(id),
            ledger.items.reviews(id),
            [entry.adjustment for entry in ledger.ratings.adjustments(id)],
        ),
        ledger.agents.records(id),
    )


def rows(ledger, id):
    """Every row that a tournament and the next of its stem have in any table, less the events noted here, and how many
    these are.

    To look through rows takes a fraction of reading and auditing what they say. Evidence only grows, so that the audit
    at the end sees all of it; the rest is the same as before or not.
    """
    pools = f"('{id}', '{id.removesuffix('1')}2')"
    with ledger._database.read() as connection:
        every = {
            table: sorted(map(repr, connection.exec_driver_sql(f'SELECT * FROM "{table}" WHERE pool IN {pools}')))
            for table in TABLES
        }
    events = [event for event in every["tournament_event"] if "'noted'" not in event]
    noted = len(every["tournament_event"]) - len(events)
    return {**every, "tournament_event": events, "commit": len(every["commit"]) - noted}, noted


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


def kill_at_every_write(ledger, stem, operation, chosen):
    """What the points are, and for each what was found after a kill there; and what doing it again came to.

    Between two looks no connection is open: one that we held too would outlive the process that is killed, and only who
    opens a file that nobody has open must put right what a kill left. The ledger itself stays, for what it has
    prepared; to make that again would take most of the time.
    """
    operate = OPERATIONS[operation]

    def alone(do, *args):
        done = do(ledger, *args)
        ledger._database.release()
        return done

    whole, broken = (alone(tournament, f"{stem}{which}") for which in ("whole", "broken"))
    with watched(lambda _: None) as points:  # here, so that the statements are prepared for those that are killed
        alone(operate, whole)
    after, (untouched, _) = alone(state, whole), alone(rows, broken)
    found = []
    for noted_before, number in enumerate(chosen(points), 1):
        first, then = partial(noting, ledger, broken), partial(operate, ledger, broken)
        assert in_a_process(first, lambda _, then=then: then(), number) == ["acknowledged"]
        now, noted = alone(rows, broken)
        there = "nothing" if now == untouched else "all" if alone(state, broken) == after else "a part"
        found.append({"point": points[number], "kept": noted == noted_before, "there": there})
    alone(operate, broken)
    again = alone(state, broken) == after
    return {"operation": operation, "points": len(points), "killed": found, "again": again}


def every(points):
    """The numbers of the points, but for the first, before which there is nothing."""
    return range(1, len(points))


def ends(points):
    """Those of the ends of transactions."""
    return [number for number in every(points) if points[number].startswith("end")]


class Kinds:
    """Those, and each that writes as no point before it did, of one operation after the other."""

    def __init__(self):
        self._met = set()

    def __call__(self, points):
        new = {number for number in every(points) if points[number] not in self._met}
        self._met.update(points)
        return sorted(new.union(ends(points)))


def noting(ledger, id):
    """An event more."""
    ledger.tournaments.add_event(id, "noted", {})


def make_oldest(url):
    """Make a database of the first revision."""
    dialect, revisions = dialect_for(url, durable=False, patience=5), schema.REVISIONS
    database = Database(dialect)
    schema.REVISIONS = revisions[:1]
    with database.write(alone=True) as connection:
        migrate(connection, dialect, None)
    schema.REVISIONS = revisions
    database.close()


def as_found(url):
    """A database that is not brought up to today."""
    return Database(dialect_for(url, durable=False, patience=20))


def kill_the_migration(url, step):
    def revision():
        database = as_found(url)
        with database.read() as connection:
            found = schema_version(connection)
        database.close()
        return found

    def migrate_until(dies_at):
        return in_a_process(partial(as_found, url), Database.prepare, dies_at)

    found = []
    while revision() == schema.REVISIONS[0] and len(found) < 200:
        migrate_until(step * len(found))
        found.append(revision())
    with Ledger.open(url, durable=False) as ledger:
        ledger.pools.create("p", RatingConfig())
        ledger.items.add("p", ITEMS)
        ledger.matches.record("p", ranked("new"))
        return {"operation": "migrate", "revisions": found, "again": ledger.audit().ok}


def main():
    url, old, which = sys.argv[1:]
    chosen, step = {"all": (every, 1), "kinds": (Kinds(), 7), "ends": (ends, 14)}[which]
    gc.freeze()  # or each of two hundred processes would copy what its collector looks through
    with Ledger.open(url, durable=False) as ledger:
        for number, operation in enumerate(OPERATIONS):
            print(json.dumps(kill_at_every_write(ledger, f"t{number}", operation, chosen)))
    make_oldest(old)
    print(json.dumps(kill_the_migration(old, step)))


if __name__ == "__main__":
    main()
