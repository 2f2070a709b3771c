"""Predictions that agents made elsewhere and whose outcome is known."""

from dataclasses import dataclass

from paragone.domain.agent_name import LONGEST_ID, domain_problem, name_problem
from paragone.errors import InvalidEvidence
from paragone.intake.debate_columns import DebateColumns, evidence_id, share, text, truth
from paragone.intake.past_debate import refuse
from paragone.intake.table import Table


@dataclass(frozen=True, kw_only=True, slots=True)
class PastPrediction:
    """A prediction that was made elsewhere, fit to be recorded.

    Attributes:
        id: Names it; made from the file's name and the row where the file names none.
        agent: Who made it.
        domain: What it was about.
        confidence: The chance that it was given, in [0, 1].
        correct: Whether it came true.
        where: Its place, for messages.

    Raises:
        InvalidEvidence: If it cannot have been so; the message names the place.
    """

    id: str
    agent: str
    domain: str
    confidence: float
    correct: bool
    where: str

    def __post_init__(self) -> None:
        refuse(name_problem(self.id, "the id of a prediction", LONGEST_ID), self.where)
        refuse(name_problem(self.agent), self.where)
        refuse(domain_problem(self.domain), self.where)

    def as_record(self) -> dict[str, object]:
        """It as keyword arguments of ``record_domain_prediction``."""
        return {
            "prediction_id": self.id,
            "agent_name": self.agent,
            "domain": self.domain,
            "confidence": self.confidence,
            "correct": self.correct,
        }


def prediction_of(table: Table, columns: DebateColumns, index: int, label: str) -> PastPrediction:
    """The prediction of one row.

    Args:
        table: Where it stands.
        columns: What stands where.
        index: The row, from 0.
        label: What ids begin with where a row has none.

    Raises:
        InvalidEvidence: If it cannot be understood; the message names the row.
    """
    where = table.where(index)
    agent, domain = text(table, index, columns.agent), text(table, index, columns.domain)
    confidence, correct = share(table, index, columns.confidence), truth(table, index, columns.correct)
    if confidence is None or correct is None:
        raise InvalidEvidence(f"{where}: {'confidence' if confidence is None else 'correct'} is missing")
    return PastPrediction(
        id=evidence_id(table, columns, index, label),
        agent=agent,
        domain=domain,
        confidence=confidence,
        correct=correct,
        where=where,
    )
