"""Exports: in pieces what the command line writes whole."""

import io
import json
import sys
from pathlib import Path

import pytest

from paragone.domain import DebateTurn, Item, RatingConfig, Speaker, Stage
from paragone.errors import MissingExtra, NotFound
from paragone.ledger import Ledger
from paragone.ledger.databases import database
from paragone.presenting.board_files import as_csv as board_as_csv
from paragone.presenting.files import as_csv, as_jsonl
from paragone.tournaments.tournament import Tournament
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import exports
from paragone.web.views.exports import COLUMNS, export

POOL = "tournament-1"


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every export of these tests comes in several pieces."""
    monkeypatch.setattr(exports, "PIECE", 7)


@pytest.mark.parametrize("what", ["items", "matches", "verdicts", "turns", "changes"])
def test_records_are_those_that_the_command_line_writes(library: LedgerReader, played: Path, what: str) -> None:
    with Tournament.open(played) as tournament:
        expected = tournament.records(what)
    names = list(COLUMNS[what])
    assert all(list(record) == names for record in expected)
    assert b"".join(export(library, POOL, what, "csv")).decode() == as_csv(expected, names)
    assert b"".join(export(library, POOL, what, "jsonl")).decode() == as_jsonl(expected)


def test_turns_of_debates_come_with_their_matches_however_many_there_are(
    library: LedgerReader, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PAGE", 3)
    for place, recorded in enumerate(library.ledger.matches.all(POOL)[:4]):
        call = recorded.match.comparisons[0].call if place else "nobody"
        for number in (1, 2):
            said = DebateTurn(
                call=call, number=number, speaker=Speaker.FIRST, stage=Stage.OPENING, content=f"{place}", advocate="x"
            )
            library.ledger.tournaments.record_turn(POOL, said)
    with Tournament.open(played) as tournament:
        expected = tournament.records("turns")
    assert [one["match"] == "" for one in expected] == [True, True, *[False] * 6]
    assert b"".join(export(library, POOL, "turns", "jsonl")).decode() == as_jsonl(expected)
    assert list(library.ledger.tournaments.each_turn(POOL)) == list(library.ledger.tournaments.turns(POOL))


@pytest.mark.parametrize("what", ["board", "items", "matches", "verdicts", "turns", "changes"])
def test_parquet_has_the_values_of_json_lines(shared_library: LedgerReader, what: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(io.BytesIO(b"".join(export(shared_library, POOL, what, "parquet"))))
    lines = [json.loads(line) for line in b"".join(export(shared_library, POOL, what, "jsonl")).splitlines()]
    for line in lines:
        if "scores" in line:
            line["scores"] = json.dumps(line["scores"])
    assert table.to_pylist() == lines
    assert table.column_names == list(COLUMNS[what])


def test_the_board_is_that_of_the_command_line(library: LedgerReader, played: Path) -> None:
    with Tournament.open(played) as tournament:
        expected = board_as_csv(tournament.board())
    assert b"".join(export(library, POOL, "board", "csv")).decode() == expected


def test_a_formula_is_no_formula_in_csv_and_half_a_character_is_replaced() -> None:
    ledger = Ledger.open("sqlite://")
    ledger.pools.create("p", RatingConfig())
    ledger.items.add("p", [Item(id="=1+1", text="@SUM(A1)"), Item(id="h", text="half \ud800,\r\nnext")])
    library = LedgerReader(ledger)
    lines = b"".join(export(library, "p", "items", "csv")).decode().split("\n")
    assert lines[1] == "'=1+1,'@SUM(A1),text"
    assert "\r" not in "".join(lines)
    told = [json.loads(line) for line in b"".join(export(library, "p", "items", "jsonl")).splitlines()]
    assert [one["text"] for one in told] == ["@SUM(A1)", "half \ufffd,\r\nnext"]
    board = [json.loads(line) for line in b"".join(export(library, "p", "board", "jsonl")).splitlines()]
    assert [(one["id"], one["rank"], one["rating"]) for one in board] == [("=1+1", 1, None), ("h", 1, None)]


def test_what_cannot_be_is_refused_before_a_byte_is_sent(
    library: LedgerReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFound):
        export(library, "nowhere", "items", "csv")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match="paragone\\[parquet\\]"):
        export(library, POOL, "items", "parquet")
