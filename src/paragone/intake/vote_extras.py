"""Columns of votes beside who met and who won: what differs between the sides, who judged, and the slice of a vote."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.traits import TRAITS
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidVotes, UnknownColumn
from paragone.intake.columnar_table import ColumnarTable, DictionaryColumn, columnar_table
from paragone.intake.side_columns import encoded
from paragone.intake.table import InputTable, as_number, as_text, is_missing, spelling
from paragone.intake.vote import VoteOptions, Votes
from paragone.intake.vote_columns import VoteColumns
from paragone.intake.votes import VoteFile
from paragone.intake.winner_cells import SIDES

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_SLICES = 50
"""The largest number of slices that votes are cut into; the rarest of more are one together."""
_LEAST_NAMED = 0.5
"""The share of votes that slices with a name of their own must have: a column of other cells is not a category."""
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
_EMPTY, _RARE = "none", "other"


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class SideDifference:
    """What one side of each vote has more of than the other.

    Attributes:
        name: What, such as ``log length``.
        values: First side less second, in units, shape (rows,).
        unit: What a unit is; a standard deviation from 0 if it is empty.
    """

    name: str
    values: Floats
    unit: str = ""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class VoteAdjustment:
    """What is taken out of votes for a name.

    Attributes:
        differences: What differs between the sides of a vote; empty for what does not.
        judge: The column that is to be taken for the judge, where the name is that of a whole vote; else empty.
        notes: How it was read, in sentences.
    """

    differences: tuple[SideDifference, ...] = ()
    judge: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Slices:
    """The slices that a column cuts votes into.

    Attributes:
        by: The column.
        names: Their names.
        number: The slice of each vote, shape (rows,).
        notes: What was put together, in sentences.
    """

    by: str
    names: tuple[str, ...]
    number: Ints
    notes: tuple[str, ...] = ()

    def of(self, row: Ints) -> "Slices":
        """Those of some rows: slices that are empty then are left out."""
        present, number = np.unique(self.number[row], return_inverse=True)
        return replace(self, names=tuple(self.names[at] for at in present.tolist()), number=number.reshape(-1))


def knows(votes: object, name: str, options: VoteOptions) -> bool:
    """Whether votes have a column of this name, or such a difference between their sides."""
    if isinstance(votes, Votes):
        return False
    table = _coded(votes, options, _first)
    return table is not None and (
        _sides_of(table.head, name) is not None or _whole(table.head, name, options) is not None
    )


def adjustment(votes: object, name: str, options: VoteOptions) -> VoteAdjustment:
    """What is to be taken out of votes for a name.

    What the first side of each vote has more of than the second stands in columns such as ``length_a`` and
    ``length_b``; or it is counted in the texts of both sides, or in the metadata of a published arena file.

    A column of the vote as a whole, such as ``judge_model``, is the same for both sides, and so nothing that could
    favour one of them by itself. It is taken for the judge, whose terms the fit has. Where it names one of the two
    items, that is a difference: what a judge's own answers gain by it.

    Args:
        votes: As for ``read_votes``.
        name: What, such as ``length``.
        options: How the votes are read.

    Raises:
        UnknownColumn: If votes do not have it.
        InvalidVotes: If cells are no numbers and too many words, or nothing differs.
    """
    table = None if isinstance(votes, Votes) else _coded(votes, options, _first)
    source = None if table is None else _sides_of(table.head, name)
    at = None if table is None else _whole(table.head, name, options)
    if table is None or (source is None and at is None):
        head = "the votes have" if table is None else f"{table.head.name} has"
        raise UnknownColumn(
            f"{head} no columns of {name!r} for both sides (adjust_for, --adjust-for), such as {name}_a and {name}_b"
            f"{_remedy(table, name)}"
        )
    if source is None and at is not None:
        return _by_judge(votes, at, table.head, options)
    names, values_of = source or ((), _nothing)
    cells = _coded(votes, options, lambda _: names)
    if cells is None:
        raise InvalidVotes("there are no votes")
    first, second = values_of(cells)
    return _scaled(name, [*first, *second], cells.head.name)


def _whole(head: InputTable, name: str, options: VoteOptions) -> int | None:
    """The column of this name that describes a whole vote, not its items or its result; None if there is none."""
    at = next((index for index, column in enumerate(head.columns) if spelling(column) == spelling(name)), None)
    used = VoteColumns.of(head, replace(options, judge=False)).used
    return None if at in used else at


def _by_judge(votes: object, at: int, head: InputTable, options: VoteOptions) -> VoteAdjustment:
    """A column that is taken for the judge, and what its own answers gain where it names items."""
    name, sides = head.columns[at], VoteColumns.of(head, replace(options, judge=False))
    if options.judge and options.judge != name:
        raise InvalidVotes(
            f"{head.name}: {name!r} speaks of a whole vote (adjust_for, --adjust-for) and can only be adjusted for as "
            "the judge; leave judge (--judge) out"
        )
    table = _coded(votes, options, lambda _: [at, sides.a, sides.b])
    if table is None:
        raise InvalidVotes("there are no votes")
    judge, a, b = (_words(table.columns[column]) for column in (at, sides.a, sides.b))
    own = (judge == a).astype(np.float64) - (judge == b)
    note = (
        f"{name!r} is the same for both sides of a vote and so favours neither: it is taken for the judge, whose "
        "sharpness and ties (and leaning, with --position) are taken out; what it thinks of each item shows "
        f"--by {name}"
    )
    count = int(np.count_nonzero(own))
    if not count:
        return VoteAdjustment(judge=name, notes=(note,))
    liking = f"in {count:,} votes {name!r} is one of the two items: its liking for itself is taken out"
    difference = SideDifference(name=f"{name} is the item", values=own, unit="a vote by the item itself")
    return VoteAdjustment(differences=(difference,), judge=name, notes=(note, liking))


def _words(column: DictionaryColumn) -> NDArray[np.object_]:
    """The cell of each row as a word; one that is empty is none of an item's."""
    words = [None if is_missing(cell) else as_text(cell) for cell in column.cells]
    return np.array([*words, ""], dtype=np.object_)[:-1][column.codes]


def slices(votes: object, column: str, options: VoteOptions) -> Slices:
    """The slices that a column cuts votes into; the rarest cells of too many are one slice together.

    Raises:
        UnknownColumn: If there is no such column.
        InvalidVotes: If it has too many different cells, most of them rare.
    """
    if isinstance(votes, Votes):
        raise UnknownColumn(f"votes that were read already have no column {column!r} (by, --by)")
    table = _coded(votes, options, lambda head: [head.named(column, "by, --by")])
    if table is None:
        raise InvalidVotes("there are no votes")
    (coded,) = table.columns.values()
    names = [_EMPTY if is_missing(cell) else as_text(cell) or str(cell) for cell in coded.cells]
    votes_of: Counter[str] = Counter()
    for name, count in zip(names, np.bincount(coded.codes, minlength=len(names)).tolist(), strict=True):
        votes_of[name] += count
    cells = [name for name, count in votes_of.items() if count]
    notes: tuple[str, ...] = ()
    if len(cells) > MOST_SLICES:
        common = sorted(cells, key=lambda name: (-votes_of[name], name))[: MOST_SLICES - 1]
        notes = (_put_together(table.head, column, votes_of, common),)
        names, cells = [name if name in common else _RARE for name in names], [*{*common, _RARE}]
    cells.sort(key=_in_order)
    number = {name: at for at, name in enumerate(cells)}
    number_of_name = np.array([number.get(name, 0) for name in names], np.int64)
    return Slices(by=column, names=tuple(cells), number=number_of_name[coded.codes], notes=notes)


def _put_together(head: InputTable, column: str, votes_of: Counter[str], common: Sequence[str]) -> str:
    """That the rarest cells are one slice; refused where they would be most of the votes."""
    rare = len(votes_of) - len(common)
    total, within = sum(votes_of.values()), sum(votes_of[name] for name in common)
    if within < _LEAST_NAMED * total:
        raise InvalidVotes(
            f"{head.name}: the column {column!r} has {len(votes_of):,} different cells; votes are cut into at most "
            f"{MOST_SLICES} slices, and the commonest have but {within / total:.0%} of the votes (by, --by)"
        )
    return (
        f"of {len(votes_of):,} slices by {column!r} the rarest {rare:,} are one, {_RARE!r}, of {total - within:,} votes"
    )


def _in_order(name: str) -> tuple[float, str]:
    """Numbers by their size, before words."""
    number = as_number(name)
    return (math.inf if number is None or math.isnan(number) else number), name


def _first(_: InputTable) -> Sequence[int]:
    return [0]


def _coded(votes: object, options: VoteOptions, chosen: Callable[[InputTable], Sequence[int]]) -> ColumnarTable | None:
    file = VoteFile(source=votes, options=options)
    return columnar_table(file.entries, chosen, name="votes", encoding=options.encoding)


_Cells = Sequence[object]
_Source = tuple[Sequence[int], Callable[[ColumnarTable], tuple[_Cells, _Cells]]]


def _nothing(_: ColumnarTable) -> tuple[_Cells, _Cells]:
    return (), ()


def _sides_of(head: InputTable, name: str) -> _Source | None:
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
                return _of_pair(pair[0], pair[1], _number_or_cell)
    if METADATA in at and name.casefold() in _COUNTS:
        return [at[METADATA]], lambda table: _counted(table, at[METADATA], _COUNTS[name.casefold()])
    trait = TRAITS.get(name.casefold())
    for text in _ANSWERS if trait is not None else ():
        pair = at.get(f"{text}_a"), at.get(f"{text}_b")
        if trait is not None and pair[0] is not None and pair[1] is not None:
            return _of_pair(pair[0], pair[1], lambda cell, trait=trait: trait(_text(cell)))  # type: ignore[misc]
    return None


def _of_pair(first: int, second: int, value: Callable[[object], object]) -> _Source:
    def values(table: ColumnarTable) -> tuple[_Cells, _Cells]:
        a, b = (_each(table.columns[at], list(map(value, table.columns[at].cells))) for at in (first, second))
        return a, b

    return [first, second], values


def _number_or_cell(cell: object) -> object:
    number = as_number(cell)
    return cell if number is None else number


def _each(column: DictionaryColumn, values: Sequence[object]) -> list[object]:
    """The value of each row, by those of the different cells."""
    return [values[code] for code in column.codes.tolist()]


def _counted(table: ColumnarTable, at: int, keys: Sequence[str]) -> tuple[_Cells, _Cells]:
    coded = table.columns[at]
    a, b = (
        _each(coded, [sum(_count(cell, key.format(side=side)) for key in keys) for cell in coded.cells])
        for side in "ab"
    )
    return a, b


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
    contents = [turn.get("content", "") for turn in turns if isinstance(turn, Mapping) and turn.get("role") != "user"]
    return "\n".join(each if isinstance(each, str) else "" for each in contents)


def _scaled(name: str, both: _Cells, source: str) -> VoteAdjustment:
    """The differences on the scale of the column, by their standard deviation; 0 where a side is missing."""
    _refuse_mixed(name, both, source)
    coded = encoded(name, [None if _is_gap(cell) else cell for cell in both], source)
    if not coded.columns:
        raise InvalidVotes(f"{source}: {name!r} is the same everywhere; there is nothing to adjust for")
    rows, differences = len(both) // 2, []
    for title, values in coded.columns:
        away = np.nan_to_num(values[:rows] - values[rows:])
        scale = float(np.sqrt((away**2).mean()))
        if scale > 0.0:
            differences.append(SideDifference(name=title, values=np.round(away / scale, 9)))
    if not differences:
        raise InvalidVotes(f"{source}: {name!r} never differs between the two sides; there is nothing to adjust for")
    return VoteAdjustment(differences=tuple(differences), notes=coded.notes)


def _is_gap(cell: object) -> bool:
    return is_missing(cell) or (isinstance(cell, float) and math.isnan(cell))


def _refuse_mixed(name: str, cells: _Cells, source: str) -> None:
    """Refuse a word among numbers: it would make a kind of each number."""
    present = [cell for cell in cells if not _is_gap(cell)]
    words = [cell for cell in present if (number := as_number(cell)) is None or not math.isfinite(number)]
    if words and len(words) < len(present):
        raise InvalidVotes(f"{source}: {name!r} is to be adjusted for, and {str(words[0])[:40]!r} is no number")


def _remedy(table: ColumnarTable | None, name: str) -> str:
    if table is None:
        return ""
    stems = {column[:-2] for column in table.head.columns if column[-2:] in ("_a", "_b")}
    return f"{did_you_mean(name, stems)}; it has {table.head.listing()}"
