"""The same jobs in worker processes of this machine, which the planner starts and ends; they need no PostgreSQL.

A job goes to a process as a line on its input, and a line of its output says that questions are done. The judge's spec
goes the same way: these processes belong to whoever started the planner.
"""

import asyncio
import json
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from paragone.errors import InvalidConfig
from paragone.ledger import Ledger
from paragone.ledger.namespaces.remote_judging import Also
from paragone.ledger.records import AnnouncedJudge, AskedQuestion
from paragone.tournaments.running.participants import as_judge
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.workers.batching import patiently
from paragone.workers.judge_list import JudgeList, ListedJudge, announced
from paragone.workers.planner import JudgedByWorkers
from paragone.workers.worker import Worker

JOBS = 3
"""Jobs that a process has at once."""
_LOOK = 0.2
_COUNT_LOST_EVERY = 2.0
"""Seconds between two looks for what processes that died had reserved."""
_GRACE = 10.0
"""Seconds for a process to end by itself."""


Start = Callable[[str], Awaitable[Any]]
"""Starts a process that serves the ledger of a URL; it has the members of ``asyncio.subprocess.Process``."""


async def _started(url: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "paragone.workers.local", url, stdin=pipe, stdout=pipe, start_new_session=True
    )


class LocalJobs:
    """The queue of one tournament's jobs, and the processes that do them.

    Args:
        ledger: The ledger.
        url: Its URL or file.
        tournament: Id of the tournament.
        size: Questions in a job.
        judges: The judges of the processes.
        processes: How many processes to start.
        concurrency: Calls that each may have in flight.
        start: Starts a process.
    """

    def __init__(
        self,
        ledger: Ledger,
        url: str,
        tournament: str,
        size: int,
        *,
        judges: JudgeList,
        processes: int,
        concurrency: int,
        start: Start = _started,
    ) -> None:
        self._ledger, self._url, self._tournament, self._size, self._start = ledger, url, tournament, size, start
        self._judges, self._processes, self._concurrency = judges, processes, concurrency
        self._waiting: deque[list[str]] = deque()
        self._under_way: list[deque[list[str]]] = []

    def add(self, connection: Connection, questions: Sequence[AskedQuestion]) -> None:  # noqa: ARG002 - a queue in memory
        """Queue jobs; a process that reads one too early waits for the transaction."""
        calls = [question.call for question in questions]
        self._waiting.extend(calls[start : start + self._size] for start in range(0, len(calls), self._size))

    def _named(self, _: Connection) -> list[str]:
        """The calls of the jobs that wait or are under way."""
        jobs = [job for queue in (self._waiting, *self._under_way) for job in [*queue]]
        return [call for job in jobs for call in job]

    async def watch(self, wake: Callable[[], None]) -> None:
        """Have the processes do the jobs; one that dies is started again, and its jobs are done again."""
        # The processes of a planner that died have lost their input and end: whatever they had taken is asked again.
        judging = self._ledger.remote_judging
        await patiently(lambda: judging.abandoned(self._tournament, self._named, self.add, by_living=True))
        await asyncio.gather(self._count_lost(), *(self._keep(wake) for _ in range(self._processes)))

    async def _count_lost(self) -> None:
        """Count as spent what processes had reserved that died, those of an earlier planner too."""
        while True:
            await patiently(lambda: self._ledger.remote_judging.spend_lost_reservations(self._tournament))
            await asyncio.sleep(_COUNT_LOST_EVERY)

    async def _keep(self, wake: Callable[[], None]) -> None:
        under_way: deque[list[str]] = deque()
        self._under_way.append(under_way)
        while True:
            try:
                await self._run(under_way, wake)
            finally:
                self._waiting.extendleft(under_way)
                under_way.clear()
            await asyncio.sleep(_LOOK)

    async def _run(self, under_way: deque[list[str]], wake: Callable[[], None]) -> None:
        """One process, until it ends."""
        process = await self._start(self._url)
        feeding = asyncio.create_task(self._feed(process, under_way))
        try:
            while process.stdout is not None and (line := await process.stdout.readline()):
                done = json.loads(line)
                if done["calls"] in under_way:
                    under_way.remove(done["calls"])
                wake()
        finally:
            feeding.cancel()
            if process.stdin is not None:
                process.stdin.close()
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), _GRACE)
            if process.returncode is None:
                process.kill()

    async def _feed(self, process: Any, under_way: deque[list[str]]) -> None:  # noqa: ANN401 - asyncio's own
        judges = {name: [listed.spec, listed.price] for name, listed in self._judges.items()}
        first = {"judges": judges, "concurrency": self._concurrency}
        process.stdin.write(json.dumps(first).encode() + b"\n")
        with suppress(ConnectionError):  # the end of its output says that it died
            while True:
                while self._waiting and len(under_way) < JOBS:
                    calls = self._waiting.popleft()
                    under_way.append(calls)
                    job = {"tournament": self._tournament, "calls": calls}
                    process.stdin.write(json.dumps(job).encode() + b"\n")
                await process.stdin.drain()
                await asyncio.sleep(_LOOK / 10)


def judge_of_processes(
    url: str, spec: str, *, processes: int, concurrency: int, price: tuple[float, float] | None = None
) -> JudgedByWorkers:
    """A judge that processes of this machine ask.

    Args:
        url: URL or file of the ledger.
        spec: The judge's spec.
        processes: How many processes to start.
        concurrency: Calls that all of them together have in flight.
        price: US dollars per million tokens sent and received; None for the list price.

    Raises:
        InvalidConfig: If the ledger is in memory, where other processes do not reach it.
        UsageError: If the judge cannot be opened.
    """
    if url in ("sqlite://", ":memory:", "sqlite:///:memory:"):
        raise InvalidConfig("worker processes need a ledger that they reach: name a file (--db FILE)")
    listed = ListedJudge(spec=spec, price=price)
    each = max(1, concurrency // processes)

    def jobs(ledger: Ledger, tournament: str, size: int) -> LocalJobs:  # noqa: ARG001 - known from the start here
        half = max(1, min(25, each // 2))
        judges = {spec: listed}
        return LocalJobs(ledger, url, tournament, half, judges=judges, processes=processes, concurrency=each)

    def announce(settings: TournamentSettings) -> AnnouncedJudge:
        return announced(spec, as_judge(spec, replace(settings, price=settings.price or price)))

    return JudgedByWorkers(announced(spec, listed.open()), jobs, spec=spec, announce=announce)


def _dropped(_: str) -> Also:
    """What is left when a process ends is queued by its planner."""
    return lambda _, __: None


async def serve_lines(url: str) -> None:
    """Do the jobs that come as lines on standard input, until that ends."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    first = json.loads(await reader.readline())
    judges = {
        name: ListedJudge(spec=spec, price=price and tuple(price)) for name, (spec, price) in first["judges"].items()
    }

    def tell(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    with Ledger.open(url, create=False) as ledger:
        await serve_jobs(ledger, judges, first["concurrency"], reader.readline, tell)


async def serve_jobs(
    ledger: Ledger,
    judges: JudgeList,
    concurrency: int,
    read: Callable[[], Awaitable[bytes]],
    tell: Callable[[str], None],
) -> None:
    """Do the jobs that come as lines, until there are no more.

    Args:
        ledger: The ledger.
        judges: The judges.
        concurrency: Calls in flight at the most.
        read: The next line; empty at the end.
        tell: Gets a line when a job is done.
    """
    worker = Worker(ledger, judges, concurrency=concurrency, give_back=_dropped)
    await asyncio.to_thread(worker.register)
    beating = asyncio.create_task(worker.beat())
    doing: set[asyncio.Task[None]] = set()

    async def do(job: dict[str, Any]) -> None:
        await worker.do(job["tournament"], job["calls"])
        tell(json.dumps({"calls": job["calls"]}) + "\n")

    while line := await read():
        task = asyncio.create_task(do(json.loads(line)))
        doing.add(task)
        task.add_done_callback(doing.discard)
    worker.gate.abandon()
    await asyncio.gather(*doing, return_exceptions=True)
    beating.cancel()
    await worker.close()


if __name__ == "__main__":
    asyncio.run(serve_lines(sys.argv[1]))
