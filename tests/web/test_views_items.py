"""Items: where they stand, how their ratings went, what is said of them."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from paragone.domain import Item, Match, Outcome, RatingConfig, Review
from paragone.errors import NotFound
from paragone.ledger import Ledger
from paragone.presenting.tournament_report import leaderboard_of, values_of
from paragone.tournaments.records.chronicle import Chronicle
from paragone.tournaments.records.round_records import dated_changes
from paragone.tournaments.report import gather
from paragone.tournaments.results.tournament_board import stored_board
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.board import board, compare
from paragone.web.views.items import item, items

POOL = "tournament-1"


def test_an_item_stands_where_the_board_has_it_among_its_neighbours_there(library: LedgerReader) -> None:
    rows = board(library, POOL).rows
    seen = item(library, POOL, rows[4].id)
    assert seen.row == rows[4]
    assert [row.id for row in seen.around] == [row.id for row in rows[1:8]]
    assert [row.id for row in item(library, POOL, rows[0].id).around] == [row.id for row in rows[:4]]


def test_the_progression_has_the_moves_of_the_documents(library: LedgerReader) -> None:
    chronicle = Chronicle.read(library.ledger, library.state(POOL))
    expected = [move for move in dated_changes(chronicle) if move.change.item == "i2"]
    seen = item(library, POOL, "i2")
    assert seen.moves == len(expected) > 3
    assert [(one.match, one.old, one.new) for one in seen.progression] == [
        (move.change.match, move.change.old, move.change.new) for move in expected
    ]


def test_an_item_has_one_interval_wherever_it_is_shown(library: LedgerReader, played: Path) -> None:
    expected = {row.id: (row.low, row.high) for row in stored_board(str(played), POOL).items}
    rows = board(library, POOL).rows
    assert {row.id: (row.low, row.high) for row in rows} == expected
    assert {row.id: (row.low, row.high) for row in compare(library, POOL).items} == expected
    report = gather(library.ledger, library.state(POOL))
    assert {row["id"]: (row["low"], row["high"]) for row in leaderboard_of(report)} == expected
    last = values_of(report)["known"][-1]["strength"]
    assert {id: (look["low"], look["high"]) for id, look in last.items()} == expected
    for id, interval in expected.items():
        assert set(intervals(asdict(item(library, POOL, id)), id)) == {interval}


def intervals(value: object, id: str) -> Iterator[tuple[object, object]]:
    """Every interval in a value that is not named as another item's."""
    if isinstance(value, dict):
        if "low" in value and value.get("id", id) == id:
            yield value["low"], value["high"]
        for part in value.values():
            yield from intervals(part, id)
    elif isinstance(value, list):
        for part in value:
            yield from intervals(part, id)


def test_items_are_listed_as_they_were_added_page_by_page(library: LedgerReader) -> None:
    first = items(library, POOL, limit=5)
    second = items(library, POOL, limit=5, after=first.next)
    assert [one.id for one in first.items + second.items] == [f"i{number}" for number in range(8)]
    assert second.next is None


@pytest.fixture
def told(tmp_path: Path) -> LedgerReader:
    """A weighted tournament that goes by similarities of pairs; with reviews, and an item that is retired."""
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("a,b,similarity\nx,y,0.5\nx,z,0.75\n")
    ledger = Ledger.open(tmp_path / "t.db")
    things = tuple(Item(id=id, text=f"text of {id}") for id in "xyz")
    brief = settings_for(3, criteria="c", judge="given: me", seed=1, pairing="weighted", similarity=f"pairs:{pairs}")
    said = (Review(item="x", reviewer="ann", score=0.8, scores=(("novelty", 0.6),), text="fine"),)
    TournamentState.begin(ledger, "t", brief, things, RatingConfig(), reviews=said)
    ledger.items.record_review("t-1", Review(item="x", reviewer="ann", score=0.4, text="on second thoughts"))
    ledger.tournaments.add_event("t-1", "retired", {"items": ["x"], "reason": "withdrawn"})
    found = LedgerReader(ledger)
    yield found
    found.close()


def test_an_item_tells_reviews_likeness_and_that_it_is_away(told: LedgerReader) -> None:
    seen = item(told, "t-1", "x")
    assert [(one.reviewer, one.score, one.text) for one in seen.reviews] == [("ann", 0.4, "on second thoughts")]
    assert [(one.id, one.similarity, one.text) for one in seen.neighbours] == [
        ("z", 0.75, "text of z"),
        ("y", 0.5, "text of y"),
    ]
    assert (seen.retired, item(told, "t-1", "y").retired) == ("withdrawn", "")


def test_a_file_of_similarities_that_is_gone_leaves_them_unknown(told: LedgerReader, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").unlink()
    assert item(told, "t-1", "x").neighbours == []


def test_an_item_of_a_plain_pool_stands_by_its_elo() -> None:
    ledger = Ledger.open("sqlite://")
    ledger.pools.create("p", RatingConfig())
    ledger.items.add("p", [Item(id=id, text=id) for id in "ab"])
    ledger.matches.record("p", Match(id="m", a="a", b="b", outcome=Outcome.B))
    seen = item(LedgerReader(ledger), "p", "a")
    assert (seen.row.rank, seen.row.elo, seen.row.rating, seen.row.form) == (2, 1184.0, None, "L")
    assert (seen.around, seen.neighbours, [move.new for move in seen.progression]) == ([], [], [1184.0])


def test_an_item_that_is_not_there_is_not_found(library: LedgerReader) -> None:
    with pytest.raises(NotFound, match="nobody"):
        item(library, POOL, "nobody")
