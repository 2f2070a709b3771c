"""``paragone agents import``: past debates, or predictions, from a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options, vote_options
from paragone.cli.agents import opening
from paragone.cli.agents.record import HowPointsAdd, HowScoresCount, Normalize, Outcome
from paragone.cli.json_out import print_json
from paragone.domain.text import counted

if TYPE_CHECKING:
    from paragone.agents.imports import ImportedDebates


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_file)


def import_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A .csv, .tsv, .jsonl, .json, .parquet or .xlsx file of debates or predictions."
        ),
    ],
    outcome: HowScoresCount = Outcome.RATIO,
    normalize: HowPointsAdd = Normalize.SUM,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse agents that are not registered, and rows that cannot be evidence."),
    ] = False,
    encoding: options.Encoding = None,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Record past debates, or predictions, a chunk at a time; after an interruption, the same command goes on."""
    from dataclasses import asdict

    from paragone.agents.imports import import_debates
    from paragone.cli.importing import watched
    from paragone.errors import Conflict, UsageError
    from paragone.intake.debates import DebateFile
    from paragone.intake.table import listed
    from paragone.settings import settings

    last: list[ImportedDebates] = []
    try:
        with watched(DebateFile(source=file).count, last, quiet=quiet) as observer:
            done = import_debates(
                file,
                db=db or settings().db,
                pool=pool,
                outcome=outcome.value,
                normalize=normalize.value,
                strict=strict,
                encoding=encoding,
                observer=observer,
            )
    except (UsageError, Conflict, KeyboardInterrupt) as error:
        if last:
            rows, repair = f"the first {last[-1].rows:,} rows of {last[-1].file!r}", "mend the file and import it again"
            if isinstance(error, KeyboardInterrupt):  # which may have come just after the end of a chunk
                rows, repair = f"at least {rows}", "import it again"
            typer.echo(f"{rows} are on record, and stay; {repair} to go on", err=True)
        raise
    if done.skipped and not quiet:
        rows = counted(done.skipped, "row")
        vote_options.print_notes([f"{rows} of {done.rows:,} skipped: {listed(done.problems, done.skipped)}"])
    if as_json:
        print_json(asdict(done))
    else:
        typer.echo(_sentence(done))


def _sentence(done: "ImportedDebates") -> str:
    kind, known = (
        ("prediction", done.known_predictions)
        if done.predictions or done.known_predictions
        else ("debate", done.known_debates)
    )
    if not done.added:
        return f"nothing to do: {counted(known, kind)} of {done.file!r} {_are(known)} on record already"
    more = f", {known:,} more were on record already" if known else ""
    look = "calibration" if kind == "prediction" else "board"
    return f"{counted(done.added, f'new {kind}')} from {done.file!r}{more}; look with: paragone agents {look}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
