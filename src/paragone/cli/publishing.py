"""``paragone publish``: a tournament as a folder of pages."""

from pathlib import Path
from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.options import argument, option


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
