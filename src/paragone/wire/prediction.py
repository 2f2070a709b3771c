"""Predictions of agents."""

from dataclasses import dataclass
from datetime import datetime

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentPrediction(Value):
    """A prediction of an agent.

    Attributes:
        at: When it was recorded.
        tournament: Whose winner it is about; empty where it is of a domain.
        winner: The agent that it expected to win; empty for a prediction within a domain.
        domain: The domain; empty where it is of a tournament.
        confidence: The chance that it gave it.
        correct: Whether it came true; None while nobody knows.
        brier: Its Brier score; None while nobody knows.
    """

    at: datetime
    tournament: str = ""
    winner: str = ""
    domain: str = ""
    confidence: float
    correct: bool | None
    brier: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PredictionPage(Value):
    """Predictions, the newest first.

    Attributes:
        agent: Whose.
        predictions: The predictions of this page.
        total: Number of them in all.
        next: Cursor of the next page; None on the last.
    """

    agent: str
    predictions: list[AgentPrediction]
    total: int
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PredictionRecord(Value):
    """The predictions and critiques of an agent in numbers.

    Attributes:
        agent: Its name.
        predictions: Its predictions whose outcome is known.
        correct: Predictions that came true.
        brier: Their Brier scores, added up.
        critiques: Critiques that it made.
        accepted: Critiques that were accepted.
    """

    agent: str
    predictions: int
    correct: int
    brier: float
    critiques: int
    accepted: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ResolvedTournament(Value):
    """A resolved tournament.

    Attributes:
        tournament: The tournament.
        winner: The winner.
        briers: The Brier score of each agent that predicted it, from 0, perfect, to 1.
    """

    tournament: str
    winner: str
    briers: dict[str, float]
