"""``paragone memory restore``: what the archive holds, and bringing it back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening

if TYPE_CHECKING:
    from paragone.memory.upkeep.archive import ArchiveLine


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(restore)


def restore(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Where files were; without one the archive is listed."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Where another file lies there now, archive that first.")
    ] = False,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Bring files back from the archive, byte for byte, with their permissions and times."""
    with opening.opened(root, store) as memory:
        lines = [memory.pruner.restore(path, force=force) for path in paths] if paths else memory.pruner.archived()
    if as_json:
        print_json([_values(line) for line in lines])
    elif paths:
        from paragone.domain.text import visible

        for line in lines:
            typer.echo(f"restored {visible(line.path)}")
    else:
        _print(lines)


def _values(line: "ArchiveLine") -> dict[str, Any]:
    from paragone.memory.store.instant import as_iso

    return {
        "path": line.path,
        "event": line.event,
        "timestamp": as_iso(line.timestamp),
        "sha256": line.sha256,
        "size": line.size,
        "elo": line.decayed,
        "r": line.r,
        "reason": line.reason,
    }


def _print(lines: Sequence["ArchiveLine"]) -> None:
    from paragone.cli.show import print_table
    from paragone.memory.store.instant import as_iso

    if not lines:
        typer.echo("the archive is empty")
        return
    rows = [(as_iso(line.timestamp)[:10], f"{line.size:,}", line.path, line.reason) for line in lines]
    print_table(("archived", "bytes", "path", "why"), rows, right=frozenset({"bytes"}))
