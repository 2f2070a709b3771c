"""Run simulations by their seeds, or replay one.

simulate.py 0-9999 [--processes 2]     all of them: a line for each that fails, and now and then how far it has come
simulate.py 1234 --trace               one of them, step by step
"""

import argparse
import os
import sys
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "scripts")]

from simulator.world import Outcome, simulate  # noqa: E402

warnings.filterwarnings("ignore", "coroutine .* was never awaited")  # what a process that is killed was about to do

_TOLD = 500
"""Seeds between two lines that say how far it has come."""


def command(seed: int) -> str:
    """The command that replays a seed."""
    return f".venv/bin/python tests/simulation/simulate.py {seed} --trace"


def complaint(outcome: Outcome) -> str:
    """The one line of a seed that fails."""
    return f"seed {outcome.scenario.seed}: {outcome.broken[:300]}  replay: {command(outcome.scenario.seed)}"


def main() -> int:
    """Run them; 1 if a promise was not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", help="a seed, or the first and the last of many: 0-9999")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--trace", action="store_true", help="print every step")
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    if arguments.trace:
        return max(map(_traced, seeds))
    if arguments.processes == 1:
        return _told(map(simulate, seeds), len(seeds))
    with ProcessPoolExecutor(arguments.processes) as processes:
        return _told(processes.map(simulate, seeds, chunksize=10), len(seeds))


def _traced(seed: int) -> int:
    outcome = simulate(seed, keep=True)
    print(*outcome.trace.lines, sep="\n")
    print(f"{outcome.scenario}\n{outcome.trace.steps} steps, digest {outcome.trace.digest}")
    print(complaint(outcome) if outcome.broken else f"all held, result compared: {outcome.is_equal}")
    return bool(outcome.broken)


def _told(outcomes: "map[Outcome]", count: int) -> int:
    total: Counter[str] = Counter()
    for number, outcome in enumerate(outcomes, 1):
        total += Counter(broken=bool(outcome.broken), lives=outcome.lives, kills=outcome.kills, equal=outcome.is_equal)
        if outcome.broken:
            print(complaint(outcome), flush=True)
        if number % _TOLD == 0 or number == count:
            print(
                f"up to seed {outcome.scenario.seed}: {total['broken']} of {number} fail; {total['lives']} processes, "
                f"{total['kills']} killed; {total['equal']} results compared with the undisturbed run",
                flush=True,
            )
    return bool(total["broken"])


if __name__ == "__main__":
    sys.exit(main())
