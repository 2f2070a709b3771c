"""Statements compiled once, for the paths that run again and again.

SQLAlchemy compiles the text, so that there is one set of statements for all databases, and is then bypassed: a match is
recorded in a fraction of a millisecond, most of which SQLAlchemy would spend on looking up the statement and wrapping
rows. Values are still converted by the types of the columns, on the way in and on the way out, here and nowhere else.
To read a column in its stored form, select it by ``column_types.as_stored``.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from sqlalchemy import BindParameter, CompoundSelect, Connection, Select, Table, bindparam, delete, insert, update
from sqlalchemy.sql.expression import Executable

from paragone.ledger.column_types import AT_ONCE, NO_DIALECT, Converted, TextType

Pipeline = Callable[[Connection], AbstractContextManager[object]]
PIPELINE = "paragone_pipeline"
"""The execution option by which a dialect offers to send statements without waiting for each answer."""

Driver = Callable[[Connection], Any]
DRIVER = "paragone_driver"
"""The execution option by which a dialect offers its driver's own connection; it translates that driver's errors."""

Rows = list[tuple[Any, ...]]

ROWS_AT_ONCE = 20_000
"""Rows in memory at once while those of a large table are read."""

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Compiled:
    """A statement for one database.

    Attributes:
        text: The statement in the database's SQL.
        constants: Stored values of the parameters that the statement itself sets.
        binders: Converters of parameters to their stored form, by name.
        readers: Types of the result columns that are converted, with their positions.
    """

    text: str
    constants: Mapping[str, Any]
    binders: Mapping[str, Callable[[Any, Any], Any]]
    readers: tuple[tuple[int, Converted[Any]], ...]

    def bound(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values in their stored form."""
        binders = self.binders
        return {name: binders[name](value, NO_DIALECT) if name in binders else value for name, value in values.items()}

    def read(self, rows: Rows) -> Rows:
        """Rows from their stored form, converted by column; most columns need no change."""
        if not rows or not self.readers:
            return rows
        columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
        is_changed = False
        for index, kind in self.readers:
            column = kind.read_column(columns[index])
            if column is not columns[index]:
                columns[index], is_changed = column, True
        return list(zip(*columns, strict=True)) if is_changed else rows


class Statement:
    """A statement.

    Args:
        statement: The SQLAlchemy statement, with a named parameter for each value.
        columns: The columns that an INSERT sets, if not all.
    """

    def __init__(self, statement: Executable, *, columns: Iterable[str] | None = None) -> None:
        self._statement: Any = statement
        self._columns = None if columns is None else list(columns)
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, values: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Run the statement with one set of values, or once for each of several."""
        compiled, driver = self._for(connection), _driver(connection)
        if isinstance(values, Mapping):
            bound = compiled.bound(values)
            if driver is None:
                connection.exec_driver_sql(compiled.text, bound)
            else:
                driver.execute(compiled.text, bound)
            return
        each = [compiled.bound(row) for row in values]
        if driver is None:
            connection.exec_driver_sql(compiled.text, each)
        else:
            driver.executemany(compiled.text, each)

    def rows(self, connection: Connection, values: Mapping[str, Any]) -> Rows:
        """The rows that the statement returns."""
        compiled, driver = self._for(connection), _driver(connection)
        bound = {**compiled.constants, **compiled.bound(values)}
        if driver is None:
            return compiled.read(list(map(tuple, connection.exec_driver_sql(compiled.text, bound))))
        rows: Rows = driver.execute(compiled.text, bound).fetchall()
        return compiled.read(rows)

    def named_rows(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """The rows that the statement returns; each value is an attribute of the name of its column."""
        return list(map(self.row_type._make, self.rows(connection, values)))

    def stream(self, connection: Connection, values: Mapping[str, Any]) -> Iterator[Any]:
        """The rows that the statement returns, as ``named_rows``, read in parts."""
        compiled, driver = self._for(connection), _driver(connection)
        bound = {**compiled.constants, **compiled.bound(values)}
        if driver is None:
            options = {"yield_per": ROWS_AT_ONCE}
            rows: Any = connection.exec_driver_sql(compiled.text, bound, execution_options=options)
        else:
            rows = driver.execute(compiled.text, bound)
        while part := rows.fetchmany(ROWS_AT_ONCE):
            yield from map(self.row_type._make, compiled.read(part))

    @cached_property
    def row_type(self) -> Any:  # noqa: ANN401 - a tuple of names that no type checker knows
        """The type of named rows."""
        return namedtuple("NamedRow", self._statement.selected_columns.keys())  # noqa: PYI024

    def _for(self, connection: Connection) -> _Compiled:
        name = connection.dialect.name
        compiled = self._compiled.get(name)
        if compiled is None:
            compiled = self._compiled[name] = self._compile(connection.dialect)
        return compiled

    def _compile(self, dialect: Any) -> _Compiled:  # noqa: ANN401 - SQLAlchemy's own, of one database
        named_dialect = type(dialect)(paramstyle="named") if dialect.positional else dialect
        compiled = self._statement.compile(dialect=named_dialect, column_keys=self._columns)
        binds = compiled.binds
        binders = {
            name: bind.type.process_bind_param for name, bind in binds.items() if isinstance(bind.type, Converted)
        }
        constants = {name: bind.value for name, bind in binds.items() if not bind.required}
        constants = {
            name: binders[name](value, NO_DIALECT) if name in binders else value for name, value in constants.items()
        }
        kinds = [column.type for column in getattr(self._statement, "selected_columns", ())]
        readers = tuple((index, kind) for index, kind in enumerate(kinds) if isinstance(kind, Converted))
        return _Compiled(text=str(compiled), constants=constants, binders=binders, readers=readers)


class Inserts:
    """Adds rows to a table, by its values in their stored form.

    Args:
        table: The table.
        without: Columns that the database assigns.

    Attributes:
        names: The columns, in the order of the values.
    """

    def __init__(self, table: Table, *, without: Iterable[str] = ()) -> None:
        columns = [column for column in table.columns if column.name not in without]
        self.names = tuple(column.name for column in columns)
        self._table, self._types = table.name, [column.type for column in columns]
        self._texts: dict[str, tuple[str, str]] = {}

    def run(self, connection: Connection, rows: Rows) -> None:
        """Add rows, at least one."""
        single, many = self._for(connection)
        driver = _driver(connection)
        if driver is not None:
            driver.executemany(single, rows)
        elif many and len(rows) >= FEW:
            connection.exec_driver_sql(many, tuple(map(list, zip(*rows, strict=True))))
        elif len(rows) == 1:
            connection.exec_driver_sql(single, rows[0])
        else:
            connection.exec_driver_sql(single, rows)

    def _for(self, connection: Connection) -> tuple[str, str]:
        dialect = connection.dialect
        if dialect.name not in self._texts:
            quote = dialect.identifier_preparer.quote
            into = f"INSERT INTO {quote(self._table)} ({', '.join(map(quote, self.names))})"
            mark = "?" if dialect.name == "sqlite" else "%s"
            single = f"{into} VALUES ({', '.join([mark] * len(self.names))})"
            arrays = ", ".join(f"%s::{kind.compile(dialect=dialect)}[]" for kind in self._types)
            many = f"{into} SELECT * FROM unnest({arrays})" if dialect.name == "postgresql" else ""  # noqa: S608 - names of ours
            self._texts[dialect.name] = single, many
        return self._texts[dialect.name]


FEW = 8
"""Rows from which on one statement with arrays is faster on a server than a statement a row."""


def _quoted(name: str) -> str:
    return f'"{name}"'


class RowUpdate(Statement):
    """Sets the columns of rows that are named by their primary key; on a server many of them by one statement.

    Args:
        table: The table. Each row has a value for every column.
    """

    def __init__(self, table: Table) -> None:
        self._all, self._keys = list(table.columns), [column.name for column in table.primary_key]
        self._table, self._many = table.name, ""
        same_row = [column == bindparam(column.name) for column in table.primary_key]
        values: dict[str, Any] = {
            column.name: bindparam(column.name) for column in table.columns if column.name not in self._keys
        }
        super().__init__(update(table).where(*same_row).values(values))

    def run(self, connection: Connection, values: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        """Update one row, or several."""
        if isinstance(values, Mapping) or len(values) < FEW or connection.dialect.name != "postgresql":
            super().run(connection, values)
            return
        compiled = self._for(connection)
        bound = [compiled.bound(row) for row in values]
        self._many = self._many or self._with_arrays(connection.dialect)
        connection.exec_driver_sql(self._many, tuple([row[column.name] for row in bound] for column in self._all))

    def _with_arrays(self, dialect: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own, of one database
        names = [column.name for column in self._all]
        sets = ", ".join(f'"{name}" = new."{name}"' for name in names if name not in self._keys)
        same = " AND ".join(f'old."{name}" = new."{name}"' for name in self._keys)
        arrays = ", ".join(f"%s::{column.type.compile(dialect=dialect)}[]" for column in self._all)
        new = ", ".join(map(_quoted, names))
        table = _quoted(self._table)
        return f"UPDATE {table} AS old SET {sets} FROM unnest({arrays}) AS new({new}) WHERE {same}"  # noqa: S608


class StatementForNames:
    """A query for the rows of some names, however many there are.

    It is compiled for a few lengths only: a shorter list is filled up to the next power of two with its last name.

    Args:
        query: Makes the query for names.
    """

    def __init__(self, query: Callable[[Sequence[BindParameter[str]]], Select[Any] | CompoundSelect[Any]]) -> None:
        self._query = query
        self._of_length = cache(self._with_names)

    def rows(self, connection: Connection, names: Sequence[str], values: Mapping[str, Any]) -> Rows:
        """The rows of the names.

        Args:
            connection: A transaction.
            names: The names, each once.
            values: The other parameters of the query.
        """
        rows: Rows = []
        for start in range(0, len(names), AT_ONCE):
            part = list(names[start : start + AT_ONCE])
            length = min(AT_ONCE, 1 << (len(part) - 1).bit_length())
            part += part[-1:] * (length - len(part))
            parameters = {f"name_{index}": name for index, name in enumerate(part)}
            rows += self._of_length(length).rows(connection, {**values, **parameters})
        return rows

    def named_rows(self, connection: Connection, names: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
        """The same; each value is an attribute of the name of its column."""
        return list(map(self._of_length(1).row_type._make, self.rows(connection, names, values)))

    def _with_names(self, length: int) -> Statement:
        return Statement(self._query([bindparam(f"name_{index}", type_=TextType) for index in range(length)]))


class Projection(Generic[Key, Value]):
    """Writes a table of current values; each row is named by its pool and a key.

    Args:
        table: The table, whose primary key is the pool and the key.
        row: Makes the other columns of a row from its key and its value.
    """

    def __init__(self, table: Table, row: Callable[[Key, Value], Mapping[str, Any]]) -> None:
        self._row = row
        columns: dict[str, Any] = {column.name: bindparam(column.name) for column in table.columns}
        same_row = [column == bindparam(column.name) for column in table.primary_key]
        self._insert = Statement(insert(table).values(columns).inline())
        self._update = RowUpdate(table)
        self._delete = Statement(delete(table).where(*same_row))

    def rows(self, pool: str, values: Mapping[Key, Value]) -> list[dict[str, Any]]:
        """The rows of some values."""
        return [{"pool": pool, **self._row(key, value)} for key, value in values.items()]

    def insert(self, connection: Connection, pool: str, values: Mapping[Key, Value]) -> None:
        """Add values whose keys the pool does not have."""
        if values:
            self._insert.run(connection, self.rows(pool, values))

    def difference(
        self, pool: str, before: Mapping[Key, Value], after: Mapping[Key, Value]
    ) -> list[tuple[Statement, list[dict[str, Any]]]]:
        """The statements, each with its rows, that replace the stored values ``before`` by ``after``."""
        added = {key: value for key, value in after.items() if key not in before}
        changed = {key: value for key, value in after.items() if key in before and before[key] != value}
        removed = {key: value for key, value in before.items() if key not in after}
        return [
            (self._insert, self.rows(pool, added)),
            (self._update, self.rows(pool, changed)),
            (self._delete, self.rows(pool, removed)),
        ]


def pipeline(connection: Connection) -> AbstractContextManager[object]:
    """A block of statements that return no rows; a database that can gets them all at once."""
    offered: Pipeline = connection.get_execution_options().get(PIPELINE, nullcontext)
    return offered(connection)


def _driver(connection: Connection) -> Any:  # noqa: ANN401 - each driver has its own
    offered: Driver | None = connection.get_execution_options().get(DRIVER)
    return None if offered is None else offered(connection)


def run_all(connection: Connection, statements: Iterable[str]) -> None:
    """Run statements without parameters, past SQLAlchemy where the driver is offered; a server gets all at once."""
    driver = _driver(connection)
    if driver is None:
        connection.exec_driver_sql(";\n".join(statements), execution_options={"no_parameters": True})
        return
    for statement in statements:
        driver.execute(statement)
