"""Killed between any two writes of any operation: whole or not at all, and doing it again completes it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from paragone.ledger import schema

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

CHILD = Path(__file__).with_name("kill_child.py")
OPERATIONS = {
    "create_tournament",
    "add_items",
    "add_event",
    "plan_round",
    "record_verdict",
    "record_match",
    "record_match of a ranking",
    "record_turn",
    "record_review",
    "adjust",
    "join",
    "join with reviews that wake",
    "add_events",
    "rollback",
    "rebuild",
}


def test_killed_at_every_write_of_every_operation(new_url, deep):
    """Without --deep at the ends of transactions, and in a file at each kind of statement too.

    A server does not die with who writes to it, and has nothing to put right in its own files.
    """
    url = new_url()
    which = "all" if deep else "ends" if url.startswith("postgresql") else "kinds"
    arguments = [sys.executable, str(CHILD), url, new_url(), which]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *reports, migration = map(json.loads, done.stdout.splitlines())
    assert {report["operation"] for report in reports} == OPERATIONS
    for report in reports:
        assert report["points"] >= 4, "an operation writes several times"
        _check(report["operation"], report["killed"])
        assert report["again"], f"{report['operation']}: to do it again completes it"
    _check_migration(migration)


def _check(operation, killed):
    assert [kill["point"] for kill in killed[-2:]] == ["end", "ended"]
    assert all(kill["kept"] for kill in killed), (operation, "what was acknowledged before is there, and once")
    assert {kill["there"] for kill in killed[:-1]} == {"nothing"}, (operation, killed)
    whole = "nothing" if operation == "rebuild" else "all"  # to make projections again changes nothing
    assert killed[-1]["there"] == whole, (operation, killed)


def _check_migration(found):
    revisions = found["revisions"]
    assert revisions == [schema.REVISIONS[0]] * (len(revisions) - 1) + [schema.REVISIONS[-1]]
    assert len(revisions) > 5
    assert found["again"]
