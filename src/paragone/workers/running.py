"""Run a worker process, and the planner of a tournament with its standbys."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from typing import TypeVar

from paragone.domain import Board
from paragone.errors import Busy, InvalidConfig, LedgerError
from paragone.judges.call_options import CallOptions
from paragone.ledger import Ledger
from paragone.ledger.namespaces.remote_judging import Also
from paragone.ledger.records import AnnouncedJudge
from paragone.tournaments.running.control import Observer, Stop, unobserved
from paragone.tournaments.running.delegation import WORKERS_PREFIX
from paragone.tournaments.running.exclusive import ClaimLost
from paragone.tournaments.running.recording import is_temporary
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament import Tournament
from paragone.workers.batching import ended
from paragone.workers.judge_list import JudgeList
from paragone.workers.planner import LARGEST_JOB, JudgedByWorkers, awaited_judge, living
from paragone.workers.queue import JobQueue, fetching, make_tables, postgresql_options
from paragone.workers.worker import Worker

STANDBY_PAUSE = 0.25
"""Seconds between two looks of a standby at whether the planner is still there."""
GRACE = 5.0
"""Seconds without the ledger after which a worker that is to end leaves what it cannot record."""
FOLLOW_PAUSE = 5.0
"""Seconds between two readings of what was recorded meanwhile."""

Say = Callable[[str], None]
Result = TypeVar("Result")


async def serve(url: str, judges: JudgeList, *, concurrency: int, say: Say) -> None:
    """Be a worker until interrupted, by SIGINT or SIGTERM; again interrupted, hand back what is under way too.

    Args:
        url: URL of the ledger on PostgreSQL.
        judges: The judges of this worker.
        concurrency: Calls in flight at the most.
        say: Tells the user something.

    Raises:
        InvalidConfig: If the ledger is not on PostgreSQL, or another worker has another judge under one of the names.
        UsageError: If a judge cannot be opened.
    """
    postgresql_options(url)
    with Ledger.open(url) as ledger:
        make_tables(ledger, url)

        def give_back(tournament: str) -> Also:
            return JobQueue(ledger, url, tournament, LARGEST_JOB).add

        worker = Worker(ledger, judges, concurrency=concurrency, give_back=give_back, say=say)
        worker.register()
        beside = [asyncio.create_task(worker.beat())]
        try:
            async with fetching(url, judges, worker.jobs, worker.do, f"paragone {worker.id}"):
                say(f"ready: up to {concurrency} calls at once for {', '.join(sorted(judges))}")
                await interrupted(worker, say)
                beside.append(asyncio.create_task(_leave_without_ledger(worker, say)))
        finally:
            await worker.close()
            await ended(beside)
        say(_farewell(worker))


async def interrupted(worker: Worker, say: Say) -> None:
    """Return when the process is asked to end; the worker's gate is closed then."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if worker.gate.closed:
            worker.gate.abandon()
            return
        worker.gate.close("the worker ends")
        say("ending: calls under way are finished, other questions go back; Ctrl-C again hands back these calls too")
        stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await stopping.wait()


async def _leave_without_ledger(worker: Worker, say: Say, leave: Callable[[int], object] = os._exit) -> None:
    """End the process if the ledger stays away: nothing can wake the threads and connections that wait for it."""
    due = time.monotonic() + GRACE
    while worker.gate.asking or worker.silence < GRACE or time.monotonic() < due:  # noqa: ASYNC110 - nothing says it
        await asyncio.sleep(STANDBY_PAUSE)
    lost = worker.in_hand
    say(
        f"{_farewell(worker)}; the ledger cannot be reached, "
        + (f"so {lost} more are not on record, and other workers ask them" if lost else "so it still lists this worker")
    )
    leave(1 if lost else 0)


def _farewell(worker: Worker) -> str:
    failed = f", {worker.failed} without an answer" if worker.failed else ""
    back = f", {worker.handed_back} handed back" if worker.handed_back else ""
    return f"ended: {worker.answered} questions answered{failed}{back}"


def is_shared(url: str) -> bool:
    """Whether workers of other machines reach a ledger: whether it is on PostgreSQL."""
    return url.partition("://")[0].partition("+")[0] in ("postgresql", "postgres")


def judge_at_hand(ledger: Ledger, url: str, name: str) -> JudgedByWorkers:
    """A judge that some worker has now.

    Args:
        ledger: The ledger.
        url: Its URL.
        name: The judge's name.

    Raises:
        InvalidConfig: If no worker has it, or the ledger is not on PostgreSQL.
        MissingExtra: If procrastinate is not installed.
    """
    postgresql_options(url)
    announced = ledger.remote_judging.judges().get(name)
    if announced is None:
        raise InvalidConfig(f"no worker has the judge {name!r} now; start one: paragone worker --judges FILE")
    make_tables(ledger, url)
    return _judged_by_workers(announced, url)


def _judged_by_workers(announced: AnnouncedJudge, url: str) -> JudgedByWorkers:
    return JudgedByWorkers(announced, lambda ledger, tournament, size: JobQueue(ledger, url, tournament, size))


def judge_of_workers(url: str, name: str, say: Say) -> JudgedByWorkers:
    """A judge that workers have; waits for one that has it.

    Args:
        url: URL of the ledger.
        name: The judge's name.
        say: Tells the user that it waits.

    Raises:
        InvalidConfig: If the ledger is not on PostgreSQL.
        MissingExtra: If procrastinate is not installed.
    """
    postgresql_options(url)
    with Ledger.open(url) as ledger:
        make_tables(ledger, url)
        announced = asyncio.run(awaited_judge(ledger, name, say))
    return _judged_by_workers(announced, url)


def name_of(judge: str | None, recorded: str) -> str:
    """The name under which workers have the judge of a tournament.

    Args:
        judge: What the user names; None for the judge on record.
        recorded: The judge in the tournament's settings.

    Raises:
        InvalidConfig: If neither is a name of a judge of workers.
    """
    if judge is not None:
        return judge.removeprefix(WORKERS_PREFIX)
    if not recorded.startswith(WORKERS_PREFIX):
        raise InvalidConfig(
            f"this tournament was judged by {recorded}, not by workers: name one of their judges (--judge NAME)"
        )
    return recorded.removeprefix(WORKERS_PREFIX)


def calls_in_flight(ledger: Ledger, pace: CallOptions) -> int:
    """Calls that all workers together may have in flight."""
    return max(pace.concurrency, sum(worker.concurrency for worker in living(ledger)))


async def plan_or_stand_by(
    tournament: Tournament, observer: Observer = unobserved, pace: CallOptions | None = None, *, say: Say
) -> Board:
    """Plan a tournament; while somebody else does, stand by and take over when that ends.

    Args:
        tournament: The tournament, with a judge that workers have.
        observer: Called after every verdict and every round.
        pace: How calls are made.
        say: Tells the user that this process stands by.

    Returns:
        The board; ``tournament.stop`` says why it stopped.
    """
    id, is_stale = tournament.state.id, False
    ready = _Ready(tournament)
    while True:
        if await _stood_by(tournament, ready, say):
            is_stale = True
        if tournament.gate.closed:
            tournament.stop = Stop(reason=tournament.gate.reason, finished=False)
            return tournament.board()
        if is_stale:
            tournament.state = await _outlasting(tournament, ready.taken)
            reason = finished(tournament.state)
            if reason:
                tournament.stop = Stop(reason=reason, finished=True)
                return tournament.board()
            say(f"taking over {id}")
        try:
            return await tournament.arun(observer, pace)
        except ClaimLost:
            raise  # what this process holds is out of date: started again, it stands by
        except (LedgerError, Busy) as error:
            # Somebody else was quicker, or the server went away before the run began: what is on record now decides.
            if not is_temporary(error) or not await _is_worth_waiting(tournament, error):
                raise
            is_stale = True


class _Ready:
    """What a standby keeps ready: the state on record, so that little is left to be read when it takes over."""

    def __init__(self, tournament: Tournament) -> None:
        self._ledger, self._id = tournament.ledger, tournament.state.id
        self._state: TournamentState | None = None
        self._due = 0.0

    def follow(self) -> None:
        """Read what was recorded since, now and then."""
        if time.monotonic() >= self._due:
            self._state = self.taken()
            self._due = time.monotonic() + FOLLOW_PAUSE

    def taken(self) -> TournamentState:
        """The state on record now, to be played on."""
        state, self._state = self._state, None  # what is read in part, as when the server goes away, is of no use
        return TournamentState.load(self._ledger, self._id) if state is None else state.followed(self._ledger)


async def _stood_by(tournament: Tournament, ready: _Ready, say: Say) -> bool:
    """Wait while somebody else plans; whether anybody did."""
    id, is_announced = tournament.state.id, False
    while await _outlasting(tournament, lambda: tournament.ledger.tournaments.is_claimed(id)):
        if not is_announced:
            waiting = await _outlasting(tournament, tournament.ledger.remote_judging.waiting)
            _, planner = waiting.get(id, (0, ""))
            say(f"{id} is being planned by {planner or 'somebody else'}; standing by")
            is_announced = True
        if tournament.gate.closed:
            break
        await _outlasting(tournament, ready.follow)
        await asyncio.sleep(STANDBY_PAUSE)
    return is_announced


async def _is_worth_waiting(tournament: Tournament, error: Exception) -> bool:
    if tournament.gate.closed:
        return False
    if isinstance(error, Busy):
        return await _outlasting(tournament, lambda: tournament.ledger.tournaments.is_claimed(tournament.state.id))
    await asyncio.sleep(STANDBY_PAUSE)
    return True


async def _outlasting(tournament: Tournament, look: Callable[[], Result]) -> Result:
    """Read the ledger; while its server is away, again, until the run is stopped."""
    while True:
        try:
            return await asyncio.to_thread(look)
        except (LedgerError, Busy) as error:
            if not is_temporary(error) or tournament.gate.closed:
                raise
        await asyncio.sleep(STANDBY_PAUSE)


def finished(state: TournamentState) -> str:
    """Why a tournament is over, if it is."""
    last = next((event for event in reversed(state.events) if event.kind in ("stopped", "resumed", "extended")), None)
    if last is None or last.kind != "stopped" or not last.detail.get("finished"):
        return ""
    return str(last.detail["reason"])
