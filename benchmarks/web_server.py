"""A server for benchmarks/web.py, in processes of its own: ours over a ledger, or the framework that it stands on.

    .venv/bin/python benchmarks/web_server.py paragone URL [WORKERS]
    .venv/bin/python benchmarks/web_server.py bare

It prints its port. The bare one says hello from the event loop (/loop) and from a thread (/thread), as our routes
are; /walls is the same hello behind everything that stands around our routes: walls, meters, who may read.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys

from paragone.web.config import WebConfig
from paragone.web.server.serving import bound, serve

SECRET = b"0" * 32
HELLO = {"hello": "world"}


def ours(db: str, workers: int) -> None:
    # No limit to what one client may send: here, one sends everything.
    config = WebConfig(db=db, port=0, rate=10**9, secret=SECRET, workers=workers)
    serve(config, lambda words: print(words.partition("/ shows")[0].rpartition(":")[2], flush=True))


def bare() -> None:
    import uvicorn
    from fastapi import FastAPI

    from paragone.web.app import create_app
    from paragone.web.middleware.authorization import Reader

    plain, walled = FastAPI(), create_app(WebConfig(db=":memory:", rate=10**9))

    @plain.get("/loop")
    async def loop() -> dict[str, str]:
        return HELLO

    @plain.get("/thread")
    def thread() -> dict[str, str]:
        return HELLO

    @walled.get("/walls")
    def walls(_: Reader) -> dict[str, str]:
        return HELLO

    async def either(scope, receive, send) -> None:
        await (walled if scope.get("path") == "/walls" else plain)(scope, receive, send)

    with bound(WebConfig(db="", port=0)) as listening:
        print(listening.getsockname()[1], flush=True)
        settings = {"log_level": "warning", "access_log": False, "server_header": False, "lifespan": "off"}
        uvicorn.Server(uvicorn.Config(either, **settings)).run(sockets=[listening])


if __name__ == "__main__":
    try:
        bare() if sys.argv[1] == "bare" else ours(sys.argv[2], int((*sys.argv, "1")[3]))
    except KeyboardInterrupt:
        sys.exit(0)
