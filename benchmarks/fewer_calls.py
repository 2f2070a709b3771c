"""What planning by whole posteriors buys: tau, recall of the top ten and the winner at 2, 5, 10 and 20 calls an item.

Our goals are planned as in a run: in blocks, ahead of the answers as far as the window of eight calls in flight
allows. ``before`` plans by neighbours, as earlier versions did, and as the winner is still sought. The peers know every
answer before they ask the next batch, and all meet the same items with the same seed. Means over seeds with standard
errors. With ``--cache FILE`` an interrupted run goes on from where it was; a full run takes an hour of CPU.
``--planning`` prints the planner's CPU a pair, its fits included.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from contender import Contender, score
from contender_paragone import GOALS, random_fitted
from contender_scheduled import Scheduled, ScheduledRun
from efficiency_cells import CONTENDERS, MULTIPLES
from peer_bald import bald
from peer_filter import filtered_quality
from peer_sorts import merge_sort, quick_sort
from simulated import Habits, SimulatedJudge


def _scheduled(goal: str, *, neighbours: bool = False) -> Callable[[], Contender]:
    return lambda: Scheduled(goal=GOALS[goal], neighbours=neighbours)


OURS = {"order": "whole order", "balanced": "balanced (default)", "top": "top 10", "winner": "winner"}
ROWS: dict[str, tuple[str, Callable[[], Contender]]] = {
    **{name: (label, _scheduled(name)) for name, label in OURS.items()},
    **{
        f"{name}-before": (f"{label}, before", _scheduled(name, neighbours=True))
        for name, label in OURS.items()
        if name != "winner"
    },
    "random": ("random pairs, our fit", lambda: random_fitted),
    "bald": ("BALD, our fit", lambda: bald),
    "asap": ("ASAP-style", CONTENDERS["asap"].load),
    "filter": ("TrueSkill's model, best quality", lambda: filtered_quality),
    "trueskill": ("TrueSkill package, best quality", CONTENDERS["trueskill"].load),
    "swiss": ("llm-qualitative-sort", CONTENDERS["swiss"].load),
    "merge": ("merge sort", lambda: merge_sort),
    "quick": ("quick sort", lambda: quick_sort),
}
"""Label and contender by name; packages that are not installed are left out."""

BARS = {
    ("order", "tau"): (0.59, 0.77, 0.855, 0.90),
    ("order", "recall"): (0.47, 0.71, 0.83, 0.89),
    ("balanced", "tau"): (0.565, 0.76, 0.85, 0.895),
    ("balanced", "recall"): (0.52, 0.75, 0.88, 0.89),
    ("top", "tau"): (0.55, 0.73, 0.815, None),
    ("top", "recall"): (0.59, 0.84, 0.92, None),
}
"""What is to be reached at least, by name and figure, at 2, 5, 10 and 20 calls an item."""
MOST_MS = {150: 1.0, 500: 3.0, 1000: 6.0}
"""CPU milliseconds of planning a pair, by number of items."""


def simulate(name: str, items: int, seed: int, multiples: tuple[int, ...]) -> dict[str, Any]:
    """One run of one contender."""
    rng = np.random.default_rng(seed)
    judge = SimulatedJudge(items, rng, Habits())
    reports = list(ROWS[name][1]()(judge, [multiple * items for multiple in multiples], rng))
    points = [score(report.strength, judge.strength) | {"ms": report.told.get("planning_ms")} for report in reports]
    return {"name": name, "items": items, "seed": seed, "multiples": list(multiples), "points": points}


def planning_ms(items: int, calls: int = 5) -> float:
    """CPU milliseconds of planning a pair for the default goal, up to so many calls an item."""
    rng = np.random.default_rng(0)
    run = ScheduledRun(SimulatedJudge(items, rng), GOALS["balanced"], 1)
    run.play(calls * items)
    return 1000 * run.planning / len(run.matches)


def runs(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """All runs, the ones in the cache first."""
    multiples = tuple(chosen.multiples)
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    wanted = {(name, seed) for name in chosen.contenders for seed in seeds}
    there = chosen.cache is not None and chosen.cache.exists()
    for run in map(json.loads, chosen.cache.read_text(encoding="utf-8").splitlines() if there else ()):
        key = run["name"], run["seed"]
        if key in wanted and (run["items"], tuple(run["multiples"])) == (chosen.items, multiples):
            wanted.remove(key)
            yield run
    with ProcessPoolExecutor(chosen.jobs) as pool:
        waiting = [pool.submit(simulate, name, chosen.items, seed, multiples) for name, seed in sorted(wanted)]
        for future in waiting:
            run = future.result()
            if chosen.cache is not None:
                with chosen.cache.open("a", encoding="utf-8") as cache:
                    cache.write(json.dumps(run) + "\n")
            yield run


def tables(made: list[dict[str, Any]], chosen: argparse.Namespace) -> Iterator[str]:
    """A table a figure."""
    for figure, title in (("tau", "Kendall's tau"), ("recall", "recall of the top ten"), ("winner", "the best on top")):
        yield f"\n| {title} | {' | '.join(map(str, chosen.multiples))} |\n|---|{'---|' * len(chosen.multiples)}"
        for name in chosen.contenders:
            points = [run["points"] for run in made if run["name"] == name]
            if points:
                bars = dict(zip(MULTIPLES, BARS.get((name, figure), ()), strict=False))
                cells = [
                    _cell([point[at][figure] for point in points], bars.get(multiple))
                    for at, multiple in enumerate(chosen.multiples)
                ]
                yield f"| {ROWS[name][0]} | {' | '.join(cells)} |"


def _cell(values: list[float], bar: float | None) -> str:
    mean, error = float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))
    asked = "" if bar is None else f" [{bar:g}{'' if round(mean, 3) >= bar else ' MISSED'}]"
    return f"{mean:.3f} ± {error:.3f}{asked}".replace("0.", ".")


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    there = [name for name in ROWS if name not in CONTENDERS or CONTENDERS[name].present]
    parser.add_argument("--contenders", nargs="+", choices=there, default=there)
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--multiples", type=int, nargs="+", default=list(MULTIPLES), help="judge calls an item")
    parser.add_argument("--seeds", type=int, default=40, help="two or more")
    parser.add_argument("--first", type=int, default=200, help="the first seed; 0 to 99 are those of the design")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keeps the runs, a line of JSON each")
    parser.add_argument("--planning", action="store_true", help="only the CPU of planning, by number of items")
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> None:
    """Print the tables."""
    chosen = arguments(given)
    if not chosen.planning:
        print("\n".join(tables(list(runs(chosen)), chosen)))
        return
    planning_ms(30)  # compiles, and is not shown
    for items, most in MOST_MS.items():
        took = planning_ms(items)
        print(f"{items:5} items: {took:.2f} ms CPU of planning a pair [{most:g}{'' if took <= most else ' MISSED'}]")


if __name__ == "__main__":
    main()
