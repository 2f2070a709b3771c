"""Evidence about agents: its kinds and names, critiques, predictions, relations, and tests of strength.

Predictions and relations are those of Aragora's specification; red teams and formal verification move a rating without
an opponent.
"""

import math
from dataclasses import dataclass, fields
from enum import StrEnum

from paragone.domain.scorecard import GLOBAL


class EvidenceKind(StrEnum):
    """Kinds of evidence about agents."""

    DEBATE = "debate"
    PREDICTION = "prediction"
    RESOLUTION = "resolution"
    DOMAIN_PREDICTION = "domain-prediction"
    CRITIQUE = "critique"
    RELATION = "relation"
    RED_TEAM = "redteam"
    VERIFICATION = "verification"
    REGISTRATION = "registration"
    ADJUSTMENT = "adjustment"


def reference(kind: EvidenceKind, sequence: int) -> str:
    """The name that every piece of evidence has, whether or not it was given an id.

    Args:
        kind: Its kind.
        sequence: Its place in the record of its pool.

    Example:
        >>> reference(EvidenceKind.CRITIQUE, 17)
        'critique#17'
    """
    return f"{kind.value}#{sequence}"


def parse_reference(text: str) -> tuple[EvidenceKind, int] | None:
    """The kind and the place that a reference names; None where a text is no reference."""
    kind, sign, sequence = text.rpartition("#")
    if (
        not sign
        or not (sequence.isascii() and sequence.isdecimal())
        or len(sequence) > 18
        or kind not in set(EvidenceKind)
    ):
        return None
    return EvidenceKind(kind), int(sequence)


@dataclass(frozen=True, kw_only=True, slots=True)
class Critique:
    """A critique that an agent made.

    Attributes:
        id: With an id it counts once; empty where every one counts.
        agent: Id of the agent that made it.
        accepted: Whether the agent criticised accepted it.
    """

    id: str = ""
    agent: str
    accepted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Prediction:
    """Who will win a tournament.

    Attributes:
        tournament: What it is about; any name, resolved under the same.
        predictor: Id of the agent that predicts.
        winner: Id of the item that it expects to win.
        confidence: Its probability for that, in [0, 1].

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
    """A prediction in a domain, with its outcome.

    Attributes:
        id: With an id it counts once; empty where every one counts.
        agent: Id of the agent.
        domain: The domain.
        confidence: Its stated probability, in [0, 1].
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


def _require_share(confidence: float) -> None:
    if not 0.0 <= confidence <= 1.0:
        raise ValueError(f"a confidence lies in [0, 1], not {confidence}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Dealings:
    """Counts of what happened between two agents, from the view of the first; also what is added to such counts.

    Attributes:
        debates: Debates in which both took part.
        agreements: Debates in which they agreed.
        critiques_a_to_b: Critiques that ``a`` made of ``b``.
        critiques_b_to_a: Critiques that ``b`` made of ``a``.
        accepted_a_to_b: Of the critiques of ``a`` those that ``b`` accepted.
        accepted_b_to_a: Of the critiques of ``b`` those that ``a`` accepted.
        changes_a_after_b: Times that ``a`` changed its position after what ``b`` said.
        changes_b_after_a: Times that ``b`` did after what ``a`` said.
        a_wins: Debates that ``a`` won against ``b``.
        b_wins: Debates that ``b`` won against ``a``.

    Raises:
        ValueError: If a count is negative.
    """

    debates: int = 0
    agreements: int = 0
    critiques_a_to_b: int = 0
    critiques_b_to_a: int = 0
    accepted_a_to_b: int = 0
    accepted_b_to_a: int = 0
    changes_a_after_b: int = 0
    changes_b_after_a: int = 0
    a_wins: int = 0
    b_wins: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) < 0:
                raise ValueError(f"{field.name} counts from 0 upwards, not {getattr(self, field.name)}")

    def __add__(self, other: "Dealings") -> "Dealings":
        return Dealings(**{name: getattr(self, name) + getattr(other, name) for name in DEALINGS})

    @property
    def reversed(self) -> "Dealings":
        """The same, from the view of the other agent."""
        return Dealings(**{name: getattr(self, _MIRROR.get(name, name)) for name in DEALINGS})


DEALINGS = tuple(field.name for field in fields(Dealings))
"""Names of the counts."""

_PAIRS = (
    ("critiques_a_to_b", "critiques_b_to_a"),
    ("accepted_a_to_b", "accepted_b_to_a"),
    ("changes_a_after_b", "changes_b_after_a"),
    ("a_wins", "b_wins"),
)
_MIRROR = {**dict(_PAIRS), **{b: a for a, b in _PAIRS}}


@dataclass(frozen=True, kw_only=True, slots=True)
class Relation:
    """Two agents and what happened between them.

    Attributes:
        id: With an id an addition counts once; empty where every one counts, and for sums.
        a: Id of the agent whose view it is.
        b: Id of the other.
        dealings: The counts.

    Raises:
        ValueError: If both are the same.
    """

    id: str = ""
    a: str
    b: str
    dealings: Dealings

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise ValueError(f"an agent has no relation with itself: {self.a!r}")

    @property
    def ordered(self) -> "Relation":
        """The same, from the view of the agent whose id sorts first."""
        if self.a < self.b:
            return self
        return Relation(id=self.id, a=self.b, b=self.a, dealings=self.dealings.reversed)

    def seen_from(self, agent: str) -> "Relation":
        """The same, from the view of one of the two."""
        if agent == self.a:
            return self
        return Relation(id=self.id, a=self.b, b=self.a, dealings=self.dealings.reversed)


@dataclass(frozen=True, kw_only=True, slots=True)
class RedTeamResult:
    """The result of attacks on an agent.

    Attributes:
        id: Names the test within its pool.
        item: Id of the agent.
        robustness: From 0, everything got through, to 1.
        successful: Attacks that succeeded.
        total: Attacks that were made.
        critical: Critical vulnerabilities that were found.
        session: The session that it was part of; empty where none was named.
        domain: The domain whose rating moves too; empty for none.

    Raises:
        ValueError: If the robustness lies outside of [0, 1], a count is negative, more attacks succeeded than were
            made, or the domain is named like the global track.

    Source: Aragora's specification, "Red Team Integration".
    """

    id: str
    item: str
    robustness: float
    successful: int
    total: int
    critical: int = 0
    session: str = ""
    domain: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.robustness <= 1.0:
            raise ValueError(f"robustness lies in [0, 1], not {self.robustness}")
        if min(self.successful, self.total, self.critical) < 0:
            raise ValueError("counts of attacks and vulnerabilities are 0 or more")
        if self.successful > self.total:
            raise ValueError(f"{self.successful} of {self.total} attacks cannot have succeeded")
        _require_domain(self.domain)


@dataclass(frozen=True, kw_only=True, slots=True)
class VerificationResult:
    """The result of formally verifying an agent's claims.

    Attributes:
        id: Names the test within its pool.
        item: Id of the agent.
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        k: Elo points that are at stake for two claims.
        domain: The domain whose rating moves too; empty for none.

    Raises:
        ValueError: If a count is negative, K is not a finite number, 0 or more, or the domain is named like the global
            track.

    Source: Aragora's specification, "Formal Verification Integration".
    """

    id: str
    item: str
    verified: int
    disproven: int = 0
    k: float = 16.0
    domain: str = ""

    def __post_init__(self) -> None:
        if min(self.verified, self.disproven) < 0:
            raise ValueError("counts of claims are 0 or more")
        if not 0.0 <= self.k < math.inf:
            raise ValueError(f"the K of a verification is a finite number, 0 or more, not {self.k}")
        _require_domain(self.domain)


StrengthTest = RedTeamResult | VerificationResult
"""What moves a rating without an opponent."""


def _require_domain(domain: str) -> None:
    if domain == GLOBAL:
        raise ValueError(f"a domain cannot be called {GLOBAL!r}: that is the track of all matches")
