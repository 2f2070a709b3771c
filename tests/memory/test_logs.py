"""Logs: order, ids, rotation, damage, and what a full disk does."""

import json
import os
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import Action, Content, ContentKind, TruthSource, UsageMove
from paragone.errors import InvalidRecord, Unwritable
from paragone.memory.store import (
    AccessLine,
    IndexLine,
    MemoryConfig,
    SearchLine,
    SessionLine,
    Store,
    TruthLine,
    UpdateLine,
)
from paragone.memory.store.config import LogConfig
from paragone.memory.store.lines import EVIDENCE

NOON = 1767355200.0


def store_in(folder, rotate_bytes=1 << 26):
    numbers = count(1)
    config = MemoryConfig(logs=LogConfig(rotate_bytes=rotate_bytes))
    return Store.create(folder, config=config, clock=lambda: NOON, new_id=lambda: f"id{next(numbers)}")


@pytest.fixture
def store(tmp_path):
    with store_in(tmp_path) as made:
        yield made


def reopened(store):
    return Store.open(store.root, clock=store.clock, new_id=store.new_id)


def log_files(store, name=""):
    return sorted((store.path / "logs").glob(f"{name}*.jsonl"))


def search(query="q", **more):
    return SearchLine(tool="grep_search", query=query, **more)


def access(path="a.py", **more):
    return AccessLine(action=Action.READ, entity_type=ContentKind.FILE, entity_id=path, **more)


def truth(r=1.0):
    return TruthLine(entity_type=ContentKind.FILE, entity_id="a.py", source=TruthSource.SUPPLIED, r=r)


def session(**more):
    return SessionLine(start_time=NOON, end_time=NOON, **more)


def queries(lines):
    return [line.query for line in lines]


class TestAppending:
    def test_fills_in_what_is_empty_and_nothing_else(self, store):
        first, second = store.logs.append([search("a"), search("b", id="own", timestamp=5.0)])
        assert (first.seq, first.id, first.timestamp) == (1, "id1", NOON)
        assert (second.seq, second.id, second.timestamp) == (2, "own", 5.0)

    def test_counts_over_all_logs_and_reads_in_that_order(self, store):
        written = store.logs.append([search(), access(), search(), session(), truth(), IndexLine(), access()])
        assert [line.seq for line in written] == [1, 2, 3, 4, 5, 6, 7]
        assert list(store.logs.after()) == written == list(reopened(store).logs.after(0))
        assert list(store.logs.after(4)) == written[4:]
        assert list(store.logs.after(7)) == list(store.logs.after(99)) == []
        assert [line.seq for line in store.logs.after(kinds={SearchLine, TruthLine})] == [1, 3, 5]
        assert [line.seq for line in store.logs.after(1, kinds=[SearchLine])] == [3]
        assert store.logs.last_seq == reopened(store).logs.last_seq == 7
        assert [path.stem for path in log_files(store)] == sorted(EVIDENCE)

    def test_each_line_is_one_line_of_its_log(self, store):
        store.logs.append([search("a\nb"), access()])
        (line,) = log_files(store, "search_log")[0].read_bytes().splitlines()
        assert json.loads(line)["query"] == "a\nb"

    def test_nothing_is_nothing(self, store):
        assert store.logs.append([]) == []
        assert log_files(store) == []
        assert store.logs.last_seq == 0

    def test_a_known_id_is_left_out_whoever_wrote_it(self, store):
        store.logs.append([search("a", id="x"), access()])
        assert store.logs.append([search("b", id="x")]) == []
        again = reopened(store).logs.append([access(id="x"), access(id="y"), access(id="id1"), access(id="y")])
        assert [(line.id, line.seq) for line in again] == [("y", 3)]
        assert [line.seq for line in store.logs.append([search("c"), access(id="y")])] == [4]

    def test_ids_of_other_logs_are_not_known(self, store):
        store.logs.append([search("a", id="one")])
        assert store.logs.append([search("a", id="one")]) == []
        (path,) = log_files(store)
        path.unlink()
        other = reopened(store).logs
        other.append([search("b")])
        assert len(other.append([search("a", id="one")])) == 1

    @pytest.mark.parametrize("harm", ["delete", "garble", "foreign"])
    def test_known_ids_are_made_again(self, store, harm):
        store.logs.append([search(id="x"), search(id="y")])
        assert store.logs.append([search(id="x")]) == []
        store.close()
        path = store.path / "known_ids.db"
        if harm == "delete":
            path.unlink()
        elif harm == "garble":
            path.write_bytes(b"no database at all, but long enough to look like one" * 99)
        else:
            log_files(store)[0].unlink()
            assert [line.seq for line in reopened(store).logs.append([search(id="z"), search(id="y")])] == [1, 2]
        assert reopened(store).logs.append([search(id="y")]) == []
        assert bool(reopened(store).logs.append([search(id="x")])) is (harm == "foreign")

    def test_a_line_that_cannot_be_read_is_refused_and_nothing_is_written(self, store):
        with pytest.raises(InvalidRecord, match="query"):
            store.logs.append([search("a"), search(7)])
        with pytest.raises(InvalidRecord, match="not a line of evidence"):
            store.logs.append([search("a"), an_update(1)])
        assert list(store.logs.after()) == []
        assert [line.seq for line in store.logs.append([search("a")])] == [1]

    def test_is_on_the_disk_with_its_folder_when_it_returns(self, store, monkeypatch):
        synced = []
        real = os.fsync

        def noted(file):
            synced.append(Path(f"/proc/self/fd/{file}").readlink())
            real(file)

        monkeypatch.setattr(os, "fsync", noted)
        store.logs.append([search(), search(), access()])
        logs = store.path / "logs"
        assert sorted(synced) == [logs, logs / "access_log.jsonl", logs / "search_log.jsonl"]
        synced.clear()
        store.logs.append([search()])
        assert [path.name for path in synced] == ["search_log.jsonl"]


class TestRotation:
    def test_goes_on_in_another_file_before_it_is_too_large(self, tmp_path):
        store = store_in(tmp_path, rotate_bytes=500)
        for number in range(20):
            store.logs.append([search(str(number)), access()])
        files = log_files(store, "search_log")
        assert [path.name for path in files][:2] == ["search_log.000001.jsonl", "search_log.000002.jsonl"]
        assert files[-1].name == "search_log.jsonl"
        assert all(path.stat().st_size <= 500 for path in files)
        for logs in (store.logs, reopened(store).logs):
            assert [line.seq for line in logs.after()] == list(range(1, 41))
            for seq in range(41):
                assert [line.seq for line in logs.after(seq)] == list(range(seq + 1, 41))
        assert store.logs.problems() == []

    def test_a_batch_is_split_and_a_line_that_is_too_large_has_a_file_of_its_own(self, tmp_path):
        store = store_in(tmp_path, rotate_bytes=300)
        store.logs.append([search("a"), search("b" * 1000), search("c"), search("d")])
        assert len(log_files(store)) >= 3
        assert queries(reopened(store).logs.after()) == ["a", "b" * 1000, "c", "d"]

    def test_a_kill_between_two_files_loses_nothing(self, tmp_path):
        store = store_in(tmp_path, rotate_bytes=10_000)
        store.logs.append([search("a"), search("b")])
        path = store.path / "logs" / "search_log.jsonl"
        path.rename(path.with_name("search_log.000001.jsonl"))
        assert queries(store.logs.after()) == ["a", "b"]
        for logs in (reopened(store).logs, store.logs):
            logs.append([search("c")])
        assert [(line.query, line.seq) for line in store.logs.after()] == [("a", 1), ("b", 2), ("c", 3), ("c", 4)]

    def test_a_reader_under_way_reads_on_when_files_are_renamed(self, tmp_path):
        store = store_in(tmp_path, rotate_bytes=400)
        store.logs.append([search(str(number)) for number in range(12)])
        under_way = reopened(store).logs.after()
        read = [next(under_way).query]
        store.logs.append([search(str(number)) for number in range(12, 24)])
        read += queries(under_way)
        assert read == [str(number) for number in range(12)], "what was there when it began"


class TestDamage:
    def test_a_line_cut_in_half_is_passed_over_closed_by_the_next_writer_and_named(self, store):
        store.logs.append([search("a"), search("b")])
        (path,) = log_files(store)
        whole = path.read_bytes()
        path.write_bytes(whole[:-20])
        other = reopened(store)
        assert queries(other.logs.after()) == ["a"]
        (problem,) = other.logs.problems()
        assert (problem.file, problem.line) == (path, 2)
        assert "cut in half" in problem.what
        (line,) = other.logs.append([search("c")])
        assert line.seq == 2, "the half line never counted"
        assert path.read_bytes().startswith(whole[:-20] + b"\n{")
        for logs in (store.logs, other.logs):
            assert queries(logs.after()) == ["a", "c"]
            (problem,) = logs.problems()
            assert (problem.line, "incomplete JSON" in problem.what) == (2, True)

    def test_a_line_that_lacks_only_its_end_counts_once_it_is_closed(self, store):
        store.logs.append([search("a"), access()])
        path = log_files(store, "access_log")[0]
        path.write_bytes(path.read_bytes()[:-1])
        other = reopened(store)
        assert [line.seq for line in other.logs.after()] == [1]
        assert [line.seq for line in other.logs.append([search("b")])] == [3], "by a writer of another log, too"
        assert [line.seq for line in store.logs.after()] == [1, 2, 3]
        assert other.logs.problems() == []

    def test_every_place_at_which_a_write_can_be_cut(self, tmp_path):
        store = store_in(tmp_path)
        store.logs.append([search("a")])
        (path,) = log_files(store)
        before = path.read_bytes()
        store.logs.append([search("b"), search("c")])
        whole = path.read_bytes()
        for length in {*range(len(before), len(whole), 4), len(whole) - 1, len(whole)}:
            path.write_bytes(whole[:length])
            logs = reopened(store).logs
            there = queries(logs.after())
            assert there == ["a", "b", "c"][: 1 + whole[len(before) : length].count(b"\n")]
            logs.append([search("d")])
            lines = list(logs.after())
            assert [line.seq for line in lines] == list(range(1, len(lines) + 1))
            assert queries(lines)[: len(there)] == there
            assert lines[-1].query == "d"

    @pytest.mark.parametrize(
        ("damage", "words"),
        [
            (b"\x00" * 30, "incomplete JSON"),
            (b"[1, 2]", "an object"),
            (b"", "empty"),
            (b'{"id":"z","seq":2,"timestamp":"2026-01-02T12:00:00Z","tool":"grep_search"}', "query"),
            (b'{"id":"z","seq":2,"timestamp":"soon","tool":"grep_search","query":""}', "timestamp"),
            (b'{"id":"z","seq":1,"timestamp":"2026-01-02T12:00:00Z","tool":"grep_search","query":"b"}', "seq is 1"),
            (
                b'{"id":"z","seq":2,"timestamp":"0001-01-01T00:00:00+14:00","tool":"grep_search","query":""}',
                "timestamp",
            ),
            (
                b'{"id":"z","seq":1%s,"timestamp":"2026-01-02T12:00:00Z","tool":"grep_search","query":""}'
                % (b"0" * 30),
                "beyond",
            ),
            (b"[" * 100_000, "incomplete JSON"),
            ('{"id":"z","seq":2,"query":"\udce4"}'.encode("utf-8", "surrogateescape"), "incomplete JSON"),
        ],
        ids=["zeros", "list", "empty", "lacks", "time", "order", "east", "endless", "deep", "bytes"],
    )
    def test_a_damaged_line_in_the_middle_is_passed_over_and_named(self, store, damage, words):
        store.logs.append([search("a"), search("b"), search("c"), access()])
        path = log_files(store, "search_log")[0]
        lines = path.read_bytes().split(b"\n")
        path.write_bytes(b"\n".join([lines[0], damage, *lines[2:]]))
        other = reopened(store)
        assert [line.seq for line in other.logs.after()] == [1, 3, 4]
        (problem,) = other.logs.problems()
        assert (problem.file, problem.line) == (path, 2)
        assert words in problem.what
        assert [line.seq for line in other.logs.append([access()])] == [5]

    def test_a_log_that_is_damaged_all_through_stops_nothing(self, store):
        store.logs.append([search("a")] * 3)
        path = log_files(store)[0]
        path.write_bytes(os.urandom(300_000).replace(b"{", b"x"))
        other = reopened(store)
        assert list(other.logs.after()) == []
        assert [line.seq for line in other.logs.append([search("b")])] == [1]
        assert queries(other.logs.after()) == ["b"]


@given(
    harm=st.lists(st.tuples(st.sampled_from(sorted(EVIDENCE)), st.integers(0, 1000), st.binary(max_size=9)), max_size=4)
)
def test_no_damage_whatever_stops_reading_or_writing(tmp_path_factory, harm):
    store = store_in(tmp_path_factory.mktemp("any"))
    store.logs.append([search("a"), access(), truth(), session(), IndexLine(), search("b"), access()])
    for log, place, rubbish in harm:
        path = store.path / "logs" / f"{log}.jsonl"
        content = path.read_bytes()
        at = place % (len(content) + 1)
        path.write_bytes(content[:at] + rubbish + content[at + len(rubbish) :])
    logs = reopened(store).logs
    numbers = [line.seq for line in logs.after()]
    assert numbers == sorted(set(numbers))
    (line,) = logs.append([search("last")])
    assert list(logs.after())[-1] == list(store.logs.after())[-1] == line
    assert harm or not logs.problems()


class TestFullDisk:
    def test_says_so_and_goes_on_when_there_is_room(self, store):
        store.logs.append([access()])
        path = store.path / "logs" / "search_log.jsonl"
        path.symlink_to("/dev/full")
        with pytest.raises(Unwritable, match=r"logs cannot be written: No space left on device; make room"):
            store.logs.append([search()])
        path.unlink()
        assert [line.seq for line in store.logs.append([search()])] == [2]

    def test_what_was_written_before_it_stays_and_may_be_appended_again(self, store):
        path = store.path / "logs" / "search_log.jsonl"
        path.symlink_to("/dev/full")
        lines = [access(id="x"), search(id="y"), access(id="z")]
        with pytest.raises(Unwritable):
            store.logs.append(lines)
        assert [line.id for line in store.logs.after()] == ["x"], "in order, and nothing behind a gap"
        path.unlink()
        assert [(line.id, line.seq) for line in store.logs.append(lines)] == [("y", 2), ("z", 3)]

    def test_a_folder_that_cannot_be_made(self, store):
        (store.path / "logs").rmdir()
        (store.path / "logs").write_text("in the way")
        with pytest.raises(Unwritable, match="logs cannot be"):
            store.logs.append([search()])


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Three logs, damaged here and there, and the numbers of the lines that a plain reading of it all gives."""
    store = store_in(tmp_path_factory.mktemp("large"), rotate_bytes=180_000)
    lines = [search("x" * (number * 7919 % 900)) if number % 3 else access() for number in range(1200)]
    store.logs.append(lines)
    for path in log_files(store, "search_log"):
        whole = path.read_bytes().split(b"\n")
        for number in range(5, len(whole) - 2, 97):
            whole[number] = whole[number][: len(whole[number]) // 2]
        path.write_bytes(b"\n".join(whole))
    assert len(log_files(store, "search_log")) > 2
    return store, [line.seq for line in reopened(store).logs.after()]


class TestManyLines:
    """Places are found by bisection; the plain way reads everything."""

    @given(seq=st.integers(0, 1300))
    def test_after_is_what_reading_everything_gives(self, large, seq):
        store, all_of_them = large
        found = reopened(store).logs.after(seq)
        assert [line.seq for line in found] == [one for one in all_of_them if one > seq]

    def test_the_last_seq_is_that_of_the_last_line(self, large):
        store, all_of_them = large
        assert reopened(store).logs.last_seq == all_of_them[-1] == 1200

    def test_near_the_end_little_is_read(self, large, monkeypatch):
        store, _ = large
        logs = reopened(store).logs
        list(logs.after(1199))
        read = []
        real = json.loads
        monkeypatch.setattr(json, "loads", lambda raw, **more: (read.append(raw), real(raw, **more))[1])
        assert [line.seq for line in logs.after(1199)] == [1200]
        assert len(read) < 10


@given(st.lists(st.lists(st.sampled_from([0, 1, 2]), max_size=4), max_size=6), st.integers(120, 900))
def test_whatever_is_appended_is_read_in_its_order(tmp_path_factory, batches, rotate_bytes):
    store = store_in(tmp_path_factory.mktemp("any"), rotate_bytes=rotate_bytes)
    kinds = [search(), access(), truth()]
    written = [line for batch in batches for line in store.logs.append([kinds[kind] for kind in batch])]
    assert [line.seq for line in written] == list(range(1, 1 + sum(map(len, batches))))
    assert list(reopened(store).logs.after()) == written


def an_update(seq, *, basis="b", content="a.py", reason="file_read"):
    move = UsageMove(
        content=Content(kind=ContentKind.FILE, id=content), event=f"e{seq}", time=NOON, old=1.0, new=2.0, reason=reason
    )
    return UpdateLine.of(move, seq=seq, basis=basis)


def told(updates):
    return [(line.seq, line.entity_id, line.basis) for line in updates]


class TestUpdates:
    def test_moves_are_there_once_however_often_they_are_computed(self, store):
        lines = [an_update(seq, content=content) for seq in (1, 2, 4) for content in ("a", "b")]
        store.logs.append_updates(lines[:3])
        store.logs.append_updates(lines[:4])
        reopened(store).logs.append_updates(lines[2:])
        store.logs.append_updates(lines)
        assert list(store.logs.updates()) == lines
        assert told(store.logs.updates(after=2)) == [(4, "a", "b"), (4, "b", "b")]
        assert store.logs.problems() == []

    def test_moves_of_one_event_may_come_piece_by_piece(self, store):
        lines = [an_update(1, content=content) for content in "abc"]
        for some in (lines[:1], lines[:2], lines, lines[:1]):
            store.logs.append_updates(some)
        assert list(store.logs.updates()) == lines

    def test_other_constants_begin_anew(self, store):
        old = [an_update(seq) for seq in (1, 2, 3)]
        new = [an_update(seq, basis="c") for seq in (1, 2, 3)]
        store.logs.append_updates(old)
        store.logs.append_updates(new[:2])
        assert list(store.logs.updates()) == new[:2]
        reopened(store).logs.append_updates(new)
        assert list(store.logs.updates()) == new
        store.logs.append_updates(old)
        assert list(reopened(store).logs.updates()) == old, "constants that are changed back begin anew, too"
        assert len(log_files(store, "elo_updates")) == 3

    def test_they_rotate_and_are_no_evidence(self, tmp_path):
        store = store_in(tmp_path, rotate_bytes=700)
        lines = [an_update(1 + number // 3, content=str(number)) for number in range(30)]
        for at in range(0, 30, 5):
            store.logs.append_updates(lines[:at + 5])  # fmt: skip
        assert len(log_files(store, "elo_updates")) > 3
        for logs in (store.logs, reopened(store).logs):
            assert list(logs.updates()) == lines
            for after in range(11):
                assert list(logs.updates(after=after)) == [line for line in lines if line.seq > after]
            assert list(logs.after()) == []
            assert logs.last_seq == 0

    @pytest.mark.parametrize(("cut", "damaged"), [(9, 1), (1, 0)])
    def test_one_cut_in_half_is_written_again_and_one_that_lacks_its_end_is_not(self, store, cut, damaged):
        lines = [an_update(seq, content=content) for seq in (1, 2) for content in ("a", "b")]
        store.logs.append_updates(lines)
        (path,) = log_files(store)
        path.write_bytes(path.read_bytes()[:-cut])
        other = reopened(store).logs
        other.append_updates(lines)
        assert list(other.updates()) == lines
        assert len(other.problems()) == damaged

    def test_nothing_is_nothing(self, store):
        store.logs.append_updates([])
        assert list(store.logs.updates()) == []
        assert replace(an_update(1), basis="") == an_update(1, basis="")
