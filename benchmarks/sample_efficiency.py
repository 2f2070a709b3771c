"""How good a ranking the same number of judge calls buys, by pairing policy, against a simulated judge.

The judge answers by Davidson's model: log-odds in proportion to the difference of two standard normal skills, 0.4 nats
in favour of the item shown first, ties for 10 % of random pairs. A noise of s is the standard deviation of the error
that each item's performance carries (Gumbel, so that differences are logistic): a skill of 1 is pi / (sqrt(6) s) nats,
2.565 at s = 0.5. That reading gives random pairs the figures that the published table has for them.

Run ``python benchmarks/sample_efficiency.py --help``. Every figure is a mean over seeds with its standard error.
"""

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from paragone.domain import Aim, Goal
from paragone.pairing.forecast import forecast
from paragone.pairing.informative import AUDIT_SHARE, plan
from paragone.pairing.presentation import Asked, present
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.intervals import draws

MULTIPLES = (2, 5, 10, 20)  # judge calls an item at which the ranking is scored
FIGURES = ("tau", "recall", "winner", "tau_forecast", "recall_forecast", "p_best")

# What is to be reached at noise 0.5, by items: {policy: {figure: at 2, 5, 10, 20 calls an item}}.
BARS: dict[int, dict[str, dict[str, tuple[float | None, ...]]]] = {
    30: {
        "order": {"tau": (0.61, 0.77, 0.84, 0.885)},
        "balanced": {"tau": (None, 0.76, 0.835, None), "recall": (None, 0.835, 0.885, 0.92)},
    },
    150: {
        "order": {"tau": (0.59, 0.765, 0.845, 0.895)},
        "balanced": {"tau": (None, 0.735, 0.83, None), "recall": (None, 0.75, 0.84, 0.90)},
        "top": {"recall": (0.64, 0.82, 0.86, 0.92)},
        "winner": {"winner": (None, 0.65, 0.80, None)},
    },
    1000: {
        "order": {"tau": (0.585, 0.76, 0.84, 0.89)},
        "balanced": {"tau": (None, 0.75, 0.84, None), "recall": (None, 0.63, 0.75, 0.83)},
        "top": {"recall": (0.45, 0.74, 0.82, 0.87)},
        "winner": {"winner": (None, 0.55, 0.85, None)},
    },
}
GOALS = {
    "order": Goal(aim=Aim.ORDER),
    "balanced": Goal(aim=Aim.BALANCED),
    "top": Goal(aim=Aim.TOP, k=10),
    "winner": Goal(aim=Aim.WINNER),
}
POLICIES = (*GOALS, "random")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One cell of the experiment."""

    policy: str
    items: int
    multiples: tuple[int, ...] = MULTIPLES
    noise: float = 0.5
    bias: float = 0.4
    ties: float = 0.1
    draws: int = 400
    audit_share: float = AUDIT_SHARE
    batch: int | None = None


class SimulatedJudge:
    """Answers by Davidson's model; 1, 0.5 or 0 for the item shown first."""

    def __init__(self, setting: Setting, rng: np.random.Generator) -> None:
        self.strength = rng.standard_normal(setting.items) * math.pi / math.sqrt(6) / setting.noise
        self._bias = setting.bias
        self._rng = rng
        self._tie = self._tie_parameter(setting.ties)

    def _tie_parameter(self, share: float) -> float:
        """The parameter at which that share of random pairs would tie, by bisection."""
        gaps = np.subtract.outer(self.strength, self.strength)[np.triu_indices(self.strength.size, 1)] + self._bias
        low, high = 1e-6, 100.0
        for _ in range(60):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if np.mean(middle / (middle + 2 * np.cosh(gaps / 2))) < share else (low, middle)
        return low

    def answer(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        odds = np.exp((self.strength[first] - self.strength[second] + self._bias) / 2)
        total = odds + self._tie + 1 / odds
        chance = self._rng.random(first.size) * total
        return np.where(chance < odds, 1.0, np.where(chance < odds + self._tie, 0.5, 0.0))


def random_pairs(asked: Asked, rng: np.random.Generator) -> tuple[tuple[int, int], ...]:
    """Half as many independent random pairs as there are items, each pair once."""
    a = rng.integers(asked.items, size=asked.items // 2)
    b = (a + rng.integers(1, asked.items, size=a.size)) % asked.items
    pairs = {(min(pair), max(pair)) for pair in zip(a.tolist(), b.tolist(), strict=True)}
    return present(sorted(pairs), asked, rng=rng)


def simulate(setting: Setting, seed: int) -> list[dict[str, float]]:
    """Figures at each multiple, of one run."""
    rng = np.random.default_rng(seed)
    judge = SimulatedJudge(setting, rng)
    asked, shown, scores, fitted = Asked(setting.items), [], [], None
    mean, posterior = np.zeros(setting.items), rng.standard_normal((2, setting.items))
    goal = GOALS.get(setting.policy, GOALS["balanced"])
    results: list[dict[str, float]] = []
    for limit in (multiple * setting.items for multiple in setting.multiples):
        while asked.total < limit:
            if setting.policy == "random":
                batch = random_pairs(asked, rng)
            else:
                batch = plan(mean, posterior, asked, goal, rng=rng, size=setting.batch, audit_share=setting.audit_share)
            batch = batch[: limit - asked.total]
            if not batch:
                break
            for pair in batch:
                asked.add(*pair)
            shown.extend(batch)
            pairs = np.array(batch)
            scores.extend(judge.answer(pairs[:, 0], pairs[:, 1]).tolist())
            table = np.array(shown)
            fitted = fit(Evidence.from_arrays(setting.items, table[:, 0], table[:, 1], scores), start=fitted)
            mean, posterior = fitted.strength, draws(fitted, setting.draws, rng)
        results.append(score(mean, posterior, judge.strength))
    return results


def score(mean: np.ndarray, posterior: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """The reported ranking against the true one, and what its forecast said."""
    ahead = forecast(mean, posterior, GOALS["top"])
    against = forecast(mean, truth[np.newaxis], GOALS["top"])  # one draw that is the truth
    return {
        "tau": against.tau,
        "recall": against.recall,
        "winner": against.p_best,
        "tau_forecast": ahead.tau,
        "recall_forecast": ahead.recall,
        "p_best": ahead.p_best,
    }


def measure(setting: Setting, seeds: int, jobs: int) -> dict[str, object]:
    """Means and standard errors over seeds."""
    began = time.perf_counter()
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            runs = list(pool.map(simulate, [setting] * seeds, range(seeds)))
    else:
        runs = [simulate(setting, seed) for seed in range(seeds)]
    values = np.array([[[point[name] for name in FIGURES] for point in run] for run in runs])
    error = values.std(axis=0, ddof=1) / math.sqrt(seeds) if seeds > 1 else np.zeros(values.shape[1:])
    return {
        "policy": setting.policy,
        "items": setting.items,
        "noise": setting.noise,
        "seeds": seeds,
        "calls_per_item": list(setting.multiples),
        "mean": {name: values.mean(axis=0)[:, at].round(4).tolist() for at, name in enumerate(FIGURES)},
        "error": {name: error[:, at].round(4).tolist() for at, name in enumerate(FIGURES)},
        "seconds_a_run": round((time.perf_counter() - began) / seeds, 2),
    }


def lines(result: dict[str, object], setting: Setting) -> Iterator[str]:
    """A result as text, bars in brackets and an asterisk where one is missed."""
    yield f"{result['policy']:9s} {result['items']} items, {result['seeds']} seeds, {result['seconds_a_run']} s a run"
    bars = BARS.get(setting.items, {}).get(setting.policy, {}) if setting.noise == 0.5 else {}
    for name in FIGURES:
        cells = []
        for at, multiple in enumerate(setting.multiples):
            value, error = result["mean"][name][at], result["error"][name][at]
            bar = bars.get(name, (None,) * 4)[MULTIPLES.index(multiple)] if multiple in MULTIPLES else None
            mark = "" if bar is None else f" [{bar:.3f}]{'' if value >= bar else '*'}"
            cells.append(f"{multiple:>3d}N {value:.3f} ±{error:.3f}{mark:10s}")
        yield f"  {name:15s} " + " ".join(cells)


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    number: Callable[[str], int] = int
    parser.add_argument("--items", type=number, nargs="+", default=[30, 150])
    parser.add_argument("--seeds", type=number, default=40)
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=list(POLICIES))
    parser.add_argument("--multiples", type=number, nargs="+", default=list(MULTIPLES), help="judge calls an item")
    parser.add_argument("--noise", type=float, default=0.5)
    parser.add_argument("--bias", type=float, default=0.4)
    parser.add_argument("--draws", type=number, default=400)
    parser.add_argument("--batch", type=number, help="comparisons at a time; by default what the policy wants")
    parser.add_argument("--audit-share", type=float, default=AUDIT_SHARE)
    parser.add_argument("--jobs", type=number, default=1, help="processes")
    parser.add_argument("--quick", action="store_true", help="30 items, 5 seeds, up to 10 calls an item")
    parser.add_argument("--json", action="store_true", help="one JSON object with all results")
    chosen = parser.parse_args(given)
    if chosen.quick:
        chosen.items, chosen.seeds, chosen.multiples = [30], 5, [2, 5, 10]
    return chosen


def main(given: list[str] | None = None) -> int:
    chosen = arguments(given)
    results = []
    for items in chosen.items:
        for policy in chosen.policies:
            setting = Setting(
                policy=policy,
                items=items,
                multiples=tuple(sorted(chosen.multiples)),
                noise=chosen.noise,
                bias=chosen.bias,
                draws=chosen.draws,
                audit_share=chosen.audit_share,
                batch=chosen.batch,
            )
            results.append(measure(setting, chosen.seeds, chosen.jobs))
            if not chosen.json:
                print("\n".join(lines(results[-1], setting)), flush=True)
    if chosen.json:
        print(json.dumps({"results": results, "bars": BARS}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
