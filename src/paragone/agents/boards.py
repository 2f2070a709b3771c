"""Ratings, leaderboards and statistics."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.agent_pool import AgentPool, PoolMethods
from paragone.agents.rating import AgentRating, ratings_of

if TYPE_CHECKING:
    from paragone.ledger import AgentRows, AgentStatistics, Ledger, Progress


class Boards(PoolMethods):
    """Ratings, leaderboards and statistics. What the methods return is a copy."""

    def register_agent(self, agent_name: str, model: str | None = None) -> AgentRating:
        """Have an agent in the pool, and say which model it is; where none is named, the one known stays."""
        with self._pool.writing() as ledger:
            ledger.agents.register(
                self._pool.id, checks.agent(agent_name), checks.words(model, "the model of an agent")
            )
        return self.get_rating(agent_name)

    def initialize_agent(self, agent_name: str, model: str | None = None) -> AgentRating:
        """The same as ``register_agent``."""
        return self.register_agent(agent_name, model)

    def list_agents(self) -> list[str]:
        """The names of all agents, the highest rating first."""
        return _names(self._pool.ledger.agents.rows(self._pool.id))

    def get_rating(self, agent_name: str, use_cache: bool = True) -> AgentRating:  # noqa: ARG002 - old code names it
        """The rating of an agent; of one that is not there the initial one, and nothing is stored.

        Args:
            agent_name: Its name.
            use_cache: Without effect: single ratings are read at every call.
        """
        return self.get_ratings_batch([agent_name])[agent_name]

    def get_ratings_batch(self, agent_names: Sequence[str]) -> dict[str, AgentRating]:
        """The ratings of several agents in one look, by name, in the order given."""
        return _by_name(self._pool, checks.agents(agent_names))

    def get_all_ratings(self) -> list[AgentRating]:
        """The ratings of all agents, the highest first."""
        return ratings_of(self._pool.ledger.agents.rows(self._pool.id))

    def get_elo_history(self, agent_name: str, limit: int = 50) -> list[tuple[str, float]]:
        """The time and the rating after each move of an agent's global rating, newest first.

        Moves are those by debates, tests, rollbacks and adjustments. Times are in ISO form.
        """
        agent, count = checks.agent(agent_name), checks.limit(limit)
        return _moves(self._pool.ledger.agents.rating_history(self._pool.id, agent, count=count))

    def get_leaderboard(self, limit: int = 20, domain: str | None = None, use_cache: bool = True) -> list[AgentRating]:
        """The best agents, the highest first, equal ones by name.

        Args:
            limit: How many at most.
            domain: By the ratings in this domain; an agent that has none there stands where its global one is.
            use_cache: Whether an answer of the last five minutes will do, as long as this system has written nothing.
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
        """The agents with five predictions or more by their calibration score, the best first.

        Args:
            limit: How many at most.
            use_cache: Whether an answer of the last five minutes will do, as long as this system has written nothing.
        """
        calibration = self._pool.caches.calibration
        rows = calibration.get("all", lambda: _by_calibration(self._pool), use=use_cache)
        return ratings_of(replace(rows, standings=rows.standings[: checks.limit(limit)]))

    def get_snapshot_leaderboard(self, limit: int = 20) -> list[dict[str, Any]]:
        """The leaderboard from the snapshot, without touching the database.

        Returns:
            ``agent_name``, ``elo``, ``wins``, ``losses``, ``draws``, ``games_played`` and ``win_rate`` of each agent.
            From the database where there is no snapshot to go by.
        """
        count = checks.limit(limit)
        rows = self._pool.snapshot.rows("leaderboard", count)
        return _values_of(self.get_leaderboard(count)) if rows is None else rows

    def get_stats(self, use_cache: bool = True) -> dict[str, Any]:
        """The pool in numbers: ``total_agents``, ``avg_elo``, ``max_elo``, ``min_elo``, ``total_matches``.

        Args:
            use_cache: Whether an answer of the last ten minutes will do, as long as this system has written nothing.
        """
        statistics, agents = self._pool.caches.statistics, self._pool.ledger.agents
        totals = statistics.get("all", lambda: agents.statistics(self._pool.id), use=use_cache)
        return _totals(totals, self._pool.config.initial)

    def invalidate_leaderboard_cache(self) -> int:
        """Forget what is kept of leaderboards, recent debates and statistics; how many leaderboards there were."""
        return self._pool.caches.clear()

    def invalidate_rating_cache(self, agent_name: str | None = None) -> int:  # noqa: ARG002 - as above
        """Without effect, and 0: single ratings are read at every call."""
        return 0

    def write_snapshot(self) -> str:
        """Write the snapshot now; the path of its file.

        Raises:
            Unwritable: If there is none, or it cannot be written.
        """
        return str(self._pool.snapshot.write())


def _by_name(pool: AgentPool, names: Sequence[str]) -> dict[str, AgentRating]:
    """The ratings of several agents in one look, in the order given; the initial one for an agent that is not there."""
    ratings = ratings_of(pool.ledger.agents.rows(pool.id, names)) if names else []
    by_name = {rating.agent_name: rating for rating in ratings}
    return {name: by_name[name] if name in by_name else AgentRating(name, pool.config.initial) for name in names}


def _names(rows: "AgentRows") -> list[str]:
    return [row[0] for row in rows.standings]


def _moves(moves: "Iterable[Progress]") -> list[tuple[str, float]]:
    return [(move.at.isoformat(), move.elo) for move in moves]


def _totals(totals: "AgentStatistics", initial: float) -> dict[str, Any]:
    """The pool in numbers; the initial rating where nobody is there."""
    elos = {"avg_elo": totals.mean, "max_elo": totals.highest, "min_elo": totals.lowest}
    elos_by_name = {name: initial if elo is None else elo for name, elo in elos.items()}
    return {"total_agents": totals.agents, **elos_by_name, "total_matches": totals.matches}


def leaderboard_rows(ledger: "Ledger", pool: str, most: int) -> tuple[list[dict[str, Any]], bool]:
    """The best agents as plain values, and whether these are all."""
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
