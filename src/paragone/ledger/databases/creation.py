"""Making the tables of a new database, and bringing those of an older one up."""

from functools import cache
from typing import Any

from sqlalchemy import Connection, create_mock_engine, insert, inspect, select

from paragone.errors import NewerSchema, Unwritable
from paragone.ledger import schema
from paragone.ledger.databases.dialects import Dialect


def schema_version(connection: Connection) -> str | None:
    """The revision of the database's tables; None if it has none of ours."""
    if not inspect(connection).has_table(schema.version.name):
        return None
    return connection.scalar(select(schema.version.c.version_num))


def bring_up(connection: Connection, dialect: Dialect) -> None:
    """Make or migrate the tables, in the transaction that is open.

    A new database is made from ``schema`` directly, so that Alembic is loaded only where there is something to
    migrate; tests prove that both ways give the same tables.

    Raises:
        NewerSchema: If a newer paragone wrote the database.
        Unwritable: If the database is somebody else's.
    """
    revision = schema_version(connection)
    if revision is None:
        _require_empty(connection, dialect)
        _make(connection, dialect)
    elif revision not in schema.REVISIONS:
        raise NewerSchema(
            f"{dialect.location} was written by a newer paragone: its schema is {revision}, and this one knows "
            f"{schema.REVISIONS[-1]} at the latest; upgrade with: pip install --upgrade paragone"
        )
    elif revision != schema.REVISIONS[-1]:
        from paragone.ledger.databases.migrations import migrate

        migrate(connection, dialect, revision)


def _require_empty(connection: Connection, dialect: Dialect) -> None:
    tables = inspect(connection).get_table_names()
    if tables:
        raise Unwritable(
            f"{dialect.location} is a database of something else (it has the table {tables[0]!r}); name another file"
        )


def _make(connection: Connection, dialect: Dialect) -> None:
    for statement in _tables(f"{connection.dialect.name}+{connection.dialect.driver}://"):
        connection.exec_driver_sql(statement)
    for table in schema.APPEND_ONLY:
        for statement in dialect.append_only(table.name):
            connection.exec_driver_sql(statement)
    connection.execute(insert(schema.version).values(version_num=schema.REVISIONS[-1]))


@cache
def _tables(url: str) -> tuple[str, ...]:
    """The statements that make all tables. To word them takes longer than to run them, so that is done once."""
    statements: list[str] = []

    def execute(statement: Any, *_: object) -> None:  # noqa: ANN401 - of no type that SQLAlchemy has made public
        statements.append(str(statement.compile(dialect=engine.dialect)))

    engine = create_mock_engine(url, execute)  # SQLAlchemy's name for one that hands statements over and runs none
    schema.metadata.create_all(engine, checkfirst=False)
    schema.version.create(engine, checkfirst=False)
    return tuple(statements)
