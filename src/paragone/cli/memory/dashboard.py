"""``paragone memory dashboard``: truth and use of content on one page."""

from pathlib import Path
from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.cli.memory.progress import waiting


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(dashboard)


def dashboard(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write a page (.html), or everything as .json.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Pieces of content in a table at the most.")] = 30,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Show R against Elo in four quadrants, echo chambers, tiers, top content, measures of success, what was pruned.

    Without --out the summary is printed.
    """
    from paragone.cli.show import print_report
    from paragone.presenting.memory_dashboard import require_dashboard_file, values_of, write
    from paragone.presenting.memory_dashboard.summary import summary, tiles

    if out is not None:
        require_dashboard_file(out)
    with opening.opened(root, store) as memory, waiting("gathering what there is"):
        made = memory.dashboard()
    if out is not None:
        write(made, out, top=top)
        typer.echo(f"wrote {out}", err=True)
    if as_json:
        print_json(values_of(made, top=top))
    elif out is None:
        print_report(summary(made), tiles(made))
