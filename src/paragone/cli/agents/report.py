"""``paragone agents report``: all there is to say about agents, as HTML, JSON or CSV."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.agents import opening

STDOUT = Path("-")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(report)


def report(
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with charts, in one file.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON; - for standard output.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write a row an agent; - for standard output.")
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Agents in tables and figures of the page at the most.")
    ] = 50,
    domain: opening.Domain = None,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", "-a", metavar="NAME", help="Show this agent besides the best; may be repeated."),
    ] = None,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
) -> None:
    """Report on agents: who leads and how sure that is, domains, calibration, rivals and allies, tests.

    Without --html, --json and --csv the summary is printed.
    """
    from paragone.agents.report import gather
    from paragone.cli.show import print_report
    from paragone.presenting.agents_report import as_csv, as_html, as_json
    from paragone.presenting.agents_report.summary import summary, tiles

    wanted, chosen = {"html": html, "json": json, "csv": csv}, agent or []
    _require(wanted)
    with opening.reading(db, pool) as agents:
        agents.require(*chosen)
        agents.require_domain(domain)
        made = gather(agents.ledger, pool, domain=domain or "", chosen=chosen)
    texts = {"html": lambda: as_html(made, top=top), "json": lambda: as_json(made), "csv": lambda: as_csv(made)}
    for kind, path in wanted.items():
        if path is not None:
            _write(texts[kind](), path)
    if not any(wanted.values()):
        print_report(summary(made), tiles(made))


def _require(wanted: dict[str, Path | None]) -> None:
    """Refuse what could not be written, before anything is worked out.

    Raises:
        InvalidConfig: If two of the files are the same, or the page is to go to standard output.
        Unwritable: If one could not be written.
        MissingExtra: If the page is wanted and plotly is not installed.
    """
    from paragone.errors import InvalidConfig
    from paragone.presenting.files import require_writable
    from paragone.presenting.page import plotly_js

    given = [path for path in wanted.values() if path is not None]
    if wanted["html"] == STDOUT:
        raise InvalidConfig("--html takes the name of a file: a page is no text for a terminal")
    if len(set(given)) < len(given):
        raise InvalidConfig("--html, --json and --csv name the same file twice")
    for path in given:
        if path != STDOUT:
            require_writable(path)
    if wanted["html"] is not None:
        plotly_js()


def _write(text: str, path: Path) -> None:
    from paragone.presenting.files import save

    if path == STDOUT:
        sys.stdout.write(text)
        return
    save(text, path)
    typer.echo(f"wrote {path}", err=True)
