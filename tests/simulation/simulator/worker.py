"""A worker process of a simulation, with pipes that delay and double what goes through them."""

import asyncio
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paragone.judges.base import Judge
from paragone.workers.local import serve_jobs
from simulator.judge import SimulatedModel
from simulator.part import Part

if TYPE_CHECKING:
    from simulator.process import Process

JUDGE = "model"


@dataclass(frozen=True, slots=True)
class _Listed:
    """A judge on a worker's list that is open already."""

    spec: Judge
    price: None = None

    def open(self) -> Judge:
        return self.spec


class SimulatedWorker(Part):
    """See the module; for its planner it is a process of asyncio with pipes.

    Args:
        machine: Where it runs.
        number: Its number on this machine, from 0.
        kill: The kind of step and its number at which it is killed; None if it is not.
        planner: Who started it.
    """

    def __init__(self, machine: "Process", number: int, kill: tuple[str, int] | None, planner: Part) -> None:
        super().__init__(machine, f"worker {number}", kill, 0)
        self.planner = planner
        self.stdin, self.stdout = self, asyncio.StreamReader(loop=self.loop)
        self.returncode: int | None = None
        self._lines = asyncio.StreamReader(loop=self.loop)
        self._jobs: list[list[str]] = []
        self._is_closed = False
        self._last = 0.0
        self._random = random.Random(f"messages {self.world.scenario.seed} {self.life} {number}")
        self.over.add_done_callback(lambda over: self._later(self._ended, over.result()))
        self.spawn(self._serve())

    async def _serve(self) -> None:
        await asyncio.sleep(self._random.uniform(0.2, 1.0))
        ledger = self.machine.opened(self)
        try:
            self.concurrency = json.loads(await self._lines.readline())["concurrency"]
            judges: Any = {JUDGE: _Listed(SimulatedModel(self))}
            await serve_jobs(ledger, judges, self.concurrency, self._lines.readline, self._tell)
        finally:
            ledger.close()

    def _ended(self, was_killed: bool) -> None:
        self.returncode = -9 if was_killed else 0
        self.stdout.feed_eof()

    # What its planner sees

    def write(self, line: bytes) -> None:
        """Send it a line; a job may come late, or twice."""
        job = json.loads(line)
        if "calls" not in job:
            self._lines.feed_data(line)
            return
        self._jobs.append(job["calls"])
        self._later(self._deliver, line)
        if self._random.random() < self.machine.faults.doubled:
            self.trace(f"its job comes twice: {job['calls']}")
            self.world.record.may_repeat(job["calls"])
            self._later(self._deliver, line)

    def _deliver(self, line: bytes) -> None:
        if not self._is_closed and not self.over.done():
            self._lines.feed_data(line)

    def _tell(self, line: str) -> None:
        self._jobs = [calls for calls in self._jobs if calls != json.loads(line)["calls"]]
        self._later(self.stdout.feed_data, line.encode())

    def _later(self, work: Callable[..., None], *arguments: Any) -> None:
        """Do something after a delay; the end of a pipe comes last."""
        late = self._random.random() < self.machine.faults.late
        at = self.now + self._random.uniform(0.0, 5.0 if late else 0.01)
        self._last = max(self._last, at)
        self.loop.call_at(self._last if work == self._ended else at, work, *arguments)

    async def drain(self) -> None:
        """There is always room."""

    def close(self) -> None:
        """Let it know, a little later, that no more jobs come."""
        if not self._is_closed:
            self._is_closed = True
            self.loop.call_later(self._random.uniform(0.0, 0.5), self._lines.feed_eof)

    def orphan(self) -> None:
        """Its planner was killed: another one has its questions asked again while it still ends."""
        if not self.over.done():
            for calls in self._jobs:
                self.world.record.may_repeat(calls)
            self.close()

    def wait(self) -> "asyncio.Future[bool]":
        """Wait for its end."""
        return asyncio.shield(self.over)
