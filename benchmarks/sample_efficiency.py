"""How good a ranking the same number of judge calls buys, beside other ways of ranking, from simulated judges.

Every contender meets the same items with the same seed, and is scored at 2, 5, 10 and 20 calls an item. Figures are
means over seeds with their standard errors; what is to be reached stands in brackets, with MISSED where it is not.

Sections: ``ranking`` (tau, recall of the top ten, the best item on top), ``position`` (the position term, and what a
judge's faults cost), ``outlook`` (what was forecast and foreseen against what came), ``scale`` (a round among 10,000
and 100,000 items). All but the last are read from the same runs. A full run takes hours: with ``--cache FILE`` it can
be interrupted, goes on from where it was, and prints what there is.
"""

import argparse
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import efficiency_tables
import pairing_scale
from efficiency_cells import CELLS, CONTENDERS, EXACT, JUDGES, MULTIPLES, Cell
from efficiency_runs import Runs, complete

SECTIONS = {
    "ranking": efficiency_tables.ranking,
    "position": efficiency_tables.position,
    "outlook": efficiency_tables.outlook,
}


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=sorted({cell.items for cell in CELLS}))
    usual = [name for name in CONTENDERS if name not in EXACT]
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=usual, help="by default all but *-exact")
    parser.add_argument("--judges", nargs="+", choices=JUDGES, default=list(JUDGES))
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--multiples", type=int, nargs="+", default=list(MULTIPLES), help="judge calls an item")
    parser.add_argument("--sections", nargs="+", choices=[*SECTIONS, "scale"], default=[*SECTIONS, "scale"])
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keeps the runs, a line of JSON each")
    parser.add_argument("--read", action="store_true", help="run nothing: tables of what the cache holds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--quick", action="store_true", help="30 items, 5 seeds, 2 to 10 calls an item; scale at 10,000"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with all results")
    chosen = parser.parse_args(given)
    if chosen.quick:
        chosen.items, chosen.judges, chosen.seeds, chosen.multiples = [30], ["noise 0.5"], 5, [2, 5, 10]
    if chosen.read and chosen.cache is None:
        parser.error("--read needs --cache FILE")
    chosen.multiples = sorted(set(chosen.multiples))
    return chosen


def chosen_cells(chosen: argparse.Namespace) -> list[Cell]:
    """Those asked for whose packages are there; names on stderr what is left out."""
    for entry in (CONTENDERS[name] for name in chosen.contenders):
        if not entry.present:
            print(f"{entry.label} is left out: {entry.package} is not installed (make peers)", file=sys.stderr)
    return [
        cell
        for cell in CELLS
        if cell.contender in chosen.contenders
        and CONTENDERS[cell.contender].present
        and cell.items in chosen.items
        and cell.judge in chosen.judges
    ]


def main(given: list[str] | None = None) -> int:
    chosen = arguments(given)
    cells, runs = chosen_cells(chosen), Runs(chosen.cache)
    simulated = [name for name in chosen.sections if name in SECTIONS]
    interrupted = False
    if simulated and not chosen.read:
        try:
            complete(runs, cells, chosen.multiples, seeds=chosen.seeds, jobs=chosen.jobs)
        except KeyboardInterrupt:
            interrupted = True
    made = {cell: runs.of(cell, chosen.multiples, chosen.seeds) for cell in cells}
    scale = []
    if "scale" in chosen.sections and not (interrupted or chosen.read):
        scale = [pairing_scale.measure(items) for items in pairing_scale.SIZES[: 1 if chosen.quick else None]]
    if chosen.json:
        results = [efficiency_tables.summary(cell, made[cell], chosen.multiples) for cell in cells if made[cell]]
        print(json.dumps({"multiples": chosen.multiples, "results": results, "scale": scale}, indent=2))
    else:
        for name in simulated:
            print("\n".join(SECTIONS[name](made, chosen.multiples)))
        if scale:
            print("\n".join(pairing_scale.table(scale)))
    return 130 if interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
