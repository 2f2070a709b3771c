"""What tests of strength made of each agent: red teams, and formal verification."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from paragone.domain import RedTeamResult, VerificationResult
from paragone.ledger import RecordedTest


@dataclass(frozen=True, kw_only=True, slots=True)
class Tested:
    """The tests of one agent in numbers.

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

    @property
    def moved(self) -> float:
        """Elo points by which tests moved its rating."""
        return self.red_team + self.verification


def tested(tests: Iterable[RecordedTest]) -> tuple[Tested, ...]:
    """The tests by agent, those that moved furthest first."""
    by_agent: dict[str, list[RecordedTest]] = {}
    for done in tests:
        by_agent.setdefault(done.test.item, []).append(done)
    known = [_of(agent, done) for agent, done in by_agent.items()]
    return tuple(sorted(known, key=lambda one: (-abs(one.moved), one.agent)))


def change(done: RecordedTest) -> float:
    """Elo points by which a test moved the global rating."""
    return done.changes[0].change if done.changes else 0.0


def _of(agent: str, done: list[RecordedTest]) -> Tested:
    attacked = [one.test for one in done if isinstance(one.test, RedTeamResult)]
    proven = [one.test for one in done if isinstance(one.test, VerificationResult)]
    return Tested(
        agent=agent,
        sessions=len(attacked),
        attacks=sum(test.total for test in attacked),
        successful=sum(test.successful for test in attacked),
        critical=sum(test.critical for test in attacked),
        robustness=fmean(test.robustness for test in attacked) if attacked else None,
        red_team=sum(change(one) for one in done if isinstance(one.test, RedTeamResult)),
        verifications=len(proven),
        verified=sum(test.verified for test in proven),
        disproven=sum(test.disproven for test in proven),
        verification=sum(change(one) for one in done if isinstance(one.test, VerificationResult)),
    )
