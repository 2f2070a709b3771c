"""Running ratings of a pool: the leaderboard, each change, adjustments, and what would be if."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from paragone.domain import (
    Adjustment,
    Rating,
    RatingChange,
    RatingConfig,
)
from paragone.ledger import (
    adjustments,
    browsing,
    leaderboard,
    moves,
    pools,
    projections,
    reading,
)
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.records import (
    RecordedAdjustment,
)
from paragone.ledger.replays import whatif
from paragone.ratings.replay import Replay


class Ratings(Namespace):
    """The running ratings of pools."""

    def all(self, pool: str) -> dict[str, Rating]:
        """The running Elo and the record of each item of a pool, by id.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return projections.ratings(connection, pools.record(connection, pool).id)

    def by_id(self, pool: str, ids: Sequence[str]) -> dict[str, Rating]:
        """The ratings of those of some items that are in the pool, by id."""
        with self._database.read() as connection:
            return browsing.some_ratings(connection, pool, ids)

    def search(self, pool: str, text: str, count: int) -> list[Rating]:
        """The ratings of items with a text in their id or their own, in any case, the highest first."""
        with self._database.read() as connection:
            return browsing.ratings_like(connection, pool, text, count)

    def leaderboard(
        self, pool: str, *, after: int = 0, count: int = 50, below: Rating | None = None
    ) -> tuple[Rating, ...]:
        """A page of the leaderboard by running Elo, the highest first.

        Args:
            pool: The pool.
            after: How many to pass over. They are counted: in a large pool, page by ``below``.
            count: How many at most.
            below: The last rating of the page before; from the top where None.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return leaderboard.page(connection, pool, after=after, count=count, below=below)

    def count_higher(self, pool: str, elo: float) -> int:
        """How many items have a higher running Elo."""
        return self.count_higher_than(pool, [elo])[elo]

    def count_higher_than(self, pool: str, elos: Iterable[float]) -> dict[float, int]:
        """How many items have a higher running Elo than each of some."""
        with self._database.read() as connection:
            return browsing.higher(connection, pool, elos)

    def latest_scores(self, pool: str, ids: Sequence[str], count: int) -> dict[str, list[float]]:
        """What items scored in the last matches that moved their rating and stand, the newest first, by id."""
        with self._database.read() as connection:
            return browsing.latest_scores(connection, pool, ids, count)

    def changes(self, pool: str, item: str | None = None) -> tuple[RatingChange, ...]:
        """Every move of a rating, of all items or of one, in the order of record.

        Each begins where the one before it of the same item and track ended: compensating ones are among them, and
        adjustments and tests, which have their own id for the match's. A track that ended begins anew.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return moves.every(connection, pool, item)

    def each_change(self, pool: str) -> Iterator[RatingChange]:
        """``changes`` of all items one after the other, of which no more than a page is in memory.

        Raises:
            NotFound: If there is no such pool.
        """
        return reading.each_change(self._database, pool)

    def changes_of_matches(self, pool: str, matches: Sequence[str]) -> list[RatingChange]:
        """What some matches did to ratings."""
        with self._database.read() as connection:
            return browsing.changes_of(connection, pool, matches)

    def adjust(self, pool: str, wanted: Sequence[Adjustment]) -> tuple[RatingChange, ...]:
        """Move ratings without a match, all or none; an adjustment that was made already changes nothing.

        Matches and adjustments count in the order in which they were recorded, in audits, rollbacks and what-ifs too.
        Floor and ceiling of the pool hold. What an adjustment moves does not count as a match.

        Returns:
            A change for each, in the order given; for one that was made already, what it came to then. It has the
            adjustment's id for its match, and a K, an expectation and a score of 0.

        Raises:
            NotFound: If there is no such pool, or it lacks one of the items.
            Conflict: If an adjustment of that id was made with other content.
        """
        with self._database.write() as connection:
            return adjustments.record(connection, pool, wanted, self._clock())

    def adjustments(self, pool: str) -> tuple[RecordedAdjustment, ...]:
        """All adjustments of a pool, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return adjustments.recorded(connection, pool)

    def whatif(
        self,
        pool: str,
        *,
        config: RatingConfig | None = None,
        without_matches: Collection[str] = (),
        without_judges: Collection[str] = (),
    ) -> Replay:
        """The ratings that ``history``, adjustments and tests come to, under the pool's configuration or another.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        with self._database.read() as connection:
            return whatif.replayed(
                connection, pool, config=config, without_matches=without_matches, without_judges=without_judges
            )

    def whatif_final(
        self,
        pool: str,
        *,
        config: RatingConfig | None = None,
        without_matches: Collection[str] = (),
        without_judges: Collection[str] = (),
    ) -> dict[str, Rating]:
        """The ratings of ``whatif`` without the record of the moves; quick for matches by the million.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        with self._database.read() as connection:
            return whatif.ratings(
                connection, pool, config=config, without_matches=without_matches, without_judges=without_judges
            )
