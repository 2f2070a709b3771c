"""``paragone memory metrics``, ``doctor`` and ``dashboard``: how well a memory works, and what is wrong with it."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from paragone.cli import options
from paragone.cli.options import option
from paragone.cli.parameters import OnlyWith
from paragone.cli.terminal import iso, print_json, waiting
from paragone.domain.text import counted
from paragone.presenting.table import Table, number, numbers, table, text

if TYPE_CHECKING:
    from paragone.memory.doctor import Diagnosis
    from paragone.wire.memory import Measures, MemoryMeasure


def metrics(
    store: options.MemoryStore,
    output: options.Output,
    by: Annotated[
        Literal["week", "session"], option("The points of a series."), OnlyWith("--series or --json")
    ] = "week",
    series: Annotated[bool, option("Also show each metric over time.")] = False,
) -> None:
    """Show the measures of success, each with its target.

    They are convergence, LITE accuracy, search efficiency and token savings.
    """
    with store.opened() as memory, waiting("computing metrics"):
        measured = memory.metrics(by=by)
    output.show(measured, lambda each: _measures(each, series=series))


def _measures(measured: "Measures", *, series: bool) -> Iterator[str | Table[Any]]:
    yield table(
        measured.measures,
        text("metric", lambda row: row.name),
        number("value", lambda row: row.value, ".1%", absent="-"),
        number("target", lambda row: row.target, ".0%"),
        text("met", _is_met),
        text("evidence", lambda row: f"{row.evidence:,} {row.counted}"),
        text("what", lambda row: row.note),
    )
    yield from ("", f"{counted(measured.sessions, 'session')} in the logs")
    for measure in measured.measures if series else ():
        if measure.series:
            yield from ("", _series(measure))


def _is_met(measure: "MemoryMeasure") -> str:
    if measure.met is not None:
        return "yes" if measure.met else "no"
    return "" if measure.target is None or measure.value is None else "too early"


def _series(measure: "MemoryMeasure") -> Table[Any]:
    return table(
        measure.series,
        text(measure.name, lambda point: point.at.date().isoformat()),
        number("value", lambda point: point.value, ".1%"),
        number(measure.counted, lambda point: point.evidence),
    )


def doctor(store: options.MemoryStore, output: options.Output) -> None:
    """Find what is wrong with a memory, and say what to do.

    It looks for damaged logs, drifting ratings, and tiers that nothing can reach.

    The exit code is 1 if something is broken, and 0 if there is only advice.
    """
    with store.opened() as memory:
        diagnosis = memory.doctor()
    output.show(
        diagnosis, _diagnosis, values=lambda each: asdict(each) | {"as_of": iso(each.as_of), "broken": each.is_broken}
    )
    if diagnosis.is_broken:
        raise typer.Exit(1)


def _diagnosis(diagnosis: "Diagnosis") -> Iterator[str | Table[Any]]:
    for finding in diagnosis.findings:
        yield f"{finding.severity}: {finding.subject}: {finding.says}"
        if finding.advice:
            yield f"    {finding.advice}"
    yield from ("", "A file used at regular intervals, after a year (its rating after a use, and before the next):")
    yield table(
        diagnosis.steady,
        text("", lambda row: "now" if row.chosen else ""),
        text("zero_sum", lambda row: str(row.zero_sum).lower()),
        text("fold_decay", lambda row: str(row.fold_decay).lower()),
        text("used by", lambda row: row.way),
        numbers("every", lambda row: f"{row.every:g} days"),
        number("after", lambda row: row.high, ".0f"),
        number("before", lambda row: row.low, ".0f"),
        number("a month more", lambda row: round(row.rise, 1) + 0.0, "+.1f"),
    )


def dashboard(
    store: options.MemoryStore,
    output: options.Output,
    out: Annotated[Path | None, option("Write a page (.html), or everything as .json.", "-o")] = None,
    top: Annotated[int, option("Rows in a table at most.", min=1)] = 30,
) -> None:
    """Show how content is used, and how true it is.

    The dashboard has R against Elo in four quadrants, echo chambers, tiers, top content, metrics, and what was pruned.

    Without --out, print the summary.
    """
    from paragone.cli.tables import print_report
    from paragone.presenting.memory_dashboard import require_dashboard_file, values_of, write
    from paragone.presenting.memory_dashboard.summary import summary, tiles

    if out is not None:
        require_dashboard_file(out)
    with store.opened() as memory, waiting("gathering the data"):
        gathered = memory.dashboard()
    if out is not None:
        write(gathered, out, top=top)
        typer.echo(f"wrote {out}", err=True)
    if output.as_json:
        print_json(values_of(gathered, top=top))
    elif out is None:
        print_report(summary(gathered), tiles(gathered))
