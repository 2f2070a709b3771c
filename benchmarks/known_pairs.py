"""What known pairs and people's votes are worth: inverted judges, a panel that shares a lure, a model to correct.

    .venv/bin/python benchmarks/known_pairs.py [--seeds N] [--first N] [--crowd] [--json]

- inverted judges: 5 judges, 20 items with strengths N(0, 2) nats, 200 votes on random pairs, a bias of 0.4 nats for the
  item shown first, 10 % ties; some judges answer by minus the strengths. Kendall's tau with the truth, the share of
  boards whose direction counts as identified, and the expected tau.
- panel: 65 judges on 419 pairs that share no item, in both orders. A judge sees the truth and a lure in different
  measure; the lure leads to the wrong item more often than not, and the 30 worst judges follow it. Accuracy on the
  pairs that are not gold: random gold pairs, and pairs that were suggested two at a time. ``best two`` knows all.
- people and a model: 33 items with strengths N(0, 1) nats, people's votes on random pairs, and ratings of a model whose
  correlation with the truth is given. Kendall's tau.
- a surer crowd and a model: the same with a spread of 1.3 nats, and people's strengths correlate by .93 with the truth:
  then people alone reach what replayed votes of crowds on short arguments reach (.33, .45 and .59).

Means over seeds with standard errors; the seeds are not those that anything was tuned on (0-99).
"""

import argparse
import json

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.progress.convergence import kendall
from paragone.domain import Aim, Goal, GoldPair
from paragone.ratings import Evidence
from paragone.ratings.question_panel import Consensus, QuestionPanel, consensus, worth_asking
from paragone.tournaments.posterior import fit_options, fit_posterior

Floats = NDArray[np.float64]
FIRST_SEED = 1000
GOLD = (0, 5, 10, 20, 40)
VOTES = (0.25, 1, 2, 5)
ORDER = Goal(aim=Aim.ORDER)
Rows = dict[str, dict[str, str]]


def logistic(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-x))


def known(truth: Floats, count: int, rng: np.random.Generator) -> list[GoldPair]:
    """So many random pairs, each once."""
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < count:
        a, b = rng.choice(truth.size, 2, replace=False).tolist()
        pairs[(a, b) if truth[a] > truth[b] else (b, a)] = None
    return [GoldPair(better=f"item {a}", worse=f"item {b}") for a, b in pairs]


def inverted(seed: int, wrong: int, gold: int) -> list[float]:
    """Tau, whether the direction is identified, and the expected tau."""
    rng = np.random.default_rng([seed, wrong])
    truth, votes = rng.normal(0, 2, 20), 200
    judge = np.arange(votes) % 5
    a = rng.integers(20, size=votes)
    b = (a + rng.integers(1, 20, size=votes)) % 20
    odds = np.where(judge < wrong, -1, 1) * (truth[a] - truth[b]) + 0.4
    score = np.where(rng.random(votes) < 0.1, 0.5, (rng.random(votes) < logistic(odds)) * 1.0)
    names = [f"judge {number}" for number in range(5)]
    evidence = Evidence.from_arrays(20, a, b, score, judge=judge, judges=names)
    ids = [f"item {number}" for number in range(20)]
    posterior = fit_posterior(ids, evidence, goal=ORDER, seed=seed, gold=known(truth, gold, rng))
    identified = posterior.anchored is None or posterior.anchored.directions.identified
    return [kendall(posterior.strength.tolist(), truth.tolist()), float(identified), posterior.forecast.tau]


def panel(seed: int) -> tuple[QuestionPanel, list[tuple[int, int]], Floats]:
    """The panel, the better and worse item of each of its pairs, and whether that is the first."""
    rng, judges, pairs, wrong = np.random.default_rng([seed, 7]), 65, 419, 30
    right = rng.choice([-1.0, 1.0], pairs)
    truth = right * np.abs(rng.normal(0.9, 0.6, pairs)) + rng.normal(0, 0.45, pairs)
    lure = -0.35 * right + rng.normal(0, 0.9, pairs)
    skill = np.append(rng.uniform(0, 0.35, wrong), rng.uniform(0.35, 1.6, judges - wrong))
    taste = np.append(rng.uniform(0.6, 1.6, wrong), rng.uniform(0.1, 0.9, judges - wrong))
    bias = rng.normal(0, 0.5, judges)
    pull = 2 * (truth[:, None] * skill + lure[:, None] * taste)
    first, second, scores, who = [], [], [], []
    pair, judge = (index.ravel() for index in np.indices(pull.shape))
    for side in (1, -1):
        odds = side * pull + bias + rng.normal(0, 0.5, pull.shape)
        won = (rng.random(pull.shape) < logistic(odds)) * 1.0
        score = np.where(rng.random(pull.shape) < 0.05, 0.5, won)
        first.append(2 * pair if side > 0 else 2 * pair + 1)
        second.append(2 * pair + 1 if side > 0 else 2 * pair)
        scores.append(score.ravel())
        who.append(judge)
    evidence = Evidence.from_arrays(
        2 * pairs,
        np.concatenate(first),
        np.concatenate(second),
        np.concatenate(scores),
        judge=np.concatenate(who),
        judges=[f"judge {number}" for number in range(judges)],
    )
    asked = QuestionPanel.of(evidence)
    if asked is None:
        raise ValueError("these judges are no panel")
    answers = [(2 * at, 2 * at + 1) if side > 0 else (2 * at + 1, 2 * at) for at, side in enumerate(right.tolist())]
    return asked, answers, right


def accuracy(found: Consensus, right: Floats) -> float:
    rest = np.setdiff1d(np.arange(right.size), found.gold)
    return float((np.sign(found.probability - 0.5) == right)[rest].mean())


def panel_accuracies(seed: int) -> dict[str, list[float]]:
    """By row, the accuracy at each number of gold pairs."""
    asked, answers, right = panel(seed)
    rng = np.random.default_rng([seed, 8])
    majority = float((np.sign(asked.votes.sum(axis=1)) == right).mean())
    rows: dict[str, list[float]] = {"random": [], "expected": [], "suggested": [], "expected, suggested": []}
    chosen: list[int] = []
    for count in GOLD:
        drawn = [consensus(asked, [answers[at] for at in rng.permutation(right.size)[:count]]) for _ in range(4)]
        rows["random"].append(float(np.mean([accuracy(found, right) for found in drawn])))
        rows["expected"].append(float(np.mean([found.expected_accuracy for found in drawn])))
        while len(chosen) < count:
            step = min(2, count - len(chosen))
            chosen += worth_asking(consensus(asked, [answers[at] for at in chosen]), step)
        found = consensus(asked, [answers[at] for at in chosen])
        rows["suggested"].append(accuracy(found, right))
        rows["expected, suggested"].append(found.expected_accuracy)
    best = asked.factors @ np.linalg.lstsq(asked.factors, right, rcond=None)[0]
    return rows | {"majority": [majority], "best two": [float((np.sign(best) == right).mean())]}


def corrected(seed: int, correlation: float | None, *, spread: float = 1.0, shared: float = 1.0) -> list[float]:
    """Tau at each number of people's votes; the same votes whatever the model is worth.

    Args:
        seed: Of everything.
        correlation: Of the model's ratings with the truth; None for no model.
        spread: Of people's strengths, in nats.
        shared: Correlation of people's strengths with the truth.
    """
    rng, items = np.random.default_rng([seed, 9]), 33
    truth, noise = rng.normal(0, 1, (2, items))
    count = int(max(VOTES) * items)
    a = rng.integers(items, size=count)
    b = (a + rng.integers(1, items, size=count)) % items
    luck = rng.random(count)
    seen = spread * (shared * truth + np.sqrt(1 - shared**2) * rng.normal(0, 1, items))
    score = (luck < logistic(seen[a] - seen[b])) * 1.0
    ids = [f"item {number}" for number in range(items)]
    prior = None
    if correlation is not None:
        rated = correlation * truth + np.sqrt(1 - correlation**2) * noise
        prior = dict(zip(ids, rated.tolist(), strict=True))
    taus = []
    for share in VOTES:
        some = slice(0, int(share * items))
        evidence = Evidence.from_arrays(items, a[some], b[some], score[some], judges=["people"])
        terms = fit_options(["people"], position=False)
        posterior = fit_posterior(ids, evidence, goal=ORDER, options=terms, seed=seed, prior=prior)
        taus.append(kendall(posterior.strength.tolist(), truth.tolist()))
    return taus


def cells(names: list[str], values: list[list[float]]) -> dict[str, str]:
    array = np.array(values)
    error = array.std(axis=0, ddof=1) / np.sqrt(len(array))
    return {name: f"{mean:.3f} ± {se:.3f}" for name, mean, se in zip(names, array.mean(axis=0), error, strict=True)}


def tables(seeds: range) -> dict[str, Rows]:
    """All tables."""
    judges: Rows = {}
    for wrong in (0, 1, 2, 3, 4):
        for gold in (0, 3, 5, 10, 20):
            if wrong or not gold:
                values = [inverted(seed, wrong, gold) for seed in seeds]
                judges[f"{wrong} of 5 inverted, {gold} gold"] = cells(["tau", "identified", "forecast"], values)
    measured = [panel_accuracies(seed) for seed in seeds]
    panels = {
        name: cells([str(m) for m in GOLD][: len(measured[0][name])], [each[name] for each in measured])
        for name in measured[0]
    }
    return {
        "inverted judges": judges,
        "panel": panels,
        "people and a model": people(seeds, (None, 0.5, 0.7, 0.9, 0.0, -0.7)),
        "a surer crowd and a model": crowd(seeds),
    }


def people(seeds: range, correlations: tuple[float | None, ...], *, spread: float = 1.0, shared: float = 1.0) -> Rows:
    """A row for each correlation of the model; terms as of ``corrected``."""
    names = [f"{share:g}N" for share in VOTES]
    return {
        "no model" if r is None else f"model of correlation {r:g}": cells(
            names, [corrected(seed, r, spread=spread, shared=shared) for seed in seeds]
        )
        for r in correlations
    }


def crowd(seeds: range) -> Rows:
    """People who alone reach what replayed votes of crowds reach."""
    return people(seeds, (None, 0.7, 0.0), spread=1.3, shared=0.93)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--first", type=int, default=FIRST_SEED, help="the first seed")
    parser.add_argument("--crowd", action="store_true", help="only the last table")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    found = {"a surer crowd and a model": crowd(seeds)} if options.crowd else tables(seeds)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for title, rows in found.items():
        print(f"\n{title}")
        for name, row in rows.items():
            print(f"  {name:28}" + "".join(f"{column:>12} {value}" for column, value in row.items()))


if __name__ == "__main__":
    main()
