"""``ledger.pools`` and ``ledger.items``: what holds items and matches with one set of rating parameters."""

from collections.abc import Iterable, Sequence

from paragone.domain import Item, ItemKind, RatingConfig, Review
from paragone.ledger import chain
from paragone.ledger.evidence import browsing, pools, reviews
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.records import PoolRecord


class Pools(Namespace):
    """The pools of a ledger."""

    def create(self, pool: str, config: RatingConfig, *, kind: ItemKind = ItemKind.TEXT) -> None:
        """Create a pool; nothing happens if it exists with the same parameters.

        Raises:
            Conflict: If it exists with other parameters.
        """
        self._write_alone(pools.create, pool, config, kind, self._clock())

    def all(self) -> tuple[PoolRecord, ...]:
        """All pools, oldest first."""
        return self._read(pools.records)

    def get(self, pool: str) -> PoolRecord:
        """A pool by its id.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(pools.record, pool)

    def config(self, pool: str) -> RatingConfig:
        """The rating parameters of a pool.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(pools.record, pool).config

    def version(self, pool: str) -> int | None:
        """A number that grows with every write to the pool, whoever writes; None if there is no such pool."""
        return self._read(chain.version, pool)

    def versions(self) -> dict[str, int]:
        """The version of each pool."""
        return self._read(chain.versions)


class Items(Namespace):
    """The items of pools, and their reviews."""

    def add(self, pool: str, items: Iterable[Item]) -> None:
        """Add items to a pool; an item that exists with the same text stays as it is.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If an item exists with another text.
            InvalidItems: If an item is of another kind than the pool.
        """
        self._write(pools.add_items, pool, items, self._clock())

    def all(self, pool: str) -> tuple[Item, ...]:
        """The items of a pool, in the order in which they were added.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(pools.items, pool)

    def by_id(self, pool: str, ids: Sequence[str]) -> dict[str, Item]:
        """Some items by id; ids that the pool lacks are left out."""
        return self._read(browsing.some_items, pool, ids)

    def after(self, pool: str, after: int, count: int) -> list[tuple[int, Item]]:
        """The next ``count`` items after a sequence number, in the order of record, each with its sequence number."""
        return self._read(browsing.items_after, pool, after, count)

    def count(self, pool: str) -> int:
        """The number of items in a pool."""
        return self.count_after(pool, 0)[0]

    def count_after(self, pool: str, after: int) -> tuple[int, int]:
        """The number of items after a sequence number, and the sequence number of the last.

        Nothing is ever removed, so what was counted once need not be counted again.
        """
        return self._read(browsing.items_since, pool, after)

    def have_texts(self, pool: str) -> bool:
        """Whether any item of a pool has a text that is not just its id."""
        return self._read(browsing.has_texts, pool)

    def at_share(self, pool: str, share: float) -> str | None:
        """The item at a share, from 0 to 1, of the way through a pool; None in an empty pool."""
        return self._read(browsing.item_at, pool, share)

    def record_review(self, pool: str, review: Review) -> None:
        """Record a review. It replaces the same reviewer's last review of the item, which stays on record.

        A review equal to that last one changes nothing.

        Raises:
            NotFound: If there is no such pool, or it lacks the item.
        """
        self._write(reviews.record, pool, review, self._clock())

    def reviews(self, pool: str) -> tuple[Review, ...]:
        """The last review of each item by each reviewer, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(reviews.newest, pool)

    def reviews_of(self, pool: str, item: str) -> tuple[Review, ...]:
        """The last review of one item by each reviewer, in the order of record."""
        return self._read(reviews.of_item, pool, item)
