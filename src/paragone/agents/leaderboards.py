"""Ratings of agents, leaderboards and statistics."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods
from paragone.domain.displayed import DisplayedList

if TYPE_CHECKING:
    from paragone.ledger import AgentRows, AgentStatistics, Ledger, RatingPoint
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paragone.ledger import AgentRows


INITIAL = 1500.0
"""Elo of an agent without evidence."""


@dataclass(slots=True)
class AgentRating:
    """The rating and the record of an agent: a copy that the caller may change.

    Attributes:
        agent_name: Name of the agent.
        elo: Its global rating, in Elo points, never rounded.
        domain_elos: Its ratings in domains.
        wins: Debates with it as the only winner.
        losses: Debates with another agent as the only winner.
        draws: Debates without a single winner.
        debates_count: Debates in which it took part.
        critiques_accepted: Its critiques that were accepted.
        critiques_total: Critiques that it made.
        calibration_correct: Its predictions that came true.
        calibration_total: Its predictions whose outcome is known, of tournaments and in domains.
        calibration_brier_sum: The sum of their Brier scores.
        model: Its model as registered; None if unknown.

    Source: Aragora's specification, "Agent Rating Structure".
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
        """The share of debates won; 0 before the first."""
        return self.wins / self.games_played if self.games_played else 0.0

    @property
    def critique_acceptance_rate(self) -> float:
        """The share of critiques accepted; 0 before the first."""
        return self.critiques_accepted / self.critiques_total if self.critiques_total else 0.0

    @property
    def calibration_accuracy(self) -> float:
        """The share of predictions with a known outcome that came true; 0 before the first."""
        return self.calibration_correct / self.calibration_total if self.calibration_total else 0.0

    @property
    def calibration_brier_score(self) -> float:
        """The mean Brier score, from 0, perfect, to 1; 1 before the first prediction."""
        return self.calibration_brier_sum / self.calibration_total if self.calibration_total else 1.0

    @property
    def calibration_score(self) -> float:
        """How well calibrated it is, from 0 to 1, weighted by the number of predictions; 0 below 5."""
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
    """Rows of the ledger as ratings."""
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
    return DisplayedList(ratings.values())


class Leaderboards(PoolMethods):
    """Ratings, leaderboards and statistics. The methods return copies."""

    def register_agent(self, agent_name: str, model: str | None = None) -> AgentRating:
        """Register an agent and its model; without a model, the registered one stays."""
        with self._pool.writing() as ledger:
            ledger.agents.register(
                self._pool.id, checks.agent(agent_name), checks.words(model, "the model of an agent")
            )
        return self.get_rating(agent_name)

    def initialize_agent(self, agent_name: str, model: str | None = None) -> AgentRating:
        """The same as ``register_agent``."""
        return self.register_agent(agent_name, model)

    def list_agents(self) -> list[str]:
        """The names of all agents, highest rating first."""
        return _names(self._pool.ledger.agents.rows(self._pool.id))

    def get_rating(self, agent_name: str, use_cache: bool = True) -> AgentRating:  # noqa: ARG002 - old callers pass it
        """The rating of an agent; the initial rating for an unknown agent. Nothing is stored.

        Args:
            agent_name: Its name.
            use_cache: Has no effect: single ratings are always read.
        """
        return self.get_ratings_batch([agent_name])[agent_name]

    def get_ratings_batch(self, agent_names: Sequence[str]) -> dict[str, AgentRating]:
        """The ratings of several agents from one query, by name, in the order given."""
        return _by_name(self._pool, checks.agents(agent_names))

    def get_all_ratings(self) -> list[AgentRating]:
        """The ratings of all agents, highest first."""
        return ratings_of(self._pool.ledger.agents.rows(self._pool.id))

    def get_elo_history(self, agent_name: str, limit: int = 50) -> list[tuple[str, float]]:
        """The time and the rating after each change of an agent's global rating, newest first.

        Debates, tests, rollbacks and adjustments change ratings. Times are in ISO format.
        """
        agent, count = checks.agent(agent_name), checks.limit(limit)
        pool, agents = self._pool, self._pool.ledger.agents
        return pool.known(
            lambda: _moves(agents.rating_history(pool.id, agent, count=count)), "history", agent, count
        ).copy()

    def get_leaderboard(self, limit: int = 20, domain: str | None = None, use_cache: bool = True) -> list[AgentRating]:
        """The best agents, highest first, ties by name.

        Args:
            limit: How many at most.
            domain: Rank by the ratings in this domain; an agent without one there is ranked by its global rating.
            use_cache: Whether an answer of the last five minutes may be returned, if this system has written nothing
                since.
        """
        count, track = checks.limit(limit), checks.optional_domain(domain)
        agents, boards = self._pool.ledger.agents, self._pool.caches.boards
        rows = boards.get(
            (count, track), lambda: agents.board_rows(self._pool.id, count=count, domain=track), use=use_cache
        )
        return ratings_of(rows)

    def get_cached_leaderboard(self, limit: int = 20, domain: str | None = None) -> list[AgentRating]:
        """The same as ``get_leaderboard``."""
        return self.get_leaderboard(limit, domain)

    def get_top_agents_for_domain(self, domain: str, limit: int = 5) -> list[AgentRating]:
        """The best agents in a domain."""
        return self.get_leaderboard(limit, domain)

    def get_calibration_leaderboard(self, limit: int = 20, use_cache: bool = True) -> list[AgentRating]:
        """The agents with five predictions or more by calibration score, best first.

        Args:
            limit: How many at most.
            use_cache: Whether an answer of the last five minutes may be returned, if this system has written nothing
                since.
        """
        calibration = self._pool.caches.calibration
        rows = calibration.get("all", lambda: _by_calibration(self._pool), use=use_cache)
        return ratings_of(replace(rows, standings=rows.standings[: checks.limit(limit)]))

    def get_snapshot_leaderboard(self, limit: int = 20) -> list[dict[str, Any]]:
        """The leaderboard from the snapshot, without a query.

        Returns:
            ``agent_name``, ``elo``, ``wins``, ``losses``, ``draws``, ``games_played`` and ``win_rate`` of each agent.
            From the database if there is no valid snapshot.
        """
        count = checks.limit(limit)
        rows = self._pool.snapshot.rows("leaderboard", count)
        return _values_of(self.get_leaderboard(count)) if rows is None else rows

    def get_stats(self, use_cache: bool = True) -> dict[str, Any]:
        """Statistics of the pool: ``total_agents``, ``avg_elo``, ``max_elo``, ``min_elo``, ``total_matches``.

        Args:
            use_cache: Whether an answer of the last ten minutes may be returned, if this system has written nothing
                since.
        """
        statistics, agents = self._pool.caches.statistics, self._pool.ledger.agents
        totals = statistics.get("all", lambda: agents.statistics(self._pool.id), use=use_cache)
        return _totals(totals, self._pool.config.initial)

    def invalidate_leaderboard_cache(self) -> int:
        """Empty the caches; returns how many leaderboards there were."""
        return self._pool.caches.clear()

    def invalidate_rating_cache(self, agent_name: str | None = None) -> int:  # noqa: ARG002 - as above
        """Does nothing and returns 0: single ratings are always read."""
        return 0

    def write_snapshot(self) -> str:
        """Write the snapshot now; returns its path.

        Raises:
            Unwritable: If this system keeps no snapshot, or it cannot be written.
        """
        return str(self._pool.snapshot.write())


def _by_name(pool: AgentPool, names: Sequence[str]) -> dict[str, AgentRating]:
    """The ratings of several agents from one query, in the order given; the initial rating for an unknown agent."""
    ratings = ratings_of(pool.ledger.agents.rows(pool.id, names)) if names else []
    by_name = {rating.agent_name: rating for rating in ratings}
    return {name: by_name[name] if name in by_name else AgentRating(name, pool.config.initial) for name in names}


def _names(rows: "AgentRows") -> list[str]:
    return [row[0] for row in rows.standings]


def _moves(moves: "Iterable[RatingPoint]") -> list[tuple[str, float]]:
    return [(move.at.isoformat(), move.elo) for move in moves]


def _totals(totals: "AgentStatistics", initial: float) -> dict[str, Any]:
    """Statistics of the pool; the initial rating if it has no agents."""
    elos = {"avg_elo": totals.mean, "max_elo": totals.highest, "min_elo": totals.lowest}
    elos_by_name = {name: initial if elo is None else elo for name, elo in elos.items()}
    return {"total_agents": totals.agents, **elos_by_name, "total_matches": totals.matches}


def leaderboard_rows(ledger: "Ledger", pool: str, most: int) -> tuple[list[dict[str, Any]], bool]:
    """The best agents as plain values, and whether these are all agents."""
    ratings = ratings_of(ledger.agents.board_rows(pool, count=most + 1))
    return _values_of(ratings[:most]), len(ratings) <= most


def _by_calibration(pool: AgentPool) -> "AgentRows":
    from paragone.analysis.calibration import LEAST, calibration_score

    every = pool.ledger.agents.rows(pool.id)
    scores = {
        agent: calibration_score(total, brier_sum)
        for agent, _, _, _, total, brier_sum in every.counted
        if total >= LEAST
    }
    scored = [row for row in every.standings if row[0] in scores]
    return replace(every, standings=sorted(scored, key=lambda row: (-scores[row[0]], row[0])))


def _values_of(ratings: Iterable[AgentRating]) -> list[dict[str, Any]]:
    names = ("agent_name", "elo", "wins", "losses", "draws", "games_played", "win_rate")
    return [{name: getattr(rating, name) for name in names} for rating in ratings]
