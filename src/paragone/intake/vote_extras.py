"""Columns of votes beside who met and who won: what differs between the two sides, and the slice a vote belongs to."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.traits import TRAITS
from paragone.domain.refusals import near
from paragone.errors import InvalidVotes, UnknownColumn
from paragone.intake.coded_columns import CodedTable, coded_table
from paragone.intake.side_columns import encoded
from paragone.intake.table import Table, as_number, as_text, is_missing, spelling
from paragone.intake.vote import VoteOptions, Votes
from paragone.intake.vote_columns import SIDES
from paragone.intake.votes import VoteFile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Slices = tuple[tuple[str, ...], Ints]
"""Names of the slices that votes are cut into, and the number of each row's."""

MOST_SLICES = 50
"""The largest number of slices that votes are cut into."""
METADATA = "conv_metadata"
"""The column of published arena files that counts tokens and marks of either side's answers."""
_COUNTS: Mapping[str, Sequence[str]] = {
    "length": ("sum_assistant_{side}_tokens",),
    "markdown": ("header_count_{side}", "list_count_{side}", "bold_count_{side}"),
    "headers": ("header_count_{side}",),
    "lists": ("list_count_{side}",),
    "bold": ("bold_count_{side}",),
}
"""What is counted in that column, by the name that may be adjusted for."""
_ANSWERS = ("response", "answer", "conversation", "output", "completion", "text")
"""Columns of texts, with the name of a side, whose traits may be adjusted for."""
_EMPTY = "none"


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Difference:
    """What one side of each vote has more of than the other.

    Attributes:
        name: What, such as ``log length``.
        values: First side less second, in standard deviations from 0, shape (rows,).
        notes: How it was read, in sentences.
    """

    name: str
    values: Floats
    notes: tuple[str, ...] = ()


def knows(votes: object, name: str, options: VoteOptions) -> bool:
    """Whether votes have such a difference between their sides."""
    if isinstance(votes, Votes):
        return False
    table = _coded(votes, options, _first)
    return table is not None and _sides_of(table.head, name) is not None


def difference(votes: object, name: str, options: VoteOptions) -> Difference:
    """What the first side of each vote has more of than the second.

    The two stand in columns such as ``length_a`` and ``length_b``; or they are counted in the texts of both sides, or
    in the metadata of a published arena file.

    Args:
        votes: As for ``read_votes``.
        name: What, such as ``length``.
        options: How the votes are read.

    Raises:
        UnknownColumn: If votes do not have it.
        InvalidVotes: If cells are no numbers, or nothing differs.
    """
    table = None if isinstance(votes, Votes) else _coded(votes, options, _first)
    source = None if table is None else _sides_of(table.head, name)
    if table is None or source is None:
        head = "the votes have" if table is None else f"{table.head.name} has"
        raise UnknownColumn(
            f"{head} no columns of {name!r} for both sides (adjust_for, --adjust-for), such as {name}_a and {name}_b"
            f"{_remedy(table, name)}"
        )
    wanted, values_of = source
    cells = _coded(votes, options, lambda _: wanted)
    if cells is None:
        raise InvalidVotes("there are no votes")
    first, second = values_of(cells)
    return _scaled(name, first, second, cells.head.name)


def slices(votes: object, column: str, options: VoteOptions) -> Slices:
    """The slices that a column cuts votes into: their names, and the number of each row's, shape (rows,).

    Raises:
        UnknownColumn: If there is no such column.
        InvalidVotes: If it has too many different cells.
    """
    if isinstance(votes, Votes):
        raise UnknownColumn(f"votes that were read already have no column {column!r} (by, --by)")
    table = _coded(votes, options, lambda head: [head.named(column, "by, --by")])
    if table is None:
        raise InvalidVotes("there are no votes")
    (coded,) = table.columns.values()
    names = [_EMPTY if is_missing(cell) else as_text(cell) or str(cell) for cell in coded.cells]
    there = sorted({names[at] for at in np.unique(coded.codes).tolist()}, key=_in_order)
    if len(there) > MOST_SLICES:
        raise InvalidVotes(
            f"{table.head.name}: the column {column!r} has {len(there):,} different cells; votes are cut into at most "
            f"{MOST_SLICES} slices"
        )
    number = {name: at for at, name in enumerate(there)}
    return tuple(there), np.array([number.get(name, 0) for name in names], np.int64)[coded.codes]


def _in_order(name: str) -> tuple[float, str]:
    """Numbers by their size, before words."""
    number = as_number(name)
    return (math.inf if number is None or math.isnan(number) else number), name


def _first(_: Table) -> Sequence[int]:
    return [0]


def _coded(votes: object, options: VoteOptions, chosen: Callable[[Table], Sequence[int]]) -> CodedTable | None:
    file = VoteFile(source=votes, options=options)
    return coded_table(file.entries, chosen, name="votes", encoding=options.encoding)


_Source = tuple[Sequence[int], Callable[[CodedTable], tuple[Floats, Floats]]]


def _sides_of(head: Table, name: str) -> _Source | None:
    """Which columns hold it, and how the numbers of both sides are made of them."""
    at = {spelling(column): index for index, column in enumerate(head.columns)}
    for a, b in SIDES:
        for first, second in (
            (f"{name}_{a}", f"{name}_{b}"),
            (f"{a}_{name}", f"{b}_{name}"),
            (f"{name}{a}", f"{name}{b}"),
        ):
            pair = at.get(spelling(first)), at.get(spelling(second))
            if pair[0] is not None and pair[1] is not None:
                return _of_pair(pair[0], pair[1], _numbers)
    if METADATA in at and name.casefold() in _COUNTS:
        return [at[METADATA]], lambda table: _counted(table, at[METADATA], _COUNTS[name.casefold()])
    trait = TRAITS.get(name.casefold())
    for text in _ANSWERS if trait is not None else ():
        pair = at.get(f"{text}_a"), at.get(f"{text}_b")
        if trait is not None and pair[0] is not None and pair[1] is not None:
            return _of_pair(pair[0], pair[1], lambda cell, _, trait=trait: trait(_text(cell)))  # type: ignore[misc]
    return None


def _of_pair(first: int, second: int, number: Callable[[object, str], float]) -> _Source:
    def values(table: CodedTable) -> tuple[Floats, Floats]:
        a, b = (
            np.array([number(cell, table.head.columns[at]) for cell in table.columns[at].cells])[
                table.columns[at].codes
            ]
            for at in (first, second)
        )
        return a, b

    return [first, second], values


def _numbers(cell: object, column: str) -> float:
    if is_missing(cell):
        return np.nan
    value = as_number(cell)
    if value is None or not np.isfinite(value):
        raise InvalidVotes(f"the column {column!r} is to be adjusted for, and {str(cell)[:40]!r} is no number")
    return value


def _counted(table: CodedTable, at: int, keys: Sequence[str]) -> tuple[Floats, Floats]:
    coded = table.columns[at]
    sides = [
        np.array([sum(_count(cell, key.format(side=side)) for key in keys) for cell in coded.cells])[coded.codes]
        for side in "ab"
    ]
    return sides[0], sides[1]


def _count(cell: object, key: str) -> float:
    """A count in the metadata: a number, or numbers by kind, which are added up."""
    if not isinstance(cell, Mapping):
        return np.nan
    value = cell.get(key)
    if isinstance(value, Mapping):
        return float(sum(as_number(each) or 0.0 for each in value.values()))
    number = as_number(value)
    return np.nan if number is None else number


def _text(cell: object) -> str:
    """A text; of a conversation the assistant's turns."""
    if isinstance(cell, str):
        return cell
    turns = cell if isinstance(cell, list | tuple) else []
    said = [turn.get("content", "") for turn in turns if isinstance(turn, Mapping) and turn.get("role") != "user"]
    return "\n".join(each if isinstance(each, str) else "" for each in said)


def _scaled(name: str, first: Floats, second: Floats, source: str) -> Difference:
    """The difference on the scale of the column, by its standard deviation; 0 where a side is missing."""
    both = np.concatenate([first, second])
    kept = encoded(name, [None if np.isnan(value) else value for value in both.tolist()], source)
    if not kept.columns:
        raise InvalidVotes(f"{source}: {name!r} is the same everywhere; there is nothing to adjust for")
    title, values = kept.columns[0]
    away = np.nan_to_num(values[: first.size] - values[first.size :])
    scale = float(np.sqrt((away**2).mean()))
    if scale == 0.0:
        raise InvalidVotes(f"{source}: {name!r} never differs between the two sides; there is nothing to adjust for")
    return Difference(name=title, values=np.round(away / scale, 9), notes=kept.notes)


def _remedy(table: CodedTable | None, name: str) -> str:
    if table is None:
        return ""
    alike = [column for column in table.head.columns if spelling(column) == spelling(name)]
    if alike:
        return f"; a column that speaks of the whole vote, as {alike[0]!r} does, may be the judge (--judge {alike[0]})"
    stems = {column[:-2] for column in table.head.columns if column[-2:] in ("_a", "_b")}
    return f"{near(name, stems)}; it has {table.head.listing()}"
