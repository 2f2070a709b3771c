"""What differs between databases. All else, statements and tables, is the same for all of them."""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, bindparam, column, create_mock_engine, insert, table, update
from sqlalchemy.engine.interfaces import Compiled
from sqlalchemy.util import LRUCache

from paragone.errors import Busy, Failure
from paragone.ledger import schema
from paragone.ledger.statements import run_all
from paragone.wire.audit import Difference


class Dialect(ABC):
    """One database at one place.

    Attributes:
        location: Its name in messages: a path, or a URL without its password.
        path: Its file; None in memory or on a server.
        patience: Seconds to wait for others who write.
        errors: What its driver raises from statements that go past SQLAlchemy.
        in_process: Whether the database is in this process, so that a statement costs less than a transaction.
        writes_pools_at_once: Whether several transactions may write at once, each to another pool.
    """

    location: str
    patience: float
    path: Path | None = None
    in_process: bool = False
    writes_pools_at_once: bool = False
    errors: tuple[type[Exception], ...] = ()

    @abstractmethod
    def require(self, *, create: bool) -> bool:
        """Refuse a place where no ledger can be, before anything is changed.

        Returns:
            Whether there is nothing yet.

        Raises:
            NotFound: If there is no database and ``create`` is false.
            Unwritable: If no database can be there.
        """

    @abstractmethod
    def engine(self) -> Engine:
        """A new engine, whose driver begins no transactions by itself."""

    @abstractmethod
    def begin(self, connection: Connection, *, writes: bool) -> None:
        """Begin a transaction, which either may write or reads one state."""

    @abstractmethod
    def turn(self, *, writes: bool) -> AbstractContextManager[object]:
        """A lock to hold during each transaction, for databases that serve only one at a time.

        Raises:
            Busy: On entering, if other threads of this process held it for longer than the ledger's patience.
        """

    def locked(self, who: str) -> Busy:
        """The error when others have been writing for too long, such as "another process has"."""
        return Busy(
            f"{self.location} is locked: {who} been writing for more than {self.patience:g} s; try again when it has "
            "finished"
        )

    @abstractmethod
    def alone(self, connection: Connection) -> None:
        """Exclude other transactions that create pools or tables; called at the start of a writing transaction."""

    @abstractmethod
    def append_only(self, table: str) -> tuple[str, ...]:
        """Statements that make a table refuse UPDATE, DELETE and whatever else would change its rows."""

    def put_whole(self) -> bool:
        """Put a new ledger where there is nothing, if that takes less than to create its tables there.

        Returns:
            Whether nobody else has made one there meanwhile.
        """
        return True

    def create_tables(self, connection: Connection) -> None:
        """Create the tables of this version, with what makes those of evidence append-only, in an empty database."""
        tables = _create_statements(f"{connection.dialect.name}+{connection.dialect.driver}://")
        refusing = [statement for evidence in schema.APPEND_ONLY for statement in self.append_only(evidence.name)]
        run_all(connection, [*tables, *dict.fromkeys(refusing)])  # some need the same function
        connection.execute(insert(schema.version).values(version_num=schema.REVISIONS[-1]))

    @abstractmethod
    def damage(self, connection: Connection) -> list[Difference]:
        """Damage that the database itself finds in its storage and indexes; with the row if it is known."""

    @abstractmethod
    def wrong_schema(self, connection: Connection) -> list[Difference]:
        """Tables, columns, keys, indexes and triggers that differ from those that this version creates."""

    def reading_damaged(self, connection: Connection) -> AbstractContextManager[None] | None:  # noqa: ARG002
        """A block in which undecodable text can be read, so that its row can be named.

        None if a transaction cannot go on reading after an error.
        """
        return None

    @abstractmethod
    def claim(self, tournament: str) -> AbstractContextManager[Callable[[], bool]]:
        """Hold a tournament so that nobody else runs it; the system releases it if the holder is killed.

        The value says whether it is still held: a server that dies releases it, too.

        Raises:
            Busy: If somebody holds it.
        """

    @abstractmethod
    def is_claimed(self, connection: Connection, tournament: str) -> bool:
        """Whether somebody holds a tournament; asking never gets in the way of somebody who claims it."""

    @abstractmethod
    def fault(self, error: Exception) -> Failure:
        """The error to raise for an error of the driver or the connection pool."""

    @abstractmethod
    def discard(self) -> None:
        """Undo a failed creation, so that nothing is left behind."""

    def insert_rows(
        self, connection: Connection, into: Table, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
    ) -> None:
        """Add many rows in the fastest way that the database has.

        Args:
            connection: A transaction that writes.
            into: The table.
            names: Columns, in the order of the values; others are left empty.
            rows: Stored values, at least one row.
        """
        plain = table(into.name, *map(column, names))  # the values are already in their stored form
        connection.execute(insert(plain), [dict(zip(names, row, strict=True)) for row in rows])

    def update_rows(
        self,
        connection: Connection,
        of: Table,
        keys: Sequence[str],
        names: Sequence[str],
        rows: Sequence[tuple[Any, ...]],
    ) -> None:
        """Update many rows in the fastest way that the database has.

        Args:
            connection: A transaction that writes.
            of: The table.
            keys: Columns that identify the row; the other ones are set.
            names: Columns, in the order of the values.
            rows: Stored values, at least one row.
        """
        plain = table(of.name, *map(column, names))
        statement = (
            update(plain)
            .where(*(plain.c[name] == bindparam(f"its_{name}") for name in keys))
            .values({name: bindparam(f"its_{name}") for name in names if name not in keys})
        )
        labels = [f"its_{name}" for name in names]
        connection.execute(statement, [dict(zip(labels, row, strict=True)) for row in rows])

    def settle(self, connection: Connection) -> None:  # noqa: B027 - most have nothing to do
        """Update the database's statistics after tables have grown a lot, if it does not do so by itself."""


@cache
def _create_statements(url: str) -> tuple[str, ...]:
    """The statements that create all tables. Compiling them takes longer than running them, so it is done once."""
    statements: list[str] = []

    def execute(statement: Any, *_: object) -> None:  # noqa: ANN401 - of no type that SQLAlchemy has made public
        statements.append(str(statement.compile(dialect=engine.dialect)))

    engine = create_mock_engine(url, execute)  # SQLAlchemy's name for one that hands statements over and runs none
    schema.metadata.create_all(engine, checkfirst=False)
    schema.version.create(engine, checkfirst=False)
    return tuple(statements)


class CompiledStatements(LRUCache[Any, Compiled]):
    """Statements that SQLAlchemy has compiled, for all engines of the process.

    Left to itself, each engine keeps its own, and compiles every statement again. Here a statement is kept by its
    structure, which holds no values, and by what its text depends on: the kind of database and the server's version.
    """

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:  # noqa: ANN401 - as SQLAlchemy's
        return super().get(_shared(key), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Compiled) -> None:
        super().__setitem__(_shared(key), compiled)


def _shared(key: tuple[Any, ...]) -> tuple[Any, ...]:
    dialect, *structure = key
    return (dialect.name, dialect.driver, dialect.paramstyle, dialect.server_version_info, *structure)


COMPILED = CompiledStatements(2_000)

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+]+:(//|$)")
_PASSWORD = re.compile(r"(?s)^([^:/?#]+://[^:@/?]*):.*@")
_SECRET = re.compile(r"(?i)([?&](?:ssl)?password=)[^&]*")


def is_url(text: str) -> bool:
    """Whether a text is a URL rather than the path of a file."""
    return _URL.match(text) is not None


def without_password(url: str | os.PathLike[str]) -> str:
    """A URL with ``***`` for its password; a path is returned as it is.

    A password with an unescaped ``@`` is hidden completely, up to the last ``@``.
    """
    text = os.fspath(url)
    if not is_url(text):
        return text
    return _SECRET.sub(r"\1***", _PASSWORD.sub(r"\1:***@", text))
