"""Matches with scorecards, read: the newest of them, and all that stand as columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, Select, select

from paragone.errors import Corrupted
from paragone.ledger import matches, pools, schema
from paragone.ledger.agent_records import ScoredMatch
from paragone.ledger.columns import of_few
from paragone.ledger.played import rows_of
from paragone.ratings.score_pairs import NO_DOMAIN, ScoreColumns

_match, _card, _change, _rollback = schema.match, schema.scorecard, schema.rating_change, schema.rollback
_WITH_MATCH = (_match.c.pool == _card.c.pool) & (_match.c.match == _card.c.match)
_VOIDED = select(_rollback.c.seq).where(_rollback.c.pool == _card.c.pool, _rollback.c.match == _card.c.match).exists()


def newest(
    connection: Connection,
    pool: str,
    *,
    count: int | None = None,
    agent: str | None = None,
    opponent: str | None = None,
    domain: str | None = None,
    before: int | None = None,
) -> tuple[ScoredMatch, ...]:
    """The matches with scorecards, those that were rolled back too, newest first.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    wanted = select(*_card.c["seq", "match"]).where(_card.c.pool == pool)
    for participant in (agent, opponent):
        if participant is not None:
            wanted = wanted.where(_card.c.match.in_(_played_by(pool, participant)))
    if domain is not None:
        wanted = wanted.where(_card.c.domain == domain)
    if before is not None:
        wanted = wanted.where(_card.c.seq < before)
    few = agent is not None or opponent is not None
    order = of_few(_card.c.seq) if few else _card.c.seq
    ids = [row.match for row in connection.execute(wanted.order_by(order.desc()).limit(count))]
    return _loaded(connection, pool, ids)


def columns(connection: Connection, pool: str, *, domain: str | None = None) -> ScoreColumns:
    """The matches with scorecards that stand, of all domains or of one, as columns, oldest first.

    Raises:
        NotFound: If there is no such pool.
        Corrupted: If a scorecard cannot be read; an audit says which.
    """
    pools.config(connection, pool)
    wanted = (
        select(_card.c.match, _card.c.entries, _card.c.domain, _match.c.confidence)
        .join(_match, _WITH_MATCH)
        .where(_card.c.pool == pool, ~_VOIDED)
        .order_by(_card.c.seq)
    )
    return _columns(connection, wanted if domain is None else wanted.where(_card.c.domain == domain))


def _played_by(pool: str, agent: str) -> Select[tuple[str]]:
    """The matches in which an agent took part."""
    return select(_change.c.match).where(_change.c.pool == pool, _change.c.item == agent, _change.c.compensates == 0)


def _loaded(connection: Connection, pool: str, ids: Sequence[str]) -> tuple[ScoredMatch, ...]:
    found = matches.with_changes(connection, pool, ids)
    return tuple(
        ScoredMatch(
            match=entry.match, at=entry.at, sequence=entry.sequence, rolled_back=entry.rolled_back, changes=changes
        )
        for entry, changes in (found[id] for id in ids)
    )


def _columns(connection: Connection, wanted: Select[Any]) -> ScoreColumns:
    agents: dict[str, int] = {}
    domains: dict[str, int] = {}
    match, agent, score, domain, confidence = (list[Any]() for _ in range(5))
    for row in rows_of(connection, wanted):
        for name, points in _entries(row):
            match.append(len(domain))
            agent.append(agents.setdefault(name, len(agents)))
            score.append(points)
        domain.append(domains.setdefault(row.domain, len(domains)) if row.domain else NO_DOMAIN)
        confidence.append(row.confidence)
    return ScoreColumns(
        agents=tuple(agents),
        domains=tuple(domains),
        match=np.array(match, dtype=np.int64),
        agent=np.array(agent, dtype=np.int64),
        score=np.array(score, dtype=np.float64),
        domain=np.array(domain, dtype=np.int64),
        confidence=np.array(confidence, dtype=np.float64),
    )


def _entries(row: Row[Any]) -> list[tuple[str, float]]:
    try:
        return [(str(name), float(points)) for name, points, _ in row.entries]
    except (TypeError, ValueError) as error:  # nothing of ours wrote that
        raise Corrupted(f"the scorecard of match {row.match!r} cannot be read ({error}); an audit says more") from error
