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
    """What attacks on an agent came to.

    Attributes:
        session: The session; empty where none was named.
        robustness: From 0, everything got through, to 1.
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
    """What the formal verification of claims came to.

    Attributes:
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        k: Elo points that were at stake for two claims.
    """

    verified: int
    disproven: int
    k: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTests(Value):
    """What tests made of an agent.

    Attributes:
        agent: Its name.
        sessions: Sessions of red teams.
        attacks: Attacks that were made.
        successful: Those that succeeded.
        critical: Critical vulnerabilities that were found.
        robustness: Mean of the sessions; None without one.
        red_team: Elo points by which red teams moved its rating.
        verifications: Verifications.
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        verification: Elo points by which verification moved its rating.
        red_teams: The last sessions, the newest first.
        proofs: The last verifications, the newest first.
    """

    agent: str
    sessions: int
    attacks: int
    successful: int
    critical: int
    robustness: float | None
    red_team: float
    verifications: int
    verified: int
    disproven: int
    verification: float
    red_teams: list[RedTeam]
    proofs: list[Verification]
