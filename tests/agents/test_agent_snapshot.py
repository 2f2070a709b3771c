"""The snapshot serves the leaderboard and recent debates without the database, and is never half of one."""

import json
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime

import pytest

import warm_start
from paragone.agents import EloSystem
from paragone.agents.snapshot import Snapshot, path_beside
from paragone.errors import Unwritable


@pytest.fixture
def file(path):
    return path.with_name("agents.db.agents.snapshot.json")


def names(elo, limit=20):
    return [row["agent_name"] for row in elo.get_snapshot_leaderboard(limit)]


def debates(elo, limit=10):
    return [row["debate_id"] for row in elo.get_cached_recent_matches(limit)]


def test_what_is_in_it(elo, file):
    elo.record_match("d1", ["a", "b"], {"a": 1.0, "b": 0.0}, "law")
    kept = json.loads(file.read_text())
    assert kept["pool"] == "agents"
    assert datetime.fromisoformat(kept["updated_at"]).utcoffset() is not None
    assert kept["recent_matches"] == elo.get_recent_matches()
    assert kept["leaderboard"][0] == {
        "agent_name": "a", "elo": 1516.0, "wins": 1, "losses": 0, "draws": 0, "games_played": 1, "win_rate": 1.0,
    }  # fmt: skip
    assert elo.get_snapshot_leaderboard() == kept["leaderboard"]
    assert elo.get_snapshot_leaderboard(1) == kept["leaderboard"][:1]


def test_it_is_written_once_a_second_before_it_is_read_and_when_all_is_done(path, file, clock):
    with EloSystem(path, clock=clock) as elo:
        elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
        first = file.read_text()
        elo.record_match("d2", scores={"a": 1.0, "b": 0.0})
        assert file.read_text() == first
        clock.now += 1
        elo.record_match("d3", scores={"a": 1.0, "b": 0.0})
        assert [row["debate_id"] for row in json.loads(file.read_text())["recent_matches"]] == ["d3", "d2", "d1"]
        elo.record_match("d4", scores={"a": 1.0, "b": 0.0})
        assert debates(elo) == ["d4", "d3", "d2", "d1"]
        elo.record_match("d5", scores={"a": 1.0, "b": 0.0})
    assert json.loads(file.read_text())["recent_matches"][0]["debate_id"] == "d5"
    assert [other.name for other in path.parent.iterdir() if other.name.endswith(".tmp")] == []


BROKEN = {
    "absent": None,
    "empty": "",
    "no JSON": "{",
    "a list": "[]",
    "deep": "[" * 200_000,
    "foreign": '{"leaderboard": [{"agent_name": "stranger"}], "recent_matches": [{"debate_id": "strange"}]}',
    "bytes": b"\xff\xfe\x00",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_what_is_no_snapshot_is_ignored(path, file, content):
    with EloSystem(path) as elo:
        elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
    file.unlink()
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with EloSystem(path) as elo:
        assert (names(elo), debates(elo)) == (["a", "b"], ["d1"])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_one_is_ignored(path, file, share):
    with EloSystem(path) as elo:
        elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    with EloSystem(path) as elo:
        assert (names(elo), debates(elo)) == (["a", "b"], ["d1"])


def test_one_of_another_pool_of_that_name_is_ignored(path, file):
    with EloSystem(path) as elo:
        elo.record_match("d1", scores={"old": 1.0, "older": 0.0})
    for left in path.parent.glob("agents.db*"):
        if left != file:
            left.unlink()
    with EloSystem(path) as elo:
        assert names(elo) == debates(elo) == []


def test_where_it_does_not_reach_the_database_is_asked(elo, file):
    elo.record_matches([{"debate_id": f"d{n}", "scores": {f"a{n}": 1.0, f"b{n}": 0.0}} for n in range(60)])
    elo.write_snapshot()
    kept = json.loads(file.read_text())
    assert (len(kept["leaderboard"]), len(kept["recent_matches"])) == (100, 50)
    assert len(names(elo, 120)) == 120
    assert len(debates(elo, 60)) == 60


READER = """
import sys
from paragone.agents import EloSystem
with EloSystem(sys.argv[1], patience=0) as elo:
    print("open", flush=True)
    sys.stdin.readline()
    print([row["agent_name"] for row in elo.get_snapshot_leaderboard()])
    print([row["debate_id"] for row in elo.get_cached_recent_matches()])
"""


def test_another_process_reads_it_while_the_database_is_locked(path):
    with EloSystem(path) as elo:
        elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
        reader = subprocess.Popen(
            [warm_start.python(), "-c", READER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert reader.stdout.readline() == "open\n"
        elo.record_match("d2", scores={"a": 1.0, "b": 0.0})
        elo.write_snapshot()
    path.with_name("agents.db-wal").unlink(missing_ok=True)
    path.write_bytes(b"nothing that could be read")
    assert reader.communicate("go\n")[0] == "['a', 'b']\n['d2', 'd1']\n"
    assert reader.returncode == 0


def test_a_locked_database_keeps_nobody_from_reading_it(path):
    with EloSystem(path) as elo, EloSystem(path, patience=0) as reader:
        elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
        elo.write_snapshot()
        locked = sqlite3.connect(path, isolation_level=None)
        locked.execute("BEGIN EXCLUSIVE")
        assert names(reader) == ["a", "b"]
        locked.execute("ROLLBACK")
        locked.close()


def test_many_write_it_at_once(path, file):
    systems = [EloSystem(path, durable=False) for _ in range(4)]
    systems[0].record_match("d0", scores={"a": 1.0, "b": 0.0})

    def work(number):
        for _ in range(10):
            systems[number % 4].write_snapshot()
            assert json.loads(file.read_text())["recent_matches"][0]["debate_id"] == "d0"

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))
    for system in systems:
        system.close()
    assert [other.name for other in path.parent.iterdir() if other.name.endswith(".tmp")] == []


def test_an_older_state_never_takes_the_place_of_a_newer(tmp_path):
    state, looked, go_on = [1], threading.Event(), threading.Event()

    def slowly():
        rows = [{"debates": state[-1]}]
        looked.set()
        assert go_on.wait(10)
        return {"leaderboard": (rows, True)}

    def snapshot(gather):
        now = datetime(2026, 1, 1, tzinfo=UTC)
        return Snapshot(tmp_path / "s", pool="p", created=now, gather=gather, clock=time.monotonic, now=lambda: now)

    first, second = snapshot(slowly), snapshot(lambda: {"leaderboard": ([{"debates": state[-1]}], True)})
    with ThreadPoolExecutor(2) as threads:
        older = threads.submit(first.write)
        assert looked.wait(10)
        state.append(2)
        newer = threads.submit(second.write)
        wait([newer], timeout=0.1)
        go_on.set()
        older.result()
        newer.result()
    assert second.rows("leaderboard", 1) == [{"debates": 2}]


class TestWhere:
    def test_none_without_a_file_of_the_database(self, any_elo):
        with pytest.raises(Unwritable, match="keeps no snapshot"):
            any_elo.write_snapshot()
        any_elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
        assert (names(any_elo), debates(any_elo)) == (["a", "b"], ["d1"])

    def test_where_a_path_is_given(self, url, tmp_path):
        place = tmp_path / "kept.json"
        with EloSystem(url, snapshot=place, durable=False) as elo:
            elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
            assert elo.write_snapshot() == str(place)
            assert names(elo) == ["a", "b"]
        assert json.loads(place.read_text())["leaderboard"][0]["agent_name"] == "a"

    def test_none_where_none_is_wanted(self, path, file):
        with EloSystem(path, snapshot=False) as elo:
            elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
            assert names(elo) == ["a", "b"]
        assert not file.exists()

    def test_what_cannot_be_written_keeps_nothing_from_being_recorded(self, path, tmp_path):
        with EloSystem(path, snapshot=tmp_path / "no such folder" / "x.json") as elo:
            elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
            assert (names(elo), debates(elo)) == (["a", "b"], ["d1"])
            with pytest.raises(Unwritable, match="cannot be written"):
                elo.write_snapshot()

    def test_one_for_a_database_by_whatever_name_it_is_opened(self, tmp_path):
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        (folder / "link.db").symlink_to(tmp_path / "agents.db")
        assert path_beside(folder / "link.db", "x") == path_beside(tmp_path / "agents.db", "x")

    @pytest.mark.parametrize("pool", ["a/b", "..", "x" * 128, "名" * 60])
    def test_a_file_of_that_folder_whatever_the_pool_is_called(self, path, pool):
        place = path_beside(path, pool)
        assert place.parent == path.parent
        assert len(place.name) < 200
        with EloSystem(path, pool=pool) as elo:
            elo.record_match("d1", scores={"a": 1.0, "b": 0.0})
        assert place.exists()
