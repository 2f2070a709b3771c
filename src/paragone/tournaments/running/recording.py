"""Writing to the ledger during a run, also through a full disk or the restart of a server.

An answer is paid for when it arrives, so none may be lost. What cannot be written waits in memory and in a spool file,
in order; nothing more is asked or planned until it is written. Every write is idempotent: if it is not known whether it
succeeded, it is repeated, and nothing is recorded twice.
"""

import asyncio
import hashlib
import json
import os
import stat
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from paragone.domain import Comparison, DebateTurn, Question, Ranking, Usage, Verdict
from paragone.errors import Busy, Conflict, Corrupted, LedgerError, Unwritable
from paragone.judges.base import Judge, Wrapper
from paragone.ledger import Ledger, Pending, PendingEvent, PendingTurn, PendingVerdict, TournamentRecord, unpacked
from paragone.tournaments.running.control import Gate, GateClosed
from paragone.tournaments.state import State

FORMAT = "paragone spool 1"

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW if hasattr(os, "O_NOFOLLOW") else 0


def spool_folders(chosen: Path | None, ledger: Path | None) -> tuple[Path, ...]:
    """The folders to try for a spool, in order: the one that was chosen; else beside the ledger, then elsewhere.

    Args:
        chosen: The folder, if one was chosen.
        ledger: The ledger's file; None for a server.
    """
    if chosen is not None:
        return (chosen,)
    beside = () if ledger is None else (ledger.parent,)
    return (*beside, Path.home() / ".paragone", Path(tempfile.gettempdir()))


class Spool:
    """The entries that wait for one tournament, in a file in the first folder that can be written.

    Its lines are JSON objects: an entry, and the SHA-256 of its canonical JSON. The first line names the format and the
    tournament. Only its owner may read and write it; a file of another owner is not read.

    Args:
        tournament: The tournament.
        folders: Where the file may be.

    Attributes:
        paths: The files that hold entries.
        notes: For the observer, about files that could not be read completely.
    """

    def __init__(self, tournament: TournamentRecord, folders: Sequence[Path]) -> None:
        self._header = {"format": FORMAT, "tournament": tournament.id, "created": tournament.created.isoformat()}
        name = hashlib.sha256(_canonical(self._header).encode()).hexdigest()[:16]
        self._candidates = [folder / f"paragone-{name}.spool" for folder in folders]
        self.paths: list[Path] = []
        self.notes: list[str] = []

    def add(self, entry: Pending) -> bool:
        """Add an entry; it is on the disk when this returns. Whether any folder could be written."""
        for path in self._candidates:
            with suppress(OSError):
                self._append(path, entry)
                if path not in self.paths:
                    self.paths.append(path)
                return True
        return False

    def _append(self, path: Path, entry: Pending) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _FLAGS, 0o600)
        with os.fdopen(handle, "r+b") as file:
            if not _is_ours(os.fstat(handle)):
                raise PermissionError(f"{path} is somebody else's")
            size = os.fstat(handle).st_size  # a full disk may take half a line: the file is then cut back to this
            lines = [*([] if size else [self._header]), entry.packed()]
            try:
                _write_whole(handle, "".join(map(_line, lines)).encode("ascii"))
            except OSError:
                file.truncate(size)
                raise

    def take(self) -> list[Pending]:
        """The entries of all folders; the files stay until ``clear``."""
        return [entry for path in self._candidates for entry in self._read(path)]

    def clear(self) -> None:
        """Remove the files: their entries are in the ledger."""
        for path in self.paths:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        self.paths.clear()

    def _read(self, path: Path) -> Iterator[Pending]:
        try:
            with os.fdopen(os.open(path, os.O_RDONLY | _FLAGS), "rb") as file:
                if not _is_ours(os.fstat(file.fileno())):
                    self.notes.append(f"{path} is not taken in: it belongs to somebody else, or others may write it")
                    return
                lines = file.read().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            self.notes.append(f"{path} is not taken in: it cannot be read: {error.strerror or error}")
            return
        header, *rest = [_checked(line) for line in lines] or [None]
        if header != self._header:
            self.notes.append(f"{path} is not taken in: it does not begin as a spool of this tournament does")
            return
        self.paths.append(path)
        yield from self._entries(path, rest)

    def _entries(self, path: Path, values: Sequence[Mapping[str, Any] | None]) -> Iterator[Pending]:
        damaged = 0
        for value in values:
            try:
                yield unpacked(value or {})
            except (ValueError, TypeError, LookupError, AttributeError, Corrupted):
                damaged += 1
        if damaged:
            self.notes.append(f"{path}: {damaged} of its lines are damaged and were left out")


def _write_whole(handle: int, content: bytes) -> None:
    if os.write(handle, content) < len(content):
        raise OSError("only a part of it was written")
    os.fsync(handle)


def _line(value: Mapping[str, Any]) -> str:
    digest = hashlib.sha256(_canonical(value).encode("ascii")).hexdigest()
    return _canonical({"sha256": digest, "value": value}) + "\n"


def _checked(line: bytes) -> Mapping[str, Any] | None:
    """The value of a line; None if it is damaged."""
    try:
        read = json.loads(line)
        value, digest = read["value"], read["sha256"]
    except (ValueError, TypeError, LookupError):
        return None
    intact = isinstance(value, dict) and hashlib.sha256(_canonical(value).encode("ascii")).hexdigest() == digest
    return value if intact else None


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _is_ours(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


T = TypeVar("T")

_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
"""Seconds between two attempts: they double from the first to the longest."""


def is_temporary(error: Exception) -> bool:
    """Whether the same may succeed a little later."""
    return isinstance(error, Busy) or (isinstance(error, Unwritable) and error.temporary)


class LedgerWriter:
    """Writes what a run produces; while the ledger cannot be written, keeps it and waits.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        spool: Where entries wait besides memory.
        gate: Closed if the ledger does not come back in time.
        patience: Seconds to wait for the ledger, each time.
        on_waiting: Called with what the run waits for, in words; with an empty text when the wait is over.
        on_recovered: Called when the ledger can be written again.

    Attributes:
        ledger: The ledger.
        tournament: Id of the tournament.
        failed: Whether the ledger did not come back in time.
    """

    def __init__(
        self,
        ledger: Ledger,
        tournament: str,
        spool: Spool,
        *,
        gate: Gate,
        patience: float,
        on_waiting: Callable[[str], None],
        on_recovered: Callable[[], None] = lambda: None,
    ) -> None:
        self.failed = False
        self.ledger = ledger
        self.tournament = tournament
        self._spool = spool
        self._gate = gate
        self._patience = patience
        self._on_waiting = on_waiting
        self._on_recovered = on_recovered
        self._waiting: deque[Pending] = deque()
        self._error: Exception | None = None  # why the ledger cannot be written; None while it can
        self._tried = False  # whether the first that waits may have been written, though nobody said so
        self._turn = asyncio.Lock()

    def write(self, entry: Pending) -> None:
        """Write an entry, or queue it while the ledger cannot be written.

        Raises:
            Conflict: If the ledger holds another answer to that call.
        """
        if self._error is None:
            try:
                entry.record(self.ledger.tournaments, self.tournament)
            except Conflict:
                raise
            except (LedgerError, Busy) as error:
                self._tried = True
                self.interrupted(error)
            else:
                return
        self._waiting.append(entry)
        self._spool.add(entry)

    def interrupted(self, error: Exception) -> None:
        """Note that the ledger cannot be written or read now."""
        if self._error is None:
            self._error = error
            self._on_waiting(f"waiting for the ledger: {error}")

    def answer(self, call: str) -> Verdict | None:
        """The queued answer to a call, if any."""
        answers = (entry.answer for entry in self._waiting if isinstance(entry, PendingVerdict))
        return next(
            (answer.verdict for answer in answers if answer.call == call and answer.verdict.choice.is_answer), None
        )

    def turn(self, call: str, number: int) -> DebateTurn | None:
        """The queued turn of a debate, if any."""
        turns = (entry.turn for entry in self._waiting if isinstance(entry, PendingTurn))
        return next((turn for turn in turns if (turn.call, turn.number) == (call, number)), None)

    async def call(self, work: Callable[[], T]) -> T:
        """Do some work with the ledger, once all that waits is written; it is repeated after an outage.

        Raises:
            GateClosed: If the gate is closed meanwhile, or the ledger does not come back in time.
        """
        while True:
            await self.ready()
            try:
                return work()
            except (LedgerError, Busy) as error:
                if not is_temporary(error):
                    raise
                self.interrupted(error)

    async def ready(self) -> None:
        """Return once the ledger can be written and nothing waits.

        Raises:
            GateClosed: If the gate is closed meanwhile, or the ledger does not come back in time.
        """
        if self._error is None:
            return
        async with self._turn:
            deadline, wait = time.monotonic() + self._patience, _FIRST_WAIT
            while self._error is not None:
                if self.failed:
                    raise GateClosed(self._gate.reason)
                await self._gate.sleep(wait)
                if not await self.flushed() and (time.monotonic() > deadline or not is_temporary(self._error)):
                    self._give_up()
                wait = min(2.0 * wait, _LONGEST_WAIT)

    async def flushed(self) -> bool:
        """Whether all that waited could be written now; the spool is then gone."""
        if self._error is None:
            return True
        try:
            await asyncio.to_thread(self._flush)
            while self._waiting:  # answers in flight arrive meanwhile
                await asyncio.to_thread(self._flush)
        except (LedgerError, Busy) as error:
            self._error = error
            return False
        self._error = None
        self._spool.clear()
        self._on_recovered()
        self._on_waiting("")
        return True

    def _flush(self) -> None:
        self.ledger.pools.version(self.tournament)  # with nothing to write, only this shows that the server is back
        while self._waiting:
            self._flush_one()

    def _flush_one(self) -> None:
        # A write whose connection broke may have been committed. Until it is known to be, each attempt after the first
        # says ``again``, so that the ledger takes an equal entry that it has already for this one.
        again, self._tried = self._tried, True
        try:
            self._waiting[0].record(self.ledger.tournaments, self.tournament, again=again)
        except Conflict as error:
            self._on_waiting(f"an answer that waited was left out: {error}")
        self._waiting.popleft()
        self._tried = False

    def _give_up(self) -> None:
        self.failed = True
        self._gate.close(self.complaint)
        raise GateClosed(self._gate.reason)

    @property
    def complaint(self) -> str:
        """Why the run cannot go on, and where its answers wait."""
        paths = " and ".join(map(str, self._spool.paths))
        if paths:
            return f"{self._error}; what was answered meanwhile waits in {paths}, and the next run takes it in"
        lost = f"; {len(self._waiting)} answers could be kept nowhere" if self._waiting else ""
        return f"{self._error}{lost}"

    def around(self, judge: Judge) -> Judge:
        """The judge; it is asked nothing while the ledger cannot be written."""
        return _Waiting(judge, self)


class _Waiting(Wrapper):
    def __init__(self, judge: Judge, writer: LedgerWriter) -> None:
        super().__init__(judge)
        self._writer = writer

    async def compare(self, question: Question) -> Verdict:
        """The answer. If the ledger fails while it is searched for an earlier answer, it is searched again."""
        while True:
            await self._writer.ready()
            try:
                return await self._judge.compare(question)
            except (LedgerError, Busy) as error:
                if not is_temporary(error):
                    raise
                self._writer.interrupted(error)


class LedgerVerdicts:
    """The verdicts of a tournament, and as a cache those of all others; each is recorded when it arrives.

    Args:
        writer: Writes them.
        on_verdict: Called with each answer that this run adds to the ledger.
        before_verdict: Called with a question just before its answer is recorded.
        on_failure: Called with each failed attempt that this run adds to the ledger.

    Attributes:
        fresh: Whether no current call can have been made before, so that its answer need not be searched for.
    """

    def __init__(
        self,
        writer: LedgerWriter,
        on_verdict: Callable[[Verdict], None],
        before_verdict: Callable[[Question], None],
        on_failure: Callable[[Verdict], None],
    ) -> None:
        self.fresh = False
        self._writer = writer
        self._on_verdict = on_verdict
        self._before_verdict = before_verdict
        self._on_failure = on_failure

    def find(self, question: Question, key: str) -> Verdict | None:
        """The verdict of this call from before a crash, or that of the same question in another call."""
        tournaments = self._writer.ledger.tournaments
        # First the answer to this very call, queued or on record; then that to the same question of another call.
        verdict = self._writer.answer(question.call)
        if verdict is None and not self.fresh:
            verdict = tournaments.verdict(self._writer.tournament, question.call)
        if verdict is not None:
            return verdict
        cached = tournaments.cached_verdict(key)
        if cached is None:
            return None
        verdict = replace(cached, cached=True, usage=Usage(cost=0.0))
        self.keep(question, key, verdict)
        return verdict

    def keep(self, question: Question, key: str, verdict: Verdict) -> None:
        """Record an answer."""
        self._before_verdict(question)  # its event comes first: without it the answer would be read at another length
        self._writer.write(PendingVerdict(answer=answer_to(question, verdict), key=key))
        self._on_verdict(verdict)

    def lost(self, question: Question, verdict: Verdict) -> None:
        """Record a failed attempt: its cost counts, and it is never found as an answer."""
        self._writer.write(PendingVerdict(answer=answer_to(question, verdict)))
        self._on_failure(verdict)


def answer_to(question: Question, verdict: Verdict) -> Comparison | Ranking:
    """A verdict on a pair or a list, as the ledger records it."""
    if question.others:
        return Ranking(call=question.call, shown=tuple(item.id for item in question.items), verdict=verdict)
    return Comparison(call=question.call, first=question.first.id, second=question.second.id, verdict=verdict)


class LedgerTurns:
    """The turns of a tournament's debates; each is recorded when it arrives.

    Args:
        writer: Writes them.
        on_turn: Called with each turn that this run adds to the ledger.
    """

    def __init__(self, writer: LedgerWriter, on_turn: Callable[[DebateTurn], None]) -> None:
        self._writer = writer
        self._on_turn = on_turn

    def find(self, call: str, number: int) -> DebateTurn | None:
        """A turn from before a crash, or from an attempt that failed later."""
        queued = self._writer.turn(call, number)
        if queued is not None:
            return queued
        turns = self._writer.ledger.tournaments.turns(self._writer.tournament, call)
        return next((turn for turn in turns if turn.number == number), None)

    def keep(self, turn: DebateTurn) -> None:
        """Record a turn."""
        self._writer.write(PendingTurn(turn=turn))
        self._on_turn(turn)


def replay_spool(ledger: Ledger, state: State, folders: Sequence[Path]) -> list[str]:
    """Write what waits in the spool of an earlier run, and remove it; returns notes for the observer.

    Raises:
        Unwritable: If the ledger still cannot be written; the spool stays.
    """
    spool = Spool(ledger.tournaments.get(state.id), folders)
    waiting = spool.take()
    # The file is removed last. If the process is killed before that, the next run writes the same entries again, and
    # ``again`` keeps an answer from being recorded twice.
    for entry in waiting:
        try:
            entry.record(ledger.tournaments, state.id, again=True)
        except Conflict as error:
            spool.notes.append(f"an answer that waited was left out: {error}")
    if waiting:
        paths = " and ".join(map(str, spool.paths))
        answers = sum(not isinstance(entry, PendingEvent) for entry in waiting)
        spool.notes.append(f"{answers} answers that waited in {paths} were taken in; none of them is asked again")
        ledger.tournaments.add_event(state.id, "taken in", {"answers": answers})
        state.read_events(ledger)
    spool.clear()
    return spool.notes
