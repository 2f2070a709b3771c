"""The report as a file: HTML to read, JSON with everything, CSV with the leaderboard."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from paragone.domain.records import as_values
from paragone.domain.text import visible
from paragone.errors import InvalidConfig, PluginRefused, UsageError
from paragone.plugins import Registry, require_callable
from paragone.presenting.files import as_csv, write_report
from paragone.presenting.files import as_json as values_as_json
from paragone.presenting.page import Page, Sentence
from paragone.presenting.page import as_html as page_as_html
from paragone.presenting.table import Table
from paragone.presenting.tournament_report.charts import charts
from paragone.presenting.tournament_report.summary import summary, tiles
from paragone.presenting.tournament_report.tables import tables
from paragone.tournaments.report.gathering import TournamentReport

SECTIONS: Mapping[str, str] = {
    "ranking": "Ranking",
    "progress": "Progress",
    "judges": "Judges",
    "consistency": "Consistency",
    "findings": "Findings",
    "costs": "Costs",
    "method": "How it was made",
}
"""Names of the sections, in the order of the page; those of plugins come after them."""


def _of_plugin(name: str, section: object) -> Callable[[TournamentReport], Sequence[Table[Any]]]:
    require_callable(name, section)

    def tables_of(report: TournamentReport) -> Sequence[Table[Any]]:
        try:
            section_tables = [replace(table, section=name) for table in section(report)]  # type: ignore[operator]
            return [table for table in section_tables if table.rows and table.lines]  # cells may fail as well
        except Exception as error:  # a plugin may raise anything
            raise InvalidConfig(f"its section {name!r} cannot be made ({type(error).__name__}: {error})") from error

    return tables_of


MORE_SECTIONS: Registry[Callable[[TournamentReport], Sequence[Table[Any]]]] = Registry(
    "report_sections", {}, _of_plugin, reserved=frozenset(SECTIONS)
)
"""What plugins add: the tables of a section."""


def as_html(report: TournamentReport, *, top: int = 100, chosen: Sequence[str] = ()) -> str:
    """The report as a page that needs no other file; arguments as of ``page_of``.

    Raises:
        MissingExtra: If plotly is not installed.
    """
    return page_as_html(page_of(report, top=top, chosen=chosen))


def page_of(report: TournamentReport, *, top: int = 100, chosen: Sequence[str] = ()) -> Page:
    """The content of the report's page.

    Args:
        report: The report.
        top: Items in tables at most, best first; JSON and CSV have all.
        chosen: Items to follow round by round besides the best.
    """
    more, refused = _more(report)
    return Page(
        kind="Tournament report",
        title=report.state.id,
        about=report.state.settings.criteria,
        at=report.at,
        tiles=tiles(report),
        summary=(*summary(report), *refused),
        sections={**SECTIONS, **{name: name.replace("_", " ").replace("-", " ").capitalize() for name in more}},
        charts=charts(report, top=top, chosen=chosen),
        tables=(*tables(report, top=top), *(table for extra in more.values() for table in extra)),
    )


def _more(report: TournamentReport) -> tuple[dict[str, Sequence[Table[Any]]], list[Sentence]]:
    """The tables that plugins add, by section; and a sentence for each plugin that cannot."""
    tables_by_section: dict[str, Sequence[Table[Any]]] = {}
    refused: list[Sentence] = []
    for name, section in MORE_SECTIONS.plugins():
        try:
            if isinstance(section, PluginRefused):
                raise section
            tables_by_section[name] = section(report)
        except UsageError as error:
            refused.append(("Beware", f"A plugin is left out: {error}."))
    return tables_by_section, refused


def values_of(report: TournamentReport) -> dict[str, Any]:
    """The report as plain JSON values; numbers are not rounded."""
    return {
        "tournament": report.state.id,
        "at": report.at.isoformat(),
        "brief": report.state.settings.as_json(),
        "summary": [{"about": about, "sentence": sentence} for about, sentence in summary(report)],
        "ranking": as_values(report.ranking),
        "effectiveness": as_values(report.effectiveness),
        "health": as_values(report.health),
        "board": report.board.as_dict(),
        "rounds": _rounds(report),
        "resources": report.spending.as_dict(),
        "events": asdict(report.event_counts),
        "quality": asdict(report.quality),
        "patterns": report.effects.values,
        "reviews": _reviews(report),
        "progression": _progression(report),
        "known": [_look(report, index) for index in range(len(report.strength_history))],
        "calibration": {name: [asdict(part) for part in parts] for name, parts in report.forecast_bins},
        "truth": None if report.accuracy is None else asdict(report.accuracy),
    }


def _rounds(report: TournamentReport) -> list[dict[str, Any]]:
    settled = {step.round: asdict(step) for step in report.settling}
    return [{**settled.get(spent.round, {}), **asdict(spent), "total": spent.total} for spent in report.expenses]


def _reviews(report: TournamentReport) -> dict[str, Any]:
    fit = report.review_fit
    return {
        "agreement": None if fit is None else {**asdict(fit), "sentence": fit.sentence()},
        "discrepancies": [asdict(discrepancy) for discrepancy in report.discrepancies],
    }


def _progression(report: TournamentReport) -> dict[str, Any]:
    """The running Elo after each round, by item; null before an item joined."""
    progression = report.progression
    columns = (_finite(progression.elo[:, column]) for column in range(len(progression.ids)))
    return {"rounds": list(progression.rounds), "elo": dict(zip(progression.ids, columns, strict=True))}


def _look(report: TournamentReport, index: int) -> dict[str, Any]:
    """The strengths as they were known after a round, by item, with their intervals."""
    look = report.strength_history[index]
    lines = zip(report.state.ids, *(_finite(line) for line in (look.strength, look.low, look.high)), strict=True)
    return {
        "round": look.round,
        "forecast": asdict(look.forecast),
        "strength": {id: {"rating": rating, "low": low, "high": high} for id, rating, low, high in lines},
    }


def _finite(values: np.ndarray[Any, Any]) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def as_json(report: TournamentReport) -> str:
    """The report as one JSON object."""
    return values_as_json(values_of(report))


def leaderboard_of(report: TournamentReport) -> list[Mapping[str, Any]]:
    """The leaderboard as flat records, best first: the numbers of the board and of the report."""
    coming = set(report.standings.emerging)
    return [
        {
            "rank": row.rank,
            "id": row.id,
            "strength": row.rating,
            "low": row.low,
            "high": row.high,
            "rank_low": row.rank_low,
            "rank_high": row.rank_high,
            "elo": row.elo,
            "tier": report.tiers[row.id].value,
            "wins": row.wins,
            "losses": row.losses,
            "ties": row.ties,
            "matches": row.matches,
            "confidence": report.standings.confidence[row.id].confidence_score,
            "recent_change": report.trends[row.id].change,
            "trend": report.trends[row.id].direction.value,
            "emerging": row.id in coming,
            "review_score": report.opinions[row.id].score if row.id in report.opinions else None,
            "text": visible(row.text),
        }
        for row in report.board.items
    ]


def write(
    report: TournamentReport, path: str | os.PathLike[str], *, top: int = 100, chosen: Sequence[str] = ()
) -> None:
    """Write a report whole or not at all, in the format that the file's ending names.

    Args:
        report: The report.
        path: A .html, .json or .csv file.
        top: Items in tables and figures of the page at most; the other formats have all.
        chosen: Items that the page follows round by round besides the best.

    Raises:
        InvalidConfig: If the ending names no format.
        Unwritable: If the file cannot be written.
        MissingExtra: If it is HTML and plotly is not installed.
    """
    formats = {
        ".html": lambda: as_html(report, top=top, chosen=chosen),
        ".json": lambda: as_json(report),
        ".csv": lambda: as_csv(leaderboard_of(report)),
    }
    write_report(path, formats, "a report is")
