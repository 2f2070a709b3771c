"""``paragone memory prune`` and ``restore``: move short-term memory to the archive, and bring it back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.options import MemoryStore, iso
from paragone.domain.text import counted, visible

if TYPE_CHECKING:
    from paragone.memory.upkeep.archive import ArchiveLine
    from paragone.memory.upkeep.prune import PrunePlan, PruneRow


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
    output.show(
        plan, lambda each: _print_plan(each, done=archive), values=lambda each: _plan_values(each, done=archive)
    )


def _plan_values(plan: "PrunePlan", *, done: bool) -> dict[str, Any]:
    return {
        "scope": plan.scope,
        "done": done,
        "archived": len(plan.archived),
        "files": [
            {
                **{name: getattr(row, name) for name in ("path", "action", "reason", "sha256", "size")},
                **{name: getattr(row.rating, name) for name in ("elo", "r", "last_use")},
            }
            for row in plan.rows
        ],
    }


def _print_plan(plan: "PrunePlan", *, done: bool) -> None:
    if not plan.scope:
        typer.echo("prune.scope is empty, so nothing is pruned: give --scope PATTERN, or set it in memory.toml")
        return
    _print_rows(plan.archived, "archived" if done else "to archive")
    _print_rows([row for row in plan.rows if row.action == "keep"], "kept")
    files = counted(len(plan.archived), "file")
    if not plan.archived:
        typer.echo("nothing to archive")
    elif done:
        typer.echo(f"{files} archived; paragone memory restore brings them back")
    else:
        typer.echo(f"{files} to be archived, nothing done yet: --archive does it")


def _print_rows(rows: "Sequence[PruneRow]", title: str) -> None:
    from paragone.cli.tables import show_rows
    from paragone.presenting.table import number, text

    if rows:
        show_rows(
            rows,
            (
                text(title, lambda row: row.path),
                number("bytes", lambda row: row.size),
                text("why", lambda row: row.reason),
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
    output.show(
        lines, _print_restored if paths else _print_archive, values=lambda each: [_line_values(line) for line in each]
    )


def _line_values(line: "ArchiveLine") -> dict[str, Any]:
    return {
        "path": line.path,
        "event": line.event,
        "timestamp": iso(line.timestamp),
        "sha256": line.sha256,
        "size": line.size,
        "elo": line.decayed,
        "r": line.r,
        "reason": line.reason,
    }


def _print_restored(lines: "Sequence[ArchiveLine]") -> None:
    for line in lines:
        typer.echo(f"restored {visible(line.path)}")


def _print_archive(lines: "Sequence[ArchiveLine]") -> None:
    from paragone.cli.tables import show_rows
    from paragone.presenting.table import number, text

    if not lines:
        typer.echo("the archive is empty")
        return
    show_rows(
        lines,
        (
            text("archived", lambda line: str(iso(line.timestamp))[:10]),
            number("bytes", lambda line: line.size),
            text("path", lambda line: line.path),
            text("why", lambda line: line.reason),
        ),
    )
