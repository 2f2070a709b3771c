"""Opening a ledger and closing it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from paragone.ledger.databases.database import Database, OneVersion


def utc_now() -> datetime:
    """The clock of ledgers: now, in UTC. Times are for readers; the order of evidence is that of its record."""
    return datetime.now(UTC)


class Opened:
    """A ledger that is open: its database, and the clock that its commits are stamped by."""

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

    @contextmanager
    def at_one_version(self) -> Iterator[Self]:
        """The ledger as it is now, for several questions whose answers belong together; others may write meanwhile.

        It is for the thread that asks for it, and holds a connection: leave it soon.
        """
        with self._database.read() as connection:
            yield type(self)(OneVersion(self._database, connection), self._clock)

    @property
    def file(self) -> Path | None:
        """The file that it is in; None for one in memory or on a server."""
        return self._database.dialect.path

    def close(self) -> None:
        """Give back files and connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
