"""Starts, pauses, resumes and stops the tournament runs of this process."""

import asyncio
import hashlib
import json
import logging
import math
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field, replace

from paragone.domain.text import without_fingerprint
from paragone.errors import Busy, Conflict, InvalidConfig, ParagoneError
from paragone.judges.base import Judge
from paragone.judges.call_options import CallOptions
from paragone.ledger import Ledger
from paragone.settings import settings
from paragone.tournaments.planning.estimate import CostEstimate, estimate
from paragone.tournaments.running.delegation import LISTED_PREFIX, WORKERS_PREFIX
from paragone.tournaments.running.participants import (
    Participants,
    as_advocate,
    as_judge,
    check_judge_knows,
    check_lists,
    check_price,
)
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import IMPORTED, OBJECT_PREFIX, TournamentSettings
from paragone.web.middleware.access_tokens import Caller
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.runs.run import Run, Steering, Wish, steering_of
from paragone.web.voting.voters import PEOPLE
from paragone.wire.live import RunLimits
from paragone.workers.judge_list import JudgeList

_PERSON = "human"


@dataclass(frozen=True, kw_only=True, slots=True)
class QuotedRun:
    """A forecast of a run.

    Attributes:
        state: The tournament with the limits of the run; not in the ledger yet.
        estimate: What the run takes at most.
        confirm: Confirmation of this forecast, needed to begin the run.
    """

    state: TournamentState
    estimate: CostEstimate
    confirm: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgesHere:
    """The judges that a server has for tournaments which name one.

    Attributes:
        url: URL or path of the ledger, where workers announce theirs.
        listed: The server's own list.
    """

    url: str = ""
    listed: JudgeList = field(default_factory=dict)

    def of(self, ledger: Ledger, settings: TournamentSettings) -> Judge | None:
        """The judge that a tournament names; None if it has the spec of its judge itself.

        Raises:
            InvalidConfig: If no worker has it now.
            Conflict: If the list does not have it, or no more.
        """
        if settings.judge.startswith(LISTED_PREFIX):
            missing = self.missing(settings)
            if missing:
                raise Conflict(missing)
            return as_judge(self.listed[settings.judge.removeprefix(LISTED_PREFIX)].spec, settings)
        if not settings.judge.startswith(WORKERS_PREFIX):
            return None
        from paragone.workers.running import judge_at_hand

        return judge_at_hand(ledger, self.url, settings.judge.removeprefix(WORKERS_PREFIX))

    def missing(self, settings: TournamentSettings) -> str:
        """That the list does not have the judge that a tournament names, in words; empty otherwise."""
        name = settings.judge.removeprefix(LISTED_PREFIX)
        if name == settings.judge or name in self.listed:
            return ""
        return (
            f"its judge, {name!r}, is not on this server's list of judges: whoever runs the server adds it "
            f"(--judge {name}=SPEC), or runs the tournament with another"
        )


def quote(ledger: Ledger, judges: JudgesHere, pool: str, changes: RunLimits) -> QuotedRun:
    """Forecast a run of a tournament by its own judge.

    Args:
        ledger: The ledger.
        judges: The judges that tournaments may name.
        pool: The tournament.
        changes: Limits that are to change.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it cannot be run from here, or a limit is invalid.
        Conflict: If its judge is not on the server's list, or no more.
        UsageError: If its judge cannot be opened.
    """
    state = TournamentState.load(ledger, pool)
    for name, value in changes.items():
        if not math.isfinite(float(str(value))):
            raise InvalidConfig(f"{name} is a finite number", key=name)
    state.settings = state.settings.extended(changes)
    why = cannot_run(pool, state.settings)
    if why:
        raise InvalidConfig(why)
    judge = judges.of(ledger, state.settings) or as_judge(state.settings.judge, state.settings)
    participants = Participants(judge=judge)
    try:
        if judge.card.interactive:
            raise InvalidConfig(_at_a_terminal(pool, state.settings))
        participants = Participants(judge=judge, advocate=as_advocate(None, judge, state.settings))
        estimate = _estimate(ledger, state, judge, participants)
    finally:
        asyncio.run(participants.close())
    return QuotedRun(state=state, estimate=estimate, confirm=_mark(pool, changes, estimate))


def cannot_run(pool: str, brief: TournamentSettings) -> str:
    """Why a tournament cannot be run by a server, and what to do, by its settings; empty if it can."""
    if brief.judge == PEOPLE:
        return "people judge this one: its pairs are on its page Vote, and nothing has to be started"
    if brief.judge.startswith(OBJECT_PREFIX):
        with_another = _command(pool, brief, " --judge SPEC")
        if brief.judge == IMPORTED:
            return f"its comparisons were imported, so it has no judge to ask: to go on with one, use {with_another}"
        who = without_fingerprint(brief.judge.removeprefix(OBJECT_PREFIX))
        return f"its judge, {who}, was given by a program: run it from that program, or with {with_another}"
    if brief.advocate is not None and brief.advocate.startswith(OBJECT_PREFIX):
        who = brief.advocate.removeprefix(OBJECT_PREFIX)
        with_another = _command(pool, brief, " --advocate SPEC")
        return f"its advocate, {who}, was given by a program: run it from that program, or with {with_another}"
    members = brief.judge.removeprefix("panel:").removeprefix("cascade:").split("+")
    if any(member.strip() == _PERSON for member in members):
        return _at_a_terminal(pool, brief)
    return ""


def _at_a_terminal(pool: str, brief: TournamentSettings) -> str:
    return f"its judge asks a person at a terminal: run it there, with {_command(pool, brief)}"


def _command(pool: str, brief: TournamentSettings, option: str = "") -> str:
    return f"`paragone {'resume' if brief.system is None else 'tournament run'} {pool}{option}`"


def _estimate(ledger: Ledger, state: TournamentState, judge: Judge, participants: Participants) -> CostEstimate:
    check_lists(state.settings, judge)
    check_judge_knows(judge, state.items)
    check_price(state.settings, participants, state.items)
    return estimate(state, judge, ledger.tournaments.spending(state.id), participants.advocate)


def _mark(pool: str, changes: RunLimits, estimate: CostEstimate) -> str:
    """A digest that is the same only for the same run at the same price."""
    payload = json.dumps([pool, sorted(changes.items()), estimate.judge, estimate.sentence()])
    return hashlib.sha256(payload.encode()).hexdigest()[:24]


AT_ONCE = 8
"""Maximum number of simultaneous runs."""
BEGINNING = 5.0
"""Seconds to wait for a run to start."""
ANSWERS = 5.0
"""Seconds that a shutdown waits for answers in flight."""
LEAVING = 3.0
"""Seconds that it then waits for runs to clean up."""
ENDED = "the server ended"

_LOG = logging.getLogger("paragone.web")


class ActiveRuns:
    """The tournament runs of this process. Thread-safe.

    Args:
        reader: The ledger.
        judges: The judges that tournaments may name.
    """

    def __init__(self, reader: LedgerReader, judges: JudgesHere | None = None) -> None:
        self._reader, self._judges = reader, judges or JudgesHere()
        self._runs: dict[str, tuple[Run, Future[None]]] = {}
        self._failures: dict[str, str] = {}
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="runs")
        self._ending, self._ending_since = False, 0.0

    def steering(self, pool: str) -> Steering:
        """What the events of a tournament say about its runs."""
        return self._reader.kept("steering", pool, lambda: steering_of(self._reader.ledger.tournaments.events(pool)))

    def quote(self, pool: str, changes: RunLimits) -> QuotedRun:
        """Forecast the cost of a run; see ``quote``."""
        return quote(self._reader.ledger, self._judges, pool, changes)

    def cannot_run(self, pool: str, settings: TournamentSettings) -> str:
        """Why a tournament cannot be run here now, and what to do, by its settings; empty if it can."""
        return cannot_run(pool, settings) or self._judges.missing(settings)

    def run_of(self, pool: str) -> Run | None:
        """The current run of a tournament in this process; None if there is none."""
        entry = self._runs.get(pool)
        return None if entry is None or entry[1].done() else entry[0]

    def failure(self, pool: str) -> str:
        """The error that ended the last run here; empty if none did."""
        return self._failures.get(pool, "")

    def begin(self, pool: str, who: Caller, changes: RunLimits, confirm: str) -> Run:
        """Start or resume a run.

        Args:
            pool: The tournament.
            who: The caller.
            changes: Limits to set on the tournament first.
            confirm: The ``confirm`` of the quote for these limits.

        Raises:
            NotFound: If there is no such tournament.
            InvalidConfig: If it cannot be run from here.
            Conflict: If it is running already, or the confirmation does not match the current quote.
        """
        self._refuse_running(pool)
        quote = self.quote(pool, changes)
        if confirm != quote.confirm:
            raise Conflict(
                f"nothing was spent: this has to be confirmed first. It takes: {quote.estimate.sentence()}. "
                "Ask for the forecast with the same limits, and send its `confirm`"
            )
        run, future = self._submitted(pool, who, changes, quote)
        if not run.settle(BEGINNING) and future.done():
            self._raise(pool, future)
        return run

    def go_on(self, pool: str, who: Caller, confirm: str) -> Run:
        """Go on with what was paused, stopped or interrupted, within the limits that it has.

        Raises:
            NotFound: If there is no such tournament.
            InvalidConfig: If it cannot be run from here.
            Conflict: If there is nothing to go on with, it runs already, or nobody has confirmed what it takes now.
        """
        self._refuse_running(pool)
        steering = self.steering(pool)
        if steering.finished:
            raise Conflict(f"{pool} is over ({steering.reason}): run it with other limits to go beyond them")
        if not steering.has_started and not self._reader.ledger.tournaments.count_rounds(pool):
            raise Conflict(f"{pool} has not begun: there is nothing to continue; run it")
        return self.begin(pool, who, {}, confirm)

    def wish(self, pool: str, who: Caller, wish: Wish) -> None:
        """Have a run paused or stopped, in whichever process of the server it is.

        Raises:
            NotFound: If there is no such tournament.
            Conflict: If nobody runs it, or a program does that does not hear wishes.
        """
        run, steering = self.run_of(pool), self.steering(pool)
        if run is None and not self._reader.ledger.tournaments.is_claimed(pool):
            raise Conflict(f"nobody is running {pool}: there is nothing to {wish}")
        if run is None and not steering.is_ours:
            raise Conflict(f"{pool} is being run by another program, which no server started: {wish} it there")
        self._reader.log_act(pool, who.name, wish)
        if run is not None:
            run.heed(wish, who.name)

    def begin_to_end(self) -> None:
        """Ask all runs to end; does not wait."""
        if not self._ending:
            self._ending_since = time.monotonic()
        self._ending = True
        for run, _ in self._going_on():
            run.end(ENDED)

    def end(self) -> None:
        """End all runs in order, so that they can go on later: first with the answers under way, then without."""
        self.begin_to_end()
        patience = max(0.0, self._ending_since + ANSWERS - time.monotonic())  # open requests were waited for meanwhile
        unfinished = wait([future for _, future in self._going_on()], timeout=patience).not_done
        for run, future in self._going_on():
            if future in unfinished:
                run.end(ENDED, at_once=True)
        wait(unfinished, timeout=LEAVING)
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _pace(self, brief: TournamentSettings) -> CallOptions:
        common = settings()
        pace = CallOptions(concurrency=common.concurrency, timeout=common.timeout, attempts=common.attempts)
        if not brief.judge.startswith(WORKERS_PREFIX):
            return pace
        from paragone.workers.running import calls_in_flight

        return replace(pace, concurrency=calls_in_flight(self._reader.ledger, pace))

    def _submitted(self, pool: str, who: Caller, changes: RunLimits, quote: QuotedRun) -> tuple[Run, Future[None]]:
        judge = self._judges.of(self._reader.ledger, quote.state.settings)
        with self._lock:
            self._refuse_running(pool)
            self._failures.pop(pool, None)
            if self._ending or len(self._going_on()) >= AT_ONCE:
                why = "it is about to end" if self._ending else f"it plays {AT_ONCE} tournaments already"
                raise Conflict(f"this server begins no run now: {why}")
            run = Run(self._reader.ledger, quote.state, self._pace(quote.state.settings), who.name, changes, judge)
            future = self._threads.submit(copy_context().run, run.play)  # it is traced to the request that began it
            self._runs[pool] = (run, future)
        future.add_done_callback(_log)
        future.add_done_callback(lambda _: self._ended(pool, run))
        return run, future

    def _ended(self, pool: str, run: Run) -> None:
        """Of a run that has ended only what broke it is kept: it holds a whole tournament."""
        with self._lock:
            if run.failure:
                self._failures[pool] = run.failure
            if pool in self._runs and self._runs[pool][0] is run:
                del self._runs[pool]

    def _refuse_running(self, pool: str) -> None:
        self._reader.version(pool)  # refuses a pool that is not there
        if self.run_of(pool) is not None:
            raise Conflict(f"{pool} is being played already")
        if self._reader.ledger.tournaments.is_claimed(pool):
            raise Conflict(f"{pool} is being run by another process now; wait until it ends, or stop it there")

    def _raise(self, pool: str, future: "Future[None]") -> None:
        error = future.exception()
        if isinstance(error, Busy):
            raise Conflict(f"{pool} is being run by somebody else now; wait until that ends") from error
        if error is not None:
            raise error

    def _going_on(self) -> list[tuple[Run, "Future[None]"]]:
        return [entry for entry in list(self._runs.values()) if not entry[1].done()]


def _log(future: "Future[None]") -> None:
    """What nobody expected is for the log; what has a name is on the tournament's page."""
    error = None if future.cancelled() else future.exception()
    if error is not None and not isinstance(error, ParagoneError):
        _LOG.error("a run broke", exc_info=error)
