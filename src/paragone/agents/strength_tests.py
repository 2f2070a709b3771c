"""Red teams and formal verification: tests that move a rating without an opponent."""

from statistics import fmean
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from paragone.agents import checks
from paragone.domain import RedTeamResult, VerificationResult

if TYPE_CHECKING:
    from paragone.agents.agent_pool import AgentPool
    from paragone.ledger import RecordedTest


def red_team(
    pool: "AgentPool",
    agent: str,
    robustness: float,
    *,
    successful: int,
    total: int,
    critical: int,
    session: str | None,
    domain: str | None,
) -> float:
    """Record what attacks came to; the change of the global rating, as it was applied."""
    name, session_id = checks.agent(agent), checks.optional_identifier(session, "the id of a session")
    with checks.refused():
        test = RedTeamResult(
            id=red_team_id(session_id, name) if session_id else f"redteam:{pool.new_id()}",
            item=name,
            robustness=checks.number(robustness, "robustness"),
            successful=checks.count(successful, "the number of successful attacks"),
            total=checks.count(total, "the number of attacks"),
            critical=checks.count(critical, "the number of critical vulnerabilities"),
            session=session_id,
            domain=checks.optional_domain(domain),
        )
    pool.formula_warnings.before_test(test)
    with pool.writing([test.item]) as ledger:
        return ledger.agents.record_test(pool.id, test)[0].change


def verification(
    pool: "AgentPool", agent: str, domain: str | None, *, verified: int, disproven: int, k: float, id: str | None
) -> float:
    """Record what a verification came to; the change of the global rating, as it was applied.

    Where nothing was verified or disproven nothing is recorded.
    """
    identifier = checks.optional_identifier(id, "the id of a verification")
    with checks.refused():
        test = VerificationResult(
            id=verification_id(identifier) if identifier else f"verification:{pool.new_id()}",
            item=checks.agent(agent),
            verified=checks.count(verified, "the number of verified claims"),
            disproven=checks.count(disproven, "the number of disproven claims"),
            k=checks.number(k, "the K of a verification", most=checks.MOST),
            domain=checks.optional_domain(domain),
        )
    if not test.verified and not test.disproven:
        return 0.0
    with pool.writing([test.item]) as ledger:
        return ledger.agents.record_test(pool.id, test)[0].change


def red_team_id(session: str, agent: str) -> str:
    """Names the test of an agent in a session."""
    return f"redteam:{quote(session)}:{quote(agent)}"


def verification_id(id: str) -> str:
    """Names the test that a verification is."""
    return f"verification:{quote(id)}"


def tests_of(pool: "AgentPool", agent: str | None) -> "list[RecordedTest]":
    """The tests of one agent, or of all, oldest first."""
    return list(pool.ledger.agents.tests(pool.id, None if agent is None else checks.agent(agent)))


def vulnerability(pool: "AgentPool", agent: str) -> dict[str, Any]:
    """What red teams made of an agent; its sessions newest first."""
    sessions = [
        (done, done.test) for done in tests_of(pool, checks.agent(agent)) if isinstance(done.test, RedTeamResult)
    ]
    newest = sessions[::-1]
    return {
        "redteam_sessions": len(sessions),
        "total_elo_impact": sum(done.changes[0].change for done, _ in sessions),
        "last_session": newest[0][1].session or newest[0][1].id if newest else None,
        "attacks": sum(test.total for _, test in sessions),
        "successful": sum(test.successful for _, test in sessions),
        "critical": sum(test.critical for _, test in sessions),
        "mean_robustness": fmean(test.robustness for _, test in sessions) if sessions else None,
        "history": [_session(done, test) for done, test in newest],
    }


def verified(pool: "AgentPool", agent: str) -> dict[str, Any]:
    """What verifications made of an agent; newest first."""
    name = checks.agent(agent)
    verifications = [(done, done.test) for done in tests_of(pool, name) if isinstance(done.test, VerificationResult)]
    return {
        "agent_name": name,
        "verification_events": len(verifications),
        "total_impact": sum(done.changes[0].change for done, _ in verifications),
        "history": [_event(done, test) for done, test in verifications[::-1]],
    }


def _session(done: "RecordedTest", test: RedTeamResult) -> dict[str, Any]:
    return {
        "test_id": test.id,
        "session_id": test.session or None,
        "robustness_score": test.robustness,
        "successful_attacks": test.successful,
        "total_attacks": test.total,
        "critical_vulnerabilities": test.critical,
        **_moved(done, test.domain),
    }


def _event(done: "RecordedTest", test: VerificationResult) -> dict[str, Any]:
    return {
        "debate_id": test.id,
        "verified_count": test.verified,
        "disproven_count": test.disproven,
        "k_factor": test.k,
        **_moved(done, test.domain),
    }


def _moved(done: "RecordedTest", domain: str) -> dict[str, Any]:
    move = done.changes[0]
    return {"domain": domain or None, "change": move.change, "elo": move.new, "created_at": done.at.isoformat()}
