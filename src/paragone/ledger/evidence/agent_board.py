"""Leaderboards of agents, in four queries for any number of agents.

Rows stay plain values, since a board of a thousand agents has thousands of ratings in domains.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, bindparam, func, select, union_all

from paragone.domain import Rating
from paragone.ledger import running_ratings, schema
from paragone.ledger.column_types import TextType, of_few
from paragone.ledger.evidence import pools, tallies
from paragone.ledger.evidence.agent_evidence import not_void
from paragone.ledger.evidence.tallies import COUNTED
from paragone.ledger.records import AgentRecord, AgentRows, AgentStatistics, AgentTally
from paragone.ledger.running_ratings import RECORD
from paragone.ledger.statements import Rows, Statement, StatementForNames

_rating, _track, _tally, _registration = schema.rating, schema.track_rating, schema.agent_tally, schema.registration
_POOL, _DOMAIN = bindparam("of_pool", type_=TextType), bindparam("of_domain", type_=TextType)
_COUNT = bindparam("at_most", type_=BigInteger)
_MANY = 200
"""For as many names or more, it is checked whether they are most of their pool: reading all of it is faster then."""

_RATINGS = select(*_rating.c["item", *RECORD]).where(_rating.c.pool == _POOL)
_BY_ELO = _RATINGS.order_by(_rating.c.elo.desc(), _rating.c.item)
_ALL = Statement(_BY_ELO)
_HIGHEST = Statement(_BY_ELO.limit(_COUNT))
_NAMED = StatementForNames(lambda names: _RATINGS.where(_rating.c.item.in_(names)))
_SO_MANY = Statement(
    select(func.count()).select_from(select(_rating.c.item).where(_rating.c.pool == _POOL).limit(_COUNT).subquery())
)


class _PerAgent:
    """A query for more about agents than their global ratings: for all agents of a pool, or for some.

    Args:
        statement: The query for a pool.
        item: The column of the agents.
        of_some: More conditions of the query for some agents.
    """

    def __init__(self, statement: Select[Any], item: ColumnElement[str], *of_some: ColumnElement[bool]) -> None:
        self._all = Statement(statement)
        self._named = StatementForNames(lambda names: statement.where(item.in_(names), *of_some))

    def rows(self, connection: Connection, pool: str, names: Sequence[str] | None) -> Rows:
        """The rows of some agents; None for all."""
        of = {"of_pool": pool}
        return self._all.rows(connection, of) if names is None else self._named.rows(connection, names, of)


_TRACKS = _PerAgent(
    select(*_track.c["item", "track", "elo"]).where(_track.c.pool == _POOL),
    _track.c.item,
    # Always true, but without it SQLite scans the whole pool in an index that happens to cover the query.
    _track.c.matches >= 0,
)
_TALLIES = _PerAgent(select(*_tally.c["item", *COUNTED]).where(_tally.c.pool == _POOL), _tally.c.item)
_MODELS = _PerAgent(
    select(*_registration.c["item", "model"])
    .where(_registration.c.pool == _POOL, not_void(_registration))
    .order_by(of_few(_registration.c.seq)),
    _registration.c.item,
)
_UNCOUNTED = AgentTally()


def rows(connection: Connection, pool: str, names: Sequence[str] | None = None) -> AgentRows:
    """``records`` as plain values.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    of = {"of_pool": pool}
    if names is None:
        return _with_counts(connection, pool, _ALL.rows(connection, of), None)
    unique = list(dict.fromkeys(names))
    most = _are_most(connection, pool, unique)
    ratings = _ALL.rows(connection, of) if most else _NAMED.rows(connection, unique, of)
    unordered = _with_counts(connection, pool, ratings, None if most else unique)
    by_name = {row[0]: row for row in unordered.standings}
    return replace(unordered, standings=[by_name[name] for name in names if name in by_name])


def board_rows(connection: Connection, pool: str, *, count: int, domain: str = "") -> AgentRows:
    """``board`` as plain values.

    Raises:
        NotFound: If there is no such pool.
    """
    values = {"of_pool": pool, "at_most": count}
    if domain:
        highest = _HIGHEST_IN_DOMAIN.rows(connection, {**values, "of_domain": domain})
        return rows(connection, pool, [item for (item,) in highest])
    pools.config(connection, pool)
    highest = _HIGHEST.rows(connection, {**values, "at_most": count + 1})  # one more tells whether these are all
    chosen = highest[:count]
    return _with_counts(connection, pool, chosen, None if len(highest) <= count else [row[0] for row in chosen])


def records(connection: Connection, pool: str, names: Sequence[str] | None = None) -> tuple[AgentRecord, ...]:
    """The ratings and counts of agents; unknown names are left out.

    Args:
        connection: A transaction.
        pool: The pool.
        names: Ids of agents, which give the order; None for all agents, highest global rating first.

    Raises:
        NotFound: If there is no such pool.
    """
    return _records(connection, pool, rows(connection, pool, names))


def board(connection: Connection, pool: str, *, count: int, domain: str = "") -> tuple[AgentRecord, ...]:
    """The highest ``count`` agents, highest first; equal ones in the order of their ids.

    Args:
        connection: A transaction.
        pool: The pool.
        count: The largest number of agents.
        domain: Order by the ratings in this domain, and by the global rating of an agent that has none there.

    Raises:
        NotFound: If there is no such pool.
    """
    return _records(connection, pool, board_rows(connection, pool, count=count, domain=domain))


def _records(connection: Connection, pool: str, rows: AgentRows) -> tuple[AgentRecord, ...]:
    """Rows as records, with the ratings that the agents have in domains."""
    tracks: dict[str, list[Rating]] = defaultdict(list)
    in_domains = running_ratings.tracks_of(connection, pool, [row[0] for row in rows.standings])
    for rating in sorted(in_domains.values(), key=attrgetter("track")):
        tracks[rating.item].append(rating)
    counted = {item: tallies.tally_of(counts) for item, *counts in rows.counted}
    models = dict(rows.models)
    return tuple(
        [
            AgentRecord(
                rating=Rating(item=item, elo=elo, matches=matches, wins=wins, losses=losses, ties=ties),
                tracks=tuple(tracks[item]),
                tally=counted.get(item, _UNCOUNTED),
                model=models.get(item, ""),
            )
            for item, elo, matches, wins, losses, ties in rows.standings
        ]
    )


def statistics(connection: Connection, pool: str) -> AgentStatistics:
    """The number of agents and matches, and the mean, highest and lowest rating.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    elo, match, rollback = _rating.c.elo, schema.match, schema.rollback
    played, voided = (
        select(func.count()).select_from(table).where(table.c.pool == pool).scalar_subquery()
        for table in (match, rollback)
    )
    query = select(func.count(), (played - voided), func.avg(elo), func.max(elo), func.min(elo)).where(
        _rating.c.pool == pool
    )
    agents, matches, mean, highest, lowest = connection.execute(query).one()
    return AgentStatistics(agents=agents, matches=matches, mean=mean, highest=highest, lowest=lowest)


def _highest_in_domain() -> Select[Any]:
    """The highest agents in a domain; each part of the union is read from an index in its order."""
    in_domain = _track.c.pool == _POOL, _track.c.track == _DOMAIN
    rated = select(_track.c.item, _track.c.elo).where(*in_domain).order_by(_track.c.elo.desc(), _track.c.item)
    unrated = ~select(_track.c.item).where(*in_domain, _track.c.item == _rating.c.item).exists()
    outside = select(_rating.c.item, _rating.c.elo).where(_rating.c.pool == _POOL, unrated)
    both = union_all(
        select(rated.limit(_COUNT).subquery()),
        select(outside.order_by(_rating.c.elo.desc(), _rating.c.item).limit(_COUNT).subquery()),
    ).subquery()
    return select(both.c.item).order_by(both.c.elo.desc(), both.c.item).limit(_COUNT)


_HIGHEST_IN_DOMAIN = Statement(_highest_in_domain())


def _are_most(connection: Connection, pool: str, names: Sequence[str]) -> bool:
    """Whether there are many names, and most of the agents of the pool are among them."""
    bound = 2 * len(names)
    if bound < 2 * _MANY:
        return False
    ((agents,),) = _SO_MANY.rows(connection, {"of_pool": pool, "at_most": bound})
    return bool(agents < bound)


def _with_counts(connection: Connection, pool: str, ratings: Rows, names: Sequence[str] | None) -> AgentRows:
    """Ratings with the domains, counts and models of their agents; of all agents if ``names`` is None."""
    return AgentRows(
        standings=ratings,
        domains=sorted(_TRACKS.rows(connection, pool, names), key=itemgetter(1)),
        counted=_TALLIES.rows(connection, pool, names),
        models=_MODELS.rows(connection, pool, names),
    )
