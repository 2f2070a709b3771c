"""A process of the simulated machine: a planner, or a worker that it started, with threads and connections of its own.

All processes of a machine share its event loop, clock and disk. A part is killed at a step: what it was doing is
dropped there, its transaction is rolled back by the file's next user, and the others go on.
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Coroutine
from contextlib import suppress
from contextvars import ContextVar, copy_context
from functools import cache
from typing import TYPE_CHECKING, Any

from greenlet import GreenletExit

from simulator.disk import failure
from simulator.threads import SimulatedThreads

if TYPE_CHECKING:
    from simulator.process import Process

PART: ContextVar["Part"] = ContextVar("part")
"""The part that the present task belongs to."""


class Part:
    """See the module.

    Args:
        machine: Where it runs.
        name: Its name; empty for the only planner.
        kill: The kind of step and its number at which it is killed; None if it is not.
        concurrency: Calls that it may have in flight.

    Attributes:
        over: Completed when it has ended or was killed, with whether it was killed.
    """

    def __init__(self, machine: "Process", name: str, kill: tuple[str, int] | None, concurrency: int) -> None:
        self.machine, self.name, self.concurrency = machine, name, concurrency
        self.world, self.loop, self.life = machine.world, machine.loop, machine.life
        self.over: asyncio.Future[bool] = self.loop.create_future()
        self.connections: list[sqlite3.Connection] = []
        self.was_killed = False
        self._kill, self._counts = kill, Counter[str]()
        machine.parts.append(self)
        self.threads = SimulatedThreads(self)

    @property
    def is_dead(self) -> bool:
        """Whether it was killed, alone or with the machine."""
        return self.was_killed or self.machine.is_dead

    @property
    def now(self) -> float:
        """Seconds on the event loop's clock."""
        return self.machine.now

    @property
    def disk(self) -> Any:
        """The machine's."""
        return self.machine.disk

    def spawn(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Begin its main task; it is over when that ends."""
        context = copy_context()
        context.run(PART.set, self)
        task = context.run(self.loop.create_task, work)
        task.add_done_callback(lambda _: None if self.over.done() or self.is_dead else self.over.set_result(False))
        return task

    def trace(self, what: str) -> None:
        """Note what happens in it."""
        if not self.is_dead:
            self.machine.trace(f"{self.name}: {what}" if self.name else what)

    def step(self, kind: str, what: str, values: object = None) -> None:
        """Something happens at which it may be killed; in a thread, others may go on before it."""
        if self.is_dead:
            raise failure("the process is dead", sqlite3.SQLITE_IOERR)
        self.pause(kind)
        # What is looked up at once comes from sets, so in an order that each process has of its own.
        told = "" if values is None or what.startswith("SELECT") else f" {values!r}"
        self.trace(f"{kind} {_on_one_line(what)}{told}")
        self.machine.count(kind)
        self._counts.update((kind, "any"))
        if self._kill in ((kind, self._counts[kind]), ("any", self._counts["any"])):
            self.die(f"at {kind}")

    def pause(self, kind: str) -> None:
        """Let the event loop and other threads go on, if this is a thread."""
        thread = self.threads.current
        if thread is not None and self.machine.is_pausing(kind):
            thread.pause(self.pause_of(kind))

    def pause_of(self, kind: str) -> float:
        """Seconds that a step takes."""
        return self.machine.pause_of(kind)

    def broken(self, words: str) -> Exception:
        """A promise that is not kept."""
        return self.machine.broken(words)

    def die(self, where: str) -> None:
        """Be killed by a step of its own; the machine and its other parts go on."""
        self.kill(where)
        raise GreenletExit

    def kill(self, where: str = "by somebody else") -> None:
        """Be killed."""
        if self.is_dead or self.over.done():
            return
        self.trace(f"KILLED {where}")
        self.was_killed = True
        self.world.record.killed(self)
        self.loop.call_soon(self._end)

    def _end(self) -> None:
        self.drop()
        self.loop.end_tasks(self)
        self.machine.claims = {id: part for id, part in self.machine.claims.items() if part is not self}
        if not self.over.done():
            self.over.set_result(True)

    def drop(self) -> None:
        """End its threads where they are, and let go of the file."""
        self.threads.drop()
        for connection in self.connections:
            with suppress(sqlite3.Error):
                connection.close()


@cache
def _on_one_line(statement: str) -> str:
    return " ".join(statement.split())[:300]
