"""``paragone tournament report``: all there is to say about a tournament, as HTML, JSON or CSV."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from paragone.cli import options


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)


def report(
    tournament: options.Chosen = None,
    out: Annotated[
        list[Path] | None,
        typer.Option("--out", "-o", metavar="FILE", help="A .html, .json or .csv file; may be repeated."),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The true quality where it is known: a table with columns id and score."),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Items that tables and figures of the page show at the most.")
    ] = 100,
    follow: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Draw this item round by round too; may be repeated.")
    ] = None,
    db: options.Database = None,
    as_json: options.Json = False,
) -> None:
    """Report on a tournament: the ranking, how sure it is, how it came about, what it took.

    Without --out and --json the summary is printed.
    """
    from paragone.cli.show import print_report
    from paragone.errors import NotFound
    from paragone.intake.item_values import read_strengths
    from paragone.presenting.files import require_report_file
    from paragone.presenting.tournament_report import as_json as report_as_json
    from paragone.presenting.tournament_report import write
    from paragone.presenting.tournament_report.summary import summary, tiles
    from paragone.settings import settings
    from paragone.tournaments.report import gather
    from paragone.tournaments.tournament import Tournament

    files, chosen = out or [], follow or []
    for path in files:
        require_report_file(path)
    known = None if truth is None else read_strengths(truth)
    with Tournament.open(db or settings().db, tournament) as found:
        strangers = [id for id in chosen if id not in set(found.state.ids)]
        if strangers:
            raise NotFound(f"no item of {found.state.id} is called {strangers[0]!r}; `paragone board` lists them")
        made = gather(found.ledger, found.state, truth=known)
    for path in files:
        write(made, path, top=top, chosen=chosen)
    if as_json:
        sys.stdout.write(report_as_json(made))
    elif files:
        typer.echo(f"wrote {', '.join(map(str, files))}", err=True)
    else:
        print_report(summary(made), tiles(made))
