"""What a model holds of items before people vote: ratings by id, or the model's own votes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from paragone.errors import UnknownColumn
from paragone.intake.item_values import STRENGTH_NAMES, numbers_by_id
from paragone.intake.side_columns import id_at
from paragone.intake.table import InputTable
from paragone.intake.table_files import tabulate
from paragone.intake.vote import VoteOptions, Votes
from paragone.intake.vote_columns import VoteColumns
from paragone.intake.votes import read_votes

ELO_NAMES = ("elo", "elo_rating", "arena_elo")
"""Columns taken for the rating where there is no better one; a board has both."""


def read_prior(source: object) -> dict[str, float] | Votes:
    """Ratings by id, or votes that are still to be fitted.

    Args:
        source: A mapping of ids to ratings; a table of ratings with columns ``id`` and ``rating``, such as a board that
            was written to .csv; a board in .json; or votes, as ``read_votes`` takes them.

    Raises:
        UnreadableFile: If the source cannot be read.
        UnknownColumn: If it is neither.
        InvalidItems: If a rating is not a number, or an id is there twice.
        InvalidVotes: If too many rows of votes cannot be evidence.
    """
    if isinstance(source, Mapping) and "items" not in source:
        return _checked(InputTable.of_records(enumerate(_entries(source), 1), name="prior", unit="entry"))
    if _are_tuples(source):
        return read_votes(source)
    rows = _board_rows(source)
    table = tabulate(source if rows is None else rows, name="prior" if rows is None else str(source))
    if rows is None and _are_votes(table):
        return read_votes(source)
    return _checked(table)


def _entries(ratings: Mapping[object, object]) -> list[Mapping[str, object]]:
    return [{"id": id, "rating": rating} for id, rating in ratings.items()]


def _board_rows(source: object) -> list[object] | None:
    """The rows of a board in JSON; None for anything else."""
    if isinstance(source, str | Path) and Path(source).suffix.lower() == ".json" and Path(source).is_file():
        try:
            source = json.loads(Path(source).read_text("utf-8"))
        except (ValueError, OSError):
            return None  # whoever reads it as a table says what is wrong with it
    rows = source.get("items") if isinstance(source, Mapping) else None
    return rows if isinstance(rows, list) else None


def _are_tuples(source: object) -> bool:
    """Whether it is a list of triples (a, b, winner), or of pairs (winner, loser)."""
    rows = source if isinstance(source, Sequence) and not isinstance(source, str) else ()
    return len(rows) > 0 and not any(isinstance(row, Mapping) for row in rows)


def _are_votes(table: InputTable) -> bool:
    try:
        VoteColumns.of(table, VoteOptions())
    except UnknownColumn:
        return False
    return True


def _checked(table: InputTable) -> dict[str, float]:
    item_at, rating_at = id_at(table), table.found(STRENGTH_NAMES, option="rating")
    if rating_at is None:
        rating_at = table.found(ELO_NAMES, option="rating")
    if item_at is None or rating_at is None:
        raise UnknownColumn(
            f"{table.name} is neither ratings (columns 'id' and 'rating') nor votes ('a', 'b' and 'winner'); "
            f"it has {table.listing()}"
        )
    return numbers_by_id(table, item_at, rating_at, "rating")
