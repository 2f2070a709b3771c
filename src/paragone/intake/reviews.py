"""Reviews from files and Python values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paragone.domain import Review
from paragone.errors import InvalidItems, UnknownColumn
from paragone.intake.table import Table, as_number, as_text, is_missing
from paragone.intake.table_files import read_table, tabulate

ITEM_NAMES = ("item", "id", "item_id", "hypothesis_id", "hypothesis", "key", "name")
"""Columns taken for the item's id, the proper name first."""

SCORE_NAMES = ("score", "overall", "overall_score", "rating", "review_score")
"""Columns taken for the score, the proper name first."""

REVIEWER_NAMES = ("reviewer", "by", "judge", "author", "agent")
TEXT_NAMES = ("text", "review", "comment", "rationale", "summary", "feedback")
CRITERIA_NAMES = ("scores", "criteria")

UNNAMED = "reviewer"
"""Who reviewed, where that is not said."""


def read_reviews(path: str | Path, *, item_ids: Collection[str] | None = None) -> tuple[Review, ...]:
    """Reviews from a .csv, .tsv, .jsonl, .json or .parquet file.

    Each row has an item and a score from 0 to 1; ``reviewer`` and ``text`` where they are there. Criteria are in a
    mapping called ``scores``, or each in a column of its own: any further column that holds numbers from 0 to 1.

    Args:
        path: The file.
        item_ids: Ids of the items that may be reviewed; None for any.

    Raises:
        UnreadableFile: If the file cannot be read.
        UnknownColumn: If there is no column for the item or the score.
        InvalidItems: If an item or a score is missing or out of its range, or an item is none of the known; names the
            line.
    """
    return _reviews(read_table(path), item_ids)


def as_reviews(source: object, *, item_ids: Collection[str] | None = None) -> tuple[Review, ...]:
    """Reviews from whatever a Python caller has: a path, a data frame, mappings, or ``Review`` values.

    Raises:
        UsageError: As ``read_reviews``.
    """
    if isinstance(source, list | tuple) and source and all(isinstance(entry, Review) for entry in source):
        return tuple(_known(review, item_ids, f"reviews, entry {at}") for at, review in enumerate(source, 1))
    return _reviews(tabulate(source, name="reviews"), item_ids)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Columns:
    """The column of each field; None for an absent one."""

    item: int
    score: int
    reviewer: int | None
    text: int | None
    mapping: int | None
    criteria: Mapping[str, int]

    @classmethod
    def of(cls, table: Table) -> "_Columns":
        item, score = _needed(table, ITEM_NAMES), _needed(table, SCORE_NAMES)
        optional = [table.found(names, option="its name") for names in (REVIEWER_NAMES, TEXT_NAMES, CRITERIA_NAMES)]
        used = {item, score, *optional}
        rest = {name: at for at, name in enumerate(table.columns) if at not in used and _is_criterion(table, at)}
        reviewer, text, mapping = optional
        return cls(item=item, score=score, reviewer=reviewer, text=text, mapping=mapping, criteria=rest)

    def review(self, row: Sequence[object], where: str) -> Review:
        item = _word(row, self.item)
        if not item:
            raise InvalidItems(f"{where}: the item's id is missing")
        own = {} if self.mapping is None else _mapped(row[self.mapping], where)
        beside = {name: row[at] for name, at in self.criteria.items() if not is_missing(row[at])}
        return Review(
            item=item,
            reviewer=_word(row, self.reviewer) or UNNAMED,
            score=_share(row[self.score], "score", where),
            scores=tuple((name, _share(value, name, where)) for name, value in (own | beside).items()),
            text=_word(row, self.text),
        )


def _reviews(table: Table, item_ids: Collection[str] | None) -> tuple[Review, ...]:
    columns = _Columns.of(table)
    origins = [table.where(index) for index in range(len(table.rows))]
    return tuple(
        _known(columns.review(row, where), item_ids, where) for row, where in zip(table.rows, origins, strict=True)
    )


def _needed(table: Table, names: tuple[str, ...]) -> int:
    at = table.found(names, option="its name")
    if at is None:
        alternatives = ", ".join(names[1:])
        raise UnknownColumn(f"{table.name} has no column {names[0]!r} (or {alternatives}); it has {table.listing()}")
    return at


def _is_criterion(table: Table, column: int) -> bool:
    """Whether a column holds nothing but numbers from 0 to 1, and gaps."""
    numbers = [as_number(cell) for cell in table.cells(column) if not is_missing(cell)]
    return bool(numbers) and all(number is not None and 0.0 <= number <= 1.0 for number in numbers)


def _mapped(cell: object, where: str) -> dict[str, object]:
    if is_missing(cell):
        return {}
    if not isinstance(cell, Mapping):
        raise InvalidItems(f"{where}: the scores by criterion are {{name: number}}, not {type(cell).__name__}")
    return {str(name): value for name, value in cell.items()}


def _word(row: Sequence[object], column: int | None) -> str:
    return "" if column is None or is_missing(row[column]) else as_text(row[column]) or ""


def _share(cell: object, name: str, where: str) -> float:
    number = as_number(cell)
    if number is None or not 0.0 <= number <= 1.0:
        value = "missing" if is_missing(cell) else repr(cell)
        raise InvalidItems(f"{where}: the {name} is {value}; it must be a number from 0 to 1")
    return number


def _known(review: Review, item_ids: Collection[str] | None, where: str) -> Review:
    if item_ids is not None and review.item not in item_ids:
        raise InvalidItems(f"{where}: {review.item!r} is not among the items; a review needs the id of one")
    return review
