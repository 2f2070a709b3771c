"""Red teams, formal verification, and how strong an agent is."""

from typing import TYPE_CHECKING, Any

from paragone.agents import strength_tests, strengths
from paragone.agents.system.opened import OpenSystem

if TYPE_CHECKING:
    from paragone.agents.strengths import AgentStrength
    from paragone.ledger import RecordedTest


class StrengthTests(OpenSystem):
    """The part of a system's methods that is about tests without an opponent, and about strength."""

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
        """Record what attacks on an agent came to, with what it does to its rating.

        From a robustness of 0.8 on it gains K x 0.3 x robustness; from 0.5 on nothing; below it loses half of K times
        the share of attacks that succeeded and 2 for each critical vulnerability, 30 at most.

        Args:
            agent_name: Whom they attacked.
            robustness_score: From 0 to 1.
            successful_attacks: Attacks that succeeded.
            total_attacks: Attacks that were made.
            critical_vulnerabilities: Critical vulnerabilities that were found.
            session_id: With it the result counts once for each agent, however often it is recorded.
            domain: Moves the rating in this domain too.

        Returns:
            The change of the global rating as it was applied, within floor and ceiling.

        Raises:
            Conflict: If the session is there for this agent with other content.
        """
        return strength_tests.red_team(
            self._pool,
            agent_name,
            robustness_score,
            successful=successful_attacks,
            total=total_attacks,
            critical=critical_vulnerabilities,
            session=session_id,
            domain=domain,
        )

    def get_vulnerability_summary(self, agent_name: str) -> dict[str, Any]:
        """What red teams made of an agent.

        Returns:
            ``redteam_sessions``, ``total_elo_impact``, ``last_session``, ``attacks``, ``successful``, ``critical``,
            ``mean_robustness`` (None without any), and ``history``, newest first.
        """
        return strength_tests.vulnerability(self._pool, agent_name)

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
        """Record what the formal verification of an agent's claims came to, with what it does to its rating.

        A claim that was verified is worth half of K, one that was disproven costs as much. Where there are neither,
        nothing is recorded.

        Args:
            agent_name: Whose claims.
            domain: Moves the rating in this domain too; empty for none.
            verified_count: Claims that were proven.
            disproven_count: Claims that were disproven.
            k_factor: K of the verification.
            verification_id: Has it count once, however often it is recorded.

        Returns:
            The change of the global rating as it was applied, within floor and ceiling.

        Raises:
            Conflict: If that id is there with other content.
        """
        return strength_tests.verification(
            self._pool,
            agent_name,
            domain,
            verified=verified_count,
            disproven=disproven_count,
            k=k_factor,
            id=verification_id,
        )

    def get_verification_impact(self, agent_name: str) -> dict[str, Any]:
        """What verifications made of an agent: ``agent_name``, ``verification_events``, ``total_impact``, ``history``.

        ``history`` is newest first.
        """
        return strength_tests.verified(self._pool, agent_name)

    def tests(self, agent_name: str | None = None) -> "list[RecordedTest]":
        """The tests of an agent, or of all where None, oldest first, with what they came to."""
        return strength_tests.tests_of(self._pool, agent_name)

    def get_strengths(self, domain: str | None = None) -> "list[AgentStrength]":
        """How strong agents are by all debates at once, whatever their order, with intervals for strength and rank.

        Args:
            domain: In this domain, where sparse evidence leaves an agent near its global strength; in all where None.
        """
        return strengths.strengths_in_pool(self._pool, domain)
