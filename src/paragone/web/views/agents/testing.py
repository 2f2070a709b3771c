"""Tests of an agent as values: what red teams made of it, and formal verification."""

from paragone.agents.report import Tested, change, tested
from paragone.domain import RedTeamResult, VerificationResult
from paragone.ledger import RecordedTest
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.agents.roster import roster_with
from paragone.wire.strength_test import AgentTests, RedTeam, Verification


def results_of(reader: LedgerReader, pool: str, agent: str, *, limit: int = 50) -> AgentTests:
    """The tests of an agent, with the last of each kind.

    Raises:
        NotFound: If there is no such pool, or no such agent in it.
    """
    roster_with(reader, pool, agent)
    done = reader.ledger.agents.tests(pool, agent)
    numbers = next(iter(tested(done)), _untested(agent))
    newest = done[::-1]
    attacked = (_red_team(test, test.test) for test in newest if isinstance(test.test, RedTeamResult))
    proven = (_verification(test, test.test) for test in newest if isinstance(test.test, VerificationResult))
    return AgentTests(
        agent=agent,
        sessions=numbers.sessions,
        attacks=numbers.attacks,
        successful=numbers.successful,
        critical=numbers.critical,
        robustness=numbers.robustness,
        red_team=numbers.red_team,
        verifications=numbers.verifications,
        verified=numbers.verified,
        disproven=numbers.disproven,
        verification=numbers.verification,
        red_teams=list(attacked)[:limit],
        proofs=list(proven)[:limit],
    )


def result_of(done: RecordedTest) -> RedTeam | Verification:
    """A test as a value."""
    return _red_team(done, done.test) if isinstance(done.test, RedTeamResult) else _verification(done, done.test)


def _untested(agent: str) -> Tested:
    return Tested(
        agent=agent,
        sessions=0,
        attacks=0,
        successful=0,
        critical=0,
        robustness=None,
        red_team=0.0,
        verifications=0,
        verified=0,
        disproven=0,
        verification=0.0,
    )


def _red_team(done: RecordedTest, test: RedTeamResult) -> RedTeam:
    return RedTeam(
        id=test.id,
        at=done.at,
        domain=test.domain,
        change=change(done),
        elo=done.changes[0].new,
        session=test.session,
        robustness=test.robustness,
        successful=test.successful,
        total=test.total,
        critical=test.critical,
    )


def _verification(done: RecordedTest, test: VerificationResult) -> Verification:
    return Verification(
        id=test.id,
        at=done.at,
        domain=test.domain,
        change=change(done),
        elo=done.changes[0].new,
        verified=test.verified,
        disproven=test.disproven,
        k=test.k,
    )
