"""Whether a ranking foretells its own success truly: of a judge that tosses coins, and of two that do not.

Each cell is a tournament by the default pairing, planned ahead of the answers as in a run, and fitted as a board is.
The fact is Kendall's tau of the reported order with the truth, 0 for coins. Seeds begin at ``--first``, so that figures
can be confirmed on others.
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from contender_scheduled import ScheduledRun
from simulated import Habits, SimulatedJudge

from paragone.domain import Goal
from paragone.pairing.forecast import expected_tau
from paragone.tournaments.posterior import fit_posterior

JUDGES = {"coin": None, "noise 0.5": 0.5, "noise 1": 1.0}
MULTIPLES = (5, 10, 20)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One board.

    Attributes:
        forecast: Expected tau.
        fact: Tau with the truth.
        no_signal: Probability of no signal beyond chance.
        covered: Share of the ratings within their 95 % intervals.
    """

    forecast: float
    fact: float
    no_signal: float
    covered: float


def boards(judge_name: str, items: int, seed: int) -> Iterator[Outcome]:
    """The boards of one tournament at each number of calls an item."""
    noise, rng = JUDGES[judge_name], np.random.default_rng([17, items, seed])
    if noise is None:
        judge = SimulatedJudge(items, rng, Habits(noise=1.0), np.zeros(items))
    else:
        judge = SimulatedJudge(items, rng, Habits(noise=noise))
    truth = judge.strength - judge.strength.mean()
    ids = tuple(str(item) for item in range(items))
    run = ScheduledRun(judge, Goal(), seed)
    for budget in (multiple * items for multiple in MULTIPLES):
        run.play(budget)
        standing = fit_posterior(ids, run.evidence(budget), goal=Goal(), seed=seed, initial=0.0)
        points = truth * 400 / np.log(10)
        rows = [standing.strengths[id] for id in ids]
        covered = np.mean([row.low - 1e-6 <= point <= row.high + 1e-6 for row, point in zip(rows, points, strict=True)])
        yield Outcome(
            forecast=standing.forecast.tau,
            fact=expected_tau(standing.fit.strength, truth[np.newaxis]),
            no_signal=standing.forecast.no_signal,
            covered=float(covered),
        )


def line(judge: str, items: int, multiple: int, outcomes: list[Outcome]) -> str:
    """A row of the table: means over seeds, with their standard errors."""
    forecast, fact = (np.array([getattr(one, name) for one in outcomes]) for name in ("forecast", "fact"))
    off = forecast - fact
    error = off.std(ddof=1) / np.sqrt(off.size)
    no_signal, covered = (np.mean([getattr(one, name) for one in outcomes]) for name in ("no_signal", "covered"))
    numbers = f"{forecast.mean():.3f} | {fact.mean():.3f} | {off.mean():+.3f} ± {error:.3f} | {no_signal:.2f}"
    return f"| {judge} | {items} | {multiple} | {numbers} | {'-' if judge == 'coin' else f'{covered:.3f}'} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[20, 40, 150])
    parser.add_argument("--judges", nargs="+", choices=JUDGES, default=list(JUDGES))
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    chosen = parser.parse_args()
    print("| judge | items | calls an item | expected tau | fact | expected - fact | no signal | ratings covered |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for items in chosen.items:
        for judge in chosen.judges:
            seeds = range(chosen.first, chosen.first + chosen.seeds)
            runs = [tuple(boards(judge, items, seed)) for seed in seeds]
            for multiple, outcomes in zip(MULTIPLES, zip(*runs, strict=True), strict=True):
                print(line(judge, items, multiple, list(outcomes)), flush=True)


if __name__ == "__main__":
    main()
