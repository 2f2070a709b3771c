"""Rating changes that look wrong."""

from dataclasses import dataclass
from typing import Literal

from paragone.wire.value import Value

Decision = Literal["kept", "rolled back"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Anomaly(Value):
    """A rating change that looks wrong.

    Attributes:
        id: Names it.
        item: Whose rating.
        match: The match that moved it.
        kind: What is odd about it.
        size: By how many Elo points.
        reason: Why it looks wrong.
        decision: ``kept`` or ``rolled back``; None before somebody decided.
        because: Why it was decided so.
    """

    id: str
    item: str
    match: str
    kind: str
    size: float
    reason: str
    decision: str | None
    because: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AnomalyPage(Value):
    """Rating changes that a person should look at, or has looked at, in the order in which they were found.

    Attributes:
        anomalies: The rating changes.
        next: Cursor of the next page; None on the last.
    """

    anomalies: list[Anomaly]
    next: str | None = None
