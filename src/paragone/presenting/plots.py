"""Plots of a board as SVG: ratings with intervals, slices beside the whole, and how often each item beat each other.

A plot is drawn without a library, so that it opens wherever a picture does. All texts are untrusted: each is made
harmless and escaped where it is written.
"""

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paragone.domain import Board
from paragone.domain.text import cut, harmless, visible
from paragone.presenting.figures.theme import BLUE, ORANGE

MOST_ROWS = 60
"""Items of a plot; of more, the best."""
MOST_PAIRED = 40
"""Items against each other."""
_LABEL, _PLACE, _ROW, _CELL, _HEAD = 190, 430, 22, 46, 110
_FULL = 0.85
_LEAST_REACH = 100.0
"""Elo points from which a deviation has the full colour, if none is larger: small ones must not look large."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Plot:
    """A drawing.

    Attributes:
        title: What it shows.
        note: How to read it.
        width: In pixels.
        height: In pixels.
        marks: What is drawn, as SVG.
    """

    title: str
    note: str
    width: int
    height: int
    marks: tuple[str, ...]

    @property
    def inline(self) -> str:
        """The drawing in an HTML page, whose colours it takes."""
        return self._drawn("")

    @property
    def alone(self) -> str:
        """The drawing as a file of its own, dark on white."""
        return self._drawn(' xmlns="http://www.w3.org/2000/svg" style="color:#1d2430;background:#fff"')

    def _drawn(self, more: str) -> str:
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        look = 'class="plot" font-family="system-ui, sans-serif" font-size="12" fill="currentColor"'
        return f'<svg{more} {size} {look} role="img" aria-label="{_safe(self.title)}">{"".join(self.marks)}</svg>'


def plots(board: Board) -> tuple[Plot, ...]:
    """All plots that the board has figures for."""
    drawn = (ratings(board), slices(board), win_rates(board))
    return tuple(plot for plot in drawn if plot is not None)


def together(board: Board) -> str:
    """All plots below each other, as one SVG file."""
    marks, top, width = [], 0, 0
    for plot in plots(board):
        marks.append(_text(plot.title, 8, top + 20, weight="bold"))
        marks.append(f'<g transform="translate(0 {top + 30})">{"".join(plot.marks)}</g>')
        top, width = top + plot.height + 46, max(width, plot.width)
    return Plot(title="Ranking", note="", width=width, height=top, marks=tuple(marks)).alone


def ratings(board: Board) -> Plot:
    """Each item's rating, and its interval."""
    rows = board.items[:MOST_ROWS]
    low, high = min(row.low for row in rows), max(row.high for row in rows)

    def at(points: float) -> float:
        return _LABEL + 10 + _PLACE * (points - low) / ((high - low) or 1.0)

    marks = []
    for index, row in enumerate(rows):
        middle = _ROW * index + _ROW / 2
        hint = f"{row.id}: {row.rating:.0f} ({row.low:.0f} to {row.high:.0f}), rank {row.rank}"
        marks += [
            _text(f"{row.rank}  {cut(visible(row.id), 24)}", 8, middle + 4),
            _line(at(row.low), at(row.high), middle),
            f'<circle cx="{at(row.rating):.1f}" cy="{middle}" r="4.5" fill="{BLUE}">{_hint(hint)}</circle>',
            _text(f"{row.rating:.0f}", _LABEL + _PLACE + 24, middle + 4),
        ]
    bottom = _ROW * len(rows) + 16
    marks += [_text(f"{points:.0f}", at(points), bottom, anchor="middle") for points in (low, (low + high) / 2, high)]
    return Plot(
        title="Ratings",
        note=f"Dots are ratings in Elo points, lines their {board.level:.0%} intervals.{_rest(board, len(rows))}",
        width=_LABEL + _PLACE + 70,
        height=bottom + 8,
        marks=tuple(marks),
    )


def slices(board: Board) -> Plot | None:
    """Ratings by slice, coloured by how far they are from what all slices have in common; None without slices."""
    report = board.slices
    if report is None:
        return None
    rows = board.items[:MOST_ROWS]
    of = [{row.id: row for row in each.rows} for each in report.slices]
    reach = max(_LEAST_REACH, *(abs(row.apart) for each in of for row in each.values()))

    def cell(row: int, column: int) -> tuple[str, float, str]:
        own = of[column][rows[row].id]
        mark = "" if not own.differs else "+" if own.apart > 0 else "-"
        hint = f"{own.id} in {report.slices[column].name}: rank {own.rank} ({own.rank_low} to {own.rank_high}), "
        return f"{own.rating:.0f}{mark}", own.apart / reach, f"{hint}{own.apart:+z.0f} against the whole"

    return _grid(
        "Ratings by slice",
        f"Blue is better in a slice by {report.by} than elsewhere, orange worse; + and - where that is clear."
        f"{_rest(board, len(rows))}",
        [f"{row.rank}  {cut(visible(row.id), 24)}" for row in rows],
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
    marks = []
    for at, name in enumerate(columns):
        x = _LABEL + _CELL * at + _CELL / 2
        marks.append(f'<g transform="translate({x} {_HEAD - 8}) rotate(-50)">{_text(cut(visible(name), 18), 0, 0)}</g>')
    for row, name in enumerate(rows):
        y = _HEAD + _ROW * row
        marks.append(_text(name, 8, y + 15))
        for column in range(len(columns)):
            text, strength, hint = cell(row, column)
            x, colour = _LABEL + _CELL * column, BLUE if strength > 0 else ORANGE
            if text:
                marks.append(
                    f'<rect x="{x}" y="{y}" width="{_CELL - 2}" height="{_ROW - 2}" fill="{colour}" '
                    f'fill-opacity="{_FULL * min(1.0, abs(strength)):.2f}">{_hint(hint)}</rect>'
                )
                marks.append(_text(text, x + _CELL / 2 - 1, y + 15, anchor="middle", size=11))
    width, height = _LABEL + _CELL * len(columns) + _HEAD, _HEAD + _ROW * len(rows) + 8
    return Plot(title=title, note=note, width=width, height=height, marks=tuple(marks))


def _rest(board: Board, drawn: int) -> str:
    left_out = len(board.items) - drawn
    return f" Only the best {drawn} of {len(board.items):,} items are drawn." if left_out else ""


def _text(text: str, x: float, y: float, *, anchor: str = "start", size: int = 12, weight: str = "normal") -> str:
    look = f'text-anchor="{anchor}" font-size="{size}" font-weight="{weight}" pointer-events="none"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{_safe(text)}</text>'


def _line(start: float, end: float, y: float) -> str:
    look = f'stroke="{BLUE}" stroke-width="3" stroke-opacity="0.5"'
    return f'<line x1="{start:.1f}" x2="{end:.1f}" y1="{y}" y2="{y}" {look}/>'


def _hint(text: str) -> str:
    return f"<title>{_safe(text)}</title>"


def _safe(text: str) -> str:
    return html.escape(harmless(text), quote=True)
