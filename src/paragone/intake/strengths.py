"""Known strengths of items, for simulated judges."""

import math
from pathlib import Path

from paragone.errors import InvalidItems, UnknownColumn
from paragone.intake.cell import as_number, as_text, is_missing
from paragone.intake.items import ID_NAMES
from paragone.intake.source import read_table

SCORE_NAMES = ("score", "strength", "rating")
"""Columns taken for the strength, the proper name first."""


def read_strengths(path: str | Path) -> dict[str, float]:
    """Strengths by id, from a table with columns ``id`` and ``score``.

    Raises:
        UnreadableFile: If the file cannot be read.
        UnknownColumn: If a column is absent.
        InvalidItems: If a score is not a number or an id stands there twice.
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
