"""Projections: the running Elo and record of each item, global and in domains."""

import itertools
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select

from paragone.domain import GLOBAL, Rating
from paragone.errors import Corrupted, NotFound
from paragone.ledger import schema
from paragone.ledger.chain import LedgerPage, Write
from paragone.ledger.chain import require as require_pool
from paragone.ledger.column_types import stored
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.statements import Projection, Statement, StatementForNames
from paragone.ratings.running_elo import Tracks

_rating, _track = schema.rating, schema.track_rating
RECORD = ("elo", "matches", "wins", "losses", "ties")
"""Columns of a rating beside its item."""


def _record(_: object, rating: Rating) -> dict[str, Any]:
    return {"item": rating.item, **{name: getattr(rating, name) for name in RECORD}}


def _track_record(_: object, rating: Rating) -> dict[str, Any]:
    return {"item": rating.item, "track": rating.track, **{name: getattr(rating, name) for name in RECORD}}


_RATINGS: Projection[str, Rating] = Projection(_rating, _record)
_TRACKS: Projection[tuple[str, str], Rating] = Projection(_track, _track_record)

_OF_POOL = select(*_rating.c["item", *RECORD]).where(_rating.c.pool == bindparam("of_pool"))
_ALL = Statement(_OF_POOL)
_SOME = StatementForNames(lambda items: _OF_POOL.where(_rating.c.item.in_(items)))

_TRACKS_OF_POOL = select(*_track.c["item", *RECORD, "track"]).where(_track.c.pool == bindparam("of_pool"))
_ALL_TRACKS = Statement(_TRACKS_OF_POOL)
_SOME_TRACKS = StatementForNames(lambda items: _TRACKS_OF_POOL.where(_track.c.item.in_(items)))


def begin(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Add the ratings of new items."""
    _RATINGS.insert(connection, pool, {rating.item: rating for rating in ratings})


def put(page: LedgerPage, before: Mapping[str, Rating], after: Mapping[str, Rating]) -> None:
    """Have global ratings written with a page.

    Args:
        page: The page.
        before: The stored ratings of the items, by id.
        after: The ratings that replace them; those of new items are added.
    """
    page.after += _RATINGS.difference(page.head.pool, before, after)


def put_tracks(page: LedgerPage, before: Tracks, after: Tracks) -> None:
    """Have ratings in domains written with a page; those that ``after`` lacks are removed."""
    page.after += _TRACKS.difference(page.head.pool, before, after)


def replace_all(
    connection: Connection, dialect: Dialect, pool: str, ratings: Mapping[str, Rating], tracks: Tracks
) -> None:
    """Delete all ratings of a pool and write others."""
    for table in (_rating, _track):
        connection.execute(delete(table).where(table.c.pool == pool))
    rows = [tuple(stored(_rating, row).values()) for row in _RATINGS.rows(pool, ratings)]
    if rows:
        dialect.insert_rows(connection, _rating, _rating.c.keys(), rows)
    _TRACKS.insert(connection, pool, tracks)


class RatingsOnPage:
    """The ratings of some items of a pool, as they are once the rows of a commit are written.

    Args:
        page: The rows of the commit; those that moved are added to them.
    """

    def __init__(self, page: LedgerPage) -> None:
        self._pool = page.head.pool
        self._stored: dict[str, Rating] = {}
        self._moved: dict[str, Rating] = {}
        self._asked: set[str] = set()
        page.projections.append(self._writes)

    @classmethod
    def on(cls, page: LedgerPage) -> "RatingsOnPage":
        """The ratings that a page knows."""
        ratings: RatingsOnPage | None = page.memory.get(cls)
        if ratings is None:
            ratings = page.memory[cls] = cls(page)
        return ratings

    def look_up(self, connection: Connection, items: Iterable[str]) -> None:
        """Read the ratings of items that are not known; ids that the pool lacks have none."""
        new = sorted(set(items) - self._asked)
        if new:
            self.learn(new, existing(connection, self._pool, new).values())

    def missing(self, items: Iterable[str]) -> list[str]:
        """Those of some items that were not looked up."""
        return [item for item in items if item not in self._asked]

    def learn(self, items: Iterable[str], ratings: Iterable[Rating]) -> None:
        """Note the stored ratings of items that were looked up."""
        self._asked.update(items)
        self._stored.update((rating.item, rating) for rating in ratings)

    def require(self, items: Iterable[str]) -> None:
        """Refuse items that have no rating.

        Raises:
            NotFound: If there is one.
        """
        require(self._pool, self._stored, items)

    def of(self, items: Iterable[str]) -> tuple[Rating, ...]:
        """The ratings of items that have one, in their order."""
        changed, stored = self._moved, self._stored
        return tuple([changed.get(item) or stored[item] for item in items])

    def move(self, ratings: Iterable[Rating]) -> None:
        """Replace ratings."""
        self._moved.update((rating.item, rating) for rating in ratings)

    def _writes(self) -> list[Write]:
        return list(_RATINGS.difference(self._pool, {item: self._stored[item] for item in self._moved}, self._moved))


def ratings(connection: Connection, pool: str) -> dict[str, Rating]:
    """The rating of each item of a pool, by id."""
    rows = _ALL.rows(connection, {"of_pool": pool})
    return {rating.item: rating for rating in itertools.starmap(rating_of, rows)}


def of_pool(connection: Connection, pool: str) -> dict[str, Rating]:
    """The running Elo and record of each item of a pool, by id.

    Raises:
        NotFound: If there is no such pool.
    """
    require_pool(connection, pool)
    return ratings(connection, pool)


def existing(connection: Connection, pool: str, items: Sequence[str]) -> dict[str, Rating]:
    """The ratings of some items by id; ids that the pool lacks are left out."""
    rows = _SOME.rows(connection, items, {"of_pool": pool})
    return {rating.item: rating for rating in itertools.starmap(rating_of, rows)}


def some(connection: Connection, pool: str, items: Iterable[str]) -> dict[str, Rating]:
    """The ratings of some items by id.

    Raises:
        NotFound: If the pool lacks one of them.
    """
    unique = sorted(set(items))
    ratings = existing(connection, pool, unique)
    require(pool, ratings, unique)
    return ratings


def tracks(connection: Connection, pool: str) -> Tracks:
    """The ratings of a pool's items in domains, by item and domain, in this order."""
    rows = _ALL_TRACKS.rows(connection, {"of_pool": pool})
    return dict(sorted(((rating.item, rating.track), rating) for rating in itertools.starmap(rating_of, rows)))


def tracks_of(connection: Connection, pool: str, items: Iterable[str]) -> Tracks:
    """The ratings of some items in domains."""
    rows = _SOME_TRACKS.rows(connection, list(dict.fromkeys(items)), {"of_pool": pool})
    return {(rating.item, rating.track): rating for rating in itertools.starmap(rating_of, rows)}


def require(pool: str, ratings: Container[str], items: Iterable[str]) -> None:
    """Refuse items that have no rating.

    Raises:
        NotFound: If there is one.
    """
    for item in items:
        if item not in ratings:
            raise NotFound(f"there is no item {item!r} in pool {pool!r}; add it first")


def rating_of(item: str, elo: float, matches: int, wins: int, losses: int, ties: int, track: str = GLOBAL) -> Rating:
    """A rating from the values of its row.

    Raises:
        Corrupted: If they cannot be one.
    """
    try:
        return Rating(item=item, elo=elo, matches=matches, wins=wins, losses=losses, ties=ties, track=track)
    except (TypeError, ValueError) as error:  # no version of paragone writes such a value
        raise Corrupted(f"the rating of {item!r} cannot be read ({error}); rebuild the projections") from error
