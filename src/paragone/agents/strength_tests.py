"""Red teams and formal verification, which change a rating without an opponent; and strengths of agents."""

from collections.abc import Iterable
from statistics import fmean
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods
from paragone.agents.strengths import strengths_in_pool
from paragone.domain import RedTeamResult, VerificationResult

if TYPE_CHECKING:
    from paragone.agents.strengths import AgentStrength
    from paragone.ledger import RecordedTest


class StrengthTests(PoolMethods):
    """Red teams, formal verification, and strengths of agents."""

    def record_redteam_result(
        self,
        agent_name: str,
        robustness_score: float,
        successful_attacks: int,
        total_attacks: int,
        critical_vulnerabilities: int = 0,
        session_id: str | None = None,
        domain: str | None = None,
    ) -> float:
        """Record the result of attacks on an agent, and update its rating.

        From a robustness of 0.8 the agent gains K x 0.3 x robustness, and from 0.5 nothing; below, it loses half of K
        times the share of attacks that succeeded, and 2 for each critical vulnerability, 30 at most.

        Args:
            agent_name: The agent that was attacked.
            robustness_score: From 0 to 1.
            successful_attacks: Attacks that succeeded.
            total_attacks: All attacks.
            critical_vulnerabilities: Critical vulnerabilities found.
            session_id: Recording a result of the same session and agent again changes nothing.
            domain: Its domain, whose rating changes too.

        Returns:
            The change of the global rating as applied, within floor and ceiling.

        Raises:
            Conflict: If the session is on record for this agent with other content.
        """
        agent, session = checks.agent(agent_name), checks.optional_identifier(session_id, "the id of a session")
        with checks.refused():
            test = RedTeamResult(
                id=red_team_id(session, agent) if session else f"redteam:{self._pool.new_id()}",
                item=agent,
                robustness=checks.number(robustness_score, "robustness"),
                successful=checks.count(successful_attacks, "the number of successful attacks"),
                total=checks.count(total_attacks, "the number of attacks"),
                critical=checks.count(critical_vulnerabilities, "the number of critical vulnerabilities"),
                session=session,
                domain=checks.optional_domain(domain),
            )
        return _recorded(self._pool, test)

    def get_vulnerability_summary(self, agent_name: str) -> dict[str, Any]:
        """A summary of the red-team results of an agent.

        Returns:
            ``redteam_sessions``, ``total_elo_impact``, ``last_session``, ``attacks``, ``successful``, ``critical``,
            ``mean_robustness`` (None without a session), and ``history``, newest first.
        """
        return _vulnerability(self.tests(checks.agent(agent_name)))

    def update_from_verification(
        self,
        agent_name: str,
        domain: str,
        verified_count: int,
        disproven_count: int = 0,
        k_factor: float = 16.0,
        *,
        verification_id: str | None = None,
    ) -> float:
        """Record the formal verification of an agent's claims, and update its rating.

        A verified claim gains half of K, and a disproven claim costs as much. Nothing is recorded if there are neither.

        Args:
            agent_name: The agent whose claims they are.
            domain: Their domain, whose rating changes too; empty for none.
            verified_count: Claims that were proven.
            disproven_count: Claims that were disproven.
            k_factor: K of the verification.
            verification_id: Recording it again under the same id changes nothing.

        Returns:
            The change of the global rating as applied, within floor and ceiling.

        Raises:
            Conflict: If the id is on record with other content.
        """
        id = checks.optional_identifier(verification_id, "the id of a verification")
        with checks.refused():
            test = VerificationResult(
                id=verification_test_id(id) if id else f"verification:{self._pool.new_id()}",
                item=checks.agent(agent_name),
                verified=checks.count(verified_count, "the number of verified claims"),
                disproven=checks.count(disproven_count, "the number of disproven claims"),
                k=checks.number(k_factor, "the K of a verification", most=checks.MOST),
                domain=checks.optional_domain(domain),
            )
        return _recorded(self._pool, test) if test.verified or test.disproven else 0.0

    def get_verification_impact(self, agent_name: str) -> dict[str, Any]:
        """A summary of the verifications of an agent.

        Returns:
            ``agent_name``, ``verification_events``, ``total_impact``, and ``history``, newest first.
        """
        return _impact(checks.agent(agent_name), self.tests(agent_name))

    def tests(self, agent_name: str | None = None) -> "list[RecordedTest]":
        """The tests of an agent, or of all agents if None, oldest first, with their rating changes."""
        agent = None if agent_name is None else checks.agent(agent_name)
        return list(self._pool.ledger.agents.tests(self._pool.id, agent))

    def get_strengths(self, domain: str | None = None, walk: int | None = None) -> "list[AgentStrength]":
        """Strengths of agents, fitted to all debates at once, with intervals for strength and rank.

        An agent with a starting rating is among them before it debates. Of an agent with a new version, the debates
        before it count as far as the evidence says that versions are alike.

        Args:
            domain: Strengths in this domain, where sparse evidence leaves an agent near its global strength; if None,
                over all debates.
            walk: Debates after which strengths may have moved, again and again; the strengths are then those of now.
                If None, strengths move with new versions alone.

        Raises:
            InvalidConfig: If ``walk`` is not positive.
        """
        return strengths_in_pool(self._pool, domain, walk)


def red_team_id(session: str, agent: str) -> str:
    """The id of the test of an agent in a session."""
    return f"redteam:{quote(session)}:{quote(agent)}"


def verification_test_id(id: str) -> str:
    """The id of the test of a verification."""
    return f"verification:{quote(id)}"


def _recorded(pool: AgentPool, test: RedTeamResult | VerificationResult) -> float:
    """Record a test; returns the change of the global rating as applied."""
    if isinstance(test, RedTeamResult):
        pool.formula_warnings.before_test(test)
    with pool.writing([test.item]) as ledger:
        return ledger.agents.record_test(pool.id, test)[0].change


def _vulnerability(tests: "Iterable[RecordedTest]") -> dict[str, Any]:
    """The red-team results of an agent; its sessions newest first."""
    sessions = [(done, done.test) for done in tests if isinstance(done.test, RedTeamResult)]
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


def _impact(agent: str, tests: "Iterable[RecordedTest]") -> dict[str, Any]:
    """The verifications of an agent, newest first."""
    verifications = [(done, done.test) for done in tests if isinstance(done.test, VerificationResult)]
    return {
        "agent_name": agent,
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
