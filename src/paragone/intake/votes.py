"""Recorded comparisons from files, frames and mappings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

from paragone.errors import InvalidVotes, UnknownColumn
from paragone.intake.cell import as_number, as_text, is_missing
from paragone.intake.source import tabulate
from paragone.intake.table import Table
from paragone.intake.vote import Vote, Votes
from paragone.intake.winner import SIDES, Call, by_id, by_label, labels

WINNER_NAMES = ("winner", "outcome", "result", "choice", "preference", "score")
"""Columns taken for the winner, the proper name first."""


def read_votes(
    source: object,
    *,
    a: str | None = None,
    b: str | None = None,
    winner: str | None = None,
    weight: str | None = None,
    judge: str | None = None,
) -> Votes:
    """Recorded comparisons, one a row.

    The two items stand in columns called ``a`` and ``b``, ``left`` and ``right``, ``model_a`` and ``model_b`` and the
    like, or named. The winner is a side (``a``, ``left``, ``first``, the name of its column, ...), the id of one of
    the two items, ``tie`` (``draw``, ``equal``), or a score from 0 to 1: 1 if the first won, 0 if the second did, 0.5
    for a tie, anything between a probability. An empty winner is an abstention: skipped and counted. A column
    ``probability`` holds the probability that the first is better; where a row has one, it counts and the winner does
    not. Columns called ``weight`` and ``judge`` are used where there are any. The same pair may come many times.

    Args:
        source: A path (.csv, .tsv, .jsonl, .json, .parquet), a data frame, a collection of mappings, or a list of
            triples ``(a, b, winner)``.
        a: The column of the item named first.
        b: The column of the other.
        winner: The column of the winner.
        weight: The column of weights.
        judge: The column of judges.

    Returns:
        The votes in the order of their rows, and how many abstained.

    Raises:
        UnreadableFile: If the source cannot be read.
        UnknownColumn: If a column is absent or cannot be told from others.
        InvalidVotes: If a row cannot be understood; the message names it.
    """
    if isinstance(source, Votes):
        return source
    table = tabulate(named(source), name="votes")
    columns = VoteColumns.of(table, a, b, winner, weight, judge)
    rows = list(rows_of(table, columns))
    calls = calls_of(table, rows, readings_of(table, columns, rows))
    if not rows:
        raise InvalidVotes(f"{table.name} has no rows")
    votes = list(_votes(table, columns, rows, calls))
    return Votes(votes, abstentions=len(rows) - len(votes), source=table.name)


def named(source: object) -> object:
    """Triples as mappings; anything else as it came."""
    if not isinstance(source, list | tuple) or not all(isinstance(entry, tuple | list) for entry in source):
        return source
    if any(len(entry) != 3 for entry in source):
        raise InvalidVotes("votes: a triple (a, b, winner) is wanted, not a tuple of another length")
    return [dict(zip(("a", "b", "winner"), entry, strict=True)) for entry in source]


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteColumns:
    """Where in a row everything stands."""

    a: int
    b: int
    winner: int
    weight: int | None
    judge: int | None
    probability: int | None

    @classmethod
    def of(
        cls, table: Table, a: str | None, b: str | None, winner: str | None, weight: str | None, judge: str | None
    ) -> "VoteColumns":
        sides = _sides(table, a, b)
        return cls(
            a=sides[0],
            b=sides[1],
            winner=_winner(table, winner),
            weight=_optional(table, weight, "weight"),
            judge=_optional(table, judge, "judge"),
            probability=_optional(table, None, "probability"),
        )


@dataclass(frozen=True, slots=True)
class VoteRow:
    """A row of votes: its items are known, its winner has not been read yet."""

    index: int
    a: str
    b: str
    winner: object


def _sides(table: Table, a: str | None, b: str | None) -> tuple[int, int]:
    if a is not None and b is not None:
        sides = table.named(a, "--a"), table.named(b, "--b")
        if sides[0] == sides[1]:
            raise UnknownColumn(f"{table.name}: --a and --b both name the column {table.columns[sides[0]]!r}")
        return sides
    if a is not None or b is not None:
        raise UnknownColumn(
            f"{table.name}: name both columns of items (--a, --b), or neither; it has {table.listing()}"
        )
    spelt = {name.casefold(): index for index, name in enumerate(table.columns)}
    found = [(spelt[left], spelt[right]) for left, right in SIDES if left in spelt and right in spelt]
    if len(found) == 1:
        return found[0]
    known = ", ".join("/".join(pair) for pair in SIDES)
    problem = (
        f"several pairs of columns could be the items ({known})" if found else f"no two columns of items ({known})"
    )
    raise UnknownColumn(f"{table.name}: {problem}; it has {table.listing()}. Name them with --a and --b")


def _winner(table: Table, name: str | None) -> int:
    if name is not None:
        return table.named(name, "--winner")
    index = table.found(WINNER_NAMES, option="--winner")
    if index is None:
        known = ", ".join(WINNER_NAMES)
        raise UnknownColumn(f"{table.name}: no winner ({known}); it has {table.listing()}. Name it with --winner")
    return index


def _optional(table: Table, name: str | None, proper: str) -> int | None:
    return table.found((proper,), option=f"--{proper}") if name is None else table.named(name, f"--{proper}")


def rows_of(table: Table, columns: VoteColumns) -> Iterator[VoteRow]:
    """The rows of a table with their two items.

    Raises:
        InvalidVotes: If an item is missing, or is compared with itself.
    """
    for index, cells in enumerate(table.rows):
        a, b = as_text(cells[columns.a]), as_text(cells[columns.b])
        if not a or not b or is_missing(cells[columns.a]) or is_missing(cells[columns.b]):
            raise InvalidVotes(
                f"{table.where(index)}: an item is missing in {table.columns[columns.b if a else columns.a]!r}"
            )
        if a == b:
            raise InvalidVotes(f"{table.where(index)}: {a!r} is compared with itself")
        yield VoteRow(index, a, b, cells[columns.winner])


@dataclass(frozen=True, slots=True)
class Reading:
    """What a winner's cell says as a label or score, and what it says as the name of an item."""

    label: Call | None
    id: Call | None

    @property
    def is_ambiguous(self) -> bool:
        """Whether it says two different things."""
        return self.label is not None and self.id is not None and self.label != self.id


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

    def heard(self, readings: Sequence[Reading]) -> "Language":
        """The language after more rows."""
        ids = any(reading.label is None and reading.id is not None for reading in readings)
        labels = any(
            reading.id is None and reading.label is not None and reading.label.score in (0.0, 1.0)
            for reading in readings
        )
        return Language(self.ids or ids, self.labels or labels)


def readings_of(table: Table, columns: VoteColumns, rows: Sequence[VoteRow]) -> list[Reading]:
    """Both readings of each row's winner."""
    known = labels(table.columns[columns.a], table.columns[columns.b])
    return [Reading(by_label(row.winner, known), by_id(row.winner, row.a, row.b)) for row in rows]


def calls_of(
    table: Table, rows: Sequence[VoteRow], readings: Sequence[Reading], language: Language | None = None
) -> list[Call]:
    """What each row's winner says.

    Args:
        table: Where the rows stand.
        rows: The rows.
        readings: Of their winners.
        language: Of the file; that of these rows where None.

    Raises:
        InvalidVotes: If a winner cannot be understood, or in two ways.
    """
    spoken = Language().heard(readings) if language is None else language
    calls: list[Call] = []
    for row, reading in zip(rows, readings, strict=True):
        if reading.label is None and reading.id is None:
            raise InvalidVotes(_unknown(table, row))
        if reading.is_ambiguous and spoken.ids == spoken.labels:
            raise InvalidVotes(_ambiguous(table, row))
        by_name = spoken.ids and not spoken.labels
        preferred = (reading.id, reading.label) if by_name else (reading.label, reading.id)
        calls.append(next(call for call in preferred if call is not None))
    return calls


def _unknown(table: Table, row: VoteRow) -> str:
    return (
        f"{table.where(row.index)}: the winner {row.winner!r} is neither a side (a, b, left, right, first, second), "
        f"nor tie, nor one of the two items ({row.a!r}, {row.b!r}), nor a score from 0 to 1; "
        f"leave it empty where nobody said"
    )


def _ambiguous(table: Table, row: VoteRow) -> str:
    return (
        f"{table.where(row.index)}: the winner {row.winner!r} may mean a side or score, or the item of that name "
        f"({row.a!r} against {row.b!r}); write first, second or tie"
    )


def judges_of(table: Table, column: int | None) -> Iterator[str | None]:
    """Who gave each row's answer; None where nobody is named."""
    if column is None:
        return repeat(None, len(table.rows))
    return (None if is_missing(cell) else as_text(cell) for cell in table.cells(column))


def _votes(table: Table, columns: VoteColumns, rows: Sequence[VoteRow], calls: Sequence[Call]) -> Iterator[Vote]:
    judges = judges_of(table, columns.judge)
    weights = weights_of(table, columns.weight)
    probabilities = probabilities_of(table, columns.probability)
    for row, call, weight, judge, probability in zip(rows, calls, weights, judges, probabilities, strict=False):
        score = call.score if probability is None else probability
        if score is not None:
            tie = call.tie and probability is None
            yield Vote(a=row.a, b=row.b, score=score, tie=tie, weight=weight, judge=judge)


def weights_of(table: Table, column: int | None) -> Iterator[float]:
    """The weight of each row.

    Raises:
        InvalidVotes: If one is not a positive number.
    """
    if column is None:
        yield from repeat(1.0, len(table.rows))
        return
    for index, cell in enumerate(table.cells(column)):
        weight = as_number(cell)
        if weight is None or not 0.0 < weight < float("inf"):
            raise InvalidVotes(f"{table.where(index)}: the weight {cell!r} is not a positive number")
        yield weight


def probabilities_of(table: Table, column: int | None) -> Iterator[float | None]:
    """The probability in each row; None where it has none.

    Raises:
        InvalidVotes: If one is not a number from 0 to 1.
    """
    if column is None:
        yield from repeat(None, len(table.rows))
        return
    for index, cell in enumerate(table.cells(column)):
        probability = None if is_missing(cell) else as_number(cell)
        if not is_missing(cell) and (probability is None or not 0.0 <= probability <= 1.0):
            raise InvalidVotes(f"{table.where(index)}: the probability {cell!r} is not a number from 0 to 1")
        yield probability
