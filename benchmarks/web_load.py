"""What benchmarks/web.py measures with: a server in a process of its own, connections to it, and two kinds of load."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
QUANTILES = (0.5, 0.95, 0.99)


@dataclass
class Server:
    """A server that runs.

    Attributes:
        port: Where.
        pid: Its process; those that it began are counted with it.
        began: Seconds until it said where it is.
    """

    port: int
    pid: int
    began: float

    def cpu(self) -> float:
        """Seconds of the processor that it has taken."""
        ticks = sum(int(told[11]) + int(told[12]) for told in map(_stat, self._pids()))
        return ticks / os.sysconf("SC_CLK_TCK")

    def peak(self) -> float:
        """MiB that its largest process held at the most."""
        return max(map(_peak, self._pids()))

    def _pids(self) -> list[int]:
        others = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
        return [self.pid, *(pid for pid in others if _parent(pid) == self.pid)]


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _parent(pid: int) -> int:
    try:
        return int(_stat(pid)[1])
    except OSError:  # it has ended meanwhile
        return 0


def _peak(pid: int) -> float:
    told = Path(f"/proc/{pid}/status").read_text()
    return int(told.partition("VmHWM:")[2].split()[0]) / 1024


@contextmanager
def server(*what: str) -> Iterator[Server]:
    """One of web_server.py, for as long as the block lasts."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, str(HERE / "web_server.py"), *what], stdout=subprocess.PIPE, text=True, cwd=HERE
    )
    try:
        yield Server(int(process.stdout.readline()), process.pid, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


class Connection:
    """One connection that is kept: no client library, so that little of the machine goes to the sender."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> "Connection":
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**22)
        return self

    async def ask(self, path: str, body: object = None) -> bytes:
        """The body of an answer; a POST where there is a body to send. What has idled too long is opened again."""
        if self.reader.at_eof():
            await self.open()
        sent = b"" if body is None else json.dumps(body).encode()
        method = "GET" if body is None else "POST"
        head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(sent)}\r\n"
        told = await self._told(head.encode() + b"content-type: application/json\r\n\r\n" + sent, again=body is None)
        found = await self._body(told)
        status = int(told.split(" ", 2)[1])
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {found[:300]!r}")
        return found

    async def _told(self, asked: bytes, *, again: bool) -> str:
        """The head of an answer; a connection that the server was just about to close is opened again."""
        self.writer.write(asked)
        try:
            return (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        except (ConnectionError, asyncio.IncompleteReadError):
            if not again:
                raise
            await self.open()
            return await self._told(asked, again=False)

    async def _body(self, head: str) -> bytes:
        if "transfer-encoding: chunked" not in head:
            length = head.partition("content-length:")[2].split("\r\n", 1)[0]
            return await self.reader.readexactly(int(length))
        parts = []
        while size := int(await self.reader.readline(), 16):
            parts.append(await self.reader.readexactly(size))
            await self.reader.readline()
        await self.reader.readline()
        return b"".join(parts)

    async def lines(self) -> AsyncIterator[bytes]:
        while line := await self.reader.readline():
            yield line

    def close(self) -> None:
        self.writer.close()


@asynccontextmanager
async def connections(at: Server, count: int) -> AsyncIterator[list[Connection]]:
    opened = [await Connection(at.port).open() for _ in range(count)]
    try:
        yield opened
    finally:
        for one in opened:
            one.close()


@dataclass
class Load:
    """What a load came to: seconds of each request, in all, and of the server's processor."""

    each: list[float] = field(default_factory=list)
    wall: float = 0.0
    cpu: float = 0.0

    @property
    def a_second(self) -> float:
        return len(self.each) / self.wall

    def milliseconds(self) -> tuple[float, ...]:
        """The quantiles, and what each took of the server's processor."""
        took = [1000 * float(value) for value in np.quantile(self.each, QUANTILES)]
        return (*took, 1000 * self.cpu / len(self.each))


MILLISECONDS = ("p50 ms", "p95 ms", "p99 ms", "server CPU ms each")
Step = Callable[[Connection, int], Awaitable[None]]
"""One request, or what is timed as one; it is told which connection it is on."""


def get(path: str) -> Step:
    async def step(one: Connection, _: int) -> None:
        await one.ask(path)

    return step


def votes_on(pool: str) -> Step:
    """A voter who answers one pair after another of a pool."""
    offers: dict[int, str] = {}

    async def vote(one: Connection, place: int) -> None:
        if place not in offers:
            first = json.loads(await one.ask(f"/api/v1/pools/{pool}/votes/next?voter=v{place}"))
            offers[place] = first["pair"]["offer"]
        body = {"offer": offers[place], "choice": "first", "voter": f"v{place}", "seconds": 1.0}
        offers[place] = json.loads(await one.ask(f"/api/v1/pools/{pool}/votes", body))["pair"]["offer"]

    return vote


async def load(at: Server, count: int, requests: int, step: Step, *, warm: int = 3) -> Load:
    """So many steps, shared among so many connections: on each, the next one when the one before is answered."""
    async with connections(at, count) as opened:
        for place, one in enumerate(opened):
            for _ in range(warm):
                await step(one, place)
        found, left = Load(), iter(range(requests))

        async def run(one: Connection, place: int) -> None:
            for _ in left:
                began = time.perf_counter()
                await step(one, place)
                found.each.append(time.perf_counter() - began)

        wall, cpu = time.perf_counter(), at.cpu()
        await asyncio.gather(*(run(one, place) for place, one in enumerate(opened)))
        found.wall, found.cpu = time.perf_counter() - wall, at.cpu() - cpu
    return found


async def steady(at: Server, rate: float, requests: int, step: Step, *, count: int = 64) -> Load:
    """So many steps, so many a second, whether those before are answered or not; each is timed from when it was due."""
    async with connections(at, count) as opened:
        for place, one in enumerate(opened[:3]):
            await step(one, place)
        free: asyncio.LifoQueue[int] = asyncio.LifoQueue()  # no more connections than it takes
        for place in reversed(range(count)):
            free.put_nowait(place)
        found = Load()

        async def run(due: float) -> None:
            place = await free.get()
            await step(opened[place], place)
            found.each.append(time.perf_counter() - due)
            free.put_nowait(place)

        wall, cpu, tasks = time.perf_counter(), at.cpu(), []
        for number in range(requests):
            due = wall + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.append(asyncio.create_task(run(due)))
        await asyncio.gather(*tasks)
        found.wall, found.cpu = time.perf_counter() - wall, at.cpu() - cpu
    return found


@asynccontextmanager
async def writing(at: Server, every: float, write: Callable[[Connection, int], Awaitable[None]]) -> AsyncIterator[None]:
    """Somebody writes every so many seconds, for as long as the block lasts."""

    async def go_on(one: Connection) -> None:
        for number in range(10**9):
            await write(one, number)
            await asyncio.sleep(every)

    async with connections(at, 1) as (one,):
        task = asyncio.create_task(go_on(one))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})
