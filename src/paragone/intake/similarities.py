"""Who is like whom, from a file that somebody made before."""

from pathlib import Path

from paragone.errors import InvalidItems, UnknownColumn
from paragone.intake.cell import as_number, as_text, is_missing
from paragone.intake.source import read_table

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
    places = (table.found(("a",), option="a"), table.found(("b",), option="b"))
    a_at, b_at, value_at = *places, table.found(SIMILARITY_NAMES, option="similarity")
    if a_at is None or b_at is None or value_at is None:
        raise UnknownColumn(f"{path} needs the columns 'a', 'b' and 'similarity'; it has {table.listing()}")
    found: dict[tuple[str, str], float] = {}
    for index, row in enumerate(table.rows):
        one, other = (None if is_missing(row[at]) else as_text(row[at]) for at in (a_at, b_at))
        if not one or not other:
            raise InvalidItems(f"{table.where(index)}: an id is missing")
        a, b = sorted((one, other))
        value = as_number(row[value_at])
        if value is None or not -1.0 <= value <= 1.0:
            raise InvalidItems(f"{table.where(index)}: a similarity is a number from -1 to 1, not {row[value_at]!r}")
        if a == b or (a, b) in found:
            raise InvalidItems(f"{table.where(index)}: {a!r} and {b!r} are one item, or there twice")
        found[a, b] = value
    return found
