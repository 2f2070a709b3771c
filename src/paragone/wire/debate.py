"""Debates of agents."""

from dataclasses import dataclass
from datetime import datetime

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateEntry(Value):
    """How a debate went for one who took part.

    Attributes:
        agent: Its name.
        score: What it scored.
        change: Elo points by which the debate moved its global rating.
        domain_change: Elo points by which it moved that of the domain; None where the debate was of none.
    """

    agent: str
    score: float
    change: float
    domain_change: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Debate(Value):
    """A debate.

    Attributes:
        id: Its id.
        sequence: Its place among all rows of the pool.
        at: When it was recorded.
        domain: What it was about; empty for no domain.
        task: Its task in words; empty if not recorded.
        entries: The participants, in the order of record.
        winner: The agent with the single highest score; None for a draw.
        confidence: What K was multiplied by.
        outcome: How scores became points: ``ratio``, ``win`` or ``margin``.
        normalize: How points against several opponents added up: ``sum`` or ``n-1``.
        rolled_back: Whether it was voided.
    """

    id: str
    sequence: int
    at: datetime
    domain: str
    task: str
    entries: list[DebateEntry]
    winner: str | None
    confidence: float
    outcome: str
    normalize: str
    rolled_back: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class DebatePage(Value):
    """Debates, the newest first.

    Attributes:
        debates: The debates.
        next: Cursor of the next page; None on the last.
        total: Number of them in all; None in answers of earlier versions.
    """

    debates: list[Debate]
    next: str | None = None
    total: int | None = None
