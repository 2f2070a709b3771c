"""Tasks of a Ranking Agent."""

from dataclasses import dataclass
from typing import Any

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Task(Value):
    """A task of a Ranking Agent's queue.

    Attributes:
        id: Names the task.
        task_type: ``NewHypothesis``, ``TournamentRound`` or ``GlobalRanking``.
        hypothesis_ids: About which hypotheses; none for all.
        priority: The higher goes first.
        tournament_parameters: Parameters to go by; None for the tournament's own.
        context: What else the asker had to say.
        state: ``queued``, ``running``, ``done``, ``failed`` or ``refused``.
        result: What it brought.
        error: Why it failed or was refused.
    """

    id: str
    task_type: str
    hypothesis_ids: list[str]
    priority: int
    tournament_parameters: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    state: str
    result: dict[str, Any]
    error: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPage(Value):
    """Tasks, in the order of submission.

    Attributes:
        tasks: The tasks.
        next: Cursor of the next page; None on the last.
    """

    tasks: list[Task]
    next: str | None = None
