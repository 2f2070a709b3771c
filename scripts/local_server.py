"""A server in a process of its own, as people start it, or in a thread, which begins at once."""

import asyncio
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import uvicorn

import warm_start
from paragone.web.app import begin_to_end, create_app
from paragone.web.config import WebConfig
from paragone.web.server.running import configured
from paragone.web.server.serving import bound

START = 90.0
"""Seconds that a server has to begin."""


@dataclass
class Served:
    """A server that runs.

    Attributes:
        process: Its process.
        url: Its address.
        said: What it wrote to stderr, line by line.
        reader: The thread that reads it.
    """

    process: subprocess.Popen[str]
    url: str = ""
    said: list[str] = field(default_factory=list)
    reader: threading.Thread | None = None

    def ended(self, wish: int = signal.SIGTERM) -> int:
        """Ask it to end; its exit code."""
        self.process.send_signal(wish)
        if self.reader is not None:
            self.reader.join(40)  # the end of what it says comes at once; to wait for a process is to look now and then
        return self.process.wait(40)


@contextmanager
def served(
    db: str | Path, *options: str, folder: Path, installed: bool = False, program: Path | None = None
) -> Iterator[Served]:
    """Runs for the block; its port is free, and its folder the one where it keeps its secret.

    It begins at once, and its process passes signals on to the server; that of the installed command is the server.
    A program in place of the command sees to it that it is called as that.
    """
    paragone = warm_start.COMMAND if installed else warm_start.command()
    command = [
        *((warm_start.python(), program) if program else (paragone,)),
        "serve",
        "--db",
        str(db),
        "--port",
        "0",
        *options,
    ]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, start_new_session=True)
    server = Served(process)
    begun = threading.Event()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            server.said.append(line.rstrip("\n"))
            if line.startswith("http://"):
                server.url = line.partition("/ shows")[0]
                begun.set()
        begun.set()

    server.reader = reading = threading.Thread(target=read, daemon=True)
    reading.start()
    try:
        assert begun.wait(START), "it does not begin"
        assert server.url, server.said
        yield server
    finally:
        if process.poll() is None:
            process.terminate()
            reading.join(20)
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        reading.join()
        assert process.stderr is not None
        process.stderr.close()


class ThreadServer(uvicorn.Server):
    """A server in a thread, which ends by an event and not at the next look.

    Attributes:
        address: Where it listens.
    """

    def __init__(self, config: uvicorn.Config, address: tuple[str, int]) -> None:
        super().__init__(config)
        self.address = address
        self._begun, self._asked_to_end = threading.Event(), asyncio.Event()

    @property
    def url(self) -> str:
        """Its address, for a client."""
        return "http://{}:{}".format(*self.address)

    async def main_loop(self) -> None:
        """Wait for the end."""
        await self.on_tick(0)
        self._loop = asyncio.get_running_loop()
        self._begun.set()
        await self._asked_to_end.wait()

    def end(self, beforehand: Callable[[], None]) -> None:
        """Call something in its thread, and ask it to end."""
        assert self._begun.wait(START), "it does not begin"
        for call in (beforehand, self._asked_to_end.set):
            self._loop.call_soon_threadsafe(call)


@contextmanager
def in_thread(config: uvicorn.Config, begin_to_end: Callable[[], None] = lambda: None) -> Iterator[ThreadServer]:
    """Serves an application for the block, over real connections."""
    with bound(WebConfig(db="", port=0)) as listening:
        server = ThreadServer(config, listening.getsockname())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.end(begin_to_end)
            thread.join()


@contextmanager
def served_in_thread(config: WebConfig) -> Iterator[ThreadServer]:
    """Serves a ledger for the block, as the command does but for signals."""
    app = create_app(config)
    with in_thread(configured(app), partial(begin_to_end, app)) as server:
        yield server


def soon(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Whether something comes true within so many seconds."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def free_port() -> int:
    """A port that nobody listens at just now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
