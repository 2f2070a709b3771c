"""A kill -9 at any instant: nothing acknowledged is lost, nothing is there twice or by half, the rest can follow.

What a kill leaves are the files as they are at that instant, so they are copied there; the tests of kills confirm that
with processes that are killed, and so does the last one here.
"""

import importlib.util
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.pool import Pool

import warm_start
from paragone.domain import Choice, Comparison, Item, Match, Order, Pairing, RatingConfig, Usage, Verdict
from paragone.ledger import Ledger

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAIRINGS = (("a", "b"), ("b", "c"), ("c", "a"))

spec = importlib.util.spec_from_file_location("statements", Path(__file__).with_name("statements.py"))
statements = importlib.util.module_from_spec(spec)
spec.loader.exec_module(statements)


def play(ledger, who, acknowledge=lambda _: None):
    """A small tournament, from wherever the ledger stands; every call may be made again."""
    if not ledger.tournaments.all():
        items = [Item(id=id, text=id) for id in "abc"]
        ledger.tournaments.create("t", settings={}, items=items, config=RatingConfig())
    acknowledge("tournament")
    ledger.tournaments.plan_round("t-1", 1, [Pairing(a=a, b=b) for a, b in PAIRINGS])
    acknowledge("plan")
    for number, (a, b) in enumerate(PAIRINGS):
        verdict = ledger.tournaments.verdict("t-1", f"c{number}")
        if verdict is None:
            verdict = Verdict(choice=Choice.FIRST, judge="j", usage=Usage(calls=1), rationale=who)
            comparison = Comparison(call=f"c{number}", first=a, second=b, verdict=verdict)
            ledger.tournaments.record_verdict("t-1", comparison, key=f"k{number}")
            acknowledge(f"verdict {number}")
        comparison = Comparison(call=f"c{number}", first=a, second=b, verdict=verdict)
        ledger.matches.record("t-1", Match.of(f"m{number}", Pairing(a=a, b=b, orders=(Order.AB,)), (comparison,)))
        acknowledge(f"match {number}")
    ledger.matches.rollback("t-1", "m1", "disputed")
    acknowledge("rollback")


@pytest.fixture(scope="module")
def killed(tmp_path_factory, deep):
    """A tournament that was played to its end; and the files as they were on the way, with what was acknowledged.

    A point is the moment before a statement, before the end of a transaction, or after it; the making of the tables in
    an empty file counts too. The points are the ends of all transactions, just before and just after in turn, and every
    61st of the others; with --deep all points.
    """
    folder, points, acknowledged, copies = tmp_path_factory.mktemp("killed"), [], [], []
    whole = folder / "whole.db"

    def at_point(name):
        number, after = len(points), points[-1:] == ["end"]
        points.append(name)
        is_odd = points.count("end") % 2
        if deep or number % 61 == 0 or (name == "end" if is_odd else after):
            for file in [each for each in folder.glob("whole.db*") if not each.name.endswith("-shm")]:
                shutil.copy(file, file.with_name(file.name.replace("whole", f"{number}")))
            copies.append((folder / f"{number}.db", tuple(acknowledged)))

    def end(_):
        at_point("end")

    def ended(*_):
        at_point("ended")

    whole.touch()  # which has the tables made there, statement by statement
    stop = statements.watch_statements(lambda _: at_point("before"))
    event.listen(Engine, "commit", end)
    event.listen(Pool, "checkin", ended)
    with Ledger.open(whole, durable=False) as ledger:
        play(ledger, "who was killed", acknowledged.append)
    event.remove(Pool, "checkin", ended)
    event.remove(Engine, "commit", end)
    stop()
    return whole, copies


def test_at_every_end_of_a_transaction_and_between(killed):
    path, copies = killed
    with Ledger.open(path) as whole:
        expected = _what_must_be_equal(whole)
    for copy, acknowledged in copies:
        with Ledger.open(copy, durable=False) as ledger:
            assert _is_kept(ledger, acknowledged), (copy, acknowledged)
            play(ledger, "who goes on")
            assert _what_must_be_equal(ledger) == expected, copy
            assert ledger.tournaments.spending("t-1").decisions == 3, "a verdict was paid for twice"
    assert {len(acknowledged) for _, acknowledged in copies} == set(range(9)), "before and between all acknowledgements"


def _what_must_be_equal(ledger):
    """All but the moments, and the rationale, which says who asked.

    The audit sees what a kill left as well: evidence only grows.
    """
    report = ledger.audit()
    assert report.ok, report.differences
    return (
        ledger.ratings.all("t-1"),
        ledger.ratings.changes("t-1"),
        [
            (entry.match.id, entry.match.outcome, entry.sequence, entry.rolled_back)
            for entry in ledger.matches.all("t-1")
        ],
        ledger.tournaments.rounds("t-1"),
        len(ledger.tournaments.events("t-1")),
        (report.commits, report.rows),
    )


def _is_kept(ledger, acknowledged):
    matches = {entry.match.id: entry for entry in ledger.matches.all("t-1")} if ledger.tournaments.all() else {}
    for line in acknowledged:
        what, *rest = line.split()
        if what == "tournament":
            kept = len(ledger.tournaments.all()) == 1 and len(ledger.items.all("t-1")) == 3
        elif what == "plan":
            kept = len(ledger.tournaments.rounds("t-1")) == 1
        elif what == "verdict":
            kept = ledger.tournaments.verdict("t-1", f"c{rest[0]}").rationale == "who was killed"
        elif what == "match":
            kept = f"m{rest[0]}" in matches
        else:
            kept = matches["m1"].rolled_back
        if not kept:
            return False
    return True


def test_at_a_moment_of_nobodys_choosing(path, forge):
    """A writer is killed from outside, goes on, is killed again; three times."""
    script = (
        "import sys\n"
        "from paragone.domain import Match, Outcome\n"
        "from paragone.ledger import Ledger\n"
        "ledger = Ledger.open(sys.argv[1])\n"
        "for number in range(len(ledger.matches.all('p')), 100000):\n"
        "    ledger.matches.record('p', Match(id=f'm{number}', a='i0', b='i1', outcome=Outcome.A))\n"
        "    print(number, flush=True)\n"
    )
    with Ledger.open(path) as ledger:
        ledger.pools.create("p", forge.config)
        ledger.items.add("p", forge.items(2))
    for delay in (0.0, 0.003, 0.011):
        child = subprocess.Popen([warm_start.python(), "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(5):
            acknowledged = int(child.stdout.readline())
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        acknowledged = int((child.stdout.read().split() or [acknowledged])[-1])
        child.wait()
        child.stdout.close()
        with Ledger.open(path) as ledger:
            ids = [entry.match.id for entry in ledger.matches.all("p")]
            assert ids == [f"m{number}" for number in range(len(ids))]
            assert len(ids) in (acknowledged + 1, acknowledged + 2), "the one under way may or may not be there"
            assert ledger.audit().ok
