"""What matplotlib draws: the figures of reports as its own ``Figure``, and the plots of a board as a PNG.

Every number comes from ``figures`` and ``plots``. All texts are untrusted, and none is markup: neither HTML nor the
mathematics that matplotlib would read between two dollar signs.
"""

import html
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from typing import Any

from matplotlib import font_manager, rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from paragone.domain import Board
from paragone.domain.text import harmless
from paragone.presenting import figures
from paragone.presenting.figures.theme import BLUE
from paragone.presenting.plots import (
    FAINT,
    INK,
    PAPER,
    RADIUS,
    STROKE,
    TURN,
    Box,
    Dot,
    Mark,
    Segment,
    TextLine,
    heading,
    sheet,
)

_INCH = 100
"""Pixels of a layout in an inch."""
_POINT = 72 / _INCH
"""Points of a pixel."""
_DPI = 200
_MOST_PIXELS = 60_000
"""On a side of a PNG; its writer takes less than 65,536."""
_WIDTH = 7.0
"""Inches of a figure: those of reports take the width of their page."""
_FONT = "DejaVu Sans"
_MORE_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans CJK KR",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Sans Hebrew",
    "Noto Sans Thai",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
)
"""For what the first, which comes with matplotlib, lacks."""
_MARKERS = {"diamond-open": "D"}
_ANCHORS = {"start": "left", "middle": "center"}


class ShownFigure(Figure):
    """A figure that a notebook shows, though it belongs to no window and no global state."""

    def _repr_png_(self) -> bytes:
        return _png(self, self.dpi)


def as_png(board: Board) -> bytes:
    """All plots of a board below each other, as the SVG has them."""
    figure = sheet_of(board)
    return _png(figure, min(_DPI, _MOST_PIXELS / max(figure.get_size_inches())))


def _png(figure: Figure, dpi: float) -> bytes:
    out = BytesIO()
    with warnings.catch_warnings():  # a box stands for what no font has
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()


def _fonts() -> AbstractContextManager[None]:
    """Texts that are made meanwhile have fonts for more scripts, as far as some are installed."""
    installed = {*font_manager.fontManager.get_font_names()}
    return rc_context({"font.family": [_FONT, *(name for name in _MORE_FONTS if name in installed)]})


def sheet_of(board: Board) -> Figure:
    """All plots of a board as one figure, whose data are pixels of the layout."""
    page = sheet(board)
    figure = Figure(figsize=(page.width / _INCH, page.height / _INCH), facecolor=PAPER)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, page.width), ylim=(page.height, 0))
    axes.set_axis_off()
    with _fonts():
        for top, plot in page.parts:
            _draw(axes, heading(plot, top), 0)
            for mark in plot.marks:
                _draw(axes, mark, top)
    return figure


def _draw(axes: Axes, mark: Mark, top: float) -> None:
    """A mark of a plot whose upper edge is at ``top``."""
    match mark:
        case TextLine():
            axes.text(
                mark.x,
                mark.y + top,
                harmless(mark.text),
                fontsize=mark.size * _POINT,
                fontweight=mark.weight,
                color=INK,
                ha=_ANCHORS[mark.anchor],
                va="baseline",
                rotation=-TURN if mark.turned else 0.0,
                rotation_mode="anchor",
                parse_math=False,
            )
        case Segment():
            ends = [mark.start, mark.end], [mark.y + top] * 2
            axes.plot(*ends, color=BLUE, alpha=FAINT, linewidth=STROKE * _POINT, solid_capstyle="butt")
        case Dot():
            size = 2 * RADIUS * _POINT
            axes.plot([mark.x], [mark.y + top], "o", color=BLUE, markersize=size, markeredgewidth=0.0)
        case Box():
            look: dict[str, Any] = {"facecolor": mark.colour, "alpha": mark.opacity, "linewidth": 0.0}
            axes.add_patch(Rectangle((mark.x, mark.y + top), mark.width, mark.height, **look))


def figure_of(figure: figures.Figure) -> ShownFigure:
    """A figure of dots with error bars, such as a leaderboard, with the numbers that plotly would draw."""
    layout: Mapping[str, Any] = figure["layout"]
    drawing = ShownFigure(figsize=(_WIDTH, layout["height"] / _INCH), layout="constrained")
    axes = drawing.add_subplot()
    for trace in figure["data"]:
        _dots(axes, trace)
    for line in layout.get("shapes", ()):
        axes.axvline(line["x0"], color=INK, linewidth=1.0, linestyle=":")
    with _fonts():
        for note in layout.get("annotations", ()):
            axes.text(note["x"], note["y"], note["text"], ha="center", transform=axes.transAxes, parse_math=False)
        _frame(axes, layout)
    if layout["showlegend"] and figure["data"]:
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False)
    return drawing


def _dots(axes: Axes, trace: Mapping[str, Any]) -> None:
    marker, x, y = trace["marker"], trace["x"], trace["y"]
    bars = trace.get("error_x")
    if bars is not None:
        ends = [bars["arrayminus"], bars["array"]]
        axes.errorbar(x, y, xerr=ends, fmt="none", ecolor=bars["color"], elinewidth=bars["thickness"])
    colours: str | Sequence[str] = marker["color"]
    is_open = str(marker.get("symbol", "")).endswith("-open")
    shape, size = _MARKERS.get(marker.get("symbol", ""), "o"), (marker["size"] * _POINT) ** 2
    dots = axes.scatter(x, y, s=size, marker=shape, label=trace.get("name"), zorder=3, edgecolors=colours)
    dots.set_facecolor("none" if is_open else colours)


def _frame(axes: Axes, layout: Mapping[str, Any]) -> None:
    """Titles, ranges and names of the axes."""
    across, down = layout["xaxis"], layout["yaxis"]
    axes.set_xlabel(across.get("title", {}).get("text", ""))
    if "range" in across:
        axes.set_xlim(*across["range"])
    if "range" in down:
        axes.set_ylim(*down["range"])
    names = [html.unescape(name) for name in down.get("ticktext", ())]
    axes.set_yticks(down.get("tickvals", ()), names)
    for name in axes.get_yticklabels():
        name.set_parse_math(False)
    axes.grid(visible=True, axis="x", alpha=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    if across.get("visible") is False:
        axes.set_axis_off()
