"""``paragone memory prune``: what of short-term memory goes into the archive, and why; a dry run unless told."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening

if TYPE_CHECKING:
    from paragone.memory.upkeep.prune import PrunePlan, PruneRow


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(prune)


def prune(
    archive: Annotated[
        bool, typer.Option("--archive", "--yes", help="Do it; without this it is only said what would be done.")
    ] = False,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope", metavar="PATTERN", help="What is short-term memory; may be repeated.  [default prune.scope]"
        ),
    ] = None,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Archive what is rated low, of low R and stale. Pinned files, and those of high or unknown R, are kept."""
    with opening.opened(root, store) as memory:
        plan = memory.pruner.plan(scope=scope)
        if archive:
            plan = memory.pruner.prune(plan)
    if as_json:
        print_json(_values(plan, done=archive))
    else:
        _print(plan, done=archive)


def _values(plan: "PrunePlan", *, done: bool) -> dict[str, Any]:
    return {
        "scope": list(plan.scope),
        "done": done,
        "archived": len(plan.archived),
        "files": [
            {
                "path": row.path,
                "action": row.action,
                "reason": row.reason,
                "sha256": row.sha256,
                "size": row.size,
                "elo": row.rating.elo,
                "r": row.rating.r,
                "last_use": row.rating.last_use,
            }
            for row in plan.rows
        ],
    }


def _print(plan: "PrunePlan", *, done: bool) -> None:
    from paragone.domain.text import counted

    if not plan.scope:
        typer.echo("prune.scope names nothing, so nothing is pruned: give --scope PATTERN, or set it in memory.toml")
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


def _print_rows(rows: Sequence["PruneRow"], title: str) -> None:
    from paragone.cli.show import print_table

    if rows:
        print_table(
            (title, "bytes", "why"),
            [(row.path, f"{row.size:,}", row.reason) for row in rows],
            right=frozenset({"bytes"}),
        )
        typer.echo("")
