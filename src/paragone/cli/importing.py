"""``paragone import``: record comparisons that were made elsewhere, as many as there are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.tournaments.imports import Imported


class SoFar(Protocol):
    """What an import has come to."""

    @property
    def rows(self) -> int:
        """Rows that are done."""
        ...


Done = TypeVar("Done", bound=SoFar)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_file)


def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A .csv, .tsv, .jsonl, .json or .parquet file of comparisons.")
    ],
    into: Annotated[
        str | None,
        typer.Option(
            "--into", metavar="NAME", help="The tournament, by id or name; the file's name where none is given."
        ),
    ] = None,
    a: Annotated[str | None, typer.Option("--a", metavar="NAME", help="Column of one side.")] = None,
    b: Annotated[str | None, typer.Option("--b", metavar="NAME", help="Column of the other side.")] = None,
    winner: Annotated[
        str | None,
        typer.Option(
            "--winner", metavar="NAME", help="Column of the result: a, b, tie, left, right, an id, or a score of a."
        ),
    ] = None,
    weight: Annotated[
        str | None, typer.Option("--weight", metavar="NAME", help="Column of weights, from 0.1 to 1.")
    ] = None,
    judge: Annotated[str | None, typer.Option("--judge", metavar="NAME", help="Column that names who judged.")] = None,
    position: Annotated[
        bool, typer.Option("--position/--no-position", help="Side a was shown first: fit a position term.")
    ] = False,
    db: options.Database = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Record comparisons in a ledger, a chunk at a time; after an interruption, the same command goes on."""
    from dataclasses import asdict

    from paragone.errors import UsageError
    from paragone.intake.vote_chunks import VoteFile
    from paragone.settings import settings
    from paragone.tournaments.imports import import_votes

    last: list[Imported] = []
    try:
        with watched(VoteFile(source=file).count, last, quiet=quiet) as observer:
            done = import_votes(
                file,
                db=db or settings().db,
                into=into,
                a=a,
                b=b,
                winner=winner,
                weight=weight,
                judge=judge,
                position=position,
                observer=observer,
            )
    except (UsageError, KeyboardInterrupt) as error:
        if last:
            repair = "repair the file and import it again" if isinstance(error, UsageError) else "import it again"
            typer.echo(f"{_there(last[-1])}; {repair} to go on", err=True)
        raise
    if as_json:
        print_json(asdict(done))
    else:
        typer.echo(_sentence(done))


def _there(done: "Imported") -> str:
    return f"{done.rows:,} rows of {done.file} are in {done.tournament}"


def _sentence(done: "Imported") -> str:
    if not done.added:
        return f"nothing to do: all {_there(done)} already"
    before = "" if done.added == done.rows else f", {done.added:,} of them new"
    return f"{_there(done)}{before}; look with: paragone board {done.tournament}"


@contextmanager
def watched(count: Callable[[], int | None], last: list[Done], *, quiet: bool) -> Iterator[Callable[[Done], None]]:
    """An observer that keeps the last state, and shows it where somebody sits at a terminal.

    Args:
        count: How many rows there are; asked when there is something to show.
        last: Where the last state is kept.
        quiet: Whether to show nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield last.append
        return
    with Progress(
        BarColumn(), MofNCompleteColumn(), "rows", TimeRemainingColumn(), console=console, transient=True
    ) as bar:
        task = bar.add_task("", total=None)

        def observe(state: Done) -> None:
            if not last:
                bar.update(task, total=count())
            last[:] = [state]
            bar.update(task, completed=state.rows)

        yield observe
