"""What agents foretold, and what came of it (A3)."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Prediction:
    """Who will win a tournament.

    Attributes:
        tournament: What it is about; any name, resolved under the same.
        predictor: Id of the agent that foretells.
        winner: Whom it expects to win.
        confidence: The chance that it gives it, in [0, 1].

    Raises:
        ValueError: If the confidence lies outside of [0, 1].
    """

    tournament: str
    predictor: str
    winner: str
    confidence: float

    def __post_init__(self) -> None:
        _require_share(self.confidence)


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolution:
    """Who won a tournament."""

    tournament: str
    winner: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DomainPrediction:
    """A prediction within a domain whose outcome is known already.

    Attributes:
        id: Names it, so that it counts once; empty where every one counts.
        agent: Id of the agent.
        domain: The domain.
        confidence: The chance that it gave it, in [0, 1].
        correct: Whether it came true.

    Raises:
        ValueError: If the confidence lies outside of [0, 1].
    """

    id: str = ""
    agent: str
    domain: str
    confidence: float
    correct: bool

    def __post_init__(self) -> None:
        _require_share(self.confidence)


def brier(confidence: float, correct: bool) -> float:
    """The Brier score of one prediction, from 0, perfect, to 1.

    Source: document A, "Brier Score".
    """
    return (confidence - float(correct)) ** 2


def _require_share(confidence: float) -> None:
    if not 0.0 <= confidence <= 1.0:
        raise ValueError(f"a confidence lies in [0, 1], not {confidence}")
