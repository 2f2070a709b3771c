"""Lines of the logs: document M's fields, JSON and back, and the events that they tell."""

import json
import math
import string

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemas
from paragone.domain.content import (
    Action,
    Content,
    ContentKind,
    PooledContent,
    PoolSize,
    Renamed,
    Showing,
    Shown,
    TruthFound,
    TruthSource,
    UsageMove,
    Use,
)
from paragone.errors import InvalidRecord
from paragone.memory.store import line_json
from paragone.memory.store.line_json import encode, from_json, plainly_decoded, plainly_encoded
from paragone.memory.store.lines import (
    LOGS,
    AccessLine,
    IndexLine,
    ResultRow,
    SearchLine,
    SessionLine,
    TruthLine,
    UpdateLine,
    as_iso,
    from_iso,
)

NOON = 1767355200.0  # 2026-01-02T12:00:00Z
FILE, SYMBOL, ADR, VECTOR = ContentKind.FILE, ContentKind.SYMBOL, ContentKind.ADR, ContentKind.VECTOR

ROWS = (
    ResultRow(hash="ab", file_path="src/a.py", rank=1, similarity=0.85),
    ResultRow(file_path="src/b.py", rank=2, symbol="@src/b.py::f", adr="ADR-027"),
)
EXAMPLES = [
    SearchLine(id="s", seq=1, timestamp=NOON, session_id="x", tool="semantic_search", query="retries", results=ROWS),
    AccessLine(id="a", seq=2, timestamp=NOON, action=Action.READ, entity_type=FILE, entity_id="src/a.py", tokens=9),
    SessionLine(id="e", seq=3, timestamp=NOON, start_time=NOON - 60, end_time=NOON, files_accessed=("src/a.py",)),
    TruthLine(id="t", seq=4, timestamp=NOON, entity_type=FILE, entity_id="a", source=TruthSource.SUPPLIED, r=2.0),
    IndexLine(id="i", seq=5, timestamp=NOON, pools={FILE: PoolSize(count=3, mean_initial=1200.0)}, added=3),
    UpdateLine(
        id="u", seq=1, timestamp=NOON, entity_type=FILE, entity_id="a", elo_old=1200.0, elo_new=1216.0, delta=16.0,
        reason="file_read", event="a", basis="b",
    ),
]  # fmt: skip


def values(line):
    return json.loads(encode(line)[1])


class TestTimes:
    def test_to_the_millisecond_in_utc(self):
        assert as_iso(NOON + 0.6784) == "2026-01-02T12:00:00.678Z"
        assert from_iso("2026-01-02T12:00:00.678Z") == NOON + 0.678
        assert from_iso("2026-01-02T13:00:00+01:00") == NOON
        assert from_iso("2026-01-02T12:00:00") == NOON, "without a zone it is UTC"
        assert (from_iso("1969-12-31T23:59:59.999500Z"), from_iso("1970-01-01T00:00:00.0019Z")) == (-0.001, 0.001)

    @given(st.integers(-(10**13), 10**14))
    def test_out_and_in_is_the_same(self, milliseconds):
        assert from_iso(as_iso(milliseconds / 1000.0)) == milliseconds / 1000.0

    @pytest.mark.parametrize("wrong", ["yesterday", "2026-13-01T00:00:00Z", "", 1767355200, None])
    def test_what_is_no_time_is_refused(self, wrong):
        with pytest.raises(ValueError, match="not a time in ISO 8601"):
            from_iso(wrong)

    @pytest.mark.parametrize("wrong", [1e18, math.inf, math.nan])
    def test_a_time_no_date_can_have_is_refused(self, wrong):
        with pytest.raises(ValueError):
            as_iso(wrong)


class TestJson:
    def test_every_field_of_document_m_is_there_under_its_name(self):
        search, _, session, _, _, update = map(values, EXAMPLES)
        assert {"session_id", "timestamp", "tool", "query", "results"} <= search.keys()
        assert {"hash", "file_path", "rank", "similarity"} <= search["results"][0].keys()
        assert {
            "session_id", "agent_id", "start_time", "end_time", "files_accessed", "symbols_expanded", "adrs_read",
            "search_queries", "semantic_searches", "keyword_searches",
        } <= session.keys()  # fmt: skip
        assert {"timestamp", "entity_type", "entity_id", "elo_old", "elo_new", "delta", "reason"} <= update.keys()

    @pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: type(line).__name__)
    def test_json_and_back_is_the_same(self, line):
        again, raw = encode(line)
        assert again == line == from_json(type(line), raw)
        assert raw.endswith(b"\n")
        assert raw.count(b"\n") == 1

    @pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: type(line).__name__)
    def test_what_is_written_meets_the_published_schema(self, line):
        schema = json.loads((schemas.SCHEMAS / f"{schemas.file_name(type(line))}.json").read_text("utf-8"))
        jsonschema.validate(values(line), schema, cls=jsonschema.Draft202012Validator)

    @pytest.mark.parametrize(
        ("change", "where"),
        [
            ({"tool": "telepathy"}, "tool"),
            ({"query": None}, "query"),
            ({"results": [{"file_path": "a", "rank": 0}]}, "rank"),
            ({"results": [{"rank": 1}]}, "file_path"),
            ({"results": [{"file_path": "a", "rank": 1, "similarity": "high"}]}, "similarity"),
        ],
    )
    def test_what_is_refused_does_not_meet_the_schema_either(self, change, where):
        changed = {**values(EXAMPLES[0]), **change}
        with pytest.raises(InvalidRecord, match=where):
            from_json(SearchLine, json.dumps(changed).encode())
        schema = json.loads((schemas.SCHEMAS / "search-line.json").read_text("utf-8"))
        assert not jsonschema.Draft202012Validator(schema).is_valid(changed)

    def test_every_log_has_a_schema_and_every_field_says_what_it_is(self):
        for kind in LOGS.values():
            described = schemas.schema_of(kind)["properties"]
            assert [name for name, field in described.items() if not field.get("description")] == []
            assert {"id", "seq", "timestamp", "session_id"} <= described.keys()

    def test_what_a_newer_line_has_besides_is_no_reason_to_lose_it(self):
        assert from_json(SearchLine, json.dumps({**values(EXAMPLES[0]), "mood": "good"}).encode()) == EXAMPLES[0]

    @pytest.mark.parametrize(
        "line",
        [
            SearchLine(tool="grep_search", query=7),
            SearchLine(tool="grep_search", query="a", results=(ResultRow(file_path="a", rank=1, similarity=math.nan),)),
            TruthLine(entity_type=FILE, entity_id="a", source=TruthSource.SUPPLIED, r=math.inf),
            TruthLine(entity_type=FILE, entity_id="a", source=TruthSource.SUPPLIED, r=1.0, detail={"of": object()}),
            SessionLine(start_time=0.0, end_time=1e18),
        ],
        ids=["type", "nan", "infinite", "object", "time"],
    )
    def test_what_cannot_be_read_is_not_written(self, line):
        with pytest.raises(InvalidRecord):
            encode(line)

    def test_half_a_surrogate_pair_becomes_the_replacement_character(self):
        line, raw = encode(SearchLine(tool="grep_search", query="a\ud800b\U0001f600"))
        assert line.query == "a\ufffdb\U0001f600"
        assert from_json(SearchLine, raw) == line

    @given(
        query=st.text(),
        paths=st.lists(st.text(min_size=1), max_size=4),
        similarity=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    )
    def test_any_text_and_number_survives_on_one_line(self, query, paths, similarity):
        rows = tuple(ResultRow(file_path=path, rank=1 + at, similarity=similarity) for at, path in enumerate(paths))
        line, raw = encode(SearchLine(tool="hybrid_search", query=query, results=rows))
        assert (line.query, line.results) == (query, rows)
        assert raw.find(b"\n") == len(raw) - 1

    @given(st.text(string.printable))
    def test_rubbish_is_refused_by_its_type(self, text):
        with pytest.raises(InvalidRecord):
            from_json(SearchLine, text.encode())


class TestEvents:
    def test_a_search_shows(self):
        rows = (
            Shown(rank=1, path="src/a.py", hash="ab"),
            Shown(rank=2, path="src/b.py", symbol="@src/b.py::f", adr="ADR-027"),
        )
        assert EXAMPLES[0].events() == (Showing(id="s", time=NOON, tool="semantic_search", results=rows, session="x"),)

    def test_an_expanded_symbol_uses_its_file_too(self):
        line = AccessLine(
            id="a", timestamp=NOON, session_id="x", action=Action.EXPANDED, entity_type=SYMBOL,
            entity_id="@src/b.py::f", file_path="src/b.py", also=((FILE, "src/b.py"),), search_id="s",
        )  # fmt: skip
        (event,) = line.events()
        assert event == Use(
            id="a", time=NOON, action=Action.EXPANDED, search="s", session="x",
            contents=(Content(kind=SYMBOL, id="@src/b.py::f"), Content(kind=FILE, id="src/b.py")),
        )  # fmt: skip
        assert [content.path for content in event.contents] == ["src/b.py", "src/b.py"]

    def test_a_later_page_of_a_read_counts_nothing(self):
        assert AccessLine(action=Action.READ, entity_type=FILE, entity_id="a", part=1).events() == ()

    @pytest.mark.parametrize(
        ("outcome", "source", "logged", "actions"),
        [
            ("success", "", False, [("e", Action.READ), ("e:used", Action.USED)]),
            ("failure", "", False, [("e", Action.READ)]),
            ("unknown", "", False, [("e", Action.READ)]),
            ("success", "", True, [("e:used", Action.USED)]),
            ("unknown", "", True, []),
            ("success", "git", False, [("e", Action.READ)]),
        ],
    )
    def test_a_session_reads_and_after_a_success_has_used(self, outcome, source, logged, actions):
        line = SessionLine(
            id="e", timestamp=NOON + 5, session_id="x", start_time=NOON - 9, end_time=NOON, outcome=outcome,
            source=source, accesses_logged=logged, files_accessed=("src/a.py", "src/b.py", "src/a.py"),
            symbols_expanded=("@src/b.py::f",), adrs_read=("ADR-027",),
        )  # fmt: skip
        events = line.events()
        assert [(event.id, event.action) for event in events] == actions
        for event in events:
            assert (event.time, event.session, event.search) == (NOON, "x", "")
            assert [(one.kind, one.id, one.path) for one in event.contents] == [
                (FILE, "src/a.py", "src/a.py"),
                (FILE, "src/b.py", "src/b.py"),
                (SYMBOL, "@src/b.py::f", "src/b.py"),
                (ADR, "ADR-027", ""),
            ]

    def test_files_move_before_a_session_uses_them(self):
        line = SessionLine(
            id="e", start_time=NOON, end_time=NOON, files_accessed=("new.py",), renamed=(("old.py", "new.py"),),
            removed=("gone.py",), source="git",
        )  # fmt: skip
        moved, read = line.events()
        assert moved == Renamed(id="e", time=NOON, old="old.py", new="new.py")
        assert read.contents == (Content(kind=FILE, id="new.py"),)

    def test_a_session_that_touched_nothing_tells_nothing(self):
        assert SessionLine(start_time=NOON, end_time=NOON, outcome="success").events() == ()

    def test_truth_is_of_content(self):
        line = TruthLine(
            id="t",
            timestamp=NOON,
            entity_type=VECTOR,
            entity_id="ab",
            file_path="a",
            source=TruthSource.AGREEMENT,
            r=None,
        )
        (event,) = line.events()
        assert event == TruthFound(
            id="t", time=NOON, content=Content(kind=VECTOR, id="ab"), source=TruthSource.AGREEMENT, r=None
        )
        assert event.content.path == "a"

    def test_an_index_run_moves_files_then_says_what_there_is(self):
        line = IndexLine(
            id="i", timestamp=NOON, renamed=(("a", "b"),), pools={FILE: PoolSize(count=2, mean_initial=1400.0)}
        )
        assert line.events() == (
            Renamed(id="i", time=NOON, old="a", new="b"),
            PooledContent(id="i", time=NOON, pools={FILE: PoolSize(count=2, mean_initial=1400.0)}),
        )

    def test_an_update_is_evidence_of_nothing(self):
        assert EXAMPLES[-1].events() == ()

    def test_an_update_has_what_its_move_has(self):
        move = UsageMove(
            content=Content(kind=ADR, id="ADR-1"), event="a", time=NOON, old=1200.0, new=1204.0, reason="adr_citation",
            gate=0.25, r=1.0, clamped=-2.0,
        )  # fmt: skip
        line = UpdateLine.of(move, seq=7, basis="b", session="x")
        assert values(line) == {
            "id": "a/adr/ADR-1/adr_citation", "seq": 7, "timestamp": "2026-01-02T12:00:00.000Z", "session_id": "x",
            "entity_type": "adr", "entity_id": "ADR-1", "elo_old": 1200.0, "elo_new": 1204.0, "delta": 4.0,
            "reason": "adr_citation", "event": "a", "r": 1.0, "gate": 0.25, "clamped": -2.0, "basis": "b",
        }  # fmt: skip


TEXTS = st.text(max_size=8) | st.sampled_from(
    ("\ud800", "\x00\x1f\x7f", "\u2028\ufeff", '"\\/\b\f\n\r\t', "\U0001f600")
)
NUMBERS = st.integers(-(2**64), 2**64) | st.integers(0, 3)
TIMES = st.floats() | st.floats(0, 4e9) | st.integers(0, 9)
ODD = st.none() | st.booleans() | TEXTS | NUMBERS | st.floats() | st.lists(TEXTS, max_size=2)
LINES = st.one_of(
    st.builds(
        SearchLine,
        id=TEXTS, seq=NUMBERS, timestamp=TIMES, session_id=TEXTS | ODD, query=TEXTS, mode=TEXTS,
        tool=st.sampled_from(("grep_search", "semantic_search", "telepathy")),
        results=st.just(()) | st.just(ROWS) | st.just([]),
    ),
    st.builds(
        SessionLine,
        id=TEXTS, seq=NUMBERS, timestamp=TIMES, start_time=TIMES, end_time=TIMES, accesses_logged=st.booleans() | ODD,
        files_accessed=st.lists(TEXTS, max_size=3).map(tuple),
        renamed=st.lists(st.tuples(TEXTS, TEXTS), max_size=2).map(tuple),
        search_queries=NUMBERS, outcome=st.sampled_from(("success", "unknown", "")),
    ),
    st.sampled_from(EXAMPLES),
)  # fmt: skip


def by_pydantic(monkeypatch, call, *args):
    """What a call returns or raises where nothing is plain."""
    with monkeypatch.context() as patched:
        patched.setattr(line_json, "plainly_encoded", lambda line: None)
        patched.setattr(line_json, "plainly_decoded", lambda kind, text: None)
        return outcome(call, *args)


def outcome(call, *args):
    try:
        return repr(call(*args))
    except InvalidRecord as error:
        return str(error)


class TestPlainLines:
    @given(LINES)
    def test_are_written_and_read_as_by_pydantic(self, line):
        with pytest.MonkeyPatch.context() as patch:
            assert outcome(encode, line) == by_pydantic(patch, encode, line)

    @given(st.sampled_from(EXAMPLES), st.data())
    def test_are_read_as_by_pydantic_whatever_they_hold(self, line, data):
        fields = values(line)
        for name in data.draw(st.lists(st.sampled_from([*fields, "unknown"]), max_size=2)):
            fields[name] = data.draw(ODD | st.just("2026-01-02T03:04:05Z") | st.just([["a", "b"]]))
        for name in data.draw(st.lists(st.sampled_from(list(fields)), max_size=1)):
            del fields[name]
        text = json.dumps(fields, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "surrogatepass")
        text = data.draw(
            st.sampled_from((text, text[:-1], b" " + text + b" ", b"\xef\xbb\xbf" + text, text + b"\xff", b"[]"))
        )
        with pytest.MonkeyPatch.context() as patch:
            assert outcome(from_json, type(line), text) == by_pydantic(patch, from_json, type(line), text)

    @pytest.mark.parametrize("line", EXAMPLES, ids=lambda line: type(line).__name__)
    def test_no_line_is_a_list(self, line):
        with pytest.raises(InvalidRecord):
            from_json(type(line), b"[]")

    def test_most_are_plain(self):
        search, _, session, *_ = EXAMPLES
        assert plainly_encoded(search) is None
        for line in (session, SearchLine(id="s", tool="grep_search", query="é")):
            made = plainly_encoded(line)
            assert made is not None
            assert plainly_decoded(type(line), made[1]) == made[0]
