"""A cheap judge first: how many calls of an expensive one its ratings replace, as a prior that the other corrects.

    .venv/bin/python benchmarks/cheap_first.py [--seeds N] [--first N] [--items N]

The judges are those of ``simulated.py``. The cheap one tells items apart half as sharply, answers ten calls an item in
random matchings, and has a liking of its own for each item, of so many standard deviations of the skills. A fit of its
answers is the prior of the run with the expensive judge, whose pairs are planned as in a run, with the default goal.
Kendall's tau with the truth, means with standard errors; and how many calls an item the expensive judge needs alone for
the same, between the multiples that were played.
"""

import argparse
import os
from collections.abc import Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from contender import Floats, score
from contender_paragone import GOALS
from contender_scheduled import ScheduledRun
from simulated import Habits, SimulatedJudge

from paragone.ratings import Evidence, fit
from paragone.ratings.model_prior import centres
from paragone.ratings.side_information import fit_informed
from paragone.tournaments.posterior import fit_options

ALONE, TOGETHER = (1, 2, 3, 4, 5, 6), (1, 2, 3)
"""Calls of the expensive judge, by itself and after the cheap one."""
LIKINGS = (0.5, 1.0)
CHEAP_CALLS = 10
TERMS = fit_options(("j",))


def ratings_of_cheap(truth: Floats, liking: float, seed: int) -> Floats:
    """What a fit of the cheap judge's answers makes of the items; ``truth`` is in nats."""
    rng, items = np.random.default_rng([seed, 3]), truth.size
    seen = truth + liking * truth.std() * rng.standard_normal(items)
    judge = SimulatedJudge(items, rng, Habits(slope=0.5), strength=seen)
    order = np.array([rng.permutation(items) for _ in range(2 * CHEAP_CALLS)])
    first, second = order[:, : items // 2].ravel(), order[:, items // 2 :].ravel()
    answers = judge.answer(first, second)
    return fit(Evidence.from_arrays(items, first, second, answers, tie=answers == 0.5), TERMS).strength


def taus(items: int, seed: int, liking: float | None) -> list[float]:
    """Tau at each multiple; without a cheap judge where there is no liking, else that of the cheap judge first."""
    truth = SimulatedJudge(items, np.random.default_rng([seed, 1])).strength
    prior = None if liking is None else ratings_of_cheap(truth, liking, seed)
    judge = SimulatedJudge(items, np.random.default_rng([seed, 2]), strength=truth)
    run = ScheduledRun(judge, GOALS["balanced"], seed, prior=prior)
    reached = [] if prior is None else [score(prior, truth)["tau"]]
    for multiple in ALONE if prior is None else TOGETHER:
        run.play(multiple * items)
        evidence = run.evidence(multiple * items)
        found = fit(evidence, TERMS) if prior is None else fit_informed(evidence, (), TERMS, centres(prior)).fit
        reached.append(score(found.strength, truth)["tau"])
    return reached


def row(label: str, values: Sequence[Sequence[float]], alone: Floats | None = None) -> str:
    """A row; with what the expensive judge reaches by itself, how many calls that corresponds to."""
    table = np.array(values)
    means, errors = table.mean(axis=0), table.std(axis=0, ddof=1) / np.sqrt(len(table))
    cells = [f"{mean:.3f} ± {error:.3f}" for mean, error in zip(means, errors, strict=True)]
    if alone is not None:
        for at, mean in enumerate(means[1:], 1):
            beyond = "> " if mean > alone[-1] else ""
            cells[at] += f" = {beyond}{np.interp(mean, np.maximum.accumulate(alone), ALONE):.1f}N"
    return f"| {label} | {' | '.join(cells)} |"


def main(given: list[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=80, help="an even number")
    parser.add_argument("--seeds", type=int, default=16, help="two or more")
    parser.add_argument("--first", type=int, default=500, help="the first seed")
    chosen = parser.parse_args(given)
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    alone = [taus(chosen.items, seed, None) for seed in seeds]
    print(f"| the expensive judge alone | {' | '.join(f'{m}N' for m in ALONE)} |\n|---|{'--:|' * len(ALONE)}")
    print(row("tau", alone))
    print(f"\n| its own liking | the cheap judge | {' | '.join(f'+ {m}N' for m in TOGETHER)} |")
    print(f"|---|{'--:|' * (1 + len(TOGETHER))}")
    for liking in LIKINGS:
        values = [taus(chosen.items, seed, liking) for seed in seeds]
        print(row(f"{liking:g}", values, np.mean(alone, axis=0)), flush=True)


if __name__ == "__main__":
    main()
