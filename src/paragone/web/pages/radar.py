"""Scores by criterion as a drawing: points of a polygon, for a picture that needs no script."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from paragone.domain.text import cut

RADIUS = 100.0
FEWEST, MOST = 3, 10
"""Criteria of a drawing: fewer are no area, and more cannot be told apart."""
RINGS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoke:
    """A criterion in the drawing.

    Attributes:
        name: Its name, cut.
        x: Where its line ends, with the centre at 0; to the right.
        y: The same, downwards.
        label_x: Where its name stands.
        label_y: The same, downwards.
        anchor: Which end of the name that is: ``start``, ``middle`` or ``end``.
    """

    name: str
    x: float
    y: float
    label_x: float
    label_y: float
    anchor: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Radar:
    """A drawing.

    Attributes:
        spokes: The criteria, the first on top, clockwise.
        area: Points of the scores, as SVG has them.
        rings: Points of the polygons in the background.
        alt: What it shows, in words.
    """

    spokes: tuple[Spoke, ...]
    area: str
    rings: tuple[str, ...]
    alt: str


def radar(scores: Sequence[tuple[str, float]]) -> Radar | None:
    """The drawing of scores by criterion, each from 0 to 1; None of fewer than three criteria or more than ten."""
    if not FEWEST <= len(scores) <= MOST:
        return None
    turns = [2 * pi * index / len(scores) for index in range(len(scores))]
    reached = [min(1.0, max(0.0, score)) for _, score in scores]
    description = ", ".join(f"{cut(name, 40)} {score:.0%}" for (name, _), score in zip(scores, reached, strict=True))
    return Radar(
        spokes=tuple(_spoke(name, turn) for (name, _), turn in zip(scores, turns, strict=True)),
        area=_points(turns, reached),
        rings=tuple(_points(turns, [ring] * len(turns)) for ring in RINGS),
        alt=f"Mean scores: {description}",
    )


def _spoke(name: str, turn: float) -> Spoke:
    right, down = sin(turn), -cos(turn)
    anchor = "middle" if abs(right) < 0.2 else "start" if right > 0 else "end"
    return Spoke(
        name=cut(name, 16),
        x=round(RADIUS * right, 1),
        y=round(RADIUS * down, 1),
        label_x=round((RADIUS + 8) * right, 1),
        label_y=round((RADIUS + 12) * down + 4, 1),
        anchor=anchor,
    )


def _points(turns: Sequence[float], reached: Sequence[float]) -> str:
    ends = [(RADIUS * far * sin(turn), -RADIUS * far * cos(turn)) for turn, far in zip(turns, reached, strict=True)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in ends)
