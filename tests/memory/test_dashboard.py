"""The dashboard: what it gathers, what it says, and that nothing in it runs or grows without bound."""

import json
import re
from datetime import UTC, datetime

import pytest

from paragone.analysis.content import quadrant
from paragone.domain.content import Content, ContentKind, ContentTier, Quadrant, TruthSource, UsageMove
from paragone.errors import InvalidConfig, Unwritable
from paragone.memory import Memory
from paragone.memory.dashboard import ContentPool, Dashboard, gather
from paragone.memory.scores import ContentRating
from paragone.memory.store import MemoryConfig
from paragone.presenting.memory_dashboard import as_html, values_of, write
from paragone.presenting.memory_dashboard.charts import charts
from paragone.presenting.memory_dashboard.summary import summary, tiles
from paragone.presenting.memory_dashboard.tables import tables
from paragone.wire.memory import Measures

DAY = 86_400.0
HOSTILE = "docs/<script>alert(1)<&script>.md"


class Clock:
    """Tells a time that a test sets."""

    now = 1_770_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """Two files of which one is loud and false, some use, a symbol, and a file with a hostile name."""
    root, clock = tmp_path_factory.mktemp("root"), Clock()
    (root / "docs").mkdir()
    for name, word in (("loud", "tower"), ("true", "tower"), ("quiet", "river"), ("new", "river")):
        (root / "docs" / f"{name}.md").write_text(f"# {word}\n\nAll about the {word}, {name}.\n")
    (root / HOSTILE).write_text("# Nothing\n\nnothing\n")
    (root / "span.py").write_text("def span():\n    return 1\n")
    with Memory.create(root, clock=clock) as memory:
        memory.index(vectors=False)
        for name, r in (("loud", 0.5), ("true", 3.0), ("quiet", 0.6)):
            memory.supply_truth(f"docs/{name}.md", r)
        for day in range(8):
            clock.now += DAY
            session = memory.session("ann" if day else "bob")
            session.search("tower" if day % 2 else "all about the tower", how="keyword")
            session.read("docs/loud.md")
            if day == 7:
                session.read("docs/true.md")
                session.read(HOSTILE)
            session.end_session("success")
        yield gather(memory.components.store, memory.components.index, memory.components.scores)


def test_each_file_is_where_r_and_elo_put_it(board):
    where = {one.content.id: str(own) for one, own in zip(board.files.ratings, board.files.quadrants, strict=True)}

    assert where["docs/loud.md"] == "echo chamber"
    assert where["docs/true.md"] == "best content"
    assert where["docs/quiet.md"] == "prune candidate"
    assert where["docs/new.md"] == "R unknown"


def test_the_echo_chamber_says_why_it_is_one(board):
    (echo,) = board.files.echoes

    assert board.files.loud == 1
    assert echo.usage.content.id == "docs/loud.md"
    assert (echo.top_user, echo.usage.users) == (
        "ann",
        {"ann": 14, "bob": 2},
    )  # read, and used by a successful session
    assert (echo.usage.shown, echo.usage.queries) == (8, 2)
    assert echo.repeated == 0.75
    assert 0.0 < echo.searched < 1.0
    assert echo.share == pytest.approx(echo.usage.uses / sum(one.uses for one in board.files.ratings))
    told = dict(summary(board))
    assert "docs/loud.md" in told["Echo chambers"]


def test_histories_are_of_what_was_used_and_over_time(board):
    followed = {one.content.id: moves for one, moves in board.histories}

    assert set(followed) >= {"docs/loud.md", "docs/true.md"}
    times = [move.time for move in followed["docs/loud.md"]]
    assert times == sorted(times)
    assert times[-1] - times[0] == pytest.approx(7 * DAY)


def test_tiers_count_every_piece_once(board):
    for pool in board.pools.values():
        assert sum(counts.total() for counts in pool.tiers().values()) == len(pool.ratings)


def test_the_page_has_all_its_parts_and_runs_nothing_else(board):
    page = as_html(board)

    for title in ("R against Elo: files", "Echo chambers", "Files by tier", "Ratings over time", "Need against Elo"):
        assert title in page
    for title in ("Files without an R", "Sizes of tiers", "Highest rated files", "Measures of success", "Constants"):
        assert title in page
    assert page.count("<script") == 3  # plotly, its data, the page's own
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert re.search(r"default-src (&#39;|')none(&#39;|'); script-src (&#39;|')sha256-", page)


def test_the_summary_and_the_tiles_tell_the_numbers(board):
    told, numbers = dict(summary(board)), dict(tiles(board))

    assert told["What there is"].startswith("6 files, ")
    assert (numbers["files"], numbers["echo chamber"], numbers["R unknown"]) == ("6", "1", "3")
    assert any("no R: the gate is open" in words for about, words in summary(board) if about == "Beware")


def test_the_values_are_json(board):
    values = json.loads(json.dumps(values_of(board), allow_nan=False))

    assert values["pools"]["file"]["quadrants"]["echo chamber"] == 1
    assert values["pools"]["file"]["echo_chambers"][0]["users"] == {"ann": 14, "bob": 2}
    assert {one["name"] for one in values["metrics"]} >= {"convergence", "LITE accuracy", "search efficiency"}


def test_it_is_written_by_its_ending(board, tmp_path):
    write(board, tmp_path / "page.html")
    write(board, tmp_path / "page.json")

    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert json.loads((tmp_path / "page.json").read_text())["pools"]["file"]["count"] == 6
    with pytest.raises(InvalidConfig, match=r"page\.csv"):
        write(board, tmp_path / "page.csv")
    with pytest.raises(Unwritable):
        write(board, tmp_path / "none" / "page.html")


def test_an_empty_store_says_how_to_begin(tmp_path):
    with Memory.create(tmp_path) as memory:
        board = gather(memory.components.store, memory.components.index, memory.components.scores)

    assert dict(summary(board))["What there is"] == "The index is empty; begin with: paragone memory index."
    assert "paragone memory index" in as_html(board)


def test_one_file_that_nobody_read_makes_a_page(tmp_path):
    (tmp_path / "a.md").write_text("# A\n")
    with Memory.create(tmp_path) as memory:
        memory.index(vectors=False)
        board = gather(memory.components.store, memory.components.index, memory.components.scores)

    assert board.files.used == 0
    assert "R is unknown for all files" in dict(summary(board))["Truth"]
    assert "R against Elo" in as_html(board)


def rated(number: int) -> ContentRating:
    name = f"src/package_{number % 50}/module_{number}.py"
    r = (None, 0.5, 3.0)[number % 3]
    elo = 800.0 + number % 900
    return ContentRating(
        content=Content.file(name),
        rating=elo,
        elo=elo,
        stored=elo,
        need=elo,
        tier=ContentTier.LOW,
        initial=1200.0,
        updates=number % 7,
        uses=number % 5,
        last_use=1_770_000_000.0,
        r=r,
        r_source=None if r is None else TruthSource.SUPPLIED,
        is_high=None if r is None else r > 1.7,
        gate=1.0,
        pinned=False,
    )


def test_many_files_make_a_page_that_a_browser_opens(board):
    ratings = tuple(sorted((rated(number) for number in range(20_000)), key=lambda one: -one.elo))
    where = tuple(quadrant(one.is_high, one.elo) for one in ratings)
    pool = ContentPool(kind=ContentKind.FILE, ratings=ratings, quadrants=where, echoes=())
    moves = tuple(
        UsageMove(content=ratings[0].content, event=str(n), time=float(n), old=0.0, new=float(n), reason="file_read")
        for n in range(2000)
    )
    large = Dashboard(
        root=board.root,
        at=board.at,
        config=MemoryConfig(),
        pools={ContentKind.FILE: pool},
        often=1200.0,
        histories=((ratings[0], moves),),
        measures=Measures(at=datetime.fromtimestamp(0, UTC), sessions=0, measures=[]),
        archived=(),
        unknown={},
    )
    drawn = charts(large)
    rows = tables(large, top=30)

    assert len(json.dumps([chart.figure for chart in drawn])) < 1_500_000
    assert max(len(table.rows) for table in rows) == 30
    assert "of 20,000 files" in drawn[0].note
    assert any("Shown: 30 of" in table.note for table in rows)
    assert {one.value for one in Quadrant} <= set(dict(tiles(large)))
