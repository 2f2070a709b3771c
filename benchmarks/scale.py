"""Throughput at scale, a row each: wall time over the ideal, calls in flight, CPU a match, and what the window costs.

    scale.py [--only NAME ...] [--quick]

The judge is simulated. A call takes one to two seconds, evenly distributed, and where a row says so one call in a hundred takes a minute; the
ideal is ``matches x 1.5 s / calls in flight``. A row is a function in ``ROWS`` that prints what it measured.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from paragone.domain import Question, Verdict
from paragone.judges.base import Wrapper, uniform
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.tournament_settings import CallOptions

ITEMS = 150
STRENGTH = 1.2
"""Standard deviation of the true strengths, in nats."""
MEAN_SECONDS, MINUTE, MINUTE_SHARE = 1.5, 60.0, 0.01


class Slow(Wrapper):
    """A judge whose calls take time, by the call and how often it was asked; counts them."""

    def __init__(self, judge: SimulatedJudge, *, stragglers: bool = False, instant: bool = False) -> None:
        super().__init__(judge)
        self.calls = self.now = self.most = 0
        self.busy = 0.0
        self._stragglers = stragglers
        self._instant = instant

    async def compare(self, question: Question) -> Verdict:
        """The answer, after its time."""
        self.calls += 1
        self.now += 1
        self.most = max(self.most, self.now)
        began = time.perf_counter()
        try:
            if not self._instant:
                await asyncio.sleep(self._seconds(question.call))
            return await super().compare(question)
        finally:
            self.busy += time.perf_counter() - began
            self.now -= 1

    def _seconds(self, call: str) -> float:
        if self._stragglers and uniform("straggler", call, self.calls) < MINUTE_SHARE:
            return MINUTE
        return 1.0 + uniform("seconds", call, self.calls)


def strengths(seed: int) -> dict[str, float]:
    """The true strength of each item."""
    drawn = STRENGTH * np.random.default_rng(seed).standard_normal(ITEMS)
    return {f"i{number}": float(value) for number, value in enumerate(drawn)}


def play(
    folder: Path, pairing: str, matches: int, concurrency: int, *, seed: int = 1, **slow: bool
) -> dict[str, float]:
    """Play one tournament on SQLite on disk; what it took."""
    truth = strengths(seed)
    judge = Slow(SimulatedJudge(truth, seed=seed), **slow)
    db = folder / f"{pairing}-{concurrency}-{time.monotonic_ns()}.db"
    options = {"budget": matches, "seed": seed, "confidence": 0.9999, "pairing": pairing}
    with Tournament.create({id: id for id in truth}, judge=judge, criteria="c", db=db, **options) as tournament:
        cpu, wall = time.process_time(), time.perf_counter()
        board = tournament.run(pace=CallOptions(concurrency=concurrency))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        played = len(tournament.state.played)
        aside = sum(event.kind == "aside" for event in tournament.state.events)
        places = np.argsort([-row.rating for row in board.items])
        order = [truth[board.items[place].id] for place in places]
    pairs = [np.sign(a - b) for at, a in enumerate(order) for b in order[at + 1 :]]
    ideal = played * MEAN_SECONDS / concurrency
    return {
        "matches": played,
        "wall": wall,
        "ideal": ideal,
        "over": wall / ideal,
        "cpu_ms": 1000 * cpu / max(1, played),
        "extra": judge.calls / max(1, played) - 1,
        "most": judge.most,
        "mean_in_flight": judge.busy / wall,
        "aside": aside,
        "tau": float(np.mean(pairs)),
    }


def row(name: str, took: dict[str, float]) -> None:
    """Print what a tournament took."""
    print(
        f"{name:44} {took['matches']:6.0f} matches {took['wall']:7.1f} s, {took['over']:5.2f} x ideal, "
        f"in flight at most {took['most']:.0f}, on average {took['mean_in_flight']:.1f}; {took['extra']:+.1%} calls, "
        f"{took['aside']:.0f} set aside; {took['cpu_ms']:.2f} ms CPU a match"
    )


SIZES = {8: 320, 64: 1500, 200: 3000}
"""Matches by calls in flight."""


def wall(folder: Path, quick: bool) -> None:
    """Wall time over the ideal, informative, without and with stragglers."""
    for stragglers in (False, True):
        for concurrency, matches in SIZES.items():
            took = play(folder, "informative", matches // (4 if quick else 1), concurrency, stragglers=stragglers)
            row(f"informative, C={concurrency}{', 1 % of 60 s' if stragglers else ''}", took)


def thousand(folder: Path, quick: bool) -> None:
    """1,000 calls of one to two seconds."""
    row("1,000 calls, round robin, C=1000", play(folder, "round-robin", 1000, 1000))
    row("1,000 calls, informative, C=200", play(folder, "informative", 1000, 200))
    if not quick:
        row("1,000 calls, round robin, C=200, 1 % of 60 s", play(folder, "round-robin", 1000, 200, stragglers=True))


def cpu(folder: Path, quick: bool) -> None:
    """CPU a match of the whole run, its last board included; the first run compiles and is not shown."""
    play(folder, "informative", 200, 8, instant=True)
    for pairing in ("informative", "weighted", "round-robin"):
        row(f"CPU, {pairing}", play(folder, pairing, 250 if quick else 1000, 8, instant=True))


def quality(folder: Path, quick: bool) -> None:
    """Kendall's tau with the truth at five and ten calls an item, by calls in flight; 1 is the narrowest window."""
    for concurrency in (1, 64, 200):
        for each in (5, 10):
            runs = range(1, 5 if quick else 41)
            taus = [
                play(folder, "informative", each * ITEMS, concurrency, seed=seed, instant=True)["tau"] for seed in runs
            ]
            error = np.std(taus) / np.sqrt(len(taus))
            print(
                f"tau, {each} calls an item, C={concurrency:3}: {np.mean(taus):.4f} +- {error:.4f} ({len(taus)} seeds)"
            )


ROWS: dict[str, Callable[[Path, bool], None]] = {"wall": wall, "thousand": thousand, "cpu": cpu, "quality": quality}


def main() -> None:
    """Print the rows that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=ROWS, default=list(ROWS))
    parser.add_argument("--quick", action="store_true", help="fewer matches and seeds")
    arguments = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.only:
            ROWS[name](Path(folder), arguments.quick)


if __name__ == "__main__":
    main()
