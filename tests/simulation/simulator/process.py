"""One machine of a simulation: a real tournament on a simulated disk, with threads and clocks that the seed drives.

It is played by one process, or by a planner with worker processes that it starts.
"""

import asyncio
import itertools
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
from paragone.judges import retrying
from paragone.ledger import Ledger, Pending
from paragone.ledger.databases.database import Database
from paragone.ledger.namespaces import remote_judging
from paragone.tournaments.running import participants, spool
from paragone.tournaments.running.control import Stop
from paragone.tournaments.running.recording import LedgerWriter
from paragone.tournaments.running.spool import Spool
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import Tournament
from paragone.workers import planner, shared_limits, worker
from paragone.workers.answering import Recorder
from paragone.workers.judge_list import announced
from paragone.workers.local import LocalJobs
from paragone.workers.planner import JudgedByWorkers
from simulator.disk import Disk, SimulatedSQLite, SpoolDisk
from simulator.judge import SimulatedAdvocate, SimulatedModel
from simulator.part import PART, Part
from simulator.record import Broken
from simulator.scenario import WORKERS, LifeFaults
from simulator.worker import JUDGE, SimulatedWorker

if TYPE_CHECKING:
    from simulator.world import World

LEDGER = "l.db"
KILLED = "killed"
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
MOST_STEPS, _LONGEST = 15_000, 1_000.0
"""Some seven times what the longest of sixty seeds took; three hundred others kept within it."""


class Process:
    """A machine with its processes, from its start to its end or its kill.

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
        self.has_workers = world.scenario.has_workers
        self.parts: list[Part] = []
        self.workers: list[SimulatedWorker] = []
        self.planners = 0
        self.claims: dict[str, Part] = {}
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

    def shared_clock(self) -> float:
        """Seconds by the clock that workers share; it does not jump."""
        return BEGINNING.timestamp() + 3600.0 * self.life + self.now

    # Steps

    def trace(self, what: str) -> None:
        """Note what happens."""
        if not self.is_dead:
            self.world.trace.add(self.life, self.now, what)

    def count(self, kind: str) -> None:
        """Count a step of one of its parts, at which all of them may be killed."""
        self._steps += 1
        if self._steps > MOST_STEPS or self.now > _LONGEST:
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

    def is_pausing(self, kind: str) -> bool:
        """Whether a thread lets others go on at a step."""
        return kind == "commit" or self._random.random() < 0.2

    def let_threads_go_on(self, seconds: float) -> bool:
        """The event loop's own thread waits: time passes, and all others go on; whether there are any."""
        threads = [thread for part in self.parts for thread in part.threads.alive]
        self.loop.pass_time(seconds)
        for thread in threads:
            thread.step()
        return bool(threads)

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
                self._end(main)
                asyncio._set_running_loop(None)
                sys.set_asyncgen_hooks(*hooks)

    def _main(self) -> str:
        self.disk.schedule_locks(self.folder / LEDGER)
        concurrency = self.world.scenario.pace.concurrency
        kills = (*self.faults.planners, None) if self.has_workers else (None,)
        for number, kill in enumerate(kills):
            planner = self.planner = Part(self, f"planner {number}" if self.has_workers else "", kill, concurrency)
            self.planners += 1
            task = planner.spawn(self._plan(planner, visits=not number))
            if not self.loop.run_until_complete(planner.over):
                break
            for each in self.workers:
                each.orphan()
        for each in self.workers:
            self.loop.run_until_complete(each.over)
        return task.result()

    async def _plan(self, planner: Part, *, visits: bool) -> str:
        visitors: list[Any] = []
        ledger: Ledger | None = None
        try:
            ledger = self.opened(planner)
            tournament = self._tournament(ledger, TournamentState.load(ledger, None), planner)
            if visits:
                self._schedule(tournament, planner, visitors)
            async with tournament.playing(pace=replace(self.world.scenario.pace, spool=Path())) as runner:
                await runner.run()  # what it comes to is compared once all is over
            self.stop = tournament.stop
        except (LedgerError, Busy) as error:
            planner.trace(f"fails: {type(error).__name__}")
            return "failed"
        finally:
            if not planner.is_dead:
                planner.threads.wait(visitors)
            if ledger is not None:
                ledger.close()
        planner.trace(f"ends: finished: {self.stop.finished}, failed: {self.stop.failed}")
        return "ended"

    def opened(self, part: Part) -> Ledger:
        """The ledger, as a part opens it."""
        database = Database(SimulatedSQLite(self.folder / LEDGER, part, patience=1.0), part.threads)
        database.prepare(create=False)
        return Ledger(database, self.wall)

    def _tournament(self, ledger: Ledger, state: TournamentState, planner: Part) -> Tournament:
        model = SimulatedModel(planner)
        if not self.has_workers:
            advocate = None if state.settings.advocate is None else SimulatedAdvocate(planner)
            return Tournament(ledger, state, model, advocate)

        def jobs(ledger: Ledger, tournament: str, size: int) -> LocalJobs:
            each = max(1, self.world.scenario.pace.concurrency // WORKERS)
            return LocalJobs(
                ledger, LEDGER, tournament, max(1, each // 2), judges={}, processes=WORKERS, concurrency=each,
                start=self._start,
            )  # fmt: skip

        return Tournament(ledger, state, JudgedByWorkers(announced(JUDGE, model), jobs))

    async def _start(self, url: str) -> SimulatedWorker:
        number = len(self.workers)
        kill = self.faults.workers[number] if number < len(self.faults.workers) else None
        self.workers.append(SimulatedWorker(self, number, kill, PART.get()))
        return self.workers[-1]

    def _schedule(self, tournament: Tournament, planner: Part, visitors: list[Any]) -> None:
        gate, faults = tournament.gate, self.faults
        if faults.interrupt is not None:
            self.loop.call_later(faults.interrupt, gate.abandon if faults.abandon else partial(gate.close, "enough"))
        for number, at in enumerate(faults.visits):
            self.loop.call_later(at, self._visit, tournament, planner, f"{self.life}.{number}", visitors)

    def _visit(self, tournament: Tournament, planner: Part, name: str, visitors: list[Any]) -> None:
        """Somebody else, such as the board's server, records an event."""
        record = self.world.record

        def visit() -> None:
            record.visits[name] = False
            with suppress(LedgerError, Busy):
                tournament.ledger.tournaments.add_event(tournament.state.id, "visited", {"name": name})
                record.visits[name] = True

        visitors.append(planner.threads.default.submit(visit))

    def _end(self, main: greenlet) -> None:
        """Drop what is left: nothing of it can reach the disk, the judge or the trace any more."""
        was_killed, self.is_dead = self.is_dead, True
        if was_killed:
            with suppress(BaseException):
                main.throw(GreenletExit)
        for part in self.parts:
            part.drop()
        for holder in self.holders:
            holder.close()
        self.loop.end()


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
        task.number, task.part = self._tasks, PART.get(None)
        return task

    def end_tasks(self, part: Part | None) -> None:
        """End the tasks of a part, or all, where they are, in the order in which they were made."""
        ended: set[int] = set()
        while True:  # what is cleaned up may begin further tasks
            left = [task for task in asyncio.all_tasks(self) if part is None or task.part is part]
            left = sorted((task for task in left if task.number not in ended), key=lambda task: task.number)
            if not left:
                return
            for task in left:
                ended.add(task.number)
                task._log_destroy_pending = False
                with suppress(BaseException):
                    task.get_coro().close()

    def run_in_executor(self, executor: Any, work: Callable[..., Any], *arguments: Any) -> "asyncio.Future[Any]":
        chosen = PART.get().threads.default if executor is None else executor
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

    def end(self) -> None:
        """Close it, whether it runs or not."""
        self._thread_id = None
        current = asyncio.current_task(self)
        if current is not None:
            asyncio.tasks._leave_task(self, current)
        asyncio._set_running_loop(self)  # for the clean-up of what never came to its end
        self.end_tasks(None)
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
    part: Part | None = None

    def __hash__(self) -> int:
        return self.number


@contextmanager
def _observed(process: Process) -> Iterator[None]:
    """Put what is no argument under the seed, such as jitter, and see what is said to be safe."""
    replaced = [*_seeded(process), *_watched(process)]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
    for owner, name, value in replaced:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)


def _seeded(process: Process) -> list[tuple[Any, str, Any]]:
    """What a process takes from its surroundings, by the seed: owner, name and value."""
    whole, numbers = spool._write_whole, itertools.count()
    ids = SimpleNamespace(uuid4=lambda: SimpleNamespace(hex=f"{process.life}.{next(numbers)}"))
    system = SimpleNamespace(getpid=lambda: process.life)
    jitter = partial(random.Random, f"jitter {process.world.scenario.seed} {process.life}")
    return [
        (spool, "_write_whole", lambda handle, content: process.spool_disk.write(whole, handle, content)),
        (retrying, "random", SimpleNamespace(Random=jitter)),
        (worker, "uuid", ids),
        (shared_limits, "uuid", ids),
        (worker, "os", system),
        (planner, "os", system),
        (remote_judging, "time", SimpleNamespace(time=process.shared_clock)),
        (participants, "advocate_like", lambda _: SimulatedAdvocate(PART.get())),
    ]


def _watched(process: Process) -> list[tuple[Any, str, Any]]:
    """The same for methods through which it is seen what is safe, and what no spool took."""
    record = process.world.record
    write, clear, add = LedgerWriter.write, Spool.clear, Spool.add

    def observed(self: LedgerWriter, pending: Pending, then: Callable[[], None] = lambda: None) -> Any:
        def safe() -> None:
            record.is_safe(process, pending)
            then()

        return write(self, pending, safe)

    def cleared(self: Spool) -> None:
        if self.paths:
            process.planner.step("unlink", "the spool")
        clear(self)

    def added(self: Spool, entry: Pending) -> bool:
        is_kept = add(self, entry)
        if not is_kept:
            record.kept_nowhere(entry)
        return is_kept

    def noted(keep: Any) -> Any:
        async def recorded(self: Recorder, evidence: Any, *args: Any) -> None:
            await keep(self, evidence, *args)
            record.is_recorded(PART.get(), evidence)

        return recorded

    return [
        (LedgerWriter, "write", observed),
        (Spool, "clear", cleared),
        (Spool, "add", added),
        (Recorder, "verdict", noted(Recorder.verdict)),
        (Recorder, "turn", noted(Recorder.turn)),
    ]
