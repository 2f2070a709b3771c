"""What a board says beside its rows, over REST, in the client and in a browser: columns, remarks, direction."""

import html
from pathlib import Path

import pytest

import paragone
from paragone.client.connection import read
from paragone.presenting.board_facts import cautions, side_information
from paragone.tournaments.tournament import Tournament
from paragone.web.config import WebConfig
from paragone.web.views.board import board
from paragone.wire.board import Board

BOARD = "/pools/wrong-1"
SIZE = 8


@pytest.fixture(scope="module")
def judged_wrong(tmp_path_factory) -> Path:
    """A ledger with a tournament whose judge has it upside down, which gold pairs show; stars go with the truth."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "strengths.csv").write_text("id,score\n" + "".join(f"i{at},{-at}\n" for at in range(SIZE)))
    items = [{"id": f"i{at}", "text": f"text {at}", "<b>stars": at * at} for at in range(SIZE)]
    gold = [(f"i{at}", f"i{at - 4}") for at in range(4, SIZE)]
    judge = f"simulated:{folder / 'strengths.csv'}"
    terms = {"db": folder / "wrong.db", "name": "wrong", "seed": 1, "budget": 40, "use": "<b>stars", "gold": gold}
    paragone.rank(items, "better", judge=judge, **terms)
    return folder / "wrong.db"


@pytest.fixture
def answered(judged_wrong, client_of):
    """A client of an app over it."""
    return client_of(WebConfig(db=str(judged_wrong)))


def test_rest_has_what_the_terminal_says(judged_wrong, answered):
    with Tournament.open(judged_wrong) as tournament:
        expected = tournament.board()
    assert expected.side.columns[0].points > 0
    assert expected.direction.inverted == 1
    assert {remark.kind for remark in expected.remarks} == {"extremes"}

    page = read(Board, answered.get(f"/api/v1{BOARD}/board"))
    assert page.side.columns == list(expected.side.columns)
    assert page.side.tau == expected.side.tau
    assert page.direction == expected.direction
    assert page.remarks == list(expected.remarks)
    assert page.prior is None
    assert [row.without for row in page.rows] == list(expected.side.without)


def test_a_board_without_columns_says_nothing_of_them(library):
    library.board("tournament-1")
    plain = board(library, "tournament-1")
    assert (plain.side, plain.direction, plain.prior) == (None, None, None)
    assert all(row.without is None for row in plain.rows)


def test_the_page_has_the_words_of_the_terminal_with_names_escaped(judged_wrong, answered):
    shown = answered.get(BOARD).text
    with Tournament.open(judged_wrong) as tournament:
        current = tournament.board()
    words = [*side_information(current.side), *cautions(current.remarks, current.direction, current.prior)]
    assert len(words) >= 4
    assert all(html.escape(value) in shown for _, value in words)
    assert "<b>stars" not in shown
    assert shown.count("without columns: ") == SIZE
    assert "turned round" in answered.get(f"{BOARD}/judges").text
