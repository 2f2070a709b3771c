"""A table as it was read: named columns, rows with their origin, cells, and rows that are skipped."""

import difflib
import math
import numbers
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paragone.errors import UnknownColumn, UnreadableFile


@dataclass(frozen=True, kw_only=True, slots=True)
class InputTable:
    """Rows of cells under named columns; nothing in it has been checked yet.

    Attributes:
        name: What to call it in messages: a path, or what the caller handed over.
        columns: Names, in order, each once.
        rows: One tuple of cells for each row, as long as ``columns``.
        unit: What a row is called in messages: ``line``, ``row`` or ``entry``.
        numbers: The number of each row in that unit, from 1.
        delimited: Whether the names are the first line of a text, where a row may have been taken for them.
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    unit: str
    numbers: Sequence[int]
    delimited: bool = False

    def __post_init__(self) -> None:
        twice = sorted({name for name in self.columns if name and self.columns.count(name) > 1})
        if twice:
            hint = (
                "; where the first line is a row already, put a line of names above it" if self.unit == "line" else ""
            )
            raise UnreadableFile(f"{self.name} has the column {twice[0]!r} twice; rename one of the two{hint}")

    @classmethod
    def of_records(cls, records: Iterable[tuple[int, Mapping[str, object]]], *, name: str, unit: str) -> "InputTable":
        """A table from numbered mappings; a key that a record lacks is an empty cell (None)."""
        numbered = list(records)
        columns = tuple(dict.fromkeys(key for _, record in numbered for key in record))
        rows = [tuple(map(record.get, columns)) for _, record in numbered]
        return cls(name=name, columns=columns, rows=rows, unit=unit, numbers=[number for number, _ in numbered])

    def where(self, index: int) -> str:
        """The place of a row, for messages; ``index`` counts from 0."""
        return f"{self.name}, {self.unit} {self.numbers[index]}"

    def cells(self, column: int) -> Iterator[object]:
        """The cells of one column, from the top."""
        return (row[column] for row in self.rows)

    def named(self, column: str, option: str) -> int:
        """The index of a column that the caller named; capitals and blanks count only where they must.

        Args:
            column: Its name.
            option: The option in which it was named, for the message.

        Raises:
            UnknownColumn: If there is none; lists those that exist and suggests the nearest.
        """
        if column in self.columns:
            return self.columns.index(column)
        alike = self._spelt(column)
        if len(alike) == 1:
            return alike[0]
        near = difflib.get_close_matches(spelling(column), list(map(spelling, self.columns)), n=1)
        nearest = next((name for name in self.columns if near and spelling(name) == near[0]), None)
        hint = f"; did you mean {nearest!r}?" if nearest is not None else "."
        raise UnknownColumn(f"{self.name} has no column {column!r} ({option}){hint} It has {self.listing()}")

    def found(self, names: Sequence[str], *, option: str) -> int | None:
        """The index of the column that goes by one of ``names``, in any ``spelling``; None where there is none.

        Args:
            names: The proper name first, then others. The proper name wins; two of the others are ambiguous.
            option: The option that settles it, for the message.

        Raises:
            UnknownColumn: If several columns could be meant.
        """
        proper = self._spelt(names[0])
        candidates = proper or [index for name in names[1:] for index in self._spelt(name)]
        if len(candidates) > 1:
            several = ", ".join(repr(self.columns[index]) for index in candidates)
            raise UnknownColumn(f"{self.name}: {several} could each be the {names[0]}; say which with {option}")
        return candidates[0] if candidates else None

    def listing(self) -> str:
        """The columns, for messages."""
        return "the columns " + ", ".join(map(repr, self.columns)) if self.columns else "no columns"

    def _spelt(self, name: str) -> list[int]:
        normalized = spelling(name)
        return [index for index, column in enumerate(self.columns) if spelling(column) == normalized]


def spelling(name: str) -> str:
    """A column's name without what people vary: capitals, blanks around it, blanks or hyphens for underscores."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


# What pandas and others write into a text file for a missing value, and spreadsheets where a formula has no result.
_WRITTEN_MISSING = frozenset({
    "nan", "NaN", "<NA>", "#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!", "#NULL!", "#NUM!",
})  # fmt: skip
_DECIMAL_COMMA = re.compile(r"\s*[+-]?(0,\d+|\d+,(\d{1,2}|\d{4,}))\s*", re.ASCII)


def is_missing(value: object) -> bool:
    """Whether a cell is empty: None, a not-a-number of any library, or blank text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or _is_nan(value)


def is_written_missing(text: str) -> bool:
    """Whether a text is what tables write for a missing value, such as ``NaN``."""
    return text in _WRITTEN_MISSING


def as_text(value: object) -> str | None:
    """A cell as text without blanks around it: text as it is, whole numbers without a point; None for other kinds."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return None
    if isinstance(value, numbers.Integral):
        return str(int(value))
    # A column of integers with one gap becomes floats in pandas: 7.0 was 7.
    number = float(value)
    return str(int(number)) if number.is_integer() else str(number)


def as_number(value: object) -> float | None:
    """A cell as a number, with a decimal point or comma; None where it is not one.

    A comma before three digits may divide thousands, so that only ``0,125`` is taken for a decimal one.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str | numbers.Real):
        if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value):
            value = value.replace(",", ".")
        try:
            return float(value)
        except (ValueError, OverflowError):
            return None
    return None


def _is_nan(value: object) -> bool:
    if isinstance(value, numbers.Real):
        return math.isnan(value)
    return type(value).__name__ in {"NAType", "NaTType"}


def is_frame(value: object) -> bool:
    """Whether ``value`` looks like a data frame; nothing is imported to find out."""
    return hasattr(value, "__dataframe__") or hasattr(value, "__arrow_c_stream__")


def read_frame(frame: object, *, name: str) -> InputTable:
    """A table from a data frame held in memory; the named levels of an index of pandas are columns, too.

    Args:
        frame: A pandas, polars or pyarrow frame, or another that narwhals knows.
        name: What to call it in messages.

    Raises:
        TypeError: If narwhals does not know it as a frame.
    """
    import narwhals

    if hasattr(frame, "index"):
        frame = _of_pandas(frame, name)
    native = narwhals.from_native(frame, eager_only=True)  # type: ignore[call-overload]  # narwhals tells by looking
    rows = list(native.iter_rows())
    return InputTable(name=name, columns=tuple(native.columns), rows=rows, unit="row", numbers=range(1, len(rows) + 1))


def _of_pandas(frame: Any, name: str) -> Any:  # noqa: ANN401  # pandas is not loaded to say what it is
    """A frame of pandas with the named levels of its index as columns; refused where a column comes twice."""
    columns = tuple(map(str, getattr(frame, "columns", ())))
    InputTable(name=name, columns=columns, rows=[], unit="row", numbers=[])  # says which
    levels = [level for level in getattr(frame.index, "names", ()) if level is not None and str(level) not in columns]
    return frame.reset_index(levels) if levels else frame


YES = frozenset({"true", "yes", "y", "1", "1.0", "draw", "tie"})
NO = frozenset({"false", "no", "n", "0", "0.0"})
"""How a cell says yes or no, in lower case."""

_ONE_IN = 20


def refuse_unsound(
    name: str, rows: int, skipped: int, problems: Sequence[str], *, strict: bool, error: type[Exception]
) -> None:
    """Refuse a source where any row in it (``strict``), or more than one in twenty, cannot be evidence.

    Args:
        name: What the source is called.
        rows: How many rows there are.
        skipped: How many cannot be evidence.
        problems: The first of these, by place and reason.
        strict: Whether one is too many.
        error: What to raise.
    """
    if not skipped or (skipped * _ONE_IN <= rows and not strict):
        return
    limit = "with --strict none may be" if strict else "more than one in twenty"
    raise error(
        f"{listed(problems, skipped)}. {skipped:,} of {rows:,} rows of {name} cannot be evidence, {limit}: "
        "repair them, or name the right columns"
    )


def listed(problems: Sequence[str], count: int) -> str:
    """The first problems, and how many more there are."""
    more = f"; and {count - len(problems):,} more" if count > len(problems) else ""
    return "; ".join(problems) + more
