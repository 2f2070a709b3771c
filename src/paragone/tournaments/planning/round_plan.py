"""The result of a pairing policy: the next round, or why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paragone.domain import Planned


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The next round, or why there is none.

    Attributes:
        pairings: Matches of the round, of two or among several; empty when there is nothing to play.
        reason: Why there is nothing, in words.
        finished: Whether the tournament is over then; false where it waits for something, such as items to come back.
        notes: What else is worth keeping about the round, as plain JSON values: its forecast in compute units, what was
            degraded or deferred and why. Recorded with the plan.
    """

    pairings: tuple[Planned, ...] = ()
    reason: str = ""
    finished: bool = True
    notes: Mapping[str, Any] = field(default_factory=dict)
