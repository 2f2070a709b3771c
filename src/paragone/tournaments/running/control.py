"""Control and progress of a run: how it is stopped, what it counts, and what its observer sees."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass

from paragone.domain import Board, Choice, DebateTurn, Question, Spending, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.availability import Discovery
from paragone.judges.base import Judge, Wrapper
from paragone.tournaments.state import TournamentState


class GateClosed(Exception):
    """The gate is closed: the question was not asked, or its answer was not waited for."""


class Gate:
    """Lets questions through until it is closed. Questions already asked are still answered, unless abandoned.

    Both ways of stopping may be called from a signal handler or from another thread.

    Attributes:
        reason: Why it was closed; empty while it is open.
        asking: Questions whose answers are being waited for.
    """

    def __init__(self) -> None:
        self.reason = ""
        self.asking = 0
        self._begun: set[str] | None = None
        self._only_begun = False
        self._abandoned = asyncio.Event()
        self._closing = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def closed(self) -> bool:
        return bool(self.reason)

    @property
    def abandoned(self) -> bool:
        return self._abandoned.is_set()

    def close(self, reason: str) -> None:
        """Stop asking; the first reason is kept."""
        self.reason = self.reason or reason
        self._wake(self._closing)

    def admit(self) -> None:
        """Ask about all matches, and note from now on which of them have begun."""
        self._begun, self._only_begun = set(), False

    def finish_begun(self, matches: Iterable[str] = ()) -> None:
        """Ask about matches that have begun since ``admit`` and about no others, until it is called again.

        Args:
            matches: Ids of matches that an earlier run began.
        """
        self._begun = {*(self._begun or ()), *matches}
        self._only_begun = True

    def abandon(self) -> None:
        """Also stop waiting for answers in flight; their cost is lost."""
        self.close("interrupted")
        self._wake(self._abandoned)

    def _wake(self, event: asyncio.Event) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(event.set)  # a loop that waits for an answer would not look

    async def sleep(self, seconds: float) -> None:
        """Wait before a call, unless the gate is closed meanwhile.

        Raises:
            GateClosed: If it is.
        """
        self._loop = asyncio.get_running_loop()
        if not self.closed:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)
        if self.closed:
            raise GateClosed(self.reason)

    def guard(self, judge: Judge) -> Judge:
        """The judge behind this gate."""
        return _Guarded(judge, self)

    async def waiting_for(self, judge: Judge, question: Question) -> Verdict:
        """The judge's answer, unless the gate is closed before or abandoned meanwhile.

        Raises:
            GateClosed: If it is.
        """
        match = question.call.rpartition(".")[0]
        if self.closed or (self._only_begun and match not in (self._begun or ())):
            raise GateClosed(self.reason)
        if self._begun is not None:
            self._begun.add(match)
        self._loop = asyncio.get_running_loop()
        # Closing the gate lets this question be answered, since it is paid for; only abandoning the run cuts it off.
        answer = asyncio.ensure_future(judge.compare(question))
        leaving = asyncio.ensure_future(self._abandoned.wait())
        self.asking += 1
        try:
            await asyncio.wait({answer, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not answer.done() or (self.abandoned and answer.exception() is not None):
                raise GateClosed(self.reason)  # a person who quits leaves the question as if it had not been asked
            return answer.result()
        finally:
            self.asking -= 1
            answer.cancel()
            leaving.cancel()


class _Guarded(Wrapper):
    def __init__(self, judge: Judge, gate: Gate) -> None:
        super().__init__(judge)
        self._gate = gate

    async def compare(self, question: Question) -> Verdict:
        return await self._gate.waiting_for(self._judge, question)


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """Why a run ended.

    Attributes:
        reason: In words.
        finished: Whether the tournament is over; otherwise ``resume`` continues it.
        failed: Whether the run failed, rather than being stopped on request.
        misuse: Whether it failed because of wrong settings, such as a refused key or an unknown model.
        paused: Whether the run did all that was asked of it though the tournament is not over, as at a session's end.
        hint: Shown to the user and not recorded, such as the last output of a judge program.
    """

    reason: str
    finished: bool
    failed: bool = False
    misuse: bool = False
    paused: bool = False
    hint: str = ""


def session_over(state: TournamentState) -> str:
    """That the present session is over, in words; empty if it is not. A resumed run ends where it would have ended."""
    system, played = state.settings.system, len(state.rounds)
    if system is None or not played or played % system.scheduling.rounds_per_session:
        return ""
    return f"a session is over, {played} rounds were played so far"


class Throttle:
    """Limits slow recurring work to a small share of the total time.

    Args:
        share: The share of the time that it may take.
        clock: Seconds that never go back.
    """

    def __init__(self, share: float = 0.05, clock: Callable[[], float] = time.monotonic) -> None:
        self._share = share
        self._clock = clock
        self._took = 0.2  # a guess, until the first execution
        self._last = clock()

    @property
    def due(self) -> bool:
        """Whether enough time has passed since the last time."""
        return self._clock() - self._last >= self._took / self._share

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Measure one execution."""
        start = self._clock()
        yield
        self._last = self._clock()
        self._took = self._last - start


@dataclass(frozen=True, slots=True)
class CallOrigin:
    """Why a call is made.

    Attributes:
        fresh: Whether it cannot have been made before, since it was planned in this run.
        retry: Whether its match was asked before in this run, and failed.
    """

    fresh: bool = False
    retry: bool = False


_UNKNOWN = CallOrigin()
ASKING: ContextVar[CallOrigin] = ContextVar("asking", default=_UNKNOWN)
"""Why the calls of the present task are made."""


RESTED = "rested"
"""Event: a panel member or an advocate failed too often and is not asked for a while."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """The progress of a run at one moment.

    Attributes:
        tournament: Its id.
        round: The round being played, from 1.
        unit: What a round is to the user: one of a paired comparison is a question.
        most: The maximum number of decisions.
        spending: What the tournament took so far, in earlier runs too.
        rate: Decisions a second in this run.
        board: The board after the last finished round; None before there is one.
        notes: Notes for the user, each a sentence, such as which judge is not asked any more, and why.
        waiting: What the run waits for; empty while it makes calls.
        discovered: What the first answer of each model revealed about it.
        sent: Tokens that this run sent.
        cached: Those of them that providers had in their caches of prompts.
    """

    tournament: str
    round: int
    most: int
    spending: Spending
    rate: float
    board: Board | None
    notes: tuple[str, ...] = ()
    waiting: str = ""
    discovered: tuple[Discovery, ...] = ()
    unit: str = "round"

    @property
    def done(self) -> int:
        """Decisions so far, those from earlier verdicts included."""
        return self.spending.decisions

    @property
    def seconds_left(self) -> float | None:
        """Time left at this rate if every comparison is asked; None before a rate is known."""
        return (self.most - self.done) / self.rate if self.rate > 0 else None


Observer = Callable[[Progress], None]


def unobserved(_: Progress) -> None:
    """The observer that does nothing."""


class Meter:
    """Counts what one run takes, on top of what the tournament took before.

    Args:
        before: What earlier runs of the tournament took.
        clock: Seconds that never go back.

    Attributes:
        spending: What the tournament took so far.
        failing: Length of the present streak of failed questions.
        refused: Questions that were not asked because the judge is not available for a while.
        abstained: Abstentions of this run.
        decided: Whether any answer of this run was evidence.
        last_error: Why the last question failed.
        hint: Shown beside it and not recorded.
        notes: Notes for the user.
        discovered: What the first answer of each model revealed about it.
    """

    def __init__(self, before: Spending, clock: Callable[[], float] = time.monotonic) -> None:
        self.spending = before
        self.failing = self.refused = self.abstained = 0
        self.decided = False
        self.notes: list[str] = []
        self._has_noted_failure = False
        self.discovered: list[Discovery] = []
        self.last_error = self.hint = ""
        self.sent = self.cached = 0
        self._before = before.decisions
        self._clock = clock
        self._start = clock()

    @property
    def rate(self) -> float:
        """Decisions a second in this run."""
        elapsed = self._clock() - self._start
        return (self.spending.decisions - self._before) / elapsed if elapsed > 0 else 0.0

    def add(self, verdict: Verdict) -> None:
        """Count an answer that is on record."""
        self.spending += Spending.of(verdict.usage, decisions=1, cached=int(verdict.cached))
        self._count_sent(verdict.usage)

    def heard(self, verdict: Verdict) -> None:
        """Note what an answer says of the judge, as soon as it arrives."""
        self.decided = self.decided or verdict.choice.is_evidence
        if not verdict.cached:
            self.failing = 0
            self.abstained += verdict.choice is Choice.ABSTAIN

    def add_failed_attempt(self, verdict: Verdict) -> None:
        """Count an attempt without an answer; its question may still get one."""
        self.spending += Spending.of(verdict.usage, failed=1)

    def add_turn(self, turn: DebateTurn) -> None:
        """Count a turn of a debate."""
        self.spending += Spending.of(turn.usage, turns=1)
        self._count_sent(turn.usage)

    def _count_sent(self, usage: Usage) -> None:
        self.sent += usage.input_tokens
        self.cached += usage.cached_tokens

    def add_failure(self, failure: JudgeFailed) -> None:
        """Count a question that failed after all attempts, or was not asked at all.

        The first is noted, unless nothing was decided yet: a judge that never decides ends the run with its reason.
        """
        if failure.attempts and self.decided and not self._has_noted_failure:
            self._has_noted_failure = True
            self.notes.append(f"a question failed: {failure}")
        self.hint, self.last_error = failure.hint, str(failure)
        if failure.attempts:
            self.failing += 1
        else:
            self.refused += 1

    def add_late_match(self, error: str) -> None:
        """Count a match that ran out of time as one more failure of the present streak."""
        self.failing += 1
        self.last_error = error
