"""Boards and matches as tables in the terminal. Items are untrusted: their texts are never read as markup."""

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from paragone.domain import Board, BoardRow
from paragone.domain.text import harmless, visible
from paragone.presenting.board_files import certainty, cost, reliability

if TYPE_CHECKING:  # they load the ledger, which a fit has no need of
    from paragone.tournaments.results.inspection import Inspection
    from paragone.tournaments.results.match_transcript import Passage

WIDTH_WHEN_PIPED = 120
NUMBERS = ("rank", "between", "rating", "interval", "elo", "W-L-T")
"""Columns of a board before the item."""
LONG_WORD = 16
"""Letters from which a word in a table may be broken."""
LONG_PASSAGE = 50_000
"""Characters of a passage that are laid out in lines: megabytes of one turn would take minutes."""
READABLE = 100
"""Columns beyond which prose is not set."""
NARROW = 64
"""Letters a line below which a board keeps to rank, range, rating and item: with more nothing of the items is left."""


class Output(Console):
    """Standard output; a reader who has gone is for ``main`` to see, as everywhere."""

    def on_broken_pipe(self) -> None:
        """Say so, where rich would end the process with a failure's exit code."""
        raise BrokenPipeError


def out() -> Console:
    """Standard output, wide enough for a board when it is no terminal."""
    console = Output(highlight=False)
    return console if console.is_terminal else Output(highlight=False, width=max(console.width, WIDTH_WHEN_PIPED))


def plain(text: str) -> Text:
    """Text on one line, without control characters, never markup."""
    return Text(visible(text))


def board_table(
    board: Board, *, rows: int | None = None, width: int = WIDTH_WHEN_PIPED, elo: bool | None = None
) -> Table:
    """The board as a table for so wide a terminal; items that share a rank are marked with '='.

    Args:
        board: The board.
        rows: How many rows to show.
        width: Letters a line.
        elo: Whether to show the running Elo; by default where it is telling.
    """
    # expanded, so that the texts take what the numbers leave, and not the other way round
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=True)
    heads = {"elo": "Elo", "interval": f"{board.level:.0%} interval"}
    numbers = [name for name in NUMBERS if name != "elo" or (board.is_elo_telling if elo is None else elo)]
    numbers = numbers[:3] if width < NARROW else numbers
    for name in (heads.get(name, name) for name in numbers):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("item", no_wrap=True, overflow="ellipsis", ratio=1)
    shared = _shared(board)
    shown = board.items if rows is None else board.items[:rows]
    for row in shown:
        cells = _numbers(row, tied=row.rank in shared)
        table.add_row(*(cells[name] for name in numbers), _name(row))
    if len(shown) < len(board.items):
        table.add_row("...", *("" for _ in numbers[1:]), Text(f"{len(board.items) - len(shown)} more"))
    return table


def _shared(board: Board) -> set[int]:
    ranks = [row.rank for row in board.items]
    return {a for a, b in pairwise(ranks) if a == b}


def _name(row: BoardRow) -> Text:
    return (
        plain(row.id)
        .append("" if row.text == row.id else "  ")
        .append_text(Text("") if row.text == row.id else Text(plain(row.text[:300]).plain, style="dim"))
    )


def _numbers(row: BoardRow, *, tied: bool) -> dict[str, str]:
    return {
        "rank": f"{row.rank}{'=' if tied else ''}",
        "between": f"{row.rank_low}-{row.rank_high}",
        "rating": f"{row.rating:.0f}",
        "interval": f"{row.low:.0f} to {row.high:.0f}",
        "elo": f"{row.elo:.0f}",
        "W-L-T": f"{row.wins}-{row.losses}-{row.ties}",
    }


def print_board(board: Board, *, rows: int | None = None, elo: bool = False) -> None:
    """The answer first, the board; then how sure it is, how reliable the judges are, and what it cost.

    Args:
        board: The board.
        rows: How many rows to show.
        elo: Show the running Elo also where pairs were chosen to be near-even, which it misleads about.
    """
    console = out()
    console.print(board_table(board, rows=rows, width=console.width, elo=elo or None))
    if board.table:
        console.print(Text("\nBy wins, as in a Swiss tournament:"))
        console.print(_table_by_wins(board, rows))
    if not board.identified:
        console.print(Text("\nThe evidence does not yet fix the scale: ratings and intervals lean on the prior."))
    for paragraph in (certainty(board), reliability(board), cost(board)):
        _print_facts(console, paragraph)


def _print_facts(console: Console, lines: Sequence[tuple[str, str]]) -> None:
    """A paragraph of names and values; what is too long for a line goes on indented."""
    if lines:
        console.print()
    for name, value in lines:
        wrapped = textwrap.wrap(f"{visible(name)}: {visible(value)}", console.width, subsequent_indent="  ")
        text = Text("\n".join(wrapped))
        text.stylize("dim", 0, len(visible(name)) + 1)
        console.print(text)


def _table_by_wins(board: Board, rows: int | None) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("rank", "wins", "losses"):
        table.add_column(name, justify="right")
    table.add_column("item", no_wrap=True, overflow="ellipsis")
    for row in board.table[:rows]:
        table.add_row(str(row.rank), str(row.wins), str(row.losses), plain(row.id))
    return table


def print_table(columns: Sequence[str], lines: Sequence[Sequence[str]], *, right: frozenset[str] = frozenset()) -> None:
    """Any table; columns named in ``right`` are aligned to the right. Where it is too wide, rows are laid out down."""
    console = out()
    least = [_least(name, lines, at, name in right) for at, name in enumerate(columns)]
    room = console.width - 2 * (len(columns) - 1)
    if sum(least) > room:
        console.print(_stacked(columns, lines))
        return
    widest = [max(cell_len(name), *(cell_len(line[at]) for line in lines), 1) for at, name in enumerate(columns)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, width in zip(columns, [*_fitted(widest, least, room)[:-1], None], strict=True):  # the last has the rest
        table.add_column(name, justify="right" if name in right else "left", overflow="fold", width=width)
    for line in lines:
        table.add_row(*(plain(cell) for cell in line))
    console.print(table)


def _fitted(widest: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """How wide columns are: as wide as they like, and where there is no room, the widest give way down to their least.

    Given here, since rich brings columns to their least after it has shared out the room, and then cuts the line's end.
    """
    widths = [min(width, room) for width in widest]
    for _ in range(sum(widths) - room):
        at = max(range(len(widths)), key=lambda at: (widths[at] > least[at], widths[at]))
        widths[at] -= 1
    return widths


def _least(name: str, lines: Sequence[Sequence[str]], at: int, whole: bool) -> int:
    """Columns of the screen that a column needs: figures stay whole, and words as long as a word may be."""
    words = [len(word) for word in name.split()]
    for line in lines:
        words += [len(line[at])] if whole else [min(len(word), LONG_WORD) for word in line[at].split()]
    return max(words, default=1)


def _stacked(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> Text:
    """Each row as a paragraph, a line a cell; cells without a word are left out."""
    rows = [
        [
            Text(f"{name}: ", style="bold").append_text(plain(cell))
            for name, cell in zip(columns, line, strict=True)
            if cell
        ]
        for line in lines
    ]
    return Text("\n\n").join(Text("\n").join(row) for row in rows)


def print_report(summary: Sequence[tuple[str, str]], tiles: Sequence[tuple[str, str]]) -> None:
    """The summary of a report, and the numbers that stand out."""
    console = out()
    for about, sentence in summary:
        console.print(plain(about).append(":"), style="bold")
        console.print(plain(sentence))
    console.print()
    for name, value in tiles:
        console.print(plain(f"{name}: {value}"))


def print_inspection(seen: "Inspection") -> None:
    """An item or a match: what it is, its table, and what was said."""
    console = out()
    for line in seen.heading:
        console.print(plain(line))
    if seen.columns:
        console.print()
        print_table(seen.columns, seen.lines)
    for passage in seen.passages:
        console.print(_laid_out(passage, min(console.width, READABLE)))


def _laid_out(passage: "Passage", width: int) -> Text:
    """A passage in lines of its own, so that what is moved in stays so; a row of numbers keeps its blanks."""
    left_out = len(passage.text) - LONG_PASSAGE
    remark = f" [cut here: {left_out:,} characters left out; --json has them]" if left_out > 0 else ""
    said = harmless(passage.text[:LONG_PASSAGE]).replace("\n", " ").replace("\t", " ") + remark
    first = " " * passage.indent
    lines = textwrap.wrap(
        said, width, initial_indent=first, subsequent_indent=first + " " * passage.hanging, break_on_hyphens=False
    )
    return Text("\n".join(lines))
