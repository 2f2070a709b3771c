"""Evidence about agents."""

from dataclasses import dataclass
from datetime import datetime

from paragone.domain import EvidenceKind
from paragone.wire.value import Value

EvidenceContent = bool | int | float | str | dict[str, float]
"""What a piece of evidence says about one thing: a number, a text, or the scores of those who took part."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence(Value):
    """A piece of evidence about agents.

    Attributes:
        id: The id that it was recorded under; of a resolution its tournament; else its reference.
        reference: The name that every piece has, such as ``critique#17``.
        kind: Its kind.
        at: When it was recorded.
        agents: The agents that it is about.
        content: What it says, by name.
        void: Why it was voided; None while it counts.
    """

    id: str
    reference: str
    kind: EvidenceKind
    at: datetime
    agents: list[str]
    content: dict[str, EvidenceContent]
    void: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidencePage(Value):
    """Evidence, the newest first.

    Attributes:
        evidence: The evidence, the void too.
        next: Cursor of the next page; None on the last.
    """

    evidence: list[Evidence]
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class VoidedEvidence(Value):
    """Evidence that no longer counts.

    Attributes:
        evidence: The evidence.
        changes: Elo points by which voiding it moved global ratings, by agent; agents whose rating stayed are left out.
        new: Whether this request voided it; False if it was void already, and nothing changed.
    """

    evidence: Evidence
    changes: dict[str, float]
    new: bool
