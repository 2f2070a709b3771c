"""``paragone import``: record comparisons that were made elsewhere, as many as there are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Protocol, TypeVar

import typer

from paragone.cli import options, vote_options
from paragone.cli.json_out import print_json

if TYPE_CHECKING:
    from paragone.tournaments.vote_import import ImportResult


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
    file: vote_options.File,
    into: Annotated[
        str | None,
        typer.Option(
            "--into", metavar="NAME", help="The tournament, by id or name; the file's name where none is given."
        ),
    ] = None,
    a: vote_options.SideA = None,
    b: vote_options.SideB = None,
    winner: vote_options.Winner = None,
    loser: vote_options.Loser = None,
    draw: vote_options.Draw = None,
    weight: Annotated[
        str | None, typer.Option("--weight", metavar="NAME", help="Column of weights, from 0.1 to 1.")
    ] = None,
    judge: vote_options.Judge = None,
    no_judge: vote_options.NoJudge = False,
    position: vote_options.Position = False,
    repeats: vote_options.Repeats = None,
    strict: vote_options.Strict = False,
    encoding: options.Encoding = None,
    db: options.Database = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Record comparisons in a ledger, a chunk at a time; after an interruption, the same command goes on."""
    from dataclasses import asdict

    from paragone.errors import UsageError
    from paragone.intake.votes import VoteFile
    from paragone.settings import settings
    from paragone.tournaments.vote_import import import_votes

    chosen = vote_options.vote_options(
        a=a,
        b=b,
        winner=winner,
        loser=loser,
        draw=draw,
        weight=weight,
        judge=judge,
        no_judge=no_judge,
        position=position,
        repeats=repeats,
        strict=strict,
        encoding=encoding,
    )
    last: list[ImportResult] = []
    try:
        with watched(VoteFile(source=file).count, last, quiet=quiet) as observer:
            done = import_votes(
                file,
                db=db or settings().db,
                into=into,
                options=chosen,
                observer=observer,
            )
    except (UsageError, KeyboardInterrupt) as error:
        if last:
            repair = "repair the file and import it again" if isinstance(error, UsageError) else "import it again"
            typer.echo(f"{_there(last[-1])}; {repair} to go on", err=True)
        raise
    if not quiet:
        vote_options.print_notes(done.notes)
    if as_json:
        print_json(asdict(done))
    else:
        typer.echo(_sentence(done))


def _there(done: "ImportResult") -> str:
    skipped = f", {done.skipped:,} of them skipped," if done.skipped else ""
    return f"{done.rows:,} rows of {done.file}{skipped} are in {done.tournament}"


def _sentence(done: "ImportResult") -> str:
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
