"""One process of a simulation: a real tournament on a simulated disk, with threads and clocks that the seed drives."""

import asyncio
import random
import selectors
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import chdir, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from greenlet import GreenletExit, getcurrent, greenlet

import virtual_time
from paragone.errors import Busy, LedgerError
from paragone.judges import wrappers
from paragone.ledger import Ledger, Pending
from paragone.ledger.databases.database import Database
from paragone.tournaments.running import spool
from paragone.tournaments.running.control import Stop
from paragone.tournaments.running.recording import LedgerWriter
from paragone.tournaments.running.spool import Spool
from paragone.tournaments.state import State
from paragone.tournaments.tournament import Tournament
from simulator.disk import Disk, SimulatedSQLite, SpoolDisk, failure
from simulator.judge import SimulatedModel
from simulator.record import Broken
from simulator.scenario import LifeFaults
from simulator.threads import SimulatedThreads

if TYPE_CHECKING:
    from simulator.world import World

LEDGER = "l.db"
KILLED = "killed"
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_MOST_STEPS = 60_000


class Process:
    """A process, from its start to its end or its kill.

    Args:
        world: The simulation.
        life: Its number, from 0.
        folder: Where the ledger and the spool are.
        faults: What goes wrong.
        after: The folder as it is when the process is killed.
    """

    def __init__(self, world: "World", life: int, folder: Path, faults: LifeFaults, after: Path) -> None:
        self.world, self.life, self.folder, self.faults, self.after = world, life, folder, faults, after
        self.is_dead = False
        self.error: BaseException | None = None
        self.stop: Stop | None = None
        self.holders: list[sqlite3.Connection] = []
        self._counts: Counter[str] = Counter()
        self._steps = 0
        self._random = random.Random(f"process {world.scenario.seed} {life}")
        self.loop = SimulatedLoop(self)
        self.threads = SimulatedThreads(self)
        self.disk = Disk(self, faults.outages)
        self.spool_disk = SpoolDisk(self, faults.spool_fails, world.scenario.seed * 100 + life)

    @property
    def now(self) -> float:
        """Seconds on its event loop's clock."""
        return self.loop.time()

    def wall(self) -> datetime:
        """Its wall clock, which jumps."""
        jumped = sum(by for at, by in self.faults.jumps if at <= self.now)
        return BEGINNING + timedelta(hours=self.life, seconds=self.now + self.faults.clock + jumped)

    # Steps

    def trace(self, what: str) -> None:
        """Note what happens."""
        if not self.is_dead:
            self.world.trace.add(self.life, self.now, what)

    def step(self, kind: str, what: str, values: object = None) -> None:
        """Something happens at which the process may be killed; in a thread, others may go on before it."""
        if self.is_dead:
            raise failure("the process is dead", sqlite3.SQLITE_IOERR)
        self.pause(kind)
        self._steps += 1
        # What is looked up at once comes from sets, so in an order that each process has of its own.
        told = "" if values is None or what.startswith("SELECT") else f" {values!r}"
        self.trace(f"{kind} {' '.join(what.split())[:300]}{told}")
        if self._steps > _MOST_STEPS:
            raise self.broken("it never ends")
        if self.dies_at(kind) or self.dies_at("any"):
            self.die(f"at {kind}")

    def dies_at(self, kind: str) -> bool:
        """Whether it is to be killed at this step."""
        self._counts[kind] += 1
        return self.faults.kill == (kind, self._counts[kind])

    def die(self, where: str) -> None:
        """Be killed: the folder is kept as it is, and nothing of this process runs any more."""
        self.trace(f"KILLED {where}")
        shutil.copytree(self.folder, self.after, ignore=shutil.ignore_patterns("*-shm"))
        self.is_dead = True
        self._outside.switch(KILLED)
        raise GreenletExit

    def broken(self, words: str) -> Broken:
        """A promise that is not kept ends the simulation, whatever swallows the error."""
        self.trace(f"BROKEN {words}")
        self.error = self.error or Broken(words)
        return Broken(words)

    def pause(self, kind: str) -> None:
        """Let the event loop and other threads go on, if this is a thread."""
        thread = self.threads.current
        if thread is not None and (kind == "commit" or self._random.random() < 0.2):
            thread.pause(self.pause_of(kind))

    def pause_of(self, kind: str) -> float:
        """Seconds that a step takes; a commit waits for the disk."""
        drawn = self._random.random()
        if kind == "commit":
            return 0.03 * drawn
        return 0.001 * drawn if drawn < 0.95 else 0.05 if drawn < 0.99 else 0.7

    # Its life

    def run(self) -> str:
        """Run until it ends; ``killed``, ``ended``, or ``failed`` where the ledger could not be used."""
        self._outside = getcurrent()
        hooks = sys.get_asyncgen_hooks()
        main = greenlet(self._main)
        with _observed(self), chdir(self.folder):  # what is recorded of the spool's path is then always the same
            try:
                return main.switch()
            finally:
                self._bury(main)
                asyncio._set_running_loop(None)
                sys.set_asyncgen_hooks(*hooks)

    def _main(self) -> str:
        database = Database(SimulatedSQLite(self.folder / LEDGER, self, patience=1.0), self.threads)
        ledger = Ledger(database, self.wall)
        try:
            database.prepare(create=False)
            state = State.load(ledger, None)
            judge = SimulatedModel(self)
            tournament = Tournament(ledger, state, judge)
            self._schedule(tournament)
            self.loop.run_until_complete(tournament.arun(pace=replace(self.world.scenario.pace, spool=Path())))
            self.stop = tournament.stop
        except (LedgerError, Busy) as error:
            self.trace(f"fails: {type(error).__name__}")
            return "failed"
        finally:
            self._end_visits()
            ledger.close()
        self.trace(f"ends: finished: {self.stop.finished}, failed: {self.stop.failed}")
        return "ended"

    def _schedule(self, tournament: Tournament) -> None:
        self.disk.schedule_locks(self.folder / LEDGER)
        gate, faults = tournament.gate, self.faults
        if faults.interrupt is not None:
            self.loop.call_later(faults.interrupt, gate.abandon if faults.abandon else partial(gate.close, "enough"))
        self._visitors: list[Any] = []
        for number, at in enumerate(faults.visits):
            self.loop.call_later(at, self._visit, tournament, f"{self.life}.{number}")

    def _visit(self, tournament: Tournament, name: str) -> None:
        """Somebody else, such as the board's server, records an event."""
        record = self.world.record

        def visit() -> None:
            record.visits[name] = False
            with suppress(LedgerError, Busy):
                tournament.ledger.tournaments.add_event(tournament.state.id, "visited", {"name": name})
                record.visits[name] = True

        self._visitors.append(self.threads.default.submit(visit))

    def _end_visits(self) -> None:
        if not self.is_dead:
            self.threads.wait(getattr(self, "_visitors", []))

    def _bury(self, main: greenlet) -> None:
        """Drop what is left: nothing of it can reach the disk, the judge or the trace any more."""
        was_killed, self.is_dead = self.is_dead, True
        if was_killed:
            with suppress(BaseException):
                main.throw(GreenletExit)
        self.threads.drop()
        for holder in self.holders:
            holder.close()
        self.loop.bury()


class SimulatedLoop(virtual_time.VirtualLoop):
    """A loop in virtual time whose threads are simulated.

    Args:
        process: The process that it belongs to.
    """

    def __init__(self, process: Process) -> None:
        super().__init__()
        self._selector.close()
        self._selector = _Nothing()
        self._process = process
        self._tasks = 0
        self.set_task_factory(self._numbered)
        self.set_exception_handler(lambda *_: None)

    def _numbered(self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **options: Any) -> Any:
        self._tasks += 1
        task = _NumberedTask(work, loop=loop, **options)
        task.number = self._tasks
        return task

    def run_in_executor(self, executor: Any, work: Callable[..., Any], *arguments: Any) -> "asyncio.Future[Any]":
        chosen = self._process.threads.default if executor is None else executor
        return asyncio.wrap_future(chosen.submit(work, *arguments), loop=self)

    def call_soon_threadsafe(self, callback: Callable[..., Any], *arguments: Any, context: Any = None) -> Any:
        return self.call_soon(callback, *arguments, context=context)

    def pass_time(self, seconds: float) -> None:
        """Move the clock while the loop's own thread is held up."""
        self._now += seconds

    def _run_once(self) -> None:
        if self._process.is_dead:
            raise GreenletExit
        if self._process.error is not None:
            raise self._process.error
        if not self._ready and not self._scheduled:
            raise self._process.broken("everybody waits, and nothing will ever happen")
        super()._run_once()

    def bury(self) -> None:
        """Close it, whether it runs or not."""
        self._thread_id = None
        current = asyncio.current_task(self)
        if current is not None:
            asyncio.tasks._leave_task(self, current)
        asyncio._set_running_loop(self)  # for the clean-up of what never came to its end
        for task in asyncio.all_tasks(self):
            task._log_destroy_pending = False
            with suppress(BaseException):
                task.get_coro().close()
        asyncio._set_running_loop(None)
        self._ready.clear()
        self._scheduled.clear()
        self.close()

    def _check_closed(self) -> None:
        """What is cleaned up after the end may still ask for something; it never happens."""


class _Nothing(selectors.BaseSelector):
    """Nothing to wait for: there are no files and sockets."""

    def register(self, *_: Any) -> Any: ...

    def unregister(self, *_: Any) -> Any: ...

    def select(self, timeout: float | None = None) -> list[Any]:
        return []

    def get_map(self) -> dict[Any, Any]:
        return {}

    def get_key(self, fileobj: Any) -> Any:
        raise KeyError(fileobj)


class _NumberedTask(asyncio.Task):  # type: ignore[type-arg]
    """A task whose place in a set depends on when it was made, and not on its address."""

    number = 0

    def __hash__(self) -> int:
        return self.number


@contextmanager
def _observed(process: Process) -> Iterator[None]:
    """Put what is no argument under the seed: jitter and writes of the spool; and see what is said to be safe."""
    write, whole, clear, chance = LedgerWriter.write, spool._write_whole, Spool.clear, wrappers.random

    def observed(self: LedgerWriter, pending: Pending, then: Callable[[], None] = lambda: None) -> Any:
        def safe() -> None:
            process.world.record.is_safe(process, pending)
            then()

        return write(self, pending, safe)

    def cleared(self: Spool) -> None:
        if self.paths:
            process.step("unlink", "the spool")
        clear(self)

    def added(self: Spool, entry: Pending) -> bool:
        is_kept = add(self, entry)
        if not is_kept:
            process.world.record.kept_nowhere(entry)
        return is_kept

    add = Spool.add
    seeded = SimpleNamespace(Random=partial(random.Random, f"jitter {process.world.scenario.seed} {process.life}"))
    LedgerWriter.write, Spool.clear, Spool.add = observed, cleared, added  # type: ignore[method-assign]
    spool._write_whole = lambda handle, content: process.spool_disk.write(whole, handle, content)
    wrappers.random = seeded  # type: ignore[assignment]
    try:
        yield
    finally:
        LedgerWriter.write, Spool.clear, Spool.add = write, clear, add  # type: ignore[method-assign]
        spool._write_whole, wrappers.random = whole, chance
