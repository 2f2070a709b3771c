"""``paragone memory doctor``: what is wrong with a store, and what to do."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening

if TYPE_CHECKING:
    from paragone.memory.upkeep.doctor import Diagnosis


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(root: opening.Root = opening.HERE, store: opening.Store = None, as_json: options.Json = False) -> None:
    """Look for damaged logs, drifting ratings, tiers that nothing can reach, and say what to do.

    The exit code is 1 where something is broken, and 0 where there is only advice.
    """
    from paragone.memory.upkeep.doctor import diagnose

    with opening.opened(root, store) as memory:
        parts = memory.components
        found = diagnose(parts.store, parts.index, parts.scores)
    if as_json:
        print_json(_values(found))
    else:
        _print(found)
    if found.is_broken:
        raise typer.Exit(1)


def _values(found: "Diagnosis") -> dict[str, Any]:
    from paragone.memory.store.instant import as_iso

    return asdict(found) | {"as_of": as_iso(found.as_of), "broken": found.is_broken}


def _print(found: "Diagnosis") -> None:
    from paragone.cli.show import print_table

    for one in found.findings:
        typer.echo(f"{one.severity}: {one.subject}: {one.says}")
        if one.advice:
            typer.echo(f"    {one.advice}")
    typer.echo("\nA file that is used every so many days, after a year (its rating after a use, and before the next):")
    print_table(
        ("", "zero_sum", "fold_decay", "used by", "every", "after", "before", "a month more"),
        [
            (
                "now" if one.chosen else "",
                str(one.zero_sum).lower(),
                str(one.fold_decay).lower(),
                one.way,
                f"{one.every:g} days",
                f"{one.high:.0f}",
                f"{one.low:.0f}",
                f"{round(one.rise, 1) + 0.0:+.1f}",
            )
            for one in found.steady
        ],
        right=frozenset({"every", "after", "before", "a month more"}),
    )
