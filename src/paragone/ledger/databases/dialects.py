"""What differs between databases, and nothing else. Statements and tables are the same everywhere."""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, bindparam, column, create_mock_engine, insert, table, update

from paragone.errors import Failure
from paragone.ledger import schema
from paragone.wire.audit import Difference


class Dialect(ABC):
    """One database at one place.

    Attributes:
        location: What messages call it: a path, or a URL without its password.
        path: The file that it is; None for one in memory or on a server.
        errors: What its driver raises, where statements go past SQLAlchemy.
    """

    location: str
    path: Path | None = None
    errors: tuple[type[Exception], ...] = ()

    @abstractmethod
    def require(self, *, create: bool) -> bool:
        """Refuse a place where no ledger can be, before anything is touched.

        Returns:
            Whether nothing is there yet.

        Raises:
            NotFound: If there is no database and none is to be made.
            Unwritable: If no database can be there.
        """

    @abstractmethod
    def engine(self) -> Engine:
        """A new engine, whose driver begins no transaction by itself."""

    @abstractmethod
    def begin(self, connection: Connection, *, writes: bool) -> None:
        """Begin a transaction that may write, or one that reads one state; the first statement of each."""

    @abstractmethod
    def turn(self, *, writes: bool) -> AbstractContextManager[object]:
        """Held during each transaction, one that may write or one that reads; for databases that take one at a time.

        Raises:
            Busy: On entering, if other threads of this process held it for longer than the ledger's patience.
        """

    @abstractmethod
    def alone(self, connection: Connection) -> None:
        """Let no other transaction make pools or tables at the same time; called at the start of a writing one."""

    @abstractmethod
    def append_only(self, table: str) -> tuple[str, ...]:
        """Statements that make a table refuse UPDATE, DELETE and what else would change its rows."""

    def create_tables(self, connection: Connection) -> None:
        """Create the tables of this version, with what makes those of evidence append-only, in an empty database."""
        for statement in _create_statements(f"{connection.dialect.name}+{connection.dialect.driver}://"):
            connection.exec_driver_sql(statement)
        for evidence in schema.APPEND_ONLY:
            for statement in self.append_only(evidence.name):
                connection.exec_driver_sql(statement)
        connection.execute(insert(schema.version).values(version_num=schema.REVISIONS[-1]))

    @abstractmethod
    def damage(self, connection: Connection) -> list[Difference]:
        """What the database itself finds wrong with its storage, indexes included; the row where one is known."""

    @abstractmethod
    def wrong_schema(self, connection: Connection) -> list[Difference]:
        """Tables, columns, keys, indexes and triggers that are not what this version makes."""

    def reading_damaged(self, connection: Connection) -> AbstractContextManager[None] | None:  # noqa: ARG002
        """A block in which text that cannot be decoded is read all the same, so that its row can be named.

        None where a transaction that met an error cannot read on.
        """
        return None

    @abstractmethod
    def claim(self, tournament: str) -> AbstractContextManager[None]:
        """Hold a tournament so that nobody else runs it; given back by the system if the holder is killed.

        Raises:
            Busy: If somebody holds it.
        """

    @abstractmethod
    def is_claimed(self, connection: Connection, tournament: str) -> bool:
        """Whether somebody holds a tournament; asking takes nothing from whoever wants to hold it."""

    @abstractmethod
    def fault(self, error: Exception) -> Failure:
        """The error to raise for one of the driver's, or of the pool of connections."""

    @abstractmethod
    def discard(self) -> None:
        """Undo a creation that failed: leave nothing behind where nothing was."""

    def insert_rows(
        self, connection: Connection, into: Table, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
    ) -> None:
        """Add many rows by the shortest way that the database has.

        Args:
            connection: A transaction that writes.
            into: The table.
            names: Columns, in the order of the values; others are left empty.
            rows: Stored values, at least one row.
        """
        plain = table(into.name, *map(column, names))  # the values are in their stored form already
        connection.execute(insert(plain), [dict(zip(names, row, strict=True)) for row in rows])

    def update_rows(
        self,
        connection: Connection,
        of: Table,
        keys: Sequence[str],
        names: Sequence[str],
        rows: Sequence[tuple[Any, ...]],
    ) -> None:
        """Replace many rows by the shortest way that the database has.

        Args:
            connection: A transaction that writes.
            of: The table.
            keys: Columns that tell which row is meant; the others named are set.
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
        """Let the database take note that tables have grown a lot, where it does not see that by itself at once."""


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


_URL = re.compile(r"[A-Za-z][A-Za-z0-9+]+:(//|$)")
_PASSWORD = re.compile(r"(?s)^([^:/?#]+://[^:@/?]*):.*@")
_SECRET = re.compile(r"(?i)([?&](?:ssl)?password=)[^&]*")


def is_url(text: str) -> bool:
    """Whether a text is meant as a URL; any other is the path of a file."""
    return _URL.match(text) is not None


def without_password(url: str | os.PathLike[str]) -> str:
    """A URL as it may be shown, with ``***`` for a password; the path of a file as it is.

    A password that holds an unescaped ``@`` is hidden whole: everything up to the last one goes.
    """
    text = os.fspath(url)
    if not is_url(text):
        return text
    return _SECRET.sub(r"\1***", _PASSWORD.sub(r"\1:***@", text))
