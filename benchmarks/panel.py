"""What a panel with bad judges is worth: the weighted fit against majority vote, an unweighted fit and one judge alone.

    .venv/bin/python benchmarks/panel.py [--seeds N] [--quick] [--json]

Every judge is asked every pair once, in random order of presentation. Strengths are normal with a spread of 1.5 nats. A
good judge answers by them (slope 1, a bias of 0.3 nats); a guessing one by nothing; a leaning one hardly by them and
nearly always for the first shown; a contrary one mostly for the weaker. Each panel's contenders see the same answers:

- weighted: the fit of paragone's boards, a slope, a position term and a tie habit for each judge
- unweighted: the same fit, all judges of one slope
- majority: the majority of each pair's answers, fitted; even votes are ties
- majority, by wins: items by the share of pairs that the majority gave them, no fit
- best judge: the answers of the best judge alone, fitted, had somebody known which it is
- best judge, all calls: what that judge tells with as many calls as the whole panel took

Kendall's tau with the truth and the share of the true top fifth that is found, means over seeds with standard errors.
"""

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rating_table import Table, as_json, as_text

from paragone.analysis.progress.convergence import kendall
from paragone.ratings import Evidence, fit
from paragone.ratings.fit_types import FitOptions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
SPREAD = 1.5
GOOD, GUESSING, LEANING, CONTRARY = (1.0, 0.3), (0.0, 0.0), (0.1, 3.0), (-0.5, 0.0)
"""Slope and bias, in nats."""
PANELS = {
    "7 good": [GOOD] * 7,
    "3 good, 2 guessing, 2 leaning": [GOOD] * 3 + [GUESSING] * 2 + [LEANING] * 2,
    "3 good, 2 guessing, 2 leaning, 2 contrary": [GOOD] * 3 + [GUESSING] * 2 + [LEANING] * 2 + [CONTRARY] * 2,
    "2 good, 7 guessing": [GOOD] * 2 + [GUESSING] * 7,
    "3 good, 12 bad of all kinds": [GOOD] * 3 + [GUESSING] * 5 + [LEANING] * 5 + [CONTRARY] * 2,
}
CONTENDERS = ("weighted", "unweighted", "majority", "majority, by wins", "best judge", "best judge, all calls")
BARRED = ("weighted", "majority", "majority, by wins")


@dataclass(frozen=True, kw_only=True)
class Size:
    """How large a panel's task is: items, pairs that every judge is asked, and seeds."""

    items: int = 30
    pairs: int = 150
    seeds: int = 20


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a panel was asked and answered; arrays have a row a judge and a column a pair."""

    truth: Floats
    a: Ints
    b: Ints
    swapped: NDArray[np.bool_]
    for_first: Floats

    @property
    def for_a(self) -> Floats:
        """1 where the answer was for ``a``."""
        return np.where(self.swapped, 1 - self.for_first, self.for_first)

    def evidence(self, judges: slice = slice(None)) -> Evidence:
        """What these judges said."""
        swapped = self.swapped[judges]
        first, second = np.where(swapped, self.b, self.a), np.where(swapped, self.a, self.b)
        count = len(swapped)
        return Evidence.from_arrays(
            self.truth.size,
            first.ravel(),
            second.ravel(),
            self.for_first[judges].ravel(),
            judge=np.repeat(np.arange(count), self.a.size),
            judges=[f"judge {number}" for number in range(count)],
        )


def ask(judges: list[tuple[float, float]], size: Size, rng: np.random.Generator, truth: Floats) -> Asked:
    """Ask every judge the same random pairs, each in an order of its own."""
    a = rng.integers(size.items, size=size.pairs)
    b = (a + rng.integers(1, size.items, size=size.pairs)) % size.items
    slope, bias = (np.array(column)[:, None] for column in zip(*judges, strict=True))
    swapped = rng.random((len(judges), size.pairs)) < 0.5
    odds = slope * np.where(swapped, truth[b] - truth[a], truth[a] - truth[b]) + bias
    return Asked(truth=truth, a=a, b=b, swapped=swapped, for_first=(rng.random(odds.shape) < _logistic(odds)) * 1.0)


def by_majority(asked: Asked) -> Floats:
    """Strengths by a fit of the majority of each pair's answers."""
    votes = asked.for_a.mean(axis=0)
    score = np.where(votes > 0.5, 1.0, np.where(votes < 0.5, 0.0, 0.5))
    return fit(Evidence.from_arrays(asked.truth.size, asked.a, asked.b, score), FitOptions(position=False)).strength


def by_wins(asked: Asked) -> Floats:
    """The share of its pairs that the majority gave an item."""
    votes = asked.for_a.mean(axis=0)
    score = np.where(votes > 0.5, 1.0, np.where(votes < 0.5, 0.0, 0.5))
    count = asked.truth.size
    won = np.bincount(asked.a, score, minlength=count) + np.bincount(asked.b, 1 - score, minlength=count)
    return won / np.maximum(np.bincount(asked.a, minlength=count) + np.bincount(asked.b, minlength=count), 1)


def by_best_with_all_calls(
    judges: list[tuple[float, float]], size: Size, rng: np.random.Generator, truth: Floats
) -> Floats:
    """Strengths, had the best judge been asked as many pairs as all judges were asked together."""
    alone = Size(items=size.items, pairs=size.pairs * len(judges))
    return fit(ask(judges[:1], alone, rng, truth).evidence()).strength


def run(judges: list[tuple[float, float]], size: Size, seed: int) -> dict[str, tuple[float, float]]:
    """Tau and recall of each contender, on one panel with one seed. The first judge is the best."""
    rng = np.random.default_rng([seed, len(judges)])
    asked = ask(judges, size, rng, rng.normal(0, SPREAD, size.items))
    ways: dict[str, Callable[[], Floats]] = {
        "weighted": lambda: fit(asked.evidence()).strength,
        "unweighted": lambda: fit(asked.evidence(), FitOptions(slope=False)).strength,
        "majority": lambda: by_majority(asked),
        "majority, by wins": lambda: by_wins(asked),
        "best judge": lambda: fit(asked.evidence(slice(0, 1))).strength,
        "best judge, all calls": lambda: by_best_with_all_calls(judges, size, rng, asked.truth),
    }
    return {name: _figures(way(), asked.truth) for name, way in ways.items()}


def table(name: str, runs: list[dict[str, tuple[float, float]]], size: Size) -> Table:
    """The figures of one panel, and whether the weighted fit beat its majority."""
    rows = [[way, *(_mean([run[way][which] for run in runs]) for which in (0, 1))] for way in CONTENDERS]
    taus = {way: np.array([run[way][0] for run in runs]) for way in BARRED}
    gains = [taus["weighted"] - taus[way] for way in BARRED[1:]]
    least = min(gains, key=lambda gain: float(gain.mean()))
    beaten = "met" if least.mean() > 2 * _error(least) else "not told apart" if least.mean() > 0 else "missed"
    said = f"bar, above it by two standard errors: {beaten}" if "," in name else "no bad judge, no bar"
    note = f"weighted less the better majority: tau {_mean(least.tolist(), '+.3f')}; {said}"
    title = f"{name}: {size.items} items, {size.pairs} pairs to every judge, {len(runs)} seeds"
    return Table(title=title, columns=("contender", "tau", "recall of the top fifth"), rows=rows, notes=(note,))


def _figures(strength: Floats, truth: Floats) -> tuple[float, float]:
    top = max(1, truth.size // 5)
    reported, best = np.argsort(-strength, kind="stable")[:top], np.argsort(-truth)[:top]
    return kendall(strength, truth), len(set(reported.tolist()) & set(best.tolist())) / top


def _mean(values: list[float], form: str = ".3f") -> str:
    return f"{np.mean(values):{form}} ±{_error(np.array(values)):.3f}"


def _error(values: Floats) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.inf


def _logistic(odds: Floats) -> Floats:
    return 1 / (1 + np.exp(-odds))


def main() -> None:
    """Run the panels and print their tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=20, help="runs of each panel")
    options.add_argument("--quick", action="store_true", help="3 seeds, 16 items, 60 pairs")
    options.add_argument("--json", action="store_true", help="print JSON")
    chosen = options.parse_args()
    size = Size(items=16, pairs=60, seeds=3) if chosen.quick else Size(seeds=chosen.seeds)
    tables = [
        table(name, [run(judges, size, seed) for seed in range(size.seeds)], size) for name, judges in PANELS.items()
    ]
    print(json.dumps([as_json(one) for one in tables], indent=2) if chosen.json else "\n".join(map(as_text, tables)))


if __name__ == "__main__":
    main()
