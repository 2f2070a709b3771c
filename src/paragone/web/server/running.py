"""One serving process and its shutdown: open requests are finished, and nothing that was answered is lost."""

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

from paragone.settings import environment
from paragone.tracing.sending import sending
from paragone.web.app import begin_to_end, create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.timeouts import Patient
from paragone.web.observability.logs import warnings_logged

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
    with _told(config):
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
    server = Server(configured(app, config.log))
    with _heard_without_death(server):
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
        http=Patient,
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
def _told(config: WebConfig) -> Iterator[None]:
    """Set up logs and traces as configured."""
    with ExitStack() as stack:
        if config.log:
            stack.enter_context(warnings_logged(config.log))
        stack.enter_context(sending(config.traces, environment(), _LOG.warning))
        yield


@contextmanager
def _heard_without_death(server: uvicorn.Server) -> Iterator[None]:
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
