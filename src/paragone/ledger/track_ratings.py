"""The projection of the ratings by domain, as the evidence has them."""

import itertools
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from paragone.domain import Rating
from paragone.ledger import schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import plain, words
from paragone.ledger.databases.prepared import Prepared, PreparedForNames
from paragone.ledger.projections import RECORD, of_stored
from paragone.ratings.domain_ratings import Tracks

_track = schema.track_rating
_KEYS = ("pool", "item", "track")
_named = [_track.c[name] == bindparam(f"of_{name}") for name in _KEYS]
_BEGIN = Prepared(insert(plain(_track)).inline(), columns=[*_KEYS, *RECORD])
_SET = Prepared(update(_track).where(*_named).values({name: bindparam(name) for name in RECORD}))
_END = Prepared(delete(_track).where(*_named))
_OF_POOL = select(*_track.c["item", *RECORD, "track"]).where(_track.c.pool == bindparam("of_pool"))
_ALL = Prepared(_OF_POOL)
_SOME = PreparedForNames(lambda items: _OF_POOL.where(_track.c.item.in_(items)))


def every(connection: Connection, pool: str) -> Tracks:
    """The ratings of a pool's items in domains, by item and domain, in the order of these."""
    rows = _ALL.rows(connection, {"of_pool": words(pool)})
    return dict(sorted(((rating.item, rating.track), rating) for rating in itertools.starmap(of_stored, rows)))


def some(connection: Connection, pool: str, items: Iterable[str]) -> Tracks:
    """The ratings of some items in domains."""
    rows = _SOME.rows(connection, list(dict.fromkeys(items)), {"of_pool": words(pool)})
    return {(rating.item, rating.track): rating for rating in itertools.starmap(of_stored, rows)}


def put(page: Page, there: Tracks, now: Tracks) -> None:
    """Have ratings written with a page: begun, moved or ended.

    Args:
        page: The page.
        there: What is kept.
        now: What is to be in its place.
    """
    pool = words(page.head.pool)
    begun = [rating for key, rating in now.items() if key not in there]
    moved = [rating for key, rating in now.items() if key in there and there[key] != rating]
    ended = [rating for key, rating in there.items() if key not in now]
    page.after.append((_BEGIN, [{**_key(pool, rating, ""), **_values(rating)} for rating in begun]))
    page.after.append((_SET, [{**_key(pool, rating, "of_"), **_values(rating)} for rating in moved]))
    page.after.append((_END, [_key(pool, rating, "of_") for rating in ended]))


def replace(connection: Connection, pool: str, ratings: Tracks) -> None:
    """Forget all ratings of a pool in domains, and begin others."""
    connection.execute(delete(_track).where(_track.c.pool == pool))
    if ratings:
        own = words(pool)
        _BEGIN.run(connection, [{**_key(own, rating, ""), **_values(rating)} for rating in ratings.values()])


def _key(pool: str, rating: Rating, prefix: str) -> dict[str, Any]:
    """The key of a rating in its stored form."""
    return {f"{prefix}pool": pool, f"{prefix}item": words(rating.item), f"{prefix}track": words(rating.track)}


def _values(rating: Rating) -> dict[str, Any]:
    return {name: getattr(rating, name) for name in RECORD}
