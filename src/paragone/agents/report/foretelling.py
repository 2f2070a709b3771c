"""What agents foretold, and how well their confidences fit what came of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from paragone.analysis.calibration import CalibrationReport, calibrate, calibration_score, mean_brier
from paragone.domain import brier
from paragone.ledger import Ledger

MOST_EXAMINED = 200
"""Agents whose calibration is looked at closely, those with the most predictions; the others are only counted."""


@dataclass(slots=True)
class Foretold:
    """The predictions of one agent whose outcome is known.

    Attributes:
        confidence: What it said, prediction by prediction.
        correct: Whether it came true.
    """

    confidence: list[float] = field(default_factory=list)
    correct: list[bool] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.confidence)

    def add(self, confidence: float, correct: bool) -> None:
        """Have one more."""
        self.confidence.append(confidence)
        self.correct.append(correct)

    @property
    def right(self) -> int:
        """How many came true."""
        return sum(self.correct)

    @property
    def brier(self) -> float:
        """Their mean Brier score; 1 where there are none."""
        return mean_brier(len(self), self._sum)

    @property
    def score(self) -> float:
        """Document A's calibration score; 0 below five predictions."""
        return calibration_score(len(self), self._sum)

    @property
    def _sum(self) -> float:
        return sum(brier(said, came) for said, came in zip(self.confidence, self.correct, strict=True))


def foretold(ledger: Ledger, pool: str, domain: str) -> dict[str, Foretold]:
    """The predictions by agent: in one domain, or all, those of tournaments too where the domain is empty."""
    found: dict[str, Foretold] = defaultdict(Foretold)
    for recorded in ledger.agents.domain_predictions(pool, domain=domain or None):
        found[recorded.prediction.agent].add(recorded.prediction.confidence, recorded.prediction.correct)
    for resolved in () if domain else ledger.agents.predictions(pool):
        if resolved.correct is not None:
            found[resolved.prediction.predictor].add(resolved.prediction.confidence, resolved.correct)
    return dict(found)


def examined(known: Mapping[str, Foretold], chosen: Iterable[str]) -> dict[str, CalibrationReport]:
    """The calibration of those with the most predictions and of those that were chosen, in this order.

    Raises:
        MissingExtra: If scikit-learn is not installed, and there are predictions.
    """
    most = sorted(known, key=lambda agent: (-len(known[agent]), agent))[:MOST_EXAMINED]
    wanted = dict.fromkeys([*most, *(agent for agent in chosen if agent in known)])
    return {agent: calibrate(known[agent].confidence, known[agent].correct) for agent in wanted}
