"""A kill -9 at any instant: nothing acknowledged is lost, nothing is there twice or by half, the rest can follow."""

import importlib.util
import signal
import subprocess
import time
from pathlib import Path

import pytest

import warm_start
from paragone.ledger import Ledger

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CHILD = Path(__file__).with_name("crash_child.py")
spec = importlib.util.spec_from_file_location("crash_child", CHILD)
crash_child = importlib.util.module_from_spec(spec)
spec.loader.exec_module(crash_child)


@pytest.fixture(scope="module")
def killed(tmp_path_factory, deep):
    """A folder with a ledger for each point at which its writer was killed, and the numbers of the points.

    They are the ends of all transactions, just before and just after in turn, and every 61st of the others; with --deep
    all points.
    """
    folder = tmp_path_factory.mktemp("killed")
    points = _child(folder).split()
    ends = [number for number, point in enumerate(points) if point == "end"]
    sample = {*range(0, len(points), 61), *ends[::2], *(number + 1 for number in ends[1::2])}
    numbers = range(len(points)) if deep else sorted(sample)
    _child(folder, *numbers)
    return folder, numbers


def _child(folder, *numbers):
    arguments = [warm_start.python(), str(CHILD), str(folder), *map(str, numbers)]
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def test_at_every_end_of_a_transaction_and_between(killed):
    folder, numbers = killed
    with Ledger.open(folder / "whole.db") as whole:
        expected = _what_must_be_equal(whole)
    seen = set()
    for number in numbers:
        acknowledged = (folder / f"{number}.ack").read_text().splitlines()
        seen.add(len(acknowledged))
        with Ledger.open(folder / f"{number}.db", durable=False) as ledger:
            assert _is_kept(ledger, acknowledged), (number, acknowledged)
            crash_child.play(ledger, lambda _: None)
            assert _what_must_be_equal(ledger) == expected, number
            assert ledger.tournaments.spending("t-1").decisions == 3, "a verdict was paid for twice"
    assert seen == set(range(9)), "the kills must fall before and between all acknowledgements"


def _what_must_be_equal(ledger):
    """All but the moments, and the rationale, which holds the id of the process that asked.

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
            kept = ledger.tournaments.verdict("t-1", f"c{rest[0]}").rationale == rest[1]
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
