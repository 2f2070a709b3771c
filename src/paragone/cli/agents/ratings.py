"""``paragone agents board`` and ``report``: the ratings of agents."""

import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.agents.agent import result_letter
from paragone.cli.agents.pool import Agents, Domain, Pool

if TYPE_CHECKING:
    from rich.table import Table

    from paragone.agents.strengths import AgentStrength
    from paragone.domain import Rating
    from paragone.ledger import AgentRecord

FORM = 5
"""Debates in the form, the newest last."""
NARROW, WIDE = 64, 100
"""Width below which a board has only ranks and strength, and from which it has form and calibration."""
STDOUT = Path("-")


class By(StrEnum):
    """Orders of a board."""

    STRENGTH = "strength"
    ELO = "elo"
    CALIBRATION = "calibration"


def board(
    pool: Pool,
    output: options.Output,
    domain: Domain = None,
    by: Annotated[
        By,
        typer.Option("--by", help="Order by strength fitted to all debates, by running Elo, or by calibration score."),
    ] = By.STRENGTH,
    limit: options.Limit = 20,
) -> None:
    """Print the board: strength with its interval, range of ranks, Elo, record, and form."""
    with pool.reading() as agents:
        agents.require_domain(domain)
        rows = _rows(agents, domain, by)
        page = [{**row, "form": _form(agents, row["agent_name"], domain)} for row in rows[:limit]]
    output.show(page, lambda each: _print_board(each, len(rows), domain))


def _rows(agents: Agents, domain: str | None, by: By) -> list[dict[str, Any]]:
    records = {record.rating.item: record for record in agents.ledger.agents.records(agents.pool)}
    strengths = {strength.agent: strength for strength in agents.system.get_strengths(domain=domain)}
    rows = [_row(record, strengths.get(name), domain) for name, record in records.items()]
    key = {By.STRENGTH: "strength", By.ELO: "elo", By.CALIBRATION: "calibration_score"}[by]
    return sorted(rows, key=lambda row: (row[key] is None, -(row[key] or 0.0), row["agent_name"]))


def _row(record: "AgentRecord", strength: "AgentStrength | None", domain: str | None) -> dict[str, Any]:
    from paragone.analysis.calibration import calibration_score

    track, tally = _track(record, domain), record.tally
    fitted = {} if strength is None else asdict(strength)
    return {
        "agent_name": record.rating.item,
        **{name: fitted.get(name) for name in ("rank", "rank_low", "rank_high", "strength", "low", "high")},
        "elo": track.elo,
        "wins": track.wins,
        "losses": track.losses,
        "draws": track.ties,
        "calibration_score": calibration_score(tally.calibration_total, tally.calibration_brier_sum),
        "predictions": tally.calibration_total,
    }


def _track(record: "AgentRecord", domain: str | None) -> "Rating":
    """The rating in a domain; where nothing changed it, the global one without its record."""
    from paragone.domain import Rating

    if domain is None:
        return record.rating
    unrated = Rating(item=record.rating.item, elo=record.rating.elo, track=domain)
    return next((track for track in record.tracks if track.track == domain), unrated)


def _form(agents: Agents, name: str, domain: str | None) -> str:
    newest = agents.ledger.agents.matches(agents.pool, agent=name, domain=domain, count=FORM)
    return "".join(result_letter(match, name) for match in reversed(newest))


def _print_board(rows: list[dict[str, Any]], total: int, domain: str | None) -> None:
    from paragone.cli.tables import out, say

    console = out()
    console.print(_table(rows, console.width))
    if len(rows) < total:
        say(f"... {total - len(rows)} more; see --limit")
    shrunk = f" In {domain} it leans on the strength elsewhere, the more the fewer debates there are." if domain else ""
    console.print()
    say(f"Strength is fitted to all debates at once; the running Elo follows them debate by debate.{shrunk}")


def _table(rows: list[dict[str, Any]], width: int) -> "Table":
    """The board for a width: a name that is too long is cut, and numbers are never broken."""
    from paragone.cli.tables import Column, figure, figures, plain, table_of, text

    columns: tuple[Column[dict[str, Any]], ...] = (
        figure("rank", lambda row: row["rank"], ""),
        figures("between", lambda row: "" if row["rank"] is None else f"{row['rank_low']}-{row['rank_high']}"),
        figure("strength", lambda row: row["strength"], ".0f"),
        figures("95% interval", lambda row: "" if row["low"] is None else f"{row['low']:.0f} to {row['high']:.0f}"),
        figure("Elo", lambda row: row["elo"], ".0f"),
        figures("W-L-D", lambda row: f"{row['wins']}-{row['losses']}-{row['draws']}"),
        text("form", lambda row: row["form"]),
        figures("calibration", lambda row: f"{row['calibration_score']:.2f}" if row["predictions"] else ""),
    )
    fitting = columns[: 3 if width < NARROW else 6 if width < WIDE else None]
    table = table_of(expand=True)
    for column in fitting:
        table.add_column(column.name, justify="right" if column.is_figure else "left", no_wrap=True)
    table.add_column("agent", no_wrap=True, overflow="ellipsis", ratio=1)
    for row in rows:
        table.add_row(*(column.cell(row) for column in fitting), plain(row["agent_name"]))
    return table


def report(
    pool: Pool,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with charts, in one file.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON; - for standard output.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write a row for each agent; - for standard output.")
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Agents in tables and figures of the page, at most.")
    ] = 50,
    domain: Domain = None,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", "-a", metavar="NAME", help="Also show this agent; repeatable."),
    ] = None,
) -> None:
    """Report on agents: who leads and how certain that is, domains, calibration, rivals and allies, tests.

    Without --html, --json and --csv, print the summary.
    """
    from paragone.agents.report import gather
    from paragone.cli.tables import print_report
    from paragone.presenting.agents_report import as_csv, as_html, as_json
    from paragone.presenting.agents_report.summary import summary, tiles

    paths, chosen = {"html": html, "json": json, "csv": csv}, agent or []
    _check_files(paths)
    with pool.reading() as agents:
        agents.require(*chosen)
        agents.require_domain(domain)
        gathered = gather(agents.ledger, pool.pool, domain=domain or "", chosen=chosen)
    writers = {
        "html": lambda: as_html(gathered, top=top),
        "json": lambda: as_json(gathered),
        "csv": lambda: as_csv(gathered),
    }
    for kind, path in paths.items():
        if path is not None:
            _write(writers[kind](), path)
    if not any(paths.values()):
        print_report(summary(gathered), tiles(gathered))


def _check_files(paths: dict[str, Path | None]) -> None:
    """Refuse files that cannot be written, before anything is computed.

    Raises:
        InvalidConfig: If two of the files are the same, or the page is to go to standard output.
        Unwritable: If one could not be written.
        MissingExtra: If a page needs plotly and it is not installed.
    """
    from paragone.errors import InvalidConfig
    from paragone.presenting.files import require_writable
    from paragone.presenting.page import plotly_js

    files = [path for path in paths.values() if path is not None]
    if paths["html"] == STDOUT:
        raise InvalidConfig("--html takes the name of a file: a page is no text for a terminal")
    if len(set(files)) < len(files):
        raise InvalidConfig("--html, --json and --csv name the same file twice")
    for path in files:
        if path != STDOUT:
            require_writable(path)
    if paths["html"] is not None:
        plotly_js()


def _write(text: str, path: Path) -> None:
    from paragone.presenting.files import save

    if path == STDOUT:
        sys.stdout.write(text)
        return
    save(text, path)
    typer.echo(f"wrote {path}", err=True)
