"""``paragone agents board`` and ``report``: the ratings of agents."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from paragone.cli import options
from paragone.cli.agents.pool import Domain, OpenPool, PoolOptions, result_letter
from paragone.cli.options import option
from paragone.cli.parameters import OnlyWith
from paragone.wire.agent import AgentRanking, AgentRow

WIDTHS = ((64, 3), (100, 6))
"""Below each width, how many columns a board has besides the name."""
STDOUT = Path("-")


def board(
    pool: PoolOptions,
    output: options.Output,
    domain: Domain = None,
    by: Annotated[
        AgentRanking, option("By strength fitted to all debates, running Elo, or calibration score.")
    ] = "strength",
    walk: Annotated[
        int | None, option("Let strengths change after every N debates, and show the current ones.", metavar="N", min=1)
    ] = None,
    limit: options.Limit = 20,
) -> None:
    """Print the board of agents. It has strength and rank with intervals, Elo, record, and form."""
    with pool.reading() as agents:
        agents.require_domain(domain)
        rows = _rows(agents, domain, by, walk)
        page = [replace(row, form=_form(agents, row.agent, domain)) for row in rows[:limit]]
    output.draw(page, lambda each: _print_board(each, len(rows), domain))


def _rows(agents: OpenPool, domain: str | None, by: AgentRanking, walk: int | None) -> list[AgentRow]:
    fitted = ("rank", "rank_shared", "rank_low", "rank_high", "strength", "low", "high")
    strengths = {
        strength.agent: {name: getattr(strength, name) for name in fitted}
        for strength in agents.system.get_strengths(domain=domain, walk=walk)
    }
    rows = [replace(row, **strengths.get(row.agent, {})) for row in agents.rows(domain)]
    key = "score" if by == "calibration" else by
    return sorted(rows, key=lambda row: (getattr(row, key) is None, -(getattr(row, key) or 0.0), row.agent))


def _form(agents: OpenPool, name: str, domain: str | None) -> str:
    from paragone.agents.standings import FORM

    newest = agents.ledger.agents.matches(agents.pool, agent=name, domain=domain, count=FORM)
    return "".join(result_letter(match, name) for match in reversed(newest))


def _print_board(rows: list[AgentRow], total: int, domain: str | None) -> None:
    from paragone.agents.strengths import LEVEL
    from paragone.cli.tables import out, print_table_for_width, say, table_for_width
    from paragone.presenting.agents import ranked_agents

    console = out()
    print_table_for_width(console, table_for_width(ranked_agents(rows, LEVEL), console.width, WIDTHS))
    if len(rows) < total:
        say(f"... {total - len(rows)} more; see --limit")
    shrunk = f" In {domain} it leans on the strength elsewhere, the more the fewer debates there are." if domain else ""
    console.print()
    say(f"Strength is fitted to all debates at once; the running Elo follows them debate by debate.{shrunk}")


def report(
    pool: PoolOptions,
    html: Annotated[Path | None, option("Write a page with charts, in one file.")] = None,
    json: Annotated[Path | None, option("Write everything as JSON; - for standard output.")] = None,
    csv: Annotated[Path | None, option("Write a row for each agent; - for standard output.")] = None,
    top: Annotated[int, option("Agents in tables and figures of the page, at most.", min=1), OnlyWith("--html")] = 50,
    domain: Domain = None,
    agent: Annotated[list[str] | None, option("Also show this agent; repeatable.", "-a")] = None,
) -> None:
    """Report on ranking, calibration, relations and tests.

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
    writers: dict[str, Callable[[], str]] = {
        "html": lambda: as_html(gathered, top=top),
        "json": lambda: as_json(gathered),
        "csv": lambda: as_csv(gathered),
    }
    targets = [(path, writers[kind]) for kind, path in paths.items() if path is not None]
    for path, text in sorted(targets, key=lambda each: each[0] == STDOUT):  # whose reader may go before all is printed
        _write(text(), path)
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
        raise InvalidConfig("--html takes the name of a file: a page cannot be printed to a terminal")
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
