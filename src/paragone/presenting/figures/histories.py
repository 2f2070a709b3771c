"""How ratings went, move by move, as a figure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import TypeVar

from paragone.domain.text import cut
from paragone.presenting.figures.theme import COLOURS, Figure, axis, band, figure, label, named, nothing

MOST_AGENTS = 8
MOST_POINTS = 400
"""Points of a line at the most; of more moves, as many are shown, evenly, and the last."""

Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """How the rating of one agent went.

    Attributes:
        agent: Its name; untrusted.
        rating: After each of its moves, the oldest first.
        low: Lower end of an interval after each; empty where there is none.
        high: Upper end.
        causes: What each move came from, in words; empty where that is not told. Untrusted.
    """

    agent: str
    rating: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    causes: tuple[str, ...] = ()


def rating_history(histories: Sequence[History]) -> Figure:
    """Ratings of some agents after each of their moves, with intervals where there are some.

    The axis counts the moves of each agent, since many may have been recorded at one moment.

    Args:
        histories: Of the agents, those that matter most first; of more than ``MOST_AGENTS``, the first.
    """
    drawn = [history for history in histories if history.rating][:MOST_AGENTS]
    if not drawn:
        return nothing("No rating moved yet.")
    behind = [_interval(history, COLOURS[index]) for index, history in enumerate(drawn) if history.low]
    lines = [_history_trace(history, COLOURS[index]) for index, history in enumerate(drawn)]
    return figure(
        [*behind, *lines],
        alt="Running Elo, move by move, of " + ", ".join(cut(history.agent, 22) for history in drawn),
        height=360 + 10 * len(drawn),
        xaxis=axis("moves of its rating", zeroline=False, rangemode="tozero"),
        yaxis=axis("Elo points", zeroline=False),
        showlegend=True,
    )


def _history_trace(history: History, colour: str) -> Figure:
    moves = _some(range(1, len(history.rating) + 1))
    causes = _some(history.causes or ("",) * len(history.rating))
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(moves) <= 40 else "lines",
        "name": label(history.agent, 18),
        "x": moves,
        "y": _some(history.rating),
        "line": {"color": colour, "width": 2, "shape": "hv"},
        "marker": {"size": 5},
        "hovertext": [f"{named(history.agent, '')}<br>{label(cause, 48)}" for cause in causes],
        "hovertemplate": "%{hovertext}<br>move %{x}: %{y:.0f}<extra></extra>",
    }


def _interval(history: History, colour: str) -> Figure:
    moves = _some(range(1, len(history.rating) + 1))
    return band(moves, _some(history.low), _some(history.high), colour, showlegend=False)


def _some(values: Sequence[Value]) -> list[Value]:
    """All of them, or so many that a line needs no more, the last among them."""
    step = max(1, ceil(len(values) / MOST_POINTS))
    return list(values[::-1][::step][::-1])


MOST_LINES = 8
MOST_TIMES = 300
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
    lines = [_series_trace(line, COLOURS[index], steps=steps, shares=shares) for index, line in enumerate(drawn)]
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


def _series_trace(series: Series, colour: str, *, steps: bool, shares: bool) -> Figure:
    step = max(1, math.ceil(len(series.times) / MOST_TIMES))
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
