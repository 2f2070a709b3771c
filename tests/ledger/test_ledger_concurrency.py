"""Threads and processes write to one pool at once: everything is there once, and the chain is whole."""

import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import warm_start
from paragone.errors import Busy
from paragone.ledger import Ledger
from paragone.ratings.running_elo import replay

pytestmark = pytest.mark.slow

WRITER = """
import itertools, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from paragone.domain import Item, Match, Outcome, RatingConfig
from paragone.ledger import Ledger

url, folder, name, threads, count = sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
(folder / f"{name}.ready").touch()
while len(list(folder.glob("*.ready"))) < 4:
    time.sleep(0.005)
ledger = Ledger.open(url, durable=False)
ledger.pools.create("p", RatingConfig())
ledger.items.add("p", [Item(id=f"i{n}", text=f"text {n}") for n in range(4)])
pairs = list(itertools.permutations([f"i{n}" for n in range(4)], 2))

def write(thread):
    for n in range(count):
        a, b = pairs[(n + 5 * thread) % len(pairs)]
        ledger.matches.record("p", Match(id=f"{name}.{thread}.{n}", a=a, b=b, outcome=Outcome.A))
        ledger.matches.record("p", Match(id=f"shared.{n}", a="i0", b="i1", outcome=Outcome.DRAW))

with ThreadPoolExecutor(threads) as pool:
    list(pool.map(write, range(threads)))
"""


def _check(ledger, expected_ids, pool="p"):
    recorded = [entry.match for entry in ledger.matches.all(pool)]
    assert sorted(match.id for match in recorded) == sorted(expected_ids)
    ratings = ledger.ratings.all(pool)
    assert ratings == replay(recorded, ledger.pools.config(pool), ratings).ratings
    assert sum(rating.matches for rating in ratings.values()) == 2 * len(recorded)
    assert sum(rating.wins for rating in ratings.values()) == sum(rating.losses for rating in ratings.values())
    assert len(ledger.ratings.changes(pool)) == 2 * len(recorded)
    assert ledger.audit().ok


def test_four_processes_of_two_threads_make_one_ledger_and_write_to_it(shared_url, tmp_path):
    """They start together where nothing is yet, and record some of the matches all of them."""
    arguments = [warm_start.python(), "-c", WRITER, shared_url, str(tmp_path)]
    writers = [subprocess.Popen([*arguments, name, "2", "10"], stderr=subprocess.PIPE, text=True) for name in "abcd"]
    errors = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4, errors
    own = [f"{name}.{thread}.{number}" for name in "abcd" for thread in range(2) for number in range(10)]
    with Ledger.open(shared_url) as ledger:
        _check(ledger, own + [f"shared.{number}" for number in range(10)])


def test_eight_threads_share_one_ledger(url, forge):
    with Ledger.open(url, durable=False) as ledger:
        ledger.pools.create("p", forge.config)
        ledger.items.add("p", forge.items(4))

        def write(thread):
            for number in range(6):
                ledger.matches.record("p", forge.match(f"{thread}.{number}", f"i{thread % 4}", f"i{(thread + 1) % 4}"))
                assert ledger.matches.get("p", f"{thread}.{number}")
                assert len(ledger.ratings.all("p")) == 4

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(write, range(8)))
        _check(ledger, [f"{thread}.{number}" for thread in range(8) for number in range(6)])


def test_eight_threads_write_to_four_pools_of_which_each_keeps_its_own_count(url, forge):
    """Writers to one pool take turns; those to others may overlap, where the database can do that."""
    with Ledger.open(url, durable=False) as ledger:
        for pool in "abcd":
            ledger.pools.create(pool, forge.config)
            ledger.items.add(pool, forge.items(4))

        def write(thread):
            for number in range(3):
                for pool in "abcd":
                    match = forge.match(f"{thread}.{number}", f"i{thread % 4}", f"i{(thread + 1) % 4}")
                    ledger.matches.record(pool, match)

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(write, range(8)))
        for pool in "abcd":
            _check(ledger, [f"{thread}.{number}" for thread in range(8) for number in range(3)], pool)


def test_tournaments_created_at_once_have_different_ids(new_ledger, forge):
    with Ledger.open(new_ledger(), durable=False) as ledger, ThreadPoolExecutor(6) as threads:
        made = threads.map(
            lambda _: ledger.tournaments.create("x", settings={}, items=forge.items(2), config=forge.config).id,
            range(6),
        )
        assert sorted(made) == [f"x-{number}" for number in range(1, 7)]
        assert ledger.audit().ok


def test_a_reader_sees_whole_transactions_only(new_ledger, forge):
    url = new_ledger()
    with Ledger.open(url, durable=False) as ledger, Ledger.open(url, durable=False) as reader:
        ledger.pools.create("p", forge.config)
        ledger.items.add("p", forge.items(2))
        done = threading.Event()

        def write():
            for number in range(40):
                ledger.matches.record("p", forge.match(f"m{number}"))
            done.set()

        writer = threading.Thread(target=write)
        writer.start()
        looks = 0
        while not done.is_set() or not looks:
            assert reader.audit().ok
            looks += 1
        writer.join()
        assert len(reader.matches.all("p")) == 40


CLAIMER = """
import os, sys
from paragone.ledger import Ledger
with Ledger.open(sys.argv[1]) as ledger, ledger.tournaments.claim("ideas-1"):
    print(os.getpid(), flush=True)
    sys.stdin.read()
"""


def test_a_claim_holds_against_other_processes_and_ends_with_its_holder(new_ledger, tmp_path, forge):
    url = new_ledger()

    def claimer():
        process = subprocess.Popen(
            [warm_start.python(), "-c", CLAIMER, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return process, int(process.stdout.readline())  # which it says when it has the claim

    with Ledger.open(url) as ledger:
        ledger.tournaments.create("ideas", settings={}, items=forge.items(2), config=forge.config)
        holder, pid = claimer()
        with (
            pytest.raises(Busy, match=f"'ideas-1' is being run by process {pid}"),
            ledger.tournaments.claim("ideas-1"),
        ):
            pass
        os.kill(pid, signal.SIGKILL)
        holder.communicate()
        _claim_soon(ledger)
        holder, _ = claimer()
        with pytest.raises(Busy), ledger.tournaments.claim("ideas-1"):
            pass
        holder.communicate()  # the end of its input ends it in peace
        assert holder.returncode == 0
        _claim_soon(ledger)
    assert {file.name for file in tmp_path.iterdir()} <= {"ledger0.db"}


def _claim_soon(ledger):
    """A server takes a moment to see that a client has ended."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with ledger.tournaments.claim("ideas-1"):
                return
        except Busy:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_of_many_that_claim_at_once_one_at_a_time_has_it(filed):
    inside, most, entered, guard = 0, 0, 0, threading.Lock()

    def claim(ledger):
        nonlocal inside, most, entered
        for _ in range(100):
            try:
                with ledger.tournaments.claim("ideas-1"):
                    with guard:
                        inside, entered = inside + 1, entered + 1
                        most = max(most, inside)
                    with guard:
                        inside -= 1
            except Busy:
                pass

    with Ledger.open(filed) as ledger, ThreadPoolExecutor(4) as threads:
        list(threads.map(claim, [ledger] * 4))
    assert most == 1
    assert entered > 4


def test_a_claim_holds_by_whatever_name_the_file_is_opened(filed, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    (other / "link.db").symlink_to(filed)
    monkeypatch.chdir(tmp_path)
    with Ledger.open(filed.name) as ledger, Ledger.open(other / "link.db") as linked:
        monkeypatch.chdir(other)
        with ledger.tournaments.claim("ideas-1"), pytest.raises(Busy), linked.tournaments.claim("ideas-1"):
            pass
        ledger.tournaments.add_event("ideas-1", "resumed", {})
        assert linked.tournaments.events("ideas-1")[-1].kind == "resumed"


OPENERS = """
import os, sys, time
from pathlib import Path
from paragone.domain import RatingConfig
from paragone.ledger import Ledger

for round in range(2):
    path, children, start = Path(sys.argv[1]) / f"{round}.db", [], time.time() + 0.05
    for number in range(6):
        child = os.fork()
        if not child:
            time.sleep(max(0.0, start - time.time()))
            with Ledger.open(path, durable=False) as ledger:
                ledger.pools.create(f"p{number}", RatingConfig())
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6
"""


def test_many_that_open_a_path_where_nothing_is_make_one_ledger(tmp_path):
    """SQLite does not wait by itself for the turn to change the journal's mode; see ``_write_ahead``."""
    subprocess.run([warm_start.python(), "-c", OPENERS, str(tmp_path)], check=True)
    for number in range(2):
        with Ledger.open(tmp_path / f"{number}.db") as ledger:
            assert len(ledger.pools.all()) == 6
            assert ledger.audit().ok
