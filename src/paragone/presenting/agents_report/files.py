"""The report on agents as a file: HTML to read, JSON with everything, CSV with a row for each agent."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from paragone.agents.report import Report
from paragone.agents.standings import AgentStanding
from paragone.analysis.calibration import CalibrationReport
from paragone.domain import RedTeamResult
from paragone.ledger import Progress, RecordedTest
from paragone.presenting.agents_report.charts import charts
from paragone.presenting.agents_report.summary import rows_of, summary, tiles
from paragone.presenting.agents_report.tables import tables
from paragone.presenting.files import as_csv as records_as_csv
from paragone.presenting.files import require_report_file, save
from paragone.presenting.page import Page
from paragone.presenting.page import as_html as page_as_html
from paragone.wire.agent import AgentRow
from paragone.wire.strength_test import AgentTestSummary

TOP = 50
"""Agents in tables, where nothing else is said."""
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


def as_html(report: Report, *, top: int = TOP) -> str:
    """The report as a page.

    Args:
        report: What to say.
        top: Agents in tables at the most, the best and those that were asked for; JSON and CSV have all.

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


def values_of(report: Report) -> dict[str, Any]:
    """Everything that the report says, as plain JSON values; numbers are not rounded."""
    return {
        "pool": report.pool.id,
        "domain": report.domain or None,
        "at": report.at.isoformat(),
        "config": asdict(report.config),
        "method": dict(report.method),
        "summary": [{"about": about, "sentence": sentence} for about, sentence in summary(report)],
        "debates": report.debates,
        "agents": [{**record, **_domains_of(standing)} for record, standing in _paired(report)],
        "domains": _domains(report),
        "head_to_head": _met(report),
        "calibration": {agent: asdict(relation) for agent, relation in report.calibration.items()},
        "histories": {agent: [_move(move) for move in moves] for agent, moves in report.histories.items()},
        "relationships": [asdict(relation) for relation in report.relations],
        "tests": [_test(done) for done in report.tests],
    }


def as_json(report: Report) -> str:
    """The report as one JSON object."""
    return json.dumps(values_of(report), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(report: Report) -> str:
    """The agents under a header, the strongest first."""
    return records_as_csv(records_of(report), COLUMNS)


def records_of(report: Report) -> list[dict[str, Any]]:
    """The agents as flat records, the strongest first; None where nothing is known."""
    tests = {tests.agent: tests for tests in report.tested}
    tallies = {standing.agent: standing.record.tally for standing in report.standings}
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


def _paired(report: Report) -> list[tuple[dict[str, Any], AgentStanding]]:
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


def _domains_of(standing: AgentStanding) -> dict[str, Any]:
    """What is not flat: the running Elo in each domain."""
    return {"domain_elos": {track.track: track.elo for track in standing.record.tracks}}


def _domains(report: Report) -> dict[str, Any]:
    """Debates and strengths by domain; the strengths are those of agents that debated there."""
    return {
        domain: {
            "debates": count,
            "strengths": [asdict(row) for row in report.by_domain[domain].rows if row.matches]
            if domain in report.by_domain
            else None,
        }
        for domain, count in report.domains.items()
    }


def _met(report: Report) -> list[dict[str, Any]]:
    """Each pair that met once, seen from the one whose name sorts first."""
    return [
        {"agent_a": a, "agent_b": b, "a_wins": record.wins, "b_wins": record.losses, "draws": record.draws}
        for (a, b), record in sorted(report.head_to_head.items())
        if a < b
    ]


def _move(move: Progress) -> dict[str, Any]:
    return {"at": move.at.isoformat(), "elo": move.elo, "cause": move.cause}


def _test(done: RecordedTest) -> dict[str, Any]:
    kind = "red_team" if isinstance(done.test, RedTeamResult) else "verification"
    moves = [{"track": move.track, "change": move.change, "elo": move.new} for move in done.changes]
    return {"kind": kind, "at": done.at.isoformat(), **asdict(done.test), "moves": moves}


def write(report: Report, path: str | os.PathLike[str], *, top: int = TOP) -> None:
    """Write a report whole or not at all, in the format that the file's ending names.

    Args:
        report: What to write.
        path: A .html, .json or .csv file.
        top: Agents in tables of the page at the most; the other formats have all.

    Raises:
        InvalidConfig: If the ending names no format.
        Unwritable: If the file cannot be written.
        MissingExtra: If it is HTML, and plotly or networkx is not installed.
    """
    target = Path(path)
    require_report_file(target)
    formats = {
        ".html": lambda: as_html(report, top=top),
        ".json": lambda: as_json(report),
        ".csv": lambda: as_csv(report),
    }
    save(formats[target.suffix.lower()](), target)
