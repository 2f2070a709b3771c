"""Averages over scales on a lattice: from a first point to the best, and to every neighbour that still counts."""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

from paragone.domain.rounding import SHARE_DECIMALS

RATIO = math.sqrt(2.0)
"""Between one value of a scale and the next."""

_REACH = 4.0
"""Neighbours of a point are looked at if it is at most so many nats less likely than the best."""

_KEPT = 6.0
"""Points that are less likely than the best by more nats do not count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """The values that one scale may have.

    Attributes:
        values: The values, ascending.
        log_prior: Logarithm of what each weighs before evidence.
        first: Index of the value to begin with.
    """

    values: tuple[float, ...]
    log_prior: tuple[float, ...]
    first: int

    @classmethod
    def log_normal(cls, *, center: float, width: float, most: float) -> "Axis":
        """A scale that is log-normal around ``center`` and at most ``most``."""
        low = math.floor(math.log(0.02 / center, RATIO))
        values = [center * RATIO**power for power in range(low, math.floor(math.log(most / center, RATIO)) + 1)]
        log_prior = [-((math.log(value / center) / width) ** 2) / 2 for value in values]
        return cls(values=tuple(values), log_prior=tuple(log_prior), first=-low)

    @classmethod
    def exponential(cls, *, mean: float, least: float, most: float) -> "Axis":
        """A scale that is exponential with a mean, so that 0, which stands for all below ``least``, is likeliest."""
        count = math.floor(math.log(most / least, RATIO))
        values = [least * RATIO**power for power in range(count + 1)]
        ends = [0.0, *(value / math.sqrt(RATIO) for value in values), math.inf]
        below = [1.0 - math.exp(-end / mean) for end in ends]
        masses = [after - before for before, after in pairwise(below)]
        return cls(values=(0.0, *values), log_prior=tuple(map(math.log, masses)), first=count // 2)

    @classmethod
    def given(cls, value: float) -> "Axis":
        """A scale that is known."""
        return cls(values=(value,), log_prior=(0.0,), first=0)


class HasEvidence(Protocol):
    """A fit under some scales."""

    @property
    def log_evidence(self) -> float:
        """Log marginal likelihood."""


Found = TypeVar("Found", bound=HasEvidence)
Point = tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Weighted(Generic[Found]):
    """A fit with its share in the average."""

    fit: Found
    weight: float


def averaged(
    axes: Sequence[Axis], fit: Callable[[tuple[float, ...], Found | None], Found], *, most: int
) -> tuple[Weighted[Found], ...]:
    """The fits at the points of a lattice that count, with weights that add up to 1, the likeliest first.

    The likeliest point that was not yet left for its neighbours is left next, until all that remain are too unlikely.

    Args:
        axes: The values of each scale.
        fit: Makes the fit at some values; it may begin from that at a neighbour.
        most: How many fits are made at most, if the best is among them.
    """
    start = tuple(axis.first for axis in axes)
    fits: dict[Point, Found] = {}
    height: dict[Point, float] = {}
    queue: list[tuple[float, Point]] = []

    def look(point: Point, near: Found | None) -> None:
        values = tuple(axis.values[at] for axis, at in zip(axes, point, strict=True))
        fits[point] = fitted = fit(values, near)
        prior = sum(axis.log_prior[at] for axis, at in zip(axes, point, strict=True))
        # Rounded, so that every processor leaves points in the same order.
        height[point] = round(fitted.log_evidence + prior, SHARE_DECIMALS)
        heapq.heappush(queue, (-height[point], point))

    look(start, None)
    while queue:
        lowest, point = heapq.heappop(queue)
        best = max(height.values())
        if -lowest < best - _REACH or (len(fits) >= most and -lowest < best):
            break
        for beside in _neighbours(point, axes):
            if beside not in fits:
                look(beside, fits[point])
    likely = sorted((point for point in fits if height[point] >= best - _KEPT), key=lambda each: (-height[each], each))
    mass = {point: math.exp(height[point] - best) for point in likely}
    total = math.fsum(mass.values())
    return tuple(Weighted(fit=fits[point], weight=mass[point] / total) for point in likely)


def _neighbours(point: Point, axes: Sequence[Axis]) -> list[Point]:
    beside = [(*point[:axis], point[axis] + away, *point[axis + 1 :]) for axis in range(len(point)) for away in (-1, 1)]
    return [each for each in beside if all(0 <= at < len(axis.values) for at, axis in zip(each, axes, strict=True))]
