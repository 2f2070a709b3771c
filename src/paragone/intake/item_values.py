"""Values by item: true strengths, vectors and similarities from files, and reviews from files and Python values."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paragone.domain import Review
from paragone.domain.refusals import quoted
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidItems, UnknownColumn, UnreadableFile
from paragone.intake.items import ID_NAMES
from paragone.intake.table import InputTable, as_number, as_text, is_missing
from paragone.intake.table_files import read_table, tabulate

STRENGTH_NAMES = ("score", "strength", "rating")
"""Columns taken for the strength, the proper name first."""


def read_strengths(path: str | Path) -> dict[str, float]:
    """Strengths by id, from a table with columns ``id`` and ``score``.

    Raises:
        UnreadableFile: If the file cannot be read.
        UnknownColumn: If a column is absent.
        InvalidItems: If a score is not a number or an id is repeated.
    """
    table = read_table(path)
    id_at, score_at = table.found(ID_NAMES, option="id"), table.found(STRENGTH_NAMES, option="score")
    if id_at is None or score_at is None:
        raise UnknownColumn(f"{path} needs the columns 'id' and 'score'; it has {table.listing()}")
    return numbers_by_id(table, id_at, score_at, "score")


def numbers_by_id(table: InputTable, id_at: int, number_at: int, what: str) -> dict[str, float]:
    """The number of each row's item.

    Args:
        table: The table.
        id_at: Its column of ids.
        number_at: Its column of numbers.
        what: What these are, for messages.

    Raises:
        InvalidItems: If a cell is not a number or an id is repeated.
    """
    numbers: dict[str, float] = {}
    for index, row in enumerate(table.rows):
        id, number = as_text(row[id_at]), as_number(row[number_at])
        if not id or is_missing(row[id_at]) or id in numbers:
            raise InvalidItems(f"{table.where(index)}: the id {row[id_at]!r} is missing or appears twice")
        if number is None or not math.isfinite(number):
            raise InvalidItems(f"{table.where(index)}: the {what} {row[number_at]!r} is not a number")
        numbers[id] = number
    return numbers


VECTOR_NAMES = ("vector", "embedding")
"""Columns taken for the vector, the proper name first."""

Vector = Sequence[float]


def read_vectors(path: str | Path, ids: Sequence[str]) -> Mapping[str, Vector]:
    """Vectors by id.

    Args:
        path: A .npy file with one row an item, in the order of the items; or a table (.jsonl, .json, .parquet) with
            columns ``id`` and ``vector``, a list of numbers.
        ids: The items in their order. A .npy file may have fewer rows: items that came later have no vector.

    Raises:
        UnreadableFile: If the file cannot be read.
        UnknownColumn: If a column is absent.
        InvalidItems: If a vector is invalid, an id is repeated, or there are more rows than items.
    """
    if Path(path).suffix.lower() == ".npy":
        return _rows(Path(path), ids)
    table = read_table(path)
    id_at, vector_at = table.found(ID_NAMES, option="id"), table.found(VECTOR_NAMES, option="vector")
    if id_at is None or vector_at is None:
        raise UnknownColumn(f"{path} needs the columns 'id' and 'vector'; it has {table.listing()}")
    vectors: dict[str, Vector] = {}
    length = None
    for index, row in enumerate(table.rows):
        id, vector = as_text(row[id_at]), row[vector_at]
        if not id or is_missing(row[id_at]) or id in vectors:
            raise InvalidItems(f"{table.where(index)}: the id {row[id_at]!r} is missing or appears twice")
        if not isinstance(vector, list) or not vector or not all(_is_number(value) for value in vector):
            raise InvalidItems(f"{table.where(index)}: the vector of {id!r} is not a list of numbers")
        length = len(vector) if length is None else length
        if len(vector) != length:
            raise InvalidItems(f"{table.where(index)}: {len(vector)} numbers, and {length} in the rows before")
        vectors[id] = vector
    return vectors


def _rows(path: Path, ids: Sequence[str]) -> Mapping[str, Vector]:
    import numpy as np

    try:
        table = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else "it is no whole .npy file of numbers"
        raise UnreadableFile(f"{path}: {reason}") from error
    numeric = isinstance(table, np.ndarray) and table.dtype.kind in "fiu" and table.ndim == 2
    if not numeric or not np.isfinite(table).all():
        raise InvalidItems(f"{path} must be a table of finite numbers: one row an item, one column a dimension")
    if len(table) > len(ids):
        raise InvalidItems(f"{path} has {len(table)} rows for {len(ids)} items; give one each, in their order")
    return dict(zip(ids, table, strict=False))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


SIMILARITY_NAMES = ("similarity", "cosine")


def read_similarities(path: str | Path) -> dict[tuple[str, str], float]:
    """Similarities of pairs, from a table with columns ``a``, ``b`` and ``similarity``, from -1 to 1.

    Raises:
        UnreadableFile: If the file cannot be read.
        UnknownColumn: If a column is absent.
        InvalidItems: If an id is missing, an item stands beside itself, or a similarity is none; or if a pair is there
            twice.
    """
    table = read_table(path)
    id_columns = (table.found(("a",), option="a"), table.found(("b",), option="b"))
    a_at, b_at, value_at = *id_columns, table.found(SIMILARITY_NAMES, option="similarity")
    if a_at is None or b_at is None or value_at is None:
        raise UnknownColumn(f"{path} needs the columns 'a', 'b' and 'similarity'; it has {table.listing()}")
    similarities: dict[tuple[str, str], float] = {}
    for index, row in enumerate(table.rows):
        first, other = (None if is_missing(row[at]) else as_text(row[at]) for at in (a_at, b_at))
        if not first or not other:
            raise InvalidItems(f"{table.where(index)}: an id is missing")
        a, b = sorted((first, other))
        value = as_number(row[value_at])
        if value is None or not -1.0 <= value <= 1.0:
            raise InvalidItems(f"{table.where(index)}: a similarity is a number from -1 to 1, not {row[value_at]!r}")
        if a == b or (a, b) in similarities:
            raise InvalidItems(f"{table.where(index)}: {a!r} and {b!r} are one item, or appear twice")
        similarities[a, b] = value
    return similarities


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
    def of(cls, table: InputTable) -> "_Columns":
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
            scores={name: _share(value, name, where) for name, value in (own | beside).items()},
            text=_word(row, self.text),
        )


def _reviews(table: InputTable, item_ids: Collection[str] | None) -> tuple[Review, ...]:
    columns = _Columns.of(table)
    origins = [table.where(index) for index in range(len(table.rows))]
    return tuple(
        _known(columns.review(row, where), item_ids, where) for row, where in zip(table.rows, origins, strict=True)
    )


def _needed(table: InputTable, names: tuple[str, ...]) -> int:
    at = table.found(names, option="its name")
    if at is None:
        alternatives = ", ".join(names[1:])
        raise UnknownColumn(f"{table.name} has no column {names[0]!r} (or {alternatives}); it has {table.listing()}")
    return at


def _is_criterion(table: InputTable, column: int) -> bool:
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
        hint = did_you_mean(review.item, item_ids) or "; a review needs the id of one"
        raise InvalidItems(f"{where}: {quoted(review.item)} is not among the items{hint}")
    return review
