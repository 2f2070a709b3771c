"""``ledger.pools`` and ``ledger.items``: what holds items and matches with one set of rating parameters."""

from paragone.domain import ItemKind, RatingConfig, Review
from paragone.errors import Conflict
from paragone.ledger import chain, schema
from paragone.ledger.databases.database import Namespace, appends, glances, reads
from paragone.ledger.evidence import pools


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

    by_id = reads(pools.items_by_id)
    in_pools = reads(pools.items_in_pools)
    after = reads(pools.items_after)

    def count(self, pool: str) -> int:
        """The number of items in a pool."""
        return self.count_after(pool, 0)[0]

    def count_after(self, pool: str, after: int) -> tuple[int, int]:
        """The number of items after a sequence number, and the sequence number of the last.

        Nothing is ever removed, so what was counted once need not be counted again.
        """
        return self._read(chain.count, schema.item, pool, after)

    have_texts = reads(pools.have_texts)
    at_share = reads(pools.item_at_share)

    def record_review(self, pool: str, review: Review) -> None:
        """Record a review. It replaces the same reviewer's last review of the item, which stays on record.

        A review equal to that last one changes nothing.

        Raises:
            NotFound: If there is no such pool, or it lacks the item.
        """
        at = self._clock()
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            pools.put_reviews(connection, page, [review])

    reviews = reads(pools.reviews)
    reviews_between = reads(pools.reviews_between)
    reviews_of = reads(pools.reviews_of)
