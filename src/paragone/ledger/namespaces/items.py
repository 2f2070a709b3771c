"""Items of a pool, and what people said of them."""

from collections.abc import Iterable, Sequence

from paragone.domain import (
    Item,
    Review,
)
from paragone.ledger import (
    browsing,
    pools,
    reviews,
)
from paragone.ledger.namespaces.namespace import Namespace


class Items(Namespace):
    """The items of pools, and their reviews."""

    def add(self, pool: str, items: Iterable[Item]) -> None:
        """Add items to a pool; those that are there with the same text stay as they are.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If one is there with another text.
            InvalidItems: If one is of another kind than the pool.
        """
        with self._database.write() as connection:
            pools.add_items(connection, pool, items, self._clock())

    def all(self, pool: str) -> tuple[Item, ...]:
        """The items of a pool, in the order in which they were added.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return pools.items(connection, pool)

    def by_id(self, pool: str, ids: Sequence[str]) -> dict[str, Item]:
        """Those of some items that are in the pool, by id."""
        with self._database.read() as connection:
            return browsing.some_items(connection, pool, ids)

    def after(self, pool: str, after: int, count: int) -> list[tuple[int, Item]]:
        """So many items from a place in the record on, in the order of record, each with its place."""
        with self._database.read() as connection:
            return browsing.items_after(connection, pool, after, count)

    def count(self, pool: str) -> int:
        """How many items a pool has."""
        return self.count_after(pool, 0)[0]

    def count_after(self, pool: str, after: int) -> tuple[int, int]:
        """How many items a pool has after a place in its record, and where the last of them is.

        What was counted once need not be counted again: nothing is ever taken away.
        """
        with self._database.read() as connection:
            return browsing.items_since(connection, pool, after)

    def have_texts(self, pool: str) -> bool:
        """Whether an item of a pool has a text beside its id."""
        with self._database.read() as connection:
            return browsing.has_texts(connection, pool)

    def at_share(self, pool: str, share: float) -> str | None:
        """An item at a share, from 0 to 1, of the way through those of a pool; None where it has none."""
        with self._database.read() as connection:
            return browsing.item_at(connection, pool, share)

    def record_review(self, pool: str, review: Review) -> None:
        """Keep a review; it takes the place of what the same reviewer said of the item before, which stays on record.

        The same as the last one changes nothing.

        Raises:
            NotFound: If there is no such pool, or it lacks the item.
        """
        with self._database.write() as connection:
            reviews.record(connection, pool, review, self._clock())

    def reviews(self, pool: str) -> tuple[Review, ...]:
        """What each reviewer last said of each item, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return reviews.newest(connection, pool)

    def reviews_of(self, pool: str, item: str) -> tuple[Review, ...]:
        """What each reviewer last said of one item, in the order in which it was said."""
        with self._database.read() as connection:
            return reviews.of_item(connection, pool, item)
