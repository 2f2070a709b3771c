"""A table by pairs of ids, as JSON: its keys can be no pairs there."""

from collections.abc import Callable, Mapping
from typing import Any


class PairTable:
    """Has pydantic write a table ``{(a, b): value}`` as a list of ``[a, b, value]``, and read it back."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - pydantic's own
        """The schema of the list, with both ways between it and the table."""
        from pydantic_core import core_schema

        rows = handler(list[tuple[str, str, float]])
        writing = core_schema.plain_serializer_function_ser_schema(_rows, return_schema=rows)
        return core_schema.no_info_after_validator_function(_table, rows, serialization=writing)


def _rows(table: Mapping[tuple[str, str], float]) -> list[tuple[str, str, float]]:
    return [(a, b, value) for (a, b), value in table.items()]


def _table(rows: list[tuple[str, str, float]]) -> dict[tuple[str, str], float]:
    table = {(a, b): value for a, b, value in rows}
    if len(table) != len(rows):
        raise ValueError("a pair is there twice")
    return table
