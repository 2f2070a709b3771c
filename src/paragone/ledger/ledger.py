"""The door to the ledger. Each method is one transaction; what it does lives in the module that it names."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from paragone.domain import (
    Adjustment,
    Comparison,
    DebateTurn,
    EvidenceKind,
    Item,
    ItemKind,
    Match,
    Rating,
    RatingChange,
    RatingConfig,
    Review,
)
from paragone.ledger import (
    adjustments,
    chain,
    imports,
    leaderboard,
    matches,
    moves,
    pools,
    projections,
    reading,
    reviews,
)
from paragone.ledger.agent_records import Voided
from paragone.ledger.agents.agent_ledger import AgentLedger
from paragone.ledger.audits import audit
from paragone.ledger.browsing_ledger import BrowsingLedger
from paragone.ledger.bulk import Bulk
from paragone.ledger.imports import FileToImport, ImportedFile
from paragone.ledger.played import Played
from paragone.ledger.playing.tournament_ledger import TournamentLedger
from paragone.ledger.records import AuditReport, PoolRecord, RecordedAdjustment, RecordedMatch
from paragone.ledger.replays import recomputation, rollback, voiding, whatif
from paragone.ratings.replay import Replay


class Ledger(TournamentLedger, AgentLedger, BrowsingLedger):
    """An open ledger. Threads may share one; processes open their own.

    Every method may raise ``Busy`` (another process keeps the database locked), ``Unwritable`` (it cannot be read or
    written) or ``Corrupted`` (the file is damaged), besides what it says itself.

    Example:
        >>> with Ledger.open("ideas.db") as ledger:
        ...     ledger.audit().ok
        True
    """

    # Pools

    def create_pool(self, pool: str, config: RatingConfig, *, kind: ItemKind = ItemKind.TEXT) -> None:
        """Make a pool; one that is there with the same parameters stays as it is.

        Raises:
            Conflict: If it is there with others.
        """
        with self._database.write(alone=True) as connection:
            pools.create(connection, pool, config, kind, self._clock())

    def pools(self) -> tuple[PoolRecord, ...]:
        """All pools, oldest first."""
        with self._database.read() as connection:
            return pools.records(connection)

    def versions(self) -> dict[str, int]:
        """A number for each pool that grows with every write to it, whoever writes."""
        with self._database.read() as connection:
            return chain.versions(connection)

    def version(self, pool: str) -> int | None:
        """That number of one pool; None where there is none of that id."""
        with self._database.read() as connection:
            return chain.version(connection, pool)

    def pool(self, pool: str) -> PoolRecord:
        """A pool.

        Raises:
            NotFound: If there is none of that id.
        """
        with self._database.read() as connection:
            return pools.record(connection, pool)

    def pool_config(self, pool: str) -> RatingConfig:
        """How the ratings of a pool move.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return pools.record(connection, pool).config

    def add_items(self, pool: str, items: Iterable[Item]) -> None:
        """Add items to a pool; those that are there with the same text stay as they are.

        Raises:
            NotFound: If there is no such pool.
            Conflict: If one is there with another text.
            InvalidItems: If one is of another kind than the pool.
        """
        with self._database.write() as connection:
            pools.add_items(connection, pool, items, self._clock())

    def items(self, pool: str) -> tuple[Item, ...]:
        """The items of a pool, in the order in which they were added.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return pools.items(connection, pool)

    # Matches and ratings

    def record_match(self, pool: str, match: Match) -> tuple[RatingChange, ...]:
        """Record a match with the ratings it moves, all or nothing; comparisons that are not kept yet are kept too.

        Returns:
            The changes it made; for a match that is there already, those that it made then.

        Raises:
            NotFound: If there is no such pool, or it lacks one of the items.
            Conflict: If the match is there with other content, or one of its calls has another answer.
        """
        with self._database.write() as connection:
            return matches.record(connection, pool, match, self._clock())

    def bulk(self, pool: str) -> Bulk:
        """What records many matches in one transaction: the same evidence and the same ratings, in less time."""
        return Bulk(pool, self._database, self._clock)

    def begin_import(self, file: FileToImport) -> ImportedFile:
        """Find the tournament that a file of votes belongs to, or make it, and say how much of the file is there.

        Raises:
            Conflict: If the file cannot be imported there.
        """
        with self._database.write(alone=True) as connection:
            return imports.begin(connection, file, self._clock())

    def match(self, pool: str, id: str) -> RecordedMatch:
        """A match.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        with self._database.read() as connection:
            return matches.one(connection, pool, id)

    def matches(self, pool: str) -> tuple[RecordedMatch, ...]:
        """All matches of a pool, those that were rolled back too, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return matches.recorded(connection, pool)

    def each_match(self, pool: str) -> Iterator[RecordedMatch]:
        """``matches`` one after the other, of which no more than a page is in memory.

        Raises:
            NotFound: If there is no such pool.
        """
        return reading.each_match(self._database, pool)

    def comparisons(self, pool: str) -> tuple[Comparison, ...]:
        """The comparisons of the matches that stand, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return whatif.comparisons(connection, pool)

    def ratings(self, pool: str) -> dict[str, Rating]:
        """The running Elo and the record of each item of a pool, by id.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return projections.ratings(connection, pools.record(connection, pool).id)

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

    def changes(self, pool: str, item: str | None = None) -> tuple[RatingChange, ...]:
        """Every move of a rating, of all items or of one, in the order of record.

        Each begins where the one before it of the same item and track ended: compensating ones are among them, and
        adjustments and tests, which have their own id for the match's. A track that ended begins anew.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return moves.every(connection, pool, item)

    def each_turn(self, pool: str) -> Iterator[DebateTurn]:
        """The turns of all debates one after the other, in the order of record; no more than a page is in memory.

        Raises:
            NotFound: If there is no such pool.
        """
        return reading.each_turn(self._database, pool)

    def each_change(self, pool: str) -> Iterator[RatingChange]:
        """``changes`` of all items one after the other, of which no more than a page is in memory.

        Raises:
            NotFound: If there is no such pool.
        """
        return reading.each_change(self._database, pool)

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

    def rollback(self, pool: str, match: str, reason: str) -> tuple[RatingChange, ...]:
        """Void a match and move every rating to where a replay without it ends. Again, it changes nothing.

        Returns:
            The compensating changes, one for each rating that moved: the global ones, then those of domains. A rating
            in a domain of which nothing is left goes to the global one, and ends.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        with self._database.write() as connection:
            return rollback.record(connection, pool, match, reason, self._clock())

    def void(
        self, pool: str, id: str, reason: str, *, kind: EvidenceKind | None = None, also: Sequence[str] = ()
    ) -> Voided:
        """Void a piece of evidence about agents: it stays, and counts and ratings become what the rest says.

        Void evidence cannot be made to count again; record it anew under another id. Voiding it again changes nothing.

        Args:
            pool: The pool.
            id: Its id, or its reference, as ``evidence`` gives them; of a resolution its tournament.
            reason: Why.
            kind: Its kind; any where None.
            also: Other ids that it may have been recorded under.

        Raises:
            NotFound: If there is no such pool, or no such evidence; it names the nearest ids.
            Conflict: If the id means several pieces of evidence; it names the references of each.
        """
        with self._database.write() as connection:
            return voiding.record(connection, pool, (id, *also), reason, self._clock(), kind)

    # Questions to the record

    def history(
        self, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
    ) -> tuple[Match, ...]:
        """The matches that stand, less some matches and less what some judges said, in the order of record.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        with self._database.read() as connection:
            return whatif.history(connection, pool, without_matches=without_matches, without_judges=without_judges)

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

    def played(
        self, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
    ) -> Played | None:
        """``history`` as columns, for matches by the million.

        None where a match was among several items, and where there are scorecards or tests.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        with self._database.read() as connection:
            return whatif.columns(connection, pool, without_matches, without_judges)

    def ratings_if(
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

    def audit(self, pool: str | None = None, *, expect: Collection[str] = ()) -> AuditReport:
        """Check the storage and the schema; recompute the hash chain and every rating, and compare.

        Args:
            pool: The pool; all where None.
            expect: Hashes from the ``heads`` of earlier reports that were kept elsewhere. The chain must still hold
                each, as its head or further back, or it was cut off or replaced since.

        Raises:
            NotFound: If there is no such pool.
            InvalidConfig: If one of the hashes is none.
        """
        with self._database.read() as connection:
            report = audit.audit(connection, self._database.dialect, pool, expect)
            connection.rollback()  # SQLite's COMMIT would raise once more what a damaged page raised
            return report

    def rebuild(self, pool: str) -> None:
        """Drop the projections of a pool and make them again from the evidence.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.write(alone=True) as connection:
            recomputation.rebuild(connection, self._database.dialect, pool)
