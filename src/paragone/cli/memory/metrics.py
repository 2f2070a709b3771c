"""``paragone memory metrics``: document M's success metrics, from the logs."""

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.json_out import print_json
from paragone.cli.memory import opening
from paragone.cli.memory.progress import waiting

if TYPE_CHECKING:
    from paragone.memory.report.metrics import Metric, Metrics


class By(StrEnum):
    """What a point of a course is."""

    WEEK = "week"
    SESSION = "session"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(metrics)


def metrics(
    by: Annotated[By, typer.Option("--by", help="What a point of a course over time is.")] = By.WEEK,
    course: Annotated[bool, typer.Option("--course", help="Show each metric over time, too.")] = False,
    root: opening.Root = opening.HERE,
    store: opening.Store = None,
    as_json: options.Json = False,
) -> None:
    """Show convergence, LITE accuracy, search efficiency and token savings, each with its target."""
    from paragone.memory.report.metrics import measure

    with opening.opened(root, store) as memory:
        parts = memory.components
        with waiting("computing metrics"):
            found = measure(parts.store, parts.index, parts.scores, by=by.value)
    if as_json:
        print_json(_values(found))
    else:
        _print(found, course=course)


def _values(found: "Metrics") -> dict[str, Any]:
    from paragone.memory.store.instant import as_iso

    values = asdict(found)
    for metric in values["metrics"]:
        for point in metric["series"]:
            point["time"] = as_iso(point["time"])
    return values | {"as_of": as_iso(found.as_of)}


def _print(found: "Metrics", *, course: bool) -> None:
    from paragone.cli.show import print_table
    from paragone.domain.text import counted

    print_table(
        ("metric", "value", "target", "met", "evidence", "what"),
        [_row(one) for one in found.metrics],
        right=frozenset({"value", "target"}),
    )
    typer.echo(f"\n{counted(found.sessions, 'session')} in the logs")
    if course:
        for one in found.metrics:
            _print_course(one)


def _row(one: "Metric") -> tuple[str, ...]:
    return (
        one.name,
        "-" if one.value is None else f"{one.value:.1%}",
        "" if one.target is None else f"{one.target:.0%}",
        {True: "yes", False: "no", None: "" if one.target is None or one.value is None else "too early"}[one.met],
        f"{one.evidence:,} {one.counted}",
        one.note,
    )


def _print_course(one: "Metric") -> None:
    from paragone.cli.show import print_table
    from paragone.memory.store.instant import as_iso

    if one.series:
        typer.echo("")
        print_table(
            (one.name, "value", one.counted),
            [(as_iso(point.time)[:10], f"{point.value:.1%}", f"{point.evidence:,}") for point in one.series],
            right=frozenset({"value", one.counted}),
        )
