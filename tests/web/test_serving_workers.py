"""Several processes on one address: writes of all are kept, each hears of those of the others, counts add up."""

import os
import signal
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local_server import Served, served, soon
from paragone import Client
from paragone.domain import Item, RatingConfig
from paragone.ledger import Ledger

POOL = "many"
WRITES = 24
PATIENCE = 90.0
"""Seconds that processes have to begin, on a machine that is busy."""


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def crowd(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, deep: bool
) -> Iterator[tuple[Served, str]]:
    """Two processes, and the URL of their ledger; three interpreters, for each kind of database."""
    if request.param == "postgresql" and not deep:
        pytest.skip("served with --deep")
    folder = tmp_path_factory.mktemp("crowd")
    db = (
        request.getfixturevalue("ledger_url")() if request.param == "postgresql" else f"sqlite:///{folder / 'crowd.db'}"
    )
    with Ledger.open(db) as ledger:
        ledger.pools.create(POOL, RatingConfig())
        ledger.items.add(POOL, [Item(id=f"i{number}", text=f"text {number}") for number in range(6)])
    with served(db, "--workers", "2", folder=folder, installed=True) as running:
        yield running, db


def children(pid: int) -> list[int]:
    """The processes that serve."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def counted(url: str, name: str) -> float:
    text = urllib.request.urlopen(f"{url}/metrics", timeout=30).read().decode()
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))


def test_writes_through_both_are_kept_and_both_tell_of_them(crowd: tuple[Served, str]) -> None:
    server, db = crowd
    assert soon(lambda: len(children(server.process.pid)) == 2)
    heard: list[set[int]] = [set() for _ in range(4)]
    ready = threading.Barrier(5)
    last: list[int] = []

    def listen(place: int) -> None:
        with Client(server.url) as client:
            for event in client.events(POOL):
                if not event.moved:
                    ready.wait(PATIENCE)
                heard[place].add(event.version)
                if last and event.version >= last[0]:
                    return

    threads = [threading.Thread(target=listen, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    ready.wait(PATIENCE)

    def write(number: int) -> None:
        with Client(server.url) as client:  # a connection each, so that both processes get some
            client.matches.record(POOL, f"m{number}", f"i{number % 6}", f"i{(number + 1) % 6}", outcome="a")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(WRITES - 1)))
    with Ledger.open(db) as ledger:
        last.append(ledger.pools.versions()[POOL] + 1)  # writes at once may share a version
    write(WRITES - 1)
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    assert all(max(versions) == last[0] for versions in heard)
    with Ledger.open(db) as ledger:
        assert len(ledger.matches.all(POOL)) == WRITES
        assert ledger.audit().ok
    assert counted(server.url, 'paragone_requests_total{method="POST",route="/api/v1/pools/{pool}/matches"') == WRITES


def test_one_that_dies_is_replaced_and_all_end_together(crowd: tuple[Served, str]) -> None:
    server, _ = crowd
    first = children(server.process.pid)
    os.kill(first[0], signal.SIGKILL)
    assert soon(lambda: any("another takes its place" in line for line in server.said))
    assert soon(lambda: len(set(children(server.process.pid)) - {first[0]}) == 2)
    with Client(server.url, attempts=8) as client:
        assert client.pools.get(POOL).matches == WRITES
    left = children(server.process.pid)
    assert server.ended() == 0
    assert not [pid for pid in left if Path(f"/proc/{pid}").exists()]
    assert not [line for line in server.said if "Traceback" in line]
