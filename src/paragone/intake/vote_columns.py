"""Find the columns of a table of recorded votes, and read its rows: who met, and who won by side, item or score."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from paragone.errors import InvalidVotes, UnknownColumn
from paragone.intake.table import InputTable, as_number, as_text, is_missing, spelling
from paragone.intake.vote import VoteOptions, code_list
from paragone.intake.winner_cells import (
    ABSTAINED,
    CODES,
    MORE_SIDES,
    SIDES,
    TIED,
    WON_A,
    Labels,
    WinnerMeaning,
    WinnerNumbers,
    by_id,
    by_one_hot,
    by_scores,
    is_yes,
    meanings_of_numbers,
    score_in,
)

WINNER_LOSER: Sequence[tuple[str, str]] = (
    ("winner", "loser"),
    ("winner_id", "loser_id"),
    ("winner_name", "loser_name"),
    ("chosen", "rejected"),
    ("better", "worse"),
)
"""Pairs of names for columns where a row names who won and who lost, and no sides."""

CHOSEN_MODELS = ("chosen_model", "rejected_model")
"""The same where a set of preferences says who wrote its ``chosen`` and ``rejected`` texts."""

DRAWS = ("draw", "tie", "is_draw", "is_tie", "tied")
"""Columns beside them that say whether a row is a draw, the proper name first."""

WINNER_NAMES = ("winner", "outcome", "result", "choice", "preference", "score")
"""Columns taken for the winner, the proper name first."""
MORE_WINNER_NAMES = ("label", "labels", "preferred", "selected", "verdict", "better_id", "score_a")
"""Columns taken for the winner of a table that has no other result."""
_ONE_HOT_TIE = "winner_tie"
"""Of the three columns of LMSYS's competition on Kaggle, one of which is 1; the others are ``winner_`` and a side."""


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteColumns:
    """The index of each column; None for one that the table lacks.

    Attributes:
        a: The item named first; the winner where there are no sides.
        b: The other.
        winner: The result; None where ``a`` holds the winner and ``b`` the loser, or ``one_hot`` or ``scores`` have it.
        one_hot: The columns of which one says yes: the first side won, the second did, it is a tie; else empty.
        scores: The columns of what each side scored, where they alone say who won; else empty.
        draw: Whether a row is a draw.
        weight: Weights.
        judge: Judges.
        judge_found: Whether the column of judges was found by its name, and not named by the caller.
        probability: Probabilities that the first is better.
    """

    a: int
    b: int
    winner: int | None
    one_hot: tuple[int, ...]
    scores: tuple[int, ...]
    draw: int | None
    weight: int | None
    judge: int | None
    judge_found: bool
    probability: int | None

    @classmethod
    def of(cls, table: InputTable, options: VoteOptions) -> "VoteColumns":
        """The columns of a table.

        Raises:
            UnknownColumn: If a column is absent or ambiguous.
        """
        pair = _winner_and_loser(table, options)
        a, b = _sides(table, options) if pair is None else pair
        judge = None if options.judge is False else _optional(table, options.judge, ("judge",), "--judge")
        draws = DRAWS if pair is not None else ()
        seeks = pair is None and options.winner is None
        one_hot = _one_hot(table) if seeks else ()
        scores = score_columns(table) if seeks and not one_hot and not _names_winner(table) else ()
        return cls(
            a=a,
            b=b,
            winner=_winner(table, options.winner) if pair is None and not one_hot and not scores else None,
            one_hot=one_hot,
            scores=scores,
            draw=_optional(table, options.draw, draws, "--draw"),
            weight=_optional(table, options.weight, ("weight",), "--weight"),
            judge=judge,
            judge_found=judge is not None and options.judge is None,
            probability=_optional(table, None, ("probability",), "--probability"),
        )

    @property
    def used(self) -> tuple[int, ...]:
        """The columns that there are."""
        some = (self.winner, *self.one_hot, *self.scores, self.draw, self.weight, self.judge, self.probability)
        return (self.a, self.b, *(column for column in some if column is not None))

    @property
    def has_sides(self) -> bool:
        """Whether rows have two sides, and do not name the winner and the loser."""
        return self.winner is not None or bool(self.one_hot or self.scores)

    def listing(self, table: InputTable) -> str:
        """Which columns hold the items and the result, for messages."""
        result = (self.winner, *self.one_hot, *self.scores, self.draw)
        positions = [self.a, self.b, *(position for position in result if position is not None)]
        names = [repr(table.columns[position]) for position in positions]
        return f"{', '.join(names[:-1])} and {names[-1]}"


def _winner_and_loser(table: InputTable, options: VoteOptions) -> tuple[int, int] | None:
    """The columns of winner and loser; None where rows have sides."""
    if options.a is not None or options.b is not None:
        if options.loser is not None:
            raise UnknownColumn(f"{table.name}: name the sides (--a, --b) or the loser (--loser), not both")
        return None
    if options.loser is not None:
        return _different(table, _winner(table, options.winner), table.named(options.loser, "--loser"), "--loser")
    pairs = _known_pairs(table, [CHOSEN_MODELS]) or _known_pairs(table, WINNER_LOSER)
    if _known_pairs(table, SIDES) or len(pairs) != 1:
        return None
    winner, loser = pairs[0]
    return (winner if options.winner is None else table.named(options.winner, "--winner")), loser


def _sides(table: InputTable, options: VoteOptions) -> tuple[int, int]:
    if options.a is not None and options.b is not None:
        return _different(table, table.named(options.a, "--a"), table.named(options.b, "--b"), "--b")
    if options.a is not None or options.b is not None:
        raise UnknownColumn(
            f"{table.name}: name both columns of items (--a, --b), or neither; it has {table.listing()}"
        )
    pairs = side_columns(table)
    if len(pairs) == 1:
        return pairs[0]
    names = ", ".join("/".join(pair) for pair in (*SIDES, *WINNER_LOSER)) + " and the like"
    problem = (
        f"several pairs of columns could be the items ({names})" if pairs else f"no two columns of items ({names})"
    )
    raise UnknownColumn(
        f"{table.name}: {problem}; it has {table.listing()}. Name them with --a and --b, or --winner and --loser"
        + _header_hint(table)
    )


def _header_hint(table: InputTable) -> str:
    if table.unit != "line":
        return ""
    return "; where the first line is a vote already, put a line of names above it, such as a,b,winner or winner,loser"


def _known_pairs(table: InputTable, pairs: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    index_of = {spelling(name): index for index, name in enumerate(table.columns)}
    return [(index_of[first], index_of[second]) for first, second in pairs if first in index_of and second in index_of]


def _different(table: InputTable, first: int, other: int, option: str) -> tuple[int, int]:
    if first == other:
        raise UnknownColumn(f"{table.name}: {option} and the other side both name the column {table.columns[first]!r}")
    return first, other


def _winner(table: InputTable, name: str | None) -> int:
    if name is not None:
        return table.named(name, "--winner")
    index = table.found(WINNER_NAMES, option="--winner")
    if index is None:
        index = table.found(MORE_WINNER_NAMES, option="--winner")
    if index is None:
        names = ", ".join((*WINNER_NAMES, *MORE_WINNER_NAMES))
        raise UnknownColumn(f"{table.name}: no winner ({names}); it has {table.listing()}. Name it with --winner")
    return index


def _one_hot(table: InputTable) -> tuple[int, ...]:
    """The three columns of which one says who won; none where there is a column of winners, or no such three."""
    names = {spelling(name): index for index, name in enumerate(table.columns)}
    pairs = _known_pairs(table, [(f"winner_{first}", f"winner_{second}") for first, second in SIDES])
    if WINNER_NAMES[0] in names or _ONE_HOT_TIE not in names or len(pairs) != 1:
        return ()
    return (*pairs[0], names[_ONE_HOT_TIE])


def _names_winner(table: InputTable) -> bool:
    return not {spelling(column) for column in table.columns}.isdisjoint(WINNER_NAMES)


def side_columns(table: InputTable) -> list[tuple[int, int]]:
    """The pairs of columns that may hold the two sides."""
    return _known_pairs(table, SIDES) or _known_pairs(table, MORE_SIDES)


def score_columns(table: InputTable) -> tuple[int, ...]:
    """The columns of what each side scored; none where there are no such two.

    Raises:
        UnknownColumn: If several pairs of columns could be that.
    """
    sides = (*SIDES, *MORE_SIDES, ("1", "2"), ("0", "1"))
    forms = ("score_{}", "{}_score", "score{}")
    pairs = _known_pairs(table, [(form.format(a), form.format(b)) for (a, b), form in product(sides, forms)])
    if len(pairs) > 1:
        several = ", ".join(f"{table.columns[a]!r} and {table.columns[b]!r}" for a, b in pairs)
        raise UnknownColumn(
            f"{table.name}: several pairs of columns could be the scores of both sides: {several}; rename those that "
            "are not, or add a column winner"
        )
    return pairs[0] if pairs else ()


def _optional(table: InputTable, name: str | None, candidates: Sequence[str], option: str) -> int | None:
    if name is not None:
        return table.named(name, option)
    return table.found(candidates, option=option) if candidates else None


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteRow:
    """A row of votes.

    Attributes:
        a: Id of the item named first; empty where it is missing.
        b: Id of the other.
        label: The winner's cell as a label or score; None if it is neither.
        id: The item it names; None if it names neither.
        weight: How much the row counts.
        probability: Probability that the first is better, where the row has one.
        judge: The judge; None where none is named.
        problem: Why it cannot be evidence; None where it can.
    """

    a: str
    b: str
    label: WinnerMeaning | None = None
    id: WinnerMeaning | None = None
    weight: float = 1.0
    probability: float | None = None
    judge: str | None = None
    problem: str | None = None

    @property
    def is_ambiguous(self) -> bool:
        """Whether the winner says two different things."""
        return self.label is not None and self.id is not None and self.label != self.id


def rows_of(table: InputTable, columns: VoteColumns, labels: Labels) -> list[VoteRow]:
    """The rows of a table."""
    return [_row(table, columns, cells, labels) for cells in table.rows]


def winner_numbers(table: InputTable, columns: VoteColumns) -> WinnerNumbers:
    """The numbers in the winner's column."""
    at = columns.winner
    if at is None:
        return WinnerNumbers()
    column: list[Any] = [row[at] for row in table.rows]
    is_text = set(map(type, column)) == {str}  # as in text files
    cells = Counter(
        column if is_text else [cell for cell in column if type(cell) in _PLAIN or as_number(cell) is not None]
    )
    numbers = {cell: number for cell in cells if (number := as_number(cell)) is not None and not math.isnan(number)}
    counts: Counter[float] = Counter()
    for cell, number in numbers.items():
        counts[number] += cells[cell]
    return WinnerNumbers(counts, _free(table, columns, numbers) if counts.keys() & CODES else frozenset())


_PLAIN = frozenset({str, int, float})


def _free(table: InputTable, columns: VoteColumns, numbers: Mapping[object, float]) -> frozenset[float]:
    """The numbers that in some row name neither of its two items, or as many as show that they are no codes."""
    waiting, free = set(numbers.values()), set[float]()
    for row in table.rows:
        cell = row[columns.winner or 0]
        number = numbers.get(cell) if type(cell) in _PLAIN or as_number(cell) is not None else None
        if number in waiting and _names_nothing(row, columns):
            waiting.discard(number)
            free.add(number)
            if not waiting or number not in CODES:
                break
    return frozenset(free)


def _names_nothing(row: tuple[object, ...], columns: VoteColumns) -> bool:
    a, b = item_id(row[columns.a]), item_id(row[columns.b])
    return bool(a and b and a != b and by_id(row[columns.winner or 0], a, b) is None)


def labels_of(
    table: InputTable, columns: VoteColumns, options: VoteOptions, numbers: Callable[[], WinnerNumbers]
) -> Labels:
    """What cells of the winner's column may say.

    Args:
        table: The table, with or without its rows.
        columns: Its columns.
        options: How the votes are read.
        numbers: Returns ``winner_numbers`` of the whole source.

    Raises:
        InvalidVotes: If numbers in it are in use for different things.
    """
    a, b = table.columns[columns.a], table.columns[columns.b]
    labels = Labels.of(a, b)
    if options.codes is not None:
        return labels.coded(code_list(options.codes))
    if columns.winner is None:
        return labels
    occurring = numbers()
    meanings = meanings_of_numbers(occurring, table=table.name, column=table.columns[columns.winner], a=a)
    return replace(labels, numbers=meanings, depend=occurring.depend)


def _row(table: InputTable, columns: VoteColumns, cells: tuple[object, ...], labels: Labels) -> VoteRow:
    a, b = item_id(cells[columns.a]), item_id(cells[columns.b])
    problem = None
    if not a or not b:
        at = columns.b if a else columns.a
        name, cell = table.columns[at], cells[at]
        is_absent = is_missing(cell)
        problem = f"an item is missing in {name!r}" if is_absent else f"{str(cell)[:40]!r} in {name!r} is no item's id"
    elif a == b:
        problem = f"{a!r} is compared with itself"
    if problem is not None:
        return VoteRow(a=a, b=b, problem=problem)
    label, id, problem = _winner_of(columns, cells, a, b, labels)
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


def item_id(cell: object) -> str:
    """The id of an item; empty where the cell names none."""
    return "" if is_missing(cell) else as_text(cell) or ""


def _winner_of(
    columns: VoteColumns, cells: tuple[object, ...], a: str, b: str, labels: Labels
) -> tuple[WinnerMeaning | None, WinnerMeaning | None, str | None]:
    """The winner as a label and as an item, and what is wrong with it."""
    drawn = False if columns.draw is None else is_yes(cells[columns.draw])
    if drawn is None:
        return None, None, f"{cells[columns.draw or 0]!r} does not say whether it is a draw; write true or false"
    if drawn or not columns.has_sides:
        return (TIED if drawn else WON_A), None, None
    if columns.scores:
        first, second = (cells[column] for column in columns.scores)
        call = by_scores(score_in(first), score_in(second))
        return call, None, None if call is not None else _not_two_scores(first, second)
    if columns.winner is None:
        flags = [cells[column] for column in columns.one_hot]
        call = by_one_hot(flags)
        return call, None, None if call is not None else _not_one_hot(flags)
    cell = cells[columns.winner]
    label, id = labels.meaning(cell), by_id(cell, a, b)
    if label is not None and id is not None and labels.yields(cell):
        label = None
    if label is not None or id is not None:
        return label, id, None
    problem = (
        f"the winner {cell!r} is neither a side (a, b, left, right, first, second), nor tie, nor one of the two items "
        f"({a!r}, {b!r}), nor a score from 0 to 1 (`fit` and `import` take others with --codes); leave it empty where "
        "nobody said"
    )
    return None, None, problem


def _not_two_scores(first: object, second: object) -> str:
    return f"the scores {first!r} and {second!r} are not two numbers; give both, or leave both empty where nobody said"


def _not_one_hot(flags: Sequence[object]) -> str:
    first, second, tie = (repr(flag) for flag in flags)
    return (
        f"the winner is {first} for the first side, {second} for the second and {tie} for a tie; one of these must be "
        "1 and the others 0, or all empty where nobody said"
    )


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


def calls_of(table: InputTable, rows: Sequence[VoteRow], language: Language) -> list[WinnerMeaning]:
    """What each row's winner says; an abstention for a row that cannot be evidence.

    Raises:
        InvalidVotes: If a winner can be understood in two ways.
    """
    return [_call(table, index, row, language) for index, row in enumerate(rows)]


def _call(table: InputTable, index: int, row: VoteRow, language: Language) -> WinnerMeaning:
    if row.is_ambiguous and language.ids == language.labels:
        winner = row.a if row.id == WON_A else row.b
        raise InvalidVotes(
            f"{table.where(index)}: the winner {winner!r} may mean a side or score, or the item of that name "
            f"({row.a!r} against {row.b!r}); write first, second or tie"
        )
    by_name = language.ids and not language.labels
    preferred = (row.id, row.label) if by_name else (row.label, row.id)
    return next((call for call in preferred if call is not None), ABSTAINED)
