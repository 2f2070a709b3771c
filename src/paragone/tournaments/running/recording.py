"""Writing to the ledger during a run, also through a full disk or the restart of a server.

An answer is paid for once it is there, so nothing that arrives may be lost. What cannot be written waits in memory and
in a spool file, in its order; nothing more is asked or planned until it is written. Every write may be made again:
who does not know whether the first one was kept writes the same once more, and nothing is there twice.
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
from paragone.ledger import Ledger, Pending, PendingTurn, PendingVerdict, TournamentRecord, unpacked
from paragone.tournaments.running.control import Gate, GateClosed

FORMAT = "paragone spool 1"

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW if hasattr(os, "O_NOFOLLOW") else 0


def spool_folders(chosen: Path | None, ledger: Path | None) -> tuple[Path, ...]:
    """Where a spool may be, in the order of trying: the folder that was named; else beside the ledger, and elsewhere.

    Args:
        chosen: The folder that was named, if one was.
        ledger: The file of the ledger; None for a server.
    """
    if chosen is not None:
        return (chosen,)
    beside = () if ledger is None else (ledger.parent,)
    return (*beside, Path.home() / ".paragone", Path(tempfile.gettempdir()))


class Spool:
    """What waits for one tournament, in the first of some folders that takes it.

    Its lines are JSON objects: what waits, and the SHA-256 of that as canonical JSON. The first line says which format
    it is and which tournament's. Only its owner may read and write it; a file of another owner is not read.

    Args:
        tournament: Whose answers they are.
        folders: Where the file may be.

    Attributes:
        paths: The files that hold something.
        notes: What whoever watches should know of files that could not be taken in whole.
    """

    def __init__(self, tournament: TournamentRecord, folders: Sequence[Path]) -> None:
        self._header = {"format": FORMAT, "tournament": tournament.id, "created": tournament.created.isoformat()}
        name = hashlib.sha256(_canonical(self._header).encode()).hexdigest()[:16]
        self._places = [folder / f"paragone-{name}.spool" for folder in folders]
        self.paths: list[Path] = []
        self.notes: list[str] = []

    def add(self, waiting: Pending) -> bool:
        """Keep it, on the disk before this returns; whether any folder took it."""
        for path in self._places:
            with suppress(OSError):
                self._append(path, waiting)
                if path not in self.paths:
                    self.paths.append(path)
                return True
        return False

    def _append(self, path: Path, waiting: Pending) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _FLAGS, 0o600)
        with os.fdopen(handle, "r+b") as file:
            if not _is_ours(os.fstat(handle)):
                raise PermissionError(f"{path} is somebody else's")
            size = os.fstat(handle).st_size
            lines = [*([] if size else [self._header]), waiting.packed()]
            try:
                _write_whole(handle, "".join(map(_line, lines)).encode("ascii"))
            except OSError:
                file.truncate(size)
                raise

    def take(self) -> list[Pending]:
        """What waits in all folders; the files stay until ``clear``."""
        return [waiting for path in self._places for waiting in self._read(path)]

    def clear(self) -> None:
        """Remove the files: what waited is in the ledger."""
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
        yield from self._waiting(path, rest)

    def _waiting(self, path: Path, values: Sequence[Mapping[str, Any] | None]) -> Iterator[Pending]:
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
    """The value of a line; None where it is not what was written."""
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
"""Seconds between two tries; they double from the one to the other."""


def is_temporary(error: Exception) -> bool:
    """Whether the same again may work a little later."""
    return isinstance(error, Busy) or (isinstance(error, Unwritable) and error.temporary)


class LedgerWriter:
    """Writes what a run brings; while the ledger cannot be written, keeps it and waits.

    Args:
        ledger: The ledger.
        tournament: Whose run it is.
        spool: Where things wait besides memory.
        gate: Closed where waiting comes to nothing.
        patience: Seconds to wait for the ledger, each time.
        on_waiting: Told what is waited for, in words; of nothing, when it is over.
        on_recovered: Called when the ledger can be written again.

    Attributes:
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
        self._ledger = ledger
        self._tournament = tournament
        self._spool = spool
        self._gate = gate
        self._patience = patience
        self._on_waiting = on_waiting
        self._on_recovered = on_recovered
        self._waiting: deque[Pending] = deque()
        self._error: Exception | None = None  # why the ledger cannot be written; None while it can
        self._tried = False  # whether the first that waits may have been written, though nobody said so
        self._turn = asyncio.Lock()

    def write(self, waiting: Pending) -> None:
        """Write something, or have it wait.

        Raises:
            Conflict: If the ledger holds another answer to that call.
        """
        if self._error is None:
            try:
                waiting.record(self._ledger.tournaments, self._tournament)
            except Conflict:
                raise
            except (LedgerError, Busy) as error:
                self._tried = True
                self.interrupted(error)
            else:
                return
        self._waiting.append(waiting)
        self._spool.add(waiting)

    def interrupted(self, error: Exception) -> None:
        """Take note that the ledger cannot be written or read now."""
        if self._error is None:
            self._error = error
            self._on_waiting(f"waiting for the ledger: {error}")

    def answer(self, call: str) -> Verdict | None:
        """The answer to a call that waits; None where none does."""
        answers = (entry.answer for entry in self._waiting if isinstance(entry, PendingVerdict))
        return next(
            (answer.verdict for answer in answers if answer.call == call and answer.verdict.choice.is_answer), None
        )

    def turn(self, call: str, number: int) -> DebateTurn | None:
        """The turn of a debate that waits; None where none does."""
        turns = (entry.turn for entry in self._waiting if isinstance(entry, PendingTurn))
        return next((turn for turn in turns if (turn.call, turn.number) == (call, number)), None)

    async def call(self, work: Callable[[], T]) -> T:
        """What some work with the ledger returns, which may be done again; once all that waits is written.

        Raises:
            Closed: If the gate is closed while it waits, or the ledger does not come back in time.
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
            Closed: If the gate is closed meanwhile, or the ledger does not come back in time.
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
            while self._waiting:  # what arrived since
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
        self._ledger.pools.version(self._tournament)  # what only waits to read would otherwise take a server for back
        while self._waiting:
            self._flush_one()

    def _flush_one(self) -> None:
        again, self._tried = self._tried, True
        try:
            self._waiting[0].record(self._ledger.tournaments, self._tournament, again=again)
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
        """The judge, which is asked nothing while the ledger cannot be written."""
        return _Waiting(judge, self)


class _Waiting(Wrapper):
    def __init__(self, judge: Judge, keeper: LedgerWriter) -> None:
        super().__init__(judge)
        self._keeper = keeper

    async def compare(self, question: Question) -> Verdict:
        """The answer. Where the ledger went away before it could say whether there was one, it is looked for again."""
        while True:
            await self._keeper.ready()
            try:
                return await self._judge.compare(question)
            except (LedgerError, Busy) as error:
                if not is_temporary(error):
                    raise
                self._keeper.interrupted(error)


class LedgerVerdicts:
    """Finds the verdicts of a tournament, then those of any tournament; keeps each as it arrives.

    Args:
        ledger: Where verdicts are kept.
        tournament: Whose verdicts are kept.
        keeper: Writes them.
        arrived: Told of each answer that this run added to the ledger.
        deciding: Told of a question just before its answer is kept.
        failed: Told of each failed attempt that this run added to the ledger.

    Attributes:
        fresh: Whether no call of the moment can have been put before, so that nobody need look for its answer.
    """

    def __init__(
        self,
        ledger: Ledger,
        tournament: str,
        keeper: LedgerWriter,
        arrived: Callable[[Verdict], None],
        deciding: Callable[[Question], None] = lambda _: None,
        failed: Callable[[Verdict], None] = lambda _: None,
    ) -> None:
        self.fresh = False
        self._deciding = deciding
        self._ledger = ledger
        self._tournament = tournament
        self._keeper = keeper
        self._arrived = arrived
        self._failed = failed

    def find(self, question: Question, key: str) -> Verdict | None:
        """The verdict of this call from before a crash, or the same question's from another call."""
        waiting = self._keeper.answer(question.call)
        if waiting is not None:
            return waiting
        before = None if self.fresh else self._ledger.tournaments.verdict(self._tournament, question.call)
        if before is not None:
            return before
        cached = self._ledger.tournaments.cached_verdict(key)
        if cached is None:
            return None
        again = replace(cached, cached=True, usage=Usage(cost=0.0))
        self.keep(question, key, again)
        return again

    def keep(self, question: Question, key: str, verdict: Verdict) -> None:
        """Record an answer."""
        self._deciding(question)
        self._keeper.write(PendingVerdict(answer=answer_to(question, verdict), key=key))
        self._arrived(verdict)

    def lost(self, question: Question, verdict: Verdict) -> None:
        """Record an attempt that brought no answer: what it took is counted, and it is never found as an answer."""
        self._keeper.write(PendingVerdict(answer=answer_to(question, verdict)))
        self._failed(verdict)


def answer_to(question: Question, verdict: Verdict) -> Comparison | Ranking:
    """A verdict with what it is about: a pair, or a list of several."""
    if question.others:
        return Ranking(call=question.call, shown=tuple(item.id for item in question.items), verdict=verdict)
    return Comparison(call=question.call, first=question.first.id, second=question.second.id, verdict=verdict)


class LedgerTurns:
    """Finds the turns of a tournament's debates; keeps each as it arrives.

    Args:
        ledger: Where turns are kept.
        tournament: Whose turns they are.
        keeper: Writes them.
        arrived: Told of each turn that this run added to the ledger.
    """

    def __init__(
        self, ledger: Ledger, tournament: str, keeper: LedgerWriter, arrived: Callable[[DebateTurn], None]
    ) -> None:
        self._ledger = ledger
        self._tournament = tournament
        self._keeper = keeper
        self._arrived = arrived

    def find(self, call: str, number: int) -> DebateTurn | None:
        """A turn from before a crash, or from a try that failed later on."""
        waiting = self._keeper.turn(call, number)
        if waiting is not None:
            return waiting
        return next(
            (turn for turn in self._ledger.tournaments.turns(self._tournament, call) if turn.number == number), None
        )

    def keep(self, turn: DebateTurn) -> None:
        """Record a turn."""
        self._keeper.write(PendingTurn(turn=turn))
        self._arrived(turn)
