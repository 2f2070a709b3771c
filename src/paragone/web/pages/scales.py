"""The scale on which intervals are drawn: its ends, and the round numbers marked on it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from paragone.wire.board import BoardRow

MOST = 6
"""Maximum marks on a scale."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """A scale.

    Attributes:
        least: Where it begins.
        most: Where it ends.
        marks: Round numbers on it, each with its position in percent.
    """

    least: float
    most: float
    marks: tuple[tuple[float, str], ...]

    @property
    def grid(self) -> str:
        """A line at each mark, as a background of CSS."""
        return ",".join(
            f"linear-gradient(var(--tick),var(--tick)) {at:.2f}% 0/1px 100% no-repeat" for at, _ in self.marks
        )


def scale(least: float, most: float) -> Scale:
    """The scale between two values."""
    width = most - least
    step = _step(width)
    if step is None:
        return Scale(least=least, most=most, marks=())
    first, last = math.ceil(least / step), math.floor(most / step)
    marks = ((100 * (number * step - least) / width, f"{number * step:.10g}") for number in range(first, last + 1))
    return Scale(least=least, most=most, marks=tuple((at, name.replace("-", "−")) for at, name in marks))


def of_rows(rows: Iterable[BoardRow]) -> Scale | None:
    """A scale that holds the intervals of some rows; None if none has one."""
    ends = [end for row in rows for end in (row.low, row.high) if end is not None]
    return scale(min(ends), max(ends)) if ends else None


def _step(width: float) -> float | None:
    """Distance of marks: the smallest of 1, 2 and 5 times a power of ten that leaves few enough."""
    if not 0 < width < math.inf:
        return None
    tens = 10.0 ** (math.floor(math.log10(width)) - 1)
    return next(tens * factor for factor in (1, 2, 5, 10, 20, 50, 100) if width / (tens * factor) <= MOST - 1)
