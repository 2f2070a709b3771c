"""Statements put in the database's own words once, for the paths that record one match after the other.

SQLAlchemy makes the text, so that there is one set of statements for all databases. The values go past it, in their
stored form. That is for statements that write: rows that are read come quicker by way of SQLAlchemy, which remembers
their columns.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from sqlalchemy import Connection, CursorResult
from sqlalchemy.sql.expression import Executable

Together = Callable[[Connection], AbstractContextManager[object]]
TOGETHER = "paragone_together"
"""The execution option by which a dialect offers to send statements without waiting for each answer."""


class Prepared:
    """A statement.

    Args:
        statement: It, with a named parameter for each value.
        columns: What an INSERT sets, where that is not all.
    """

    def __init__(self, statement: Executable, *, columns: Iterable[str] | None = None) -> None:
        self._statement: Any = statement
        self._columns = None if columns is None else list(columns)
        self._texts: dict[str, str] = {}

    def run(self, connection: Connection, values: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> CursorResult[Any]:
        """Run it, once or once for each set of values; all are in their stored form."""
        text = self._texts.get(connection.dialect.name)
        return connection.exec_driver_sql(text or self._worded(connection), values)

    def _worded(self, connection: Connection) -> str:
        dialect: Any = connection.dialect
        named = type(dialect)(paramstyle="named") if dialect.positional else dialect
        text = str(self._statement.compile(dialect=named, column_keys=self._columns))
        self._texts[dialect.name] = text
        return text


def together(connection: Connection) -> AbstractContextManager[object]:
    """A block of statements that bring back no rows; where the database can, they are sent in one go."""
    offered: Together = connection.get_execution_options().get(TOGETHER, nullcontext)
    return offered(connection)
