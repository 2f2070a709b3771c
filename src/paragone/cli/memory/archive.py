"""``paragone memory prune`` and ``restore``: move short-term memory to the archive, and bring it back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from paragone.cli import options
from paragone.cli.options import MemoryStore
from paragone.domain.text import counted, visible

if TYPE_CHECKING:
    from paragone.wire.prune import ArchivedFile, PruneCandidate, Pruning


def prune(
    store: MemoryStore,
    output: options.Output,
    archive: Annotated[
        bool, typer.Option("--archive", "--yes", help="Archive the files; without this nothing is changed.")
    ] = False,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope", metavar="PATTERN", help="What is short-term memory; repeatable.  [default: prune.scope]"
        ),
    ] = None,
) -> None:
    """Archive files of low rating and low R that are stale. Pinned files, and those of high or unknown R, are kept."""
    with store.opened() as memory:
        plan = memory.pruner.plan(scope=scope)
        if archive:
            plan = memory.pruner.prune(plan)
    output.show(plan.pruning, _print_plan)


def _print_plan(plan: "Pruning") -> None:
    if not plan.scope:
        typer.echo("prune.scope is empty, so nothing is pruned: give --scope PATTERN, or set it in memory.toml")
        return
    _print_files([file for file in plan.files if file.action == "archive"], "archived" if plan.done else "to archive")
    _print_files([file for file in plan.files if file.action == "keep"], "kept")
    files = counted(plan.archive, "file")
    if not plan.archive:
        typer.echo("nothing to archive")
    elif plan.done:
        typer.echo(f"{files} archived; paragone memory restore brings them back")
    else:
        typer.echo(f"{files} to be archived, nothing done yet: --archive does it")


def _print_files(files: "Sequence[PruneCandidate]", title: str) -> None:
    from paragone.cli.tables import show_rows
    from paragone.presenting.table import number, text

    if files:
        show_rows(
            files,
            (
                text(title, lambda file: file.path),
                number("bytes", lambda file: file.size),
                text("why", lambda file: file.reason),
            ),
        )
        typer.echo("")


def restore(
    store: MemoryStore,
    output: options.Output,
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH", help="Paths of archived files.  [default: list the archive]")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="If another file has the path now, archive that first.")
    ] = False,
) -> None:
    """Restore files from the archive, byte for byte, with their permissions and times."""
    with store.opened() as memory:
        lines = [memory.pruner.restore(path, force=force) for path in paths] if paths else memory.pruner.archived()
    output.show([line.file for line in lines], _print_restored if paths else _print_archive)


def _print_restored(files: "Sequence[ArchivedFile]") -> None:
    for file in files:
        typer.echo(f"restored {visible(file.path)}")


def _print_archive(files: "Sequence[ArchivedFile]") -> None:
    from paragone.cli.tables import show_rows
    from paragone.presenting.table import number, text

    if not files:
        typer.echo("the archive is empty")
        return
    show_rows(
        files,
        (
            text("archived", lambda file: file.at.date().isoformat()),
            number("bytes", lambda file: file.size),
            text("path", lambda file: file.path),
            text("why", lambda file: file.reason),
        ),
    )
