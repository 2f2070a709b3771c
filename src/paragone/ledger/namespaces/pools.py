"""``ledger.pools`` and ``ledger.items``: what holds items and matches with one set of rating parameters."""

from collections.abc import Sequence

from sqlalchemy import select

from paragone.domain import Item, ItemKind, RatingConfig, Review
from paragone.errors import Conflict
from paragone.ledger import chain, schema
from paragone.ledger.column_types import of_few
from paragone.ledger.databases.database import Namespace, appends, glances, reads
from paragone.ledger.evidence import pools

_item, _review = schema.item, schema.review
_ITEM = _item.c["item", "kind", "text"]


class Pools(Namespace):
    """The pools of a ledger."""

    def create(self, pool: str, config: RatingConfig, *, kind: ItemKind = ItemKind.TEXT) -> None:
        """Create a pool; nothing happens if it exists with the same parameters.

        Raises:
            Conflict: If it exists with other parameters.
        """
        at = self._clock()
        with self._database.write(alone=True) as connection:
            if pool in chain.pools(connection):
                existing = pools.record(connection, pool)
                if (existing.config, existing.kind) != (config, kind):
                    raise Conflict(f"pool {pool!r} exists already, with {existing.kind} and {existing.config}")
                return
            chain.begin(connection, pool)
            with chain.appending(connection, pool, at) as page:
                pools.write(page, config, kind)

    all = reads(pools.records)
    get = reads(pools.record)
    config = reads(pools.config)
    version = glances(chain.version)
    versions = reads(chain.versions)


class Items(Namespace):
    """The items of pools, and their reviews."""

    add = appends(pools.put_items)
    all = reads(pools.items)

    def by_id(self, pool: str, ids: Sequence[str]) -> dict[str, Item]:
        """Some items by id; ids that the pool lacks are left out."""
        with self._database.read() as connection:
            rows = connection.execute(select(*_ITEM).where(_item.c.pool == pool, _item.c.item.in_(ids)))
            return {row.item: Item(id=row.item, text=row.text, kind=row.kind) for row in rows}

    def in_pools(self, item: str, pools: Sequence[str]) -> dict[str, str]:
        """The texts that an item of one id has in some pools, by pool; pools that lack it are left out."""
        query = select(_item.c.pool, _item.c.text).where(_item.c.pool.in_(pools), _item.c.item == item)
        with self._database.read() as connection:
            return {row.pool: row.text for row in connection.execute(query)}

    def after(self, pool: str, after: int, count: int) -> list[tuple[int, Item]]:
        """The next ``count`` items after a sequence number, in the order of record, each with its sequence number."""
        query = select(_item.c.seq, *_ITEM).where(_item.c.pool == pool, _item.c.seq > after)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(_item.c.seq).limit(count))
            return [(row.seq, Item(id=row.item, text=row.text, kind=row.kind)) for row in rows]

    def count(self, pool: str) -> int:
        """The number of items in a pool."""
        return self.count_after(pool, 0)[0]

    def count_after(self, pool: str, after: int) -> tuple[int, int]:
        """The number of items after a sequence number, and the sequence number of the last.

        Nothing is ever removed, so what was counted once need not be counted again.
        """
        return self._read(chain.count, _item, pool, after)

    def have_texts(self, pool: str) -> bool:
        """Whether any item of a pool has a text that is not just its id."""
        query = select(_item.c.seq).where(_item.c.pool == pool, _item.c.text != _item.c.item, _item.c.text != "")
        with self._database.read() as connection:
            return connection.execute(query.limit(1)).first() is not None

    def at_share(self, pool: str, share: float) -> str | None:
        """The item at a share, from 0 to 1, of the way through a pool; None in an empty pool."""
        seq = select(_item.c.seq).where(_item.c.pool == pool).limit(1)
        with self._database.read() as connection:  # each end by a query of its own: the index begins or ends there
            first = connection.scalar(seq.order_by(_item.c.seq))
            last = connection.scalar(seq.order_by(_item.c.seq.desc()))
            if first is None or last is None:
                return None
            at_share = _item.c.seq >= first + int(share * (last - first))
            query = select(_item.c.item).where(_item.c.pool == pool, at_share)
            return str(connection.scalar(query.order_by(_item.c.seq).limit(1)))

    def record_review(self, pool: str, review: Review) -> None:
        """Record a review. It replaces the same reviewer's last review of the item, which stays on record.

        A review equal to that last one changes nothing.

        Raises:
            NotFound: If there is no such pool, or it lacks the item.
        """
        at = self._clock()
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            pools.put_reviews(connection, page, [review])

    def reviews(self, pool: str) -> tuple[Review, ...]:
        """The last review of each item by each reviewer, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            chain.require(connection, pool)
            rows = connection.execute(select(_review).where(_review.c.pool == pool).order_by(_review.c.seq))
            return tuple(pools.latest_reviews(rows).values())

    def reviews_between(self, pool: str, after: int, before: int | None = None) -> tuple[tuple[int, Review], ...]:
        """All reviews whose sequence numbers lie between two, with these, in the order of record."""
        query = select(_review).where(_review.c.pool == pool, _review.c.seq > after).order_by(_review.c.seq)
        if before is not None:
            query = query.where(_review.c.seq < before)
        with self._database.read() as connection:
            return tuple((row.seq, pools.review_of(row)) for row in connection.execute(query))

    def reviews_of(self, pool: str, item: str) -> tuple[Review, ...]:
        """The last review of one item by each reviewer, in the order of record."""
        query = select(_review).where(_review.c.pool == pool, _review.c.item == item)
        with self._database.read() as connection:
            return tuple(pools.latest_reviews(connection.execute(query.order_by(of_few(_review.c.seq)))).values())
