"""Calibration of agents as figures: one agent's reliability diagram, boards of all agents, ratings by domain, tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from paragone.analysis.calibration.report import CalibrationReport, ChanceBand, CurvePoint
from paragone.domain.board import Estimate
from paragone.domain.text import cut
from paragone.presenting.figures.judging import forest, signed
from paragone.presenting.figures.theme import (
    BLUE,
    FAVOUR,
    GREY,
    ORANGE,
    Figure,
    axis,
    band,
    ends,
    figure,
    label,
    named,
    nothing,
    places,
    spread,
)
from paragone.wire.calibration import Measure

_WIDTH = 0.1
_NARROW = 0.015
"""Half the width of a band at a single confidence."""
_ALONE = "There is no prediction with a known outcome."


def reliability(report: CalibrationReport, name: str = "") -> Figure:
    """How often predictions came true, by confidence, and how many there were of each.

    Points are buckets with their intervals, the line is the isotonic recalibration; the grey area is where that line
    would lie by chance if all confidences were right.

    Args:
        report: The calibration.
        name: The agent's name; untrusted.
    """
    if not report.predictions:
        return nothing(_ALONE)
    whose = f" of {cut(name, 40)}" if name else ""
    return figure(
        [*_chance(report.band), _diagonal(), _recalibrated(report), _points(report.curve), _histogram(report.curve)],
        alt=f"Reliability{whose}, {report.predictions} predictions: {report.verdict}",
        height=440,
        xaxis=axis("confidence", range=[-0.02, 1.02], zeroline=False, tickformat=".0%", anchor="y2", nticks=6),
        yaxis=axis("came true", range=[-0.03, 1.03], zeroline=False, tickformat=".0%", domain=[0.3, 1.0]),
        yaxis2=axis("number", domain=[0.0, 0.2], anchor="x", rangemode="tozero", nticks=3),
        showlegend=True,
    )


def _chance(interval: ChanceBand) -> list[Figure]:
    at, low, high = interval.confidence, interval.low, interval.high
    if len(at) == 1:
        at, low, high = (at[0] - _NARROW, at[0] + _NARROW), low * 2, high * 2
    return [band(at, low, high, GREY, name="by chance")]


def _diagonal() -> Figure:
    line = {"color": GREY, "width": 1.5, "dash": "dot"}
    ends = {"x": [0, 1], "y": [0, 1], "name": "as forecast", "hoverinfo": "skip"}
    return {"type": "scatter", "mode": "lines", "line": line, **ends}


def _recalibrated(report: CalibrationReport) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "recalibrated",
        "x": list(report.corp.confidence),
        "y": list(report.corp.recalibrated),
        "line": {"color": BLUE, "width": 2},
        "hovertemplate": "%{x:.0%} means %{y:.0%}<extra></extra>",
    }


def _points(curve: Sequence[CurvePoint]) -> Figure:
    accuracy = [point.bucket.accuracy for point in curve]
    details = [[p.bucket.predictions, p.low, p.high, p.chance_low, p.chance_high] for p in curve]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "came true",
        "x": [point.bucket.mean_confidence for point in curve],
        "y": accuracy,
        "error_y": spread(accuracy, [point.low for point in curve], [point.high for point in curve], ORANGE),
        "marker": {"size": 9, "color": ORANGE},
        "customdata": details,
        "hovertemplate": "stated %{x:.0%}, came true %{y:.0%} (%{customdata[1]:.0%} to %{customdata[2]:.0%})"
        "<br>%{customdata[0]:,} predictions"
        "<br>by chance %{customdata[3]:.0%} to %{customdata[4]:.0%}<extra></extra>",
    }


def _histogram(curve: Sequence[CurvePoint]) -> Figure:
    return {
        "type": "bar",
        "x": [point.bucket.expected_accuracy for point in curve],
        "y": [point.bucket.predictions for point in curve],
        "width": 0.94 * _WIDTH,
        "yaxis": "y2",
        "marker": {"color": GREY},
        "showlegend": False,
        "customdata": [point.bucket.key for point in curve],
        "hovertemplate": "%{y:,} predictions of %{customdata}<extra></extra>",
    }


def calibration_board(reports: Sequence[tuple[str, CalibrationReport]]) -> Figure:
    """The document's calibration score of each agent with its interval; those with too few predictions are grey.

    Args:
        reports: Agents and their calibration, the best first.
    """
    if not reports:
        return nothing(_ALONE)
    alt = f"Calibration score of {len(reports)} agents with {reports[0][1].level:.0%} intervals"
    return forest(
        [_estimate(name, report.score, report) for name, report in reports], alt=alt, title="calibration score"
    )


def bias_board(reports: Sequence[tuple[str, CalibrationReport]]) -> Figure:
    """How far the mean confidence of each agent lies above its accuracy; what is more than chance stands out.

    Args:
        reports: Agents and their calibration; those without predictions are left out.
    """
    predicting = [(name, report) for name, report in reports if report.predictions]
    if not predicting:
        return nothing(_ALONE)
    alt = f"Mean confidence less accuracy of {len(predicting)} agents with {predicting[0][1].level:.0%} intervals"
    estimates = [_estimate(name, report.bias, report) for name, report in predicting]
    return forest(estimates, alt=alt, title="← under   confidence   over →", number=signed)


def _estimate(name: str, measure: Measure, report: CalibrationReport) -> Estimate:
    note = f"{report.predictions:,} predictions: {report.verdict}"
    return Estimate(name=name, value=measure.value, low=measure.low, high=measure.high, note=note)


MOST_AGENTS = 40
MOST_DOMAINS = 30
WRITTEN = 7
"""Domains up to which numbers are written into the cells; for more they are shown on hovering."""
LEVEL = 3
"""Domains up to which their names are level; those of more are slanted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DomainRating:
    """The rating of one agent in one domain.

    Attributes:
        rating: A strength or a running Elo, in Elo points.
        low: Lower end of its interval, if it has one.
        high: Upper end.
        matches: Its debates, if known.
    """

    rating: float
    low: float | None = None
    high: float | None = None
    matches: int | None = None


def domain_ratings(
    agents: Sequence[str],
    domains: Sequence[str],
    ratings: Mapping[tuple[str, str], DomainRating],
    *,
    what: str = "Strength",
) -> Figure:
    """Ratings of agents by domain, blank where there is none; colours run from the lowest to the highest.

    Args:
        agents: Their names, the best first; of more than ``MOST_AGENTS``, the first.
        domains: Names of the domains; of more than ``MOST_DOMAINS``, the first.
        ratings: By agent and domain.
        what: What the ratings are.
    """
    rows = [agent for agent in agents[:MOST_AGENTS] if any((agent, domain) in ratings for domain in domains)]
    columns = [domain for domain in domains[:MOST_DOMAINS] if any((row, domain) in ratings for row in rows)]
    cells = [[ratings.get((row, column)) for column in columns] for row in rows]
    if not any(cell is not None for line in cells for cell in line):
        return nothing("No debate was about a domain.")
    notes = [
        [_domain_note(row, *cell) for cell in zip(columns, line, strict=True)]
        for row, line in zip(rows, cells, strict=True)
    ]
    grid = _grid(cells, notes)
    alt = f"{what} of {len(rows)} agents in {len(columns)} domains: "
    return figure(
        [grid],
        alt=alt + ", ".join(cut(column, 22) for column in columns[:10]),
        height=130 + 26 * len(rows),
        margin={"l": 48, "r": 12, "t": 28, "b": 12},
        xaxis=places(
            [ends(column, 14) for column in columns],
            side="top",
            showgrid=False,
            zeroline=False,
            tickangle=0 if len(columns) <= LEVEL else -45,
            tickfont={"size": 10},
        ),
        yaxis=places([ends(row, 16) for row in rows], autorange="reversed", showgrid=False, zeroline=False),
    )


def _grid(cells: Sequence[Sequence[DomainRating | None]], notes: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The cells as a heatmap, with the notes that pointing at them shows."""
    ratings = [cell.rating for line in cells for cell in line if cell is not None]
    middle = fmean(ratings)
    reach = max(1.0, *(abs(rating - middle) for rating in ratings))
    is_wide = len(cells[0]) > WRITTEN
    return {
        "type": "heatmap",
        "z": [[None if cell is None else cell.rating for cell in line] for line in cells],
        "text": [["" if cell is None else f"{cell.rating:.0f}" for cell in line] for line in cells],
        "hovertext": notes,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "hoverongaps": False,
        "colorscale": [list(stop) for stop in FAVOUR],
        "zmin": middle - reach,
        "zmax": middle + reach,
        "xgap": 2,
        "ygap": 2,
        "colorbar": {"thickness": 10, "outlinewidth": 0, "nticks": 4},
        "showscale": is_wide,
        **({} if is_wide else {"texttemplate": "%{text}", "textfont": {"size": 10}}),
    }


def _domain_note(agent: str, domain: str, cell: DomainRating | None) -> str:
    if cell is None:
        return ""
    interval = "" if cell.low is None or cell.high is None else f" ({cell.low:.0f} to {cell.high:.0f})"
    debates = "" if cell.matches is None else f"<br>{cell.matches:,} debates"
    return f"{named(agent, '')}<br>{label(domain, 40)}: {cell.rating:.0f}{interval}{debates}"


_ROW = 28


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTestMoves:
    """Rating changes of one agent by tests.

    Attributes:
        agent: Its name; untrusted.
        red_team: Elo points by red teams.
        verification: Elo points by formal verification.
    """

    agent: str
    red_team: float
    verification: float


def moved_by_tests(moves: Sequence[AgentTestMoves]) -> Figure:
    """Elo points that each agent gained or lost by tests, the first on top.

    Args:
        moves: By agent.
    """
    if not moves:
        return nothing("No test changed a rating.")
    traces = [
        _bars("red teams", ORANGE, moves, [move.red_team for move in moves]),
        _bars("verification", BLUE, moves, [move.verification for move in moves]),
    ]
    return figure(
        traces,
        alt=f"Elo points by which tests changed the ratings of {len(moves)} agents",
        height=100 + _ROW * len(moves),
        barmode="relative",
        xaxis=axis("Elo points", zeroline=True),
        yaxis=places([ends(move.agent) for move in moves], range=[len(moves) - 0.4, -0.6], showgrid=False),
        showlegend=True,
    )


def _bars(name: str, colour: str, moves: Sequence[AgentTestMoves], points: Sequence[float]) -> Figure:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "x": list(points),
        "y": list(range(len(moves))),
        "marker": {"color": colour},
        "hovertext": [
            f"{named(move.agent, '')}<br>{name}: {point:+.1f}" for move, point in zip(moves, points, strict=True)
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
