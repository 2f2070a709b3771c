"""What notebooks show, plot and hand over as frames."""

import asyncio
import io
import re
import sys
from html import unescape
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.figure import Figure

import paragone
from paragone.agents import EloSystem
from paragone.domain import Board, BoardRow, Choice, Comparison, Item, Match, Outcome, Verdict
from paragone.domain.text import cut
from paragone.errors import InvalidConfig, InvalidItems, MissingExtra, UnknownColumn
from paragone.presenting.board_facts import facts
from paragone.presenting.board_tables import ranked_items
from paragone.presenting.matplotlib_figures import as_png

EVIL = "<script>alert(1)</script>\u202e"
VOTES = [("x", "y", "x")] * 5 + [("y", EVIL, "y")] * 4


@pytest.fixture(scope="module")
def board():
    return paragone.fit(VOTES)


def cells(html):
    return [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", html)]


def test_a_board_shows_the_figures_of_report_and_page(board):
    html = board._repr_html_()
    shown = [cell.text for line in ranked_items(board).lines for cell in line]
    said = [part for fact in facts(board) for part in fact]
    assert cells(html)[: len(shown) - 1] == shown[:-1]
    assert cells(html)[len(shown) :] == said


def test_no_text_is_code_and_none_is_invisible(board):
    for value in (board, Item(id=EVIL, text=EVIL), DEBATED):
        html = value._repr_html_()
        assert "<script" not in html
        assert "\u202e" not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


ANSWER = Verdict(choice=Choice.FIRST, judge="j", rationale=EVIL)
CALL = Comparison(call="c", first="x", second="y", verdict=ANSWER)
DEBATED = Match(id="1.1", round=1, a="x", b="y", outcome=Outcome.A, comparisons=(CALL,))


def test_many_rows_are_counted_and_frames_have_all():
    rows = tuple(
        BoardRow(
            id=f"i{n}", rank=n + 1, rank_low=1, rank_high=60, rating=1500.0 - n, low=1400.0, high=1600.0, elo=1200.0,
            wins=0, losses=0, ties=0, matches=0,
        )
        for n in range(53)
    )  # fmt: skip
    big = Board(items=rows)
    assert "and 3 more rows" in big._repr_html_()
    assert "i49" in big._repr_html_()
    assert "i50" not in big._repr_html_()
    assert len(big.to_pandas()) == 53


@pytest.mark.parametrize("library", ["to_pandas", "to_polars", "to_arrow"])
def test_a_board_is_the_same_after_a_frame(board, library):
    frame = getattr(board, library)()
    assert type(frame).__module__.partition(".")[0] == {"to_arrow": "pyarrow"}.get(library, library[3:])
    assert Board.from_frame(frame, level=board.level).items == board.items


def test_a_frame_of_ratings_alone_is_ranked():
    made = Board.from_frame(pd.DataFrame({"id": ["a", "b", "c"], "rating": [1200, 1300, 1300]}))
    assert [(row.id, row.rank, row.low, row.high) for row in made.items] == [
        ("b", 1, 1300.0, 1300.0),
        ("c", 1, 1300.0, 1300.0),
        ("a", 3, 1200.0, 1200.0),
    ]


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        ({"id": ["a"]}, UnknownColumn, "no column 'rating'"),
        ({"id": ["a", "a"], "rating": [1, 2]}, InvalidItems, "the id 'a' twice"),
        ({"id": ["a"], "rating": ["high"]}, InvalidItems, "row 1: the rating is 'high', which it cannot be"),
        ({"id": ["a", "b"], "rating": [1, None]}, InvalidItems, "row 2: the rating is missing"),
    ],
)
def test_a_frame_that_is_no_board_is_refused(frame, error, message):
    with pytest.raises(error, match=message):
        Board.from_frame(pd.DataFrame(frame))


def test_a_comparison_shows_its_verdict_and_is_one_row():
    old = {f"q{number}": "no" for number in range(30)}
    result = paragone.compare(
        dict.fromkeys(old, "longer"), old, judge=lambda a, b, c: "first" if len(a.text) > len(b.text) else "second"
    )
    assert "new is better than old" in result._repr_html_()
    frame = result.to_pandas()
    assert (len(frame), frame.verdict[0], frame.questions[0]) == (1, "better", 13)
    assert result.plot().data[0].x == (1.0,)


def test_matches_and_items_are_rows():
    assert DEBATED.to_pandas().to_dict("records") == [
        {
            "match": "1.1", "round": 1, "a": "x", "b": "y", "outcome": "a", "first": "x", "second": "y",
            "answer": "first", "judge": "j",
        }
    ]  # fmt: skip
    assert Item(id="a", text="t").to_polars().rows() == [("a", "t", "text")]
    with pytest.raises(InvalidConfig, match="no figure of a Item"):
        Item(id="a", text="t").plot()


def test_agents_that_debated(tmp_path):
    with EloSystem(tmp_path / "a.db") as elo:
        empty = elo.get_strengths()
        for number in range(4):
            elo.record_match(f"d{number}", ["ada", "ben"], {"ada": 1.0, "ben": 0.0})
        strengths, leaders = elo.get_strengths(), elo.get_leaderboard()
    assert cells(empty._repr_html_()) == ["rows", "none"]
    assert cells(strengths._repr_html_())[-1] == "ben"
    assert list(strengths.to_pandas().agent) == ["ada", "ben"]
    assert [trace.name for trace in strengths.plot().data] == ["Running Elo", "Strength"]
    assert cells(leaders._repr_html_())[:4] == [f"{leaders[0].elo:.0f}", "4-0-0", "4", "ada"]
    assert leaders.to_arrow().column("domain_elos").to_pylist() == ["{}", "{}"]


def test_results_of_a_memory(tmp_path):
    (tmp_path / "prices.py").write_text("def price_of_tea():\n    return 3\n")
    with paragone.Memory.create(tmp_path) as memory:
        memory.index(vectors=False)
        page, content = memory.search("price of tea", how="keyword"), memory.board("file")
    assert "prices.py:1-" in page._repr_html_()
    assert list(page.to_pandas().path) == ["prices.py"]
    assert "prices.py" in content._repr_html_()
    assert len(content.to_pandas()) == content.total


@pytest.mark.parametrize(
    ("library", "method", "command"),
    [
        ("pandas", "to_pandas", "pip install pandas"),
        ("polars", "to_polars", "pip install polars"),
        ("pyarrow", "to_arrow", r"pip install 'paragone\[parquet\]'"),
    ],
)
def test_a_package_that_is_missing_is_named(board, monkeypatch, library, method, command):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtra, match=f"needs the package {library}; install it with: {command}"):
        getattr(board, method)()


def test_without_plotly_matplotlib_draws_and_without_both_the_extras_are_named(board, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly", None)
    assert isinstance(board.plot(), Figure)
    with pytest.raises(MissingExtra, match=r"paragone\[report\]"):
        board.plot(backend="plotly")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"paragone\[report\]', or matplotlib with: pip install 'paragone\[plot\]'"):
        board.plot()
    with pytest.raises(InvalidConfig, match="drawn by plotly or matplotlib, not by 'ggplot'"):
        board.plot(backend="ggplot")


def test_matplotlib_has_the_numbers_of_plotly(board):
    traces, axes = board.plot(backend="plotly").data, board.plot(backend="matplotlib").axes[0]
    dots = [dots for dots in axes.collections if isinstance(dots, PathCollection)]
    (bars,) = [lines for lines in axes.collections if isinstance(lines, LineCollection)]
    assert [dots.get_offsets().tolist() for dots in dots] == [
        [list(pair) for pair in zip(trace.x, trace.y, strict=True)] for trace in traces
    ]
    ends = [[segment[0][0], segment[-1][0]] for segment in bars.get_segments()]
    assert np.allclose(ends, [[row.low, row.high] for row in board.items])
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{row.rank}  {cut(row.id, 16)}" for row in board.items
    ]
    assert axes.get_xlabel() == "Elo points"
    assert axes.yaxis_inverted()  # the best is on top


def test_matplotlib_draws_comparisons_and_takes_no_text_for_markup():
    row = {"rating": 1000.0, "low": 900.0, "high": 1100.0}
    hostile = Board.from_frame([{"id": "$\\frac{$ <b>&", **row}, {"id": "\u732b", **row, "rating": 950.0}])
    figure = hostile.plot(backend="matplotlib")
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert figure.axes[0].get_yticklabels()[0].get_text() == "1  $\\frac{$ <b>&"
    assert as_png(hostile).startswith(b"\x89PNG")
    old = {f"q{number}": "no" for number in range(30)}
    result = paragone.compare(old, dict.fromkeys(old, "yes"), judge=lambda a, b, c: "first")
    axes = result.plot(backend="matplotlib").axes[0]
    assert axes.collections[-1].get_offsets().tolist() == [[0.5, 0.0]]
    assert list(axes.lines[-1].get_xdata()) == [0.5, 0.5]  # where neither wins


def test_plots_are_those_of_the_report(board):
    figure = board.plot()
    assert list(figure.data[-1].x) == [row.rating for row in board.items]
    assert figure.layout.meta["alt"].startswith("Strength of the best 3 of 3 items")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def rank_three(observer):
    return paragone.rank(["a", "bb", "ccc"], "length", judge=lambda a, b, c: "first", seed=1, observer=observer)


def test_a_terminal_has_one_line_that_is_written_anew():
    stream = Terminal()
    with paragone.progress(stream) as observer:
        rank_three(observer)
    lines = stream.getvalue().split("\r\x1b[K")
    assert stream.getvalue().count("\n") == 1
    assert lines[-1].startswith("[")
    assert re.match(r"\[#+ *\] \d of at most 6", lines[-1])


def test_a_notebook_has_one_display_that_is_updated(monkeypatch):
    """In place of a kernel: what IPython offers is one display with an id, and HTML."""
    shown = []
    display = SimpleNamespace(HTML=str, display=lambda html, display_id: SimpleNamespace(update=shown.append))
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with paragone.progress() as observer:
        rank_three(observer)
    assert re.fullmatch(r'<progress value="[01]\.\d+" max="1"></progress> \d of at most 6', shown[-1])


def test_a_log_has_a_line_now_and_then(monkeypatch):
    stream = io.StringIO()
    with paragone.progress(stream) as observer:
        rank_three(observer)
    assert stream.getvalue() == ""
    monkeypatch.setattr("paragone.presenting.progress.INTERVAL", 0.0)
    with paragone.progress(stream) as observer:
        rank_three(observer)
    assert stream.getvalue().count("\n") > 1


def test_ranking_works_while_a_loop_is_running():
    async def cell():
        return rank_three(lambda progress: None), await paragone.arank(
            ["a", "bb", "ccc"], "length", judge=lambda a, b, c: "first", seed=1
        )

    blocking, awaited = asyncio.run(cell())
    assert blocking.items == awaited.items
