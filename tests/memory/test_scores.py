"""The scores of a store: worked numbers from the logs to the rating, and the same bits whenever they are made."""

import math
import sqlite3
from dataclasses import replace

import pytest

from paragone.domain.content import Action, Content, ContentKind, PoolSize, TruthSource, UsageConfig
from paragone.memory.scores import Scores, counting
from paragone.memory.store import (
    AccessLine,
    IndexLine,
    MemoryConfig,
    ResultRow,
    SearchLine,
    SessionLine,
    Store,
    TruthLine,
)
from paragone.memory.store.config import SearchRankingConfig, TierConfig

DAY = 86_400.0
NOW = 1_767_322_800.0  # 2026-01-02T03:00:00Z
FILE, VECTOR, SYMBOL, ADR = ContentKind.FILE, ContentKind.VECTOR, ContentKind.SYMBOL, ContentKind.ADR


def file(path):
    return Content(kind=FILE, id=path, path=path)


class Kept:
    """A store with its scores, and a clock that stands."""

    def __init__(self, root, **config):
        self.now = NOW
        root.mkdir(exist_ok=True)
        self.store = Store.create(root, config=MemoryConfig(**config), clock=lambda: self.now)
        self.scores = Scores(self.store)

    def search(self, *paths, hash="h", id=""):
        rows = tuple(
            ResultRow(rank=n, file_path=path, hash=f"{hash}{n}" if hash else "", similarity=0.5)
            for n, path in enumerate(paths, 1)
        )
        return self.store.logs.append([SearchLine(id=id, tool="semantic_search", query="q", results=rows)])[0].id

    def read(self, path, search="", action=Action.READ, **more):
        line = AccessLine(action=action, entity_type=FILE, entity_id=path, file_path=path, search_id=search, **more)
        return self.store.logs.append([line])

    def truth(self, path, r, source=TruthSource.SUPPLIED):
        self.store.logs.append([TruthLine(entity_type=FILE, entity_id=path, file_path=path, source=source, r=r)])

    def rating(self, content, as_of=None, **more):
        found = self.scores.ratings([content], as_of=self.now if as_of is None else as_of, **more)
        assert list(found) == [content]
        return found[content]

    def reasons(self, content):
        return [move.reason for move in self.scores.moves(content)]


@pytest.fixture
def keeping(tmp_path):
    made = []

    def make(name="root", **config):
        made.append(Kept(tmp_path / name, **config))
        return made[-1]

    yield make
    for kept in made:
        kept.scores.close()
        kept.store.close()


@pytest.fixture
def kept(keeping):
    return keeping()


class TestWorkedNumbers:
    def test_new_content_with_a_high_r_at_rank_one(self, keeping):
        kept = keeping(ratings=UsageConfig(zero_sum=False))
        kept.truth("a.py", 2.0)
        kept.truth("b.py", 1.0)
        kept.search("a.py", "b.py")
        first, second = Content(kind=VECTOR, id="h1", path="a.py"), Content(kind=VECTOR, id="h2", path="b.py")
        assert kept.rating(first).stored == 1216.0
        assert kept.rating(second).stored == 1202.0, "rank 2 is worth 8, a quarter of it passes"
        assert kept.reasons(first) == ["semantic_search_rank_1"]
        assert kept.rating(file("b.py")).gate == 0.25

    def test_gated_at_rank_one_it_is_plus_four(self, keeping):
        kept = keeping(ratings=UsageConfig(zero_sum=False))
        kept.truth("a.py", math.sqrt(3.0))
        kept.search("a.py")
        assert kept.rating(Content(kind=VECTOR, id="h1", path="a.py")).stored == 1204.0

    def test_established_content_gains_half(self, keeping):
        kept = keeping(ratings=UsageConfig(zero_sum=False))
        for _ in range(11):
            kept.search("a.py")
        moves = kept.scores.moves(file("a.py"))
        assert [move.delta for move in moves] == [16.0] * 10 + [8.0]

    def test_1600_after_thirty_days_reads_1094_30_and_is_not_eroded(self, kept):
        kept.read("AGENTS.md")
        stored = kept.rating(file("AGENTS.md")).stored
        later = kept.rating(file("AGENTS.md"), as_of=NOW + 30 * DAY)
        assert stored == pytest.approx(1600.0 + 16.0 / 11.0), "against a pool of 1200: expected 10 of 11"
        assert later.elo == pytest.approx(800.0 + (stored - 800.0) / math.e)
        assert later.stored == stored
        untouched = kept.rating(file("LAW/CANON/x.md"), as_of=NOW + 30 * DAY, since={"LAW/CANON/x.md": NOW})
        assert f"{untouched.elo:.2f}" == "1094.30"
        assert untouched.pinned

    def test_a_read_after_a_search(self, kept):
        kept.read("b.py", kept.search("a.py", "b.py", "c.py"))
        assert kept.rating(file("b.py")).stored == 1208.0
        assert [kept.rating(file(name)).stored for name in ("a.py", "c.py")] == [1196.0, 1196.0]
        assert kept.reasons(file("a.py")) == ["shown_unused"]
        assert kept.reasons(file("b.py")) == ["file_read"]
        assert kept.rating(Content(kind=VECTOR, id="h2", path="b.py")).stored == 1208.0, "rank 2"

    def test_all_kinds_and_reasons(self, kept):
        symbol, record = Content(kind=SYMBOL, id="@a.py::f", path="a.py"), Content(kind=ADR, id="ADR-027", path="d.md")
        lines = [
            AccessLine(action=Action.EXPANDED, entity_type=SYMBOL, entity_id=symbol.id, also=((FILE, "a.py"),)),
            AccessLine(
                action=Action.READ, entity_type=ADR, entity_id="ADR-027", file_path="d.md", also=((FILE, "d.md"),)
            ),
            AccessLine(action=Action.CITED, entity_type=ADR, entity_id="ADR-027", file_path="d.md"),
            AccessLine(action=Action.CONTRADICTED, entity_type=FILE, entity_id="a.py"),
        ]
        kept.store.logs.append(lines)
        audit = SessionLine(
            start_time=NOW, end_time=NOW, files_accessed=("a.py",), symbols_expanded=("@a.py::f",),
            adrs_read=("ADR-027",), outcome="success",
        )  # fmt: skip
        kept.store.logs.append([audit])
        assert kept.reasons(symbol) == ["symbol_expansion", "symbol_read", "symbol_used"]
        assert kept.reasons(record) == ["adr_read", "adr_citation", "adr_read", "adr_used"]
        assert kept.reasons(file("a.py")) == ["file_read", "file_contradicted", "file_read", "file_used"]

    def test_pages_of_one_read_are_one(self, kept):
        kept.read("a.py")
        kept.read("a.py", part=1)
        kept.read("a.py", part=2)
        assert kept.rating(file("a.py")).uses == 1

    def test_the_mean_of_a_pool_counts_what_was_never_touched(self, kept):
        kept.store.logs.append([IndexLine(pools={FILE: PoolSize(count=100, mean_initial=1000.0)})])
        kept.read("a.py")
        gain = 16.0 / (1.0 + 10.0 ** ((1200.0 - 1000.0) / 400.0))
        assert kept.rating(file("a.py")).stored == pytest.approx(1200.0 + gain)
        pool = kept.scores.pools()[FILE]
        assert (pool.count, pool.rated) == (100, 1)
        assert pool.mean == pytest.approx(1000.0 + gain / 100)

    def test_r_of_a_source_is_taken_back_by_null(self, kept):
        kept.truth("a.py", 0.1)
        kept.truth("a.py", 2.0, TruthSource.AGREEMENT)
        assert (kept.rating(file("a.py")).r, kept.rating(file("a.py")).is_high) == (0.1, False)
        kept.truth("a.py", None)
        one = kept.rating(file("a.py"))
        assert (one.r, one.r_source, one.is_high, one.gate) == (2.0, TruthSource.AGREEMENT, True, 1.0)
        kept.truth("a.py", None, TruthSource.AGREEMENT)
        assert (kept.rating(file("a.py")).r, kept.rating(file("a.py")).is_high) == (None, None)

    def test_need_counts_where_it_is_configured(self, keeping):
        kept = keeping(ranking=SearchRankingConfig(rank_by="need"))
        kept.read("a.py")
        one = kept.rating(file("a.py"), as_of=NOW + DAY)
        assert one.rating == one.need == pytest.approx(1200.0 + 400.0 * math.log10(2.0))


class TestRenames:
    @pytest.mark.parametrize("counted_between", [False, True])
    def test_a_search_after_the_rename_means_the_path_that_it_says(self, kept, counted_between):
        search = kept.search("a.py", "b.py", hash="")
        if counted_between:
            kept.scores.catch_up()
        kept.store.logs.append([IndexLine(timestamp=NOW - DAY, renamed=(("a.py", "c.py"),))])
        if counted_between:
            kept.scores.catch_up()
            kept.scores.close()
            kept.scores = Scores(kept.store)
        kept.read("a.py", search)
        assert kept.rating(file("a.py")).stored == 1208.0
        assert (kept.rating(file("b.py")).stored, kept.rating(file("c.py")).updates) == (1192.0, 0)

    def test_a_file_takes_its_standing_and_that_of_its_symbols_along(self, kept):
        kept.read("old.py")
        symbol = "@old.py::f"
        kept.store.logs.append([AccessLine(action=Action.EXPANDED, entity_type=SYMBOL, entity_id=symbol)])
        kept.read("old.py", kept.search("old.py", "b.py"))
        before = kept.rating(file("old.py")), kept.rating(Content(kind=SYMBOL, id=symbol))
        kept.store.logs.append([IndexLine(renamed=(("old.py", "new.py"),))])
        after = kept.rating(file("new.py")), kept.rating(Content(kind=SYMBOL, id="@new.py::f"))
        assert [(one.stored, one.uses) for one in after] == [(one.stored, one.uses) for one in before]
        assert kept.rating(file("old.py")).updates == 0
        assert kept.reasons(file("new.py")) == ["file_read", "file_read"]
        vector = next(one for one in kept.scores.rated(VECTOR) if one.content.id == "h1")
        assert vector.content.path == "new.py"

    def test_the_busier_rating_stays_where_the_new_path_has_one(self, kept):
        for path in ("old.py", "old.py", "new.py"):
            kept.read(path)
            kept.now += 10.0
        busier, net = kept.rating(file("old.py")).stored, kept.scores.pools()[FILE]
        kept.store.logs.append([IndexLine(renamed=(("old.py", "new.py"),))])
        one, pool = kept.rating(file("new.py")), kept.scores.pools()[FILE]
        assert (one.stored, one.uses, one.updates) == (busier, 3, 3)
        assert (net.rated, pool.rated) == (2, 1)
        assert pool.net == pytest.approx(busier - 1200.0)
        assert len(kept.scores.moves(file("new.py"))) == 3

    def test_of_two_that_are_as_busy_the_one_that_is_there_holds_and_so_does_its_r(self, kept):
        for path, r in {"old.py": 0.1, "new.py": 3.0}.items():
            kept.read(path)
            kept.truth(path, r)
        kept.truth("old.py", 0.2, TruthSource.AGREEMENT)
        old, new = kept.rating(file("old.py")).stored, kept.rating(file("new.py")).stored
        kept.store.logs.append([IndexLine(renamed=(("old.py", "new.py"),))])
        one = kept.rating(file("new.py"))
        assert (one.stored, one.r, one.uses) == (new, 3.0, 2)
        assert old != new
        kept.truth("new.py", None)
        assert kept.rating(file("new.py")).r == 0.2, "of a source that only the other had"

    def test_a_search_before_it_means_the_new_path(self, kept):
        search = kept.search("old.py", "b.py")
        kept.read("b.py", search)
        kept.store.logs.append([IndexLine(renamed=(("old.py", "new.py"),))])
        assert kept.rating(file("new.py")).stored == 1192.0
        kept.read("new.py", search)
        assert kept.rating(file("new.py")).stored > 1200.0, "it has its payment back"
        assert kept.rating(file("old.py")).updates == 0

    def test_a_name_that_was_used_again_since_keeps_its_standing(self, kept):
        kept.read("a.py")
        long_ago = SessionLine(start_time=NOW - DAY, end_time=NOW - DAY, renamed=(("a.py", "b.py"),), source="git")
        kept.store.logs.append([long_ago])
        assert (kept.rating(file("a.py")).uses, kept.rating(file("b.py")).uses) == (1, 0)


class TestMadeAnew:
    def test_other_logs_of_the_same_length_are_counted_anew(self, kept):
        kept.read("a.py")
        kept.scores.catch_up()
        kept.scores.close()
        for path in (kept.store.path / "logs").iterdir():
            path.unlink()
        with Store.open(kept.store.root, clock=lambda: NOW) as store:
            store.logs.append([AccessLine(action=Action.READ, entity_type=FILE, entity_id="b.py")])
            with Scores(store) as other:
                assert [one.content.id for one in other.rated()] == ["b.py"]
                assert other.rebuild_reason == "the logs are not those that were counted"

    def test_a_lost_update_log_is_missed_after_lines_that_moved_nothing_too(self, kept):
        kept.read("a.py")
        kept.scores.catch_up()
        kept.search("a.py")
        kept.scores.catch_up()
        kept.scores.close()
        (kept.store.path / "logs" / "elo_updates.jsonl").unlink()
        with Scores(kept.store) as again:
            again.catch_up()
            assert "update log" in again.rebuild_reason
        assert [line.reason for line in kept.store.logs.updates()] == ["file_read"]

    def _play(self, kept):
        for n in range(30):
            search = kept.search(*[f"{(n * k) % 7}.py" for k in range(1, 6)], hash=f"h{n}-")
            kept.read(f"{n % 7}.py", search)
            kept.truth(f"{n % 5}.py", float(n % 3))
            kept.now += 3600.0
        kept.store.logs.append([IndexLine(renamed=(("3.py", "4.py"), ("1.py", "9.py")))])
        kept.read("9.py")

    def test_deleted_and_counted_again_they_are_the_same_bits(self, kept):
        self._play(kept)
        kept.scores.catch_up()
        first, pools = {one.content: one for one in kept.scores.rated()}, kept.scores.pools()
        assert kept.scores.rebuild().lines == kept.store.logs.last_seq
        assert {one.content: one for one in kept.scores.rated()} == first
        assert kept.scores.pools() == pools
        kept.scores.close()
        for path in kept.store.path.glob("elo_scores.db*"):
            path.unlink()
        with Scores(kept.store) as anew:
            assert {one.content: one for one in anew.rated()} == first
            assert repr(anew.pools()) == repr(pools)

    def test_deleted_under_an_open_one_it_is_made_again(self, kept):
        self._play(kept)
        before = list(kept.scores.rated())
        for path in kept.store.path.glob("elo_scores.db*"):
            path.unlink()
        assert list(kept.scores.rated()) == before

    def test_a_damaged_file_is_made_again(self, kept):
        self._play(kept)
        before = list(kept.scores.rated())
        kept.scores.close()
        (kept.store.path / "elo_scores.db").write_bytes(b"no database" * 500)
        with Scores(kept.store) as anew:
            assert list(anew.rated()) == before

    def test_one_that_is_damaged_behind_its_beginning_is_made_again(self, kept):
        self._play(kept)
        before = list(kept.scores.rated())
        kept.scores.close()
        path = kept.store.path / "elo_scores.db"
        whole = path.read_bytes()
        path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
        with Scores(kept.store) as anew:
            assert list(anew.rated()) == before

    def test_one_of_another_version_is_made_again(self, kept):
        self._play(kept)
        before = list(kept.scores.rated())
        kept.scores.close()
        raw = sqlite3.connect(kept.store.path / "elo_scores.db")
        raw.execute("PRAGMA user_version = 99")
        raw.execute("DROP TABLE move")
        raw.close()
        with Scores(kept.store) as anew:
            assert list(anew.rated()) == before

    def test_two_that_look_at_once_agree(self, kept):
        with Scores(kept.store) as other:
            for _ in range(3):
                self._play(kept)
                assert list(other.rated()) == list(kept.scores.rated())
                kept.read("0.py")
                assert list(kept.scores.rated()) == list(other.rated())
        assert len({line.id for line in kept.store.logs.updates()}) == len(list(kept.store.logs.updates()))

    @pytest.mark.parametrize(
        "change",
        [{"ratings": UsageConfig(k_new=20.0)}, {"tiers": TierConfig(default="low")}],
    )
    def test_another_configuration_has_all_counted_anew_and_says_so(self, kept, change):
        self._play(kept)
        before = list(kept.scores.rated())
        assert kept.scores.rebuild_reason == ""
        kept.scores.close()
        kept.store.config = replace(kept.store.config, **change)
        with Scores(kept.store) as anew:
            assert list(anew.rated()) != before
            assert anew.rebuild_reason == "the configuration of ratings or tiers has changed"
            rated = [one for one in anew.rated() if one.updates]
            assert len(list(kept.store.logs.updates())) == sum(one.updates for one in rated)

    def test_another_configuration_of_something_else_has_not(self, kept):
        self._play(kept)
        kept.scores.catch_up()
        kept.scores.close()
        kept.store.config = replace(kept.store.config, ranking=SearchRankingConfig(rank_by="need"))
        with Scores(kept.store) as again:
            assert again.catch_up() == 0
            assert again.rebuild_reason == ""

    def test_a_lost_update_log_is_written_again(self, kept):
        self._play(kept)
        kept.scores.catch_up()
        lines = [replace(line, timestamp=0.0) for line in kept.store.logs.updates()]
        kept.scores.close()
        (kept.store.path / "logs" / "elo_updates.jsonl").unlink()
        with Scores(kept.store) as again:
            again.catch_up()
            assert "update log" in again.rebuild_reason
        assert [replace(line, timestamp=0.0) for line in kept.store.logs.updates()] == lines

    def test_other_logs_under_the_same_scores_are_counted_from_nothing(self, kept, keeping):
        self._play(kept)
        kept.scores.catch_up()
        kept.scores.close()
        other = keeping("other")
        other.read("z.py")
        other.scores.close()
        (kept.store.path / "elo_scores.db").replace(other.store.path / "elo_scores.db")
        for name in ("-wal", "-shm"):
            (other.store.path / f"elo_scores.db{name}").unlink(missing_ok=True)
        with Scores(other.store) as scores:
            assert [one.content.id for one in scores.rated()] == ["z.py"]


class TestReading:
    def test_a_use_may_refer_to_one_of_the_last_searches(self, kept, monkeypatch):
        monkeypatch.setattr(counting, "MAX_OPEN_SEARCHES", 3)
        ids = [kept.search(f"{n}.py", "x.py", hash="") for n in range(5)]
        kept.read("1.py", ids[1])
        assert kept.rating(file("x.py")).updates == 0, "forgotten: as if without a search"
        kept.read("2.py", ids[2])
        assert kept.rating(file("x.py")).updates == 1

    def test_nothing_new_is_nothing_counted(self, kept):
        kept.read("a.py")
        assert kept.scores.catch_up() == 1
        assert kept.scores.catch_up() == 0

    def test_a_log_taken_in_twice_and_in_halves_changes_nothing(self, kept, keeping, tmp_path):
        row = '{"hash":"h","file_path":"a.py","rank":1,"similarity":0.9}'
        line = (
            '{"session_id":"s","timestamp":"2026-01-02T03:04:05Z","tool":"semantic_search","query":"Q","results":[ROW]}'
        )
        theirs = [line.replace("Q", f"query {n}").replace("ROW", row) for n in range(20)]
        whole, half = tmp_path / "whole.jsonl", tmp_path / "half.jsonl"
        whole.write_text("\n".join(theirs) + "\n")
        half.write_text("\n".join(theirs[:11]) + "\n")
        once, often = (
            keeping("once", ratings=UsageConfig(zero_sum=False)),
            keeping("often", ratings=UsageConfig(zero_sum=False)),
        )
        once.store.logs.import_file(whole)
        for path in (half, half, whole, whole, half):
            often.store.logs.import_file(path)
            often.scores.catch_up()
        assert list(often.scores.rated()) == list(once.scores.rated())
        assert often.rating(file("a.py")).updates == 20

    def test_symbols_and_vectors_fall_back_to_the_r_of_their_file(self, kept):
        kept.truth("a.py", 0.2)
        one = kept.rating(Content(kind=SYMBOL, id="@a.py::f"))
        assert (one.r, one.is_high, one.content.path) == (0.2, False, "a.py")

    def test_an_initial_rating_outside_of_floor_and_ceiling_is_brought_within(self, keeping):
        kept = keeping(ratings=UsageConfig(ceiling=1500.0))
        assert kept.rating(file("AGENTS.md")).stored == 1500.0

    def test_the_newest_moves_come_last(self, kept):
        for _ in range(5):
            kept.read("a.py")
        moves = kept.scores.moves(file("a.py"), limit=2)
        assert [move.new for move in moves] == [move.new for move in kept.scores.moves(file("a.py"))][-2:]
        assert moves[1].old == moves[0].new
