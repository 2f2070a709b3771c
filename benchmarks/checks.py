"""The checks of ``paragone consistency`` on tournaments whose truth is known: false alarms, planted faults, and size.

    .venv/bin/python benchmarks/checks.py [--runs N] [--quick] [--json]

Tournaments are simulated: strengths are normal with a spread of 1.5 nats, opponents are near in running Elo, the judge
answers by Davidson's model with a bias of 0.3 nats and ties for one in nine even pairs. A *fair* one should raise no
alarm. A *planted* one has its best item lose so many matches in a row, after twelve fair ones. Found is a drop of that
item; every other alarm is a false one. Size: columns of matches of random pairs, CPU seconds of one run each.
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rating_table import Table, as_json, as_text

from paragone.analysis.progress.convergence import kendall
from paragone.analysis.quality.anomalies import AnomalyKind, Fair, anomalies
from paragone.analysis.quality.contests import AnswerTable, Contests, FittedContests
from paragone.analysis.quality.cycles import tangles, transitivity
from paragone.analysis.quality.outliers import both_orders, outliers
from paragone.domain import RatingConfig
from paragone.ratings import Evidence, fit
from paragone.ratings.elo import update
from paragone.ratings.fit_types import Fit
from paragone.wire.consistency import Swing

AFTER, TIE, BIAS, SPREAD = 12, 0.25, 0.3, 1.5


@dataclass(frozen=True, kw_only=True)
class Kinds:
    """One kind of tournament: its size, how many items come in half-way, and how many losses are planted."""

    items: int
    matches: int
    late: int = 0
    planted: int = 0


FAIR = (
    Kinds(items=10, matches=300),
    Kinds(items=30, matches=900),
    Kinds(items=40, matches=600, late=15),
    Kinds(items=150, matches=500),
)
PLANTED = tuple(Kinds(items=30, matches=900, planted=losses) for losses in (6, 8, 10, 14))


def looked_at(kind: Kinds, seed: int) -> tuple[tuple[Swing, ...], str]:
    """The alarms of one tournament, and the id of its best item."""
    rng = np.random.default_rng(seed)
    truth, elo, count = rng.normal(0, SPREAD, kind.items), np.full(kind.items, 1200.0), np.zeros(kind.items, dtype=int)
    best, rows = int(np.argmax(truth)), []
    for number in range(kind.matches):
        there = np.arange(kind.items - kind.late if number < kind.matches // 2 else kind.items)
        one = rng.choice(there)
        others = there[there != one]
        near = np.exp(-np.abs(elo[others] - elo[one]) / 150)
        a, b = rng.permutation([one, rng.choice(others, p=near / near.sum())]).tolist()
        half = (truth[a] - truth[b] + BIAS) / 2
        luck = rng.random() * (np.exp(half) + TIE + np.exp(-half))
        score = 1.0 if luck < np.exp(half) else 0.5 if luck < np.exp(half) + TIE else 0.0
        if best in (a, b) and AFTER <= count[best] < AFTER + kind.planted:
            score = float(a != best)
        for item, move in zip((a, b), update((elo[a], elo[b]), score, RatingConfig()), strict=True):
            elo[item], count[item] = move.new, count[item] + 1
        rows.append((a, b, score))
    a, b, scores = (np.array(column) for column in zip(*rows, strict=True))
    found = fit(Evidence.from_arrays(kind.items, a, b, scores))
    told = predicted(a, b, scores, found.strength[None], found)
    win, draw = told.ends(found.strength)
    return anomalies(told.contests, Fair(win=win, draw=draw, error=found.standard_error), ()), str(best)


def predicted(a: Any, b: Any, scores: Any, draws: Any, found: Fit | None = None) -> FittedContests:
    """What a fit says of matches with one answer each, ``a`` shown first."""
    contests = Contests.of([str(n) for n in range(draws.shape[1])], [str(n) for n in range(len(a))], a, b, scores)
    ones = np.ones(len(a))
    answers = AnswerTable(
        match=np.arange(len(a)),
        first=contests.a,
        second=contests.b,
        forward=ones == 1,
        choice=contests.score,
        slope=ones,
        position=ones * (0.0 if found is None else found.position[0]),
        tie=ones * (-np.inf if found is None else found.tie[0]),
        scatter=0 * ones,
    )
    return FittedContests(contests=contests, answers=answers, draws=lambda: draws, strength=draws[0])


def alarms(runs: int) -> Table:
    """How many fair tournaments raise an alarm."""
    rows = []
    for kind in FAIR:
        raised = [bool(looked_at(kind, seed)[0]) for seed in range(runs)]
        name = f"{kind.items} items, {kind.matches} matches" + (f", {kind.late} come in half-way" if kind.late else "")
        rows.append((name, runs, sum(raised)))
    return Table(title="Fair tournaments", columns=("tournament", "simulated", "with an alarm"), rows=rows)


def plants(runs: int) -> Table:
    """How many planted falls are found."""
    rows = []
    for kind in PLANTED:
        seen = [looked_at(kind, seed) for seed in range(runs)]
        hits = [any(one.item == best and one.kind is AnomalyKind.DROP for one in found) for found, best in seen]
        false = [any(one.item != best for one in found) for found, best in seen]
        rows.append((kind.planted, runs, sum(hits), sum(false)))
    title = "The best of 30 items loses so many of its 60 or so matches in a row"
    return Table(title=title, columns=("losses", "simulated", "found", "with another alarm"), rows=rows)


def size(items: int, matches: int) -> Table:
    """What the checks of very many matches take."""
    rng = np.random.default_rng(0)
    truth = rng.normal(0, SPREAD, items)
    a = rng.integers(items, size=matches)
    b = (a + rng.integers(1, items, size=matches)) % items
    scores = (rng.random(matches) < 1 / (1 + np.exp(truth[b] - truth[a]))).astype(float)
    told = predicted(a, b, scores, truth + rng.normal(0, 0.3, (200, items)))
    win, draw = told.ends(truth)
    fair = Fair(win=win, draw=draw, error=np.full(items, 0.3))
    ways: dict[str, Callable[[], object]] = {
        "transitivity, with what noise makes": lambda: transitivity(told.contests, rng, told),
        "circles": lambda: tangles(told.contests, rng, truth),
        "surprising results": lambda: outliers(told),
        "both orders": lambda: both_orders(told),
        "sudden swings": lambda: anomalies(told.contests, fair, ()),
        "rank stability (Kendall's tau)": lambda: kendall(truth, truth + rng.normal(0, 0.1, items)),
    }
    rows = [(name, _seconds(way)) for name, way in ways.items()]
    return Table(title=f"{matches:,} matches of {items:,} items", columns=("check", "CPU seconds"), rows=rows, digits=2)


def _seconds(way: Callable[[], object]) -> float:
    began = time.process_time()
    way()
    return time.process_time() - began


def main() -> None:
    """Run the tables and print them."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=100, help="tournaments of each kind; a quarter of them planted")
    options.add_argument("--quick", action="store_true", help="4 tournaments of each kind, 20,000 matches")
    options.add_argument("--json", action="store_true", help="print JSON")
    chosen = options.parse_args()
    runs = 4 if chosen.quick else chosen.runs
    tables = [alarms(runs), plants(max(4, runs // 4))]
    tables.append(size(2_000, 20_000) if chosen.quick else size(100_000, 1_000_000))
    print(json.dumps([as_json(one) for one in tables], indent=2) if chosen.json else "\n".join(map(as_text, tables)))


if __name__ == "__main__":
    main()
