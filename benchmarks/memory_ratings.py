"""Ratings of content by use: what a rating update and a look-up take, among many items.

    .venv/bin/python benchmarks/memory_ratings.py [--items 100000] [--events 2000] [--quick] [--json]

Every event is a read of one of ten files that a search showed. CPU time, the logs not included: they are on the disk
before anything is counted. Beside the scores, in the same run and on the same events:

- one SQLite row an item, written by an upsert an event: no payments, no gate, no history, no log
- one JSON file of all ratings, read and written whole at each event
"""

import argparse
import json
import random
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from paragone.domain.content import Action, Content, ContentKind
from paragone.memory.scores import Scores
from paragone.memory.store import AccessLine, LogLine, ResultRow, SearchLine, SessionLine, Store

FILE = ContentKind.FILE
SHOWN = 10


def path_of(n: int) -> str:
    """A file of the synthetic tree."""
    return f"src/package{n % 97}/module{n}.py"


def filled(folder: Path, items: int) -> Store:
    """A store in which every item has been read once."""
    store = Store.create(folder)
    for start in range(0, items, 2000):
        files = tuple(path_of(n) for n in range(start, min(start + 2000, items)))
        store.logs.append([SessionLine(start_time=1e9, end_time=1e9, files_accessed=files)])
    return store


def evidence(items: int, events: int, seed: int = 1) -> Iterator[tuple[SearchLine, AccessLine]]:
    """Searches, and a read of something that each showed."""
    draw = random.Random(seed)
    for n in range(events):
        shown = draw.sample(range(items), SHOWN)
        rows = tuple(
            ResultRow(rank=rank, file_path=path_of(of), hash=f"{of:064x}", similarity=0.5)
            for rank, of in enumerate(shown, 1)
        )
        search = SearchLine(id=f"s{n}", tool="semantic_search", query="q", results=rows)
        read = AccessLine(
            action=Action.READ, entity_type=FILE, entity_id=path_of(draw.choice(shown)), search_id=f"s{n}"
        )
        yield search, read


def measured(calls: Sequence[Callable[[], object]]) -> list[float]:
    """Milliseconds of CPU of each call."""
    taken = []
    for call in calls:
        begin = time.process_time_ns()
        call()
        taken.append((time.process_time_ns() - begin) / 1e6)
    return taken


def of_scores(store: Store, items: int, events: int) -> dict[str, float]:
    """The scores: events in one batch, one at a time, and look-ups."""
    scores = Scores(store)
    begin = time.process_time()
    scores.catch_up()
    filling = time.process_time() - begin
    lines: list[LogLine] = [line for pair in evidence(items, events) for line in pair]
    half = len(lines) // 2
    moves = -_moves(scores)
    store.logs.append(lines[:half])
    batch = measured([scores.catch_up])[0]
    moves += _moves(scores)
    one_by_one = []
    for n in range(half, half + min(half, 400), 2):
        store.logs.append(lines[n : n + 2])
        one_by_one += measured([scores.catch_up])
    draw = random.Random(2)
    asked = [Content(kind=FILE, id=path_of(draw.randrange(items))) for _ in range(500)]
    with Scores(store) as cold:
        cold.catch_up()
        look_ups = measured([lambda one=one: cold.ratings([one], as_of=2e9) for one in asked])
        pages = measured([lambda n=n: cold.ratings(asked[n : n + 10], as_of=2e9) for n in range(0, 500, 10)])
    begin = time.process_time()
    scores.rebuild()
    anew = time.process_time() - begin
    scores.close()
    return {
        "items": items,
        "event_in_a_batch_ms": batch / (half / 2),
        "move_in_a_batch_ms": batch / moves,
        "event_alone_ms": statistics.median(one_by_one),
        "look_up_ms": statistics.median(look_ups),
        "page_of_ten_ms": statistics.median(pages),
        "filling_s": filling,
        "anew_s": anew,
    }


def _moves(scores: Scores) -> int:
    return sum(one.updates for one in scores.rated())


def of_upsert(folder: Path, items: int, events: int) -> float:
    """Plain SQLite: the row of what was read, by an upsert; in one transaction each, without syncing."""
    db = sqlite3.connect(folder / "plain.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = OFF")
    db.execute("CREATE TABLE rating (path TEXT PRIMARY KEY, elo REAL)")
    db.executemany("INSERT INTO rating VALUES (?, 1200)", [(path_of(n),) for n in range(items)])

    def count(path: str) -> None:
        db.execute(
            "INSERT INTO rating VALUES (?, 1208) ON CONFLICT (path) DO UPDATE SET elo = elo + 16 * "
            "(1 - 1 / (1 + pow(10, (1200 - elo) / 400)))",
            (path,),
        )

    taken = measured([lambda read=read: count(read.entity_id) for _, read in evidence(items, min(events, 1000))])
    db.close()
    return statistics.median(taken)


def of_json(folder: Path, items: int, events: int) -> float:
    """One file of JSON, read and written whole."""
    place = folder / "ratings.json"
    place.write_text(json.dumps({path_of(n): 1200.0 for n in range(items)}))

    def count(path: str) -> None:
        ratings = json.loads(place.read_text())
        ratings[path] += 16.0 * (1.0 - 1.0 / (1.0 + 10.0 ** ((1200.0 - ratings[path]) / 400.0)))
        place.write_text(json.dumps(ratings))

    return statistics.median(
        measured([lambda read=read: count(read.entity_id) for _, read in evidence(items, min(events, 10))])
    )


def measure(items: int, events: int) -> dict[str, float]:
    """All figures, in a folder that is deleted afterwards."""
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "root").mkdir()
        with filled(folder / "root", items) as store:
            found = of_scores(store, items, events)
        found["upsert_ms"] = of_upsert(folder, items, events)
        found["json_file_ms"] = of_json(folder, items, events)
    finally:
        shutil.rmtree(folder)
    return found


ROWS = (
    ("a search of 10 and a read, in a batch", "event_in_a_batch_ms"),
    ("  of that, one rating update", "move_in_a_batch_ms"),
    ("a search of 10 and a read, alone", "event_alone_ms"),
    ("a look-up", "look_up_ms"),
    ("a look-up of ten", "page_of_ten_ms"),
    ("plain SQLite upsert of one rating", "upsert_ms"),
    ("a JSON file of ratings, rewritten", "json_file_ms"),
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--quick", action="store_true", help="2,000 items and 200 events")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(*((2000, 200) if given.quick else (given.items, given.events)))
    if given.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{found['items']:,} items; milliseconds of CPU")
    for name, key in ROWS:
        print(f"{name:<40}{found[key]:>10.3f}")
    print(f"from nothing: {found['anew_s']:.1f} s of CPU")


if __name__ == "__main__":
    main()
