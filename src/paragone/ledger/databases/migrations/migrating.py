"""Taking the steps that a database lacks."""

from importlib import import_module

from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Connection, delete, insert

from paragone.ledger import schema
from paragone.ledger.databases.dialects import Dialect


def migrate(connection: Connection, dialect: Dialect, current: str | None) -> None:
    """Take every step after a revision, in the transaction that is open.

    Args:
        connection: A transaction that makes tables alone.
        dialect: Says how tables are made append-only.
        current: The revision that the database has; None for an empty one.
    """
    operations = Operations(MigrationContext.configure(connection))
    done = 0 if current is None else schema.REVISIONS.index(current) + 1
    for revision in schema.REVISIONS[done:]:
        import_module(f"{__package__}.step_{revision}").upgrade(operations, dialect)
    connection.execute(delete(schema.version))
    connection.execute(insert(schema.version).values(version_num=schema.REVISIONS[-1]))
