"""The door, end to end: a folder is remembered, searched and read, and ratings follow from the logs."""

import pytest

from paragone.domain.content import Action, Content, ContentKind, UsageConfig
from paragone.errors import NotFound, UsageError
from paragone.memory import Memory
from paragone.memory.store import AccessLine, MemoryConfig, SearchLine, SessionLine

FILES = {
    "AGENTS.md": "# Agents\n\nRead this first.\n",
    "src/store.py": "def save(row):\n    return row\n\n\nclass Table:\n    def find(self, id):\n        return id\n",
    "src/web.py": "def serve(port):\n    return port\n",
    "docs/decisions/ADR-001.md": "# ADR-001: Rows are saved\n\nBecause.\n",
    "docs/decisions/ADR-002.md": "# ADR-002: Tables\n\nAs ADR-001 says.\n",
    "notes/long.md": "".join(f"line {n}\n" for n in range(1, 501)),
}


class Clock:
    def __init__(self):
        self.now = 1_767_322_800.0

    def __call__(self):
        self.now += 1.0
        return self.now


def remembered(root, clock=None, **config):
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    memory = Memory.create(root, config=MemoryConfig(**config), clock=clock or Clock(), agent_id="tester")
    memory.index(vectors=False)
    return memory


@pytest.fixture
def memory(tmp_path):
    with remembered(tmp_path / "root") as memory:
        yield memory


def lines(memory, kind):
    return [line for line in memory.components.store.logs.after() if isinstance(line, kind)]


class TestActs:
    def test_what_is_read_of_a_search_gains_and_what_else_it_showed_pays(self, memory):
        found = memory.search("save a row", how="keyword")
        shown = list(dict.fromkeys(row.path for row in found.results))
        assert {"src/store.py", "docs/decisions/ADR-001.md"} <= set(shown)
        memory.read("src/store.py")
        search, read = lines(memory, SearchLine)[0], lines(memory, AccessLine)[-1]
        assert (read.search_id, read.session_id, read.agent_id) == (search.id, memory.session_id, "tester")
        assert [row.rank for row in search.results] == list(range(1, len(found.results) + 1))
        assert read.tokens > 0
        assert memory.rating("src/store.py").stored > 1200.0
        files = [one for one in memory.components.scores.rated(ContentKind.FILE) if one.content.id in shown]
        before = {move.content.id: move for path in shown for move in memory.history(path)[-1:]}
        assert sum(move.delta for move in before.values()) == pytest.approx(0.0, abs=1e-9)
        assert len(files) == len(shown)

    def test_pages_of_a_read_count_once_and_a_new_read_again(self, memory):
        for start in (1, 201, 401):
            memory.read("notes/long.md", start=start)
        assert [line.part for line in lines(memory, AccessLine) if line.entity_id == "notes/long.md"] == [0, 1, 2]
        assert memory.rating("notes/long.md").uses == 1
        memory.read("notes/long.md")
        assert memory.rating("notes/long.md").uses == 2

    def test_an_expansion_counts_for_its_file_and_a_record_for_its_own(self, memory):
        memory.expand("find")
        page = memory.decision("ADR-002")
        assert "As ADR-001 says" in page.page.text
        memory.read("docs/decisions/ADR-002.md")
        assert [move.reason for move in memory.history("@src/store.py::Table.find")] == ["symbol_expansion"]
        assert [move.reason for move in memory.history("src/store.py")] == ["file_read"]
        assert [move.reason for move in memory.history("ADR-002")] == ["adr_read", "adr_read"]
        assert memory.rating("docs/decisions/ADR-002.md").uses == 2

    def test_grep_shows_each_file_once(self, memory):
        found = memory.grep("return")
        row = lines(memory, SearchLine)[-1]
        assert (row.tool, row.query) == ("grep_search", "return")
        assert [one.file_path for one in row.results] == list(dict.fromkeys(match.path for match in found.matches))

    def test_marks_are_logged_for_all_or_none(self, memory):
        before = len(lines(memory, AccessLine))
        with pytest.raises(NotFound, match="nowhere"):
            memory.cite("src/web.py", "nowhere.py")
        with pytest.raises(UsageError, match="name at least one"):
            memory.used()
        assert len(lines(memory, AccessLine)) == before
        marked = memory.cite("src/web.py", "ADR-001", "@save")
        assert [one.id for one in marked] == ["src/web.py", "ADR-001", "@src/store.py::save"]
        assert memory.contradicted("src/web.py")[0].kind is ContentKind.FILE
        reasons = [move.reason for move in memory.history("src/web.py")]
        assert reasons == ["file_citation", "file_contradicted"]

    def test_a_record_that_cites_another_counts_once_however_often_it_is_indexed(self, memory, tmp_path):
        assert [move.reason for move in memory.history("ADR-001")] == ["adr_citation"]
        (memory.root / "docs/decisions/ADR-002.md").write_text("# ADR-002: Tables\n\nStill as ADR-001 says.\n")
        (memory.root / "docs/decisions/ADR-003.md").write_text("# ADR-003: More\n\nSee ADR-001 and ADR-003.\n")
        memory.index(vectors=False)
        assert [move.reason for move in memory.history("ADR-001")] == ["adr_citation", "adr_citation"]

    def test_a_file_that_is_gone_is_not_proposed_in_its_own_place(self, memory):
        (memory.root / "src/web.py").unlink()
        with pytest.raises(NotFound) as refused:
            memory.read("src/web.py")
        assert str(refused.value).count("src/web.py") == 1

    def test_a_file_that_moves_keeps_its_rating(self, memory):
        memory.read("src/web.py")
        before = memory.rating("src/web.py").stored
        (memory.root / "src/web.py").rename(memory.root / "src/server.py")
        memory.index(vectors=False)
        assert memory.rating("src/server.py").stored == before


class TestSessions:
    def test_a_session_that_succeeds_counts_what_it_read_as_used(self, memory):
        memory.read("src/web.py")
        memory.search("rows", how="keyword")
        audit = memory.end_session("success")
        assert (audit.files_accessed, audit.search_queries, audit.keyword_searches) == (("src/web.py",), 1, 1)
        assert (audit.accesses_logged, audit.outcome, audit.agent_id) == (True, "success", "tester")
        assert [move.reason for move in memory.history("src/web.py")] == ["file_read", "file_used"]

    def test_what_was_contradicted_is_no_part_of_the_success(self, memory):
        memory.read("src/web.py")
        memory.contradicted("src/web.py")
        memory.read("src/store.py")
        memory.read("src/web.py")
        audit = memory.end_session("success")
        assert (audit.files_accessed, audit.contradicted) == (("src/web.py", "src/store.py"), ("src/web.py",))
        assert [move.reason for move in memory.history("src/store.py")] == ["file_read", "file_used"]
        assert [move.reason for move in memory.history("src/web.py")] == ["file_read", "file_contradicted", "file_read"]

    def test_a_session_that_only_contradicts_has_an_audit(self, memory):
        memory.contradicted("src/web.py")
        audit = memory.end_session("success")
        assert (audit.files_accessed, audit.contradicted) == ((), ("src/web.py",))
        assert [move.reason for move in memory.history("src/web.py")] == ["file_contradicted"]

    def test_it_ends_once_and_the_next_act_begins_another(self, memory):
        memory.read("src/web.py")
        first = memory.session_id
        assert memory.end_session().session_id == first == memory.session_id
        assert memory.end_session() is None
        memory.read("src/web.py")
        assert memory.session_id != first

    def test_nothing_done_is_nothing_audited(self, memory):
        memory.board()
        assert memory.end_session() is None

    def test_closing_ends_it(self, tmp_path):
        with remembered(tmp_path / "other") as memory:
            memory.read("src/web.py")
            root = memory.root
        with Memory.open(root / "src") as again:
            assert [line.outcome for line in lines(again, SessionLine)] == ["unknown"]
            assert again.root == root

    def test_searches_of_another_session_are_not_its_own(self, memory):
        other = memory.session("somebody")
        memory.search("save a row", how="keyword")
        other.read("src/store.py")
        assert lines(memory, AccessLine)[-1].search_id == ""
        assert other.session_id != memory.session_id
        other.close()
        assert memory.rating("src/store.py").uses == 1, "the parts are still open"


class TestStanding:
    def test_a_board_has_what_nobody_touched(self, memory):
        memory.used("src/web.py")
        board = memory.board("file")
        ids = [one.content.id for one in board.rows]
        assert (board.total, sorted(ids)) == (len(FILES), sorted(FILES))
        assert sorted(ids[:2]) == ["docs/decisions/ADR-001.md", "src/web.py"], "the first is cited by a record"
        assert ids[2] == "AGENTS.md"
        assert [row.rating == row.need for row in board.rows] == [True] * len(FILES)
        assert board.rows[2].pinned
        by_elo = [one.content.id for one in memory.board("file", by="elo").rows]
        assert by_elo[:3] == ["AGENTS.md", "src/web.py", "docs/decisions/ADR-001.md"]
        assert [one.content.id for one in memory.board("file", limit=2, offset=1).rows] == ids[1:3]
        assert {one.content.kind for one in memory.board(limit=500).rows} >= {ContentKind.FILE, ContentKind.SYMBOL}

    def test_by_need_by_r_and_of_a_tier(self, memory):
        memory.supply_truth("src/web.py", 0.5)
        memory.supply_truth("src/store.py", 3.0)
        memory.read("notes/long.md")
        memory.used("notes/long.md")
        assert memory.board("file", by="need").rows[0].content.id == "notes/long.md"
        assert [one.content.id for one in memory.board("file", by="r").rows][:2] == ["src/store.py", "src/web.py"]
        high = [one.content.id for one in memory.board("file", tier="high").rows]
        assert high == ["notes/long.md", "docs/decisions/ADR-001.md", "AGENTS.md"]
        for wrong in ({"kind": "folder"}, {"tier": "top"}, {"by": "name"}, {"limit": 0}):
            with pytest.raises(UsageError):
                memory.board(**wrong)

    def test_before_anything_is_indexed_the_board_is_what_the_logs_know(self, tmp_path):
        with Memory.create(tmp_path) as memory:
            memory.components.store.logs.append(
                [AccessLine(action=Action.READ, entity_type=ContentKind.ADR, entity_id="ADR-9")]
            )
            assert [one.content.id for one in memory.board().rows] == ["ADR-9"]
            assert memory.rating("ADR-9").uses == 1
            with pytest.raises(NotFound):
                memory.rating("ADR-8")

    def test_a_high_r_at_rank_one_is_1216_and_gated_1204_by_the_literal_boosts(self, tmp_path):
        with remembered(tmp_path / "root", ratings=UsageConfig(zero_sum=False)) as memory:
            memory.supply_truth("src/web.py", 2.0)
            memory.supply_truth("src/store.py", 1.0)
            first = memory.search("serve port", how="keyword").results[0]
            assert (first.path, memory.rating(first.hash).stored) == ("src/web.py", 1216.0)
            assert memory.history(first.hash)[0].reason == "keyword_search_rank_1"
            second = memory.search("def save row", how="keyword", glob="src/store.py").results[0]
            assert memory.rating(second.hash).stored == 1204.0

    def test_1600_after_thirty_days(self, memory):
        seen = memory.components.index.file("AGENTS.md").first_seen
        assert f"{memory.rating('AGENTS.md', as_of=seen + 30 * 86_400.0).elo:.2f}" == "1094.30"

    def test_all_of_it_from_the_logs_alone(self, memory):
        for path in ("src/web.py", "src/store.py", "src/web.py"):
            memory.search("row", how="keyword")
            memory.read(path)
        memory.end_session("success")
        before = {one.content: one for one in memory.components.scores.rated()}
        assert memory.rebuild().same
        assert {one.content: one for one in memory.components.scores.rated()} == before

    def test_content_may_be_given_as_such(self, memory):
        one = Content(kind=ContentKind.FILE, id="src/web.py", path="src/web.py")
        memory.cite(one)
        assert memory.rating(one).uses == 1
