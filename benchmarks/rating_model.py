"""Is the rating model calibrated? Simulated judges whose truth is known, judged by ``paragone.ratings.fit``.

Run by hand::

    python benchmarks/rating_model.py [--items N] [--seeds N] [--pairing neighbours|random] [--ties threshold|uniform]

The judge: skills N(0, 1), the first is preferred by (difference / noise + bias + logistic noise) nats. With
``threshold`` ties, an answer within a threshold of nothing is a tie, about 10 % of random pairs; with ``uniform`` ones,
any tenth answer is. The true strength of an item is its skill / noise, less the pool's average.
"""

import argparse
import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.ratings import Evidence, Fit, draws, fit, rank_intervals, ranks, rating_intervals, to_elo

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SimulatedJudge:
    """Prefers by skill, with noise, a liking for what is shown first, and ties."""

    skill: Floats
    noise: float = 0.5
    bias: float = 0.4
    ties: str = "threshold"
    threshold: float = 0.35

    @property
    def strength(self) -> Floats:
        """The truth, in nats, less the pool's average."""
        return (self.skill - self.skill.mean()) / self.noise

    def score(self, first, second, rng) -> Floats:
        """Scores of the first in each comparison: 1, 0.5 or 0."""
        latent = (self.skill[first] - self.skill[second]) / self.noise + self.bias + rng.logistic(size=len(first))
        tie = np.abs(latent) < self.threshold if self.ties == "threshold" else rng.random(len(first)) < 0.1
        return np.where(tie, 0.5, latent > 0)


def random_pairs(count, items, rng, _played, _strength):
    """Pairs of distinct items, each pair equally likely."""
    first = rng.integers(items, size=count)
    return list(zip(first.tolist(), ((first + rng.integers(1, items, size=count)) % items).tolist(), strict=True))


def neighbour_pairs(count, items, rng, played, strength):
    """Two random matchings first; then neighbours in the current order that have not met; anyone once all have."""
    if len(played) < items:
        order = rng.permutation(items)
        return list(zip(order[0::2].tolist(), order[1::2].tolist(), strict=False))
    order, used, pairs = np.argsort(-strength).tolist(), set(), []
    for place in rng.permutation(items - 1).tolist():
        here = order[place]
        for there in order[place + 1 : place + 21]:
            if not used & {here, there} and frozenset((here, there)) not in played:
                pairs.append((here, there))
                used |= {here, there}
                break
    return pairs[:count] or random_pairs(count, items, rng, played, strength)


def run(judge: SimulatedJudge, budgets: list[int], pairing, rng) -> list[Fit]:
    """Fits at each of the budgets (calls an item), from one tournament."""
    items, fits, current = judge.skill.size, [], None
    first, second, score, played, lead = [], [], [], set(), np.zeros(items)
    for _ in range(max(budgets) * items + 1):
        if len(score) >= budgets[len(fits)] * items:
            fits.append(fit(Evidence.from_arrays(items, first, second, score)))
            if len(fits) == len(budgets):
                return fits
        strength = np.zeros(items) if current is None else current.strength
        pairs = pairing(max(items // 4, 12), items, rng, played, strength)
        shown = [(a, b) if lead[a] + rng.random() / 2 < lead[b] + rng.random() / 2 else (b, a) for a, b in pairs]
        for a, b in shown:
            lead[a] += 1
            lead[b] -= 1
            played.add(frozenset((a, b)))
        answers = judge.score(*np.array(shown).T, rng)
        first += [a for a, _ in shown]
        second += [b for _, b in shown]
        score += answers.tolist()
        if pairing is neighbour_pairs:
            current = fit(Evidence.from_arrays(items, first, second, score), start=current)
    return fits


def kendall_tau(a: Floats, b: Floats) -> float:
    """Kendall's tau between two orders without ties."""
    upper = np.triu_indices(a.size, 1)
    agree = np.sign(a[:, None] - a)[upper] * np.sign(b[:, None] - b)[upper]
    return float(agree.mean())


def measure(judge: SimulatedJudge, found: Fit, rng) -> dict[str, float]:
    """How near the fit came, and whether its intervals hold the truth."""
    low, high = rating_intervals(found, 0.95)
    best, worst = rank_intervals(draws(found, 1000, rng), 0.95)
    true_rank = ranks(judge.strength)
    return {
        "tau": kendall_tau(found.strength, judge.strength),
        "rating cover": float(((low <= judge.strength) & (judge.strength <= high)).mean()),
        "rank cover": float(((best <= true_rank) & (true_rank <= worst)).mean()),
        "scale": float(found.strength @ judge.strength / (judge.strength @ judge.strength)),
        "spread": found.prior_spread,
        "width, Elo": float(to_elo((high - low).mean() / 2, initial=0.0)),
        "position": float(found.position[0]),
        "position cover": float(abs(found.position[0] - judge.bias) <= 1.96 * found.position_se[0]),
        "ties": math.exp(found.tie[0]) / (2 + math.exp(found.tie[0])),
        "identified": float(found.identified),
    }


def main() -> None:
    """Print the means over seeds, by budget."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--budgets", type=int, nargs="+", default=[2, 5, 10])
    parser.add_argument("--pairing", choices=["neighbours", "random"], default="neighbours")
    parser.add_argument("--ties", choices=["threshold", "uniform"], default="threshold")
    parser.add_argument("--noise", type=float, default=0.5)
    options = parser.parse_args()
    pairing = neighbour_pairs if options.pairing == "neighbours" else random_pairs
    rows = {budget: [] for budget in options.budgets}
    began = time.perf_counter()
    for seed in range(options.seeds):
        rng = np.random.default_rng(seed)
        judge = SimulatedJudge(skill=rng.standard_normal(options.items), noise=options.noise, ties=options.ties)
        for budget, found in zip(options.budgets, run(judge, options.budgets, pairing, rng), strict=True):
            rows[budget].append(measure(judge, found, rng))
    for budget, measures in rows.items():
        means = {name: float(np.mean([one[name] for one in measures])) for name in measures[0]}
        print(f"{budget:3d}N", "  ".join(f"{name} {mean:.3f}" for name, mean in means.items()))
    print(f"{options.seeds} seeds of {options.items} items in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
