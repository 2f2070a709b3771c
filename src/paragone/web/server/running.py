"""One serving process and its shutdown: open requests are finished, and nothing that was answered is lost."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import uvicorn
from starlette.types import ASGIApp
from uvicorn.config import LOGGING_CONFIG
from uvicorn.protocols.http.h11_impl import H11Protocol

from paragone.settings import environment
from paragone.tracing.sending import sending
from paragone.web.app import begin_to_end, create_app
from paragone.web.config import WebConfig
from paragone.web.instrumentation import warnings_logged

GRACE = 10
"""Seconds that open requests have to finish during a shutdown."""
SPARE = 4
"""Seconds after the shutdown until the process is gone; see ``leave``."""

_LOG = logging.getLogger("paragone.web")


def run(config: WebConfig, listening: socket.socket, on_start: Callable[[], None] = lambda: None) -> None:
    """Serve a socket in this process until a signal ends it; SIGTERM is no failure.

    Args:
        config: What to serve.
        listening: The socket.
        on_start: Called when the application is ready.
    """
    with _logs_and_traces(config):
        _serve(config, listening, on_start)


def leave(code: int) -> None:
    """End this process within a few seconds.

    Python would wait for threads of requests that still compute, and cannot stop them.
    """

    def cut_off() -> None:
        sys.stderr.write("paragone: a request that was still being computed was cut off\n")
        sys.stderr.flush()
        os._exit(code)

    timer = threading.Timer(SPARE, cut_off)
    timer.daemon = True
    timer.start()


def _serve(config: WebConfig, listening: socket.socket, on_start: Callable[[], None]) -> None:
    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            begin_to_end(app)  # before waiting for open requests: event streams would never end
            await super().shutdown(sockets)

    app = create_app(config)
    gc.collect()
    gc.freeze()  # what stays until the end is not looked through at each collection, for a tenth of a second
    server = Server(configured(app, config.log))
    with _sigterm_ends_quietly(server):
        on_start()
        server.run(sockets=[listening])


def configured(app: ASGIApp, log: str = "") -> uvicorn.Config:
    """The configuration of uvicorn for an application.

    Args:
        app: The application.
        log: Form of the log; empty for none.
    """
    return uvicorn.Config(
        app,
        http=TimeoutProtocol,
        ws="none",
        log_level="warning",
        log_config=None if log else LOGGING_CONFIG,
        access_log=False,
        timeout_graceful_shutdown=GRACE,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=1000,
    )


@contextmanager
def _logs_and_traces(config: WebConfig) -> Iterator[None]:
    """Set up logs and traces as configured."""
    with ExitStack() as stack:
        if config.log:
            stack.enter_context(warnings_logged(config.log))
        stack.enter_context(sending(config.traces, environment(), _LOG.warning))
        yield


@contextmanager
def _sigterm_ends_quietly(server: uvicorn.Server) -> Iterator[None]:
    """Keep SIGTERM from killing a process that has shut down: uvicorn raises the signal again at its end.

    A signal that comes before uvicorn handles it ends the server too.
    """

    def end(*_: object) -> None:
        server.should_exit = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


HEAD = 10.0
"""Seconds in which a client must send the head of a request."""
TAKE = 60.0
"""Seconds in which a client must read the data that is ready: 48 kB of a long response, or its end."""


class TimeoutProtocol(H11Protocol):
    """Uvicorn's HTTP/1.1 protocol with timeouts.

    Attributes:
        head: Seconds for the head of a request.
        take: Seconds for the client to read pending data.
    """

    head = HEAD
    take = TAKE
    _heading: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Start the timeout of the first request head."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Keep the timeout running until the head is complete: single bytes do not extend it."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Start the timeout of the next request head."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Start the timeout for reading: the client is slower than the response."""
        super().pause_writing()
        self._must_take()

    def resume_writing(self) -> None:
        """Stop the timeout for reading."""
        super().resume_writing()
        if not self.transport.is_closing():
            self._taking = _stopped(self._taking)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timeouts."""
        self._heading, self._taking = _stopped(self._heading), _stopped(self._taking)
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._heading = _stopped(self._heading)
        elif self._heading is None and not self.transport.is_closing():
            self._heading = self.loop.call_later(self.head, self._close)
        if self.transport.is_closing():
            self._must_take()

    def _must_take(self) -> None:
        if self._taking is None:
            self._taking = self.loop.call_later(self.take, self.transport.abort)

    def _close(self) -> None:
        """Close the connection; the client may still read earlier responses."""
        self._heading = None
        self.transport.close()
        self._must_take()


def _stopped(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer; None, for the attribute that held it."""
    if timer is not None:
        timer.cancel()
    return None
