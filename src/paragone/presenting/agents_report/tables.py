"""The tables of a report on agents."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from paragone.agents.report import AgentsReport
from paragone.agents.strengths import AgentStrength
from paragone.analysis.calibration import LEAST, CalibrationReport
from paragone.analysis.relationships import Relationship
from paragone.presenting.agents import name, ranked_agents, relations, tests
from paragone.presenting.agents_report.summary import notable, rows_of, settings_of
from paragone.presenting.board_tables import span, width
from paragone.presenting.page import others
from paragone.presenting.table import Column, Table, facts, number, numbers, text
from paragone.wire.agent import AgentRow
from paragone.wire.strength_test import AgentTestSummary

MOST_LINES = 50
"""Rows of tables that are not about single agents; JSON has all."""


def tables(report: AgentsReport, *, top: int) -> tuple[Table[Any], ...]:
    """All tables that have rows.

    Args:
        report: The report.
        top: Agents in a table at most, best first.
    """
    all_tables: tuple[Table[Any], ...] = (
        _board(report, top), _domains(report), _calibration(report, top), _relations(report), _tested(report, top),
        _tests(report), facts("method", "", settings_of(report)),
    )  # fmt: skip
    return tuple(table.filled() for table in all_tables if table.rows)


def _board(report: AgentsReport, top: int) -> Table[AgentRow]:
    chosen = {*report.chosen, *(entry.agent for entry in report.standings[:top])}
    rows = [row for row in rows_of(report) if row.agent in chosen]
    tallies = {entry.agent: entry.record.tally for entry in report.standings}
    more: tuple[Column[AgentRow], ...] = (
        number("debates", lambda row: row.debates),
        numbers(
            "critiques accepted",
            lambda row: _share(tallies[row.agent].critiques_accepted, tallies[row.agent].critiques_total),
            lambda row: tallies[row.agent].critiques_accepted / max(1, tallies[row.agent].critiques_total),
        ),
        text("model", lambda row: name(row.model), "k"),
    )
    table = ranked_agents(rows, report.level, *more)
    rank, *columns, _ = table.columns
    unlisted = len(report.standings) - len(rows)
    return replace(
        table,
        section="ranking",
        title="Board",
        note=f"Ranked by strength; the running Elo follows the debates one by one.{others(unlisted)}",
        columns=(rank, text("agent", lambda row: name(row.agent), "a"), *columns),
    )


def _share(count: int, of: int) -> str:
    return f"{count:,} of {of:,}" if of else ""


def _domains(report: AgentsReport) -> Table[str]:
    leaders = {domain: [row for row in strengths.rows if row.matches] for domain, strengths in report.by_domain.items()}
    tracks = (track for entry in report.standings for track in entry.record.tracks)
    agents = Counter(track.track for track in tracks if track.matches)

    def of_leader(part: Callable[[AgentStrength], str]) -> Callable[[str], str]:
        return lambda domain: part(leaders[domain][0]) if leaders.get(domain) else ""

    columns: tuple[Column[str], ...] = (
        text("domain", name, "a"),
        number("debates", lambda domain: report.domains[domain]),
        number("agents", lambda domain: agents[domain]),
        text("leads", of_leader(lambda row: name(row.agent)), "a"),
        numbers("strength", of_leader(lambda row: f"{row.strength:.0f}")),
        numbers(f"{report.level:.0%} interval", of_leader(lambda row: span(row.low, row.high))),
        number("may be the best", lambda domain: sum(row.rank_low == 1 for row in leaders.get(domain, ())) or None),
    )
    fitted = bool(report.by_domain)
    return Table(
        section="domains",
        title="Who leads where" if fitted else "Debates by domain",
        note="Among agents that debated there; who may be the best follows from intervals of ranks." if fitted else "",
        columns=columns,
        rows=() if report.domain else list(report.domains)[:MOST_LINES],
    )


def _calibration(report: AgentsReport, top: int) -> Table[tuple[str, CalibrationReport]]:
    by_score = sorted(
        report.calibration.items(), key=lambda entry: (-entry[1].score.value, entry[1].brier.value, entry[0])
    )
    columns: tuple[Column[tuple[str, CalibrationReport]], ...] = (
        text("agent", lambda entry: name(entry[0]), "a"),
        number("predictions", lambda entry: entry[1].predictions),
        number("right", lambda entry: entry[1].accuracy, ".0%"),
        number("confidence", lambda entry: entry[1].mean_confidence, ".0%"),
        number("score", lambda entry: entry[1].score.value if entry[1].predictions >= LEAST else None, ".2f"),
        number("Brier", lambda entry: entry[1].brier.value, ".3f"),
        number("error", lambda entry: entry[1].ece.value, ".3f"),
        number("by chance", lambda entry: entry[1].ece_by_chance.expected, ".3f"),
        number("bias", lambda entry: entry[1].bias.value, "+.2f"),
        numbers(
            f"{report.level:.0%} interval",
            lambda entry: span(entry[1].bias.low, entry[1].bias.high, "+.2f"),
            lambda entry: width(entry[1].bias.low, entry[1].bias.high),
        ),
        number("temperature", lambda entry: entry[1].temperature.value, ".2f"),
        text("verdict", lambda entry: entry[1].verdict, "a"),
    )
    return Table(
        section="calibration",
        title="By calibration score",
        note="Bias is mean confidence minus accuracy; the error by chance is what perfect calibration would show."
        + others(len(report.predictions) - len(by_score[:top])),
        columns=columns,
        rows=by_score[:top],
    )


def _relations(report: AgentsReport) -> Table[Any]:
    rivals, allies = (notable(report, kind)[: MOST_LINES // 2] for kind in (Relationship.RIVAL, Relationship.ALLY))
    return replace(
        relations([*rivals, *allies]),
        section="relations",
        title="Rivals and allies of note",
        note="By Aragora's formulas: rivals debate often, agree rarely and win about equally often; allies agree "
        "and accept each other's critiques. None of this is tested against chance.",
    )


def _tested(report: AgentsReport, top: int) -> Table[AgentTestSummary]:
    columns: tuple[Column[AgentTestSummary], ...] = (
        text("agent", lambda tested: name(tested.agent), "a"),
        number("sessions", lambda tested: tested.sessions or None),
        number("attacks", lambda tested: tested.attacks if tested.sessions else None),
        number("succeeded", lambda tested: tested.successful if tested.sessions else None),
        number("critical", lambda tested: tested.critical if tested.sessions else None),
        number("robustness", lambda tested: tested.robustness, ".2f"),
        number("Elo points", lambda tested: tested.red_team if tested.sessions else None, "+.1f"),
        number("verifications", lambda tested: tested.verifications or None),
        number("verified", lambda tested: tested.verified if tested.verifications else None),
        number("disproven", lambda tested: tested.disproven if tested.verifications else None),
        number("Elo points", lambda tested: tested.verification if tested.verifications else None, "+.1f"),
    )
    rows = report.tested[:top]
    return Table(
        section="tests",
        title="By agent",
        note=others(len(report.tested) - len(rows)).strip(),
        columns=columns,
        rows=rows,
    )


def _tests(report: AgentsReport) -> Table[Any]:
    rows = report.tests[: -MOST_LINES - 1 : -1]
    earlier = len(report.tests) - len(rows)
    return replace(
        tests(rows, of_one=False),
        section="tests",
        title="The latest tests" if earlier else "All tests",
        note=f"The {earlier:,} earlier ones are in the JSON report." if earlier else "",
    )
