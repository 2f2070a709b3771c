"""What is known of an agent, in the form of document A."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paragone.ledger import AgentRows

INITIAL = 1500.0
"""Elo of an agent that nothing is known of."""


@dataclass(slots=True)
class AgentRating:
    """The rating and the record of an agent: a copy, to be changed at will.

    Attributes:
        agent_name: Name of the agent.
        elo: Its global rating, in Elo points, never rounded.
        domain_elos: Its ratings in domains.
        wins: Debates that it won alone.
        losses: Debates that somebody else won alone.
        draws: Debates that nobody won alone.
        debates_count: Debates in which it took part.
        critiques_accepted: Of its critiques those that were accepted.
        critiques_total: Critiques that it made.
        calibration_correct: Of its predictions those that came true.
        calibration_total: Predictions of it whose outcome is known, of tournaments and in domains.
        calibration_brier_sum: Their Brier scores, added up.
        model: The model behind it, as it was registered; None where nobody said.

    Source: document A, "Agent Rating Structure".
    """

    agent_name: str
    elo: float = INITIAL
    domain_elos: dict[str, float] = field(default_factory=dict)
    wins: int = 0
    losses: int = 0
    draws: int = 0
    debates_count: int = 0
    critiques_accepted: int = 0
    critiques_total: int = 0
    calibration_correct: int = 0
    calibration_total: int = 0
    calibration_brier_sum: float = 0.0
    model: str | None = None

    @property
    def games_played(self) -> int:
        """Debates that it won, lost or drew."""
        return self.wins + self.losses + self.draws

    @property
    def win_rate(self) -> float:
        """Debates won among those played; 0 before the first."""
        return self.wins / self.games_played if self.games_played else 0.0

    @property
    def critique_acceptance_rate(self) -> float:
        """Critiques accepted among those made; 0 before the first."""
        return self.critiques_accepted / self.critiques_total if self.critiques_total else 0.0

    @property
    def calibration_accuracy(self) -> float:
        """Predictions that came true among those whose outcome is known; 0 before the first."""
        return self.calibration_correct / self.calibration_total if self.calibration_total else 0.0

    @property
    def calibration_brier_score(self) -> float:
        """The mean Brier score, from 0, perfect, to 1; 1 before the first prediction."""
        return self.calibration_brier_sum / self.calibration_total if self.calibration_total else 1.0

    @property
    def calibration_score(self) -> float:
        """How well calibrated it is, from 0 to 1, weighted by how much is known; 0 below 5 predictions."""
        from paragone.analysis.calibration import calibration_score

        return calibration_score(self.calibration_total, self.calibration_brier_sum)

    @property
    def elo_rating(self) -> float:
        """The same as ``elo``."""
        return self.elo

    @property
    def total_debates(self) -> int:
        """The same as ``debates_count``."""
        return self.debates_count


def ratings_of(rows: "AgentRows") -> list[AgentRating]:
    """What the ledger keeps of agents, as ratings of their own."""
    ratings = {
        agent: AgentRating(agent, elo, {}, wins, losses, ties, matches)
        for agent, elo, matches, wins, losses, ties in rows.standings
    }
    for agent, domain, elo in rows.domains:
        if agent in ratings:
            ratings[agent].domain_elos[domain] = elo
    for agent, critiques_accepted, critiques_total, correct, total, brier_sum in rows.counted:
        if agent in ratings:
            rating = ratings[agent]
            rating.critiques_accepted, rating.critiques_total = critiques_accepted, critiques_total
            rating.calibration_correct, rating.calibration_total = correct, total
            rating.calibration_brier_sum = brier_sum
    for agent, model in rows.models:
        if agent in ratings:
            ratings[agent].model = model or None
    return list(ratings.values())
