"""``ledger.ratings``: the leaderboard by running Elo, each change of a rating, adjustments, and what-ifs."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from paragone.domain import Adjustment, Rating, RatingChange, RatingConfig
from paragone.ledger import running_ratings
from paragone.ledger.evidence import adjustments, browsing, pools, rating_changes
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.records import RecordedAdjustment
from paragone.ledger.replays import whatif
from paragone.ratings.replay import Replay


class Ratings(Namespace):
    """The running ratings of pools."""

    def all(self, pool: str) -> dict[str, Rating]:
        """The running Elo and record of each item of a pool, by id.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            pools.config(connection, pool)
            return running_ratings.ratings(connection, pool)

    def by_id(self, pool: str, ids: Sequence[str]) -> dict[str, Rating]:
        """The ratings of some items by id; ids that the pool lacks are left out."""
        return self._read(running_ratings.present, pool, ids)

    def leaderboard(
        self, pool: str, *, after: int = 0, count: int = 50, below: Rating | None = None
    ) -> tuple[Rating, ...]:
        """A page of the leaderboard by running Elo, highest first.

        Args:
            pool: The pool.
            after: How many ratings to skip. They are counted, so page through a large pool by ``below``.
            count: The largest number of ratings.
            below: The last rating of the previous page; None starts at the top.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(browsing.page, pool, after=after, count=count, below=below)

    def search(self, pool: str, text: str, count: int) -> list[Rating]:
        """Ratings of the items whose id or text contains a text, in any case; highest first, at most ``count``."""
        return self._read(browsing.ratings_like, pool, text, count)

    def count_higher(self, pool: str, elo: float) -> int:
        """How many items have a higher running Elo."""
        return self.count_higher_than(pool, [elo])[elo]

    def count_higher_than(self, pool: str, elos: Iterable[float]) -> dict[float, int]:
        """How many items have a higher running Elo than each of ``elos``."""
        return self._read(browsing.higher, pool, elos)

    def latest_scores(self, pool: str, ids: Sequence[str], count: int) -> dict[str, list[float]]:
        """The scores of items in their last ``count`` matches that count, newest first, by id."""
        return self._read(browsing.latest_scores, pool, ids, count)

    def changes(self, pool: str, item: str | None = None) -> tuple[RatingChange, ...]:
        """Every rating change, of all items or of one, in the order of record.

        Each starts where the previous one of the same item and track ended. Compensating changes are included, and so
        are adjustments and tests, with their own id as the match. A track that ended starts anew.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(rating_changes.every, pool, item)

    def each_change(self, pool: str) -> Iterator[RatingChange]:
        """``changes`` of all items as an iterator that holds one page in memory.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._pages(rating_changes.page, pool)

    def changes_of_matches(self, pool: str, matches: Sequence[str]) -> list[RatingChange]:
        """The rating changes by some matches."""
        return self._read(browsing.changes_of, pool, matches)

    def adjust(self, pool: str, adjustments_: Sequence[Adjustment]) -> tuple[RatingChange, ...]:
        """Move ratings without a match, all or none; an adjustment that is already recorded changes nothing.

        Matches and adjustments apply in the order of record, also in audits, rollbacks and what-ifs. The floor and
        ceiling of the pool hold. An adjustment does not count as a match.

        Returns:
            One change per adjustment, in the given order; for one that is already recorded, the change of then. Its
            match is the adjustment's id; K, expectation and score are 0.

        Raises:
            NotFound: If there is no such pool, or it lacks one of the items.
            Conflict: If an adjustment of that id is recorded with other content.
        """
        return self._write(adjustments.record, pool, adjustments_, self._clock())

    def adjustments(self, pool: str) -> tuple[RecordedAdjustment, ...]:
        """All adjustments of a pool, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(adjustments.recorded, pool)

    def whatif(
        self,
        pool: str,
        *,
        config: RatingConfig | None = None,
        without_matches: Collection[str] = (),
        without_judges: Collection[str] = (),
    ) -> Replay:
        """A replay of matches, adjustments and tests: with other parameters, or without some matches or judges.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        return self._read(
            whatif.replayed, pool, config=config, without_matches=without_matches, without_judges=without_judges
        )

    def whatif_final(
        self,
        pool: str,
        *,
        config: RatingConfig | None = None,
        without_matches: Collection[str] = (),
        without_judges: Collection[str] = (),
    ) -> dict[str, Rating]:
        """The final ratings of ``whatif`` without the single changes; fast for millions of matches.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        return self._read(
            whatif.ratings, pool, config=config, without_matches=without_matches, without_judges=without_judges
        )
