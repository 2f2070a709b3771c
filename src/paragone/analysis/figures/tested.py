"""What tests of strength moved, as a figure."""

from collections.abc import Sequence
from dataclasses import dataclass

from paragone.analysis.figures.labels import ends, named
from paragone.analysis.figures.theme import BLUE, ORANGE, Figure, axis, figure, nothing, places

_ROW = 28


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved:
    """By how much tests moved the rating of one agent.

    Attributes:
        agent: Its name; untrusted.
        red_team: Elo points by red teams.
        verification: Elo points by formal verification.
    """

    agent: str
    red_team: float
    verification: float


def moved_by_tests(moves: Sequence[Moved]) -> Figure:
    """Elo points that tests brought each agent or cost it, the first on top.

    Args:
        moves: By agent.
    """
    if not moves:
        return nothing("No test moved a rating.")
    traces = [
        _bars("red teams", ORANGE, moves, [move.red_team for move in moves]),
        _bars("verification", BLUE, moves, [move.verification for move in moves]),
    ]
    return figure(
        traces,
        alt=f"Elo points by which tests moved {len(moves)} agents",
        height=100 + _ROW * len(moves),
        barmode="relative",
        xaxis=axis("Elo points", zeroline=True),
        yaxis=places([ends(move.agent) for move in moves], range=[len(moves) - 0.4, -0.6], showgrid=False),
        showlegend=True,
    )


def _bars(name: str, colour: str, moves: Sequence[Moved], points: Sequence[float]) -> Figure:
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
