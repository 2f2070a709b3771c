"""Statements put in the database's own words once, for the paths that are taken again and again.

SQLAlchemy makes the text, so that there is one set of statements for all databases. Values go past it in their stored
form, and rows come back as they lie in the database: where a match is recorded in a fraction of a millisecond, most of
SQLAlchemy's own way would be its care for statements that it has not seen before. What differs between databases is how
a statement reaches the driver; a dialect that offers its driver itself is served at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam
from sqlalchemy.sql.expression import Executable

from paragone.ledger.columns import AT_ONCE, Words, words

Together = Callable[[Connection], AbstractContextManager[object]]
TOGETHER = "paragone_together"
"""The execution option by which a dialect offers to send statements without waiting for each answer."""

Driver = Callable[[Connection], Any]
DRIVER = "paragone_driver"
"""The execution option by which a dialect offers its driver's own connection; it translates that driver's errors."""

Rows = list[tuple[Any, ...]]


class Prepared:
    """A statement.

    Args:
        statement: It, with a named parameter for each value.
        columns: What an INSERT sets, where that is not all.
    """

    def __init__(self, statement: Executable, *, columns: Iterable[str] | None = None) -> None:
        self._statement: Any = statement
        self._columns = None if columns is None else list(columns)
        self._worded: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def run(self, connection: Connection, values: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Run it, once or once for each set of values; all are in their stored form."""
        text, _ = self._words(connection)
        driver = _driver(connection)
        if driver is None:
            connection.exec_driver_sql(text, values)
        elif isinstance(values, dict):
            driver.execute(text, values)
        else:
            driver.executemany(text, values)

    def rows(self, connection: Connection, values: Mapping[str, Any]) -> Rows:
        """The rows that it brings back, as they lie in the database; so are the values."""
        text, constants = self._words(connection)
        asked = {**constants, **values}
        driver = _driver(connection)
        if driver is None:
            return list(map(tuple, connection.exec_driver_sql(text, asked)))
        found: Rows = driver.execute(text, asked).fetchall()
        return found

    def _words(self, connection: Connection) -> tuple[str, Mapping[str, Any]]:
        """The text in a database's words, and the values of its constants."""
        dialect: Any = connection.dialect
        known = self._worded.get(dialect.name)
        if known is None:
            named = type(dialect)(paramstyle="named") if dialect.positional else dialect
            compiled = self._statement.compile(dialect=named, column_keys=self._columns)
            constants = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}
            known = self._worded[dialect.name] = (str(compiled), constants)
        return known


class PreparedForNames:
    """A question about the rows of some names, however many there are.

    It is asked in a few lengths only: the last name fills a shorter list up to the next power of two.

    Args:
        about: Makes the question about so many names.
    """

    def __init__(self, about: Callable[[Sequence[BindParameter[str]]], Select[Any]]) -> None:
        self._about = about
        self._of_length = cache(self._with_names)

    def rows(self, connection: Connection, names: Sequence[str], values: Mapping[str, Any]) -> Rows:
        """The rows of the names, as they lie in the database.

        Args:
            connection: A transaction.
            names: The names as they are, each once.
            values: What else the question needs, in its stored form.
        """
        found: Rows = []
        for start in range(0, len(names), AT_ONCE):
            part = [words(name) for name in names[start : start + AT_ONCE]]
            length = min(AT_ONCE, 1 << (len(part) - 1).bit_length())
            part += part[-1:] * (length - len(part))
            named = {f"name_{place}": name for place, name in enumerate(part)}
            found += self._of_length(length).rows(connection, {**values, **named})
        return found

    def _with_names(self, length: int) -> Prepared:
        return Prepared(self._about([bindparam(f"name_{place}", type_=Words) for place in range(length)]))


def together(connection: Connection) -> AbstractContextManager[object]:
    """A block of statements that bring back no rows; where the database can, they are sent in one go."""
    offered: Together = connection.get_execution_options().get(TOGETHER, nullcontext)
    return offered(connection)


def _driver(connection: Connection) -> Any:  # noqa: ANN401 - each driver has its own
    offered: Driver | None = connection.get_execution_options().get(DRIVER)
    return None if offered is None else offered(connection)
