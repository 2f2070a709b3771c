"""The projection of the ratings by domain, as the evidence has them."""

import itertools
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from paragone.domain import Rating
from paragone.ledger import schema
from paragone.ledger.chain import Page
from paragone.ledger.running_ratings import RECORD, rating_of
from paragone.ledger.statements import Statement, StatementForNames
from paragone.ratings.replay import Tracks

_track = schema.track_rating
_KEYS = ("pool", "item", "track")
_key_matches = [_track.c[name] == bindparam(f"of_{name}") for name in _KEYS]
_BEGIN = Statement(insert(_track).inline(), columns=[*_KEYS, *RECORD])
_SET = Statement(update(_track).where(*_key_matches).values({name: bindparam(name) for name in RECORD}))
_END = Statement(delete(_track).where(*_key_matches))
_OF_POOL = select(*_track.c["item", *RECORD, "track"]).where(_track.c.pool == bindparam("of_pool"))
_ALL = Statement(_OF_POOL)
_SOME = StatementForNames(lambda items: _OF_POOL.where(_track.c.item.in_(items)))


def every(connection: Connection, pool: str) -> Tracks:
    """The ratings of a pool's items in domains, by item and domain, in the order of these."""
    rows = _ALL.rows(connection, {"of_pool": pool})
    return dict(sorted(((rating.item, rating.track), rating) for rating in itertools.starmap(rating_of, rows)))


def some(connection: Connection, pool: str, items: Iterable[str]) -> Tracks:
    """The ratings of some items in domains."""
    rows = _SOME.rows(connection, list(dict.fromkeys(items)), {"of_pool": pool})
    return {(rating.item, rating.track): rating for rating in itertools.starmap(rating_of, rows)}


def put(page: Page, stored: Tracks, now: Tracks) -> None:
    """Have ratings written with a page: started, changed or ended.

    Args:
        page: The page.
        stored: What is stored.
        now: What is to be in its place.
    """
    pool = page.head.pool
    started = [rating for key, rating in now.items() if key not in stored]
    changed = [rating for key, rating in now.items() if key in stored and stored[key] != rating]
    ended = [rating for key, rating in stored.items() if key not in now]
    page.after.append((_BEGIN, [{**_key(pool, rating, ""), **_values(rating)} for rating in started]))
    page.after.append((_SET, [{**_key(pool, rating, "of_"), **_values(rating)} for rating in changed]))
    page.after.append((_END, [_key(pool, rating, "of_") for rating in ended]))


def replace(connection: Connection, pool: str, ratings: Tracks) -> None:
    """Forget all ratings of a pool in domains, and begin others."""
    connection.execute(delete(_track).where(_track.c.pool == pool))
    if ratings:
        _BEGIN.run(connection, [{**_key(pool, rating, ""), **_values(rating)} for rating in ratings.values()])


def _key(pool: str, rating: Rating, prefix: str) -> dict[str, Any]:
    """The key of a rating, as parameters."""
    return {f"{prefix}pool": pool, f"{prefix}item": rating.item, f"{prefix}track": rating.track}


def _values(rating: Rating) -> dict[str, Any]:
    return {name: getattr(rating, name) for name in RECORD}
