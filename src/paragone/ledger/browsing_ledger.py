"""What those who look at a ledger ask of it: pages of items and matches, of pools of any size."""

from collections.abc import Iterable, Sequence

from paragone.domain import Item, Rating, RatingChange, Review
from paragone.ledger import browsing, matches, reviews
from paragone.ledger.opened import Opened
from paragone.ledger.records import Answered, RecordedMatch


class BrowsingLedger(Opened):
    """The part of a ledger's methods that shows a page at a time. Each is one transaction; a pool must be there."""

    def count_items(self, pool: str) -> int:
        """How many items a pool has."""
        return self.items_since(pool, 0)[0]

    def count_matches(self, pool: str) -> int:
        """How many matches a pool has, those that were rolled back too."""
        return self.matches_since(pool, 0)[0]

    def items_since(self, pool: str, after: int) -> tuple[int, int]:
        """How many items a pool has after a place in its record, and where the last of them is.

        What was counted once need not be counted again: nothing is ever taken away.
        """
        with self._database.read() as connection:
            return browsing.items_since(connection, pool, after)

    def matches_since(self, pool: str, after: int) -> tuple[int, int]:
        """The same of matches, those that were rolled back too."""
        with self._database.read() as connection:
            return browsing.matches_since(connection, pool, after)

    def count_rounds(self, pool: str) -> int:
        """How many rounds of a tournament were planned."""
        with self._database.read() as connection:
            return browsing.count_rounds(connection, pool)

    def some_items(self, pool: str, ids: Sequence[str]) -> dict[str, Item]:
        """Those of some items that are in the pool, by id."""
        with self._database.read() as connection:
            return browsing.some_items(connection, pool, ids)

    def has_texts(self, pool: str) -> bool:
        """Whether an item of a pool has a text beside its id."""
        with self._database.read() as connection:
            return browsing.has_texts(connection, pool)

    def items_after(self, pool: str, after: int, count: int) -> list[tuple[int, Item]]:
        """So many items from a place in the record on, in the order of record, each with its place."""
        with self._database.read() as connection:
            return browsing.items_after(connection, pool, after, count)

    def some_ratings(self, pool: str, ids: Sequence[str]) -> dict[str, Rating]:
        """The ratings of those of some items that are in the pool, by id."""
        with self._database.read() as connection:
            return browsing.some_ratings(connection, pool, ids)

    def ratings_like(self, pool: str, text: str, count: int) -> list[Rating]:
        """The ratings of items with a text in their id or their own, in any case, the highest first."""
        with self._database.read() as connection:
            return browsing.ratings_like(connection, pool, text, count)

    def higher(self, pool: str, elo: float) -> int:
        """How many items have a higher running Elo."""
        return self.higher_than_each(pool, [elo])[elo]

    def higher_than_each(self, pool: str, elos: Iterable[float]) -> dict[float, int]:
        """How many items have a higher running Elo than each of some."""
        with self._database.read() as connection:
            return browsing.higher(connection, pool, elos)

    def latest_scores(self, pool: str, ids: Sequence[str], count: int) -> dict[str, list[float]]:
        """What items scored in the last matches that moved their rating and stand, the newest first, by id."""
        with self._database.read() as connection:
            return browsing.latest_scores(connection, pool, ids, count)

    def matches_before(self, pool: str, before: int | None, count: int, item: str | None = None) -> list[RecordedMatch]:
        """So many matches from a place in the record backwards, the newest first.

        Args:
            pool: The pool.
            before: The first place that is left out; from the end where None.
            count: Matches at the most.
            item: Only those that moved the rating of this item.
        """
        with self._database.read() as connection:
            return browsing.matches_before(connection, pool, before, count, item)

    def matches_after(self, pool: str, after: int, count: int) -> list[RecordedMatch]:
        """So many matches from a place in the record on, in the order of record."""
        with self._database.read() as connection:
            return matches.page(connection, pool, after, count)[0]

    def rollbacks_after(self, pool: str, after: int) -> list[tuple[int, str]]:
        """Matches that were rolled back after a place in the record, in order, each with the place of its rollback."""
        with self._database.read() as connection:
            return browsing.rollbacks_after(connection, pool, after)

    def item_at(self, pool: str, share: float) -> str | None:
        """An item at a share, from 0 to 1, of the way through those of a pool; None where it has none."""
        with self._database.read() as connection:
            return browsing.item_at(connection, pool, share)

    def effects(self, pool: str, match: str) -> tuple[tuple[RatingChange, ...], tuple[RatingChange, ...]]:
        """What a match did to ratings, and what its rollback did; the latter empty where there was none."""
        with self._database.read() as connection:
            return browsing.effects(connection, pool, match)

    def has_match(self, pool: str, match: str) -> bool:
        """Whether a match is in a pool."""
        with self._database.read() as connection:
            return browsing.has_match(connection, pool, match)

    def answered_by(self, pool: str, beginnings: Sequence[str], after: int) -> tuple[list[Answered], int]:
        """What judges whose identities begin so were asked once and answered in matches, rolled back ones too.

        Args:
            pool: The pool.
            beginnings: Of identities.
            after: The last place of the record that is left out.

        Returns:
            The answers in the order of record, and where the record ends: what to go on after.
        """
        with self._database.read() as connection:
            return browsing.answered_by(connection, pool, beginnings, after)

    def changes_of(self, pool: str, matches: Sequence[str]) -> list[RatingChange]:
        """What some matches did to ratings."""
        with self._database.read() as connection:
            return browsing.changes_of(connection, pool, matches)

    def rollback_reason(self, pool: str, match: str) -> str:
        """Why a match was rolled back; empty where it was not."""
        with self._database.read() as connection:
            return browsing.reason(connection, pool, match)

    def reviews_of(self, pool: str, item: str) -> tuple[Review, ...]:
        """What each reviewer last said of one item, in the order in which it was said."""
        with self._database.read() as connection:
            return reviews.of_item(connection, pool, item)
