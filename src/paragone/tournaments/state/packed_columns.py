"""Tables of numbers that grow with a tournament, as narrow as what is in them allows."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

_WIDER = {"b": "h", "h": "i", "i": "q"}


class PackedColumn(Sequence[Any]):
    """Numbers of one type: none is stored while all are equal, then each in the fewest bytes that hold all of them.

    Args:
        kind: The type that it is read as, as the module ``array`` has them.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._length = 0
        self._all: float = 0  # what every value is, as long as none is stored
        self._values: array[Any] | None = None

    def __len__(self) -> int:
        return self._length if self._values is None else len(self._values)

    @overload
    def __getitem__(self, index: int) -> Any: ...  # noqa: ANN401 - of the column's type
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if self._values is not None:
            return self._values[index]
        indices = range(self._length)[index]
        return [self._all] * len(indices) if isinstance(indices, range) else self._all

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    @property
    def nbytes(self) -> int:
        """Bytes of all values."""
        return 0 if self._values is None else len(self._values) * self._values.itemsize

    def append(self, value: float) -> None:
        """Add a value.

        Raises:
            OverflowError: If it is beyond the type.
        """
        if self._values is None:
            self._all = value if not self._length else self._all
            if value == self._all or (value != value and self._all != self._all):  # noqa: PLR0124 - not a number
                self._length += 1
                return None
            self._store("d" if self._kind == "d" else "b", [self._all] * self._length)
            return self.append(value)
        try:
            self._values.append(value)
        except OverflowError:
            if self._values.typecode == self._kind:
                raise
            self._values = array(_WIDER[self._values.typecode], self._values)
            self.append(value)

    def _store(self, kind: str, values: Sequence[float]) -> None:
        try:
            self._values = array(kind, values)
        except OverflowError:
            if kind == self._kind:
                raise
            self._store(_WIDER[kind], values)

    def as_array(self) -> NDArray[Any]:
        """The values as they are now, shape (length,)."""
        kind = np.dtype(self._kind)
        return np.full(self._length, self._all, kind) if self._values is None else np.array(self._values, kind)

    def copy(self) -> Self:
        """An independent copy."""
        other = type(self)(self._kind)
        other._length, other._all = self._length, self._all
        other._values = None if self._values is None else self._values[:]
        return other


class PackedTable:
    """Columns of one length.

    Args:
        kinds: The type of each column by its name, as the module ``array`` has them.
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._columns = {name: PackedColumn(kind) for name, kind in kinds.items()}
        self._values = tuple(self._columns.values())

    def __len__(self) -> int:
        return len(self._values[0])

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return sum(column.nbytes for column in self._values)

    def add(self, *row: float) -> None:
        """Append a row, a value for each column in order."""
        for column, value in zip(self._values, row, strict=True):
            column.append(value)

    def row(self, index: int) -> tuple[Any, ...]:
        """The values of a row."""
        return tuple([column[index] for column in self._values])

    def values(self, name: str) -> PackedColumn:
        """A column itself, which grows with the table."""
        return self._columns[name]

    def column(self, name: str) -> NDArray[Any]:
        """A column as it is now, shape (rows,)."""
        return self._columns[name].as_array()

    def copy(self) -> Self:
        """An independent copy."""
        other = type(self)({})
        other._columns = {name: column.copy() for name, column in self._columns.items()}
        other._values = tuple(other._columns.values())
        return other


class Names:
    """Texts by number: each is stored once, and numbered in order of appearance."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def number(self, text: str) -> int:
        """The number of a text; a new one for a text that is new."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return number

    def known(self, text: str) -> int | None:
        """The number of a text; None if it is new."""
        return self._numbers.get(text)


def is_count(text: str) -> bool:
    """Whether a text is a number from 0 up as it would be printed, and fits a column."""
    return text.isdecimal() and text.isascii() and len(text) < 9 and str(int(text)) == text
