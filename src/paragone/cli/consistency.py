"""``paragone consistency``: whether the results agree with each other, and whether the judges can be trusted."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from paragone.cli import options

if TYPE_CHECKING:
    from paragone.presenting.table import Table
    from paragone.wire.consistency import Consistency

ROWS = 10
"""Rows of a table that are shown by default."""


def consistency(stored: options.Stored, output: options.Output, rows: options.Rows = None) -> None:
    """Check a tournament: circular triples, surprising results, sudden rating changes, and its judges."""
    from paragone.tournaments.results.quality import quality_of

    with stored.opened() as tournament:
        quality = quality_of(tournament.ledger, tournament.state)
    output.show(quality, lambda each: _print(each, rows or ROWS), values=asdict)


def _print(quality: "Consistency", rows: int) -> None:
    from paragone.cli.tables import out, plain, say, show
    from paragone.presenting.consistency import circles, findings, judges, surprises, swings

    say(*(f"{name}: {sentence}" for name, sentence in findings(quality)))
    tables: tuple[Table[Any], ...] = (circles(quality), surprises(quality), swings(quality))
    for table in tables:
        more = f", the first {rows} of them below" if len(table.rows) > rows else ""
        out().print()
        say(f"{table.title}: {len(table.rows) or 'none'}{more}")
        if table.rows:
            show(table.first(rows))
    table_of_judges = judges(quality.judges[:rows], quality.consensus)
    out().print()
    show(table_of_judges)
    out().print(plain(table_of_judges.note), style="dim")
