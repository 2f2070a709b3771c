"""How a server is reached, and how it ends: end of input, a signal, a client that is gone."""

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import replace

import anyio

from paragone.mcp.http import HttpPlace, TokenGuard, listening
from paragone.mcp.server import MemoryServer

PATIENCE = 10.0
"""Seconds to write down what is open after a signal; then it leaves all the same."""

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def serve_stdio(server: MemoryServer) -> None:
    """Serve whoever started this process, until its input ends or a signal comes. Returns after the end of input."""
    try:
        anyio.run(_stdio, server)
    except* (BrokenPipeError, ConnectionResetError):
        pass  # the client is gone; its session was written down on the way out
    finally:
        server.finish()


def serve_http(server: MemoryServer, *, place: HttpPlace, announce: Callable[[str], None]) -> None:
    """Serve over HTTP until a signal comes.

    Args:
        server: What to serve.
        place: Where.
        announce: Told the URL once it listens.

    Raises:
        InvalidConfig: Where it cannot listen there.
    """
    try:
        anyio.run(_http, server, place, announce)
    finally:
        server.finish()


async def _stdio(server: MemoryServer) -> None:
    loop = asyncio.get_running_loop()
    leaving: set[asyncio.Task[None]] = set()

    def leave(number: int) -> None:
        leaving.add(loop.create_task(_leave(server, 128 + number)))

    for number in _ENDING:
        _on_signal(loop, number, leave)
    await server.protocol.run_stdio_async()


def _on_signal(loop: asyncio.AbstractEventLoop, number: int, leave: Callable[[int], None]) -> None:
    try:
        loop.add_signal_handler(number, leave, number)
    except NotImplementedError:  # on Windows
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(leave, number))


async def _leave(server: MemoryServer, code: int) -> None:
    try:
        with anyio.move_on_after(PATIENCE):
            await server.close()
    finally:
        # A thread waits for standard input and nothing can wake it, so the interpreter would wait for it, too.
        os._exit(code)


async def _http(server: MemoryServer, place: HttpPlace, announce: Callable[[str], None]) -> None:
    import uvicorn

    with listening(place) as listener:
        here = replace(place, port=listener.getsockname()[1])
        app = server.protocol.streamable_http_app(
            transport_security=here.security, session_idle_timeout=here.idle, host=here.host
        )
        guarded = app if here.token is None else TokenGuard(app, here.token)
        config = uvicorn.Config(guarded, log_config=None, access_log=False, timeout_graceful_shutdown=1)
        announce(here.url)
        await uvicorn.Server(config).serve(sockets=[listener])
