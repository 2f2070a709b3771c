"""A full disk and a server that is restarted cost no answer that was paid for."""

import os
import stat
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import local_postgres
from paragone.ledger import Ledger

PARAGONE = Path(sys.executable).with_name("paragone")
JUDGE = """
import os, time
def judge(first, second, criteria):
    time.sleep({seconds})
    with open({log!r}, "a") as log:
        log.write(f"{{first.id}} {{second.id}}\\n")
    return "first" if len(first.text) > len(second.text) else "second"
"""


@pytest.fixture
def home(tmp_path):
    """A folder with items, and a judge that notes each call that it is paid for."""
    (tmp_path / "items.csv").write_text("id,text\n" + "".join(f"i{n},{'word ' * n}\n" for n in range(1, 7)))
    return tmp_path


@pytest.fixture
def judged(home):
    """Writes the judge; returns a function that counts its calls by question."""

    def make(seconds: float):
        log = home / "calls.txt"
        (home / "slow.py").write_text(JUDGE.format(seconds=seconds, log=str(log)))
        return lambda: Counter(log.read_text().splitlines()) if log.exists() else Counter()

    return make


def command(home, *arguments, limit=None, **environment):
    """Begins a command, in which no file may grow beyond a limit where one is given."""
    python = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit or -1}, -1))\n"
        "from paragone.cli import main\n"
        "sys.argv = ['paragone', *sys.argv[1:]]\n"
        "main()\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", python, *map(str, arguments)],
        cwd=home,
        env={**os.environ, "HOME": str(home / "away"), "TMPDIR": str(home), "PYTHONPATH": str(home), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


RANK = ("rank", "items.csv", "--criteria", "longer", "--judge", "python:slow:judge", "--budget", 12, "--seed", 1)


def test_a_server_that_is_restarted_costs_no_answer_and_the_run_ends_well(home, judged):
    calls = judged(0.25)
    server = local_postgres.Server()
    try:
        run = command(home, *RANK, "--db", server.url(), "--concurrency", 2)
        deadline = time.monotonic() + 60
        while sum(calls().values()) < 4 and time.monotonic() < deadline:
            time.sleep(0.02)
        server.stop()
        time.sleep(3.0)
        before = sum(calls().values())
        server.start()
        out, err = run.communicate(timeout=60)
        assert run.returncode == 0, err
        assert "waiting for the ledger" in err
        assert before < 12, "nothing is asked while answers cannot be written"
        assert sum(calls().values()) == 12
        with Ledger.open(server.url()) as ledger:
            (tournament,) = ledger.tournaments()
            assert ledger.tally(tournament.id).answered == 12
            assert ledger.audit().ok
        assert list(home.rglob("*.spool")) == []
        assert out
    finally:
        server.remove()


def test_a_disk_that_stays_full_ends_in_a_message_and_the_next_run_takes_in_what_waited(home, judged):
    calls = judged(0.01)
    run = command(home, *RANK, "--db", "full.db", limit=700_000, PARAGONE_PATIENCE="0.3", FILLED="1")
    _, err = run.communicate(timeout=60)
    fitted = run.returncode == 0
    assert not fitted, "the limit has to be met within the run"
    assert run.returncode == 1, err
    assert "Traceback" not in err
    assert "the next run takes it in" in err
    (spool,) = home.rglob("*.spool")
    assert stat.S_IMODE(spool.stat().st_mode) == 0o600
    paid = calls()
    resumed = command(home, "resume", "--db", "full.db")
    _, err = resumed.communicate(timeout=60)
    assert resumed.returncode == 0, err
    assert "that waited in" in err
    assert list(home.rglob("*.spool")) == []
    assert sum(calls().values()) == 12
    assert all(calls()[question] >= count for question, count in paid.items())
    with Ledger.open(home / "full.db") as ledger:
        assert ledger.tally("items-1").answered == 12
        assert ledger.audit().ok
