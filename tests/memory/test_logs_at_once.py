"""Logs under several writers, readers beside them, and kills at any moment."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from paragone.domain.content import Action, ContentKind
from paragone.errors import Busy
from paragone.memory.store import AccessLine, MemoryConfig, SearchLine, Store
from paragone.memory.store.config import LogConfig

NEST = """
import os
import sys
import threading

from paragone.domain.content import Action, ContentKind
from paragone.memory.store import AccessLine, SearchLine, Store
from paragone.memory.store.line_json import encode

encode(SearchLine(tool="grep_search", query=""))  # what is loaded when it is first needed, is needed by all
encode(AccessLine(action=Action.READ, entity_type=ContentKind.FILE, entity_id=""))


def write(store, told, name, rounds):
    for number in range(rounds):
        query = f"{name}.{number}"
        found = store.logs.append([
            SearchLine(tool="grep_search", query=query + "x" * (number % 50)),
            AccessLine(action=Action.READ, entity_type=ContentKind.FILE, entity_id=query),
        ])
        os.write(told, "".join(f"{line.seq} {line.id}\\n" for line in found).encode())


def writer(root, path, name, threads, rounds):
    store = Store.open(root)
    told = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    running = [threading.Thread(target=write, args=(store, told, f"{name}.{each}", rounds)) for each in range(threads)]
    for one in running:
        one.start()
    for one in running:
        one.join()


for line in sys.stdin:
    asked = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if not child:
        writer(*asked[:3], *map(int, asked[3:]))
        os._exit(0)
    print(child, flush=True)
"""


class Nest:
    """A process that has loaded everything, and forks writers."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", NEST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def writer(self, root, told, name, *, threads, rounds):
        """Begins one; returns its process id. What was acknowledged to it goes to a file."""
        print(root, told, name, threads, rounds, sep="\t", file=self.process.stdin, flush=True)
        return int(self.process.stdout.readline())


@pytest.fixture(scope="module")
def nest():
    made = Nest()
    yield made
    made.process.stdin.close()
    made.process.stdout.close()
    made.process.wait()


def is_running(process):
    """Whether a process still does something; one that ended stays a zombie until its parent asks for it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def acknowledged(path):
    """What a writer was told is written: pairs of seq and id."""
    words = path.read_text().split() if path.exists() else []
    return list(zip(map(int, words[::2]), words[1::2], strict=True))


@pytest.fixture
def store(tmp_path):
    return Store.create(tmp_path, config=MemoryConfig(logs=LogConfig(rotate_bytes=8_000)))


def test_three_processes_of_two_threads_lose_and_interleave_nothing(store, nest, tmp_path):
    paths = [tmp_path / name for name in "abc"]
    writers = [nest.writer(store.root, path, path.name, threads=2, rounds=20) for path in paths]
    seen, cursor = [], 0
    while any(map(is_running, writers)):
        for line in store.logs.after(cursor):
            seen.append((line.seq, line.id))
            cursor = line.seq
    seen += [(line.seq, line.id) for line in store.logs.after(cursor)]
    told = [pair for path in paths for pair in acknowledged(path)]
    assert [seq for seq, _ in sorted(told)] == list(range(1, 3 * 2 * 20 * 2 + 1)), "gapless, and each once"
    assert seen == sorted(told), "who reads meanwhile misses nothing and sees it in order"
    assert store.logs.problems() == []
    queries = [line.query.rstrip("x") for line in store.logs.after() if isinstance(line, SearchLine)]
    for name in ("a.0", "a.1", "b.0", "b.1", "c.0", "c.1"):
        assert [query for query in queries if query.startswith(name)] == [f"{name}.{number}" for number in range(20)]


def test_killed_at_any_moment_what_was_acknowledged_is_there(store, nest, tmp_path, deep):
    """From the first line on to the twelfth: some moments after so many were acknowledged."""
    chance, told = random.Random(7), []
    for number in range(40 if deep else 10):
        path = tmp_path / f"k{number}"
        writer = nest.writer(store.root, path, path.name, threads=2, rounds=10_000)
        before = len(told) + chance.randrange(12)
        while len(told) + len(acknowledged(path)) < before:
            time.sleep(0.001)
        time.sleep(chance.uniform(0.0, 0.01))
        os.kill(writer, signal.SIGKILL)
        while is_running(writer):
            time.sleep(0.001)
        told += acknowledged(path)
        there = {line.seq: line.id for line in store.logs.after()}
        assert all(there.get(seq) == id for seq, id in told)
        assert list(there) == list(range(1, len(there) + 1)), "nothing is counted twice, and there is no gap"
    assert len(told) > 20
    (line,) = store.logs.append([SearchLine(tool="grep_search", query="after all that")])
    assert [each.seq for each in store.logs.after()] == list(range(1, line.seq + 1))


def _write_in_a_fork(store, held):
    held.wait()
    store.logs.append([SearchLine(tool="grep_search", query="child")])


def test_a_fork_holds_no_lock_of_its_parent_and_waits_for_it(store):
    context = multiprocessing.get_context("fork")
    held = context.Event()
    child = context.Process(target=_write_in_a_fork, args=(store, held))
    with store.locked("logs"):
        child.start()
        held.set()
        time.sleep(0.02)
        assert list(store.logs.after()) == []
        store.logs.append([SearchLine(tool="grep_search", query="parent")])
    child.join()
    assert child.exitcode == 0
    assert [line.query for line in store.logs.after()] == ["parent", "child"]


class TestLock:
    def test_who_holds_it_may_take_it_again_and_others_wait(self, store):
        seen, refused = [], threading.Event()

        def other():
            with pytest.raises(Busy, match=r"process \d+ has held 'write' for more than 0.05 s|another process"):
                store.locked("write", patience=0.05).__enter__()
            refused.set()
            with Store.open(store.root).locked("write"):
                seen.append("other")

        thread = threading.Thread(target=other)
        with store.locked("write"), Store.open(store.root).locked("write", patience=0.0):
            thread.start()
            assert refused.wait(20)
            time.sleep(0.02)
            seen.append("mine")
        thread.join()
        assert seen == ["mine", "other"]

    def test_names_are_locks_of_their_own(self, store):
        with store.locked("one"):
            thread = threading.Thread(target=lambda: store.locked("two", patience=0.0).__enter__())
            thread.start()
            thread.join()
            assert sorted(path.name for path in (store.path / "locks").iterdir()) == ["one.lock", "two.lock"]

    def test_another_process_is_named_and_its_death_frees_the_lock(self, store):
        code = (
            "import sys, time; from paragone.memory.store import Store\n"
            "with Store.open(sys.argv[1]).locked('write'):\n    print('held', flush=True); time.sleep(60)"
        )
        holder = subprocess.Popen([sys.executable, "-c", code, str(store.root)], stdout=subprocess.PIPE, text=True)
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(Busy, match=f"{store.path}: process {holder.pid} has held 'write'"),
            store.locked(patience=0),
        ):
            pass
        holder.kill()
        holder.communicate()
        with store.locked(patience=5.0):
            pass

    def test_an_error_inside_gives_it_back(self, store):
        with pytest.raises(KeyError), store.locked():
            raise KeyError
        thread = threading.Thread(target=lambda: store.locked(patience=0.0).__enter__())
        thread.start()
        thread.join()


def test_the_lines_of_one_call_stay_together(store):
    stop = threading.Event()

    def disturb():
        while not stop.is_set():
            store.logs.append([AccessLine(action=Action.READ, entity_type=ContentKind.FILE, entity_id="other")])

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(10):
            numbers = [line.seq for line in store.logs.append([SearchLine(tool="grep_search", query="q")] * 5)]
            assert numbers == list(range(numbers[0], numbers[0] + 5))
    finally:
        stop.set()
        thread.join()
