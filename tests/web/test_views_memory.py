"""The memory as values: the figures of the store, page by page, without moving any rating."""

import json
import shutil
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from paragone.domain.content import ContentKind, ContentTier, Quadrant
from paragone.errors import Busy, Conflict, InvalidConfig, NotFound
from paragone.memory import Memory
from paragone.memory.dashboard import gather
from paragone.memory.store import MemoryConfig, Store
from paragone.memory.store.config import IndexConfig
from paragone.web.api import memory as memory_api
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import LOCAL
from paragone.web.readers.memory_reader import MemoryReader
from paragone.web.server.serving import serve
from paragone.web.views.memory import packs, pruning, summary
from paragone.web.views.memory.board import ContentBoardQuery, board
from paragone.web.views.memory.content import content
from paragone.web.views.memory.packs import PackQuery, SearchQuery, pack
from paragone.wire.content import ContentBoard
from paragone.wire.pack import Pack
from remembered_folder import HOSTILE


@pytest.fixture(scope="module")
def shown(remembered_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryReader]:
    """A memory that tests only look at."""
    memory = MemoryReader.open(Path(shutil.copytree(remembered_once, tmp_path_factory.mktemp("shown") / "root")))
    yield memory
    memory.close()


@pytest.fixture
def own(remembered: Path) -> Iterator[MemoryReader]:
    """A memory that one test writes to."""
    memory = MemoryReader.open(remembered)
    yield memory
    memory.close()


def logged(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / ".paragone" / "logs").glob("*.jsonl")}


def test_the_summary_has_the_figures_of_the_dashboard(shown: MemoryReader) -> None:
    found = summary.summary(shown)
    told = shown.ask(lambda parts: gather(parts.store, parts.index, parts.scores))
    assert (found.files, found.used, found.unknown) == (9, told.files.used, 5)
    assert {one.quadrant: one.count for one in found.quadrants} == {
        Quadrant.BEST: 1,
        Quadrant.LATENT: 0,
        Quadrant.ECHO: 1,
        Quadrant.PRUNE: 2,
        Quadrant.UNKNOWN: 5,
    }
    assert {one.tier: one.count for one in found.tiers} == {
        tier: own.total() for tier, own in told.files.tiers().items()
    }
    assert (found.echo_chambers, found.archived, found.name) == (1, 0, "root")
    assert {one.kind: one.count for one in found.kinds}[ContentKind.ADR] == 1


def test_measures_are_those_of_the_command_line(shown: MemoryReader) -> None:
    found = summary.measures(shown)
    told = shown.ask(lambda parts: gather(parts.store, parts.index, parts.scores)).measures
    assert found.sessions == told.sessions == 8
    assert [(one.name, one.value, one.met) for one in found.measures] == [
        (one.name, pytest.approx(one.value), one.met) for one in told.measures
    ]
    assert summary.summary(shown).measures == found.measures


def test_a_board_goes_on_after_the_last_row_of_the_page_before(shown: MemoryReader, remembered_once: Path) -> None:
    rows, cursor = [], None
    while True:
        page = board(shown, ContentBoardQuery(by="elo", limit=2, cursor=cursor))
        assert len(page.rows) <= 2
        assert page.total == 9
        rows += page.rows
        if (cursor := page.next) is None:
            break
    told = shown.ask(lambda parts: gather(parts.store, parts.index, parts.scores)).files.ratings
    assert [row.id for row in rows] == [one.content.id for one in told]
    with pytest.raises(InvalidConfig, match="another listing"):
        board(shown, ContentBoardQuery(by="need", cursor=board(shown, ContentBoardQuery(by="elo", limit=2)).next))


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        pytest.param(ContentBoardQuery(quadrant=Quadrant.ECHO), ["docs/loud.md"], id="quadrant"),
        pytest.param(ContentBoardQuery(search="LOUD"), ["docs/loud.md"], id="search"),
        pytest.param(ContentBoardQuery(by="r", limit=2), ["docs/true.md", "docs/quiet.md"], id="R, unknown last"),
        pytest.param(ContentBoardQuery(by="uses", limit=1), ["docs/loud.md"], id="uses"),
        pytest.param(ContentBoardQuery(by="id", limit=1), ["AGENTS.md"], id="names"),
        pytest.param(ContentBoardQuery(kind=ContentKind.ADR), ["ADR-001"], id="decision records"),
        pytest.param(ContentBoardQuery(tier=ContentTier.VERY_LOW), [], id="an empty tier"),
    ],
)
def test_a_board_is_narrowed_and_ordered(shown: MemoryReader, wanted: ContentBoardQuery, ids: list[str]) -> None:
    assert [row.id for row in board(shown, wanted).rows] == ids


def test_an_echo_chamber_says_why_it_is_one(shown: MemoryReader) -> None:
    found = summary.echoes_of(shown, ContentKind.FILE)
    (one,) = found.chambers
    assert (found.total, one.id, one.users) == (1, "docs/loud.md", {"ann": 14, "bob": 2})
    assert (one.shown, one.queries, one.repeated) == (8, 2, 0.75)
    assert one.why[0].endswith("of all uses (16)")


def test_dots_stand_where_their_ratings_are(shown: MemoryReader) -> None:
    found = summary.quadrants_of(shown, ContentKind.FILE)
    dots = {dot.id: dot for dot in found.dots}
    rows = {row.id: row for row in board(shown, ContentBoardQuery()).rows}
    assert dots.keys() == rows.keys()
    assert all((dots[id].elo, dots[id].quadrant) == (row.elo, row.quadrant) for id, row in rows.items())
    assert dots["docs/loud.md"].note == "used 16 times"


def test_one_file_says_how_it_came_there_and_what_it_says(shown: MemoryReader) -> None:
    found = content(shown, "docs/loud.md")
    assert [move.reason for move in found.moves[:2]] == ["file_read", "file_used"]
    assert all(move.gate == 0.25 for move in found.moves)
    assert found.moves[-1].new == found.stored
    assert found.used_by is not None
    assert found.used_by.users == {"ann": 14, "bob": 2}
    assert found.text is not None
    assert found.text.text == "# tower\n\nAll about the tower, loud."
    assert content(shown, "docs/loud.md", start=3).text.start == 3
    assert content(shown, "docs/loud.md", start=99).text.start == 3


def test_symbols_and_records_have_their_places(shown: MemoryReader) -> None:
    symbol = content(shown, "@span.py::span")
    assert (symbol.kind, symbol.path, symbol.first, symbol.last, symbol.uses) == ("symbol", "span.py", 1, 3, 2)
    record = content(shown, "ADR-001")
    assert (record.kind, record.path) == ("adr", "docs/adr/ADR-001-cents.md")
    assert [row.id for row in content(shown, "span.py").inside] == ["@span.py::span"]


@pytest.mark.parametrize("name", [".env", "../other/docs/loud.md", "/etc/passwd", "no such", ".paragone/memory.toml"])
def test_what_the_index_does_not_hold_is_not_there(shown: MemoryReader, remembered_once: Path, name: str) -> None:
    with pytest.raises(NotFound) as refused:
        content(shown, name)
    assert str(remembered_once.parent) not in str(refused.value)


def test_a_file_that_became_a_secret_is_not_shown(own: MemoryReader, remembered: Path) -> None:
    (remembered / "docs/new.md").write_text("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n")
    found = content(own, "docs/new.md")
    assert found.text is None
    assert "secret" in found.hidden
    (remembered / "docs/new.md").unlink()
    assert content(own, "docs/new.md").hidden == "the file is gone since it was indexed"
    (remembered / "docs/new.md").symlink_to("/etc/passwd")
    assert str(remembered) not in (hidden := content(own, "docs/new.md").hidden)
    assert "out of the root" in hidden


def test_looking_and_searching_moves_nothing(own: MemoryReader, remembered: Path) -> None:
    before, version = logged(remembered), own.version()
    found = packs.search(own, SearchQuery(query="tower"))
    assert {one.path for one in found.results[:2]} == {"docs/loud.md", "docs/true.md"}
    assert (found.how, found.results[0].breakdown.semantic) == ("keyword", None)  # there are no vectors here
    content(own, "docs/loud.md")
    pack(own, PackQuery(task="tower"))
    summary.summary(own)
    pruning.plan(own, ("scratch/",), limit=9)
    assert logged(remembered) == before
    assert own.version() == version


def test_a_pack_says_what_is_in_it_why_and_where_its_tokens_go(shown: MemoryReader) -> None:
    found = pack(shown, PackQuery(budget=150, task="tower", text=True))
    inside = [one for one in found.files if one.form != "excluded"]
    assert found.tokens <= 150
    assert found.counts["full"] + found.counts["partial"] + found.counts["signatures"] + found.counts["pointer"] == len(
        inside
    )
    assert sum(one.tokens for one in found.folders) == sum(one.tokens for one in inside)
    assert [one.reason for one in found.files[:1]] == ["pinned by tiers.high; 1 of 1 bodies"]
    assert any("answers the query at 1.00" in one.reason for one in inside)
    assert "All about the tower" in found.text
    first = pack(shown, PackQuery(budget=150, task="tower", limit=2))
    second = pack(shown, PackQuery(budget=150, task="tower", limit=2, cursor=first.next))
    assert [one.path for one in (*first.files, *second.files)] == [one.path for one in found.files[:4]]
    assert first.text is None
    with pytest.raises(InvalidConfig, match="no room"):
        pack(shown, PackQuery(budget=1))


def test_a_pack_by_tiers_is_bounded_too(shown: MemoryReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packs, "MOST", 200)
    assert pack(shown, PackQuery(mode="tiers")).budget == 200


def test_pruning_takes_the_confirmation_of_its_plan(own: MemoryReader, remembered: Path) -> None:
    assert pruning.plan(own, None, limit=9).scope == []
    found = pruning.plan(own, ("scratch/", "docs/"), limit=2)
    assert [(one.path, one.action) for one in found.files] == [
        ("docs/quiet.md", "archive"),
        ("scratch/old.md", "archive"),
    ]
    assert (found.archive, found.keep, found.done) == (2, 5, False)
    rest = pruning.plan(own, ("scratch/", "docs/"), limit=9, after=found.next).files
    kept = {row.id for row in board(own, ContentBoardQuery(search="docs/")).rows} - {"docs/quiet.md"}
    assert [one.path for one in rest] == sorted(kept)
    for confirm in ("", "no", pruning.plan(own, ("docs/", "scratch/"), limit=9).confirm):
        with pytest.raises(Conflict, match="not what was confirmed"):
            memory_api.prune(memory_api.PruneRequest(scope=["scratch/", "docs/"], confirm=confirm), own, LOCAL)
    assert (remembered / "scratch/old.md").exists()
    done = memory_api.prune(memory_api.PruneRequest(scope="scratch/\ndocs/\n", confirm=found.confirm), own, LOCAL)
    assert (done.done, done.archive, done.confirm) == (True, 2, "")
    assert not (remembered / "scratch/old.md").exists()
    with pytest.raises(Conflict, match="nothing to archive"):
        memory_api.prune(memory_api.PruneRequest(scope=["scratch/"], confirm=found.confirm), own, LOCAL)
    (gone,) = pruning.archive(own, limit=1).files
    assert pruning.archive(own, limit=1, after=pruning.archive(own, limit=1).next).files[0].path == "docs/quiet.md"
    back = memory_api.restore(memory_api.RestoreRequest(path="scratch/old.md"), own, LOCAL)
    assert (gone.path, gone.size) == (back.path, back.size) == ("scratch/old.md", 33)
    assert (remembered / "scratch/old.md").read_text().endswith("valve.\n")
    with pytest.raises(NotFound, match="the archive holds no"):
        memory_api.restore(memory_api.RestoreRequest(path="../outside"), own, LOCAL)


def test_r_is_supplied_and_taken_back_and_every_act_is_on_record(own: MemoryReader, remembered: Path) -> None:
    told = memory_api.supply_truth(
        memory_api.TruthRequest(content="docs/new.md", r=2.5, note="measured it"), own, LOCAL
    )
    assert (told.r, told.r_source, told.is_high, told.quadrant) == (2.5, "supplied", True, Quadrant.LATENT)
    assert board(own, ContentBoardQuery(search="new")).rows[0].r == 2.5
    assert memory_api.supply_truth(memory_api.TruthRequest(content="docs/new.md", withdraw=True), own, LOCAL).r is None
    for wrong in ({}, {"r": 1.0, "withdraw": True}):
        with pytest.raises(InvalidConfig, match="one of both"):
            memory_api.supply_truth(memory_api.TruthRequest(content="docs/new.md", **wrong), own, LOCAL)
    with pytest.raises(NotFound):
        memory_api.supply_truth(memory_api.TruthRequest(content="no such", r=1.0), own, LOCAL)
    rebuilt = memory_api.rebuild_memory(own, LOCAL)
    assert rebuilt.same
    assert [(one.act, one.by) for one in pruning.acts(own, limit=2).acts] == [("rebuild", "local"), ("truth", "local")]
    older = pruning.acts(own, limit=2, after=pruning.acts(own, limit=2).next)
    assert (older.total, older.next) == (3, None)
    assert older.acts[0].about == {"content": "docs/new.md", "r": 2.5, "note": "measured it"}
    lines = (remembered / ".paragone/logs/truth_log.jsonl").read_text().splitlines()
    assert json.loads(lines[-2])["detail"] == {"note": "local: measured it"}


def test_what_another_process_writes_is_seen_by_all(own: MemoryReader, remembered: Path) -> None:
    sibling = MemoryReader.open(remembered)
    before = own.version()
    assert sibling.version() == before
    uses = content(own, "docs/new.md").uses
    with Memory.open(remembered) as other:
        other.read("docs/new.md")
    assert own.version() == sibling.version() > before
    for memory in (own, sibling):
        assert content(memory, "docs/new.md").uses == uses + 1
        assert board(memory, ContentBoardQuery(search="docs/new")).rows[0].uses == uses + 1
    sibling.close()


def test_a_configuration_that_changes_is_taken_over(own: MemoryReader, remembered: Path) -> None:
    file = remembered / ".paragone" / "memory.toml"
    before, text = own.version(), file.read_text()
    time.sleep(0.01)
    file.write_text(text.replace('# rank_by = "need"', 'rank_by = "elo"'))
    assert own.version() > before
    assert summary.summary(own).rank_by == "elo"
    time.sleep(0.01)
    file.write_text("this is = no toml [")
    with pytest.raises(Busy):
        summary.summary(own)
    time.sleep(0.01)
    file.write_text(text)
    assert summary.summary(own).rank_by == "need"


def test_what_is_made_is_made_once_for_all_who_ask(own: MemoryReader) -> None:
    made: list[int] = []
    go = threading.Event()

    def make(_: object) -> int:
        go.wait(10)
        made.append(1)
        return len(made)

    found, pending = own.newest("slow", make, 0.05)
    assert (found, pending) == (None, True)
    with pytest.raises(Busy, match="ask again"):
        own.made("slow", make, 0.05)
    go.set()
    assert own.made("slow", make).value == own.made("slow", make).value == 1


def test_a_question_that_is_not_answered_is_given_up(own: MemoryReader) -> None:
    go = threading.Event()
    with pytest.raises(Busy, match="has not answered"):
        own.ask(lambda _: go.wait(10), 0.05)
    go.set()


def test_only_a_folder_that_holds_a_store_is_opened(remembered: Path, tmp_path: Path) -> None:
    for place in (remembered / "docs", tmp_path):
        with pytest.raises(NotFound, match="holds no store of memory; begin with: paragone memory init"):
            MemoryReader.open(place)
    memory = MemoryReader.open(remembered / ".paragone")
    assert memory.name == "root"
    memory.close()


def test_a_server_does_not_begin_where_there_is_no_store(tmp_path: Path) -> None:
    config = WebConfig(db=str(tmp_path / "board.db"), port=0, memory=tmp_path)
    with pytest.raises(NotFound, match="begin with: paragone memory init"):
        serve(config, print)


def test_a_store_without_an_index_says_so(tmp_path: Path) -> None:
    with Memory.create(tmp_path):
        pass
    memory = MemoryReader.open(tmp_path)
    found = summary.summary(memory)
    assert (found.files, found.indexed) == (0, None)
    assert board(memory, ContentBoardQuery()).rows == []
    for ask in (
        lambda: pack(memory, PackQuery()),
        lambda: packs.search(memory, SearchQuery(query="x")),
        lambda: pruning.plan(memory, None, limit=9),
    ):
        with pytest.raises(NotFound, match="index"):
            ask()
    memory.close()


def test_a_hostile_name_is_a_name(shown: MemoryReader) -> None:
    assert content(shown, HOSTILE).id == HOSTILE


def test_an_act_that_a_kill_cut_in_half_says_nothing(tmp_path: Path) -> None:
    with Store.create(tmp_path) as store:
        store.logs.record_operation("ann", "prune", scope=["a/"])
        with (store.path / "logs/act_log.jsonl").open("a") as file:
            file.write('{"id": "x", "by": "bob"')
        assert [one.by for one in store.logs.operations()] == ["ann"]
        store.logs.record_operation("eve", "restore", path="a/b")
        assert [(one.by, one.about) for one in store.logs.operations()] == [
            ("ann", {"scope": ["a/"]}),
            ("eve", {"path": "a/b"}),
        ]


def test_many_files_make_small_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "sampled", partial(summary.sampled, most=250))
    many = {f"notes/{number % 50}/{number}.md": "" for number in range(300)}
    for name in many:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n")
    with Memory.create(tmp_path, config=MemoryConfig(index=IndexConfig())) as memory:
        memory.index(vectors=False)
    shown = MemoryReader.open(tmp_path)
    assert len(summary.quadrants_of(shown, ContentKind.FILE).dots) <= 250
    assert len(TypeAdapter(ContentBoard).dump_json(board(shown, ContentBoardQuery()))) < 30_000
    assert len(TypeAdapter(Pack).dump_json(pack(shown, PackQuery(budget=2_000)))) < 60_000
    shown.close()


def test_who_asks_after_the_end_is_told_so(remembered: Path) -> None:
    memory = MemoryReader.open(remembered)
    memory.close()
    with pytest.raises(Busy, match="about to end"):
        memory.ask(lambda parts: parts)
    with pytest.raises(Busy, match="about to end"):
        memory.newest("board", lambda parts: parts, 1.0)
