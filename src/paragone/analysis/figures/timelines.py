"""Values over time, as a figure: ratings after each move, measures by week."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from paragone.analysis.figures.labels import cut, label, named
from paragone.analysis.figures.theme import COLOURS, Figure, axis, figure, nothing

MOST_LINES = 8
MOST_POINTS = 300
"""Points of a line at the most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """Values over time.

    Attributes:
        name: Of what; untrusted.
        times: Seconds since 1970, rising.
        values: One for each.
        notes: A line about each; empty where nothing is said. Untrusted.
        target: A value to reach; None for none.
    """

    name: str
    times: tuple[float, ...]
    values: tuple[float, ...]
    notes: tuple[str, ...] = ()
    target: float | None = None


def over_time(series: Sequence[Series], *, title: str, alt: str, steps: bool = False, shares: bool = False) -> Figure:
    """Lines over time.

    Args:
        series: Those that matter most first; of more than eight, the first.
        title: Of the axis of values.
        alt: What is shown, in words.
        steps: Whether a value holds until the next one.
        shares: Whether values are shares from 0 to 1.
    """
    drawn = [line for line in series if line.times][:MOST_LINES]
    if not drawn:
        return nothing("Nothing has happened yet.")
    form = {"tickformat": ".0%", "range": [-0.03, 1.06]} if shares else {}
    lines = [_line(line, COLOURS[index], steps=steps, shares=shares) for index, line in enumerate(drawn)]
    targets = {line.target for line in drawn if line.target is not None}
    return figure(
        lines,
        alt=f"{alt}: " + ", ".join(cut(line.name, 22) for line in drawn),
        height=320 + 10 * len(drawn),
        xaxis=axis("", type="date", showgrid=False, nticks=6),
        yaxis=axis(title, zeroline=False, **form),
        showlegend=True,
        shapes=[_level(at) for at in sorted(targets)],
    )


def _level(at: float) -> Figure:
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": at, "y1": at, "line": {"dash": "dot"}}


def _line(series: Series, colour: str, *, steps: bool, shares: bool) -> Figure:
    step = max(1, math.ceil(len(series.times) / MOST_POINTS))
    indices = range(len(series.times))[::-1][::step][::-1]
    value = "%{y:.1%}" if shares else "%{y:.0f}"
    notes = series.notes or ("",) * len(series.times)
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(indices) <= 40 else "lines",
        "name": label(series.name, 30),
        "x": [_date(series.times[index]) for index in indices],
        "y": [round(series.values[index], 4) for index in indices],
        "line": {"color": colour, "width": 2, "shape": "hv" if steps else "linear"},
        "marker": {"size": 5},
        "hovertext": [_hover(series.name, notes[index]) for index in indices],
        "hovertemplate": "%{hovertext}<br>%{x|%d %b %Y %H:%M}: " + value + "<extra></extra>",
    }


def _hover(name: str, note: str) -> str:
    return named(name, "") + (f"<br>{label(note, 48)}" if note else "")


def _date(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S")
