"""A tournament of hypotheses as documents T and R have it: what the engine itself takes, and what its rounds buy.

    .venv/bin/python benchmarks/tournament.py [--sections overhead flight memory planning policy]
                                              [--seeds N] [--quick] [--json]

``overhead``: CPU of our own a durable match, with a judge that answers at once. ``flight``: a thousand slow calls in
one process. ``memory``: what 100,000 matches take and hold as they go on. ``planning``: a round of 50 among 100,000
items. ``policy``: the documents' weighted pairing beside the informative one and N-loss Swiss at equal calls, against
the truth, each ranked by strength and by running Elo.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import gc
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from contender import score
from rating_table import Table, as_json, as_text

from paragone import Board, CallOptions, Progress, Tournament, allocator
from paragone.domain import (
    Choice,
    Comparison,
    Item,
    ItemKind,
    Match,
    OptimizationConfig,
    Pairing,
    PolicyConfig,
    RatingConfig,
    SchedulingConfig,
    TournamentConfig,
    TournamentSystemConfig,
    Usage,
    Verdict,
)
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.tournaments.planning.schedule import plan_round
from paragone.tournaments.running.control import unobserved
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for

CRITERIA = "novelty, correctness, testability, impact, clarity"


def hypotheses(count: int) -> list[dict[str, str]]:
    return [{"id": f"h{n}", "text": f"hypothesis {n}"} for n in range(count)]


def strengths(count: int, seed: int, noise: float = 0.5) -> dict[str, float]:
    """Standard normal skills in nats, as the other benchmarks have them: 2.565 nats at a noise of 0.5."""
    drawn = np.random.default_rng([seed, 7]).standard_normal(count) * np.pi / np.sqrt(6) / noise
    return {f"h{n}": float(value) for n, value in enumerate(drawn)}


def system(
    *, rounds: int = 10, matches: int = 50, debates: bool = False, stops: bool = False
) -> TournamentSystemConfig:
    """The documents' parameters; without debates, so that calls compare, and without an early end."""
    return TournamentSystemConfig(
        tournament_parameters=TournamentConfig(multi_turn_threshold=1400.0 if debates else 3999.0),
        scheduling=SchedulingConfig(rounds_per_session=rounds, matches_per_round=matches),
        optimization=OptimizationConfig(rating_stability_threshold=0.95 if stops else 1.0),
        policy=PolicyConfig(
            elite_threshold=1600.0 if debates else 4000.0,
            clear_winner_gap=400.0 if stops else 3999.0,
            debate_rule="rating",
        ),
    )


def measured(call: Callable[[], Any]) -> tuple[float, float, float, Any]:
    """CPU seconds, wall seconds, peak MiB of a call and what it returns, in a process of its own."""
    heard, told = multiprocessing.Pipe(duplex=False)

    def run() -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        found = call()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        told.send((time.process_time() - cpu, time.perf_counter() - wall, peak, found))

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    told.close()
    try:
        return heard.recv()
    finally:
        child.join()


def played(db: Path | str, items: int, seed: int, **options: Any) -> dict[str, float]:
    """A tournament from its creation to its board; CPU seconds of the run alone, and how many matches there were."""
    judge = SimulatedJudge(strengths(items, seed), bias=0.4, ties=0.1, seed=seed, delay=options.pop("delay", 0.0))
    pace, observer = options.pop("pace", CallOptions()), options.pop("observer", unobserved)
    with Tournament.create(hypotheses(items), judge=judge, criteria=CRITERIA, db=db, seed=seed, **options) as made:
        began = time.process_time()
        made.run(observer, pace=pace)
        spent = time.process_time() - began
        return {"cpu": spent, "matches": len(made.state.played)}


def overhead(quick: bool, _seeds: int) -> list[Table]:
    """Own CPU a durable match."""
    items, rounds = (30, 3) if quick else (150, 10)
    rows = []
    ways: Mapping[str, dict[str, Any]] = {
        "weighted, on disk": {"pairing": "weighted", "system": system(rounds=rounds)},
        "weighted, in memory": {"pairing": "weighted", "system": system(rounds=rounds)},
        "informative, on disk": {"budget": rounds * 50, "confidence": 0.999},
    }
    for name, options in ways.items():
        for repeat in range(3):
            with tempfile.TemporaryDirectory() as folder:
                db = "sqlite://" if "memory" in name else Path(folder) / "t.db"
                _, wall, peak, found = measured(lambda db=db, o=options, r=repeat: played(db, items, r, **o))
            each = 1000 * found["cpu"] / found["matches"]
            rows.append((name, repeat, found["matches"], found["cpu"], each, wall, peak))
    return [
        Table(
            title=f"What the engine takes: {items} hypotheses, {rounds} rounds of 50, a judge that answers at once",
            columns=(
                "tournament",
                "run",
                "matches",
                "CPU s of the run",
                "ms a match (bar 5)",
                "wall s, all",
                "peak MiB",
            ),
            rows=rows,
            notes=["CPU of the run alone, its last board with intervals included; creation and imports are not."],
        )
    ]


def flight(quick: bool, _seeds: int) -> list[Table]:
    """Slow calls, many at once."""
    count, delay = (100, 0.5) if quick else (1000, 2.0)
    options: dict[str, Any] = {
        "pairing": "weighted",
        "system": TournamentSystemConfig(
            tournament_parameters=TournamentConfig(multi_turn_threshold=3999.0, match_batch_size=count),
            scheduling=SchedulingConfig(rounds_per_session=1, matches_per_round=count),
            policy=PolicyConfig(elite_threshold=4000.0),
        ),
    }
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for wide in (8, count):
            if wide == 8 and not quick:
                continue
            db = Path(folder) / f"{wide}.db"
            pace = CallOptions(concurrency=wide)
            _, wall, peak, found = measured(
                lambda db=db, pace=pace: played(db, 2 * count, 0, pace=pace, delay=delay, **options)
            )
            rows.append((wide, found["matches"], delay, wall, wall / delay, found["cpu"], peak))
    columns = ("calls at once", "matches", "seconds a call", "wall s", "of one call", "CPU s", "peak MiB")
    return [Table(title=f"{count:,} slow calls in flight in one process", columns=columns, rows=rows)]


def memory(quick: bool, _seeds: int) -> list[Table]:
    """What a run takes and holds as it goes on; in a process of its own, its looks for anomalies included."""
    matches = 2_000 if quick else 100_000
    ways: Mapping[str, dict[str, Any]] = {
        "weighted": {"pairing": "weighted", "system": system(rounds=matches // 50)},
        "round robin": {"pairing": "round-robin", "budget": matches},
    }
    columns = ("matches", "ms a match since the row before", "resident MiB", "peak MiB", "numba loaded")
    return [
        Table(
            title=f"A long tournament of 500 hypotheses, {name}; resident when all that is free is given back",
            columns=columns,
            rows=measured(lambda options=options: held(matches // 10, **options))[-1],
        )
        for name, options in ways.items()
    ]


def held(stretch: int, **options: Any) -> list[tuple[Any, ...]]:
    """What a tournament of 500 hypotheses holds after every so many matches, and at its end."""
    rows: list[tuple[Any, ...]] = []
    since = [0.0, 0.0]  # matches, CPU seconds

    def note(progress: Progress) -> None:
        cpu = time.process_time()
        if not since[1]:
            since[:] = progress.done, cpu
        if progress.done - since[0] >= stretch:
            each = 1000 * (cpu - since[1]) / (progress.done - since[0])
            rows.append((progress.done, each, *memory_now(), "numba" in sys.modules))
            since[:] = progress.done, cpu

    with tempfile.TemporaryDirectory() as folder:
        played(Path(folder) / "t.db", 500, 0, observer=note, **options)
    rows.append(("with the last look and board", None, *memory_now(), "numba" in sys.modules))
    return rows


def memory_now() -> tuple[int, int]:
    """Resident and peak MiB of this process (Linux), what is free given back."""
    gc.collect()
    allocator.give_back()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]) // 1024, int(status["VmHWM"].split()[0]) // 1024


def crowd(items: int, matches: int, seed: int) -> TournamentState:
    """A tournament of many items that has been played for a while, without a ledger."""
    rng = random.Random(seed)
    from paragone.domain import Rating

    pool = tuple(Item(id=f"h{n}", text=f"hypothesis {n}", kind=ItemKind.TEXT) for n in range(items))
    brief = settings_for(
        items, criteria=CRITERIA, judge="?", pairing="weighted", system=system(debates=True), seed=seed
    )
    state = TournamentState(id="crowd", settings=brief, config=RatingConfig(), items=pool)
    state.ratings = {
        item.id: Rating(item=item.id, elo=rng.gauss(1200, 150), matches=rng.randrange(12), wins=1) for item in pool
    }
    for number in range(matches):
        a, b = rng.sample(range(items), 2)
        said = Verdict(choice=Choice.FIRST, judge="judge", usage=Usage(calls=1))
        comparison = Comparison(call=f"0.{number}.1", first=f"h{a}", second=f"h{b}", verdict=said)
        state.played.append(Match.of(f"0.{number}", Pairing(a=f"h{a}", b=f"h{b}"), (comparison,)))
    return state


def planning(quick: bool, _seeds: int) -> list[Table]:
    """The choice of a round's matches."""
    rows = []
    for items in (1_000, 10_000) if quick else (1_000, 10_000, 100_000):
        state = crowd(items, min(items, 20_000), 0)
        spent = []
        for _ in range(3):
            began = time.process_time()
            found = plan_round(state)
            spent.append(time.process_time() - began)
        rows.append((items, len(found.pairings), max(spent), min(spent)))
    columns = ("items", "matches planned", "CPU s, first or worst of 3", "best of 3")
    return [Table(title="A round of 50 planned by the documents' weights (bar 2 s)", columns=columns, rows=rows)]


def rankings(board: Board, truth: Mapping[str, float], by: str) -> dict[str, float]:
    """Tau and recall of a board's order."""
    value = {row.id: row.elo if by == "elo" else row.rating for row in board.items}
    ids = list(truth)
    return score(np.array([value[id] for id in ids]), np.array([truth[id] for id in ids]))


def contenders(items: int, budget: int, seed: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Each way of running a tournament at a budget, with what its board is worth."""
    truth = strengths(items, seed)
    ways: Mapping[str, dict[str, Any]] = {
        "weighted": {"pairing": "weighted", "system": system(rounds=10_000, matches=50), "budget": budget},
        "informative": {"budget": budget, "confidence": 0.999},
        "Swiss": {"pairing": "swiss", "elimination_count": max(2, 2 * budget // (3 * items)), "budget": budget},
    }
    for name, options in ways.items():
        judge = SimulatedJudge(truth, bias=0.4, ties=0.1, seed=seed, sticky=False)
        with Tournament.create(hypotheses(items), judge=judge, criteria=CRITERIA, seed=seed, **options) as made:
            made.run()
            board = made.board()
        yield f"{name}, strength", {**rankings(board, truth, "strength"), "calls": board.spending.decisions}
        yield f"{name}, running Elo", {**rankings(board, truth, "elo"), "calls": board.spending.decisions}


def policy(quick: bool, seeds: int) -> list[Table]:
    """The documents' pairing against the default at equal calls."""
    items, multiples = (30, (5, 10)) if quick else (150, (2, 5, 10))
    seeds = min(seeds, 3) if quick else seeds
    found: dict[tuple[str, int], list[dict[str, float]]] = {}
    for seed in range(seeds):
        for multiple in multiples:
            for name, one in contenders(items, multiple * items, seed):
                found.setdefault((name, multiple), []).append(one)
    rows = [
        (name, f"{multiple}N", f"{fmean(r['calls'] for r in runs):.0f}", _mean(runs, "tau"), _mean(runs, "recall"))
        for (name, multiple), runs in sorted(found.items(), key=lambda entry: (entry[0][1], entry[0][0]))
    ]
    columns = ("pairing, ranked by", "budget", "calls", "Kendall tau", "recall of the top ten")
    return [Table(title=f"{items} items, {seeds} seeds, noise 0.5, position bias 0.4", columns=columns, rows=rows)]


def _mean(runs: Sequence[Mapping[str, float]], figure: str) -> str:
    values = [run[figure] for run in runs]
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{fmean(values):.3f} ± {error:.3f}"


SECTIONS: dict[str, Callable[[bool, int], list[Table]]] = {
    "overhead": overhead,
    "flight": flight,
    "memory": memory,
    "planning": planning,
    "policy": policy,
}


def main() -> None:
    """Measure, and print each table as it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--seeds", type=int, default=10, help="of the section policy")
    parser.add_argument("--quick", action="store_true", help="the same rows, at sizes that take seconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tables = []
    for section in options.sections:
        for table in SECTIONS[section](options.quick, options.seeds):
            tables.append(as_json(table))
            if not options.json:
                print(as_text(table), flush=True)
    if options.json:
        print(json.dumps(tables))


if __name__ == "__main__":
    main()
