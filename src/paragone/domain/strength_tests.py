"""Tests of an agent that move its rating without an opponent: red teams, and formal verification (A6)."""

import math
from dataclasses import dataclass

from paragone.domain.scorecard import GLOBAL


@dataclass(frozen=True, kw_only=True, slots=True)
class RedTeamResult:
    """What attacks on an agent came to.

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

    Source: document A, "Red Team Integration".
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
    """What the formal verification of an agent's claims came to.

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

    Source: document A, "Formal Verification Integration".
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
