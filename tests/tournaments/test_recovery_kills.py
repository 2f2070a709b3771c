"""Killed between any two writes, in debates and in tasks: it comes to what an undisturbed run comes to (T19)."""

import json
import subprocess
from pathlib import Path

import pytest

import warm_start

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

AFTER, BEFORE = 3, 4
"""A run that goes on writes first that it does; it is killed just after its next write, or before the one behind."""
FURTHER = 8
"""Points that it gets further each time without --deep: four writes, so that every fifth is killed at."""
CHILD = Path(__file__).with_name("recovery_child.py")


def runs(folder, way, points):
    done = subprocess.run(
        [warm_start.python(), str(CHILD), str(folder), way, str(points)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return tuple(map(json.loads, done.stdout.splitlines()))


def same(whole, broken):
    for what in ("rounds", "ratings", "matches", "changes", "turns", "reviews", "asked"):
        assert broken[what] == whole[what], what
    assert broken["audit"]
    assert whole["audit"]


def test_a_session_of_debates_killed_after_every_write(tmp_path, deep):
    whole, broken = runs(tmp_path, "session", AFTER if deep else AFTER + FURTHER)
    same(whole, broken)
    assert broken["again"] == [], "what was recorded is not asked again"
    assert broken["twice"] <= broken["kills"], "a kill costs the call in flight at most"
    assert broken["kills"] >= (28 if deep else 5)
    assert len(whole["turns"]) == 4 * 6


def test_tasks_killed_before_every_write(tmp_path, deep):
    whole, broken = runs(tmp_path, "tasks", BEFORE if deep else BEFORE + FURTHER)
    same(whole, broken)
    assert broken["again"] == [], "what was recorded is not asked again"
    assert broken["kills"] >= (28 if deep else 5)
    for run in (whole, broken):
        kinds = [kind for kind, _ in run["events"]]
        assert [kinds.count(kind) for kind in ("task", "joined", "request", "incomplete", "round")] == [6, 1, 1, 1, 2]
        states = [(detail["id"], detail["state"]) for kind, detail in run["events"] if kind == "task_state"]
        assert len(states) == len(set(states)) == 10
        done = {detail["id"]: detail for kind, detail in run["events"] if kind == "task_state"}
        assert (done["ranking"]["evidence"]["matches"], done["ranking"]["evidence"]["rounds"]) == (4, 2)
        assert (done["nowhere"]["state"], done["never"]["state"]) == ("refused", "refused")
        assert "after 'nowhere', which was refused: there is no hypothesis 'nobody'" in done["never"]["error"]
    results = [
        {detail["id"]: detail["result"] for kind, detail in run["events"] if kind == "task_state" and detail["result"]}
        for run in (whole, broken)
    ]
    assert results[0]["first"]["matches_completed"] == results[1]["first"]["matches_completed"] == 2
    assert results[0]["new"] == results[1]["new"]
