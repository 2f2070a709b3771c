"""``paragone agents board``: who is best."""

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.agents.debates import letter
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from rich.table import Table

    from paragone.agents.strengths import AgentStrength
    from paragone.domain import Rating
    from paragone.ledger import AgentRecord

FORM = 5
"""Debates that the form shows, the newest last."""


class By(StrEnum):
    """What a board is ordered by."""

    STRENGTH = "strength"
    ELO = "elo"
    CALIBRATION = "calibration"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(board)


def board(
    domain: opening.Domain = None,
    by: Annotated[
        By,
        typer.Option(
            "--by", help="Order by the strength fitted to all debates, by the running Elo, or by the calibration score."
        ),
    ] = By.STRENGTH,
    limit: opening.Limit = 20,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Print the board: strength with its interval, ranks it may have, Elo, record, and form."""
    with opening.reading(db, pool) as agents:
        agents.require_domain(domain)
        rows = _rows(agents, domain, by)
        shown = [{**row, "form": _form(agents, row["agent_name"], domain)} for row in rows[:limit]]
    if as_json:
        print_json(shown)
    else:
        _print(shown, len(rows), domain)


def _rows(agents: opening.Agents, domain: str | None, by: By) -> list[dict[str, Any]]:
    records = {record.rating.item: record for record in agents.ledger.agents.records(agents.pool)}
    strengths = {found.agent: found for found in agents.system.get_strengths(domain=domain)}
    rows = [_row(record, strengths.get(name), domain) for name, record in records.items()]
    key = {By.STRENGTH: "strength", By.ELO: "elo", By.CALIBRATION: "calibration_score"}[by]
    return sorted(rows, key=lambda row: (row[key] is None, -(row[key] or 0.0), row["agent_name"]))


def _row(record: "AgentRecord", found: "AgentStrength | None", domain: str | None) -> dict[str, Any]:
    from paragone.analysis.calibration import calibration_score

    track, tally = _track(record, domain), record.tally
    fitted = {} if found is None else asdict(found)
    return {
        "agent_name": record.rating.item,
        "rank": fitted.get("rank"),
        "rank_low": fitted.get("rank_low"),
        "rank_high": fitted.get("rank_high"),
        "strength": fitted.get("strength"),
        "low": fitted.get("low"),
        "high": fitted.get("high"),
        "elo": track.elo,
        "wins": track.wins,
        "losses": track.losses,
        "draws": track.ties,
        "calibration_score": calibration_score(tally.calibration_total, tally.calibration_brier_sum),
        "predictions": tally.calibration_total,
    }


def _track(record: "AgentRecord", domain: str | None) -> "Rating":
    """The rating that is meant; in a domain where nothing moved it, the global one without its record."""
    from paragone.domain import Rating

    if domain is None:
        return record.rating
    beside = Rating(item=record.rating.item, elo=record.rating.elo, track=domain)
    return next((track for track in record.tracks if track.track == domain), beside)


def _form(agents: opening.Agents, name: str, domain: str | None) -> str:
    newest = agents.ledger.agents.matches(agents.pool, agent=name, domain=domain, count=FORM)
    return "".join(letter(found, name) for found in reversed(newest))


COLUMNS = ("rank", "between", "strength", "95% interval", "Elo", "W-L-D", "form", "calibration")
NARROW, WIDE = 64, 100
"""Letters a line below which a board keeps to ranks and strength, and from which on it has form and calibration."""


def _print(rows: list[dict[str, Any]], total: int, domain: str | None) -> None:
    from paragone.cli.show import out, plain

    console = out()
    console.print(_table(rows, console.width))
    if len(rows) < total:
        console.print(plain(f"... {total - len(rows)} more; see --limit"))
    where = f" In {domain} it leans on the strength elsewhere, the more the fewer debates there are." if domain else ""
    console.print()
    console.print(
        plain(f"Strength is fitted to all debates at once; the running Elo tells the story debate by debate.{where}")
    )


def _table(rows: list[dict[str, Any]], width: int) -> "Table":
    """The board for so wide a terminal: a name that is too long is cut, and the numbers are whole."""
    from rich.table import Table

    from paragone.cli.show import plain

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=True)
    kept = slice(3 if width < NARROW else 6 if width < WIDE else None)
    for name in COLUMNS[kept]:
        table.add_column(name, justify="left" if name == "form" else "right", no_wrap=True)
    table.add_column("agent", no_wrap=True, overflow="ellipsis", ratio=1)
    for row in rows:
        table.add_row(*_line(row)[kept], plain(row["agent_name"]))
    return table


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    fitted = row["strength"] is not None
    return (
        str(row["rank"]) if fitted else "",
        f"{row['rank_low']}-{row['rank_high']}" if fitted else "",
        f"{row['strength']:.0f}" if fitted else "",
        f"{row['low']:.0f} to {row['high']:.0f}" if fitted else "",
        f"{row['elo']:.0f}",
        f"{row['wins']}-{row['losses']}-{row['draws']}",
        row["form"],
        f"{row['calibration_score']:.2f}" if row["predictions"] else "",
    )
