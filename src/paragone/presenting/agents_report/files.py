"""The report on agents as a file: HTML to read, JSON with everything, CSV with a row for each agent."""

import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from paragone.agents.report import AgentsReport
from paragone.agents.standings import AgentStanding
from paragone.analysis.calibration import CalibrationReport
from paragone.domain import RedTeamResult
from paragone.ledger import RatingPoint, RecordedTest
from paragone.presenting.agents_report.charts import charts
from paragone.presenting.agents_report.summary import rows_of, summary, tiles
from paragone.presenting.agents_report.tables import tables
from paragone.presenting.files import as_csv as records_as_csv
from paragone.presenting.files import as_json as values_as_json
from paragone.presenting.files import write_report
from paragone.presenting.page import Page
from paragone.presenting.page import as_html as page_as_html
from paragone.wire.agent import AgentRow
from paragone.wire.strength_test import AgentTestSummary

TOP = 50
"""Agents in a table by default."""
SECTIONS: Mapping[str, str] = {
    "ranking": "Ranking",
    "history": "History",
    "domains": "Domains",
    "calibration": "Calibration",
    "relations": "Relationships",
    "tests": "Tests",
    "method": "How it was made",
}
"""Names of the sections, in the order of the page."""


def as_html(report: AgentsReport, *, top: int = TOP) -> str:
    """The report as a page.

    Args:
        report: The report.
        top: Agents in tables at most, the best and the chosen ones; JSON and CSV have all.

    Raises:
        MissingExtra: If plotly or networkx is not installed.
    """
    page = Page(
        kind="Report on agents",
        title=report.pool.id,
        about=f"In the domain {report.domain}" if report.domain else "",
        at=report.at,
        tiles=tiles(report),
        summary=summary(report),
        sections=SECTIONS,
        charts=charts(report, top=top),
        tables=tables(report, top=top),
    )
    return page_as_html(page)


def values_of(report: AgentsReport) -> dict[str, Any]:
    """The report as plain JSON values; numbers are not rounded."""
    return {
        "pool": report.pool.id,
        "domain": report.domain or None,
        "at": report.at.isoformat(),
        "config": asdict(report.config),
        "method": dict(report.method),
        "summary": [{"about": about, "sentence": sentence} for about, sentence in summary(report)],
        "debates": report.debates,
        "agents": [{**record, **_domains_of(entry)} for record, entry in _paired(report)],
        "domains": _domains(report),
        "head_to_head": _met(report),
        "calibration": {agent: asdict(relation) for agent, relation in report.calibration.items()},
        "histories": {agent: [_move(move) for move in moves] for agent, moves in report.histories.items()},
        "relationships": [asdict(relation) for relation in report.relations],
        "tests": [_test(done) for done in report.tests],
    }


def as_json(report: AgentsReport) -> str:
    """The report as one JSON object."""
    return values_as_json(values_of(report))


def as_csv(report: AgentsReport) -> str:
    """The agents under a header, strongest first."""
    return records_as_csv(records_of(report), COLUMNS)


def records_of(report: AgentsReport) -> list[dict[str, Any]]:
    """The agents as flat records, strongest first; None for unknown values."""
    tests = {tests.agent: tests for tests in report.tested}
    tallies = {entry.agent: entry.record.tally for entry in report.standings}
    return [
        {
            **asdict(row),
            **_bias(report.calibration.get(row.agent)),
            "critiques": tallies[row.agent].critiques_total,
            "critiques_accepted": tallies[row.agent].critiques_accepted,
            **_tested(tests.get(row.agent)),
        }
        for row in rows_of(report)
    ]


def _bias(calibration: CalibrationReport | None) -> dict[str, float | None]:
    bias = None if calibration is None else calibration.bias
    return {"bias_low": None if bias is None else bias.low, "bias_high": None if bias is None else bias.high}


def _paired(report: AgentsReport) -> list[tuple[dict[str, Any], AgentStanding]]:
    return list(zip(records_of(report), report.standings, strict=True))


def _tested(tests: AgentTestSummary | None) -> dict[str, Any]:
    return {
        "red_team_sessions": 0 if tests is None else tests.sessions,
        "mean_robustness": None if tests is None else tests.robustness,
        "red_team_points": 0.0 if tests is None else tests.red_team,
        "verifications": 0 if tests is None else tests.verifications,
        "verification_points": 0.0 if tests is None else tests.verification,
    }


COLUMNS = (
    *(field.name for field in fields(AgentRow)),
    *_bias(None),
    "critiques",
    "critiques_accepted",
    *_tested(None),
)
"""Columns of the CSV file."""


def _domains_of(entry: AgentStanding) -> dict[str, Any]:
    """The running Elo in each domain, which is not flat."""
    return {"domain_elos": {track.track: track.elo for track in entry.record.tracks}}


def _domains(report: AgentsReport) -> dict[str, Any]:
    """Debates and strengths by domain, of agents that debated there."""
    return {
        domain: {
            "debates": count,
            "strengths": [asdict(row) for row in report.by_domain[domain].rows if row.matches]
            if domain in report.by_domain
            else None,
        }
        for domain, count in report.domains.items()
    }


def _met(report: AgentsReport) -> list[dict[str, Any]]:
    """Each pair that met, listed once, seen from the agent whose name sorts first."""
    return [
        {"agent_a": a, "agent_b": b, "a_wins": record.wins, "b_wins": record.losses, "draws": record.draws}
        for (a, b), record in sorted(report.head_to_head.items())
        if a < b
    ]


def _move(move: RatingPoint) -> dict[str, Any]:
    return {"at": move.at.isoformat(), "elo": move.elo, "cause": move.cause}


def _test(done: RecordedTest) -> dict[str, Any]:
    kind = "red_team" if isinstance(done.test, RedTeamResult) else "verification"
    moves = [{"track": move.track, "change": move.change, "elo": move.new} for move in done.changes]
    return {"kind": kind, "at": done.at.isoformat(), **asdict(done.test), "moves": moves}


def write(report: AgentsReport, path: str | os.PathLike[str], *, top: int = TOP) -> None:
    """Write a report whole or not at all, in the format that the file's ending names.

    Args:
        report: The report.
        path: A .html, .json or .csv file.
        top: Agents in tables of the page at most; the other formats have all.

    Raises:
        InvalidConfig: If the ending names no format.
        Unwritable: If the file cannot be written.
        MissingExtra: If it is HTML, and plotly or networkx is not installed.
    """
    formats = {
        ".html": lambda: as_html(report, top=top),
        ".json": lambda: as_json(report),
        ".csv": lambda: as_csv(report),
    }
    write_report(path, formats, "a report is")
