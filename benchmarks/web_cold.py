"""What the very first request to a server takes, page by page: pools of 100,000 items, agents and memory.

    .venv/bin/python benchmarks/web_cold.py [--items N] [--runs N] [--json]

Each page is asked of a server that was started for it and has answered nothing yet. Processor seconds are the server's
from the request to the answer; what is made behind the page is not in them. The start is all that the server took until
it said its address.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rating_table import Table, as_json, as_text
from web_load import Server
from web_pools import WORDS, large_pool

from paragone.agents import EloSystem
from paragone.memory import Memory
from paragone.wire.address import content_url

AGENTS, DEBATES, FILES = 1_000, 5_000, 2_000
POOL = "/pools/large-1"
PAGES = {
    "overview": "/",
    "board": POOL,
    "board by strength": f"{POOL}?by=strength",
    "board, searched": f"{POOL}?q=dragon",
    "item": f"{POOL}/items/i0000077",
    "two items": f"{POOL}/items/i0000077/beside/i0000078",
    "matches": f"{POOL}/matches",
    "match": f"{POOL}/matches/m77",
    "compare": f"{POOL}/compare",
    "judges": f"{POOL}/judges",
    "report": f"{POOL}/report",
    "search of texts": f"{POOL}/search?text=dragon&kind=item",
    "live": f"{POOL}/live",
    "ballot": f"{POOL}/vote",
    "agreement": f"{POOL}/agreement",
    "change": f"{POOL}/change",
    "begin": "/begin",
    "saved views": "/views",
    "agents": "/agents",
    "agents by calibration": "/agents?by=calibration",
    "agents of a domain": "/agents?domain=law",
    "one agent": "/agents/agent-7",
    "memory": "/memory",
    "memory, board": "/memory/board",
    "memory, one file": content_url("docs/note-7.md"),
    "memory, search": "/memory/search?q=dragon",
    "memory, pack": "/memory/pack?task=dragon",
    "memory, prune": "/memory/prune?scope=docs/",
}


def furnished(folder: Path, items: int) -> None:
    """A ledger with a large pool and agents, and a memory of notes."""
    db = folder / "cold.db"
    large_pool(str(db), items, items // 5)
    with EloSystem(db, snapshot=False, warn=False, durable=False, outcome="win") as elo:
        for number in range(DEBATES):
            first, second = (f"agent-{(number * step) % AGENTS}" for step in (7, 13))
            if first != second:
                scores = {first: float(number % 3 > 0), second: float(number % 3 == 0)}
                elo.record_match(f"d{number}", list(scores), scores, ("law", "art", None)[number % 3])
    for number in range(FILES):
        path = folder / "memory" / "docs" / f"note-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        words = [WORDS[(number * step + step) % len(WORDS)] for step in range(1, 40)]
        path.write_text(f"# Note {number}\n\n{' '.join(words)}\n")
    with Memory.create(folder / "memory") as memory:
        memory.index(vectors=False)


@contextmanager
def fresh(folder: Path) -> Iterator[Server]:
    """A server that has answered nothing yet."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "paragone", "serve", "--db", "cold.db", "--memory", "memory", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        line = next(line for line in process.stderr if line.startswith("http://"))
        port = int(line.partition("/ shows")[0].rpartition(":")[2])
        yield Server(port, process.pid, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def asked(folder: Path, path: str) -> tuple[float, float, float]:
    """CPU seconds of the start and of the first request, and seconds until its answer."""
    with fresh(folder) as server:
        start = server.cpu()
        began = time.perf_counter()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}") as answer:
            answer.read()
        seconds = time.perf_counter() - began
        return start, server.cpu() - start, seconds


def table(items: int, runs: int) -> Table:
    """All pages."""
    with tempfile.TemporaryDirectory() as name:
        furnished(Path(name), items)
        found = {page: [asked(Path(name), path) for _ in range(runs)] for page, path in PAGES.items()}
    starts = [start for each in found.values() for start, _, _ in each]
    rows = [
        (page, statistics.median(cpu for _, cpu, _ in each), statistics.median(wall for _, _, wall in each))
        for page, each in found.items()
    ]
    return Table(
        title=f"The first request of all, a pool of {items:,} items, {AGENTS:,} agents, {FILES:,} files",
        columns=("page", "server CPU s", "seconds"),
        rows=rows,
        notes=[f"Medians of {runs}. The start took {statistics.median(starts):.2f} CPU s ({len(starts)} starts)."],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    shown = table(options.items, options.runs)
    print(json.dumps(as_json(shown)) if options.json else as_text(shown))


if __name__ == "__main__":
    main()
