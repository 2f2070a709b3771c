"""Do forecasts and intervals hold? Posterior draws and their Gaussian approximation against simulated truths.

Run by hand::

    python benchmarks/forecast_calibration.py [--items N] [--seeds N] [--noise S ...] [--calls N ...]

The judge is that of ``rating_model``: skills N(0, 1), the first preferred by (difference / noise + 0.4 + logistic
noise) nats, about 10 % ties. Pairs are chosen by ``paragone.pairing.informative`` for the balanced goal. At each budget
the forecast of P(best), recall and tau is set against what is so, and intervals against the truth.
"""

import argparse
import itertools
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rating_model import SimulatedJudge

from paragone.domain import Aim, Goal
from paragone.pairing.forecast import forecast
from paragone.pairing.informative import plan
from paragone.pairing.presentation import Asked
from paragone.ratings import Evidence, Fit, FitOptions, draws, fit, rank_intervals, ranks, rating_intervals, to_elo
from paragone.ratings.intervals import gaussian_draws

GOAL = Goal(aim=Aim.BALANCED)
SAMPLERS = {"gauss": gaussian_draws, "drawn": draws}
FIGURES = ("p_best", "recall", "tau")
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)


def run(judge: SimulatedJudge, budgets: list[int], rng: np.random.Generator) -> list[Evidence]:
    """The evidence at each of the budgets (calls an item) of one tournament."""
    items = judge.skill.size
    asked, shown, scores, found, result = Asked(items), [], [], None, []
    mean, sample = np.zeros(items), rng.standard_normal((2, items))
    for budget in budgets:
        while asked.total < budget * items:
            batch = plan(mean, sample, asked, GOAL, rng=rng)[: budget * items - asked.total]
            if not batch:
                break
            for pair in batch:
                asked.add(*pair)
            shown += batch
            scores += judge.score(*np.array(batch).T, rng).tolist()
            found = fit(Evidence.from_arrays(items, *np.array(shown).T, scores), start=found)
            mean, sample = found.strength, gaussian_draws(found, 200, rng)
        result.append(Evidence.from_arrays(items, *np.array(shown).T, scores))
    return result


def measure(found: Fit, sample: np.ndarray, judge: SimulatedJudge) -> dict[str, float]:
    """Forecast and fact; whether intervals hold, and how wide they are."""
    truth = judge.strength
    ahead, fact = (forecast(found.strength, of, GOAL) for of in (sample, truth[np.newaxis]))
    quantiles = np.quantile(sample, [0.025, 0.975], axis=0)
    best, worst = rank_intervals(sample, 0.95, ranks(found.strength))
    place = ranks(truth)
    result = {"rank": np.mean((best <= place) & (place <= worst)), "rank width": np.mean(worst - best)}
    for name, (low, high) in {"error": rating_intervals(found), "quantile": quantiles}.items():
        result[name] = np.mean((low <= truth) & (truth <= high))
        result[f"{name} width"] = to_elo(np.mean(high - low) / 2, initial=0.0)
    for figure in FIGURES:
        result[figure], result[f"{figure} fact"] = getattr(ahead, figure), getattr(fact, figure)
    return result | {"spread": found.prior_spread}


def table(records: list[dict[str, float]]) -> None:
    """Means of coverage and width, in rows by budget and sampler."""
    names = ("rank", "rank width", "error", "error width", "quantile", "quantile width", "spread", "tau", "tau fact")
    print(f"{'noise calls sampler':24s}", *(f"{name:>14s}" for name in names))
    for cell in sorted({record["cell"] for record in records}):
        chosen = [record for record in records if record["cell"] == cell]
        means = (np.mean([record[name] for record in chosen]) for name in names)
        print(f"{' '.join(map(str, cell)):24s}", *(f"{mean:14.3f}" for mean in means), flush=True)


def bins(records: list[dict[str, float]], sampler: str) -> None:
    """Forecast and fact by bins of the forecast."""
    chosen = [record for record in records if record["cell"][-1] == sampler]
    for figure in FIGURES:
        cells = []
        for low, high in itertools.pairwise(BINS):
            within = [record for record in chosen if low <= record[figure] < high]
            if within:
                said, fact = (np.mean([record[name] for record in within]) for name in (figure, f"{figure} fact"))
                cells.append(f"{said:.3f} -> {fact:.3f} ({len(within)})")
        print(f"{sampler:14s} {figure:7s}", "   ".join(cells), flush=True)


def main() -> None:
    """Print coverage by budget, then calibration by bins."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.25, 0.5, 1.0])
    parser.add_argument("--calls", type=int, nargs="+", default=[2, 5, 10, 20])
    parser.add_argument(
        "--hyper", type=str, nargs="+", default=["1.5:1:6"], help="center:width:most of the spread's prior"
    )
    options = parser.parse_args()
    records = []
    for noise, seed in itertools.product(options.noise, range(options.seeds)):
        rng = np.random.default_rng(seed)
        judge = SimulatedJudge(skill=rng.standard_normal(options.items), noise=noise)
        for calls, evidence in zip(options.calls, run(judge, options.calls, rng), strict=True):
            for hyper in options.hyper:
                center, width, most = map(float, hyper.split(":"))
                found = fit(evidence, FitOptions(spread_center=center, spread_width=width, spread_most=most))
                for name, sampler in SAMPLERS.items():
                    measured = measure(found, sampler(found, 1000, rng), judge)
                    records.append(measured | {"cell": (noise, calls, hyper, name)})
    table(records)
    for sampler in SAMPLERS:
        bins(records, sampler)


if __name__ == "__main__":
    main()
