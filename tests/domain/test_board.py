"""The board as a value."""

import json
from dataclasses import replace

import pytest

from paragone.domain import Board, BoardRow


def board():
    numbers = {"rank_low": 1, "rank_high": 2, "rating": 1234.5, "low": 1200.0, "high": 1269.0, "elo": 1216.0}
    counts = {"wins": 2, "losses": 1, "ties": 0, "matches": 3}
    rows = (
        BoardRow(id="a", text="first\nidea", rank=1, **numbers, **counts),
        BoardRow(id="b", rank=2, **numbers, **counts),
    )
    return Board(items=rows, seed=7)


def test_rows_by_id():
    assert board()["b"].rank == 2
    assert len(board()) == 2
    with pytest.raises(KeyError):
        board()["c"]


def test_plain_values_survive_json():
    assert json.loads(json.dumps(board().as_dict()))["items"][0]["rating"] == 1234.5


def test_prints_as_a_table():
    header, first, _ = str(board()).splitlines()
    assert header.split() == ["rank", "rating", "interval", "W-L-T", "item"]
    assert "1 (1-2)" in first
    assert "1200 to 1269" in first
    assert "2-1-0  a  first idea" in first


def test_the_printed_board_says_why_the_run_stopped():
    reason = "the judge answered none of 12 matches"
    assert str(replace(board(), stopped=reason)).endswith(f"\n\nstopped: {reason}")
