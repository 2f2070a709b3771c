"""Ratings and leaderboards."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.agents.rating import AgentRating, ratings_of

if TYPE_CHECKING:
    from paragone.agents.agent_pool import AgentPool
    from paragone.ledger import AgentRows, Ledger


def rating_of(pool: "AgentPool", agent: str) -> AgentRating:
    """The rating of one agent; the initial one for an agent that is not there, which stays so."""
    return ratings_by_name(pool, [agent])[agent]


def ratings_by_name(pool: "AgentPool", agents: Sequence[str]) -> dict[str, AgentRating]:
    """The same of several in one look, by name, in the order given."""
    names = checks.agents(agents)
    ratings = ratings_of(pool.ledger.agents.rows(pool.id, names)) if names else []
    by_name = {rating.agent_name: rating for rating in ratings}
    return {name: by_name[name] if name in by_name else AgentRating(name, pool.config.initial) for name in names}


def all_ratings(pool: "AgentPool") -> list[AgentRating]:
    """All ratings, the highest first."""
    return ratings_of(pool.ledger.agents.rows(pool.id))


def agent_names(pool: "AgentPool") -> list[str]:
    """The names of all agents, the highest rating first."""
    return [row[0] for row in pool.ledger.agents.rows(pool.id).standings]


def register(pool: "AgentPool", agent: str, model: str | None) -> AgentRating:
    """Have an agent in the pool, and its rating."""
    with pool.writing() as ledger:
        ledger.agents.register(pool.id, checks.agent(agent), checks.words(model, "the model of an agent"))
    return rating_of(pool, agent)


def leaderboard(pool: "AgentPool", limit: int, domain: str | None, *, use_cache: bool) -> list[AgentRating]:
    """The best agents, by their ratings in a domain where one is named."""
    count, track = checks.limit(limit), checks.optional_domain(domain)
    rows = pool.caches.boards.get(
        (count, track), lambda: pool.ledger.agents.board_rows(pool.id, count=count, domain=track), use=use_cache
    )
    return ratings_of(rows)


def calibration_leaderboard(pool: "AgentPool", limit: int, *, use_cache: bool) -> list[AgentRating]:
    """The best calibrated of those with enough predictions, equal ones in the order of their names."""
    count = checks.limit(limit)
    rows = pool.caches.calibration.get("all", lambda: _by_calibration(pool), use=use_cache)
    return ratings_of(replace(rows, standings=rows.standings[:count]))


def from_snapshot(pool: "AgentPool", limit: int) -> list[dict[str, Any]]:
    """The leaderboard as plain values, from the snapshot; from the database where there is none to go by."""
    count = checks.limit(limit)
    rows = pool.snapshot.rows("leaderboard", count)
    return [_row(agent) for agent in leaderboard(pool, count, None, use_cache=True)] if rows is None else rows


def leaderboard_rows(ledger: "Ledger", pool: str, most: int) -> tuple[list[dict[str, Any]], bool]:
    """The best agents as plain values, and whether these are all."""
    ratings = ratings_of(ledger.agents.board_rows(pool, count=most + 1))
    return [_row(rating) for rating in ratings[:most]], len(ratings) <= most


def history(pool: "AgentPool", agent: str, limit: int) -> list[tuple[str, float]]:
    """The time and the rating after each move of an agent's global rating, newest first."""
    count = checks.limit(limit)
    return [
        (move.at.isoformat(), move.elo)
        for move in pool.ledger.agents.rating_history(pool.id, checks.agent(agent), count=count)
    ]


def statistics(pool: "AgentPool", *, use_cache: bool) -> dict[str, Any]:
    """The pool in numbers; the initial rating where nobody is there."""
    totals = pool.caches.statistics.get("all", lambda: pool.ledger.agents.statistics(pool.id), use=use_cache)
    elos = {"avg_elo": totals.mean, "max_elo": totals.highest, "min_elo": totals.lowest}
    elos_by_name = {name: pool.config.initial if elo is None else elo for name, elo in elos.items()}
    return {"total_agents": totals.agents, **elos_by_name, "total_matches": totals.matches}


def _by_calibration(pool: "AgentPool") -> "AgentRows":
    from paragone.analysis.calibration import LEAST, calibration_score

    every = pool.ledger.agents.rows(pool.id)
    scores = {
        agent: calibration_score(total, brier_sum)
        for agent, _, _, _, total, brier_sum in every.counted
        if total >= LEAST
    }
    scored = [row for row in every.standings if row[0] in scores]
    return replace(every, standings=sorted(scored, key=lambda row: (-scores[row[0]], row[0])))


def _row(agent: AgentRating) -> dict[str, Any]:
    return {
        "agent_name": agent.agent_name,
        "elo": agent.elo,
        "wins": agent.wins,
        "losses": agent.losses,
        "draws": agent.draws,
        "games_played": agent.games_played,
        "win_rate": agent.win_rate,
    }
