"""A number that was estimated, with its interval."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """Something that was estimated, with its interval.

    Attributes:
        name: What; untrusted.
        value: The estimate.
        low: Lower end of its interval.
        high: Upper end.
        note: What else there is to say about it.
    """

    name: str
    value: float
    low: float
    high: float
    note: str = ""
