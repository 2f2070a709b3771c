"""Logs of somebody else: document M's fields, once however often, and what is refused."""

import json
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.domain.content import Action, ContentKind
from paragone.errors import InvalidConfig, UnreadableFile
from paragone.memory.store import AccessLine, ResultRow, SearchLine, SessionLine, Store
from paragone.memory.store.log_import import REQUIRED, relative

NOON = 1767355200.0  # 2026-01-02T12:00:00Z
SEARCH = {
    "session_id": "s1",
    "timestamp": "2026-01-02T03:04:05.678Z",
    "tool": "semantic_search",
    "query": "retries",
    "results": [{"hash": "ab", "file_path": "src/a.py", "rank": 1, "similarity": 0.85}],
}
SESSION = {
    "session_id": "s1",
    "agent_id": "antigravity",
    "start_time": "2026-01-02T03:00:00Z",
    "end_time": "2026-01-02T04:00:00Z",
    "files_accessed": ["src/a.py", "README.md"],
    "symbols_expanded": ["@Symbol1"],
    "adrs_read": ["ADR-027"],
    "search_queries": 42,
    "semantic_searches": 30,
    "keyword_searches": 12,
}


@pytest.fixture
def store(tmp_path):
    numbers = count(1)
    (tmp_path / "root").mkdir()
    return Store.create(tmp_path / "root", clock=lambda: NOON, new_id=lambda: f"id{next(numbers)}")


@pytest.fixture
def take(store, tmp_path):
    def importer(*lines, kind=None):
        texts = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        (tmp_path / "foreign.jsonl").write_bytes(b"\n".join(texts) + b"\n")
        return store.logs.import_file(tmp_path / "foreign.jsonl", kind=kind)

    return importer


def counts(taken):
    return taken.read, taken.new, taken.known, len(taken.refused)


def test_the_documents_own_lines_become_evidence(store, take):
    assert counts(take(SEARCH, SESSION)) == (2, 2, 0, 0)
    search, session = store.logs.after()
    assert search == SearchLine(
        id=search.id, seq=1, timestamp=NOON - 32154.322, session_id="s1", tool="semantic_search", query="retries",
        results=(ResultRow(hash="ab", file_path="src/a.py", rank=1, similarity=0.85),),
    )  # fmt: skip
    assert session == SessionLine(
        id=session.id, seq=2, timestamp=NOON - 8 * 3600, session_id="s1", agent_id="antigravity",
        start_time=NOON - 9 * 3600, end_time=NOON - 8 * 3600, files_accessed=("src/a.py", "README.md"),
        symbols_expanded=("@Symbol1",), adrs_read=("ADR-027",), search_queries=42, semantic_searches=30,
        keyword_searches=12,
    )  # fmt: skip
    assert len(search.id) == len(session.id) == 64


def test_twice_in_halves_and_after_a_kill_it_is_taken_in_once(store, take, tmp_path):
    lines = [{**SEARCH, "query": f"q{number}"} for number in range(7)]
    assert counts(take(*lines[:3])) == (3, 3, 0, 0)
    before = (store.path / "logs" / "search_log.jsonl").read_bytes()
    assert counts(take(*lines)) == (7, 4, 3, 0)
    assert counts(take(*lines)) == (7, 0, 7, 0)
    path = store.path / "logs" / "search_log.jsonl"
    path.write_bytes(path.read_bytes()[: len(before) + 100])
    other = Store.open(store.root, clock=store.clock)
    assert counts(other.logs.import_file(tmp_path / "foreign.jsonl")) == (7, 4, 3, 0)
    assert [line.query for line in other.logs.after()] == [f"q{number}" for number in range(7)]


def test_the_same_line_twice_in_one_log_is_one(take):
    assert counts(take(SEARCH, SEARCH, dict(reversed(SEARCH.items())))) == (3, 1, 2, 0)


def test_a_long_log_is_taken_in_by_parts(store, take):
    lines = [{**SEARCH, "query": f"q{number}", "results": []} for number in range(2500)]
    assert counts(take(*lines)) == (2500, 2500, 0, 0)
    assert counts(take(*lines, SEARCH)) == (2501, 1, 2500, 0)
    assert store.logs.last_seq == 2501


def test_logs_of_another_store_keep_their_ids_and_get_a_place_of_their_own(store, tmp_path):
    (tmp_path / "other").mkdir()
    other = Store.create(tmp_path / "other", clock=lambda: NOON)
    search = SearchLine(tool="grep_search", query="q", results=(ResultRow(file_path="a.py", rank=1),))
    (shown,) = other.logs.append([search])
    read = AccessLine(
        action=Action.READ, entity_type=ContentKind.FILE, entity_id="a.py", search_id=shown.id, file_path="a.py"
    )
    other.logs.append([read])
    store.logs.append([search, search])
    for name in ("search_log", "access_log"):
        assert counts(store.logs.import_file(other.path / "logs" / f"{name}.jsonl")) == (1, 1, 0, 0)
    taken = list(store.logs.after(2))
    assert [(line.seq, line.id) for line in taken] == [(3, shown.id), (4, taken[1].id)]
    assert taken[1].search_id == shown.id
    assert counts(store.logs.import_file(store.path / "logs" / "search_log.jsonl")) == (3, 0, 3, 0)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"session_id": "s1", "timesta', "not valid JSON"),
        (b"\xff\xfe\x00", "not valid JSON"),
        (b"[]", "an object, {...}, is wanted"),
        (b'{"mood": "good"}', "a line of none of search_log, session_audit, access_log, truth_log"),
        ({**SEARCH, "tool": "telepathy"}, "tool: Input should be 'semantic_search', "),
        ({**SEARCH, "timestamp": "yesterday"}, "'yesterday' is not a time in ISO 8601"),
        ({**SEARCH, "timestamp": "0001-01-01T00:00:00+14:00"}, "+14:00' is not a time in ISO 8601"),
        ({**SEARCH, "timestamp": 5}, "5 is not a time in ISO 8601"),
        ({**SEARCH, "timestamp": "2026-01-03T12:00:00.001Z"}, "2026-01-03T12:00:00.001Z lies more than a day ahead"),
        ({**SEARCH, "results": [{"file_path": "a", "rank": 0}]}, "a rank counts from 1, and this one is 0"),
        ({**SEARCH, "results": [{"rank": 1}]}, "results.0.file_path: Field required"),
        (json.dumps(SEARCH).replace("0.85", "NaN").encode(), "results.0.similarity"),
        ({name: SEARCH[name] for name in SEARCH if name not in ("tool", "query")}, "search_log has tool, query too"),
        ({**SESSION, "end_time": "2026-01-02T02:59:59Z"}, "its end_time 2026-01-02T02:59:59.000Z lies before"),
        ({**SESSION, "end_time": "2031-01-02T02:59:59Z"}, "its end_time 2031-01-02T02:59:59.000Z lies more than a day"),
        ({**SESSION, "files_accessed": "src/a.py"}, "files_accessed"),
        ({**SESSION, "search_queries": "many"}, "search_queries"),
        ({name: value for name, value in SESSION.items() if name != "adrs_read"}, "session_audit has adrs_read too"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_refused_with_its_number_and_the_others_are_taken(store, take, line, why):
    taken = take(SEARCH, line, SESSION)
    assert counts(taken) == (3, 2, 0, 1)
    ((number, said),) = taken.refused
    assert number == 2
    assert why in said
    assert store.logs.last_seq == 2


def test_a_day_ahead_is_not_too_far(take):
    assert counts(take({**SEARCH, "timestamp": "2026-01-03T12:00:00Z"})) == (1, 1, 0, 0)


def test_fields_that_nobody_knows_are_ignored_and_other_forms_of_text_taken(store, take):
    taken = take(b"\xef\xbb\xbf" + json.dumps({**SEARCH, "mood": "good"}).encode() + b"\r", b"", b"  ")
    assert counts(taken) == (1, 1, 0, 0)
    assert [line.query for line in store.logs.after()] == ["retries"]


def test_paths_are_put_under_the_root_and_what_lies_outside_is_left_out(store, take):
    root = store.root
    rows = [f"{root}/src/a.py", "src\\b.py", "./c.py", "../d.py", "/etc/passwd", f"{root}-other/e.py"]
    session = {**SESSION, "files_accessed": rows}
    search = {**SEARCH, "results": [{"file_path": path, "rank": at} for at, path in enumerate(rows, 1)]}
    taken = take(session, search)
    assert (counts(taken), taken.outside) == ((2, 2, 0, 0), 6)
    told, shown = store.logs.after()
    assert told.files_accessed == ("src/a.py", "src/b.py", "c.py")
    assert [(row.rank, row.file_path) for row in shown.results] == [(1, "src/a.py"), (2, "src/b.py"), (3, "c.py")]


def test_an_act_outside_of_the_root_is_refused(take):
    act = {"timestamp": "2026-01-02T03:04:05Z", "action": "read", "entity_type": "file", "entity_id": "/etc/passwd"}
    assert "lies outside of" in take(act).refused[0][1]
    assert counts(take({**act, "entity_id": "./a.py"})) == (1, 1, 0, 0)
    assert counts(take({**act, "entity_type": "symbol", "entity_id": "@a.py::f", "file_path": "../a.py"})) == (
        1,
        0,
        0,
        1,
    )


@given(st.text(st.sampled_from("a/.\\: ~C"), max_size=12))
def test_a_path_lies_below_the_root_or_is_none(path):
    found = relative(path, Path("/srv/kept"))
    if found is not None:
        assert (Path("/srv/kept") / found).resolve().is_relative_to("/srv/kept")
        assert found not in ("", ".")
        assert relative(found, Path("/srv/kept")) == found


def test_a_kind_that_is_said_is_held_to(take):
    assert "search_log has timestamp, tool, query, results too" in take(SESSION, kind="search_log").refused[0][1]
    with pytest.raises(InvalidConfig, match="'search_lag'; did you mean search_log"):
        take(SEARCH, kind="search_lag")
    with pytest.raises(InvalidConfig, match="there are search_log, session_audit, access_log, truth_log"):
        take(SEARCH, kind="moves")
    assert set(REQUIRED["search_log"]) == set(SEARCH)
    assert set(REQUIRED["session_audit"]) == set(SESSION)


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (lambda path: None, "no such file"),
        (Path.mkdir, "cannot be read: Is a directory"),
        (lambda path: path.write_text("{}", "utf-16"), "is UTF-16; save it as UTF-8"),
    ],
    ids=["absent", "folder", "utf-16"],
)
def test_a_file_that_cannot_be_read(store, tmp_path, prepare, words):
    prepare(tmp_path / "foreign.jsonl")
    with pytest.raises(UnreadableFile, match=words):
        store.logs.import_file(tmp_path / "foreign.jsonl")
