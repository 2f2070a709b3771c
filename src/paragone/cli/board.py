"""``paragone board``, ``show``, ``matches``, ``export``, ``publish``: what the ledger holds; and a board as a table."""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer
from rich.table import Table as RichTable
from rich.text import Text

from paragone.cli import options
from paragone.cli.options import argument, option
from paragone.cli.parameters import OnlyWith
from paragone.cli.tables import WIDTH_WHEN_PIPED, out, plain, print_table, print_table_for_width, table_for_width
from paragone.cli.terminal import print_json, progress_bar
from paragone.domain import Board
from paragone.domain.text import harmless, visible
from paragone.errors import NotFound
from paragone.presenting.board_facts import certainty, cost, reliability, side_information, slice_facts
from paragone.presenting.board_tables import ACROSS, bootstrapped, ranked_items, rates, sliced, suggestions, wins

if TYPE_CHECKING:
    from paragone.tournaments.results.inspection import Inspection, TranscriptParagraph

Records = Literal["matches", "verdicts", "failures", "turns", "changes", "items"]
"""What ``export`` writes."""
NARROW = 64
"""Width below which a board has only rank, range, strength and item."""
LONG_PASSAGE = 50_000
"""Characters of a passage that are laid out in lines: megabytes of one turn would take minutes."""
READABLE = 100
"""The widest that prose is set."""


def board(
    stored: options.Stored,
    output: options.Output,
    by_elo: options.ByElo = False,
    elo: options.Elo = False,
    bootstrap: Annotated[
        int,
        option("Resample the matches N times, for bootstrap intervals beside the posterior's.", metavar="N", min=0),
    ] = 0,
    on: Annotated[
        str | None,
        option("Fit replicates on all processors (local), or on a Dask cluster (tcp://...).", metavar="PLACE"),
        OnlyWith("--bootstrap"),
    ] = None,
    out: options.BoardFile = None,
    rows: options.Rows = None,
) -> None:
    """Print the board of a tournament."""
    from paragone.tournaments.results.tournament_board import stored_board

    with progress_bar("fitting replicates", quiet=not bootstrap) as show:
        current = stored_board(
            stored.url, stored.tournament, by_elo=by_elo, bootstrap=bootstrap, on=on, on_replicate=show
        )
    write_board(current, out)
    show_board(current, as_json=output.as_json, rows=rows, elo=elo or by_elo)


def show(
    id: Annotated[str, argument("The id of an item or a match.")],
    stored: options.StoredByOption,
    output: options.Output,
) -> None:
    """Show an item with its matches, or a match with its verdicts, its debates, and why questions failed."""
    with stored.opened() as tournament:
        inspection = tournament.inspect(id)
    output.draw(inspection, print_inspection, values=lambda each: each.as_dict())


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
    what: Annotated[Records, option("What to write.")] = "matches",
    out: Annotated[Path | None, option("A .jsonl or .csv file.  [default: JSONL on standard output]", "-o")] = None,
) -> None:
    """Export matches, verdicts, failed questions, turns, rating changes or items. The format is JSONL or CSV."""
    from paragone.presenting.files import as_jsonl, write_records

    try:
        with stored.opened() as tournament:
            records = tournament.records(what)
    except NotFound as absent:
        if stored.tournament not in get_args(Records):
            raise
        raise NotFound(f"{absent}; or did you mean --what {stored.tournament}?") from None
    if out is None:
        sys.stdout.write(as_jsonl(records))
    else:
        write_records(records, out)


def show_board(board: Board, *, as_json: bool, rows: int | None, elo: bool = False) -> None:
    """Print a board as JSON or as a table."""
    if as_json:
        print_json(board.as_dict())
    else:
        print_board(board, rows=rows, elo=elo)


def write_board(board: Board, file: Path | None) -> None:
    """Write a board to a file, if there is to be one."""
    if file is not None:
        from paragone.presenting.board_files import write  # loads what draws

        write(board, file)


def print_board(board: Board, *, rows: int | None = None, elo: bool = False) -> None:
    """Print the board; below it how certain it is, how reliable the judges are, and what it cost.

    Args:
        board: The board.
        rows: Rows to show; all by default.
        elo: Show the running Elo even where opponents were chosen to match, which misleads it.
    """
    console = out()
    print_table_for_width(console, board_table(board, rows=rows, width=console.width, elo=elo or None))
    if board.table:
        console.print(Text("\nBy wins, as in a Swiss tournament:"))
        print_table_for_width(console, table_for_width(wins(board).first(rows), console.width, ()))
    if board.bootstrap is not None:
        console.print(Text(f"\nBootstrap, {board.bootstrap.replicates} replicates:"))
        print_table_for_width(console, table_for_width(bootstrapped(board).first(rows), console.width, ()))
    if board.suggestions:
        console.print(Text(f"\nPairs whose true answer would teach most; {_where_to(board)}:"))
        print_table_for_width(console, table_for_width(suggestions(board), console.width, ()))
    if board.slices is not None and (table := sliced(board, ACROSS)).rows:
        console.print(Text(f"\nRanks by {visible(board.slices.by)}:"))
        print_table_for_width(console, table_for_width(table.first(rows), console.width, ()))
    if board.win_rates is not None:
        console.print(Text("\nHow often the row's item beat the column's:"))
        print_table_for_width(console, table_for_width(rates(board, ACROSS).first(rows), console.width, ()))
    if not board.identified:
        console.print(Text("\nThe evidence does not yet fix the scale: strengths and intervals lean on the prior."))
    sides = (side_information(board.side), slice_facts(board))
    for paragraph in (certainty(board), *sides, reliability(board), cost(board)):
        _print_facts(paragraph)


def _where_to(board: Board) -> str:
    """Where the answers to suggested pairs go."""
    if board.prior is not None:
        return "add people's answers to the votes"
    return "put a, b, winner into a file for --gold, and ask again"


def board_table(
    board: Board, *, rows: int | None = None, width: int = WIDTH_WHEN_PIPED, elo: bool | None = None
) -> RichTable:
    """The board as a table for a width.

    Args:
        board: The board.
        rows: Rows to show; all by default.
        width: Characters in a line.
        elo: Whether to show the running Elo; by default where it is informative.
    """
    table = ranked_items(board, elo=elo).first(rows)
    rich = table_for_width(table, width, [(NARROW, 3)])
    if len(table.rows) < len(board.items):
        rich.add_row("...", *[""] * (len(rich.columns) - 2), f"{len(board.items) - len(table.rows)} more")
    return rich


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


def _set(passage: "TranscriptParagraph", width: int) -> Text:
    """A passage broken into lines here, since rich would lose the indent and the spaces within rows of numbers."""
    surplus = len(passage.text) - LONG_PASSAGE
    remark = f" [cut here: {surplus:,} characters left out; --json prints them]" if surplus > 0 else ""
    text = harmless(passage.text[:LONG_PASSAGE]).replace("\n", " ").replace("\t", " ") + remark
    first = " " * passage.indent
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=first + " " * passage.hanging, break_on_hyphens=False
    )
    return Text("\n".join(lines))


def publish(
    folder: Annotated[Path, argument("A new folder, an empty one, or that of an earlier site.")],
    stored: options.StoredByOption,
    output: options.Output,
    top: Annotated[int, option("Items in the tables and figures of the report at most.", min=1)] = 100,
) -> None:
    """Write the board and the report of a tournament as a folder that a browser opens without a server.

    It can be copied to any web server, and needs no network. An earlier site in the folder is replaced.
    """
    from paragone.presenting.board_page import check_site
    from paragone.presenting.publishing import publish as write_all
    from paragone.tournaments.report import gather

    check_site(folder)
    with stored.opened() as tournament:
        gathered = gather(tournament.ledger, tournament.state)
    files = write_all(gathered, folder, top=top)
    output.draw(
        [str(file) for file in files], lambda each: typer.echo(f"wrote {each[0]} and {len(each) - 1} files beside it")
    )
