"""What a run tells whoever watches it."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from paragone.domain import Board, Choice, DebateTurn, Verdict
from paragone.judges.preflight import Discovery

RESTED = "rested"
"""Event: a member of a panel or an advocate failed too often and is not asked for a while."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """A moment of a run.

    Attributes:
        tournament: Its id.
        round: The round being played, from 1.
        done: Comparisons answered so far, those from earlier verdicts included.
        most: Comparisons at the most.
        calls: Judge calls of this run.
        cached: Comparisons of this run answered from earlier verdicts.
        failed: Calls of this run that brought no answer.
        cost: Money spent by this run in US dollars, or None where the price is not known.
        rate: Comparisons a second in this run.
        board: The board after the last finished round; None before there is one.
        turns: Turns of debates spoken in this run.
        notes: What whoever watches should know, each in a sentence: who is not asked any more, and why.
        waiting: What the run waits for instead of asking; empty while it asks.
        discovered: What the first answer of each model showed of it.
    """

    tournament: str
    round: int
    done: int
    most: int
    calls: int
    cached: int
    failed: int
    cost: float | None
    rate: float
    board: Board | None
    turns: int = 0
    notes: tuple[str, ...] = ()
    waiting: str = ""
    discovered: tuple[Discovery, ...] = ()

    @property
    def seconds_left(self) -> float | None:
        """Time left at this rate if every comparison is asked; None before a rate is known."""
        return (self.most - self.done) / self.rate if self.rate > 0 else None


Observer = Callable[[Progress], None]


def unobserved(_: Progress) -> None:
    """Nobody watches."""


class Meter:
    """Counts the verdicts of one run.

    Args:
        before: Comparisons that were answered in earlier runs of the tournament.
        clock: Seconds that never go back.
    """

    def __init__(self, before: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.before = before
        self.calls = self.cached = self.failed = self.failing = self.refused = self.turns = 0
        self.notes: list[str] = []
        self.discovered: list[Discovery] = []
        self.abstained, self.decided = 0, False
        self.cost: float | None = None
        self.last_error = self.aside = ""
        self._clock = clock
        self._start = clock()

    @property
    def done(self) -> int:
        """Comparisons answered so far, over all runs."""
        return self.before + self.calls - self.failed + self.cached

    @property
    def rate(self) -> float:
        """Comparisons a second in this run."""
        elapsed = self._clock() - self._start
        return (self.calls + self.cached) / elapsed if elapsed > 0 else 0.0

    def add(self, verdict: Verdict) -> None:
        """Count a verdict; ``failing`` is the length of the present streak of failures.

        ``abstained`` counts abstentions, and ``decided`` says whether any answer was evidence. A question that was not
        put, as whoever was to answer rests, is ``refused``: it is no call.
        """
        if verdict.choice is Choice.FAILED and not verdict.usage.calls:
            self.refused += 1
            self.last_error = verdict.error
            return
        self.decided = self.decided or verdict.choice.is_evidence
        if verdict.cached:
            self.cached += 1
            return
        self.calls += 1
        if verdict.usage.cost is not None:
            self.cost = (self.cost or 0.0) + verdict.usage.cost
        if verdict.choice is Choice.FAILED:
            self.failed += 1
            self.failing += 1
            self.last_error = verdict.error
        else:
            self.failing = 0
            self.abstained += verdict.choice is Choice.ABSTAIN

    def spoken(self, turn: DebateTurn) -> None:
        """Count a turn of a debate."""
        self.turns += 1
        if turn.usage.cost is not None:
            self.cost = (self.cost or 0.0) + turn.usage.cost

    def missed(self, error: str) -> None:
        """Count a match that ran out of time as one more failure of the present streak."""
        self.failing += 1
        self.last_error = error
