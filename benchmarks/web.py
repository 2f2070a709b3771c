"""The live board under load, beside the bare framework: a pool of a million items, durable votes, 200 live listeners.

    .venv/bin/python benchmarks/web.py [--sections reading bounded votes listeners pages] [--items N] [--quick] [--json]

The server is a process of its own; this one sends. Times are by the clock on the wall, as whoever waits for a page has
them, and the processor's are of the server alone. What the framework takes to say "hello" is measured in the same run.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import gzip
import itertools
import json
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from rating_table import Table, as_json, as_text
from web_load import (
    MILLISECONDS,
    QUANTILES,
    Connection,
    Load,
    Server,
    Step,
    connections,
    get,
    load,
    server,
    steady,
    votes_on,
    writing,
)
from web_pools import large_pool, people_pool, ranked_pool
from web_server import SECRET

from ledger import Place, places
from paragone.domain import Item, Match, Outcome, RatingConfig
from paragone.ledger import Ledger
from paragone.web.views.cursors import cursor, sign_with


class Large:
    """The large pool on one kind of database: made once, for all sections that ask for it, or there already.

    Args:
        place: Where ledgers can be made.
        items: How many items it is to have.
        times: How often each of its pages is asked for.
        db: URL of a ledger in which the oldest pool is such a one; empty where it is to be made.
    """

    def __init__(self, place: Place, items: int, times: int, db: str = "") -> None:
        self.place, self.items, self.times, self._there = place, items, times, db
        self.db, self.how = "", "The pool was there already"

    def made(self) -> str:
        """Its URL."""
        if not self.db:
            self.db = self._there or self.place()
            if not self._there:
                seconds = large_pool(self.db, self.items, self.items // 5)
                self.how = f"To make the pool took {seconds:.0f} s"
            sign_with(SECRET)  # as the server does: this cursor is one of its own
            with Ledger.open(self.db) as ledger:
                self.pool = ledger.pools.all()[0].id
                self.items, self.matches = ledger.items.count(self.pool), ledger.matches.count(self.pool)
                self.middle = ledger.items.at_share(self.pool, 0.5) or ""
                (self.top,) = ledger.ratings.leaderboard(self.pool, count=1)
                (last,) = ledger.ratings.leaderboard(self.pool, after=self.items // 2, count=1)
                self.deep = cursor(("elo", self.pool), [last.elo, last.item, self.items // 2, self.items // 2])
        return self.db

    @property
    def paths(self) -> dict[str, str]:
        """What is asked of it."""
        page, api = f"/pools/{self.pool}", f"/api/v1/pools/{self.pool}"
        return {
            "board, page": page,
            "board, JSON": f"{api}/board",
            "board, JSON of 500 rows": f"{api}/board?limit=500",
            "board from the middle on, page": f"{page}?cursor={self.deep}",
            "board from the middle on, JSON": f"{api}/board?cursor={self.deep}",
            "search, a word of many": f"{api}/board?search=dragon",
            "search, what one item has": f"{api}/board?search={quote(f'idea {self.items // 3}:')}",
            "search, what none has": f"{api}/board?search=qqqq",
            "item, the first": f"{page}/items/{self.top.item}",
            "item, one in the middle": f"{page}/items/{self.middle}",
            "items, JSON": f"{api}/items",
            "matches, page": f"{page}/matches",
            "overview": "/",
        }


async def _read(at: Server, path: str, count: int) -> tuple[float, int, Load]:
    """Seconds of the first time, bytes, and the times after it."""
    async with connections(at, 1) as (one,):
        began = time.perf_counter()
        found = await one.ask(path)
        first = time.perf_counter() - began
    return first, len(found), await load(at, 1, count, get(path))


def reading(large: Large, name: str, *, quick: bool) -> Table:
    """Pages and answers about a large pool, one after another, while nobody writes and while somebody does."""
    count, rows = (10 if quick else large.times), []
    db = large.made()
    with server("paragone", db) as at:
        for what, path in large.paths.items():
            few = max(5, count // 5) if "search" in what else count
            first, size, after = asyncio.run(_read(at, path, few))
            rows.append((what, 1000 * first, *after.milliseconds(), size))
        rows += [
            (f"{what}, a match a second coming in", *asyncio.run(_while_written(at, large, what, count)))
            for what in ("board, page", "board, JSON", "item, one in the middle")
        ]
        held = at.peak()
    return Table(
        title=f"Reading a pool of {large.items:,} items, {name}",
        columns=("request", "first ms", *MILLISECONDS, "bytes"),
        rows=rows,
        notes=[
            f"One connection, {count} times each, searches a fifth of that; four a second while matches come in.",
            f"{large.how}; it has {large.matches:,} matches.",
            f"The server held {held:.0f} MiB at the most.",
        ],
    )


async def _while_written(at: Server, large: Large, what: str, count: int) -> tuple[float | int | None, ...]:
    async def write(one: Connection, number: int) -> None:
        body = {"id": f"{what} {number}", "a": large.top.item, "b": large.middle, "outcome": "a"}
        await one.ask(f"/api/v1/pools/{large.pool}/matches", body)

    async with writing(at, 1.0, write):
        found = await steady(at, 4.0, count, get(large.paths[what]), count=8)
    return (None, *found.milliseconds(), None)


def bounded(large: Large, name: str, *, quick: bool) -> Table:
    """So many requests a second, well below what the server can take, beside a hello at the same rate."""
    seconds, rows = (3 if quick else 20), []
    asked = {"board, page": large.paths if large.made() else {}, "board, JSON": large.paths}
    with server("paragone", large.made()) as at, server("bare") as beside:
        for what, paths in asked.items():
            most = asyncio.run(load(at, 4, 40 if quick else 200, get(paths[what]))).a_second
            rate = max(1.0, 0.4 * most)
            turns = {
                what: (at, paths[what]),
                "hello from a thread, behind the same walls": (beside, "/walls"),
                "hello from a thread": (beside, "/thread"),
                "hello from the loop": (beside, "/loop"),
            }
            for words, (who, path) in turns.items():
                found = asyncio.run(steady(who, rate, int(rate * seconds), get(path)))
                rows.append((words, rate, most if who is at else None, *found.milliseconds()))
    return Table(
        title=f"A bounded load on a pool of {large.items:,} items, {name}",
        columns=("request", "asked a second", "at the most a second", *MILLISECONDS),
        rows=rows,
        notes=[
            "Each is timed from when it was due, whether those before were answered or not.",
            "The rate is 40 % of what four connections got that asked again at once.",
        ],
    )


def votes(large: Large, name: str, *, quick: bool) -> Table:
    """Votes over HTTP: each answer brings the next pair, and is durable when it is answered."""
    count, rows = (40 if quick else 400), []
    for workers, voters in ((1, 1), (1, 8), *(((2, 8),) if name == "PostgreSQL" else ())):
        db = large.place()
        pool = people_pool(db, 50)
        with server("paragone", db, str(workers)) as at:
            for what, step in (("vote, with the next pair", votes_on(pool)), ("match posted", _post(pool))):
                found = asyncio.run(load(at, voters, count, step))
                rows.append((what, workers, voters, found.a_second, *found.milliseconds()))
    db = large.made()
    with server("paragone", db) as at:
        found = asyncio.run(load(at, 1, count // 4, votes_on(large.pool)))
        rows.append((f"vote on {large.items:,} items", 1, 1, found.a_second, *found.milliseconds()))
    with server("bare") as at:
        for path, voters in (("/walls", 1), ("/thread", 1), ("/thread", 8)):
            found = asyncio.run(load(at, voters, count, get(path)))
            rows.append((f"hello, {path}", 1, voters, found.a_second, *found.milliseconds()))
    return Table(
        title=f"Durable votes over HTTP, {name}",
        columns=("request", "processes", "connections", "a second", *MILLISECONDS),
        rows=rows,
        notes=["All voters vote on one pool, of 50 items but for one row, so their writes take turns."],
    )


def _post(pool: str) -> Step:
    numbers = itertools.count()

    async def post(one: Connection, _: int) -> None:
        number = next(numbers)
        body = {"id": f"m{number}", "a": f"i{number % 50}", "b": f"i{(number + 1) % 50}", "outcome": "a"}
        await one.ask(f"/api/v1/pools/{pool}/matches", body)

    return post


async def _heard(at: Server, count: int, write: Callable[[int], int]) -> tuple[list[float], list[float], float, float]:
    """Seconds from a write's return until each listener hears, and until the last one does; CPU quiet, and a write."""
    async with connections(at, count) as opened:
        arrived: list[dict[int, float]] = [{} for _ in opened]
        waiting, all_ready = set(range(count)), asyncio.Event()
        told: dict[int, asyncio.Event] = defaultdict(asyncio.Event)

        async def listen(place: int, one: Connection) -> None:
            one.writer.write(b"GET /api/v1/events?pool=live HTTP/1.1\r\nhost: localhost\r\n\r\n")
            async for line in one.lines():
                if line.startswith(b"id: "):
                    version = int(line[4:])
                    arrived[place][version] = time.perf_counter()
                    waiting.discard(place)
                    if not waiting:
                        all_ready.set()
                    if all(version in other for other in arrived):
                        told[version].set()

        tasks = [asyncio.create_task(listen(place, one)) for place, one in enumerate(opened)]
        await all_ready.wait()
        cpu, wall = at.cpu(), time.perf_counter()
        await asyncio.sleep(3.0)
        quiet = (at.cpu() - cpu) / (time.perf_counter() - wall)
        pauses = np.random.default_rng(1)  # not in step with the server's own questions
        each, last, cpu, wall = [], [], at.cpu(), time.perf_counter()
        for number in range(20):
            version = await asyncio.to_thread(write, number)
            done = time.perf_counter()
            await told[version].wait()
            each += [one[version] - done for one in arrived]
            last.append(max(one[version] for one in arrived) - done)
            await asyncio.sleep(float(pauses.uniform(0.3, 1.0)))
        spent = (at.cpu() - cpu) - quiet * (time.perf_counter() - wall)
        for task in tasks:
            task.cancel()
    return each, last, quiet, spent / 20


def listeners(large: Large, name: str, *, quick: bool) -> Table:
    """How soon listeners hear of a write by another process."""
    rows: list[tuple[Any, ...]] = []
    for count in (1, 50 if quick else 200):
        db = large.place()
        with Ledger.open(db) as ledger:
            ledger.pools.create("live", RatingConfig())
            ledger.items.add("live", [Item(id="a", text="a"), Item(id="b", text="b")])

            def write(number: int, ledger: Ledger = ledger) -> int:
                ledger.matches.record("live", Match(id=f"m{number}", a="a", b="b", outcome=Outcome.A, comparisons=()))
                return ledger.pools.versions()["live"]

            with server("paragone", db) as at:
                each, last, quiet, spent = asyncio.run(_heard(at, count, write))
                held = at.peak()
        times = [1000 * float(value) for found in (each, last) for value in np.quantile(found, QUANTILES[:2])]
        rows.append((count, *times, 100 * quiet, 1000 * spent, held))
    return Table(
        title=f"Writes by another process, heard, {name}",
        columns=(
            "listeners",
            "each, p50 ms",
            "each, p95 ms",
            "the last, p50 ms",
            "the last, p95 ms",
            "server CPU % while quiet",
            "server CPU ms a write",
            "server MiB",
        ),
        rows=rows,
        notes=[
            "From the return of the write. The server asks the database every 0.25 s, every second when it is quiet."
        ],
    )


def pages(large: Large, name: str, *, quick: bool) -> Table:
    """What the first look at each page takes: the page itself, then its scripts and styles, once for all pages."""
    count, rows = (5 if quick else 50), []
    with tempfile.TemporaryDirectory() as folder:
        db = large.place()
        pool = ranked_pool(db, Path(folder), 50, 60 if quick else 500)
        voted = people_pool(db, 50)
        with Ledger.open(db) as ledger:
            match = ledger.matches.before(pool, None, 1)[0].match
        with server("paragone", db) as at:
            paths = {
                "overview": "/",
                "board": f"/pools/{pool}",
                "item": f"/pools/{pool}/items/{quote(match.a)}",
                "match": f"/pools/{pool}/matches/{quote(match.id)}",
                "compare": f"/pools/{pool}/compare",
                "judges": f"/pools/{pool}/judges",
                "live": f"/pools/{pool}/live",
                "vote": f"/pools/{voted}/vote",
            }
            for what, path in paths.items():
                first, _, after = asyncio.run(_read(at, path, count))
                html = asyncio.run(_asked(at, path))
                assets = sorted(set(re.findall(rb'(?:src|href)="(/assets/[^"]+)"', html)))
                linked = sum(len(gzip.compress(asyncio.run(_asked(at, one.decode())), 6)) for one in assets)
                rows.append((what, 1000 * first, *after.milliseconds(), len(html), len(gzip.compress(html, 6)), linked))
    return Table(
        title=f"First paint, a tournament of 50 items, {name}",
        columns=("page", "first ms", *MILLISECONDS, "bytes", "gzipped", "scripts and styles, gzipped"),
        rows=rows,
        notes=["Pages are sent as they are; a proxy may compress them. Scripts and styles are, and are kept for ever."],
    )


async def _asked(at: Server, path: str) -> bytes:
    async with connections(at, 1) as (one,):
        return await one.ask(path)


SECTIONS = {"reading": reading, "bounded": bounded, "votes": votes, "listeners": listeners, "pages": pages}


def _tables(options: argparse.Namespace, items: int) -> Iterator[Table]:
    with places(options.db if "PostgreSQL" in options.databases else None) as (found, notes):
        for name in filter(options.databases.__contains__, found):
            large = Large(found[name], items, options.times, options.large)
            for section in options.sections:
                yield SECTIONS[section](large, name, quick=options.quick)
        for note in notes:
            print(note, file=sys.stderr)


def main() -> None:
    """Measure, and print each table as it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--databases", nargs="+", choices=("SQLite", "PostgreSQL"), default=["SQLite", "PostgreSQL"])
    parser.add_argument("--db", help="URL of a PostgreSQL database; schemas are made in it")
    parser.add_argument("--items", type=int, default=1_000_000, help="size of the large pool (not with --quick)")
    parser.add_argument("--times", type=int, default=100, help="how often each page is read (not with --quick)")
    parser.add_argument("--large", default="", help="URL of a ledger whose oldest pool is taken for the large one")
    parser.add_argument("--quick", action="store_true", help="the same rows, at sizes that take seconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tables = []
    for table in _tables(options, 20_100 if options.quick else options.items):
        tables.append(as_json(table))
        if not options.json:
            print(as_text(table), flush=True)
    if options.json:
        print(json.dumps(tables))


if __name__ == "__main__":
    main()
