"""Recorded comparisons as arrays: what ``read_votes`` reads, without an object a vote, for millions of rows."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paragone.errors import InvalidVotes
from paragone.intake.columnar_table import ColumnarTable, DictionaryColumn, columnar_table
from paragone.intake.table import as_number, as_text, is_missing
from paragone.intake.vote import VoteOptions, Votes
from paragone.intake.vote_columns import Language, VoteColumns, calls_of, item_id, labels_of, rows_of
from paragone.intake.votes import NAMED, VoteFile, VoteSurvey
from paragone.intake.winner_cells import Labels, WinnerMeaning, WinnerNumbers, by_one_hot, is_yes, score_in

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_NOBODY = -1
"""The number of an item that is missing."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class VoteArrays:
    """Votes in the order of their rows, as arrays of one length.

    Attributes:
        names: Ids of items, each once.
        judges: Judges, each once; None is a vote that names nobody.
        a: The item named first, an index into ``names``, shape (votes,).
        b: The other.
        score: Score of ``a`` in [0, 1], as in ``Vote``.
        tie: Whether it was called a tie.
        weight: How much each counts.
        judge: Index into ``judges``.
        abstentions: Rows left out because they name no winner.
        has_order: Whether ``a`` may be taken for the item shown first.
        notes: How the votes were read, in sentences.
        row: The row of each vote in its source, from 0; abstentions and skipped rows are between them.
        numbers: How numbers of winners were read, in words, where that depended on all of them; empty for scores.
    """

    names: Sequence[str]
    judges: Sequence[str | None]
    a: Ints
    b: Ints
    score: Floats
    tie: Bools
    weight: Floats
    judge: Ints
    abstentions: int
    has_order: bool
    notes: tuple[str, ...]
    row: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    numbers: str | None = None

    def __len__(self) -> int:
        """How many votes there are."""
        return self.score.size

    @classmethod
    def of(cls, votes: Votes) -> "VoteArrays":
        """The arrays of votes that were read already."""
        names: dict[str, int] = {}
        judges: dict[str | None, int] = {}
        return cls(
            a=np.array([names.setdefault(vote.a, len(names)) for vote in votes], np.int64),
            b=np.array([names.setdefault(vote.b, len(names)) for vote in votes], np.int64),
            score=np.array([vote.score for vote in votes], np.float64),
            tie=np.array([vote.tie for vote in votes], np.bool_),
            weight=np.array([vote.weight for vote in votes], np.float64),
            judge=np.array([judges.setdefault(vote.judge, len(judges)) for vote in votes], np.int64),
            names=tuple(names),
            judges=tuple(judges),
            abstentions=votes.abstentions,
            has_order=votes.has_order,
            notes=votes.notes,
            row=np.arange(len(votes)),
        )


def read_vote_arrays(source: object, *, options: VoteOptions) -> VoteArrays:
    """The votes that ``read_votes`` reads, as arrays; the same errors and notes.

    Args:
        source: As for ``read_votes``; Parquet files and frames that speak Arrow are read column by column.
        options: How to read it.

    Raises:
        UnreadableFile: If the source cannot be read.
        UnknownColumn: If a column is absent or cannot be told from others.
        InvalidVotes: If too many rows cannot be evidence.
    """
    if isinstance(source, Votes):
        return VoteArrays.of(source)
    file = VoteFile(source=source, options=options)
    table = columnar_table(
        file.entries, lambda head: VoteColumns.of(head, options).used, name="votes", encoding=options.encoding
    )
    if table is None:
        raise InvalidVotes(f"{file.name} has no rows")
    return _arrays(file, table, _Rows.of(table, VoteColumns.of(table.head, options), options))


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _Rows:
    """What the rows of a table say, as ``rows_of`` has it, as arrays.

    Attributes:
        labels: What cells may say of the winner.
        names: Ids of items.
        a: The item named first, -1 where it is missing.
        b: The other.
        is_labelled: Whether the winner's cell is a label or a score, that of ``label``.
        label: Score by the label; NaN for an abstention.
        label_tie: Whether the label is a tie.
        is_named: Whether the winner's cell names one of the two items, that of ``named``.
        named_score: Score by the name.
        weight: How much each counts.
        probability: NaN where there is none.
        is_wrong: Whether a row cannot be evidence.
    """

    labels: Labels
    names: Sequence[str]
    a: Ints
    b: Ints
    is_labelled: Bools
    label: Floats
    label_tie: Bools
    is_named: Bools
    named_score: Floats
    weight: Floats
    probability: Floats
    is_wrong: Bools

    @classmethod
    def of(cls, table: ColumnarTable, columns: VoteColumns, options: VoteOptions) -> "_Rows":
        """The rows of a table."""
        numbers: dict[str, int] = {}
        a, b = (_each(table.columns[at], lambda cell: _item(cell, numbers), np.int64) for at in (columns.a, columns.b))
        is_pair = (a != _NOBODY) & (b != _NOBODY) & (a != b)
        item = _named(table, columns, numbers)
        labels = labels_of(
            table.head, columns, options, lambda: _numbers(table, columns, is_pair & (item != a) & (item != b))
        )
        winners = _Winners.of(table, columns, labels, item)
        weight = _column(table, columns.weight, lambda cell: _weight(as_number(cell)), 1.0)
        probability = _column(table, columns.probability, _probability, np.nan)
        is_named = (winners.item == a) | (winners.item == b)
        is_labelled = (winners.label != _NO_LABEL) & ~(winners.yields & is_named)
        is_wrong = ~is_pair | winners.is_unread | ~(is_labelled | is_named)
        is_wrong |= np.isnan(weight) | np.isinf(probability)
        return cls(
            labels=labels,
            names=tuple(numbers),
            a=a,
            b=b,
            is_labelled=is_labelled & ~is_wrong,
            label=winners.label,
            label_tie=winners.tie,
            is_named=is_named & ~is_wrong,
            named_score=np.where(winners.item == a, 1.0, 0.0),
            weight=weight,
            probability=probability,
            is_wrong=is_wrong,
        )

    @property
    def is_ambiguous(self) -> Bools:
        """Whether the winner's cell says two different things."""
        differ = self.label_tie | np.isnan(self.label) | (self.label != self.named_score)
        ambiguous: Bools = self.is_labelled & self.is_named & differ
        return ambiguous

    @property
    def language(self) -> Language:
        """How the winners are to be read where a cell may be read in two ways."""
        decided = (self.label == 0.0) | (self.label == 1.0)
        return Language(
            ids=bool((self.is_named & ~self.is_labelled).any()),
            labels=bool((self.is_labelled & ~self.is_named & decided).any()),
        )


_NO_LABEL = -1.0
_NO_ITEM = -2
"""The number of what names no item; no item of a row has it."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class _Winners:
    """What the cells about the winner say, by row.

    Attributes:
        label: Score by the label; NaN for an abstention, ``_NO_LABEL`` where it is no label.
        tie: Whether the label is a tie.
        item: The number of the item that it names, or ``_NO_ITEM``.
        yields: Whether the label counts only where it names no item of its row.
        is_unread: Whether nobody can tell if it is a draw.
    """

    label: Floats
    tie: Bools
    item: Ints
    yields: Bools
    is_unread: Bools

    @classmethod
    def of(cls, table: ColumnarTable, columns: VoteColumns, labels: Labels, item: Ints) -> "_Winners":
        """The winners of a table whose cells name these items."""
        size = len(table)
        label, tie, yields = np.ones(size), np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        if columns.winner is not None:
            label, tie = _called(table.columns[columns.winner], labels.meaning)
            yields = _each(table.columns[columns.winner], labels.yields, np.bool_)
        elif columns.scores:
            label, tie = _compared(*(table.columns[at] for at in columns.scores))
        elif columns.one_hot:
            label, tie = _called(_flags(table, columns.one_hot), by_one_hot)
        if columns.draw is None:
            return cls(label=label, tie=tie, item=item, yields=yields, is_unread=np.zeros(size, np.bool_))
        drawn = _each(table.columns[columns.draw], lambda cell: _DRAWN[is_yes(cell)], np.int64)
        return cls(
            label=np.where(drawn > 0, 0.5, label),
            tie=tie | (drawn > 0),
            item=np.where(drawn > 0, _NO_ITEM, item),
            yields=yields,
            is_unread=drawn < 0,
        )


def _named(table: ColumnarTable, columns: VoteColumns, numbers: Mapping[str, int]) -> Ints:
    """The number of the item that each row's winner names, or ``_NO_ITEM``; items have these numbers."""
    if columns.winner is None:
        return np.full(len(table), _NO_ITEM)
    winners: Ints = _each(
        table.columns[columns.winner], lambda cell: numbers.get(as_text(cell) or "", _NO_ITEM), np.int64
    )
    return winners


def _numbers(table: ColumnarTable, columns: VoteColumns, names_nothing: Bools) -> WinnerNumbers:
    """The numbers of winners, as ``winner_numbers`` has them; these rows name no item."""
    column = table.columns[columns.winner or 0]
    rows = np.bincount(column.codes, minlength=len(column.cells)).tolist()
    free = np.bincount(column.codes[names_nothing], minlength=len(column.cells)).tolist()
    read = {at: as_number(cell) for at, cell in enumerate(column.cells)}
    numbers = {at: number for at, number in read.items() if number is not None and not np.isnan(number)}
    counts: Counter[float] = Counter()
    for at, number in numbers.items():
        counts[number] += rows[at]
    return WinnerNumbers(counts, frozenset(number for at, number in numbers.items() if free[at]))


def _compared(first: DictionaryColumn, second: DictionaryColumn) -> tuple[Floats, Bools]:
    """Score and tie of each row by what both sides scored, as ``by_scores`` has it."""
    (a, a_wrong), (b, b_wrong) = (_scores_in(column) for column in (first, second))
    label = np.where(a == b, 0.5, np.where(a > b, 1.0, 0.0))
    label[np.isnan(a) & np.isnan(b)] = np.nan
    label[a_wrong | b_wrong | (np.isnan(a) != np.isnan(b))] = _NO_LABEL
    return label, label == 0.5


def _scores_in(column: DictionaryColumn) -> tuple[Floats, Bools]:
    """The score of each row's cell, and whether it is none."""
    scores = [score_in(cell) for cell in column.cells]
    values = np.array([np.nan if score is None else score for score in scores], np.float64)
    return values[column.codes], np.array([score is None for score in scores], np.bool_)[column.codes]


_DRAWN = {None: -1, False: 0, True: 1}
_FLAGS = (None, False, True, "neither")
"""What a cell of three columns of which one says who won may say."""


def _flags(table: ColumnarTable, columns: Sequence[int]) -> DictionaryColumn:
    """What these columns say, as one column of the triples of flags that there can be."""
    flags = [_each(table.columns[at], _flag, np.int32) for at in columns]
    codes = np.ravel_multi_index(flags, [len(_FLAGS)] * len(flags)).astype(np.int32)
    return DictionaryColumn(codes=codes, cells=list(product(_FLAGS, repeat=len(flags))))


def _flag(cell: object) -> int:
    """The index of a cell's meaning in ``_FLAGS``."""
    flag = is_yes(cell)
    return 0 if is_missing(cell) else len(_FLAGS) - 1 if flag is None else 1 + flag


def _called(column: DictionaryColumn, meaning: Callable[[Any], WinnerMeaning | None]) -> tuple[Floats, Bools]:
    """Score and tie of each row by what its cell means."""
    calls = [meaning(cell) for cell in column.cells]
    score, tie = list(map(_score, calls)), [call is not None and call.tie for call in calls]
    return np.array(score, np.float64)[column.codes], np.array(tie, np.bool_)[column.codes]


def _score(call: WinnerMeaning | None) -> float:
    if call is None:
        return _NO_LABEL
    return np.nan if call.score is None else call.score


def _each(column: DictionaryColumn, meaning: Callable[[object], object], kind: type) -> NDArray:  # type: ignore[type-arg]
    """The meaning of each row's cell, found out once for each different cell."""
    return np.array([meaning(cell) for cell in column.cells], kind)[column.codes]


def _column(table: ColumnarTable, at: int | None, meaning: Callable[[object], float], otherwise: float) -> Floats:
    if at is None:
        return np.broadcast_to(np.float64(otherwise), len(table))  # takes no memory
    values: Floats = _each(table.columns[at], meaning, np.float64)
    return values


def _item(cell: object, names: dict[str, int]) -> int:
    id = item_id(cell)
    return names.setdefault(id, len(names)) if id else _NOBODY


def _weight(weight: float | None) -> float:
    """A weight; NaN where it is none."""
    return weight if weight is not None and 0.0 < weight < float("inf") else np.nan


def _probability(cell: object) -> float:
    """A probability; NaN where there is none, infinite where it is not one."""
    if is_missing(cell):
        return np.nan
    value = as_number(cell)
    return value if value is not None and 0.0 <= value <= 1.0 else np.inf


def _arrays(file: VoteFile, table: ColumnarTable, rows: _Rows) -> VoteArrays:
    language, columns = rows.language, VoteColumns.of(table.head, file.options)
    if language.ids == language.labels and rows.is_ambiguous.any():
        first = table.rows([int(np.argmax(rows.is_ambiguous))])
        calls_of(first, rows_of(first, columns, rows.labels), language)  # refuses it
    by_name = language.ids and not language.labels
    use_name = rows.is_named & (by_name | ~rows.is_labelled)
    called = np.where(use_name, rows.named_score, np.where(rows.is_labelled, rows.label, np.nan))
    has_probability = ~np.isnan(rows.probability)
    score = np.where(has_probability, rows.probability, called)
    score[rows.is_wrong] = np.nan
    tie = rows.label_tie & rows.is_labelled & ~use_name & ~has_probability
    survey = _survey(file, table, rows, score)
    survey.refuse_unsound(strict=file.options.strict)
    judges, judge = _judges(table, columns.judge)
    is_evidence = ~np.isnan(score)
    selected = slice(None) if is_evidence.all() else is_evidence  # a slice copies nothing
    return VoteArrays(
        names=rows.names,
        judges=judges,
        a=rows.a[selected],
        b=rows.b[selected],
        score=score[selected],
        tie=tie[selected],
        weight=rows.weight[selected],
        judge=judge[selected],
        abstentions=survey.abstentions,
        has_order=survey.has_order,
        notes=survey.notes,
        row=np.flatnonzero(is_evidence),
        numbers=rows.labels.note if rows.labels.depend else None,
    )


def _survey(file: VoteFile, table: ColumnarTable, rows: _Rows, score: Floats) -> VoteSurvey:
    """What the source holds; only the first rows that cannot be evidence are put into words."""
    wrong = np.flatnonzero(rows.is_wrong)
    first = table.rows(wrong[:NAMED].tolist())
    problems = [row.problem for row in rows_of(first, VoteColumns.of(table.head, file.options), rows.labels)]
    return replace(
        file.begun(table.head),
        numbers=rows.labels.note,
        rows=len(table),
        abstentions=int(np.isnan(score).sum()) - wrong.size,
        skipped=wrong.size,
        problems=tuple(f"{first.where(at)}: {problem}" for at, problem in enumerate(problems)),
        first_wins=int((score > 0.5).sum()),
        second_wins=int((score < 0.5).sum()),
    )


def _judges(table: ColumnarTable, at: int | None) -> tuple[Sequence[str | None], Ints]:
    """The judges, each once, and the number of each row's."""
    if at is None:
        return (None,), np.broadcast_to(np.int64(0), len(table))
    numbers: dict[str | None, int] = {}

    def number(cell: object) -> int:
        return numbers.setdefault(None if is_missing(cell) else as_text(cell), len(numbers))

    judge = _each(table.columns[at], number, np.int64)
    return tuple(numbers), judge
