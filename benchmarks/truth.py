"""Do ratings, intervals and forecasts hold? Fits of simulated judges whose truth is known.

    .venv/bin/python benchmarks/truth.py [--sections coverage recovery judges forecast panel] [--quick] [--json]

The judges are those of ``simulated``, paired by ``paragone.pairing.informative`` for the balanced goal and fitted as a
tournament's board is. Figures are means over seeds with their standard errors. Widths are half-widths of intervals in
Elo points, beside those of an oracle that knows all but the strengths. A full run takes about 20 minutes of CPU
time; ``--keep`` lets it be interrupted.
"""

import argparse
import itertools
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from simulated import Habits
from truth_runs import PANELS, Cell, Figures, run_panel, runs

PLAIN = Habits()
JUDGES = {
    "bias 0": replace(PLAIN, bias=0.0),
    "bias 1": replace(PLAIN, bias=1.0),
    "sticky": replace(PLAIN, sticky=True),
    "pair effects 0.7": replace(PLAIN, pair_effect=0.7),
    "pair effects 1.5": replace(PLAIN, pair_effect=1.5),
    "20 % fail": replace(PLAIN, failing=0.2),
    "ties anywhere": replace(PLAIN, uniform=True),
}
FAULTS_CALLS = (5, 10)  # calls an item at which judges with faults are looked at
NOISES = {f"noise {noise:g}": replace(PLAIN, noise=noise) for noise in (0.25, 0.5, 1.0)}
SECTIONS = ("coverage", "recovery", "forecast", "judges", "panel")
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)
Results = dict[Cell, list[list[Figures]]]
Table = dict[str, dict[str, str]]


def cells(sections: list[str], items: list[int], calls: tuple[int, ...]) -> list[Cell]:
    """The tournaments that these sections look at."""
    chosen = [Cell(name="noise 0.5", items=count, habits=PLAIN, calls=calls) for count in items]
    if {"forecast", "coverage"} & set(sections):
        small = {name: of for name, of in NOISES.items() if of != PLAIN}
        chosen += [Cell(name=name, items=min(items), habits=of, calls=calls) for name, of in small.items()]
    if "judges" in sections:
        few = tuple(call for call in calls if call in FAULTS_CALLS) or calls
        chosen += [Cell(name=name, items=max(items), habits=of, calls=few) for name, of in JUDGES.items()]
    return chosen


def mean(values: list[float], digits: int = 3) -> str:
    """A mean with its standard error."""
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return "-"
    error = np.std(known, ddof=1) / math.sqrt(len(known)) if len(known) > 1 else 0.0
    return f"{np.mean(known):.{digits}f} ±{error:.{digits}f}"


def rows(results: Results, names: dict[str, int]) -> Table:
    """Means of the named figures (with their digits), a row by cell and calls an item."""
    return {
        f"{cell.items} items, {cell.name}, {calls}N": {
            name: mean([run[at][name] for run in of], digits) for name, digits in names.items()
        }
        for cell, of in results.items()
        for at, calls in enumerate(cell.calls)
    }


def honest(results: Results) -> Results:
    """Those without faults."""
    return {cell: of for cell, of in results.items() if cell.name in NOISES}


def coverage(results: Results) -> Table:
    """Share of 95 % intervals that hold, and their widths."""
    names = {"rating": 3, "width": 0, "oracle width": 0, "rank": 3, "rank width": 1, "identified": 2}
    return rows(honest(results), names)


def recovery(results: Results) -> Table:
    """Position term (true 0.4) and log tie parameter (less the truth), and share within 1.96 standard errors."""
    names = {"position": 3, "position held": 2, "tie": 3, "tie held": 2}
    return rows({cell: of for cell, of in results.items() if cell.habits == PLAIN}, names)


def judges(results: Results) -> Table:
    """What a judge's faults cost."""
    names = {"tau": 3, "rating": 3, "width": 0, "rank": 3, "pair effect": 2, "stickiness": 2}
    items = max(cell.items for cell in results)
    chosen = {cell: of for cell, of in results.items() if cell.items == items and cell.name not in NOISES}
    return rows(
        {cell: of for cell, of in results.items() if cell.items == items and cell.habits == PLAIN} | chosen, names
    )


def calibration(results: Results) -> Table:
    """Forecast and fact, with the number of forecasts, by bins of the forecast; all honest judges and budgets."""
    chosen = [point for of in honest(results).values() for run in of for point in run]
    return {figure: dict(_bins(chosen, figure)) for figure in ("p_best", "recall", "tau")}


def _bins(points: list[Figures], figure: str) -> Iterator[tuple[str, str]]:
    for low, high in itertools.pairwise(BINS):
        within = [point for point in points if low <= point[f"{figure} forecast"] < high]
        if within:
            said = np.mean([point[f"{figure} forecast"] for point in within])
            yield f"from {low:g}", f"{said:.3f} -> {mean([point[figure] for point in within])} ({len(within)})"


def panel(seeds: int, items: int, answers: int) -> Table:
    """Slopes found (log, less the truth), and the tau of the panel beside other ways to count its votes."""
    table: Table = {}
    for name, slopes in PANELS.items():
        found = [run_panel(slopes, items, answers, seed) for seed in range(seeds)]
        table[f"{name}, {items} items"] = {figure: mean([run[figure] for run in found]) for figure in found[0]}
    return table


def lines(title: str, table: Table) -> Iterator[str]:
    """A table as text."""
    yield f"\n{title}"
    for name, cells in table.items():
        yield f"  {name:32s} " + "  ".join(f"{figure} {value}" for figure, value in cells.items())


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--items", type=int, nargs="+", default=[30, 150])
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--calls", type=int, nargs="+", default=[2, 5, 10, 20], help="judge calls an item")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--keep", type=Path, help="keep finished runs in this file, and go on from what is in it")
    parser.add_argument("--quick", action="store_true", help="30 items, 4 seeds, up to 10 calls an item")
    parser.add_argument("--json", action="store_true", help="one JSON object with all results")
    chosen = parser.parse_args(given)
    if chosen.quick:
        chosen.items, chosen.seeds, chosen.calls = [30], 4, [2, 5, 10]
    return chosen


def main(given: list[str] | None = None) -> int:
    chosen = arguments(given)
    tables: dict[str, Table] = {}
    played = [section for section in chosen.sections if section != "panel"]
    asked = cells(played, chosen.items, tuple(sorted(chosen.calls))) if played else []
    results = runs(asked, chosen.seeds, chosen.jobs, chosen.keep)
    made = {"coverage": coverage, "recovery": recovery, "judges": judges, "forecast": calibration}
    for section in chosen.sections:
        items = min(chosen.items)
        tables[section] = panel(chosen.seeds, items, 5 * items) if section == "panel" else made[section](results)
        if not chosen.json:
            print("\n".join(lines(section, tables[section])), flush=True)
    if chosen.json:
        named = [
            {"judge": cell.name, "items": cell.items, "calls": cell.calls, "runs": of} for cell, of in results.items()
        ]
        print(json.dumps({"seeds": chosen.seeds, "tables": tables, "results": named}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
