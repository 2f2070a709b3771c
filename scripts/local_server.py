"""A server in a process of its own, as people start it."""

import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import warm_start

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
        code = self.process.wait(40)
        if self.reader is not None:
            self.reader.join(10)  # the last lines may not have been read yet
        return code


@contextmanager
def served(db: str | Path, *options: str, folder: Path, installed: bool = False) -> Iterator[Served]:
    """Runs for the block; its port is free, and its folder the one where it keeps its secret.

    It begins at once, and its process passes signals on to the server; that of the installed command is the server.
    """
    command = [
        warm_start.COMMAND if installed else warm_start.command(),
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
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        reading.join()
        assert process.stderr is not None
        process.stderr.close()


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
