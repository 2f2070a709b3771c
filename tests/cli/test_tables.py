"""Tables in terminals of any width: figures and words are whole, and nothing is cut off."""

import pytest
from rich.console import Console

from paragone.cli import tables
from paragone.presenting.table import item, number, rank, text
from paragone.presenting.table import table as declared

COLUMNS = ("test", "when", "domain", "Elo", "what was measured")
LINES = [
    ("verification", "2026-11-22 10:04", "mathematics", "+32.00", "5 verified, 1 disproven, K 16"),
    ("red team s1", "2026-11-22 10:03", "", "+8.16", "robustness 0.85, 3 of 20 attacks succeeded"),
    ("red team 宽宽宽", "2026-11-22 10:02", "a rather long domain that goes on", "-30.00", "K 1234567890"),
]


def printed(monkeypatch, width, columns, lines, right):
    console = Console(width=width, color_system=None)
    monkeypatch.setattr(tables, "out", lambda: console)
    with console.capture() as seen:
        tables.print_table(columns, lines, right=right)
    return seen.get()


@pytest.mark.parametrize("width", range(20, 131))
def test_nothing_is_cut_off_at_any_width(monkeypatch, width):
    text = printed(monkeypatch, width, COLUMNS, LINES, frozenset({"Elo"}))
    letters = sorted("".join(text.split()))
    wanted = sorted("".join("".join(line) for line in LINES).replace(" ", ""))
    for letter in wanted:
        letters.remove(letter)  # fails where a letter is lost; names of columns are left
    assert all(figure in text.split() for figure in ("+32.00", "+8.16", "-30.00"))


def test_the_widest_gives_way_and_figures_do_not(monkeypatch):
    columns, lines = ("name", "n"), [("a name of many words that is far too long for one line", "123456789")]
    text = printed(monkeypatch, 30, columns, lines, frozenset({"n"}))
    assert [len(line.rstrip()) for line in text.splitlines()][1] == 30
    assert "123456789" in text


def test_where_rows_are_stacked_names_are_bold_and_cells_are_not():
    stacked = tables._stacked(("name", "n"), [("ada", "7")])
    assert [stacked.plain[span.start : span.end] for span in stacked.spans if span.style == "bold"] == ["name: ", "n: "]


def test_a_table_without_lines_has_its_head(monkeypatch):
    assert printed(monkeypatch, 40, ("name", "n"), [], frozenset({"n"})).split() == ["name", "n"]


LONG = "a name of many words that is far too long for one line of any board"
NAMES = ["short", LONG, "", "x" * 40, "naïve", "宽宽", "a [b] c", "q: r"]


@pytest.mark.parametrize("width", [30, 41, 60, 120])
@pytest.mark.parametrize("names", [NAMES[:4], NAMES, ["one"], NAMES[3:5]])
def test_a_leaderboard_without_colours_is_what_rich_prints(width, names):
    rows = list(enumerate(names))
    table = declared(
        rows,
        rank("rank", lambda row: row[0] + 1, lambda row: row[0] == 0),
        text("range", lambda row: f"{row[0]}-{row[0] + 9}"),
        number("rating", lambda row: 1200.5 * row[0]),
        item("item", lambda row: (f"id{row[0]}", row[1])),
    )
    made = tables.table_for_width(table, width, [(35, 2)])
    console = Console(width=width, color_system=None)
    with console.capture() as ours:
        tables.print_table_for_width(console, made)
    with console.capture() as theirs:
        console.print(made)
    assert ours.get() == theirs.get()


def test_a_plain_leaderboard_does_not_ask_rich():
    table = declared([1, 2], number("rank", lambda row: row), text("item", lambda row: f"item {row}"))
    lines = tables._unstyled(tables.table_for_width(table, 16, []), 16)
    assert lines == ["rank  item      ", "   1  item 1    ", "   2  item 2    "]


def test_a_mark_stands_behind_digits_that_line_up(monkeypatch):
    columns = rank("rank", lambda row: row, lambda row: row == 9), text("item", lambda row: f"item {row}")
    table, head = declared([9, 1000], *columns), "rank   item"
    expected = [head, "   9=  item 9", "1000   item 1000"]
    lines = tables._unstyled(tables.table_for_width(table, 30, []), 30)
    assert lines is not None, "rich need not be asked"
    assert [line.rstrip() for line in lines] == expected
    console = Console(width=30, color_system=None)
    monkeypatch.setattr(tables, "out", lambda: console)
    with console.capture() as seen:
        tables.show(table)
    assert [line.rstrip() for line in seen.get().splitlines()] == expected
