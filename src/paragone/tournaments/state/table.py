"""Rows of numbers that can be added to: what a run keeps of each match in tens of bytes."""

from array import array
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class Table:
    """Columns of one length, each an array of one type.

    Args:
        kinds: The type of each column by its name, as the module ``array`` has them.
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._columns: dict[str, array[Any]] = {name: array(kind) for name, kind in kinds.items()}
        self._values = tuple(self._columns.values())

    def __len__(self) -> int:
        return len(self._values[0])

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return sum(len(column) * column.itemsize for column in self._values)

    def add(self, *row: float) -> None:
        """Put a row at the end, a value for each column, in their order."""
        for column, value in zip(self._values, row, strict=True):
            column.append(value)

    def row(self, place: int) -> tuple[Any, ...]:
        """The values of a row."""
        return tuple([column[place] for column in self._values])

    def values(self, name: str) -> "array[Any]":
        """A column itself, which grows with the table."""
        return self._columns[name]

    def column(self, name: str) -> NDArray[Any]:
        """A column as it is now, shape (rows,)."""
        return np.array(self._columns[name])

    def copy(self) -> Self:
        """A table that does not change with this one."""
        other = type(self)({name: column.typecode for name, column in self._columns.items()})
        for name, column in self._columns.items():
            other._columns[name].extend(column)
        return other


class Names:
    """Texts by number: each is kept once, and numbered in the order in which they came."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def number(self, text: str) -> int:
        """The number of a text; a new one for a text that is new."""
        found = self._numbers.get(text)
        if found is None:
            found = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return found

    def known(self, text: str) -> int | None:
        """The number of a text; None where it did not come yet."""
        return self._numbers.get(text)
