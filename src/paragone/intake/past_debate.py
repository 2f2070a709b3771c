"""A debate, a prediction and a starting rating from a file."""

import math
from dataclasses import dataclass

from paragone.domain import DomainPrediction
from paragone.domain.names import LONGEST_ID, domain_problem, name_problem
from paragone.errors import InvalidEvidence


@dataclass(frozen=True, kw_only=True, slots=True)
class PastDebate:
    """A debate from a file, checked and ready to be recorded.

    Attributes:
        id: Its id; made from the file's name and the row where the file has none.
        participants: Names of the participants, in the order of the file.
        scores: The score of each, in their order.
        domain: Its domain; empty for none.
        task: Its task, in words. Untrusted.
        confidence: How much it counts, in [0, 1].
        where: Its position in the file, for messages.

    Raises:
        InvalidEvidence: If it is invalid; the message names its position.
    """

    id: str
    participants: tuple[str, ...]
    scores: tuple[float, ...]
    domain: str = ""
    task: str = ""
    confidence: float = 1.0
    where: str

    def __post_init__(self) -> None:
        refuse(name_problem(self.id, "the id of a debate", LONGEST_ID), self.where)
        for name in self.participants:
            refuse(name_problem(name), self.where)
        if self.domain:
            refuse(domain_problem(self.domain), self.where)
        if len(self.participants) < 2:
            only = f"only {self.participants[0]!r}" if self.participants else "nobody"
            raise InvalidEvidence(f"{self.where}: {only} took part in {self.id!r}; a debate has two or more")
        twice = next((name for name in self.participants if self.participants.count(name) > 1), None)
        if twice is not None:
            raise InvalidEvidence(f"{self.where}: {twice!r} takes part twice in {self.id!r}; name everybody once")
        for name, score in zip(self.participants, self.scores, strict=True):
            if not 0.0 <= score < math.inf:
                raise InvalidEvidence(f"{self.where}: the score of {name!r} is {score}, and must be finite, 0 or more")

    def as_record(self) -> dict[str, object]:
        """Its values as keyword arguments of ``record_match``."""
        return {
            "debate_id": self.id,
            "participants": list(self.participants),
            "scores": dict(zip(self.participants, self.scores, strict=True)),
            "domain": self.domain or None,
            "task": self.task or None,
            "confidence_weight": self.confidence,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class PastPrediction(DomainPrediction):
    """A prediction from a file, checked and ready to be recorded.

    Attributes:
        where: Its position in the file, for messages.

    Raises:
        InvalidEvidence: If it is invalid; the message names its position.
    """

    where: str

    def __post_init__(self) -> None:
        refuse(name_problem(self.id, "the id of a prediction", LONGEST_ID), self.where)
        refuse(name_problem(self.agent), self.where)
        refuse(domain_problem(self.domain), self.where)
        DomainPrediction.__post_init__(self)  # a class with slots is created twice, and ``super()`` refers to the first

    def as_record(self) -> dict[str, object]:
        """Its values as keyword arguments of ``record_domain_prediction``."""
        return {
            "prediction_id": self.id,
            "agent_name": self.agent,
            "domain": self.domain,
            "confidence": self.confidence,
            "correct": self.correct,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class StartingRating:
    """The rating that an agent begins from, from a file.

    Attributes:
        agent: Its name.
        rating: The rating, in Elo points.
        where: Its position in the file, for messages.

    Raises:
        InvalidEvidence: If it is invalid; the message names its position.
    """

    agent: str
    rating: float
    where: str

    def __post_init__(self) -> None:
        refuse(name_problem(self.agent), self.where)
        if not math.isfinite(self.rating):
            raise InvalidEvidence(f"{self.where}: the rating of {self.agent!r} is {self.rating}, not a finite number")


def refuse(problem: str | None, where: str) -> None:
    """Raise the problem a check reported, if any, with its position.

    Raises:
        InvalidEvidence: If there is a problem.
    """
    if problem is not None:
        raise InvalidEvidence(f"{where}: {problem}")
