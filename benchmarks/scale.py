"""Throughput at scale, a row each: wall time over the ideal, calls in flight, CPU a match, and what the window costs.

    scale.py [--only NAME ...] [--quick] [--virtual]

The judge is simulated. A call takes one to two seconds, evenly distributed, and where a row says so one call in a
hundred takes a minute; the ideal is ``matches x 1.5 s / calls in flight``. With ``--virtual`` the clock jumps from one
answer to the next, so that wall times tell what the schedule costs, without the CPU. A row is a function in ``ROWS``.
"""

import argparse
import asyncio
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from paragone.analysis.progress.convergence import kendall
from paragone.domain import (
    Board,
    Choice,
    Comparison,
    Item,
    Match,
    Pairing,
    Planned,
    Question,
    RatingConfig,
    SchedulingConfig,
    TournamentSystemConfig,
    Verdict,
)
from paragone.judges.base import Wrapper, uniform
from paragone.judges.call_options import CallOptions
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import PlannedRound
from paragone.tournaments.planning.blocks import PARTS, InformativeBlocks
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.matches import PackedMatches
from paragone.tournaments.tournament import Tournament
from paragone.tournaments.tournament_settings import settings_for

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
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            if not self._instant:
                await asyncio.sleep(self._seconds(question.call))
            return await super().compare(question)
        finally:
            self.busy += clock() - began
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
    options: dict[str, Any] = {"budget": matches, "seed": seed, "confidence": 0.9999, "pairing": pairing}
    if pairing == "weighted":  # a session of its defaults ends after ten rounds
        rounds = math.ceil(matches / SchedulingConfig().matches_per_round)
        options["system"] = TournamentSystemConfig(scheduling=SchedulingConfig(rounds_per_session=rounds))
    with Tournament.create({id: id for id in truth}, judge=judge, criteria="c", db=db, **options) as tournament:
        cpu = time.process_time()
        board, wall = timed(lambda: tournament.arun(pace=CallOptions(concurrency=concurrency)))
        cpu = time.process_time() - cpu
        played = len(tournament.state.played)
        aside = sum(event.kind == "aside" for event in tournament.state.events)
        places = np.argsort([-row.rating for row in board.items])
        order = [truth[board.items[place].id] for place in places]
    pairs = [np.sign(a - b) for at, a in enumerate(order) for b in order[at + 1 :]]
    ideal = played * MEAN_SECONDS / concurrency
    return {
        "matches": played,
        "wall": max(wall, 1e-9),
        "ideal": ideal,
        "over": wall / ideal,
        "cpu_ms": 1000 * cpu / max(1, played),
        "extra": judge.calls / max(1, played) - 1,
        "most": judge.most,
        "mean_in_flight": judge.busy / max(wall, 1e-9),
        "aside": aside,
        "tau": float(np.mean(pairs)),
    }


virtual = False
"""Whether the clock jumps."""


def timed(work: Callable[[], Coroutine[object, object, Board]]) -> tuple[Board, float]:
    """Run a tournament; its board, and the seconds that it took by the clock of its event loop."""
    if virtual:
        sys.path.append(str(Path(__file__).parents[1] / "scripts"))
        import virtual_time

        return virtual_time.run(work)
    began = time.perf_counter()
    board = asyncio.run(work())
    return board, time.perf_counter() - began


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


WINDOWS = (1, 12, ITEMS // 2, 192, 600)
"""Windows whose quality is compared; 1 is one match after the other, and half of the items what few calls get."""


def quality(folder: Path, quick: bool) -> None:  # noqa: ARG001 - nothing is written
    """Kendall's tau with the truth at five and ten calls an item, by window, and the CPU of the planner a match.

    The order of arrival changes no plan, so the planner is given the answers that it may know, without a run.
    """
    seeds = range(1, 5 if quick else 41)
    taus = {window: np.array([simulated_taus(window, seed) for seed in seeds]) for window in WINDOWS}
    for at, each in enumerate(EACH):
        for window in WINDOWS:
            less = taus[window][:, at] - taus[1][:, at]
            error = less.std(ddof=1) / np.sqrt(len(seeds))
            print(
                f"tau at {each} calls an item, W={window:3}: {taus[window][:, at].mean():.4f}, "
                f"{less.mean():+.4f} +- {error:.4f} from one after the other; "
                f"{taus[window][:, -1].mean():.2f} ms CPU of planning a match"
            )


EACH = (5, 10)
"""Calls an item after which tau is taken."""


def simulated_taus(window: int, seed: int) -> tuple[float, ...]:
    """Kendall's tau after each of ``EACH`` calls an item, and milliseconds of planning a match."""
    truth = strengths(seed)
    settings = settings_for(ITEMS, criteria="c", judge="j", seed=seed, budget=max(EACH) * ITEMS, confidence=0.9999)
    items = tuple(Item(id=id, text=id) for id in truth)
    state = TournamentState(id="t-1", settings=settings, config=RatingConfig(), items=items)
    planner, played, known = InformativeBlocks(state, {}), PackedMatches(), 0
    planned: list[Match] = []
    block, spent = min(max(1, window // PARTS), ITEMS // 2), 0.0
    while len(planned) < max(EACH) * ITEMS:
        evidence = max(known, len(planned) + block - window)
        began = time.thread_time()
        planner.learn(planned[known:evidence])
        following = planner.following(block, idle=False)
        round_ = PlannedRound(number=len(state.rounds) + 1, pairings=following.pairings)
        planner.planned(round_)
        spent += time.thread_time() - began
        state.rounds.append(round_)
        known = evidence
        for place, pairing in enumerate(following.pairings, start=1):
            planned.append(answered(f"{round_.number}.{place}", pairing, truth, seed))
    taus = []
    for each in EACH:
        played = PackedMatches(planned[: each * ITEMS])
        strength = replace(state, played=played).posterior.fit.strength
        taus.append(kendall(strength, np.array(list(truth.values()))))
    return (*taus, 1000 * spent / len(planned))


def answered(id: str, pairing: Planned, truth: Mapping[str, float], seed: int) -> Match:
    """A match that the items' true strengths decide, by a draw of the pair in its order."""
    if not isinstance(pairing, Pairing):
        raise TypeError("pairs only")
    first, second = pairing.shown(pairing.orders[0])
    chance = 1 / (1 + math.exp(truth[second] - truth[first]))
    choice = Choice.FIRST if uniform("answer", seed, first, second) < chance else Choice.SECOND
    comparison = Comparison(call=f"{id}.1", first=first, second=second, verdict=Verdict(choice=choice, judge="j"))
    return Match.of(id, pairing, (comparison,), round=int(id.partition(".")[0]))


ROWS: dict[str, Callable[[Path, bool], None]] = {"wall": wall, "thousand": thousand, "cpu": cpu, "quality": quality}


def main() -> None:
    """Print the rows that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=ROWS, default=list(ROWS))
    parser.add_argument("--quick", action="store_true", help="fewer matches and seeds")
    parser.add_argument("--virtual", action="store_true", help="a clock that jumps")
    arguments = parser.parse_args()
    global virtual  # noqa: PLW0603 - an option of the whole program
    virtual = arguments.virtual
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.only:
            ROWS[name](Path(folder), arguments.quick)


if __name__ == "__main__":
    main()
