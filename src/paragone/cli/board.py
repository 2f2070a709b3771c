"""``paragone board``, ``show``, ``matches`` and ``export``: look at what the ledger has."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json


class What(StrEnum):
    """What ``export`` writes."""

    MATCHES = "matches"
    VERDICTS = "verdicts"
    TURNS = "turns"
    CHANGES = "changes"
    ITEMS = "items"


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (board, show, matches, export):
        app.command()(command)


def board(
    tournament: options.Chosen = None,
    db: options.Database = None,
    by_elo: options.ByElo = False,
    elo: options.Elo = False,
    as_json: options.Json = False,
    out: options.Out = None,
    rows: options.Rows = None,
) -> None:
    """Print the board of a tournament as it stands."""
    from paragone.cli.show import print_board
    from paragone.presenting.board_files import as_json as board_as_json
    from paragone.presenting.board_files import write
    from paragone.settings import settings
    from paragone.tournaments.results.tournament_board import stored_board

    result = stored_board(db or settings().db, tournament, by_elo=by_elo)
    if out is not None:
        write(result, out)
    if as_json:
        sys.stdout.write(board_as_json(result))
    else:
        print_board(result, rows=rows, elo=elo or by_elo)


def show(
    item: Annotated[str, typer.Argument(metavar="ID", help="Id of an item, or of a match.")],
    tournament: options.Of = None,
    db: options.Database = None,
    as_json: options.Json = False,
) -> None:
    """Show an item with its matches, or a match with its debates and verdicts."""
    from paragone.cli.show import print_inspection
    from paragone.settings import settings
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        seen = found.inspect(item)
    if as_json:
        print_json(seen.as_dict())
        return
    print_inspection(seen)


def matches(
    tournament: options.Chosen = None,
    db: options.Database = None,
    as_json: options.Json = False,
    rows: options.Rows = None,
) -> None:
    """List the matches of a tournament, in the order of record."""
    from paragone.cli.show import print_table
    from paragone.settings import settings
    from paragone.tournaments.results.inspection import match_lines
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        records = found.records("matches")
    if as_json:
        print_json(records)
    else:
        columns, lines = match_lines(records)
        print_table(columns, lines if rows is None else lines[-rows:])


def export(
    tournament: options.Chosen = None,
    what: Annotated[What, typer.Option(help="What to write.")] = What.MATCHES,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="A .jsonl or .csv file; JSONL on standard output."),
    ] = None,
    db: options.Database = None,
) -> None:
    """Write matches, verdicts, turns of debates, rating changes or items as JSONL or CSV."""
    from paragone.presenting.files import as_jsonl, write_records
    from paragone.settings import settings
    from paragone.tournaments.tournament import Tournament

    with Tournament.open(db or settings().db, tournament) as found:
        found_records = found.records(what.value)
    if out is None:
        sys.stdout.write(as_jsonl(found_records))
    else:
        write_records(found_records, out)
