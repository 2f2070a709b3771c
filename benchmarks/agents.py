"""Ratings of agents beside Aragora's own ``EloSystem``, whose calls ours takes: the same calls on both, in turns.

    PARAGONE_ARAGORA=FOLDER .venv/bin/python benchmarks/agents.py [--quick] [--json]

``PARAGONE_ARAGORA`` names a checkout of Aragora (https://github.com/an0mium/aragora), which is no part of this project;
without one the columns beside ours stay empty. Both keep SQLite files in the same folder and with the same durability:
Aragora sets ``synchronous=NORMAL``, which ours has with ``durable=False``; for the durable rows its connections are
given FULL instead. Aragora rewrites its snapshot with every match, ours does after a second without one.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import logging
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from rating_table import Table, as_json, as_text

from paragone.agents import EloSystem

AGENTS = [f"agent-{number}" for number in range(1000)]
_CONNECT = sqlite3.connect

Call = Callable[[Any, int], object]


class Durable(sqlite3.Connection):
    """A connection that waits for the disk, whatever its owner asks for."""

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        return super().execute("PRAGMA synchronous=FULL" if "synchronous" in statement else statement, *values)


@contextmanager
def theirs_waits_for_the_disk(durable: bool) -> Iterator[None]:
    """Have Aragora's connections that are opened meanwhile as durable as ours."""
    if durable:
        sqlite3.connect = lambda *given, **named: _CONNECT(*given, **{**named, "factory": Durable})  # type: ignore[assignment]
    try:
        yield
    finally:
        sqlite3.connect = _CONNECT


def peer() -> Callable[[str], Any] | None:
    """Opens Aragora's system on a file; None where there is no checkout."""
    folder = os.environ.get("PARAGONE_ARAGORA")
    if folder is None:
        return None
    sys.path.insert(0, folder)
    logging.disable(logging.CRITICAL)  # it logs each match
    from aragora.ranking.elo import EloSystem as Theirs  # type: ignore[import-not-found]

    return Theirs


def three_way(elo: Any, number: int) -> object:
    first = number % 40
    named = AGENTS[first : first + 3]
    return elo.record_match(
        debate_id=f"debate-{number}",
        participants=named,
        scores=dict(zip(named, (0.8, 0.6, 0.4), strict=True)),
        domain="security",
        confidence_weight=0.9,
    )


def populate(elo: Any) -> None:
    """A thousand agents with a debate each."""
    for number in range(0, len(AGENTS), 2):
        a, b = AGENTS[number : number + 2]
        elo.record_match(debate_id=f"first-{number}", participants=[a, b], scores={a: 0.7, b: 0.3}, domain="security")
    for number in range(400):
        agent, other = AGENTS[number % 8], AGENTS[number % 7 + 8]
        scores = {agent: 0.6, other: 0.4}
        elo.record_match(debate_id=f"more-{number}", participants=[agent, other], scores=scores, domain="security")
        elo.record_domain_prediction(agent, "security", number % 10 / 10 + 0.05, number % 3 > 0)
        elo.record_winner_prediction(f"early-{number}", agent, other, 0.6)
        elo.update_relationship(agent, other, debate_increment=1, agreement_increment=number % 2, a_win=1)


WRITES: Mapping[str, Call] = {
    "a three-way match": three_way,
    "a prediction in a domain": lambda elo, n: elo.record_domain_prediction(AGENTS[n % 40], "security", 0.8, n % 3 > 0),
    "a prediction of a winner": lambda elo, n: elo.record_winner_prediction(f"cup-{n}", AGENTS[n % 40], AGENTS[1], 0.7),
}

READS: Mapping[str, Call] = {
    "the leaderboard of 1,000, from the database": lambda elo, _: (
        elo.invalidate_leaderboard_cache(),
        elo.get_leaderboard(limit=1000),
    ),
    "the leaderboard of 1,000, cached": lambda elo, _: elo.get_cached_leaderboard(limit=1000),
    "the leaderboard of 20, from the database": lambda elo, _: (
        elo.invalidate_leaderboard_cache(),
        elo.get_leaderboard(limit=20),
    ),
    "a batch of 1,000 ratings": lambda elo, _: elo.get_ratings_batch(AGENTS),
    "one rating": lambda elo, n: elo.get_rating(AGENTS[n % 1000], use_cache=False),
    "head to head": lambda elo, n: elo.get_head_to_head(AGENTS[n % 8], AGENTS[n % 7 + 8]),
    "history of a rating": lambda elo, n: elo.get_elo_history(AGENTS[n % 8]),
    "history of a rating, asked for the first time": lambda elo, n: elo.get_elo_history(AGENTS[n % 8], 50 + n),
    "recent matches": lambda elo, _: elo.get_recent_matches(limit=10),
    "expected calibration error": lambda elo, n: elo.get_expected_calibration_error(AGENTS[n % 8]),
    "calibration by bucket": lambda elo, n: elo.get_calibration_by_bucket(AGENTS[n % 8]),
    "calibration by domain": lambda elo, n: elo.get_domain_calibration(AGENTS[n % 8]),
    "predictions of an agent": lambda elo, n: elo.get_agent_calibration_history(AGENTS[n % 8]),
    "predictions of an agent, asked for the first time": lambda elo, n: elo.get_agent_calibration_history(
        AGENTS[n % 8], 50 + n
    ),
    "relations of an agent": lambda elo, n: elo.get_all_relationships_for_agent(AGENTS[n % 8]),
    "relation of two": lambda elo, n: elo.get_relationship_raw(AGENTS[n % 8], AGENTS[n % 7 + 8]),
    "rivals": lambda elo, n: elo.get_rivals(AGENTS[n % 8]),
}
"""From head to head on each asks for the same few agents again and again, as pages do, and nobody writes meanwhile."""


Clocked = tuple[float, float]
"""Wall and CPU seconds."""


def clocked(elo: Any, call: Call, numbers: range) -> Clocked:
    wall, cpu = time.perf_counter(), time.process_time()
    for number in numbers:
        call(elo, number)
    return time.perf_counter() - wall, time.process_time() - cpu


def in_turns(systems: list[Any], call: Call, blocks: int, each: int) -> list[list[Clocked]]:
    """Each system's blocks, one of each after the other, so that noise meets both."""
    found: list[list[Clocked]] = [[] for _ in systems]
    for block in range(blocks):
        for clocks, elo in zip(found, systems, strict=True):
            clocks.append(clocked(elo, call, range(block * each, (block + 1) * each)))
    return found


def rows(names: Mapping[str, Call], systems: list[Any], blocks: int, each: int, way: str) -> list[tuple[Any, ...]]:
    made = []
    for name, call in names.items():
        found = in_turns(systems, call, blocks, each)
        for clock, index in (("wall", 0), ("CPU", 1)):
            per_call = [median(part[index] for part in parts) / each * 1000 for parts in found]
            ratio = median(b[index] / a[index] for a, b in zip(*found, strict=True)) if len(found) == 2 else None
            made.append((name, way, clock, per_call[0], per_call[1] if len(per_call) > 1 else None, ratio))
    return made


def table(theirs: Callable[[str], Any] | None, *, quick: bool) -> Table:
    blocks, each = (4, 10) if quick else (20, 25)
    made: list[tuple[Any, ...]] = []
    for durable in (True, False):
        with (
            tempfile.TemporaryDirectory() as folder,
            theirs_waits_for_the_disk(durable),
            EloSystem(Path(folder) / "ours.db", durable=durable) as ours,
        ):
            (Path(folder) / "theirs").mkdir()
            systems = [ours] if theirs is None else [ours, theirs(f"{folder}/theirs/elo.db")]
            for elo in systems:
                populate(elo)
            way = "durable" if durable else "not durable"
            made += rows(WRITES, systems, blocks, each, way)
            if durable:
                made += rows(READS, systems, blocks, each, "-")
    notes = [
        f"Milliseconds a call: medians of {blocks} blocks of {each}, in turns; times is the median of their ratios."
    ]
    if theirs is None:
        notes.append("PARAGONE_ARAGORA names no checkout of Aragora: its column is left out.")
    return Table(
        title="Agents, beside Aragora's own system on SQLite",
        columns=("call", "commits", "clock", "ours, ms", "Aragora, ms", "times ours"),
        rows=made,
        notes=notes,
    )


def in_bulk(*, quick: bool) -> Table:
    """Many in one transaction, which the other has no call for."""
    count = 500 if quick else 5000
    debates = [
        {
            "debate_id": f"bulk-{n}",
            "participants": AGENTS[n % 40 : n % 40 + 3],
            "scores": dict(zip(AGENTS[n % 40 : n % 40 + 3], (0.8, 0.6, 0.4), strict=True)),
            "domain": "security",
        }
        for n in range(count)
    ]
    foretold = [
        {"agent_name": AGENTS[n % 40], "domain": "security", "confidence": 0.8, "correct": n % 3 > 0}
        for n in range(count)
    ]
    with tempfile.TemporaryDirectory() as folder, EloSystem(Path(folder) / "ours.db") as elo:
        matched = clocked(elo, lambda system, _: system.record_matches(debates), range(1))
        predicted = clocked(elo, lambda system, _: system.record_domain_predictions(foretold), range(1))
    return Table(
        title=f"{count:,} in one call",
        columns=("call", "wall, ms each", "CPU, ms each"),
        rows=[
            ("record_matches, three-way", *(seconds / count * 1000 for seconds in matched)),
            ("record_domain_predictions", *(seconds / count * 1000 for seconds in predicted)),
        ],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer blocks")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args()
    tables = [table(peer(), quick=chosen.quick), in_bulk(quick=chosen.quick)]
    if chosen.json:
        print(json.dumps([as_json(each) for each in tables], indent=2))
    else:
        print("\n".join(as_text(each) for each in tables))


if __name__ == "__main__":
    main()
