"""Durable matches beside bare transactions of the same rows, and votes through the whole server.

    .venv/bin/python benchmarks/write_path.py [--sections matches votes] [--db URL] [--databases SQLite PostgreSQL]
                                              [--quick] [--json]

A match has two comparisons with a rationale of 180 characters, and moves two ratings: 7 rows added and 3 changed. The
bare database writes as many by its driver alone, without a chain, a match a transaction, with the same durability. Both
are taken in turns, block by block. One writer and sixteen are threads; 200 in flight are tasks of one event loop (200
threads in versions that cannot do that). The bare side of 200 in flight is that of sixteen writers.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from statistics import median
from typing import Any

from ledger_bare import Bare
from rating_table import Table, as_json, as_text
from web_load import Load, Server, Step, load, server, steady, votes_on
from web_pools import people_pool

from ledger import Place, places
from paragone.domain import Choice, Comparison, Item, Match, Order, Pairing, RatingConfig, Usage, Verdict
from paragone.ledger import Ledger

RATIONALE = ("It is clearer, says why, and holds what was asked for. " * 4)[:180]
ITEMS = 150
IN_FLIGHT = 200
STEADY = 300
"""Votes a second that sixteen voters give in turn, whether those before are answered or not."""

Block = Callable[[range], object]
"""Records the matches of these numbers."""


def match(number: int) -> Match:
    a = number % ITEMS
    b = (a + 1 + (7 * number) % (ITEMS - 1)) % ITEMS
    calls = (_call(number, "AB", a, b, Choice.FIRST), _call(number, "BA", b, a, Choice.SECOND))
    return Match.of(f"m{number}", Pairing(a=f"i{a}", b=f"i{b}", orders=(Order.AB, Order.BA)), calls)


def _call(number: int, order: str, first: int, second: int, choice: Choice) -> Comparison:
    usage = Usage(calls=1, input_tokens=500, output_tokens=60, seconds=0.5)
    verdict = Verdict(choice=choice, judge="judge", rationale=RATIONALE, usage=usage)
    return Comparison(call=f"m{number}.{order}", first=f"i{first}", second=f"i{second}", verdict=verdict)


def bare_match(bare: Bare, number: int, played: Match) -> None:
    """The rows of a match, in one transaction of the driver; the pool has a commit 1, which they refer to."""
    seq, own = 1000 + 7 * number, {"pool": "bare", "commit": 1}
    bare.run(bare.begin)
    for place, call in enumerate(played.comparisons):
        bare.insert("comparison", {
            **own, "seq": seq + place, "call": call.call, "attempt": 1, "first": call.first, "second": call.second,
            "choice": "first", "judge": "judge", "scores": "[]", "rationale": RATIONALE, "calls": 1,
            "input_tokens": 500, "output_tokens": 60, "seconds": 0.5, "error": "", "cached": 0,
        })  # fmt: skip
    bare.insert("match", {
        **own, "seq": seq + 2, "match": played.id, "round": 0, "a": played.a, "b": played.b, "outcome": "a",
        "protocol": "single_turn", "confidence": 1.0,
    })  # fmt: skip
    for place in range(2):
        bare.insert("match_comparison", {**own, "seq": seq + 3 + place, "match": played.id, "comparison": seq + place})
    for place, item in enumerate((played.a, played.b)):
        bare.insert("rating_change", {
            **own, "seq": seq + 5 + place, "item": item, "match": played.id, "old": 1200.0, "new": 1216.0, "k": 32.0,
            "expected": 0.5, "score": 1.0, "clamped": 0.0, "compensates": 0,
        })  # fmt: skip
    for item in (played.a, played.b):
        bare.run(
            f"UPDATE rating SET elo = {bare.mark}, matches = matches + 1 "
            f"WHERE pool = {bare.mark} AND item = {bare.mark}",
            (1216.0 + number, "bare", item),
        )
    bare.run("COMMIT")


def threaded(writers: int, write: Callable[[int, int], object]) -> Block:
    """Shares numbers among threads; each is told which it is."""

    def block(numbers: range) -> None:
        left, guard = iter(numbers), threading.Lock()

        def work(writer: int) -> None:
            while True:
                with guard:
                    number = next(left, None)
                if number is None:
                    return
                write(writer, number)

        with ThreadPoolExecutor(writers) as threads:
            for done in [threads.submit(work, writer) for writer in range(writers)]:
                done.result()

    return block


def in_flight(ledger: Ledger, played: list[Match]) -> Block:
    if not hasattr(ledger, "submit"):
        return threaded(IN_FLIGHT, lambda _, number: ledger.matches.record("ours", played[number]))

    def block(numbers: range) -> None:
        async def record(left: Iterable[int]) -> None:
            for number in left:
                await ledger.recorded(ledger.matches.record, "ours", played[number])

        async def all_of() -> None:
            left = iter(numbers)
            await asyncio.gather(*(record(left) for _ in range(IN_FLIGHT)))

        asyncio.run(all_of())

    return block


def matches(place: Place, name: str, *, quick: bool) -> Table:
    blocks, rows = (3 if quick else 12), []
    for writers, each in ((1, 60), (16, 320), (IN_FLIGHT, 1600)):
        ours, bare = _beside_bare(place(), writers, blocks, each)
        row: list[Any] = [
            name,
            "1 writer" if writers == 1 else f"{writers} {'in flight' if writers > 16 else 'writers'}",
        ]
        for part in (ours, bare):
            row += [each / median(wall for wall, _ in part), 1000 * median(cpu for _, cpu in part) / each]
        row.append(median(its[0] / own[0] for own, its in zip(ours, bare, strict=True)))
        rows.append(tuple(row))
    return Table(
        title=f"Durable matches, {name}",
        columns=("database", "at once", "matches/s", "CPU ms", "bare matches/s", "bare CPU ms", "share by wall"),
        rows=rows,
        notes=[f"Medians of {blocks} blocks, in turns with bare ones; the share is the median of the blocks' shares."],
    )


def _beside_bare(
    url: str, writers: int, blocks: int, each: int
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    played = [match(number) for number in range((blocks + 1) * each)]
    with Ledger.open(url, patience=120.0) as ledger, ExitStack() as closing:
        for pool in ("ours", "bare"):
            ledger.pools.create(pool, RatingConfig())
            ledger.items.add(pool, [Item(id=f"i{n}", text="text") for n in range(ITEMS)])
        bares = [Bare(url) for _ in range(min(writers, 16))]
        for bare in bares:
            closing.callback(bare.close)
            if bare.is_sqlite:
                bare.run("PRAGMA busy_timeout = 120000")
        turn = threading.Lock()  # threads that wait for SQLite sleep longer and longer; in turns they do not

        def write_bare(writer: int, number: int) -> None:
            if bares[0].is_sqlite:
                with turn:
                    bare_match(bares[writer], number, played[number])
            else:
                bare_match(bares[writer], number, played[number])

        ours = (
            in_flight(ledger, played)
            if writers > 16
            else threaded(writers, lambda _, number: ledger.matches.record("ours", played[number]))
        )
        bare_side = threaded(len(bares), write_bare)
        found: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
        for block in range(blocks + 1):
            numbers = range(block * each, (block + 1) * each)
            for times, side in zip(found, (ours, bare_side), strict=True):
                times.append(_clocked(side, numbers))
            if not block:  # the server does so within a minute; until then it plans as if the tables were empty
                ledger.matches.bulk("ours").settle()
        if not ledger.audit("ours").ok:
            raise SystemExit("the audit found a difference")
    return found[0][1:], found[1][1:]  # the first block warms up


def _clocked(block: Block, numbers: range) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    block(numbers)
    return time.perf_counter() - wall, time.process_time() - cpu


def votes(place: Place, name: str, *, quick: bool) -> Table:
    """Votes of sixteen voters on one pool; each answer is durable and brings the next pair."""
    count, rows = (160 if quick else 1600), []
    loads: dict[str, Callable[[Server, Step], Coroutine[Any, Any, Load]]] = {
        "1": lambda at, step: load(at, 1, count, step),
        "16": lambda at, step: load(at, 16, count, step),
        f"16, {STEADY} a second": lambda at, step: steady(at, STEADY, 3 * count, step, count=16),
    }
    for voters, vote in loads.items():
        db = place()
        pool = people_pool(db, 50)
        with server("paragone", db, "1") as at:
            voted = asyncio.run(vote(at, votes_on(pool)))
        rows.append((name, voters, voted.a_second, *voted.milliseconds()))
    return Table(
        title=f"Votes through the whole server, {name}",
        columns=("database", "voters", "votes/s", "p50 ms", "p95 ms", "p99 ms", "server CPU ms a vote"),
        rows=rows,
        notes=[
            "One process, one pool of 50 items. Voters vote again once they are answered, or at a steady rate:",
            "then time counts from when a vote was due.",
        ],
    )


SECTIONS = {"matches": matches, "votes": votes}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--databases", nargs="+", choices=("SQLite", "PostgreSQL"), default=["SQLite", "PostgreSQL"])
    parser.add_argument("--db", help="a PostgreSQL database to make schemas in")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tables = []
    with places(options.db if "PostgreSQL" in options.databases else None) as (found, notes):
        for section in options.sections:
            for name in options.databases:
                if name in found:
                    tables.append(SECTIONS[section](found[name], name, quick=options.quick))
                    if not options.json:
                        print(as_text(tables[-1]), flush=True)
        for note in notes:
            print(note, file=sys.stderr)
    if options.json:
        print(json.dumps([as_json(table) for table in tables]))


if __name__ == "__main__":
    main()
