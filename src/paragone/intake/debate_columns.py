"""Where in the rows of a table of debates everything stands, and how its cells are read."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields

from paragone.errors import InvalidEvidence
from paragone.intake.cell import as_number, as_text, is_missing
from paragone.intake.table import Table
from paragone.intake.winner import NO, YES

NAMES = {
    "id": ("debate_id", "debate", "match_id", "prediction_id", "id"),
    "participants": ("participants", "agents"),
    "scores": ("scores",),
    "winner": ("winner",),
    "loser": ("loser",),
    "draw": ("draw",),
    "agent": ("agent", "agent_name", "participant", "name"),
    "score": ("score",),
    "domain": ("domain",),
    "task": ("task",),
    "confidence": ("confidence_weight", "confidence", "weight"),
    "correct": ("correct",),
}
"""Columns by what they hold, the proper name first; capitals do not count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateColumns:
    """The index of each column; None for one that the table lacks."""

    id: int | None
    participants: int | None
    scores: int | None
    winner: int | None
    loser: int | None
    draw: int | None
    agent: int | None
    score: int | None
    domain: int | None
    task: int | None
    confidence: int | None
    correct: int | None

    @classmethod
    def of(cls, table: Table) -> "DebateColumns":
        """The columns of a table.

        Raises:
            UnknownColumn: If several could be the same.
        """
        return cls(**{field.name: _found(table, NAMES[field.name]) for field in fields(cls)})


def _found(table: Table, names: Sequence[str]) -> int | None:
    return table.found(names, option=f"the name {names[0]!r}")


def cell(table: Table, index: int, column: int | None) -> object:
    """A cell; None where it is empty or the table has no such column."""
    value = None if column is None else table.rows[index][column]
    return None if is_missing(value) else value


def text(table: Table, index: int, column: int | None) -> str:
    """A cell as text; empty where there is none.

    Raises:
        InvalidEvidence: If it holds something else.
    """
    value = cell(table, index, column)
    if value is None or column is None:
        return ""
    found = as_text(value)
    if found is None:
        raise _unfit(table, index, column, f"{value!r}, and a text is wanted")
    return found


def evidence_id(table: Table, columns: DebateColumns, index: int, label: str) -> str:
    """The id that a row gives, or one made of a label and the number of the row.

    Raises:
        InvalidEvidence: If its cell holds something else than a text.
    """
    return text(table, index, columns.id) or f"{label}:{table.numbers[index]}"


def number(table: Table, index: int, column: int, value: object) -> float:
    """A number.

    Raises:
        InvalidEvidence: If it is none.
    """
    found = as_number(value)
    if found is None or found != found:  # noqa: PLR0124 - a not-a-number differs from itself
        raise _unfit(table, index, column, f"{value!r}, and a number is wanted")
    return found


def share(table: Table, index: int, column: int | None) -> float | None:
    """A number from 0 to 1; None where there is none.

    Raises:
        InvalidEvidence: If it is something else.
    """
    value = cell(table, index, column)
    if value is None or column is None:
        return None
    found = number(table, index, column, value)
    if not 0.0 <= found <= 1.0:
        raise _unfit(table, index, column, f"{found:g}, and lies from 0 to 1")
    return found


def truth(table: Table, index: int, column: int | None) -> bool | None:
    """Yes or no; None where nothing is said.

    Raises:
        InvalidEvidence: If it is something else.
    """
    value = cell(table, index, column)
    if value is None or column is None:
        return None
    said = str(value).strip().casefold()
    if said not in YES | NO:
        raise _unfit(table, index, column, f"{value!r}, and true or false is wanted")
    return said in YES


def structure(table: Table, index: int, column: int | None) -> object:
    """A list or an object, which a text may hold as JSON; None where there is none.

    Raises:
        InvalidEvidence: If a text holds something else.
    """
    value = cell(table, index, column)
    if not isinstance(value, str) or column is None:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        wanted = 'JSON is wanted, such as {"claude": 0.8, "gpt4": 0.6}'
        raise _unfit(table, index, column, f"{value[:60]!r}, and {wanted}") from None


def _unfit(table: Table, index: int, column: int, problem: str) -> InvalidEvidence:
    return InvalidEvidence(f"{table.where(index)}: {table.columns[column]} is {problem}")
