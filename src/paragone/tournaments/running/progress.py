"""Progress of a run, as reported to its observer."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from paragone.domain import Board, Choice, DebateTurn, Spending, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.preflight import Discovery

RESTED = "rested"
"""Event: a member of a panel or an advocate failed too often and is not asked for a while."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """A moment of a run.

    Attributes:
        tournament: Its id.
        round: The round being played, from 1.
        most: Decisions at the most.
        spending: What the tournament took so far, in earlier runs too.
        rate: Decisions a second in this run.
        board: The board after the last finished round; None before there is one.
        notes: What whoever watches should know, each in a sentence: who is not asked any more, and why.
        waiting: What the run waits for instead of asking; empty while it asks.
        discovered: What the first answer of each model showed of it.
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
    """Nobody watches."""


class Meter:
    """Counts what one run takes, on top of what the tournament took before.

    Args:
        before: What earlier runs of the tournament took.
        clock: Seconds that never go back.

    Attributes:
        spending: What the tournament took so far.
        failing: Length of the present streak of questions that failed.
        refused: Questions that were not put, as whoever was to answer rests.
        abstained: Abstentions of this run.
        decided: Whether any answer of this run was evidence.
        last_error: Why the last question failed.
        hint: What may be shown beside that and is not kept.
        notes: What whoever watches should know.
        discovered: What the first answer of each model showed of it.
    """

    def __init__(self, before: Spending, clock: Callable[[], float] = time.monotonic) -> None:
        self.spending = before
        self.failing = self.refused = self.abstained = 0
        self.decided = False
        self.notes: list[str] = []
        self.discovered: list[Discovery] = []
        self.last_error = self.hint = ""
        self._before = before.decisions
        self._clock = clock
        self._start = clock()

    @property
    def rate(self) -> float:
        """Decisions a second in this run."""
        elapsed = self._clock() - self._start
        return (self.spending.decisions - self._before) / elapsed if elapsed > 0 else 0.0

    def add(self, verdict: Verdict) -> None:
        """Count an answer."""
        self.spending += Spending.of(verdict.usage, decisions=1, cached=int(verdict.cached))
        self.decided = self.decided or verdict.choice.is_evidence
        if not verdict.cached:
            self.failing = 0
            self.abstained += verdict.choice is Choice.ABSTAIN

    def lost(self, verdict: Verdict) -> None:
        """Count an attempt that brought no answer; its question may still get one."""
        self.spending += Spending.of(verdict.usage, failed=1)

    def spoken(self, turn: DebateTurn) -> None:
        """Count a turn of a debate."""
        self.spending += Spending.of(turn.usage, turns=1)

    def heard(self, failure: JudgeFailed) -> None:
        """Take in that a question failed, after all attempts; or was not put, where there was none."""
        self.hint, self.last_error = failure.hint, str(failure)
        if failure.attempts:
            self.failing += 1
        else:
            self.refused += 1

    def missed(self, error: str) -> None:
        """Count a match that ran out of time as one more failure of the present streak."""
        self.failing += 1
        self.last_error = error
