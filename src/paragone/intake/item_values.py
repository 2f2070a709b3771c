"""Values by item from files: true strengths, vectors, similarities of pairs."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from paragone.errors import InvalidItems, UnknownColumn, UnreadableFile
from paragone.intake.items import ID_NAMES
from paragone.intake.table import as_number, as_text, is_missing
from paragone.intake.table_files import read_table

SCORE_NAMES = ("score", "strength", "rating")
"""Columns taken for the strength, the proper name first."""


def read_strengths(path: str | Path) -> dict[str, float]:
    """Strengths by id, from a table with columns ``id`` and ``score``.

    Raises:
        UnreadableFile: If the file cannot be read.
        UnknownColumn: If a column is absent.
        InvalidItems: If a score is not a number or an id is repeated.
    """
    table = read_table(path)
    id_at, score_at = table.found(ID_NAMES, option="id"), table.found(SCORE_NAMES, option="score")
    if id_at is None or score_at is None:
        raise UnknownColumn(f"{path} needs the columns 'id' and 'score'; it has {table.listing()}")
    strengths: dict[str, float] = {}
    for index, row in enumerate(table.rows):
        id, score = as_text(row[id_at]), as_number(row[score_at])
        if not id or is_missing(row[id_at]) or id in strengths:
            raise InvalidItems(f"{table.where(index)}: the id {row[id_at]!r} is missing or there twice")
        if score is None or not math.isfinite(score):
            raise InvalidItems(f"{table.where(index)}: the score {row[score_at]!r} is not a number")
        strengths[id] = score
    return strengths


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
            raise InvalidItems(f"{table.where(index)}: the id {row[id_at]!r} is missing or there twice")
        if not isinstance(vector, list) or not vector or not all(_is_number(value) for value in vector):
            raise InvalidItems(f"{table.where(index)}: the vector of {id!r} is no list of numbers")
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
            raise InvalidItems(f"{table.where(index)}: {a!r} and {b!r} are one item, or there twice")
        similarities[a, b] = value
    return similarities
