"""Column types: what is stored is exact, and the same on every database.

Text from judges and items is untrusted and may hold what a database refuses: NUL, and halves of surrogate pairs. Such
characters are stored as ESC and four hexadecimal digits, ESC itself included, so that every text comes back as it was
and ordinary text stays readable in the file.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Column,
    ColumnElement,
    Connection,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    or_,
    type_coerce,
)
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from paragone.errors import Corrupted, LedgerError

Stored = TypeVar("Stored")
Value = TypeVar("Value")

ESCAPE = "\x1b"
"""Precedes the digits of a character that a database refuses."""

_UNSAFE = re.compile("[\x00\x1b\ud800-\udfff]")
_ESCAPED = re.compile("\x1b([0-9a-f]{4})")
NO_DIALECT = DefaultDialect()
"""Passed to converters as the dialect, since none of them depends on it."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_JSON = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


AT_ONCE = 500
"""The largest number of values in one query."""


def canonical(value: object) -> str:
    """The one JSON text of a value: keys sorted, no spaces, floats by ``repr``, no surrogates.

    Raises:
        LedgerError: If the value has no JSON text: not finite, or of a type that JSON lacks.
    """
    try:
        text = _JSON.encode(value)
    except (TypeError, ValueError) as error:
        raise LedgerError(f"a value cannot be kept in the ledger: {error}") from error
    return text if text.isascii() else _SURROGATE.sub(lambda hit: f"\\u{ord(hit[0]):04x}", text)


def escaped(text: str) -> str:
    """A text in its stored form."""
    return text if text.isprintable() else _UNSAFE.sub(lambda hit: f"\x1b{ord(hit[0]):04x}", text)


def contains(connection: Connection, text: str, *columns: ColumnElement[Any]) -> ColumnElement[bool]:
    """That one of some columns of texts contains a text, in any case.

    Args:
        connection: The connection, which says how its database compares.
        text: The text.
        columns: The columns.
    """
    return like(connection.dialect.name, like_pattern(text), *columns)


def like_pattern(text: str) -> str:
    """The pattern of ``like`` for a text in the middle of another."""
    return "%" + re.sub(r"([%_/])", r"/\1", escaped(text)) + "%"


def like(dialect: str, pattern: str | BindParameter[str], *columns: ColumnElement[Any]) -> ColumnElement[bool]:
    """That one of some columns of texts is like a pattern, in any case, as a database of this dialect compares."""
    stored = [type_coerce(column, String) for column in columns]
    if dialect == "sqlite":  # its LIKE ignores case anyway, and is twice as quick
        return or_(*(column.like(pattern, escape="/") for column in stored))
    return or_(*(column.ilike(pattern, escape="/") for column in stored))


class Converted(TypeDecorator[Value]):
    """A type whose stored form differs from its values. Every conversion is here, of one value or of a column."""

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = Text
    cache_ok = True

    def store_column(self, values: Sequence[Any]) -> Sequence[Any]:
        """Many values in their stored form; the same sequence if that changes none."""
        return [self.process_bind_param(value, NO_DIALECT) for value in values]

    def read_column(self, values: Sequence[Any]) -> Sequence[Any]:
        """Many values from their stored form; the same sequence if that changes none.

        Raises:
            Corrupted: If one cannot be read.
        """
        return [self.process_result_value(value, NO_DIALECT) for value in values]


Bytes = LargeBinary
"""Bytes, any bytes: what they are is for others to check."""


class TextType(Converted[str]):
    """Text, any text."""

    cache_ok = True

    def process_bind_param(self, value: str | None, _: object) -> str | None:
        return None if value is None else escaped(value)

    def process_result_value(self, value: str | None, _: object) -> str | None:
        return _read(value, unescaped)

    def store_column(self, values: Sequence[Any]) -> Sequence[Any]:
        try:
            if "".join(values).isprintable():
                return values
        except TypeError:  # None, or a value that is refused
            pass
        return [self.process_bind_param(value, NO_DIALECT) for value in values]

    def read_column(self, values: Sequence[Any]) -> Sequence[Any]:
        try:
            return values if ESCAPE not in "".join(values) else super().read_column(values)
        except TypeError:  # None, or a value that no version of paragone writes
            return super().read_column(values)


class OneOf(Converted[StrEnum]):
    """A member of an enumeration, by its value."""

    impl = Text
    cache_ok = True

    def __init__(self, members: type[StrEnum]) -> None:
        super().__init__()
        self.members = members

    def process_bind_param(self, value: StrEnum | None, _: object) -> str | None:
        if type(value) is self.members:  # nearly always; looking the member up takes longer
            return value.value
        return None if value is None else self.members(value).value

    def process_result_value(self, value: str | None, _: object) -> StrEnum | None:
        return _read(value, self.members)


class Real(Converted[float]):
    """A finite float in double precision, never rounded."""

    impl = Double
    cache_ok = True

    def process_bind_param(self, value: float | None, _: object) -> float | None:
        if value is not None and not math.isfinite(value):
            raise LedgerError(f"a number in the ledger must be finite, not {value}")
        return None if value is None else float(value)

    def process_result_value(self, value: float | None, _: object) -> float | None:
        return _read(value, float)

    def store_column(self, values: Sequence[Any]) -> Sequence[Any]:
        if {float}.issuperset(map(type, values)) and math.isfinite(sum(values)):  # a finite sum has finite parts
            return values
        return super().store_column(values)

    def read_column(self, values: Sequence[Any]) -> Sequence[Any]:
        return values if {float}.issuperset(map(type, values)) else super().read_column(values)


class Flag(Converted[bool]):
    """True or false, as 1 or 0."""

    impl = SmallInteger
    cache_ok = True

    def process_bind_param(self, value: bool | None, _: object) -> int | None:
        return None if value is None else int(value)

    def process_result_value(self, value: int | None, _: object) -> bool | None:
        return _read(value, bool)


class Json(Converted[Any]):
    """A value as its canonical JSON text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object, _: object) -> str:
        return canonical(value) if value != [] else "[]"  # nearly always, for scores by criterion

    def process_result_value(self, value: str | None, _: object) -> object:
        return _read(value, json.loads)


class Moment(Converted[datetime]):
    """A moment in UTC, to the microsecond, in ISO 8601."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _: object) -> str | None:
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, _: object) -> datetime | None:
        return _read(value, datetime.fromisoformat)


def unescaped(text: str) -> str:
    """A text from its stored form."""
    return _ESCAPED.sub(lambda hit: chr(int(hit[1], 16)), text) if ESCAPE in text else text


def _read(value: Stored | None, convert: Callable[[Stored], Value]) -> Value | None:
    try:
        return None if value is None else convert(value)
    except (TypeError, ValueError) as error:  # no version of paragone writes such a value
        raise Corrupted(
            f"a value in the ledger cannot be read ({error}); an audit says which row was altered"
        ) from error


WORDS, REAL = TextType(), Real()
"""The types of texts and of floats, to convert whole columns of them."""

COUNT = BigInteger()
"""A whole number."""

ARRIVAL = BigInteger().with_variant(Integer(), "sqlite")
"""A number that the database assigns; SQLite does so for plain INTEGER keys only."""


def stored(table: Table, values: Mapping[str, Any]) -> dict[str, Any]:
    """A row in its stored form, with every column."""
    return {
        name: values.get(name) if bind is None else bind(values.get(name), NO_DIALECT) for name, bind in _binds(table)
    }


@cache
def _binds(table: Table) -> tuple[tuple[str, Callable[[Any, Any], Any] | None], ...]:
    return tuple(
        (column.name, column.type.process_bind_param if isinstance(column.type, Converted) else None)
        for column in table.columns
    )


def stored_rows(table: Table, rows: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Rows in their stored form, as values in the order of the table's columns; converted by column."""
    kinds = _kinds(table)
    columns: list[Sequence[Any]] = list(zip(*[map(row.get, kinds.names) for row in rows], strict=True))
    # All texts of the rows are looked at together, and all reals: nearly always none of them changes.
    for indexes, kind in ((kinds.words, WORDS), (kinds.reals, REAL)):
        values = [value for index in indexes for value in columns[index] if value is not None]
        if kind.store_column(values) is not values:
            for index in indexes:
                columns[index] = kind.store_column(columns[index])
    for index, other in kinds.converted:
        columns[index] = other.store_column(columns[index])
    return list(zip(*columns, strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kinds:
    """The columns of a table.

    Attributes:
        names: Their names.
        words: Places of those that hold texts.
        reals: Places of those that hold floats.
        converted: Places and types of further ones whose values are converted.
    """

    names: tuple[str, ...]
    words: tuple[int, ...]
    reals: tuple[int, ...]
    converted: tuple[tuple[int, Converted[Any]], ...]


@cache
def _kinds(table: Table) -> _Kinds:
    kinds = [(index, column.type) for index, column in enumerate(table.columns) if isinstance(column.type, Converted)]
    return _Kinds(
        names=tuple(column.name for column in table.columns),
        words=tuple(index for index, kind in kinds if isinstance(kind, TextType)),
        reals=tuple(index for index, kind in kinds if isinstance(kind, Real)),
        converted=tuple((index, kind) for index, kind in kinds if not isinstance(kind, (TextType, Real))),
    )


def read(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a row, or of some of its columns, from their stored form: the inverse of ``stored``.

    Raises:
        Corrupted: If a value cannot be read; an audit says which.
    """
    types = table.c
    return {
        name: kind.process_result_value(value, NO_DIALECT) if isinstance(kind := types[name].type, Converted) else value
        for name, value in row.items()
    }


def in_parts(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Values in parts of ``AT_ONCE`` at most: databases limit the parameters of a statement."""
    return (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))


def of_few(seq: ColumnElement[int]) -> ColumnElement[int]:
    """The order of record, for queries that find few rows.

    It is an expression on purpose: ordered by the column itself, SQLite would scan the whole pool in that order instead
    of finding the few rows by their index and sorting them.
    """
    return seq + 0


def plain(table: Table) -> Table:
    """The same table for values that are already in their stored form."""
    parts = (
        Column(
            column.name,
            column.type.impl_instance if isinstance(column.type, Converted) else column.type,
            primary_key=column.primary_key,
            autoincrement=column.autoincrement,
        )
        for column in table.columns
    )
    return Table(table.name, MetaData(), *parts)


def as_stored(table: Table) -> list[ColumnElement[Any]]:
    """The columns of a table, to be read in their stored form."""
    return [
        type_coerce(column, column.type.impl_instance).label(column.name)
        if isinstance(column.type, Converted)
        else column
        for column in table.columns
    ]
