"""Tasks of a Ranking Agent."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskEvidence(Value):
    """What was on record when a task's result was computed, and how old that is.

    Attributes:
        matches: Matches, also those that were rolled back later.
        verdicts: Verdicts in these matches.
        rounds: Rounds that were planned.
        at: When.
        matches_since: Matches that were recorded after it.
    """

    matches: int
    verdicts: int
    rounds: int
    at: datetime
    matches_since: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Task(Value):
    """A task of a Ranking Agent's queue.

    Attributes:
        id: Names the task.
        task_type: ``NewHypothesis``, ``TournamentRound`` or ``GlobalRanking``.
        hypothesis_ids: About which hypotheses; none for all.
        priority: The present priority; the higher goes first.
        tournament_parameters: Parameters to go by; None for the tournament's own.
        context: What else the asker had to say.
        after: Ids of the tasks that must be done before.
        state: ``queued``, ``paused``, ``running``, ``cancelling`` (a round that finishes what has begun), ``done``,
            ``failed``, ``refused`` or ``cancelled``.
        waits_for: Ids of the tasks that it waits for now, also of those that it is not ``after``.
        waiting: What it waits for, in words; empty if it may begin or has begun.
        result: What it brought.
        error: Why it failed, or was refused, cancelled or paused.
        evidence: How old the evidence of its result is; None before there is one.
    """

    id: str
    task_type: str
    hypothesis_ids: list[str]
    priority: int
    tournament_parameters: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    after: list[str] = field(default_factory=list)
    state: str
    waits_for: list[str] = field(default_factory=list)
    waiting: str = ""
    result: dict[str, Any]
    error: str
    evidence: TaskEvidence | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskQueue(Value):
    """The queue of a Ranking Agent as a whole.

    Attributes:
        paused: Whether it is paused: no task begins, what has begun is finished.
        reason: Why.
        since: Since when; None if it is open.
    """

    paused: bool
    reason: str = ""
    since: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPage(Value):
    """Tasks, in the order of submission.

    Attributes:
        tasks: The tasks.
        next: Cursor of the next page; None on the last.
    """

    tasks: list[Task]
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class IncompleteItem(Value):
    """A hypothesis that waits for its text.

    Attributes:
        id: Its id.
        text: What there is of its text. Untrusted.
        missing: What it lacks, in words.
        provisional_rating: Running Elo that it would begin with, in points.
    """

    id: str
    text: str
    missing: tuple[str, ...]
    provisional_rating: float
