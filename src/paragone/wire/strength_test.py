"""Tests of agents: red teams and formal verification."""

from dataclasses import dataclass
from datetime import datetime

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTest(Value):
    """A test, and what it moved.

    Attributes:
        id: Names it within the pool.
        at: When it was recorded.
        domain: The domain whose rating it moved too; empty for none.
        change: Elo points by which it moved the global rating.
        elo: That rating after it.
    """

    id: str
    at: datetime
    domain: str
    change: float
    elo: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RedTeam(AgentTest):
    """The result of a red-team session.

    Attributes:
        session: The session; empty if none was named.
        robustness: From 0, every attack succeeded, to 1.
        successful: Attacks that succeeded.
        total: Attacks that were made.
        critical: Critical vulnerabilities that were found.
    """

    session: str
    robustness: float
    successful: int
    total: int
    critical: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification(AgentTest):
    """The result of a formal verification of claims.

    Attributes:
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        k: Elo points that were at stake for two claims.
    """

    verified: int
    disproven: int
    k: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTestSummary(Value):
    """The tests of an agent in numbers.

    Attributes:
        agent: Its name.
        sessions: Sessions of red teams.
        attacks: Attacks that were made.
        successful: Attacks that succeeded.
        critical: Critical vulnerabilities that were found.
        robustness: Mean of the sessions; None without one.
        red_team: Elo points by which red teams moved its rating.
        verifications: Verifications.
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        verification: Elo points by which verification moved its rating.
    """

    agent: str
    sessions: int = 0
    attacks: int = 0
    successful: int = 0
    critical: int = 0
    robustness: float | None = None
    red_team: float = 0.0
    verifications: int = 0
    verified: int = 0
    disproven: int = 0
    verification: float = 0.0

    @property
    def change(self) -> float:
        """Elo points by which tests moved its rating."""
        return self.red_team + self.verification


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTests(AgentTestSummary):
    """The tests of an agent in numbers, and the last of each kind.

    Attributes:
        red_teams: The last sessions, the newest first.
        proofs: The last verifications, the newest first.
    """

    red_teams: list[RedTeam]
    proofs: list[Verification]
