"""What a match or a test finds: the ratings before it, how they move, and what is there already."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, select

from paragone.domain import Item, ItemKind, Rating, RatingConfig
from paragone.ledger import chain, pools, projections, schema, track_ratings
from paragone.ledger.chain import Page
from paragone.ledger.columns import AT_ONCE, words
from paragone.ledger.databases.prepared import Prepared, PreparedForNames
from paragone.ledger.projections import RECORD
from paragone.ratings.domain_ratings import Tracks

_pool, _rating, _track, _match = schema.pool, schema.rating, schema.track_rating, schema.match
_POOL = Prepared(select(*_pool.c["config", "kind"]).where(_pool.c.pool == bindparam("of_pool")))
_WIDTH = 1 + len(RECORD)


@dataclass(kw_only=True, slots=True)
class Before:
    """The ratings of some agents, to be moved; those that their pool does not have yet are at the initial rating.

    Attributes:
        kind: What the pool holds.
        config: How its ratings move.
        known: Of the matches that were asked for, those that are there already.
        kept: The ratings that the pool has.
        kept_tracks: And those in domains, at least in the ones that were asked for.
        ratings: Where the global ratings stand now.
        tracks: Where those in domains stand now.
    """

    kind: ItemKind
    config: RatingConfig
    known: frozenset[str] = frozenset()
    kept: dict[str, Rating]
    kept_tracks: Tracks
    ratings: dict[str, Rating] = field(init=False)
    tracks: Tracks = field(init=False)

    def __post_init__(self) -> None:
        self.ratings, self.tracks = dict(self.kept), dict(self.kept_tracks)

    def enrol(self, page: Page, agents: Iterable[str]) -> None:
        """Put agents that are not there yet on the page, at the initial rating.

        Raises:
            InvalidItems: If the pool holds something else than agents.
        """
        fresh = [agent for agent in dict.fromkeys(agents) if agent not in self.ratings]
        if fresh:
            pools.write_items(page, [Item(id=agent, text=agent, kind=ItemKind.AGENT) for agent in fresh], self.kind)
            self.ratings.update((agent, Rating(item=agent, elo=self.config.initial)) for agent in fresh)

    def put(self, page: Page) -> None:
        """Have the ratings written with a page, where they moved."""
        pool = page.head.pool
        fresh = [rating for item, rating in self.ratings.items() if item not in self.kept]
        moved = [rating for item, rating in self.ratings.items() if item in self.kept and self.kept[item] != rating]
        page.after.append((projections.BEGIN, projections.beginnings(pool, fresh)))
        page.after.append((projections.SET, projections.settings(pool, moved)))
        track_ratings.put(page, self.kept_tracks, self.tracks)


def of_one(connection: Connection, pool: str, agents: Sequence[str], *, domain: str = "", match: str = "") -> Before:
    """What one match or test of a few agents finds, by one question.

    Raises:
        NotFound: If there is no such pool.
    """
    asked = {"of_pool": words(pool), "of_domain": words(domain), "of_match": words(match)}
    rows = _standing.rows(connection, agents, asked)
    if not rows:
        raise chain.absent("pool", pool, chain.pools(connection))
    config, kind, there = rows[0][:3]
    records = [row[3:] for row in rows if row[3] is not None]
    kept = [projections.of_stored(*record[:_WIDTH]) for record in records]
    tracks = [
        projections.of_stored(*(record[:1] + record[_WIDTH:] + (words(domain),)))
        for record in records
        if record[_WIDTH] is not None
    ]
    return Before(
        kind=ItemKind(kind),
        config=pools.configured(config),
        known=frozenset([match] if there is not None else ()),
        kept={rating.item: rating for rating in kept},
        kept_tracks={(rating.item, domain): rating for rating in tracks},
    )


def of_many(
    connection: Connection, pool: str, agents: Iterable[str], *, domains: Iterable[str], matches: Sequence[str]
) -> Before:
    """What several matches find.

    Raises:
        NotFound: If there is no such pool.
    """
    rows = _POOL.rows(connection, {"of_pool": words(pool)})
    if not rows:
        raise chain.absent("pool", pool, chain.pools(connection))
    ((config, kind),) = rows
    wanted, named = list(dict.fromkeys(agents)), frozenset(domains)
    tracks = track_ratings.some(connection, pool, wanted if any(named) else ())
    return Before(
        kind=ItemKind(kind),
        config=pools.configured(config),
        known=known(connection, pool, matches),
        kept=projections.present(connection, pool, wanted),
        kept_tracks={key: rating for key, rating in tracks.items() if rating.track in named},
    )


def known(connection: Connection, pool: str, matches: Sequence[str]) -> frozenset[str]:
    """Which of some matches are recorded."""
    found: set[str] = set()
    for start in range(0, len(matches), AT_ONCE):
        named = _match.c.match.in_(matches[start : start + AT_ONCE])
        found.update(connection.scalars(select(_match.c.match).where(_match.c.pool == pool, named)))
    return frozenset(found)


@PreparedForNames
def _standing(agents: Sequence[BindParameter[str]]) -> Select[tuple[Any, ...]]:
    """A pool's configuration, whether a match is there, and the ratings of agents, in a domain too: one question."""
    theirs = (_rating.c.pool == _pool.c.pool) & _rating.c.item.in_(agents)
    in_domain = (_track.c.pool == _rating.c.pool) & (_track.c.item == _rating.c.item)
    there = select(_match.c.seq).where(
        _match.c.pool == bindparam("of_pool"), _match.c.match == bindparam("of_match", type_=_match.c.match.type)
    )
    return (
        select(
            *_pool.c["config", "kind"],
            there.scalar_subquery().label("there"),
            *_rating.c["item", *RECORD],
            *(_track.c[name].label(f"track_{name}") for name in RECORD),
        )
        .select_from(_pool)
        .outerjoin(_rating, theirs)
        .outerjoin(_track, in_domain & (_track.c.track == bindparam("of_domain", type_=_track.c.track.type)))
        .where(_pool.c.pool == bindparam("of_pool", type_=_pool.c.pool.type))
    )
