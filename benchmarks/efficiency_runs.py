"""One run is one contender before one judge with one seed; a file keeps the runs, so that many are made in pieces."""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from contender import score
from efficiency_cells import CONTENDERS, JUDGES, Cell
from simulated import SimulatedJudge

_SILENCE = 10.0  # seconds between two lines about progress

Run = dict[str, Any]  # cell, seed, multiples, CPU seconds, and points: figures and what the contender told, at each


def simulate(cell: Cell, seed: int, multiples: Sequence[int]) -> Run:
    """One run; the same seed gives every contender the same items."""
    began = time.process_time()
    rng = np.random.default_rng(seed)
    judge = SimulatedJudge(cell.items, rng, JUDGES[cell.judge])
    reports = CONTENDERS[cell.contender].load()(judge, [multiple * cell.items for multiple in multiples], rng)
    points = [
        score(report.strength, judge.strength) | {"calls": report.calls / cell.items} | report.told
        for report in reports
    ]
    spent = round(time.process_time() - began, 2)
    return {"cell": cell.key, "seed": seed, "multiples": list(multiples), "cpu": spent, "points": points}


class Runs:
    """The runs made so far, in memory and, where a file is given, in it: a line of JSON each.

    Runs are known by cell, seed and multiples, and not by the code that made them: after a change that matters, begin
    a new file.
    """

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._runs: dict[tuple[str, int, tuple[int, ...]], Run] = {}
        text = file.read_text(encoding="utf-8") if file is not None and file.exists() else ""
        self._torn = not text.endswith("\n") and bool(text)
        for line in text.splitlines():
            with suppress(json.JSONDecodeError):  # a line that was being written when its process was killed
                self._remember(json.loads(line))

    def of(self, cell: Cell, multiples: Sequence[int], seeds: int) -> list[Run]:
        """Those of a cell with the first seeds, as far as they are made."""
        keys = ((cell.key, seed, tuple(multiples)) for seed in range(seeds))
        return [self._runs[key] for key in keys if key in self._runs]

    def missing(self, cells: Iterable[Cell], multiples: Sequence[int], seeds: int) -> Iterator[tuple[Cell, int]]:
        """What is still to be run, cell by cell."""
        for cell in cells:
            for seed in range(seeds):
                if (cell.key, seed, tuple(multiples)) not in self._runs:
                    yield cell, seed

    def add(self, run: Run) -> None:
        self._remember(run)
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write("\n" * self._torn + json.dumps(run) + "\n")
            self._torn = False

    def _remember(self, run: Run) -> None:
        self._runs[run["cell"], run["seed"], tuple(run["multiples"])] = run


def complete(runs: Runs, cells: Sequence[Cell], multiples: Sequence[int], *, seeds: int, jobs: int) -> None:
    """Make the runs that are missing, in their order; says on stderr how far it is."""
    left = list(runs.missing(cells, multiples, seeds))
    began, spent, told = time.monotonic(), 0.0, 0.0
    for done, run in enumerate(_made(left, multiples, jobs), 1):
        runs.add(run)
        spent += run["cpu"]
        elapsed = time.monotonic() - began
        if elapsed - told >= _SILENCE or done == len(left):
            told = elapsed
            text = f"{done}/{len(left)} runs, {spent:.0f} CPU s, {elapsed:.0f} s; {run['cell']}, seed {run['seed']}"
            print(text, file=sys.stderr, flush=True)


def _made(left: Sequence[tuple[Cell, int]], multiples: Sequence[int], jobs: int) -> Iterator[Run]:
    if jobs == 1:
        yield from (simulate(cell, seed, multiples) for cell, seed in left)
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting: set[Future[Run]] = set()
        for cell, seed in left:
            waiting.add(pool.submit(simulate, cell, seed, multiples))
            if len(waiting) > 2 * jobs:
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        yield from (future.result() for future in waiting)
