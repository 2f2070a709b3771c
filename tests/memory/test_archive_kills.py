"""Whoever archives or restores is killed before each of its steps in turn: nothing is lost, and again finishes it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(sys, "addaudithook") or sys.platform == "win32", reason="children are forked")
def test_a_kill_between_any_two_steps_loses_nothing(tmp_path):
    child = Path(__file__).with_name("archive_kill_child.py")
    done = subprocess.run(
        [sys.executable, child, tmp_path / "root"], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    for what, entries in (("archive", 1), ("restore", 0), ("force", 1)):
        mine = [run for run in runs if run["what"] == what]
        assert len(mine) > 8
        assert [run["died"] for run in mine] == [True] * (len(mine) - 1) + [False]
        assert {run["lost"] for run in mine} == {0}
        assert {run["ended"] for run in mine} == {"archived" if what == "archive" else True}
        assert {run["entries"] for run in mine} == {entries}
        assert [run["strange"] for run in mine if run["strange"]] == []
