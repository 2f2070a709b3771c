"""The ledger: opening it, its namespaces, and its audit."""

import os
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from paragone.closing import Closing
from paragone.ledger.databases.database import Database, OneVersion, call_of
from paragone.ledger.databases.threads import Threads
from paragone.ledger.namespaces.matches import Matches
from paragone.ledger.namespaces.pools import Items, Pools
from paragone.ledger.namespaces.ratings import Ratings
from paragone.ledger.namespaces.tournaments import Tournaments

if TYPE_CHECKING:
    from paragone.ledger.namespaces.agents import Agents
    from paragone.ledger.namespaces.display import Images, SavedViews
    from paragone.ledger.namespaces.remote_judging import RemoteJudging
    from paragone.ledger.namespaces.text_search import Texts
    from paragone.wire.audit import Audit

P = ParamSpec("P")
T = TypeVar("T")


def utc_now() -> datetime:
    """The clock of ledgers: now, in UTC. Times are for readers; the record itself keeps the order of evidence."""
    return datetime.now(UTC)


class Ledger(Closing):
    """An open ledger. Threads may share one; processes open their own.

    Its methods are in namespaces; each call is one transaction. Every method may raise ``Busy`` (another process has
    the database locked), ``Unwritable`` (it cannot be read or written) or ``Corrupted`` (the file is damaged), besides
    the errors that it documents.

    Attributes:
        pools: Pools, which hold items and matches with one set of rating parameters.
        items: The items of pools, and reviews of them.
        matches: Matches: record, read, roll back.
        ratings: Running ratings: leaderboard, changes, adjustments, what-ifs.
        tournaments: Tournaments: rounds, events, verdicts, debates, spending.
        remote_judging: Judging by workers: questions, workers, the limits that they share.
        agents: Agents that debate: matches, tests, predictions, critiques, relations.
        images: Images that the texts of pools may show.
        texts: What was said in matches, and the texts of items, by their words.
        views: Addresses of pages that people gave names.

    Example:
        >>> with Ledger.open("ideas.db") as ledger:
        ...     ledger.audit().ok
        True
    """

    def __init__(self, database: Database, clock: Callable[[], datetime] = utc_now) -> None:
        self._database, self._clock = database, clock
        self.pools, self.items = Pools(database, clock), Items(database, clock)
        self.matches, self.ratings = Matches(database, clock), Ratings(database, clock)
        self.tournaments = Tournaments(database, clock)

    # Most commands have to do with neither agents nor workers, and what these ask takes longer to load than a board.

    @cached_property
    def agents(self) -> "Agents":
        """Agents that debate."""
        from paragone.ledger.namespaces.agents import Agents

        return Agents(self._database, self._clock)

    @cached_property
    def remote_judging(self) -> "RemoteJudging":
        """Judging by workers."""
        from paragone.ledger.namespaces.remote_judging import RemoteJudging

        return RemoteJudging(self._database, self._clock)

    @cached_property
    def images(self) -> "Images":
        """Images that the texts of pools may show."""
        from paragone.ledger.namespaces.display import Images

        return Images(self._database, self._clock)

    @cached_property
    def texts(self) -> "Texts":
        """What was said in matches, and the texts of items, by their words."""
        from paragone.ledger.namespaces.text_search import Texts

        return Texts(self._database, self._clock)

    @cached_property
    def views(self) -> "SavedViews":
        """Addresses of pages that people gave names."""
        from paragone.ledger.namespaces.display import SavedViews

        return SavedViews(self._database, self._clock)

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
        """Open a ledger; create it if it does not exist, migrate it if it is older.

        Args:
            url: ``sqlite:///FILE``, the path of a file, ``sqlite://`` for memory, or
                ``postgresql://user:password@host/db``, where libpq's own variables supply what is left out.
            clock: Gives the time that goes with each commit.
            create: Whether to create the database if it does not exist.
            durable: Whether each commit waits until it is on disk, and so survives a loss of power (SQLite:
                ``synchronous`` FULL or NORMAL; PostgreSQL: ``synchronous_commit`` on or off). The end of the process,
                however sudden, loses nothing that was acknowledged either way.
            patience: Seconds to wait while another process writes, and for a server to answer.

        Raises:
            NotFound: If there is no ledger and ``create`` is false.
            Unwritable: If it cannot be opened or created, or is not a ledger.
            NewerSchema: If a newer paragone wrote it.
            InvalidConfig: If the URL is of an unknown kind.
            MissingExtra: If its driver is not installed.
        """
        return cls(Database.open(url, create=create, durable=durable, patience=patience), clock)

    def submit(
        self, record: Callable[Concatenate[str, P], T], pool: str, /, *args: P.args, **options: P.kwargs
    ) -> Future[T]:
        """Have something recorded by another thread, with all else that waits: one transaction, one wait for the disk.

        Args:
            record: A method that adds to one pool, such as ``ledger.matches.record``.
            pool: The pool.
            args: Its other arguments.
            options: Its other arguments by name.

        Returns:
            A future, completed after the commit; it has the errors of the method.
        """
        return self._database.committer.submit(pool, call_of(record, *args, **options), self._clock())

    async def recorded(
        self, record: Callable[Concatenate[str, P], T], pool: str, /, *args: P.args, **options: P.kwargs
    ) -> T:
        """``submit`` for event loops: returns after the commit, and never waits for the disk in the loop's thread."""
        return await self._database.committer.recorded(pool, call_of(record, *args, **options), self._clock())

    @contextmanager
    def snapshot(self) -> Iterator[Self]:
        """The ledger as it is now, for several queries whose answers belong together; others may write meanwhile.

        Use it in the thread that asked for it. It holds a connection, so leave it soon.
        """
        with self._database.read() as connection:
            yield self.__class__(OneVersion(self._database, connection), self._clock)

    @property
    def threads(self) -> Threads:
        """Where its work is done beside the caller, and how to wait for what was submitted."""
        return self._database.threads

    @property
    def file(self) -> Path | None:
        """The file of the database; None in memory or on a server."""
        return self._database.dialect.path

    def audit(self, pool: str | None = None, *, expect: Collection[str] = ()) -> "Audit":
        """Check the storage and the schema; recompute the hash chain and every rating, and compare.

        Args:
            pool: The pool; all of them if None.
            expect: Hashes from the ``heads`` of earlier reports, stored elsewhere. The chain must still contain each,
                as its head or further back; otherwise it was cut off or replaced since.

        Raises:
            NotFound: If there is no such pool.
            InvalidConfig: If ``expect`` holds something that is not a hash.
        """
        from paragone.ledger import audit  # neither of them is needed to read or record

        with self._database.read() as connection:
            report = audit.audit(connection, self._database.dialect, pool, expect)
            connection.rollback()  # SQLite's COMMIT would raise again what a damaged page raised
            return report

    def rebuild(self, pool: str) -> None:
        """Delete the projections of a pool and compute them again from the evidence.

        Raises:
            NotFound: If there is no such pool.
        """
        from paragone.ledger import replays

        with self._database.write(alone=True) as connection:
            replays.rebuild(connection, self._database.dialect, pool)

    def close(self) -> None:
        """Release files and connections, once everything that was submitted is written."""
        self._database.close()
