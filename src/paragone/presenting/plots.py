"""Plots of a board: ratings with intervals, slices beside the whole, and how often each item beat each other.

A plot is a list of marks in pixels. Here they become SVG, without a library, so that it opens wherever a picture does;
``matplotlib_figures`` draws the same marks. All texts are untrusted: each is made harmless and escaped where it is
written.
"""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paragone.domain import Board
from paragone.domain.text import cut, harmless, visible
from paragone.presenting.board_tables import written_ranks
from paragone.presenting.figures.theme import BLUE, ORANGE

MOST_ROWS = 60
"""Items of a plot; of more, the best."""
MOST_PAIRED = 40
"""Items against each other."""
INK, PAPER = "#1d2430", "#fff"
"""Of a picture that stands alone."""
RADIUS, STROKE, FAINT = 4.5, 3, 0.5
"""Of a dot; of a line, whose opacity is the last."""
_LABEL, _PLACE, _ROW, _CELL, _HEAD = 190, 430, 22, 46, 110
_FULL = 0.85
_LEAST_REACH = 100.0
"""Elo points from which a deviation has the full colour, if none is larger: small ones must not look large."""
_TITLE, _BELOW = 30, 16
"""Pixels above a plot for its title, and below it, where several stand on one sheet."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextLine:
    """A line of text, untrusted.

    Attributes:
        text: What it says.
        x: Where it is anchored.
        y: Its base line.
        anchor: Which part of it stands there: ``start`` or ``middle``.
        size: In pixels.
        weight: Of the font.
        turned: Whether it rises to the right, as heads of narrow columns do.
    """

    text: str
    x: float
    y: float
    anchor: str = "start"
    size: int = 12
    weight: str = "normal"
    turned: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """A horizontal line, such as an interval."""

    start: float
    end: float
    y: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Dot:
    """A dot with what is shown on pointing at it."""

    x: float
    y: float
    hint: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """A coloured cell of a grid with what is shown on pointing at it."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    opacity: float
    hint: str


Mark = TextLine | Segment | Dot | Box
TURN = -50
"""Degrees, clockwise, of what is turned."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """A drawing.

    Attributes:
        title: What it shows.
        note: How to read it.
        width: In pixels.
        height: In pixels.
        marks: What is drawn, from below to above.
    """

    title: str
    note: str
    width: int
    height: int
    marks: tuple[Mark, ...]

    @property
    def inline(self) -> str:
        """The drawing in an HTML page, whose colours it takes."""
        return _sheet(self.title, self.width, self.height, _svg(self.marks))


def plots(board: Board) -> tuple[Plot, ...]:
    """All plots that the board has figures for."""
    drawn = (ratings(board), slices(board), win_rates(board))
    return tuple(plot for plot in drawn if plot is not None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sheet:
    """Plots below each other.

    Attributes:
        parts: The plots, each with the place of its upper edge.
        width: In pixels.
        height: In pixels.
    """

    parts: tuple[tuple[int, Plot], ...]
    width: int
    height: int


def heading(plot: Plot, top: int) -> TextLine:
    """The title of a plot on a sheet."""
    return TextLine(text=plot.title, x=8, y=top - 10, weight="bold")


def sheet(board: Board) -> Sheet:
    """All plots of a board on one sheet."""
    parts, top = [], 0
    for plot in plots(board):
        parts.append((top + _TITLE, plot))
        top += _TITLE + plot.height + _BELOW
    return Sheet(parts=tuple(parts), width=max(plot.width for _, plot in parts), height=top)


def together(board: Board) -> str:
    """All plots below each other, as one SVG file, dark on white."""
    page = sheet(board)
    marks = "".join(
        f'{_svg([heading(plot, top)])}<g transform="translate(0 {top})">{_svg(plot.marks)}</g>'
        for top, plot in page.parts
    )
    alone = f' xmlns="http://www.w3.org/2000/svg" style="color:{INK};background:{PAPER}"'
    return _sheet("Ranking", page.width, page.height, marks, alone)


def ratings(board: Board) -> Plot:
    """Each item's strength, and its interval."""
    rows = board.items[:MOST_ROWS]
    low, high = min(row.low for row in rows), max(row.high for row in rows)

    def at(points: float) -> float:
        return _LABEL + 10 + _PLACE * (points - low) / ((high - low) or 1.0)

    marks: list[Mark] = []
    written = written_ranks(board.items)
    for index, row in enumerate(rows):
        middle = _ROW * index + _ROW / 2
        hint = f"{row.id}: {row.rating:.0f} ({row.low:.0f} to {row.high:.0f}), rank {row.rank}"
        marks += [
            TextLine(text=f"{written(row)}  {cut(visible(row.id), 24)}", x=8, y=middle + 4),
            Segment(start=at(row.low), end=at(row.high), y=middle),
            Dot(x=at(row.rating), y=middle, hint=hint),
            TextLine(text=f"{row.rating:.0f}", x=_LABEL + _PLACE + 24, y=middle + 4),
        ]
    bottom = _ROW * len(rows) + 16
    ticks = (low, (low + high) / 2, high)
    marks += [TextLine(text=f"{points:.0f}", x=at(points), y=bottom, anchor="middle") for points in ticks]
    return Plot(
        title="Strengths",
        note=f"Dots are strengths in Elo points, lines their {board.level:.0%} intervals.{_rest(board, len(rows))}",
        width=_LABEL + _PLACE + 70,
        height=bottom + 8,
        marks=tuple(marks),
    )


def slices(board: Board) -> Plot | None:
    """Strengths by slice, coloured by how far they are from what all slices have in common; None without slices."""
    report = board.slices
    if report is None:
        return None
    rows, written = board.items[:MOST_ROWS], written_ranks(board.items)
    of = [{row.id: row for row in each.rows} for each in report.slices]
    reach = max(_LEAST_REACH, *(abs(row.apart) for each in of for row in each.values()))

    def cell(row: int, column: int) -> tuple[str, float, str]:
        own = of[column][rows[row].id]
        mark = "" if not own.differs else "+" if own.apart > 0 else "-"
        hint = f"{own.id} in {report.slices[column].name}: rank {own.rank} ({own.rank_low} to {own.rank_high}), "
        return f"{own.rating:.0f}{mark}", own.apart / reach, f"{hint}{own.apart:+z.0f} against the whole"

    return _grid(
        "Strengths by slice",
        f"Blue is better in a slice by {report.by} than elsewhere, orange worse; + and - where that is clear."
        f"{_rest(board, len(rows))}",
        [f"{written(row)}  {cut(visible(row.id), 24)}" for row in rows],
        [each.name for each in report.slices],
        cell,
    )


def win_rates(board: Board) -> Plot | None:
    """How often the row's item beat the column's; None unless it was counted."""
    table = board.win_rates
    if table is None:
        return None
    ids = table.ids[:MOST_PAIRED]

    def cell(row: int, column: int) -> tuple[str, float, str]:
        share = table.rates[row][column]
        if share is None:
            return "", 0.0, ""
        hint = f"{ids[row]} against {ids[column]}: {share:.0%} of {table.votes[row][column]:,}"
        return f"{share:.0%}", 2 * share - 1, hint

    return _grid(
        "How often the row's item beat the column's",
        f"Ties are halves; blank where two never met.{_rest(board, len(ids))}",
        [f"{number}  {cut(visible(id), 24)}" for number, id in enumerate(ids, 1)],
        ids,
        cell,
    )


def _grid(
    title: str,
    note: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cell: Callable[[int, int], tuple[str, float, str]],
) -> Plot:
    """A table whose cells are coloured from orange (-1) by nothing (0) to blue (1).

    Args:
        title: What it shows.
        note: How to read it.
        rows: Names of the rows.
        columns: Names of the columns.
        cell: Text, colour and hint of a row's cell in a column.
    """
    marks: list[Mark] = [
        TextLine(text=cut(visible(name), 18), x=_LABEL + _CELL * at + _CELL / 2, y=_HEAD - 8, turned=True)
        for at, name in enumerate(columns)
    ]
    for row, name in enumerate(rows):
        y = _HEAD + _ROW * row
        marks.append(TextLine(text=name, x=8, y=y + 15))
        for column in range(len(columns)):
            text, strength, hint = cell(row, column)
            x, colour = _LABEL + _CELL * column, BLUE if strength > 0 else ORANGE
            if text:
                opacity = _FULL * min(1.0, abs(strength))
                size = {"width": _CELL - 2, "height": _ROW - 2}
                marks.append(Box(x=x, y=y, colour=colour, opacity=opacity, hint=hint, **size))
                marks.append(TextLine(text=text, x=x + _CELL / 2 - 1, y=y + 15, anchor="middle", size=11))
    width, height = _LABEL + _CELL * len(columns) + _HEAD, _HEAD + _ROW * len(rows) + 8
    return Plot(title=title, note=note, width=width, height=height, marks=tuple(marks))


def _rest(board: Board, drawn: int) -> str:
    left_out = len(board.items) - drawn
    return f" Only the best {drawn} of {len(board.items):,} items are drawn." if left_out else ""


def _sheet(title: str, width: int, height: int, marks: str, more: str = "") -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    look = 'class="plot" font-family="system-ui, sans-serif" font-size="12" fill="currentColor"'
    return f'<svg{more} {size} {look} role="img" aria-label="{_safe(title)}">{marks}</svg>'


def _svg(marks: Sequence[Mark]) -> str:
    return "".join(map(_mark, marks))


def _mark(mark: Mark) -> str:
    if isinstance(mark, TextLine):
        return _turned(mark) if mark.turned else _text(mark, mark.x, mark.y)
    if isinstance(mark, Segment):
        look = f'stroke="{BLUE}" stroke-width="{STROKE}" stroke-opacity="{FAINT}"'
        return f'<line x1="{mark.start:.1f}" x2="{mark.end:.1f}" y1="{mark.y}" y2="{mark.y}" {look}/>'
    hint = f"<title>{_safe(mark.hint)}</title>"
    if isinstance(mark, Dot):
        return f'<circle cx="{mark.x:.1f}" cy="{mark.y}" r="{RADIUS}" fill="{BLUE}">{hint}</circle>'
    size = f'width="{mark.width}" height="{mark.height}"'
    fill = f'fill="{mark.colour}" fill-opacity="{mark.opacity:.2f}"'
    return f'<rect x="{mark.x}" y="{mark.y}" {size} {fill}>{hint}</rect>'


def _turned(words: TextLine) -> str:
    return f'<g transform="translate({words.x} {words.y}) rotate({TURN})">{_text(words, 0, 0)}</g>'


def _text(words: TextLine, x: float, y: float) -> str:
    look = f'text-anchor="{words.anchor}" font-size="{words.size}" font-weight="{words.weight}" pointer-events="none"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{_safe(words.text)}</text>'


def _safe(text: str) -> str:
    return html.escape(harmless(text), quote=True)
