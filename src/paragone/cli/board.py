"""``paragone board``, ``show``, ``matches`` and ``export``: what the ledger holds; and a board as a table."""

import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from paragone.cli import options
from paragone.cli.tables import WIDTH_WHEN_PIPED, out, plain, print_table, table_of
from paragone.cli.terminal import print_json
from paragone.domain import Board, BoardRow
from paragone.domain.text import harmless, visible

if TYPE_CHECKING:
    from paragone.tournaments.results.inspection import Inspection
    from paragone.tournaments.results.match_transcript import Passage

NARROW = 64
"""Width below which a board has only rank, range, rating and item."""
LONG_PASSAGE = 50_000
"""Characters of a passage that are laid out in lines: megabytes of one turn would take minutes."""
READABLE = 100
"""The widest that prose is set."""


class Records(StrEnum):
    """What ``export`` writes."""

    MATCHES = "matches"
    VERDICTS = "verdicts"
    TURNS = "turns"
    CHANGES = "changes"
    ITEMS = "items"


def board(
    stored: options.Stored,
    output: options.Output,
    by_elo: options.ByElo = False,
    elo: options.Elo = False,
    out: options.BoardFile = None,
    rows: options.Rows = None,
) -> None:
    """Print the board of a tournament."""
    from paragone.presenting.board_files import write
    from paragone.tournaments.results.tournament_board import stored_board

    current = stored_board(stored.url, stored.tournament, by_elo=by_elo)
    if out is not None:
        write(current, out)
    show_board(current, as_json=output.as_json, rows=rows, elo=elo or by_elo)


def show(
    id: Annotated[str, typer.Argument(metavar="ID", help="The id of an item or a match.")],
    stored: options.StoredByOption,
    output: options.Output,
) -> None:
    """Show an item with its matches, or a match with its debates and verdicts."""
    with stored.opened() as tournament:
        inspection = tournament.inspect(id)
    output.show(inspection, print_inspection, values=lambda each: each.as_dict())


def matches(stored: options.Stored, output: options.Output, rows: options.Rows = None) -> None:
    """List the matches of a tournament, in the order of record."""
    from paragone.tournaments.results.inspection import match_lines

    with stored.opened() as tournament:
        records = tournament.records("matches")
    if output.as_json:
        print_json(records)
    else:
        columns, lines = match_lines(records)
        print_table(columns, lines if rows is None else lines[-rows:])


def export(
    stored: options.Stored,
    what: Annotated[Records, typer.Option(help="What to write.")] = Records.MATCHES,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="A .jsonl or .csv file.  [default: JSONL on standard output]"),
    ] = None,
) -> None:
    """Write matches, verdicts, turns of debates, rating changes or items as JSONL or CSV."""
    from paragone.presenting.files import as_jsonl, write_records

    with stored.opened() as tournament:
        records = tournament.records(what.value)
    if out is None:
        sys.stdout.write(as_jsonl(records))
    else:
        write_records(records, out)


def show_board(board: Board, *, as_json: bool, rows: int | None, elo: bool = False) -> None:
    """Print a board as JSON or as a table."""
    from paragone.presenting.board_files import as_json as board_json

    if as_json:
        sys.stdout.write(board_json(board))
    else:
        print_board(board, rows=rows, elo=elo)


def print_board(board: Board, *, rows: int | None = None, elo: bool = False) -> None:
    """Print the board; below it how certain it is, how reliable the judges are, and what it cost.

    Args:
        board: The board.
        rows: Rows to show; all by default.
        elo: Show the running Elo even where opponents were chosen to match, which misleads it.
    """
    from paragone.presenting.board_files import certainty, cost, reliability

    console = out()
    console.print(board_table(board, rows=rows, width=console.width, elo=elo or None))
    if board.table:
        console.print(Text("\nBy wins, as in a Swiss tournament:"))
        console.print(_wins_table(board, rows))
    if not board.identified:
        console.print(Text("\nThe evidence does not yet fix the scale: ratings and intervals lean on the prior."))
    for paragraph in (certainty(board), reliability(board), cost(board)):
        _print_facts(paragraph)


def board_table(
    board: Board, *, rows: int | None = None, width: int = WIDTH_WHEN_PIPED, elo: bool | None = None
) -> Table:
    """The board as a table for a width; items that share a rank are marked with '='.

    Args:
        board: The board.
        rows: Rows to show; all by default.
        width: Characters in a line.
        elo: Whether to show the running Elo; by default where it is informative.
    """
    ranks = [row.rank for row in board.items]
    shared = {rank for rank, following in pairwise(ranks) if rank == following}
    cells: Mapping[str, Callable[[BoardRow], str]] = {
        "rank": lambda row: f"{row.rank}{'=' if row.rank in shared else ''}",
        "between": lambda row: f"{row.rank_low}-{row.rank_high}",
        "rating": lambda row: f"{row.rating:.0f}",
        f"{board.level:.0%} interval": lambda row: f"{row.low:.0f} to {row.high:.0f}",
        "Elo": lambda row: f"{row.elo:.0f}",
        "W-L-T": lambda row: f"{row.wins}-{row.losses}-{row.ties}",
    }
    names = [name for name in cells if name != "Elo" or (board.is_elo_telling if elo is None else elo)]
    names = names[:3] if width < NARROW else names
    table = table_of(expand=True)  # so that the texts take what the numbers leave, and not the other way round
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("item", no_wrap=True, overflow="ellipsis", ratio=1)
    visible_rows = board.items if rows is None else board.items[:rows]
    for row in visible_rows:
        table.add_row(*(cells[name](row) for name in names), _item(row))
    if len(visible_rows) < len(board.items):
        table.add_row("...", *("" for _ in names[1:]), Text(f"{len(board.items) - len(visible_rows)} more"))
    return table


def _item(row: BoardRow) -> Text:
    if row.text == row.id:
        return plain(row.id)
    return plain(row.id).append("  ").append_text(Text(plain(row.text[:300]).plain, style="dim"))


def _print_facts(facts: Sequence[tuple[str, str]]) -> None:
    """A paragraph of names and values; long lines are continued indented."""
    console = out()
    if facts:
        console.print()
    for name, value in facts:
        lines = textwrap.wrap(f"{visible(name)}: {visible(value)}", console.width, subsequent_indent="  ")
        text = Text("\n".join(lines))
        text.stylize("dim", 0, len(visible(name)) + 1)
        console.print(text)


def _wins_table(board: Board, rows: int | None) -> Table:
    table = table_of(expand=False)
    for name in ("rank", "wins", "losses"):
        table.add_column(name, justify="right")
    table.add_column("item", no_wrap=True, overflow="ellipsis")
    for row in board.table[:rows]:
        table.add_row(str(row.rank), str(row.wins), str(row.losses), plain(row.id))
    return table


def print_inspection(inspection: "Inspection") -> None:
    """Print an item or a match: what it is, its table, and the words of debates and verdicts."""
    console = out()
    for line in inspection.heading:
        console.print(plain(line))
    if inspection.columns:
        console.print()
        print_table(inspection.columns, inspection.lines)
    for passage in inspection.passages:
        console.print(_set(passage, min(console.width, READABLE)))


def _set(passage: "Passage", width: int) -> Text:
    """A passage broken into lines here, since rich would lose the indent and the spaces within rows of numbers."""
    surplus = len(passage.text) - LONG_PASSAGE
    remark = f" [cut here: {surplus:,} characters left out; --json prints them]" if surplus > 0 else ""
    text = harmless(passage.text[:LONG_PASSAGE]).replace("\n", " ").replace("\t", " ") + remark
    first = " " * passage.indent
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=first + " " * passage.hanging, break_on_hyphens=False
    )
    return Text("\n".join(lines))
