"""Strengths of agents, fitted to all debates at once, beside their running Elo."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paragone.agents import checks
from paragone.domain.displayed import DisplayedList

if TYPE_CHECKING:
    import numpy as np

    from paragone.agents.agent_pool import AgentPool
    from paragone.domain import RatingConfig
    from paragone.ratings.domain_strength import DomainStrengths
    from paragone.ratings.moving_strength import MovingStrengths
    from paragone.ratings.score_pairs import ScoreColumns

LEVEL = 0.95
DRAWS = 1000
MOST_WORK = 3_000_000_000
"""The largest fit by domain while a user waits: the cube of the agents, once for each domain and once for all."""
MOST_CHANGING = 700
"""The same where agents change: strengths in all domains, which are then parameters of one matrix."""
_SEED = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentStrength:
    """The strength of an agent, in Elo points on the scale of its pool.

    Attributes:
        agent: Name of the agent.
        strength: The strength: the pool's initial rating is the average.
        low: Lower end of its 95 % interval.
        high: Upper end.
        rank: Rank by strength, from 1; equal strengths share a rank.
        rank_shared: Whether another agent has that rank, too.
        rank_low: Best rank of its interval.
        rank_high: Worst rank.
        elo: The running Elo: of the domain if the agent has one there, else the global one.
        matches: Its debates: in the domain, or all.
        domain: The domain; empty for all debates.
    """

    agent: str
    strength: float
    low: float
    high: float
    rank: int
    rank_shared: bool
    rank_low: int
    rank_high: int
    elo: float
    matches: int
    domain: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class StrengthTable:
    """Strengths, and the method that made them.

    Attributes:
        rows: Strongest first; ties by name.
        method: Name and parameters of the fit, as plain values.
    """

    rows: tuple[AgentStrength, ...]
    method: Mapping[str, Any]


def strengths_in_pool(pool: "AgentPool", domain: str | None, walk: int | None = None) -> list[AgentStrength]:
    """The strengths of all agents that have debated, or a starting rating, highest first; as in ``strengths``."""
    where, columns = checks.optional_domain(domain), pool.ledger.agents.score_columns(pool.id)
    elo = {}
    for record in pool.ledger.agents.records(pool.id, columns.agents):
        rating = next((track for track in record.tracks if track.track == where), record.rating)
        elo[rating.item] = rating.elo
    return DisplayedList(strengths(columns, config=pool.config, domain=where, elo=elo, walk=walk))


def strengths(
    columns: "ScoreColumns",
    *,
    config: "RatingConfig",
    domain: str | None = None,
    elo: Mapping[str, float] | None = None,
    walk: int | None = None,
) -> tuple[AgentStrength, ...]:
    """Strengths over all debates or in one domain, strongest first.

    The order of the debates does not matter, unless agents changed or a random walk is asked for.

    Args:
        columns: The debates.
        config: The pool's; ``initial`` is the average strength.
        domain: A domain; one without debates gives what all domains have in common, with correspondingly wide
            intervals. None or empty for all debates, whatever their domain.
        elo: Running Elo by agent, to show beside it; ``config.initial`` if an agent has none.
        walk: Debates in a period of a random walk, after each of which strengths may have moved; None for strengths
            that new versions alone change.
    """
    return table(columns, config=config, domain=domain, elo=elo, walk=walk).rows


def table(
    columns: "ScoreColumns",
    *,
    config: "RatingConfig",
    domain: str | None = None,
    elo: Mapping[str, float] | None = None,
    walk: int | None = None,
) -> StrengthTable:
    """The same with its method; see ``strengths``."""
    if not columns.agents:
        return StrengthTable(rows=(), method={})
    if not domain and _moves(columns, walk):
        fitted = _moving(columns, walk, by_domain=False)
        return _table(_columns_of(fitted, 0), columns, config, elo or {}, "", fitted.method)
    if not domain:
        return _overall(columns, config, elo or {})
    if domain not in columns.domains:
        columns = replace(columns, domains=(*columns.domains, domain))
    return by_domain(columns, config=config, elo={domain: elo or {}}, walk=walk)[domain]


def is_quick(agents: int, domains: int, *, changing: bool = False) -> bool:
    """Whether strengths of so many agents in so many domains are fitted while a user waits: some seven seconds.

    Args:
        agents: Number of agents.
        domains: Number of domains.
        changing: Whether any of them changed or had a rating before; all are then fitted in one matrix.
    """
    if changing:
        return agents * (domains + 1) <= MOST_CHANGING
    return agents**3 * (domains + 1) <= MOST_WORK


def _moves(columns: "ScoreColumns", walk: int | None) -> bool:
    """Whether strengths are not the same in all debates, or are known from before."""
    return columns.history is not None or walk is not None


def _moving(columns: "ScoreColumns", walk: int | None, *, by_domain: bool) -> "MovingStrengths":
    import numpy as np

    from paragone.ratings.moving_strength import MovingOptions, fit_moving

    options = MovingOptions(every=walk, level=LEVEL, draws=DRAWS)
    return fit_moving(columns, options, by_domain=by_domain, rng=np.random.default_rng(_SEED))


def by_domain(
    columns: "ScoreColumns",
    *,
    config: "RatingConfig",
    elo: Mapping[str, Mapping[str, float]] | None = None,
    walk: int | None = None,
) -> dict[str, StrengthTable]:
    """Strengths in every domain, by its name, from one fit.

    Args:
        columns: The debates.
        config: Of the pool.
        elo: Running Elo by domain and agent.
        walk: As in ``strengths``.
    """
    import numpy as np

    from paragone.ratings.domain_strength import DomainOptions, fit_domains

    if not columns.agents:
        return {domain: StrengthTable(rows=(), method={}) for domain in columns.domains}
    fitted: DomainStrengths | MovingStrengths
    if _moves(columns, walk):
        fitted = _moving(columns, walk, by_domain=True)
    else:
        options = DomainOptions(level=LEVEL, draws=DRAWS)
        fitted = fit_domains(columns, options, rng=np.random.default_rng(_SEED))
    elos = {} if elo is None else elo
    return {
        domain: _table(
            _columns_of(fitted, fitted.row(domain)), columns, config, elos.get(domain, {}), domain, fitted.method
        )
        for domain in columns.domains
    }


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StrengthDraws:
    """Draws of all strengths together from their posterior.

    Attributes:
        draws: In nats, by agent, shape (draws,) each.
        debates: Debates that they rest on, by agent: in the domain, or all.
        newcomer: Of an agent of which nothing is known, shape (draws,).
        ends: The shares of draws below the ends of an interval.
    """

    draws: "Mapping[str, np.ndarray[Any, Any]]"
    debates: Mapping[str, int]
    newcomer: "np.ndarray[Any, Any]"
    ends: tuple[float, float] = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)

    def of(self, agent: str) -> "np.ndarray[Any, Any]":
        """Draws of an agent; of a newcomer, if it has not debated."""
        return self.draws.get(agent, self.newcomer)


def draws_in_pool(pool: "AgentPool", domain: str) -> StrengthDraws:
    """Draws of the strengths in a pool, which are made once; as in ``strength_draws``."""
    return pool.known(
        lambda: strength_draws(pool.ledger.agents.score_columns(pool.id), domain), "draws of strengths", domain
    )


def strength_draws(columns: "ScoreColumns", domain: str) -> StrengthDraws:
    """Draws of the strengths of all agents of which something is known, over all debates or in one domain.

    Args:
        columns: The debates.
        domain: A domain; one without debates gives what all have in common. Empty for all debates.
    """
    import numpy as np

    from paragone.domain.rounding import DRAW_DECIMALS, rounded
    from paragone.ratings import FitOptions, draws, fit
    from paragone.ratings.domain_strength import DomainOptions, fit_domains
    from paragone.ratings.score_pairs import ScorePairs

    rng = np.random.default_rng(_SEED)
    newcomers = np.random.default_rng(_SEED + 1).standard_normal(DRAWS)
    if not columns.agents:
        return StrengthDraws(draws={}, debates={}, newcomer=newcomers)
    if domain and domain not in columns.domains:
        columns = replace(columns, domains=(*columns.domains, domain))
    if columns.history is not None:
        moving = _moving(columns, None, by_domain=bool(domain))
        row = moving.row(domain) if domain else 0
        sample, newcomers = moving.sample[row], moving.newcomer[row]
    elif domain:
        by_domain = fit_domains(columns, DomainOptions(level=LEVEL, draws=DRAWS), rng=rng)
        sample = by_domain.sample[by_domain.row(domain)]
        newcomers = math.hypot(by_domain.spread, by_domain.tau) * newcomers
    else:
        fitted = fit(ScorePairs.of(columns).evidence(), FitOptions(position=False))
        sample, newcomers = draws(fitted, DRAWS, rng), fitted.prior_spread * newcomers
    debates = columns.within(domain).debates if domain else columns.debates
    return StrengthDraws(
        draws=dict(zip(columns.agents, rounded(sample, DRAW_DECIMALS).T, strict=True)),
        debates=dict(zip(columns.agents, debates.tolist(), strict=True)),
        newcomer=newcomers,
    )


def _overall(columns: "ScoreColumns", config: "RatingConfig", elo: Mapping[str, float]) -> StrengthTable:
    """All debates as one, whatever their domain."""
    import numpy as np

    from paragone.ratings import FitOptions, draws, fit, rank_intervals, ranks, rating_intervals
    from paragone.ratings.score_pairs import PAIR_WEIGHT, ScorePairs

    fitted = fit(ScorePairs.of(columns).evidence(), FitOptions(position=False))
    sample = draws(fitted, DRAWS, np.random.default_rng(_SEED))
    rank = ranks(fitted.strength)
    # Intervals of the same kind as by domain, so that an agent without debates in a domain has a wider one there.
    values = (fitted.strength, *rating_intervals(fitted, LEVEL), rank, *rank_intervals(sample, LEVEL, rank))
    return _table(values, columns, config, elo, "", fitted.method | {"pair_weight": PAIR_WEIGHT})


def _columns_of(fitted: "DomainStrengths | MovingStrengths", row: int) -> "tuple[np.ndarray[Any, Any], ...]":
    every = (fitted.strength, fitted.low, fitted.high, fitted.rank, fitted.rank_low, fitted.rank_high)
    return tuple(column[row] for column in every)


def _table(
    values: "tuple[np.ndarray[Any, Any], ...]",
    columns: "ScoreColumns",
    config: "RatingConfig",
    elo: Mapping[str, float],
    domain: str,
    method: Mapping[str, Any],
) -> StrengthTable:
    from paragone.domain.rounding import POINT_DECIMALS, rounded
    from paragone.ratings import to_elo

    nats, rank_columns = values[:3], values[3:]
    points = [rounded(to_elo(column, initial=config.initial), POINT_DECIMALS).tolist() for column in nats]
    debates = columns.within(domain).debates if domain else columns.debates
    having = Counter(rank_columns[0].tolist())
    rows = [
        AgentStrength(
            agent=agent,
            strength=strength,
            low=low,
            high=high,
            rank=rank,
            rank_shared=having[rank] > 1,
            rank_low=best,
            rank_high=worst,
            elo=elo.get(agent, config.initial),
            matches=matches,
            domain=domain,
        )
        for agent, strength, low, high, rank, best, worst, matches in zip(
            columns.agents, *points, *(column.tolist() for column in rank_columns), debates.tolist(), strict=True
        )
    ]
    return StrengthTable(rows=tuple(sorted(rows, key=lambda row: (row.rank, row.agent))), method=method)
