"""The agents of a pool: their models, and the ratings from which a match or test starts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, Text, bindparam, select, type_coerce

from paragone.domain import Item, ItemKind, Rating, RatingConfig
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import of_few
from paragone.ledger.evidence import agent_evidence, pools
from paragone.ledger.evidence.agent_evidence import not_void
from paragone.ledger.running_ratings import RECORD
from paragone.ledger.statements import Statement, StatementForNames
from paragone.ratings.running_elo import Tracks

_pool, _rating, _track, _match = schema.pool, schema.rating, schema.track_rating, schema.match
_CONFIG_AND_KIND = (type_coerce(_pool.c.config, Text).label("config"), _pool.c.kind)
_POOL = Statement(select(*_CONFIG_AND_KIND).where(_pool.c.pool == bindparam("of_pool")))
_WIDTH = 1 + len(RECORD)


@dataclass(kw_only=True, slots=True)
class StartingRatings:
    """The ratings of some agents before and after new evidence; agents new to the pool start at the initial rating.

    Attributes:
        kind: The kind of the pool's items.
        config: Its rating parameters.
        recorded: The matches that are recorded already.
        stored: The stored global ratings.
        stored_tracks: The stored ratings in domains, at least in those of the evidence.
        ratings: The current global ratings.
        tracks: The current ratings in domains.
    """

    kind: ItemKind
    config: RatingConfig
    recorded: frozenset[str] = frozenset()
    stored: dict[str, Rating]
    stored_tracks: Tracks
    ratings: dict[str, Rating] = field(init=False)
    tracks: Tracks = field(init=False)

    def __post_init__(self) -> None:
        self.ratings, self.tracks = dict(self.stored), dict(self.stored_tracks)

    def enrol(self, page: LedgerPage, agents: Iterable[str]) -> None:
        """Put new agents on the page, at the initial rating.

        Raises:
            InvalidItems: If the pool does not hold agents.
        """
        fresh = [agent for agent in dict.fromkeys(agents) if agent not in self.ratings]
        if fresh:
            pools.write_items(page, [Item(id=agent, text=agent, kind=ItemKind.AGENT) for agent in fresh], self.kind)
            self.ratings.update((agent, Rating(item=agent, elo=self.config.initial)) for agent in fresh)

    def put(self, page: LedgerPage) -> None:
        """Have the ratings that changed written with a page."""
        running_ratings.put(page, self.stored, self.ratings)
        running_ratings.put_tracks(page, self.stored_tracks, self.tracks)


def of_one(
    connection: Connection, pool: str, agents: Sequence[str], *, domain: str = "", match: str = ""
) -> StartingRatings:
    """The ratings before one match or test of a few agents, by one query.

    Raises:
        NotFound: If there is no such pool.
    """
    values = {"of_pool": pool, "of_domain": domain, "of_match": match}
    rows = _before_match.rows(connection, agents, values)
    if not rows:
        raise chain.absent("pool", pool, chain.pools(connection))
    config, kind, match_seq = rows[0][:3]
    records = [row[3:] for row in rows if row[3] is not None]
    ratings = [running_ratings.rating_of(*record[:_WIDTH]) for record in records]
    tracks = [
        running_ratings.rating_of(*(record[:1] + record[_WIDTH:] + (domain,)))
        for record in records
        if record[_WIDTH] is not None
    ]
    return StartingRatings(
        kind=kind,
        config=pools.configured(config),
        recorded=frozenset([match] if match_seq is not None else ()),
        stored={rating.item: rating for rating in ratings},
        stored_tracks={(rating.item, domain): rating for rating in tracks},
    )


def of_many(
    connection: Connection, pool: str, agents: Iterable[str], *, domains: Iterable[str], matches: Sequence[str]
) -> StartingRatings:
    """The ratings before several matches.

    Raises:
        NotFound: If there is no such pool.
    """
    rows = _POOL.rows(connection, {"of_pool": pool})
    if not rows:
        raise chain.absent("pool", pool, chain.pools(connection))
    ((config, kind),) = rows
    unique, tracked = list(dict.fromkeys(agents)), frozenset(domains)
    tracks = running_ratings.tracks_of(connection, pool, unique if any(tracked) else ())
    return StartingRatings(
        kind=kind,
        config=pools.configured(config),
        recorded=agent_evidence.existing(connection, pool, _match.c.match, matches),
        stored=running_ratings.existing(connection, pool, unique),
        stored_tracks={key: rating for key, rating in tracks.items() if rating.track in tracked},
    )


@StatementForNames
def _before_match(agents: Sequence[BindParameter[str]]) -> Select[tuple[Any, ...]]:
    """A pool's parameters, a match if it is recorded, and ratings of agents, also in a domain, in one query."""
    of_agents = (_rating.c.pool == _pool.c.pool) & _rating.c.item.in_(agents)
    in_domain = (_track.c.pool == _rating.c.pool) & (_track.c.item == _rating.c.item)
    match_seq = select(_match.c.seq).where(
        _match.c.pool == bindparam("of_pool"), _match.c.match == bindparam("of_match", type_=_match.c.match.type)
    )
    return (
        select(
            *_CONFIG_AND_KIND,
            match_seq.scalar_subquery().label("there"),
            *_rating.c["item", *RECORD],
            *(_track.c[name].label(f"track_{name}") for name in RECORD),
        )
        .select_from(_pool)
        .outerjoin(_rating, of_agents)
        .outerjoin(_track, in_domain & (_track.c.track == bindparam("of_domain", type_=_track.c.track.type)))
        .where(_pool.c.pool == bindparam("of_pool", type_=_pool.c.pool.type))
    )


_item, _registration = schema.item, schema.registration
_MODEL = (
    select(_registration.c.model)
    .where(
        _registration.c.pool == bindparam("of_pool"),
        _registration.c.item == bindparam("of_item"),
        not_void(_registration),
    )
    .order_by(of_few(_registration.c.seq).desc())
    .limit(1)
)
_PRESENT = StatementForNames(
    lambda names: select(_item.c.item).where(_item.c.pool == bindparam("of_pool"), _item.c.item.in_(names))
)


def register(connection: Connection, page: LedgerPage, agent: str, model: str = "") -> None:
    """Add an agent to a pool and record its model; an empty model leaves the recorded one.

    Raises:
        NotFound: If there is no such pool.
        InvalidItems: If the pool does not hold agents.
    """
    enrol(connection, page, [agent])
    if model and connection.scalar(_MODEL, {"of_pool": page.head.pool, "of_item": agent}) != model:
        page.add(_registration, item=agent, model=model)


def enrol(connection: Connection, page: LedgerPage, names: Iterable[str]) -> list[str]:
    """Put agents that are new to the pool on a page, at the initial rating.

    Args:
        connection: A transaction that writes.
        page: A page of the pool.
        names: Ids of agents, in the order in which to add them.

    Returns:
        The new agents.

    Raises:
        InvalidItems: If the pool does not hold agents.
    """
    pool, unique = page.head.pool, list(dict.fromkeys(names))
    existing = present(connection, pool, unique)
    fresh = [name for name in unique if name not in existing]
    if fresh:
        items = [Item(id=name, text=name, kind=ItemKind.AGENT) for name in fresh]
        record = pools.record(connection, pool)
        pools.write_items(page, items, record.kind)
        pools.begin_ratings(connection, pool, items, record.config)
    return fresh


def present(connection: Connection, pool: str, names: list[str]) -> set[str]:
    """The agents among ``names`` that a pool has."""
    return {name for (name,) in _PRESENT.rows(connection, names, {"of_pool": pool})}


def names(connection: Connection, pool: str) -> list[str]:
    """The names of all agents of a pool, in the order in which they were added."""
    return list(connection.scalars(select(_item.c.item).where(_item.c.pool == pool).order_by(_item.c.seq)))
