"""A board as a file."""

import csv
import io
import json
import re
import sys
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from paragone.domain import (
    Board,
    BoardRow,
    ColumnReport,
    Forecast,
    JudgeReport,
    PlainRow,
    SideReport,
    Slice,
    SliceReport,
    SliceRow,
    Spending,
    WinRates,
)
from paragone.domain.board import TableRow
from paragone.errors import InvalidConfig, MissingExtra, Unwritable
from paragone.presenting.board_facts import certainty, cost, facts, reliability, side_information, slice_facts
from paragone.presenting.board_files import as_csv, as_html, as_json, check, check_plots, write, write_plots
from paragone.presenting.board_page import write_site
from paragone.presenting.board_tables import ranked_items, rates, sliced, wins
from paragone.presenting.figures import leaderboard
from paragone.presenting.figures.theme import BLUE, ORANGE
from paragone.presenting.matplotlib_figures import sheet_of
from paragone.presenting.plots import ratings
from paragone.presenting.terms import top_found


def row(id, rank, rating, text=""):
    return BoardRow(
        id=id,
        text=text or id,
        rank=rank,
        rank_low=1,
        rank_high=2,
        rating=rating,
        low=rating - 50,
        high=rating + 50,
        elo=rating,
        wins=1,
        losses=0,
        ties=0,
        matches=1,
    )


BOARD = Board(
    items=(row("a", 1, 1250.5, "<script>alert(1)</script>"), row("b", 2, 1149.5, "two\nlines, with a comma")),
    spending=Spending(decisions=2, requests=3, failed=1, input_tokens=900, output_tokens=100, dollars=0.25),
    judges=(
        JudgeReport(
            judge="j",
            comparisons=2,
            first_share=0.5,
            tie_rate=0.0,
            position_bias=0.4,
            position_low=0.1,
            position_high=0.7,
        ),
    ),
    forecast=Forecast(p_best=0.9, recall=0.9, top=1, tau=0.7),
    stopped="the budget of 3 comparisons is spent",
    tournament="ideas-1",
    seed=7,
)


def test_items_that_share_a_rank_are_marked_everywhere():
    shared = replace(BOARD, items=(row("a", 1, 1250.0), row("b", 1, 1250.0), row("c", 3, 1100.0)))
    written = ["1=", "1=", "3"]
    for table in (ranked_items(shared), wins(replace(shared, table=swiss_table(shared)))):
        cells = [line[0] for line in table.lines]
        assert [(cell.text, cell.mark, cell.key) for cell in cells] == [("1", "=", 1), ("1", "=", 1), ("3", "", 3)]
    assert as_html(shared).count('<td class="n">1<span class="after">=</span></td>') == 2
    labels = [f"{rank}  {id}" for rank, id in zip(written, "abc", strict=True)]
    assert [mark.text for mark in ratings(shared).marks if getattr(mark, "text", "").endswith(tuple("abc"))] == labels
    assert leaderboard(shared.items)["layout"]["yaxis"]["ticktext"] == labels


def swiss_table(board):
    return tuple(TableRow(id=each.id, rank=each.rank, wins=3 - each.rank, losses=0) for each in board.items)


def test_json_holds_every_number_unrounded():
    seen = json.loads(as_json(BOARD))
    assert seen["items"][0]["rating"] == 1250.5
    assert {"spending", "position_bias", "stopped", "tournament", "seed"} <= set(seen)
    keys = {"id", "rank", "rank_low", "rank_high", "rating", "low", "high", "elo", "wins", "losses", "ties", "matches"}
    assert keys <= set(seen["items"][0])


def test_says_how_sharp_the_judges_are_and_what_their_repeats_are_worth():
    judges = tuple(replace(BOARD.judges[0], judge=name, slope=1.5, slope_low=1.2, slope_high=1.9) for name in "jk")
    repeats = {"pair_effect": 0.9, "pair_effect_se": 0.2, "stickiness": 1.0}
    said = dict(facts(replace(BOARD, judges=judges, method={"repeats": repeats})))
    assert said["sharpness of k"] == "1.50 (1.20 to 1.90)"
    assert said["pair by pair, beside the strengths"] == "0.9 ± 0.2 log-odds; intervals allow for it"
    assert said["answers to a repeated question"] == "correlate by 1.00; they count for less"
    quiet = dict(facts(replace(BOARD, method={"repeats": {**repeats, "pair_effect": 0.3, "stickiness": 0.0}})))
    assert not quiet.keys() & said.keys() - dict(facts(BOARD)).keys()
    crowd = dict(facts(replace(BOARD, judges=judges * 4)))
    assert crowd["sharpness of 8 judges"] == "1.50 to 1.50"


def test_csv_has_a_line_an_item():
    lines = list(csv.DictReader(io.StringIO(as_csv(BOARD))))
    assert [line["id"] for line in lines] == ["a", "b"]
    assert lines[1]["text"] == "two lines, with a comma"


def test_html_shows_untrusted_text_as_text():
    page = as_html(BOARD)
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "http" not in page.replace("http-equiv", "")


def test_facts_say_what_is_known():
    said = dict(facts(BOARD))
    assert (said["decisions"], said["requests"]) == ("2", "3 (1 failed)")
    assert (said["tokens"], said["dollars"]) == ("1,000", "$0.2500")
    assert said["position bias of j"] == "towards the first shown (+0.40 log-odds, +0.10 to +0.70)"


def test_written_whole_or_not_at_all(tmp_path):
    target = tmp_path / "board.json"
    target.write_text("old")
    write(BOARD, target)
    assert json.loads(target.read_text())["seed"] == 7
    assert [path.name for path in tmp_path.iterdir()] == ["board.json"]


@pytest.mark.parametrize(("name", "error"), [("board.pdf", InvalidConfig), ("absent/board.json", Unwritable)])
def test_a_file_that_cannot_be_is_refused_before_anything_is_spent(tmp_path, name, error):
    with pytest.raises(error, match="board"):
        check(tmp_path / name)


HOSTILE = "a\x1b[31mred\x01 \x9b2J\u202eb\x1a\u2028c"


def test_what_people_read_holds_no_control_characters_and_json_holds_every_letter():
    board = replace(BOARD, items=(replace(BOARD.items[0], text=HOSTILE), *BOARD.items[1:]), stopped=HOSTILE)
    for shown in (as_csv(board), as_html(board)):
        assert not set(shown) & set("\x1b\x01\x9b\u202e\x1a\u2028")
        assert "[31mred" in shown
    assert json.loads(as_json(board))["items"][0]["text"] == HOSTILE


def test_nor_by_a_board():
    rows = (replace(BOARD.items[0], id="=A1", text="-1 degree"), *BOARD.items[1:])
    lines = list(csv.DictReader(io.StringIO(as_csv(replace(BOARD, items=rows)))))
    assert (lines[0]["id"], lines[0]["text"]) == ("'=A1", "'-1 degree")


def test_of_many_judges_a_person_is_told_how_many_lean_which_way():
    def report(number, bias):
        return JudgeReport(
            judge=f"j{number}",
            comparisons=9,
            first_share=0.5,
            tie_rate=0.0,
            position_bias=bias,
            position_low=None if bias is None else bias - 0.5,
            position_high=None if bias is None else bias + 0.5,
        )

    biases = [1.0, 1.0, -1.0, 0.1, 0.2, 0.3, None]
    few = facts(replace(BOARD, judges=tuple(report(n, bias) for n, bias in enumerate(biases[:6]))))
    many = facts(replace(BOARD, judges=tuple(report(n, bias) for n, bias in enumerate(biases))))
    assert [name for name, _ in few if "position" in name] == [f"position bias of j{n}" for n in range(6)]
    said = "none found: 3, towards the first shown: 2, towards the second shown: 1, cannot be estimated: 1"
    assert ("position bias of 7 judges", said) in many


def test_facts_come_in_the_order_how_sure_who_judged_what_it_cost():
    names = [name for name, _ in facts(BOARD)]
    assert len([value for _, value in facts(BOARD) if value == "90%"]) == 1, "a top of one is the first"
    top = replace(BOARD.forecast, recall=0.8, top=2)
    assert (top_found(2), "80%") in facts(replace(BOARD, forecast=top))
    assert names == [name for part in (certainty, reliability, cost) for name, _ in part(BOARD)]
    assert names.index("probability that the first is the best") < names.index("stopped") < names.index("decisions")
    assert [name for name in names if name in {"requests", "tokens", "dollars"}] == ["requests", "tokens", "dollars"]


def with_columns():
    """A board of two items whose order columns have turned."""
    reports = (
        ColumnReport(
            group="stars", column="log stars", points=80, low=20, high=140, probability=0.97, counts=True, trait=False
        ),
        ColumnReport(group="age", column="age", points=1, low=-9, high=11, probability=0.02, counts=True, trait=False),
        ColumnReport(
            group="length", column="length", points=40, low=5, high=75, probability=0.9, counts=True, trait=True
        ),
        ColumnReport(
            group="marks", column="marks", points=-30, low=-50, high=-10, probability=1, counts=False, trait=False
        ),
    )
    without = tuple(
        PlainRow(id=id, rank=rank, rank_low=1, rank_high=2, rating=rating, low=rating - 9, high=rating + 9)
        for id, rank, rating in (("x", 2, 1150.0), ("y", 1, 1250.0))
    )
    side = SideReport(columns=reports, without=without, tau=-1.0, notes=())
    return Board(items=(row("x", 1, 1300.0), row("y", 2, 1100.0)), side=side)


def test_columns_are_told_in_words():
    assert side_information(with_columns().side) == [
        ("column log stars", "+80 points for one standard deviation (+20 to +140); counts with probability 97%"),
        ("column age", "does not count (probability 2%)"),
        ("column length", "+40 points for one standard deviation (+5 to +75); counts with probability 90%"),
        ("taken out: marks", "the judge's -30 points for one standard deviation (-50 to -10)"),
        ("agreement of the orders with and without the columns (Kendall's tau)", "-1.00"),
        (
            "a trait of the text goes with the judge's answers",
            "length; if it must not count, use --adjust-for length",
        ),
    ]
    assert side_information(None) == []


def test_a_column_that_the_best_contradict_is_said_to_be_left_out():
    side = with_columns().side
    stars = replace(side.columns[0], points=0, low=0, high=0, probability=0, contradicted=True)
    shown = side_information(replace(side, columns=(stars,)))
    assert shown[0] == ("column log stars", "left out: the best by the answers are behind the others in it")


def test_ranks_without_columns_stand_beside():
    table = ranked_items(with_columns())
    assert [column.name for column in table.columns][-3:-1] == ["rank without", "strength without"]
    assert [[cell.text for cell in line[-3:-1]] for line in table.lines] == [["2", "1150"], ["1", "1250"]]
    assert "strength without" in as_html(with_columns())


def test_slices_and_win_rates_are_tables():
    def own(id, rank, apart):
        return SliceRow(
            id=id,
            rank=rank,
            rank_low=1,
            rank_high=2,
            rating=1200.0,
            low=1150.0,
            high=1250.0,
            votes=4,
            apart=apart,
            apart_low=apart - 30,
            apart_high=apart + 30,
        )

    rows = (own("x", 2, -50.0), own("y", 1, 10.0))
    report = SliceReport(
        by="topic",
        slices=(Slice(name="code", votes=4, rows=rows),),
        spread=40.0,
        spread_low=20.0,
        spread_high=80.0,
    )
    rates_of = WinRates(ids=("x", "y"), rates=((None, 0.25), (0.75, None)), votes=((0, 4), (4, 0)))
    board = Board(items=(row("x", 1, 1300.0), row("y", 2, 1100.0)), slices=report, win_rates=rates_of)
    assert [[cell.text for cell in line[:2]] for line in sliced(board).lines] == [["1", "2 (1-2) -"], ["2", "1 (1-2)"]]
    assert slice_facts(board) == [
        ("items differ between slices by topic by", "40 points (20 to 80)"),
        ("topic code, 4 votes", "x -50 (-80 to -20)"),
    ]
    assert [[cell.text for cell in line] for line in rates(board).lines] == [["x", "", "25%"], ["y", "75%", ""]]
    assert len(rates(board, 1).columns) == 2
    assert not sliced(replace(board, slices=replace(report, slices=report.slices * 9)), 8).rows
    assert as_html(board).count("<table") == 3


def sliced_board(parts=("x", "y")):
    """A board of two items with slices and win rates, whose names would be markup."""
    rows = {
        name: tuple(
            SliceRow(
                id=id,
                rank=rank,
                rank_low=1,
                rank_high=2,
                rating=1300.0 - 100 * rank,
                low=1200.0 - 100 * rank,
                high=1400.0 - 100 * rank,
                votes=7,
                apart=apart,
                apart_low=apart - 10,
                apart_high=apart + 10,
            )
            for rank, (id, apart) in enumerate((("<i>a", 25.0), ("b", -0.2)), 1)
        )
        for name in parts
    }
    slices = tuple(Slice(name=name, votes=7, rows=rows[name]) for name in parts)
    return replace(
        BOARD,
        items=(replace(BOARD.items[0], id="<i>a"), BOARD.items[1]),
        slices=SliceReport(by="part", slices=slices, spread=20.0, spread_low=10.0, spread_high=40.0),
        win_rates=WinRates(ids=("<i>a", "b"), rates=((None, 0.75), (0.25, None)), votes=((0, 8), (8, 0))),
    )


def numbers_of(element, name):
    return [float(each.get(name)) for each in element]


def test_a_plot_is_a_picture_with_every_interval_in_its_place(tmp_path):
    write_plots(sliced_board(("<x>", "y")), tmp_path / "plots.svg")
    drawn = ET.parse(tmp_path / "plots.svg").getroot()
    space = {"svg": "http://www.w3.org/2000/svg"}
    dots, lines = drawn.findall(".//svg:circle", space), drawn.findall(".//svg:line", space)
    # Ends are 1099.5 and 1300.5: a rating of 1250.5 is at 151 / 201 of the width, 1149.5 at 50 / 201.
    assert numbers_of(dots, "cx") == pytest.approx([200 + 430 * 151 / 201, 200 + 430 * 50 / 201], abs=0.1)
    assert numbers_of(lines, "x1") == pytest.approx([200 + 430 * 101 / 201, 200.0], abs=0.1)
    assert numbers_of(lines, "x2") == pytest.approx([630.0, 200 + 430 * 100 / 201], abs=0.1)
    words = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Strengths", "Strengths by slice", "1  <i>a", "<x>", "1200+", "1100", "75%", "25%"} <= set(words)
    cells = drawn.findall(".//svg:rect", space)
    assert [each.get("fill") for each in cells[-2:]] == [BLUE, ORANGE]
    assert numbers_of(cells[-2:], "fill-opacity") == pytest.approx([0.85 * 0.5, 0.85 * 0.5], abs=0.01)


def test_a_picture_of_pixels_has_the_marks_of_the_other(tmp_path):
    board = sliced_board(("<x>", "y"))
    write_plots(board, tmp_path / "plots.png")
    assert (tmp_path / "plots.png").read_bytes().startswith(b"\x89PNG")
    write_plots(board, tmp_path / "plots.svg")
    drawn = ET.parse(tmp_path / "plots.svg").getroot()
    (axes,) = sheet_of(board).axes
    space = {"svg": "http://www.w3.org/2000/svg"}
    dots = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert dots == pytest.approx(numbers_of(drawn.findall(".//svg:circle", space), "cx"), abs=0.1)
    words = [each.text or "" for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert [text.get_text() for text in axes.texts] == words
    cells = drawn.findall(".//svg:rect", space)
    assert [patch.get_x() for patch in axes.patches] == numbers_of(cells, "x")
    assert [patch.get_alpha() for patch in axes.patches] == pytest.approx(numbers_of(cells, "fill-opacity"), abs=0.01)


def test_what_plots_cannot_be_written_as_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    with pytest.raises(InvalidConfig, match=r"plots are written as \.svg, \.png, \.html"):
        check_plots(tmp_path / "plots.jpg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"matplotlib; install it with: pip install 'paragone\[plot\]'"):
        check_plots(tmp_path / "plots.png")


def test_a_site_has_a_page_for_all_and_one_for_each_slice(tmp_path):
    pages = write_site(sliced_board(("<x>", "y")), tmp_path / "site")
    assert [page.name for page in pages] == ["index.html", "slice-01.html", "slice-02.html"]
    index, first, second = (page.read_text("utf-8") for page in pages)
    links = re.findall(r'<a href="([^"]*)"><bdi>(.*?)</bdi>', index)
    assert links == [("slice-01.html", "&lt;x&gt;"), ("slice-02.html", "y")]
    assert re.findall(r'<a href="([^"]*)"', first) == ["index.html", "slice-02.html"]
    assert index.count('<svg class="bar"') == 2
    assert index.count("<figure>") == 3
    assert "+25 (+15 to +35)" in second
    assert "+0 (-10 to +10)" in second  # and not -0
    for page in (index, first, second):
        assert "<script" not in page
        assert "<i>" not in page
        assert "<x>" not in page
        assert "http" not in page.replace("http-equiv", "")
        assert "default-src 'none'" in page


def test_a_site_replaces_an_earlier_one_and_nothing_else(tmp_path):
    folder = tmp_path / "site"
    write_site(sliced_board(("x", "y", "z")), folder)
    write_site(sliced_board(("x", "y")), folder)
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", "slice-01.html", "slice-02.html"]
    write_site(BOARD, folder)
    assert [path.name for path in folder.iterdir()] == ["index.html"]
    assert "<nav" not in (folder / "index.html").read_text("utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text("mine")
    with pytest.raises(Unwritable, match="holds files that are not an earlier site"):
        write_site(BOARD, tmp_path / "other")
    with pytest.raises(Unwritable, match="must exist"):
        write_site(BOARD, tmp_path / "absent" / "site")
    assert (tmp_path / "other" / "index.html").read_text() == "mine"


def test_of_many_slices_those_that_are_like_the_whole_are_counted():
    board = sliced_board([f"part {at}" for at in range(9)])
    plain = tuple(replace(row, apart=0.0, apart_low=-1.0, apart_high=1.0) for row in board.slices.slices[0].rows)
    slices = tuple(replace(each, rows=plain) if at else each for at, each in enumerate(board.slices.slices))
    assert slice_facts(replace(board, slices=replace(board.slices, slices=slices)))[1:] == [
        ("8 of 9 slices", "nothing clearly different from the whole"),
        (f"{board.slices.by} part 0, 7 votes", "<i>a +25 (+15 to +35)"),
    ]
