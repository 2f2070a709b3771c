"""The projections: the running Elo and record of each item, global and in domains, as the evidence has them."""

import itertools
from collections.abc import Container, Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from paragone.domain import GLOBAL, Rating
from paragone.errors import Corrupted, NotFound
from paragone.ledger import schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import stored
from paragone.ledger.databases.dialects import Dialect
from paragone.ledger.statements import Statement, StatementForNames
from paragone.ratings.replay import Tracks

_rating, _track = schema.rating, schema.track_rating
RECORD = ("elo", "matches", "wins", "losses", "ties")
"""Columns of a rating beside its item."""
_KEYS, _TRACK_KEYS = ("pool", "item"), ("pool", "item", "track")
_RECORD_VALUES: dict[str, Any] = {name: bindparam(name) for name in RECORD}
_IS_TRACK = [_track.c[name] == bindparam(f"of_{name}") for name in _TRACK_KEYS]

_BEGIN = Statement(insert(_rating).inline(), columns=[*_KEYS, *RECORD])
_SET = Statement(
    update(_rating)
    .where(_rating.c.pool == bindparam("of_pool"), _rating.c.item == bindparam("of_item"))
    .values(_RECORD_VALUES)
)
_RATINGS = select(*_rating.c["item", *RECORD]).where(_rating.c.pool == bindparam("of_pool"))
_ALL = Statement(_RATINGS)
_SOME = StatementForNames(lambda items: _RATINGS.where(_rating.c.item.in_(items)))

_BEGIN_TRACK = Statement(insert(_track).inline(), columns=[*_TRACK_KEYS, *RECORD])
_SET_TRACK = Statement(update(_track).where(*_IS_TRACK).values(_RECORD_VALUES))
_END_TRACK = Statement(delete(_track).where(*_IS_TRACK))
_TRACKS = select(*_track.c["item", *RECORD, "track"]).where(_track.c.pool == bindparam("of_pool"))
_ALL_TRACKS = Statement(_TRACKS)
_SOME_TRACKS = StatementForNames(lambda items: _TRACKS.where(_track.c.item.in_(items)))


def begin(connection: Connection, pool: str, ratings: Iterable[Rating]) -> None:
    """Begin the records of items that have none."""
    rows = _rows(pool, ratings)
    if rows:
        _BEGIN.run(connection, rows)


def put(page: Page, ratings: Iterable[Rating], fresh: Iterable[Rating] = ()) -> None:
    """Have the records of items written with a page: replaced, and those of fresh items begun."""
    pool = page.head.pool
    page.after.append((_BEGIN, _rows(pool, fresh)))
    page.after.append((_SET, _rows(pool, ratings, "of_")))


def put_tracks(page: Page, before: Tracks, now: Tracks) -> None:
    """Have ratings in domains written with a page: begun, changed or ended.

    Args:
        page: The page.
        before: The stored ones.
        now: What replaces them.
    """
    pool = page.head.pool
    started = [rating for key, rating in now.items() if key not in before]
    changed = [rating for key, rating in now.items() if key in before and before[key] != rating]
    ended = [rating for key, rating in before.items() if key not in now]
    page.after.append((_BEGIN_TRACK, _rows(pool, started, keys=_TRACK_KEYS)))
    page.after.append((_SET_TRACK, _rows(pool, changed, "of_", _TRACK_KEYS)))
    page.after.append((_END_TRACK, [_key(pool, rating, "of_", _TRACK_KEYS) for rating in ended]))


def replace_all(connection: Connection, dialect: Dialect, pool: str, ratings: Iterable[Rating], tracks: Tracks) -> None:
    """Delete all records of a pool and write others."""
    connection.execute(delete(_rating).where(_rating.c.pool == pool))
    rows = [tuple(stored(_rating, row).values()) for row in _rows(pool, ratings)]
    if rows:
        dialect.insert_rows(connection, _rating, _rating.c.keys(), rows)
    connection.execute(delete(_track).where(_track.c.pool == pool))
    if tracks:
        _BEGIN_TRACK.run(connection, _rows(pool, tracks.values(), keys=_TRACK_KEYS))


def ratings(connection: Connection, pool: str) -> dict[str, Rating]:
    """The rating of each item of a pool, by id."""
    rows = _ALL.rows(connection, {"of_pool": pool})
    return {rating.item: rating for rating in itertools.starmap(rating_of, rows)}


def existing(connection: Connection, pool: str, items: Sequence[str]) -> dict[str, Rating]:
    """The ratings of some items by id, without those that the pool lacks."""
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
    except (TypeError, ValueError) as error:  # nothing of ours writes such a value
        raise Corrupted(f"the rating of {item!r} cannot be read ({error}); rebuild the projections") from error


def _rows(pool: str, ratings: Iterable[Rating], prefix: str = "", keys: Sequence[str] = _KEYS) -> list[dict[str, Any]]:
    return [
        {**_key(pool, rating, prefix, keys), **{name: getattr(rating, name) for name in RECORD}} for rating in ratings
    ]


def _key(pool: str, rating: Rating, prefix: str, keys: Sequence[str]) -> dict[str, str]:
    """The key of a rating, as parameters."""
    return {f"{prefix}{name}": pool if name == "pool" else getattr(rating, name) for name in keys}
