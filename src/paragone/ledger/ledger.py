"""The door to the ledger. Each method is one transaction; what it does lives in the module that it names."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from paragone.domain import (
    Comparison,
    Item,
    ItemKind,
    Match,
    Planned,
    Ranking,
    Rating,
    RatingChange,
    RatingConfig,
    Verdict,
)
from paragone.ledger import (
    audit,
    imports,
    leaderboard,
    matches,
    pools,
    projections,
    recomputation,
    rollback,
    tournaments,
    verdicts,
    whatif,
)
from paragone.ledger.bulk import Bulk
from paragone.ledger.database import Database
from paragone.ledger.imports import FileToImport, ImportedFile
from paragone.ledger.played import Played
from paragone.ledger.records import (
    AuditReport,
    Event,
    PlannedRound,
    PoolRecord,
    RecordedMatch,
    Tally,
    TournamentRecord,
)
from paragone.ratings.replay import Replay


def utc_now() -> datetime:
    """The clock of ledgers: now, in UTC. Times are for readers; the order of evidence is that of its record."""
    return datetime.now(UTC)


class Ledger:
    """An open ledger. Threads may share one; processes open their own.

    Every method may raise ``Busy`` (another process keeps the database locked), ``Unwritable`` (it cannot be read or
    written) or ``Corrupted`` (the file is damaged), besides what it says itself.

    Example:
        >>> with Ledger.open("ideas.db") as ledger:
        ...     ledger.audit().ok
        True
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    def open(
        cls,
        url: str | os.PathLike[str],
        *,
        clock: Callable[[], datetime] = utc_now,
        create: bool = True,
        durable: bool = True,
        patience: float = 30.0,
    ) -> Self:
        """Open a ledger; make it where there is none, migrate it where it is older.

        Args:
            url: ``sqlite:///FILE``, the path of a file, ``sqlite://`` for memory, or
                ``postgresql://user:password@host/db``, which takes what it leaves out from libpq's own variables.
            clock: Gives the time that goes with each commit.
            create: Whether to make the database where there is none.
            durable: Whether each commit waits until the disk has it, and so survives a loss of power (SQLite:
                ``synchronous`` FULL or NORMAL; PostgreSQL: ``synchronous_commit`` on or off). The end of the process,
                however sudden, loses nothing that was acknowledged either way.
            patience: Seconds to wait while another process writes, and for a server to answer.

        Raises:
            NotFound: If there is no ledger and ``create`` is false.
            Unwritable: If it cannot be opened or made, or is no ledger.
            NewerSchema: If a newer paragone wrote it.
            InvalidConfig: If the URL is of no known kind.
            MissingExtra: If its driver is not installed.
        """
        return cls(Database.open(url, create=create, durable=durable, patience=patience), clock)

    def close(self) -> None:
        """Give back files and connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Tournaments

    def create_tournament(
        self, stem: str, *, settings: Mapping[str, Any], items: Sequence[Item], config: RatingConfig
    ) -> TournamentRecord:
        """Create a tournament with its pool and items; its id is made of the stem and a number.

        Raises:
            Conflict: If two items with the same id differ.
            InvalidItems: If the items are of several kinds.
        """
        with self._database.write(alone=True) as connection:
            return tournaments.create(connection, stem, settings, items, config, self._clock())

    def tournament(self, id: str | None = None) -> TournamentRecord:
        """A tournament; the newest where no id is given.

        Raises:
            NotFound: If there is none; the message names some that there are.
        """
        with self._database.read() as connection:
            return tournaments.record(connection, id)

    def tournaments(self) -> tuple[TournamentRecord, ...]:
        """All tournaments, oldest first."""
        with self._database.read() as connection:
            return tournaments.records(connection)

    def claim(self, tournament: str) -> AbstractContextManager[None]:
        """Hold a tournament while running it; given back at the end, or when the holder is killed.

        Raises:
            NotFound: If there is no such tournament.
            Busy: On entering, if another process or thread runs it now.
        """
        return self._database.dialect.claim(self.tournament(tournament).id)

    def add_event(self, tournament: str, kind: str, detail: Mapping[str, Any]) -> None:
        """Say that something happened to a tournament.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.write() as connection:
            tournaments.add_event(connection, tournament, kind, detail, self._clock())

    def events(self, tournament: str) -> tuple[Event, ...]:
        """What happened to a tournament, in order.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return tournaments.events(connection, tournament)

    def plan_round(self, tournament: str, number: int, pairings: Sequence[Planned]) -> None:
        """Keep the plan of a round; the same plan again changes nothing.

        Raises:
            NotFound: If there is no such tournament.
            Conflict: If the round has another plan.
        """
        with self._database.write() as connection:
            tournaments.plan_round(connection, tournament, number, pairings, self._clock())

    def rounds(self, tournament: str) -> tuple[PlannedRound, ...]:
        """The planned rounds of a tournament, in the order of planning.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return tournaments.rounds(connection, tournament)

    # Verdicts

    def record_verdict(self, tournament: str, answer: Comparison | Ranking, *, key: str) -> None:
        """Keep a verdict, an answer or a failure, as soon as it arrives.

        Args:
            tournament: Whose call it answers.
            answer: The call and its verdict, on two items or on several. An answered call again, with equal content,
                changes nothing; a failure is another attempt each time.
            key: What the verdict cache finds it by (S3).

        Raises:
            NotFound: If there is no such tournament, or it lacks one of the items.
            Conflict: If the call has another answer.
        """
        with self._database.write() as connection:
            verdicts.record(connection, tournament, answer, key, self._clock())

    def verdict(self, tournament: str, call: str) -> Verdict | None:
        """The answer of a call; None while it has none."""
        with self._database.read() as connection:
            return verdicts.answered(connection, tournament, call)

    def cached_verdict(self, key: str) -> Verdict | None:
        """The newest answer to the question with this key in any tournament, as its judge gave it; None without one."""
        with self._database.read() as connection:
            return verdicts.cached(connection, key)

    def tally(self, tournament: str) -> Tally:
        """What the verdicts of a tournament took.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._database.read() as connection:
            return verdicts.tally(connection, tournaments.record(connection, tournament).pool)

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
        """Every move of a rating, of all items or of one, compensating ones too, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return matches.moves(connection, pool, item)

    def rollback(self, pool: str, match: str, reason: str) -> tuple[RatingChange, ...]:
        """Void a match and move every rating to where a replay without it ends. Again, it changes nothing.

        Returns:
            The compensating changes, one for each item whose rating moved.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        with self._database.write() as connection:
            return rollback.record(connection, pool, match, reason, self._clock())

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
        """The ratings that ``history`` comes to, under the pool's configuration or another.

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
        """``history`` as columns, for matches by the million; None where a match was among several items.

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

    def audit(self, pool: str | None = None) -> AuditReport:
        """Recompute the hash chain and every rating, of one pool or of all, and compare.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return audit.audit(connection, self._database.dialect, pool)

    def rebuild(self, pool: str) -> None:
        """Drop the projections of a pool and make them again from the evidence.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.write(alone=True) as connection:
            recomputation.rebuild(connection, self._database.dialect, pool)
