"""Ratings, leaderboards and statistics."""

from collections.abc import Sequence
from typing import Any

from paragone.agents import boards
from paragone.agents.rating import AgentRating
from paragone.agents.system.opened import OpenSystem


class Ratings(OpenSystem):
    """The part of a system's methods that is about ratings. What they return is a copy."""

    def register_agent(self, agent_name: str, model: str | None = None) -> AgentRating:
        """Have an agent in the pool, and say which model it is; where none is named, the one known stays."""
        return boards.register(self._pool, agent_name, model)

    def initialize_agent(self, agent_name: str, model: str | None = None) -> AgentRating:
        """The same as ``register_agent``."""
        return boards.register(self._pool, agent_name, model)

    def list_agents(self) -> list[str]:
        """The names of all agents, the highest rating first."""
        return boards.agent_names(self._pool)

    def get_rating(self, agent_name: str, use_cache: bool = True) -> AgentRating:  # noqa: ARG002 - old code names it
        """The rating of an agent; of one that is not there the initial one, and nothing is stored.

        Args:
            agent_name: Its name.
            use_cache: Without effect: single ratings are read at every call.
        """
        return boards.rating_of(self._pool, agent_name)

    def get_ratings_batch(self, agent_names: Sequence[str]) -> dict[str, AgentRating]:
        """The ratings of several agents in one look, by name, in the order given."""
        return boards.ratings_by_name(self._pool, agent_names)

    def get_all_ratings(self) -> list[AgentRating]:
        """The ratings of all agents, the highest first."""
        return boards.all_ratings(self._pool)

    def get_elo_history(self, agent_name: str, limit: int = 50) -> list[tuple[str, float]]:
        """The time and the rating after each move of an agent's global rating, newest first.

        Moves are those by debates, tests, rollbacks and adjustments. Times are in ISO form.
        """
        return boards.history(self._pool, agent_name, limit)

    def get_leaderboard(self, limit: int = 20, domain: str | None = None, use_cache: bool = True) -> list[AgentRating]:
        """The best agents, the highest first, equal ones by name.

        Args:
            limit: How many at most.
            domain: By the ratings in this domain; an agent that has none there stands where its global one is.
            use_cache: Whether an answer of the last five minutes will do, as long as this system has written nothing.
        """
        return boards.leaderboard(self._pool, limit, domain, use_cache=use_cache)

    def get_cached_leaderboard(self, limit: int = 20, domain: str | None = None) -> list[AgentRating]:
        """The same as ``get_leaderboard``."""
        return boards.leaderboard(self._pool, limit, domain, use_cache=True)

    def get_top_agents_for_domain(self, domain: str, limit: int = 5) -> list[AgentRating]:
        """The best agents in a domain."""
        return boards.leaderboard(self._pool, limit, domain, use_cache=True)

    def get_snapshot_leaderboard(self, limit: int = 20) -> list[dict[str, Any]]:
        """The leaderboard from the snapshot, without touching the database.

        Returns:
            ``agent_name``, ``elo``, ``wins``, ``losses``, ``draws``, ``games_played`` and ``win_rate`` of each agent.
            From the database where there is no snapshot to go by.
        """
        return boards.from_snapshot(self._pool, limit)

    def get_stats(self, use_cache: bool = True) -> dict[str, Any]:
        """The pool in numbers: ``total_agents``, ``avg_elo``, ``max_elo``, ``min_elo``, ``total_matches``.

        Args:
            use_cache: Whether an answer of the last ten minutes will do, as long as this system has written nothing.
        """
        return boards.statistics(self._pool, use_cache=use_cache)

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
