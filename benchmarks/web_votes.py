"""The processor's time that a vote takes of the server, without the planner of pairs, the network and HTTP.

    .venv/bin/python benchmarks/web_votes.py [--db URL] [--votes 600] [--blocks 5]

Sixteen voters are tasks of the event loop that the application runs in. To compare two versions, run it in turns, with
the sources of each on PYTHONPATH.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from web_pools import people_pool

from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.voting import pair_queue

VOTERS = 16
HEADERS = [(b"host", b"localhost"), (b"content-type", b"application/json")]


async def answer(app: Any, method: str, path: str, query: str = "", body: object = None) -> Any:
    """What the application answers to a request."""
    sent, status, parts = b"" if body is None else json.dumps(body).encode(), 0, []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": sent, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    scope = {
        "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
        "query_string": query.encode(), "root_path": "", "scheme": "http", "client": ("127.0.0.1", 1),
        "headers": [*HEADERS, (b"content-length", str(len(sent)).encode())], "server": ("127.0.0.1", 80), "state": {},
    }  # fmt: skip
    await app(scope, receive, send)
    if status >= 300:
        raise RuntimeError(f"{method} {path}: {status} {b''.join(parts)[:300]!r}")
    return json.loads(b"".join(parts))


async def vote(app: Any, pool: str, count: int) -> None:
    """Cast so many votes."""
    numbers, path = iter(range(count)), f"/api/v1/pools/{pool}/votes"

    async def voter(name: str) -> None:
        offer = (await answer(app, "GET", f"{path}/next", f"voter={name}"))["pair"]["offer"]
        for _ in numbers:
            ballot = {"offer": offer, "choice": "first", "voter": name, "seconds": 1.0}
            offer = (await answer(app, "POST", path, body=ballot))["pair"]["offer"]

    await asyncio.gather(*(voter(f"v{number}") for number in range(VOTERS)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--db", help="an empty ledger on PostgreSQL; an SQLite file by default")
    parser.add_argument("--votes", type=int, default=600, help="a block")
    parser.add_argument("--blocks", type=int, default=5)
    options = parser.parse_args()
    pair_queue.REST = pair_queue.LONGEST_REST = 1e9  # the planner takes a share of the time, whatever the votes
    with tempfile.TemporaryDirectory() as folder:
        db = options.db or f"sqlite:///{Path(folder) / 'votes.db'}"
        pool, times = people_pool(db, 50), []
        app = create_app(WebConfig(db=db, rate=10**9, secret=b"0" * 32))
        asyncio.run(vote(app, pool, options.votes // 3))
        for _ in range(options.blocks):
            loop, whole = time.thread_time(), time.process_time()
            asyncio.run(vote(app, pool, options.votes))
            times.append((time.thread_time() - loop, time.process_time() - whole))
    loop, whole = (1000 * median(column) / options.votes for column in zip(*times, strict=True))
    print(f"CPU ms a vote: {whole:.2f}, of which the event loop {loop:.2f}; medians of {options.blocks} blocks")


if __name__ == "__main__":
    main()
