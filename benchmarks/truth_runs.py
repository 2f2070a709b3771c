"""Simulated tournaments and panels whose truth is known, and what their fits make of it."""

import json
import math
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from simulated import Floats, Habits, SimulatedJudge, play

from paragone.domain import Goal
from paragone.pairing.forecast import expected_tau, forecast
from paragone.ratings import Evidence, Fit, FitOptions, draws, fit, rank_intervals, ranks, rating_intervals, to_elo
from paragone.ratings.model.davidson import Davidson
from paragone.tournaments.posterior import NO_SIGNAL

DRAWS = 1000
PANELS = {"graded": (1.6, 1.2, 0.8, 0.4), "two of seven": (1.0, 1.0, 0.1, 0.1, 0.1, 0.1, 0.1)}
Figures = dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Tournaments of one kind.

    Attributes:
        name: What is special about the judge.
        items: How many items there are.
        habits: How the judge answers.
        calls: Numbers of calls an item at which it is looked at.
    """

    name: str
    items: int
    habits: Habits
    calls: tuple[int, ...]


def run(cell: Cell, seed: int) -> list[Figures]:
    """What one tournament's fits come to at each of the numbers of calls an item."""
    rng = np.random.default_rng(seed)
    judge = SimulatedJudge(cell.items, rng, cell.habits)
    return [measure(judge, evidence, rng) for evidence in play(judge, cell.calls, rng)]


def measure(judge: SimulatedJudge, evidence: Evidence, rng: np.random.Generator) -> Figures:
    """Whether intervals hold, how wide they are, and what was forecast."""
    found, truth = fit(evidence, FitOptions(repeats=True, no_signal=NO_SIGNAL)), judge.strength - judge.strength.mean()
    sample, place = draws(found, DRAWS, rng), ranks(truth)
    low, high = rating_intervals(found, draws=sample)
    best, worst = rank_intervals(sample, reported=ranks(found.strength))
    said, fact = (forecast(found.strength, of, Goal()) for of in (sample, truth[np.newaxis]))
    figures = {
        "rating": np.mean((low <= truth) & (truth <= high)),
        "width": to_elo(np.mean(high - low) / 2, initial=0.0),
        "oracle width": to_elo(float(np.mean(1.96 * oracle(judge, evidence))), initial=0.0),
        "rank": np.mean((best <= place) & (place <= worst)),
        "rank width": np.mean(worst - best),
        "identified": found.identified,
        "pair effect": found.repeats.pair_effect,
        "stickiness": found.repeats.stickiness,
    }
    for name in ("tau", "recall", "p_best"):
        figures |= {name: getattr(fact, name), f"{name} forecast": getattr(said, name)}
    return {name: float(value) for name, value in (figures | habits_found(found, judge)).items()}


def habits_found(found: Fit, judge: SimulatedJudge) -> Figures:
    """Position term and tie parameter, and whether they lie within 1.96 standard errors of the truth."""
    tie = math.log(judge.tie) if judge.tie else math.nan
    return {
        "position": found.position[0],
        "position held": abs(found.position[0] - judge.habits.bias) <= 1.96 * found.position_se[0],
        "tie": found.tie[0] - tie,
        "tie held": abs(found.tie[0] - tie) <= 1.96 * found.tie_se[0],
    }


def oracle(judge: SimulatedJudge, evidence: Evidence) -> Floats:
    """Standard error of each strength for someone who knows all but the strengths, shape (items,).

    From Fisher's information at the truth and the distribution that the strengths were drawn from.
    """
    items = judge.strength.size
    tie = np.full(len(evidence), math.log(judge.tie) if judge.tie else -math.inf)
    weight = Davidson.at(judge.log_odds(evidence.first, evidence.second), tie).variance
    information = np.eye(items) / judge.strength.var()
    for a, b, sign in (
        (evidence.first, evidence.first, 1),
        (evidence.second, evidence.second, 1),
        (evidence.first, evidence.second, -1),
        (evidence.second, evidence.first, -1),
    ):
        np.add.at(information, (a, b), sign * weight)
    centring = np.eye(items) - 1 / items
    return np.sqrt(np.diagonal(centring @ np.linalg.inv(information) @ centring))


def run_panel(slopes: tuple[float, ...], items: int, answers: int, seed: int) -> Figures:
    """A panel on random pairs, each pair put to every judge: slopes found, and tau beside other ways to count.

    Args:
        slopes: Of the judges.
        items: How many items there are.
        answers: Of each judge.
        seed: Of the skills, pairs and answers.
    """
    rng = np.random.default_rng(seed)
    truth = SimulatedJudge(items, rng).strength
    first = rng.integers(items, size=answers)
    second = (first + rng.integers(1, items, size=answers)) % items
    panel = [SimulatedJudge(items, rng, Habits(slope=slope), truth) for slope in slopes]
    scores = np.array([judge.answer(first, second) for judge in panel])
    evidence = Evidence.from_arrays(
        items,
        np.tile(first, len(panel)),
        np.tile(second, len(panel)),
        scores.ravel(),
        judge=np.repeat(np.arange(len(panel)), answers),
        judges=[f"judge {number}" for number in range(len(panel))],
    )
    found = fit(evidence)
    majority = fit(Evidence.from_arrays(items, first, second, (np.sign(scores.mean(axis=0) - 0.5) + 1) / 2))
    off = np.log(found.slope) - np.log(slopes) + np.mean(np.log(slopes))
    figures = {
        "tau": expected_tau(found.strength, truth[np.newaxis]),
        "tau, all alike": expected_tau(fit(evidence, FitOptions(slope=False)).strength, truth[np.newaxis]),
        "tau, majority": expected_tau(majority.strength, truth[np.newaxis]),
        "slope held": np.mean(np.abs(off) <= 1.96 * found.slope_se),
    }
    figures |= {f"slope {slope:g}": error for slope, error in reversed(list(zip(slopes, off, strict=True)))}
    return {name: float(value) for name, value in figures.items()}


def runs(cells: list[Cell], seeds: int, jobs: int, kept: Path | None) -> dict[Cell, list[list[Figures]]]:
    """By cell, by seed, by number of calls an item.

    Args:
        cells: What to play.
        seeds: How many tournaments of each.
        jobs: Processes.
        kept: A file of finished runs, a line each: those in it are not played again, the others are added.
    """
    done: dict[str, list[Figures]] = {}
    if kept is not None and kept.exists():
        done = dict(json.loads(line) for line in kept.read_text().splitlines())
    asked = [(cell, seed) for seed in range(seeds) for cell in cells]
    missing = [(cell, seed) for cell, seed in asked if f"{cell} {seed}" not in done]
    with ProcessPoolExecutor(jobs) as pool:
        columns = [cell for cell, _ in missing], [seed for _, seed in missing]
        for (cell, seed), result in zip(missing, pool.map(run, *columns), strict=True):
            done[f"{cell} {seed}"] = result
            if kept is not None:
                with kept.open("a") as file:
                    file.write(json.dumps([f"{cell} {seed}", result]) + "\n")
    return {cell: [done[f"{cell} {seed}"] for seed in range(seeds)] for cell in cells}
