"""``paragone tournament list``, ``rename``, ``archive``, ``unarchive`` and ``delete``."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import completion, options
from paragone.cli.options import argument, option
from paragone.cli.terminal import moment
from paragone.domain.text import counted
from paragone.presenting.table import Table, table, text

if TYPE_CHECKING:
    from paragone.ledger import Ledger
    from paragone.tournaments.lifecycle import Lifecycle

Id = Annotated[str, argument("The id of a tournament.", metavar="TOURNAMENT", autocompletion=completion.tournaments)]
Pool = Annotated[
    str,
    argument(
        "The id of a tournament, or of a pool of agents.", metavar="TOURNAMENT", autocompletion=completion.tournaments
    ),
]


def _opened(db: str | None) -> "Ledger":
    from paragone.ledger import Ledger

    return Ledger.open(options.db_url(db), create=False)


def list_tournaments(
    output: options.Output,
    db: options.Database = None,
    every: Annotated[bool, option("Also list those that were archived or deleted.", "--all")] = False,
) -> None:
    """List the tournaments of a ledger, the newest first."""
    from paragone.ledger.evidence.tournaments import JOURNAL
    from paragone.tournaments.lifecycle import Lifecycle, lifecycles

    with _opened(db) as ledger:
        marks, states = lifecycles(ledger), ledger.tournaments.states()
        tournaments = [each for each in ledger.tournaments.all() if states.get(each.id) != JOURNAL]
        rows = [
            {
                "id": record.id,
                "title": marks.get(record.id, Lifecycle()).title or str(record.settings.get("title", "")) or record.id,
                "state": marks.get(record.id, Lifecycle()).state,
                "created": record.created.isoformat(),
            }
            for record in reversed(tournaments)
        ]
    listed = [row for row in rows if every or row["state"] == "active"]
    output.show(listed, partial(_rows, hidden=len(rows) - len(listed)))


def _rows(rows: list[dict[str, str]], *, hidden: int) -> Iterator[str | Table[Any]]:
    if not rows and hidden:
        yield f"{counted(hidden, 'tournament')} archived or deleted: --all lists {'it' if hidden == 1 else 'them'}, too"
        return
    if not rows:
        yield "there is no tournament in the ledger yet; rank something first"
        return
    columns = [text(name, lambda row, name=name: row[name]) for name in ("id", "title", "state")]  # type: ignore[misc]
    yield table(rows, *columns, text("created", lambda row: moment(datetime.fromisoformat(row["created"]))))


def rename(
    tournament: Pool,
    title: Annotated[str, argument("The new title.")],
    output: options.Output,
    db: options.Database = None,
    by: options.By = "terminal",
) -> None:
    """Give a tournament another title. Its id stays."""
    from paragone.tournaments import lifecycle

    with _opened(db) as ledger:
        _say(output, tournament, lifecycle.rename(ledger, tournament, title, by))


def archive(tournament: Pool, output: options.Output, db: options.Database = None, by: options.By = "terminal") -> None:
    """Leave a tournament out of lists. It goes on as before."""
    from paragone.tournaments import lifecycle

    with _opened(db) as ledger:
        _say(output, tournament, lifecycle.archive(ledger, tournament, by))


def unarchive(
    tournament: Pool, output: options.Output, db: options.Database = None, by: options.By = "terminal"
) -> None:
    """Show a tournament in lists again."""
    from paragone.tournaments import lifecycle

    with _opened(db) as ledger:
        _say(output, tournament, lifecycle.archive(ledger, tournament, by, is_archived=False))


def delete(
    tournament: Id,
    output: options.Output,
    db: options.Database = None,
    reason: Annotated[str, option("Why, for the record.", metavar="TEXT")] = "",
    yes: options.Yes = False,
    by: options.By = "terminal",
) -> None:
    """Delete a tournament: no list shows it, and it takes no new evidence. What is on record stays."""
    from paragone.tournaments import lifecycle

    with _opened(db) as ledger:
        lifecycle.lifecycle(ledger, tournament)  # refuses what is not there
        if not yes:
            typer.confirm(f"Delete {tournament}? It cannot be taken back.", abort=True, err=True)
        _say(output, tournament, lifecycle.delete(ledger, tournament, by, reason))


def _say(output: options.Output, tournament: str, at: "Lifecycle") -> None:
    values = {"id": tournament, "title": at.title, "state": at.state}
    output.say(values, f"{tournament}: {at.state}" + (f", {at.title!r}" if at.title else ""))
