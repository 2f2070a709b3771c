"""``paragone consistency``: whether the results agree with each other, and whether the judges can be trusted."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from paragone.cli import options
from paragone.presenting.table import Table

if TYPE_CHECKING:
    from paragone.wire.consistency import Consistency

ROWS = 10
"""Rows of a table that are shown by default."""


def consistency(stored: options.Stored, output: options.Output, rows: options.Rows = None) -> None:
    """Check the consistency of results and judges.

    It lists circular triples, surprising results, sudden rating changes, and a row for each judge.
    """
    from paragone.tournaments.results.quality import quality_of

    with stored.opened() as tournament:
        quality = quality_of(tournament.ledger, tournament.state)
    output.show(quality, lambda each: _blocks(each, rows or ROWS), values=asdict)


def _blocks(quality: "Consistency", rows: int) -> Iterator[str | Table[Any]]:
    from paragone.presenting.consistency import circles, findings, judges, surprises, swings

    yield from (f"{name}: {sentence}" for name, sentence in findings(quality))
    tables: tuple[Table[Any], ...] = (circles(quality), surprises(quality), swings(quality))
    for each in tables:
        more = f", the first {rows} of them below" if len(each.rows) > rows else ""
        yield from ("", f"{each.title}: {len(each.rows) or 'none'}{more}")
        if each.rows:
            yield each.first(rows)
    table_of_judges = judges(quality.judges[:rows], quality.consensus)
    yield from ("", table_of_judges, table_of_judges.note)
