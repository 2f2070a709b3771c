"""Pools, their items, and reviews of items."""

import itertools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Text, bindparam, select, type_coerce

from paragone.domain import Item, ItemKind, Rating, RatingConfig, Review
from paragone.errors import Conflict, Corrupted, InvalidItems
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.column_types import of_few, read
from paragone.ledger.records import PoolRecord
from paragone.ledger.statements import Statement, StatementForNames

_item, _review = schema.item, schema.review
_ITEM = _item.c["item", "kind", "text"]
_POOLS = chain.with_time(schema.pool, select(*schema.pool.c["pool", "kind", "config"]))
_RECORD = Statement(_POOLS.where(schema.pool.c.pool == bindparam("of_pool")))
_RECORDS = Statement(_POOLS.order_by(schema.commit.c.id))
_OF_POOL = select(*_ITEM).where(_item.c.pool == bindparam("of_pool"))
_ITEMS = Statement(_OF_POOL.order_by(_item.c.seq))
_SOME = StatementForNames(lambda ids: _OF_POOL.where(_item.c.item.in_(ids)))
_FEW = 500
"""When more items are added, all items of the pool are read instead of looking each up."""

_CONFIG = Statement(select(type_coerce(schema.pool.c.config, Text)).where(schema.pool.c.pool == bindparam("of_pool")))


def write(page: LedgerPage, config: RatingConfig, kind: ItemKind) -> None:
    """Put a pool on its first page."""
    page.add(schema.pool, kind=kind, config=asdict(config))


def record(connection: Connection, id: str) -> PoolRecord:
    """A pool by its id.

    Raises:
        NotFound: If there is no such pool.
    """
    for row in _RECORD.rows(connection, {"of_pool": id}):
        return _record(*row)
    raise chain.absent("pool", id, chain.pools(connection))


def _record(id: str, kind: ItemKind, config: dict[str, Any], at: datetime) -> PoolRecord:
    return PoolRecord(id=id, kind=kind, config=RatingConfig(**config), created=at)


def config(connection: Connection, id: str) -> RatingConfig:
    """The rating parameters of a pool.

    Raises:
        NotFound: If there is no such pool.
    """
    for (stored_config,) in _CONFIG.rows(connection, {"of_pool": id}):
        return configured(stored_config)
    raise chain.absent("pool", id, chain.pools(connection))


@lru_cache(maxsize=64)
def configured(text: str) -> RatingConfig:
    """A configuration from its stored form."""
    return RatingConfig(**read(schema.pool, {"config": text})["config"])


def records(connection: Connection) -> tuple[PoolRecord, ...]:
    """All pools, oldest first."""
    return tuple(itertools.starmap(_record, _RECORDS.rows(connection, {})))


def items(connection: Connection, pool: str) -> tuple[Item, ...]:
    """The items of a pool, in the order in which they were added.

    Raises:
        NotFound: If there is no such pool.
    """
    record(connection, pool)
    return tuple(_all_items(connection, pool))


def items_by_id(connection: Connection, pool: str, ids: Sequence[str]) -> dict[str, Item]:
    """Some items by id; ids that the pool lacks are left out."""
    rows = _SOME.named_rows(connection, list(dict.fromkeys(ids)), {"of_pool": pool})
    return {row.item: _item_of(row) for row in rows}


def items_in_pools(connection: Connection, item: str, pools: Sequence[str]) -> dict[str, str]:
    """The texts that an item of one id has in some pools, by pool; pools that lack it are left out."""
    query = select(_item.c.pool, _item.c.text).where(_item.c.pool.in_(pools), _item.c.item == item)
    return {row.pool: row.text for row in connection.execute(query)}


def items_after(connection: Connection, pool: str, after: int, count: int) -> list[tuple[int, Item]]:
    """The next ``count`` items after a sequence number, in the order of record, each with its sequence number."""
    query = select(_item.c.seq, *_ITEM).where(_item.c.pool == pool, _item.c.seq > after)
    return [(row.seq, _item_of(row)) for row in connection.execute(query.order_by(_item.c.seq).limit(count))]


def have_texts(connection: Connection, pool: str) -> bool:
    """Whether any item of a pool has a text that is not just its id."""
    query = select(_item.c.seq).where(_item.c.pool == pool, _item.c.text != _item.c.item, _item.c.text != "")
    return connection.execute(query.limit(1)).first() is not None


def item_at_share(connection: Connection, pool: str, share: float) -> str | None:
    """The item at a share, from 0 to 1, of the way through a pool; None in an empty pool."""
    seq = select(_item.c.seq).where(_item.c.pool == pool).limit(1)
    # Each end by a query of its own: the index begins or ends there.
    first = connection.scalar(seq.order_by(_item.c.seq))
    last = connection.scalar(seq.order_by(_item.c.seq.desc()))
    if first is None or last is None:
        return None
    query = select(_item.c.item).where(_item.c.pool == pool, _item.c.seq >= first + int(share * (last - first)))
    return str(connection.scalar(query.order_by(_item.c.seq).limit(1)))


def put_items(connection: Connection, page: LedgerPage, items: Iterable[Item]) -> list[Item]:
    """Add items to a pool; an item that exists with the same text stays as it is.

    Returns:
        The new items.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If an item exists with another text.
        InvalidItems: If an item is of another kind than the pool.
    """
    pool = page.head.pool
    pool_record, items = record(connection, pool), list(items)
    if len(items) <= _FEW:
        existing: Iterable[Item] = items_by_id(connection, pool, [item.id for item in items]).values()
    else:
        existing = _all_items(connection, pool)
    fresh = _fresh(existing, items)
    write_items(page, fresh, pool_record.kind)
    begin_ratings(connection, pool, fresh, pool_record.config)
    return fresh


def write_items(page: LedgerPage, items: Iterable[Item], kind: ItemKind) -> None:
    """Put items on a page.

    Raises:
        InvalidItems: If one is of another kind than the pool.
    """
    for item in items:
        if item.kind is not kind:
            raise InvalidItems(
                f"item {item.id!r} is of kind {item.kind}, and pool {page.head.pool!r} holds {kind} items"
            )
        page.add(_item, item=item.id, kind=item.kind, text=item.text)


def begin_ratings(connection: Connection, pool: str, fresh: Iterable[Item], config: RatingConfig) -> None:
    """Give new items their initial rating."""
    running_ratings.begin(connection, pool, [Rating(item=item.id, elo=config.initial) for item in fresh])


def distinct(items: Sequence[Item]) -> list[Item]:
    """The items, each once.

    Raises:
        Conflict: If two with the same id differ.
    """
    return _fresh((), items)


def _all_items(connection: Connection, pool: str) -> list[Item]:
    """The items of a pool in their order."""
    return list(map(_item_of, _ITEMS.named_rows(connection, {"of_pool": pool})))


def _item_of(row: Any) -> Item:  # noqa: ANN401 - a named row
    return Item(id=row.item, text=row.text, kind=row.kind)


def _fresh(existing: Iterable[Item], items: Iterable[Item]) -> list[Item]:
    by_id = {item.id: item for item in existing}
    fresh: list[Item] = []
    for item in items:
        if item.id not in by_id:
            by_id[item.id] = item
            fresh.append(item)
        elif by_id[item.id] != item:
            raise Conflict(f"item {item.id!r} already exists, with another text or kind; use another id")
    return fresh


_EVERY_REVIEW = select(_review).where(_review.c.pool == bindparam("of_pool"))
_REVIEWS = Statement(_EVERY_REVIEW.order_by(_review.c.seq))
_REVIEWS_OF = StatementForNames(
    lambda items: _EVERY_REVIEW.where(_review.c.item.in_(items)).order_by(of_few(_review.c.seq))
)
_REVIEWS_BETWEEN = Statement(
    _EVERY_REVIEW.where(_review.c.seq > bindparam("after"), _review.c.seq < bindparam("before")).order_by(_review.c.seq)
)


def put_reviews(connection: Connection, page: LedgerPage, reviews: Sequence[Review]) -> list[Review]:
    """Add reviews to a page, except those equal to the reviewer's last one of the item.

    Returns:
        Those that were added.

    Raises:
        NotFound: If one of the items is not in the pool.
    """
    pool, items = page.head.pool, sorted({review.item for review in reviews})
    running_ratings.some(connection, pool, items)
    last = _latest_reviews(_REVIEWS_OF.named_rows(connection, items, {"of_pool": pool}))
    fresh: list[Review] = []
    for review in reviews:
        key = (review.item, review.reviewer)
        if last.get(key) != review:
            page.add(_review, **_review_values(review))
            last[key] = review
            fresh.append(review)
    return fresh


def reviews(connection: Connection, pool: str) -> tuple[Review, ...]:
    """The last review of each item by each reviewer, in the order of record.

    Raises:
        NotFound: If there is no such pool.
    """
    chain.require(connection, pool)
    return tuple(_latest_reviews(_REVIEWS.named_rows(connection, {"of_pool": pool})).values())


def reviews_of(connection: Connection, pool: str, item: str) -> tuple[Review, ...]:
    """The last review of one item by each reviewer, in the order of record."""
    return tuple(_latest_reviews(_REVIEWS_OF.named_rows(connection, [item], {"of_pool": pool})).values())


def reviews_between(
    connection: Connection, pool: str, after: int, before: int | None = None
) -> tuple[tuple[int, Review], ...]:
    """All reviews whose sequence numbers lie between two, with these, in the order of record."""
    values = {"of_pool": pool, "after": after, "before": sys.maxsize if before is None else before}
    return tuple((row.seq, _review_of(row)) for row in _REVIEWS_BETWEEN.named_rows(connection, values))


def _latest_reviews(rows: Iterable[Any]) -> dict[tuple[str, str], Review]:
    """The last review of each item by each reviewer, from rows in the order of record."""
    reviews: dict[tuple[str, str], Review] = {}
    for row in rows:
        review = _review_of(row)
        reviews.pop((review.item, review.reviewer), None)  # so that the order is that of the last reviews
        reviews[review.item, review.reviewer] = review
    return reviews


def _review_values(review: Review) -> dict[str, Any]:
    return {
        "item": review.item,
        "reviewer": review.reviewer,
        "score": review.score,
        "scores": [list(pair) for pair in review.scores.items()],
        "text": review.text,
    }


def _review_of(row: Any) -> Review:  # noqa: ANN401 - a named row
    """A review from its row.

    Raises:
        Corrupted: If it is not valid.
    """
    try:
        return Review(item=row.item, reviewer=row.reviewer, score=row.score, scores=dict(row.scores), text=row.text)
    except ValueError as error:  # no version of paragone wrote such a row
        raise Corrupted(f"a review of {row.item!r} is not valid ({error}); an audit says more") from error
