"""A number with its interval."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """What was measured, and how well it is known.

    Attributes:
        value: The number.
        low: Lower end of its interval.
        high: Upper end.
    """

    value: float
    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Whether a value lies outside of the interval."""
        return not self.low <= value <= self.high
