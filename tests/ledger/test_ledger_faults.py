"""Servers that go and come back, connections that drop, disks that fill, locks, and what survives a crash.

After each: the audit is clean, nothing that was acknowledged is lost, nothing is there twice, and the same again works.
"""

import base64
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event

import local_postgres
import warm_start
from paragone.domain import Item
from paragone.errors import Busy, Corrupted, LedgerError, Unwritable
from paragone.ledger import Ledger

BIG = base64.b64encode(random.Random(5).randbytes(2_250_000)).decode()
"""A text that compression leaves large."""


@pytest.fixture
def opened(forge):
    """Opens a ledger with the pool ``p`` in it."""
    ledgers = []

    def open_(url, **options):
        ledger = Ledger.open(url, **{"patience": 5, **options})
        ledgers.append(ledger)
        ledger.pools.create("p", forge.config)
        ledger.items.add("p", forge.items(4))
        return ledger

    yield open_
    for ledger in ledgers:
        ledger.close()


def _holds(ledger, *ids):
    assert [entry.match.id for entry in ledger.matches.all("p")] == list(ids)
    assert ledger.audit().ok
    return True


class TestDroppedConnections:
    """``pg_terminate_backend`` cuts a connection as a failing network or an administrator would."""

    @pytest.fixture
    def ledger(self, opened, postgres_ledger):
        return opened(postgres_ledger)

    def test_between_two_calls_nobody_notices(self, ledger, cut, forge):
        for number in range(3):
            ledger.matches.record("p", forge.match(f"m{number}"))
            cut()
        assert _holds(ledger, "m0", "m1", "m2")

    @pytest.mark.parametrize("at", ["SELECT head", "INSERT INTO commit", "INSERT INTO rating_change", "UPDATE rating"])
    def test_within_one_it_fails_clearly_and_the_same_again_works(self, ledger, cut, forge, at):
        ledger.matches.record("p", forge.match("m0"))

        def before(_connection, _cursor, statement, *_):
            if statement.startswith(at) and not done:
                done.append(at)
                cut()

        done = []
        event.listen(ledger._database._engine, "before_cursor_execute", before)
        with pytest.raises(Unwritable, match=r"the connection to postgresql://.* was lost .* records nothing twice"):
            ledger.matches.record("p", forge.match("m1"))
        assert _holds(ledger, "m0")
        ledger.matches.record("p", forge.match("m1"))
        assert _holds(ledger, "m0", "m1")

    def test_at_the_end_it_may_be_recorded_or_not_and_the_same_again_works(self, ledger, cut, forge):
        def before(_connection):
            if not done:
                done.append("cut")
                cut()

        done = []
        event.listen(ledger._database._engine, "commit", before)
        with pytest.raises(Unwritable, match="may be recorded or not"):
            ledger.matches.record("p", forge.match("m0"))
        ledger.matches.record("p", forge.match("m0"))
        assert _holds(ledger, "m0")

    def test_a_claim_that_is_cut_is_free_again(self, ledger, cut, forge):
        id = ledger.tournaments.create("t", settings={}, items=forge.items(2), config=forge.config).id
        with ledger.tournaments.claim(id):
            cut()
            with ledger.tournaments.claim(id):
                pass


@pytest.fixture(scope="module")
def server():
    """One of our own, which waits for the disk; its log has segments of 1 MB, so that a small limit is a full disk."""
    server = local_postgres.Server(safe=True, segment=1, min_wal_size="2MB", max_wal_size="4MB")
    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute("CREATE DATABASE ledger")
    Ledger.open(server.url("ledger"), durable=False).close()
    yield server
    server.remove()


class TestAServer:
    @pytest.fixture
    def url(self, server):
        name = f"d{os.urandom(4).hex()}"
        with psycopg.connect(server.url(), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {name} TEMPLATE ledger STRATEGY file_copy")
        return server.url(name)

    def test_gone_and_back(self, server, url, opened, forge):
        ledger = opened(url)
        ledger.matches.record("p", forge.match("m0"))
        server.stop()
        try:
            with pytest.raises(Unwritable, match=r"cannot be opened .*start the server"):
                ledger.matches.record("p", forge.match("m1"))
            with pytest.raises(Unwritable):
                ledger.matches.all("p")
        finally:
            server.start()
        ledger.matches.record("p", forge.match("m1"))
        assert _holds(ledger, "m0", "m1")

    def test_what_was_acknowledged_survives_a_crash_of_the_server(self, server, url, opened, forge):
        with psycopg.connect(url) as look:
            assert look.execute("SHOW fsync").fetchone() == ("on",)
            assert look.execute("SHOW full_page_writes").fetchone() == ("on",)
        ledger = opened(url, durable=True)
        for number in range(5):
            ledger.matches.record("p", forge.match(f"m{number}"))
        server.crash()
        server.start()
        assert _holds(ledger, *(f"m{number}" for number in range(5)))

    def test_without_durable_a_crash_may_cost_the_last_ones_whole(self, server, url, opened, forge):
        opened(url).matches.record("p", forge.match("m0"))
        ledger = opened(url, durable=False)
        for number in range(1, 20):
            ledger.matches.record("p", forge.match(f"m{number}"))
        server.crash()
        server.start()
        kept = len(ledger.matches.all("p"))
        assert kept >= 1
        assert _holds(ledger, *(f"m{number}" for number in range(kept)))
        assert ledger.audit().ok

    def test_a_full_disk(self, server, url, opened, forge):
        """A limit on the size of files stands in for the disk: none of a database may grow beyond 2 MB."""
        ledger = opened(url)
        ledger.matches.record("p", forge.match("m0"))
        server.restart(largest=2_000_000)
        with pytest.raises(Unwritable, match="nothing of it was recorded"):
            ledger.items.add("p", [Item(id="big", text=BIG)])
        assert _holds(ledger, "m0")
        ledger.matches.record("p", forge.match("m1"))
        server.restart()
        ledger.items.add("p", [Item(id="big", text=BIG)])
        assert _holds(ledger, "m0", "m1")
        assert ledger.items.all("p")[-1].text == BIG

    def test_a_page_that_was_overwritten(self, server, url, opened, forge):
        ledger = opened(url)
        ledger.matches.record("p", forge.match("m0"))
        with psycopg.connect(url, autocommit=True) as admin:
            file = server.data / admin.execute("SELECT pg_relation_filepath('rating_change')").fetchone()[0]
            admin.execute("CHECKPOINT")
        server.stop()
        content = bytearray(file.read_bytes())
        content[4000:4100] = b"\xff" * 100
        file.write_bytes(content)
        server.start()
        with pytest.raises(Corrupted, match=r"is damaged .*go back to a copy"):
            ledger.audit()


class TestAFile:
    def test_a_disk_that_fills_up(self, path, opened, forge):
        """A limit on the size of the database stands in for the disk."""
        ledger = opened(path)
        ledger.matches.record("p", forge.match("m0"))
        with ledger._database.write() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages + 10}")
        with pytest.raises(Unwritable, match="the disk is full"):
            ledger.items.add("p", [Item(id="big", text=BIG)])
        assert _holds(ledger, "m0")
        with ledger._database.write() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 100000")
        ledger.items.add("p", [Item(id="big", text=BIG)])
        ledger.matches.record("p", forge.match("m1"))
        assert _holds(ledger, "m0", "m1")

    def test_a_disk_that_is_full(self, path, forge):
        """Files may not grow beyond what the ledger has: the journal cannot take another match."""
        script = (
            "import resource, signal, sys\n"
            "from paragone.domain import Item, Match, Outcome, RatingConfig\n"
            "from paragone.errors import Unwritable\n"
            "from paragone.ledger import Ledger\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "with Ledger.open(sys.argv[1]) as ledger:\n"
            "    ledger.pools.create('p', RatingConfig())\n"
            "    ledger.items.add('p', [Item(id=f'i{n}', text='x') for n in range(4)])\n"
            "    resource.setrlimit(resource.RLIMIT_FSIZE, (800_000, -1))\n"
            "    for number in range(1000):\n"
            "        try:\n"
            "            ledger.matches.record('p', Match(id=f'm{number}', a='i0', b='i1', outcome=Outcome.A))\n"
            "            print(number, flush=True)\n"
            "        except Unwritable as error:\n"
            "            print(error)\n"
            "            break\n"
        )
        run = subprocess.run([warm_start.python(), "-c", script, str(path)], capture_output=True, text=True, check=True)
        *acknowledged, message = run.stdout.splitlines()
        assert acknowledged, "some were recorded before"
        assert "space left" in message
        with Ledger.open(path) as ledger:
            assert _holds(ledger, *(f"m{number}" for number in range(len(acknowledged))))
            ledger.matches.record("p", forge.match("next"))
            assert ledger.audit().ok

    def test_gone_and_back(self, path, opened, forge):
        ledger = opened(path)
        ledger.matches.record("p", forge.match("m0"))
        ledger.close()
        aside = path.with_name("aside.db")
        shutil.move(path, aside)
        with pytest.raises(LedgerError):
            ledger.matches.record("p", forge.match("m1"))
        shutil.move(aside, path)
        ledger.matches.record("p", forge.match("m1"))
        assert _holds(ledger, "m0", "m1")

    def test_locked_for_a_while(self, path, opened, forge):
        ledger = opened(path, patience=0.05)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy, match=r"more than 0\.05 s"):
            ledger.matches.record("p", forge.match("m0"))
        other.execute("ROLLBACK")
        other.close()
        ledger.matches.record("p", forge.match("m0"))
        assert _holds(ledger, "m0")

    @pytest.mark.parametrize(("durable", "level"), [(True, 2), (False, 1)])
    def test_the_settings_against_a_loss_of_power(self, path, durable, level):
        """FULL (2) waits for the disk at each commit; NORMAL (1) only where the journal is folded into the file."""
        with Ledger.open(path, durable=durable) as ledger, ledger._database.write() as connection:
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == level
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"


def test_a_server_goes_with_the_last_who_uses_it_however_they_end(tmp_path):
    """What the tests themselves stand on: two users, one of whom is killed."""
    script = (
        "import sys, pathlib, local_postgres\n"
        "with local_postgres.shared(pathlib.Path(sys.argv[1])) as url:\n"
        "    print(url, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    scripts = str(Path(local_postgres.__file__).parent)
    users = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": scripts},
        )
        for _ in range(2)
    ]
    one, other = (user.stdout.readline().strip() for user in users)
    assert one == other
    users[0].send_signal(signal.SIGKILL)
    users[0].communicate()
    with psycopg.connect(one) as look:
        assert look.execute("SELECT 1").fetchone() == (1,)
    folder = Path(psycopg.conninfo.conninfo_to_dict(one)["host"])
    users[1].communicate()
    for _ in range(2000):
        if not folder.exists():
            break
        time.sleep(0.01)
    assert not folder.exists()
    assert not (tmp_path / "postgres.url").exists()
