"""An open database: reading and writing transactions, and the seam where the driver's errors become ours."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from paragone.errors import Busy, InvalidConfig
from paragone.ledger.creation import bring_up, schema_version
from paragone.ledger.dialects import WRITES, Dialect
from paragone.ledger.schema import REVISIONS
from paragone.ledger.sqlite import SQLite

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+]+:(//|$)")


class Database:
    """A database with the ledger's tables in it."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._engine: Engine = dialect.engine()
        self._writer = self._engine.execution_options(**{WRITES: True})

    @classmethod
    def open(cls, url: str | os.PathLike[str], *, create: bool, durable: bool, patience: float) -> "Database":
        """Open a database; where there is none, make it; where it is older, migrate it.

        Raises:
            NotFound: If there is no database and ``create`` is false.
            Unwritable: If it cannot be opened or made, or is no ledger.
            NewerSchema: If a newer paragone wrote it.
            Busy: If another process keeps it locked.
            Corrupted: If the file is damaged.
        """
        dialect = dialect_for(url, durable=durable, patience=patience)
        fresh = dialect.require(create=create)
        database = cls(dialect)
        try:
            database.prepare()
        except Exception as error:
            database.close()
            if fresh and not isinstance(error, Busy):  # a busy one is being made by somebody else
                dialect.discard()
            raise
        return database

    def prepare(self) -> None:
        """See to it that the tables are there, in this version."""
        with self.read() as connection:
            if schema_version(connection) == REVISIONS[-1]:
                return
        with self.write(alone=True) as connection:
            bring_up(connection, self.dialect)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that reads one state of the database, whatever others write meanwhile."""
        with self._translated(), self.dialect.turn(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Connection]:
        """A transaction that writes; all of it is kept, or nothing.

        Args:
            alone: Whether it makes pools or tables, which one transaction at a time may do.
        """
        with self._translated(), self.dialect.turn(), self._writer.begin() as connection:
            if alone:
                self.dialect.alone(connection)
            yield connection

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self.dialect.fault(error) from error


def dialect_for(url: str | os.PathLike[str], *, durable: bool, patience: float) -> Dialect:
    """The dialect of a URL; a text that is no URL is the path of an SQLite file.

    Raises:
        InvalidConfig: If no dialect serves the URL.
    """
    text = os.fspath(url)
    if not _URL.match(text):
        return SQLite(None if text == ":memory:" else Path(text), durable=durable, patience=patience)
    try:
        parsed = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise InvalidConfig(f"{text!r} is no database URL; write sqlite:///FILE, or the path of a file") from error
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise InvalidConfig(
            f"no ledger can be kept in {parsed.drivername!r}; write sqlite:///FILE, or the path of a file"
        )
    if parsed.host is not None:
        raise InvalidConfig(f"{text!r} has two slashes where a file needs three: sqlite:///{parsed.host}")
    memory = parsed.database in (None, "", ":memory:")
    return SQLite(None if memory else Path(parsed.database or ""), durable=durable, patience=patience)
