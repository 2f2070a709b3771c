"""How ratings went, move by move, as a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

from paragone.analysis.figures.labels import cut, label, named
from paragone.analysis.figures.theme import COLOURS, Figure, axis, band, figure, nothing

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
    lines = [_line(history, COLOURS[index]) for index, history in enumerate(drawn)]
    return figure(
        [*behind, *lines],
        alt="Running Elo, move by move, of " + ", ".join(cut(history.agent, 22) for history in drawn),
        height=360 + 10 * len(drawn),
        xaxis=axis("moves of its rating", zeroline=False, rangemode="tozero"),
        yaxis=axis("Elo points", zeroline=False),
        showlegend=True,
    )


def _line(history: History, colour: str) -> Figure:
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
