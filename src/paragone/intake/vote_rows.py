"""What the rows of a table of recorded votes say, and which of them cannot be evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.errors import InvalidVotes
from paragone.intake.cell import as_number, as_text, is_missing
from paragone.intake.table import Table
from paragone.intake.vote_columns import VoteColumns
from paragone.intake.winner import ABSTAINED, TIED, WON_A, Call, by_id, by_label, is_draw, labels


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteRow:
    """A row of votes.

    Attributes:
        a: Id of the item named first; empty where it is missing.
        b: Id of the other.
        label: What the winner's cell says as a label or score; None if it is neither.
        id: What it says as the name of one of the two items; None if it is not.
        weight: How much the row counts.
        probability: Probability that the first is better, where the row has one.
        judge: Who gave it; None where nobody is named.
        problem: Why it cannot be evidence; None where it can.
    """

    a: str
    b: str
    label: Call | None = None
    id: Call | None = None
    weight: float = 1.0
    probability: float | None = None
    judge: str | None = None
    problem: str | None = None

    @property
    def is_ambiguous(self) -> bool:
        """Whether the winner says two different things."""
        return self.label is not None and self.id is not None and self.label != self.id


def rows_of(table: Table, columns: VoteColumns) -> list[VoteRow]:
    """The rows of a table."""
    known = labels(table.columns[columns.a], table.columns[columns.b])
    return [_row(table, columns, cells, known) for cells in table.rows]


def _row(table: Table, columns: VoteColumns, cells: tuple[object, ...], known: Mapping[str, Call]) -> VoteRow:
    a, b = _id(cells[columns.a]), _id(cells[columns.b])
    problem = None
    if not a or not b:
        problem = f"an item is missing in {table.columns[columns.b if a else columns.a]!r}"
    elif a == b:
        problem = f"{a!r} is compared with itself"
    if problem is not None:
        return VoteRow(a=a, b=b, problem=problem)
    label, id, problem = _winner(columns, cells, a, b, known)
    weight = 1.0 if columns.weight is None else as_number(cells[columns.weight])
    if weight is None or not 0.0 < weight < float("inf"):
        problem = f"the weight {cells[columns.weight or 0]!r} is not a positive number"
    cell = None if columns.probability is None else cells[columns.probability]
    probability = None if is_missing(cell) else as_number(cell)
    if not is_missing(cell) and (probability is None or not 0.0 <= probability <= 1.0):
        problem = f"the probability {cell!r} is not a number from 0 to 1"
    judge = None if columns.judge is None or is_missing(cells[columns.judge]) else as_text(cells[columns.judge])
    if problem is not None or weight is None:
        return VoteRow(a=a, b=b, problem=problem)
    return VoteRow(a=a, b=b, label=label, id=id, weight=weight, probability=probability, judge=judge)


def _id(cell: object) -> str:
    return "" if is_missing(cell) else as_text(cell) or ""


def _winner(
    columns: VoteColumns, cells: tuple[object, ...], a: str, b: str, known: Mapping[str, Call]
) -> tuple[Call | None, Call | None, str | None]:
    """The winner as a label and as an item, and what is wrong with it."""
    drawn = False if columns.draw is None else is_draw(cells[columns.draw])
    if drawn is None:
        return None, None, f"{cells[columns.draw or 0]!r} does not say whether it is a draw; write true or false"
    if drawn or columns.winner is None:
        return (TIED if drawn else WON_A), None, None
    cell = cells[columns.winner]
    label, id = by_label(cell, known), by_id(cell, a, b)
    if label is not None or id is not None:
        return label, id, None
    problem = (
        f"the winner {cell!r} is neither a side (a, b, left, right, first, second), nor tie, nor one of the two items "
        f"({a!r}, {b!r}), nor a score from 0 to 1; leave it empty where nobody said"
    )
    return None, None, problem


@dataclass(frozen=True, slots=True)
class Language:
    """How the winners of a file are to be read where a cell may be read in two ways.

    Items may be called like sides (an item ``a`` in the column ``b``). One file speaks one language, so the rows that
    can be read in one way only decide for the others.

    Attributes:
        ids: Whether a row names an item and cannot be a label.
        labels: Whether a row names a side and cannot be an item.
    """

    ids: bool = False
    labels: bool = False

    def after(self, rows: Sequence[VoteRow]) -> "Language":
        """The language after more rows."""
        ids = any(row.label is None and row.id is not None for row in rows)
        labels = any(row.id is None and row.label is not None and row.label.score in (0.0, 1.0) for row in rows)
        return Language(self.ids or ids, self.labels or labels)


def calls_of(table: Table, rows: Sequence[VoteRow], language: Language) -> list[Call]:
    """What each row's winner says; an abstention for a row that cannot be evidence.

    Raises:
        InvalidVotes: If a winner can be understood in two ways.
    """
    return [_call(table, index, row, language) for index, row in enumerate(rows)]


def _call(table: Table, index: int, row: VoteRow, language: Language) -> Call:
    if row.is_ambiguous and language.ids == language.labels:
        said = row.a if row.id == WON_A else row.b
        raise InvalidVotes(
            f"{table.where(index)}: the winner {said!r} may mean a side or score, or the item of that name "
            f"({row.a!r} against {row.b!r}); write first, second or tie"
        )
    by_name = language.ids and not language.labels
    preferred = (row.id, row.label) if by_name else (row.label, row.id)
    return next((call for call in preferred if call is not None), ABSTAINED)
