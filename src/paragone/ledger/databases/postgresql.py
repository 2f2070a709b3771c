"""PostgreSQL: one database, or one schema in it, shared by many processes and machines."""

import os
import platform
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import ceil
from typing import Any

from sqlalchemy import URL, Connection, Engine, Pool, Table, create_engine, event, text
from sqlalchemy.dialects import registry
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import NullPool, QueuePool

from paragone import extras
from paragone.errors import Busy, Conflict, Corrupted, Failure, InvalidConfig, LedgerError, Unwritable
from paragone.ledger.databases.dialects import COMPILED, Dialect, without_password
from paragone.ledger.databases.integrity import wrong_postgresql_schema
from paragone.ledger.schema import APPEND_ONLY, rating
from paragone.ledger.statements import PIPELINE
from paragone.wire.audit import Difference

_NOTHING = "nothing of it was recorded, and the same again is safe"
_LOST = ("08", "57P01", "57P02", "57P03")
_STATES: dict[str, tuple[type[Failure], str]] = {
    "25006": (Unwritable, "may only be read ({said}); name the server that takes writes, or another database"),
    "3F000": (Unwritable, "has no schema to write to ({said}); make it: CREATE SCHEMA ..."),
    "40": (Busy, "let others go first ({said}); " + _NOTHING),
    "42501": (Unwritable, "refused the user ({said}); GRANT it what it lacks, or name another user"),
    "53300": (Busy, "has no connection left ({said}); try again when others have finished"),
    "53": (Unwritable, "has run out of something ({said}); " + _NOTHING + " once there is room"),
    "54": (LedgerError, "cannot keep this ({said}); ids may have some 2,600 bytes, all else some hundred megabytes"),
    "57014": (Busy, "broke off a statement ({said}); " + _NOTHING),
    "23": (Conflict, "refused a row: {said}"),
    "XX001": (Corrupted, "is damaged ({said}); go back to a copy of it"),
    "XX002": (Corrupted, "is damaged ({said}); REINDEX DATABASE, or go back to a copy of it"),
    "XX": (Unwritable, "failed within ({said}); " + _NOTHING),
    "58": (Unwritable, "could not be read or written by the server's system ({said}); " + _NOTHING),
}
"""By SQLSTATE or a prefix of it."""

_CONNECTING = (
    ("password|authentication|no pg_hba|role .* does not exist", "name a user and password that it knows"),
    ("database .* does not exist", "make it first: createdb, or CREATE DATABASE"),
    ("too many clients|connection slots", "try again when others have finished"),
    ("timeout", "see whether the host is the right one and can be reached"),
    ("translate host name|resolve", "see whether the name of the host is right"),
    ("starting up|shutting down|recovery", "try again in a moment"),
)
_TEMPORARY = ("53", "57", "58")
_START = "start the server, or name another (a file needs none)"
_MAY_PASS = (_START, _CONNECTING[3][1], _CONNECTING[5][1])


def failure(error: Exception, location: str, patience: float) -> Failure:
    """The error to raise for an error of SQLAlchemy or the driver."""
    if isinstance(error, PoolTimeout):
        return Busy(f"{location}: all connections of this process were in use for more than {patience:g} s; try again")
    original = getattr(error, "orig", None)
    state = getattr(original, "sqlstate", None) or ""
    message_text = _message_of(original or error)
    if state == "55P03":
        return Busy(
            f"{location} is locked: somebody else has been writing for more than {patience:g} s; "
            "try again when they have finished"
        )
    if state.startswith(_LOST) or _is_lost(error):
        return Unwritable(
            f"the connection to {location} was lost ({message_text}); what was not acknowledged may be recorded or "
            "not, and "
            "the same again records nothing twice",
            temporary=True,
        )
    if not state:
        return _unreachable(location, message_text)
    kind, message = _STATES.get(state) or _STATES.get(state[:2]) or (LedgerError, "failed: {said}")
    words = f"{location} {message.format(said=message_text)}"
    return Unwritable(words, temporary=state[:2] in _TEMPORARY) if kind is Unwritable else kind(words)


def _is_lost(error: Exception) -> bool:
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _unreachable(location: str, message_text: str) -> Failure:
    remedy = next((remedy for pattern, remedy in _CONNECTING if re.search(pattern, message_text)), _START)
    words = f"{location} cannot be opened ({message_text}); {remedy}"
    if re.search("too many clients|connection slots", message_text):
        return Busy(words)
    return Unwritable(words, temporary=remedy in _MAY_PASS)


def _message_of(original: BaseException) -> str:
    """The message of the driver or the server, on one line."""
    diagnosis = getattr(original, "diag", None)
    primary, detail = getattr(diagnosis, "message_primary", None), getattr(diagnosis, "message_detail", None)
    message_text = ": ".join(part for part in (primary, detail) if part) or str(original)
    return " ".join(message_text.split()).rstrip(".")


_SECRETS = ("password", "sslpassword")
_MANY = 1000
"""The number of rows for which COPY is faster."""
_AT_ONCE = 20
"""Connections per ledger; more threads wait for each other instead of hitting the server's limit."""

_SESSION = """
SELECT set_config('lock_timeout', %(patience)s, false),
       set_config('extra_float_digits', '1', false),
       set_config('synchronous_commit', CASE WHEN NOT %(durable)s THEN 'off'
           WHEN current_setting('synchronous_commit') = 'off' THEN 'on'
           ELSE current_setting('synchronous_commit') END, false)
"""
"""With ``extra_float_digits`` at 0, which a server may be set to, floats come back rounded and hashes would differ."""

_KEY = "hashtextextended(concat_ws(' ', 'paragone', current_schema(), CAST(:name AS text)), 0)"
_ALONE = text(f"SELECT pg_advisory_xact_lock({_KEY})")
_CLAIM = text(
    f"SELECT pg_try_advisory_lock({_KEY}), set_config('application_name', CAST(:holder AS text), false), "
    "set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false), "
    "set_config('tcp_keepalives_count', '3', false)"  # a holder whose machine is gone is noticed within a minute
)
_HELD = text("SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid()")
_HOLDER = text(
    "SELECT activity.application_name FROM (SELECT " + _KEY + " AS key) AS wanted "  # noqa: S608 - a constant
    "JOIN pg_locks AS held ON held.locktype = 'advisory' AND held.granted AND held.objsubid = 1 "
    "AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND (CAST(held.classid AS bigint) << 32 | CAST(held.objid AS bigint)) = wanted.key "
    "JOIN pg_stat_activity AS activity USING (pid)"
)

_REFUSE = """
CREATE OR REPLACE FUNCTION paragone_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation',
        MESSAGE = TG_TABLE_NAME || ' is append-only: ' || TG_OP || ' refused';
END $$
"""


class PostgreSQL(Dialect):
    """A ledger in PostgreSQL.

    Args:
        url: ``postgresql://user:password@host/db``; libpq supplies what is left out from its own variables and files.
        durable: Whether each commit waits until the server has it on disk (``synchronous_commit``). If not, a crash of
            the server may lose the last transactions, but never part of one; the end of this process loses nothing.
        patience: Seconds to wait for a connection, and for others who write.

    Raises:
        MissingExtra: If psycopg is not installed.
        InvalidConfig: If the URL has an unknown option.
    """

    writes_pools_at_once = True

    def __init__(self, url: URL, *, durable: bool, patience: float) -> None:
        self.location = without_password(url.render_as_string(hide_password=False))
        self._url = _address(url)
        self._durable = durable
        self.patience = patience
        self._options = self._connection_options(url)

    def _connection_options(self, url: URL) -> dict[str, Any]:
        hidden = {name: url.query[name] for name in _SECRETS if name in url.query}
        defaults = {
            "connect_timeout": max(2, ceil(self.patience)),
            "fallback_application_name": _holder(),
            "keepalives_idle": 30,  # a lost server is noticed within a minute
            "keepalives_interval": 10,
            "keepalives_count": 3,
        }
        applied_defaults = {name: value for name, value in defaults.items() if name not in url.query}
        options = {**applied_defaults, **hidden, "client_encoding": "utf8"}
        _require_valid({**self._url.query, **options}, self.location)
        # psycopg begins no transactions by itself: they begin only in begin()
        return {**options, "autocommit": True}

    def require(self, *, create: bool) -> bool:  # noqa: ARG002 - the tables say whether there is a ledger
        return False

    def engine(self) -> Engine:
        patience = max(self.patience, 0.001)
        return self._new_engine(QueuePool, pool_size=5, max_overflow=_AT_ONCE - 5, pool_timeout=patience)

    def _new_engine(self, pool: type[Pool], **options: Any) -> Engine:  # noqa: ANN401 - SQLAlchemy's own options
        engine = create_engine(
            self._url,
            connect_args=self._options,
            poolclass=pool,
            use_native_hstore=False,
            execution_options={PIPELINE: self._pipeline, "compiled_cache": COMPILED},
            **options,
        )
        event.listen(engine, "connect", self._connected)
        return engine

    def _connected(self, connection: Any, _: object) -> None:  # noqa: ANN401 - psycopg may be absent
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise Unwritable(
                f"{self.location} keeps text as {encoding}, which lacks characters that judges write; make a database "
                "with: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0"
            )
        patience = str(max(1, round(self.patience * 1000)))
        connection.execute(_SESSION, {"patience": patience, "durable": self._durable})

    def begin(self, connection: Connection, *, writes: bool) -> None:
        # Readers see one state. Writers see everything committed before they got the lock of a pool.
        level = "READ COMMITTED" if writes else "REPEATABLE READ READ ONLY"
        connection.exec_driver_sql(f"BEGIN ISOLATION LEVEL {level}")

    def turn(self, *, writes: bool) -> AbstractContextManager[object]:  # noqa: ARG002 - the server's locks queue
        return nullcontext()

    def alone(self, connection: Connection) -> None:
        connection.execute(_ALONE, {"name": "making"})

    def append_only(self, table: str) -> tuple[str, ...]:
        return (
            _REFUSE,
            *(
                f'CREATE TRIGGER "{table}_refuses_{verb.lower()}" BEFORE {verb} ON "{table}" '
                "FOR EACH STATEMENT EXECUTE FUNCTION paragone_refuse()"
                for verb in ("UPDATE", "DELETE", "TRUNCATE")
            ),
        )

    def wrong_schema(self, connection: Connection) -> list[Difference]:
        return wrong_postgresql_schema(connection, _REFUSE)

    def damage(self, connection: Connection) -> list[Difference]:
        message = self._damage(connection)
        return [Difference(pool="", table="", row="", message=f"the database is damaged: {message}")] if message else []

    def _damage(self, connection: Connection) -> str:
        """Pages with a wrong checksum, as far as the server has read them, and indexes that it marks as invalid."""
        pages = connection.exec_driver_sql(
            "SELECT coalesce(checksum_failures, 0) FROM pg_stat_database WHERE datname = current_database()"
        ).scalar_one()
        if pages:
            return f"{pages} pages failed their checksums (pg_stat_database)"
        index = connection.exec_driver_sql(
            "SELECT min(relname) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
            "WHERE NOT indisvalid AND relnamespace = to_regnamespace(quote_ident(current_schema()))"
        ).scalar_one()
        return "" if index is None else f"the index {index} is not valid; REINDEX INDEX {index}"

    @contextmanager
    def claim(self, tournament: str) -> Iterator[Callable[[], bool]]:
        """A lock held by a session of its own; the server releases it when the session ends, however it ends."""
        engine = self._new_engine(NullPool, isolation_level="AUTOCOMMIT", pool_reset_on_return=None)
        try:
            connection = engine.connect()
            self._hold(connection, tournament)
        except DBAPIError as error:
            raise self.fault(error) from error
        try:
            yield lambda: self._is_held(connection)
        finally:
            connection.close()

    def _is_held(self, connection: Connection) -> bool:
        """Whether its session holds its lock: one that was opened anew after the server died does not."""
        try:
            return bool(connection.execute(_HELD).scalar_one())
        except SQLAlchemyError:
            return False

    def is_claimed(self, connection: Connection, tournament: str) -> bool:
        return connection.execute(_HOLDER, {"name": f"tournament {tournament}"}).first() is not None

    def _hold(self, connection: Connection, tournament: str) -> None:
        name = f"tournament {tournament}"
        if connection.execute(_CLAIM, {"name": name, "holder": _holder()}).scalar_one():
            return
        holder = connection.execute(_HOLDER, {"name": name}).scalar()
        connection.close()
        raise Busy(
            f"tournament {tournament!r} is being run by {holder or 'somebody else'} now; wait until it ends, or stop "
            "it first"
        )

    def insert_rows(
        self, connection: Connection, into: Table, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
    ) -> None:
        if len(rows) < _MANY:
            super().insert_rows(connection, into, names, rows)
        else:
            self._copy(connection, into.name, names, rows)

    def update_rows(
        self,
        connection: Connection,
        of: Table,
        keys: Sequence[str],
        names: Sequence[str],
        rows: Sequence[tuple[Any, ...]],
    ) -> None:
        """Many rows are copied into a temporary table, from which one statement updates all of them."""
        if len(rows) < _MANY:
            super().update_rows(connection, of, keys, names, rows)
            return
        passing = f"paragone_new_{of.name}"
        connection.exec_driver_sql(
            f'CREATE TEMPORARY TABLE IF NOT EXISTS "{passing}" (LIKE "{of.name}") ON COMMIT DELETE ROWS'
        )
        connection.exec_driver_sql(f'DELETE FROM "{passing}"')  # noqa: S608 - rows of an earlier batch
        self._copy(connection, passing, names, rows)
        values = ", ".join(f'"{name}" = new."{name}"' for name in names if name not in keys)
        same = " AND ".join(f'old."{name}" = new."{name}"' for name in keys)
        statement = f'UPDATE "{of.name}" AS old SET {values} FROM "{passing}" AS new WHERE {same}'  # noqa: S608
        connection.exec_driver_sql(statement)

    def settle(self, connection: Connection) -> None:
        """Update statistics: without them, queries over millions of new rows are planned as if there were none."""
        tables = ", ".join(f'"{table.name}"' for table in (*APPEND_ONLY, rating))
        connection.exec_driver_sql(f"ANALYZE {tables}")

    @contextmanager
    def _pipeline(self, connection: Connection) -> Iterator[None]:
        """Statements in psycopg's pipeline: one round trip for all of them, and the first error at its end."""
        from psycopg import Error

        driver: Any = connection.connection.driver_connection
        try:
            with driver.pipeline():
                yield
        except Error as error:  # as in _copy
            raise self._foreign("a pipeline", error, connection) from error

    def _foreign(self, doing: str, error: Exception, connection: Connection) -> Failure:
        """The error to raise for a driver's error that SQLAlchemy did not see."""
        driver: Any = connection.connection.driver_connection
        lost = bool(driver.closed)
        if lost:
            connection.invalidate(error)
        return self.fault(DBAPIError(doing, None, error, connection_invalidated=lost))

    def _copy(self, connection: Connection, into: str, names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        from psycopg import Error

        columns = ", ".join(f'"{name}"' for name in names)
        driver: Any = connection.connection.driver_connection
        try:
            with driver.cursor() as cursor, cursor.copy(f'COPY "{into}" ({columns}) FROM STDIN') as copy:
                for row in rows:
                    copy.write_row(row)
        except Error as error:  # COPY goes past SQLAlchemy, which translates nothing
            raise self._foreign(f"COPY {into}", error, connection) from error

    def fault(self, error: Exception) -> Failure:
        return failure(error, self.location, self.patience)

    def discard(self) -> None:
        """Nothing to do: tables are created in a transaction."""


def _address(url: URL) -> URL:
    """The URL for SQLAlchemy, whose messages hide the password proper but not one among the options."""
    return url.set(drivername="postgresql+paragone").difference_update_query(_SECRETS)


registry.register("postgresql.paragone", "paragone.ledger.databases.server_dialect", "ServerDialect")


def _require_valid(options: dict[str, Any], location: str) -> None:
    with extras.importing("a ledger in PostgreSQL needs", "psycopg"):
        from psycopg import ProgrammingError
        from psycopg.conninfo import make_conninfo
    try:
        make_conninfo(**options)
    except ProgrammingError as error:
        raise InvalidConfig(f"{location}: {str(error).strip()}; write postgresql://user:password@host/db") from None


def _holder() -> str:
    """The name of this process in the messages of others who wait; the server truncates it to 63 bytes."""
    return f"process {os.getpid()} on {platform.node()}"
