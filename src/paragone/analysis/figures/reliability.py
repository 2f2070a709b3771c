"""How well confidences fit what came, as figures: one agent's reliability diagram, and boards of all agents."""

from collections.abc import Sequence

from paragone.analysis.calibration.forecasts import Measure
from paragone.analysis.calibration.report import Band, CalibrationReport, CurvePoint
from paragone.analysis.figures.judging import Estimate, forest, signed
from paragone.analysis.figures.labels import cut
from paragone.analysis.figures.theme import BLUE, GREY, ORANGE, Figure, axis, band, figure, nothing, spread

_WIDTH = 0.1
_NARROW = 0.015
"""Half the width of a band that is known at one confidence only."""
_ALONE = "Nothing was foretold whose outcome is known."


def reliability(report: CalibrationReport, name: str = "") -> Figure:
    """How often predictions came true, by their confidence, and how many there were of each.

    Points are buckets with their intervals, the line is the recalibration that keeps the order; the grey area is where
    that line would lie by chance, if all confidences were right.

    Args:
        report: The calibration.
        name: Whose; untrusted.
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


def _chance(known: Band) -> list[Figure]:
    at, low, high = known.confidence, known.low, known.high
    if len(at) == 1:
        at, low, high = (at[0] - _NARROW, at[0] + _NARROW), low * 2, high * 2
    return [band(at, low, high, GREY, name="by chance")]


def _diagonal() -> Figure:
    line = {"color": GREY, "width": 1.5, "dash": "dot"}
    ends = {"x": [0, 1], "y": [0, 1], "name": "as foretold", "hoverinfo": "skip"}
    return {"type": "scatter", "mode": "lines", "line": line, **ends}


def _recalibrated(report: CalibrationReport) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "recalibrated",
        "x": list(report.corp.confidence),
        "y": list(report.corp.recalibrated),
        "line": {"color": BLUE, "width": 2},
        "hovertemplate": "%{x:.0%} is worth %{y:.0%}<extra></extra>",
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
        "hovertemplate": "said %{x:.0%}, came %{y:.0%} (%{customdata[1]:.0%} to %{customdata[2]:.0%})"
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
