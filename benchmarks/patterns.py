"""What an analysis of patterns finds in tournaments where the truth is known, and what it finds where there is nothing.

Texts are made of common words, and some carry planted ones: two that win and two that lose, each in about a third of
the texts. Items also differ for reasons that are not in their texts. Beside it, in the same run: the naive method. It
asks of each word whether sides that have it win more of the matches in which the other has not (chi-square, with
Bonferroni's correction). A *false* find is a word that was not planted; an *alarm* is a run without anything planted in
which anything is found.

Run ``python benchmarks/patterns.py --help``.
"""

import argparse
import json
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.stats import chi2

from paragone.analysis.patterns import DecidedMatch, analyse
from paragone.analysis.patterns.features import FeatureKind, features_of

PLANTED = {"plankton": 1.0, "crystalline": 1.0, "vaguely": -1.0, "sprawling": -1.0}
POSITION = 0.4


def world(items, matches, effect, own, seed, *, near):
    """Texts and decided matches; ``near`` pairs items whose running Elo is alike."""
    rng = np.random.default_rng([seed, items, matches])
    letters = list("abcdefghijklmnop")
    words = ["q" + "".join(rng.choice(letters, 5)) for _ in range(600)]
    chance = np.arange(3.0, 603.0) ** -0.8
    chance /= chance.sum()
    texts, strength = {}, rng.normal(0.0, own, items)
    for at in range(items):
        said = rng.choice(words, int(rng.integers(25, 60)), p=chance).tolist()
        for word, sign in PLANTED.items():
            if rng.random() < 0.35:
                said.insert(int(rng.integers(len(said))), word)
                strength[at] += sign * effect
        texts[f"h{at}"] = " ".join(said) + "."
    return texts, played(strength, matches, rng, near=near)


def played(strength, matches, rng, *, near):
    elo, decided = np.full(len(strength), 1200.0), []
    for number in range(matches):
        one, *others = rng.choice(len(strength), 11, replace=False)
        other = others[int(np.argmin(abs(elo[others] - elo[one])))] if near else others[0]
        first = 1.0 if rng.random() < 0.5 else -1.0
        won = rng.random() < 1 / (1 + np.exp(strength[other] - strength[one] - POSITION * first))
        move = 32 * (won - 1 / (1 + 10 ** ((elo[other] - elo[one]) / 400)))
        elo[one], elo[other] = elo[one] + move, elo[other] - move
        winner, loser = (one, other) if won else (other, one)
        position = first if won else -first
        decided.append(DecidedMatch(winner=f"h{winner}", loser=f"h{loser}", round=number // 50 + 1, position=position))
    return decided


def naive(decided, texts):
    """Words whose holders win more or less than half against others, by chi-square."""
    ids = list(texts)
    features = features_of([texts[id] for id in ids])
    words = [at for at, kind in enumerate(features.kinds) if kind is not FeatureKind.TRAIT]
    held, place = features.held[:, words], {id: at for at, id in enumerate(ids)}
    winner, loser = held[[place[b.winner] for b in decided]], held[[place[b.loser] for b in decided]]
    won, lost = (winner & ~loser).sum(axis=0), (loser & ~winner).sum(axis=0)
    statistic = (won - lost) ** 2 / np.maximum(won + lost, 1)
    sure = chi2.sf(statistic, 1) * len(words) < 0.05
    return {features.names[at]: bool(w > v) for at, w, v, s in zip(words, won, lost, sure, strict=True) if s}


def ours(decided, texts, seed):
    found = analyse(decided, texts, seed=seed)
    return {one.name: one.wins for one in found.characteristics}, found


def hits(named):
    return sum(named.get(word) == (sign > 0) for word, sign in PLANTED.items())


def cell(items, matches, effect, own, *, near, seeds):
    rows, seconds = [], 0.0
    for seed in range(seeds):
        texts, decided = world(items, matches, effect, own, seed, near=near)
        began = time.process_time()
        named, found = ours(decided, texts, seed)
        seconds += time.process_time() - began
        plain = naive(decided, texts)
        rows.append(
            (
                hits(named),
                len(named) - hits(named),
                bool(named),
                found.confidence,
                hits(plain),
                len(plain) - hits(plain),
                bool(plain),
                bool(found.topics and any(topic.trend for topic in found.topics)),
            )
        )
    hit, false, any_found, confidence, their_hit, their_false, their_any, trend = np.mean(rows, axis=0)
    planted = bool(effect)
    return {
        "items": items,
        "matches": matches,
        "effect": effect,
        "own": own,
        "near": near,
        "seeds": seeds,
        "confidence": confidence,
        "power": hit / len(PLANTED) if planted else None,
        "false": false,
        "alarms": None if planted else any_found,
        "naive_power": their_hit / len(PLANTED) if planted else None,
        "naive_false": their_false,
        "naive_alarms": None if planted else their_any,
        "trends": trend,
        "cpu_seconds": seconds / seeds,
    }


GRID = [
    # items, matches, effect in nats, spread of the items' own strength, near
    (150, 500, 0.0, 0.0, False),
    (150, 500, 0.0, 1.0, False),
    (150, 500, 0.0, 1.0, True),
    (300, 2000, 0.0, 1.0, True),
    (150, 500, 0.7, 0.5, False),
    (150, 500, 1.0, 0.5, False),
    (150, 500, 1.5, 0.5, False),
    (150, 500, 1.5, 0.5, True),
    (150, 2000, 1.0, 0.5, False),
    (300, 1000, 1.0, 0.5, False),
    (300, 2000, 1.0, 0.5, True),
]


def show(row):
    def share(value):
        return "" if value is None else f"{value:.0%}"

    print(
        f"| {row['items']} | {row['matches']:,} | {row['effect']} | {row['own']} | {'near' if row['near'] else 'any'} "
        f"| {row['confidence']:.2f} | {share(row['power'])} | {row['false']:.2f} | {share(row['alarms'])} "
        f"| {share(row['naive_power'])} | {row['naive_false']:.2f} | {share(row['naive_alarms'])} "
        f"| {share(row['trends'])} | {row['cpu_seconds']:.2f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40, help="runs with planted words; five times as many without")
    parser.add_argument("--quick", action="store_true", help="three settings, four seeds")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    grid, seeds = ([GRID[2], GRID[6], GRID[7]], 4) if given.quick else (GRID, given.seeds)
    if not given.json:
        print("| items | matches | effect | own | pairs | confidence | power | false | alarms "
              "| naive power | false | alarms | trends | CPU s |")  # fmt: skip
        print("|" + "---|" * 14)
    rows = []
    for items, matches, effect, own, near in grid:
        runs = seeds if effect or given.quick else 5 * seeds
        rows.append(cell(items, matches, effect, own, near=near, seeds=runs))
        if not given.json:
            show(rows[-1])
    if given.json:
        json.dump(rows, sys.stdout, indent=2)


if __name__ == "__main__":
    main()
