"""An open database: its schema version, its transactions, and the translation of the driver's errors."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cached_property, wraps
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import URL, Connection, Engine, delete, insert, inspect, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from paragone.errors import Busy, InvalidConfig, LedgerError, NewerSchema, NotFound, Unwritable
from paragone.ledger import chain, schema
from paragone.ledger.chain import LedgerPage
from paragone.ledger.databases.committer import Command, Committer, Prepare
from paragone.ledger.databases.dialects import Dialect, is_url, without_password
from paragone.ledger.databases.sqlite import SQLite
from paragone.ledger.databases.threads import Threads
from paragone.tracing import span

P = ParamSpec("P")
T = TypeVar("T")
Row = TypeVar("Row")

PAGE = 2_000
"""Rows in memory at once while all rows of a pool are iterated over."""

_HAS_TABLES = {
    "sqlite": f"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '{schema.version.name}'",  # noqa: S608
    "postgresql": "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid) "  # noqa: S608
    f"AND relname = '{schema.version.name}'",  # to_regclass would say what it said before another made the tables
}
_REVISION = f"SELECT version_num FROM {schema.version.name}"  # noqa: S608 - a constant
"""The first queries to every ledger, as text: compiling them with SQLAlchemy would take longer than they do."""

_FORMS = "write sqlite:///FILE, the path of a file, or postgresql://user:password@host/db"


class Database:
    """A database with the ledger's tables in it.

    Args:
        dialect: Which database, and where.
        threads: Where work is done beside the caller; threads of the operating system by default.
    """

    def __init__(self, dialect: Dialect, threads: Threads | None = None) -> None:
        self.dialect = dialect
        self.threads = Threads() if threads is None else threads
        self._engine: Engine = dialect.engine()
        self._writer: Connection | None = None  # with nobody writing; see ``_kept``
        self._foreign: tuple[type[Exception], ...] = (DBAPIError, PoolTimeout, *dialect.errors)

    @classmethod
    def open(cls, url: str | os.PathLike[str], *, create: bool, durable: bool, patience: float) -> "Database":
        """Open a database; create it if there is none, migrate it if it is older.

        Raises:
            InvalidConfig: If the URL is of no known kind.
            MissingExtra: If its driver is not installed.
            NotFound: If there is no ledger and ``create`` is false.
            Unwritable: If it cannot be opened or created, or is no ledger.
            NewerSchema: If a newer paragone wrote it.
            Busy: If another process keeps it locked.
            Corrupted: If the file is damaged.
        """
        dialect = dialect_for(url, durable=durable, patience=patience)
        fresh = dialect.require(create=create) and dialect.put_whole()
        database = cls(dialect)
        try:
            database.prepare(create=create)
        except Exception as error:  # whatever went wrong, a file that was made here is not left behind
            database.close()
            if fresh and not isinstance(error, Busy):  # a busy one is being created by somebody else
                dialect.discard()
            raise
        return database

    def prepare(self, *, create: bool = True) -> None:
        """Create or migrate the tables unless they are those of this version.

        Raises:
            NotFound: If there are none and ``create`` is false.
        """
        with self._connected() as connection:
            revision = schema_version(connection)
        if revision == schema.REVISIONS[-1]:
            return
        if revision is None and not create:
            raise NotFound(f"there is no ledger in {self.dialect.location}; name another, or rank something to make it")
        with self.write(alone=True) as connection:
            _bring_up(connection, self.dialect)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that reads one state of the database; others may write meanwhile."""
        with self._translated(), self.dialect.turn(writes=False), self._begun(writes=False) as connection:
            yield connection

    @contextmanager
    def glance(self) -> Iterator[Connection]:
        """A connection for a single statement, which sees one state by itself.

        SQLite is spared BEGIN and COMMIT, which take longer than to look up a row; a server is asked as by ``read``,
        where a connection that has died is replaced.
        """
        if not self.dialect.in_process:
            with self.read() as connection:
                yield connection
            return
        with self._connected() as connection:
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """A connection of which each statement sees what is there as it begins."""
        with self._translated(), self.dialect.turn(writes=False), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self, *, alone: bool = False) -> Iterator[Connection]:
        """A transaction that writes: all of it, or nothing.

        Args:
            alone: Whether it creates pools or tables, which only one transaction at a time may do.
        """
        with span("ledger.write", {}), self._writing(alone=alone) as connection:  # ``chain`` notes what was written
            yield connection

    @contextmanager
    def _writing(self, *, alone: bool = False) -> Iterator[Connection]:
        transaction = self._kept() if self.dialect.in_process else self._begun(writes=True)
        with self._translated(), self.dialect.turn(writes=True), transaction as connection:
            if alone:
                self.dialect.alone(connection)
            yield connection

    @cached_property
    def committer(self) -> Committer:
        """Writes the entries of all threads and event loops of this process."""
        return Committer(self._writing, self.dialect, self._foreign, self.threads)

    def close(self) -> None:
        """Close all connections, once everything that was submitted is written."""
        if "committer" in self.__dict__:  # who only reads has none
            self.committer.close()
        self.release()

    def release(self) -> None:
        """Close all connections that nobody uses."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._engine.dispose()

    @contextmanager
    def _begun(self, *, writes: bool) -> Iterator[Connection]:
        """A transaction; on a new connection if the pooled one has died.

        Only BEGIN tells, so that no transaction pays for a separate ping. SQLAlchemy then drops all pooled connections,
        and since nothing has been done yet, a second attempt is safe.
        """
        with ExitStack() as open_now:
            try:
                connection = open_now.enter_context(self._beginning(writes=writes))
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                connection = open_now.enter_context(self._beginning(writes=writes))
            yield connection

    @contextmanager
    def _kept(self) -> Iterator[Connection]:
        """A transaction of the writers' own connection, in their turn: to borrow one takes as long as to insert rows.

        Who listens to the pool hears of each transaction: then each borrows.
        """
        connection, self._writer = self._writer, None
        if connection is not None and self._is_heard:
            connection.close()
            connection = None
        connection = connection or self._engine.connect()
        try:
            with connection.begin():
                self.dialect.begin(connection, writes=True)
                yield connection
        except BaseException:  # an interrupt as well: who knows in which state it is
            connection.close()  # the next writer gets another
            raise
        if self._is_heard:
            connection.close()
        else:
            self._writer = connection

    @property
    def _is_heard(self) -> bool:
        listeners: Any = self._engine.pool.dispatch
        return bool(listeners.checkout or listeners.checkin)

    @contextmanager
    def _beginning(self, *, writes: bool) -> Iterator[Connection]:
        # Not by SQLAlchemy's "begin" event: an engine with listeners looks them up for every statement.
        with self._engine.begin() as connection:
            self.dialect.begin(connection, writes=writes)
            yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._foreign as error:
            raise self.dialect.fault(error) from error


class OneVersion(Database):
    """A database in the state in which a reading transaction began.

    Args:
        database: The database.
        connection: The transaction, which stays open while this is used.
    """

    def __init__(self, database: Database, connection: Connection) -> None:
        self.dialect, self.threads, self._foreign = database.dialect, database.threads, ()
        self._connection = connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """The transaction."""
        yield self._connection

    glance = read

    @contextmanager
    def _writing(self, *, alone: bool = False) -> Iterator[Connection]:  # noqa: ARG002 - as a database has it
        """Refused: a snapshot is only read.

        Raises:
            LedgerError: Always.
        """
        raise LedgerError("nothing can be written while one version of a ledger is read")
        yield self._connection

    def close(self) -> None:
        """Nothing to do: whoever began the transaction ends it."""


class Namespace:
    """A group of a ledger's methods. Each method is one transaction.

    Args:
        database: The open database.
        clock: Gives the time that goes with each commit.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    def _read(self, query: Callable[Concatenate[Connection, P], T], *args: P.args, **options: P.kwargs) -> T:
        with self._database.read() as connection:
            return query(connection, *args, **options)

    def _append(self, pool: str, call: Command[T]) -> T:
        return self._database.committer.run(pool, call, self._clock())  # the time before waiting for others who write


def reads(query: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[Namespace, P], T]:
    """A method of a namespace that runs a query in a transaction of its own; it has the docstring of the query."""

    @wraps(query)
    def method(self: Namespace, /, *args: P.args, **options: P.kwargs) -> T:
        return self._read(query, *args, **options)

    _show_parameters(method, query, "self")
    return method


def glances(query: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[Namespace, P], T]:
    """As ``reads``, for a query that is a single statement and so needs no transaction."""

    @wraps(query)
    def method(self: Namespace, /, *args: P.args, **options: P.kwargs) -> T:
        with self._database.glance() as connection:
            return query(connection, *args, **options)

    _show_parameters(method, query, "self")
    return method


def appends(
    command: Callable[Concatenate[Connection, LedgerPage, P], T], *, prepare: Prepare | None = None
) -> Callable[Concatenate[Namespace, str, P], T]:
    """A method of a namespace that adds rows to a pool, all or none; it has the docstring of its command.

    Its first argument is the id of the pool; every method raises ``NotFound`` if there is none. Calls of several
    threads may share a transaction; one that is refused leaves nothing, and the others go on.

    Args:
        command: Puts the rows on a page, which is what one commit of the ledger writes.
        prepare: For a command that may share a page with other calls, because it knows what these put there and writes
            nothing else: looks up at once what several calls need, given the first argument of each.
    """

    @wraps(command)
    def method(self: Namespace, pool: str, /, *args: P.args, **options: P.kwargs) -> T:
        return self._append(pool, Command(command=command, arguments=args, options=options, prepare=prepare))

    _show_parameters(method, command, "self", "pool")
    method.appends = command, prepare  # type: ignore[attr-defined]  # for ``call_of``
    return method


def call_of(method: Callable[Concatenate[str, P], T], *args: P.args, **options: P.kwargs) -> Command[T]:
    """The call of a method that ``appends`` made.

    Raises:
        TypeError: If it is another method.
    """
    append = getattr(method, "appends", None)
    if append is None:
        raise TypeError(f"{getattr(method, '__qualname__', method)} cannot be submitted: it is not a single append")
    command, prepare = append
    return Command(command=command, arguments=args, options=options, prepare=prepare)


def _show_parameters(method: Callable[..., object], function: Callable[..., object], *own: str) -> None:
    """Have ``help`` show what a caller passes: the method's own parameters in place of as many of the function's."""
    inner = signature(function)
    passed = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in own]
    method.__signature__ = inner.replace(  # type: ignore[attr-defined]
        parameters=[*passed, *list(inner.parameters.values())[len(own) :]]
    )


def pages(
    query: Callable[[Connection, str, int, int], tuple[list[Row], int]],
) -> Callable[Concatenate[Namespace, str, ...], Iterator[Row]]:
    """A method of a namespace that iterates over the rows of a pool, a page in memory at a time.

    All of them, or those after a sequence number.

    Each page is a transaction of its own. Rows that are recorded meanwhile come at the end; a match that is rolled back
    meanwhile may have been yielded before. The method raises ``NotFound`` if there is no such pool.
    """

    def method(self: Namespace, pool: str, /, after: int = 0) -> Iterator[Row]:
        self._read(chain.require, pool)
        rows, last = self._read(query, pool, after, PAGE)
        while rows:
            yield from rows
            rows, last = self._read(query, pool, last, PAGE)

    return method


def schema_version(connection: Connection) -> str | None:
    """The revision of the database's tables; None if it has none of ours."""
    if not connection.exec_driver_sql(_HAS_TABLES[connection.dialect.name]).scalar():
        return None
    revision: str | None = connection.exec_driver_sql(_REVISION).scalar()
    return revision


def _bring_up(connection: Connection, dialect: Dialect) -> None:
    """Create or migrate the tables, in the open transaction.

    Those of a new database are created from ``schema`` at once, so that Alembic is only loaded if there is something to
    migrate; tests prove that both ways give the same tables.

    Raises:
        NewerSchema: If a newer paragone wrote the database.
        Unwritable: If the database is somebody else's.
    """
    revision = schema_version(connection)
    if revision is None:
        _require_empty(connection, dialect)
        dialect.create_tables(connection)
    elif revision not in schema.REVISIONS:
        raise NewerSchema(
            f"{dialect.location} was written by a newer paragone: its schema is {revision}, and this one knows "
            f"{schema.REVISIONS[-1]} at the latest; upgrade with: pip install --upgrade paragone"
        )
    elif revision != schema.REVISIONS[-1]:
        migrate(connection, dialect, revision)


def _require_empty(connection: Connection, dialect: Dialect) -> None:
    tables = inspect(connection).get_table_names()
    if tables:
        raise Unwritable(
            f"{dialect.location} is a database of something else (it has the table {tables[0]!r}); name another file"
        )


def migrate(connection: Connection, dialect: Dialect, current: str | None) -> None:
    """Take every step after a revision, in the open transaction.

    Args:
        connection: A transaction in which nobody else can create tables.
        dialect: Makes tables append-only.
        current: The revision of the database; None for an empty one.
    """
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    operations = Operations(MigrationContext.configure(connection))
    done = 0 if current is None else schema.REVISIONS.index(current) + 1
    for revision in schema.REVISIONS[done:]:
        import_module(f"paragone.ledger.databases.migrations.step_{revision}").upgrade(operations, dialect)
    connection.execute(delete(schema.version))
    connection.execute(insert(schema.version).values(version_num=schema.REVISIONS[-1]))


def dialect_for(url: str | os.PathLike[str], *, durable: bool, patience: float) -> Dialect:
    """The dialect of a URL; any other text is the path of an SQLite file.

    Raises:
        InvalidConfig: If there is no dialect for the URL.
        MissingExtra: If its driver is not installed.
    """
    text = os.fspath(url)
    if not is_url(text):
        return SQLite(None if text == ":memory:" else Path(text), durable=durable, patience=patience)
    safe_url = without_password(text)
    try:
        parsed = make_url(text)
    except (ArgumentError, ValueError):
        # Without its cause, which would show the password.
        raise InvalidConfig(f"{safe_url!r} is not a database URL; {_FORMS}") from None
    if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
        return _sqlite(parsed, safe_url, durable=durable, patience=patience)
    if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return _postgresql(parsed, text, durable=durable, patience=patience)
    raise InvalidConfig(f"no ledger can be kept in {parsed.drivername!r}; {_FORMS}")


def _sqlite(url: URL, safe_url: str, *, durable: bool, patience: float) -> Dialect:
    if url.host is not None:
        raise InvalidConfig(f"{safe_url!r} has two slashes where a file needs three: sqlite:///{url.host}")
    memory = url.database in (None, "", ":memory:")
    return SQLite(None if memory else Path(url.database or ""), durable=durable, patience=patience)


def _postgresql(url: URL, text: str, *, durable: bool, patience: float) -> Dialect:
    from paragone.ledger.databases.postgresql import PostgreSQL

    if text.partition("?")[0].count("@") > 1:
        raise InvalidConfig(f"{without_password(text)!r} has more than one @; write %40 for one in a name or password")
    return PostgreSQL(url, durable=durable, patience=patience)
