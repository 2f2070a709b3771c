"""Workers that judge for tournaments, and what waits for them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerStatus(Value):
    """A worker.

    Attributes:
        id: Its id.
        host: The machine.
        process: Number of its process there.
        state: ``working``, ``idle``, or ``silent`` if it gave no sign of life for three seconds.
        silence: Seconds since its last sign of life.
        judges: Names of its judges.
        concurrency: Calls that it has in flight at the most.
        questions: Calls that it has in flight now.
        answered: Questions that it has answered.
        failed: Questions that it could not answer.
        per_minute: Answers a minute since it started.
        tournaments: How many questions of each tournament it has now.
    """

    id: str
    host: str
    process: int
    state: str
    silence: float
    judges: tuple[str, ...]
    concurrency: int
    questions: int
    answered: int
    failed: int
    per_minute: float
    tournaments: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedTournament(Value):
    """A tournament that workers judge or have judged.

    Attributes:
        tournament: Its id.
        planner: The process that plans it, or planned it last.
        is_planned: Whether a process is planning it now.
        waiting: Questions that no worker has taken.
    """

    tournament: str
    planner: str
    is_planned: bool
    waiting: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkersOverview(Value):
    """Who judges what.

    Attributes:
        workers: The workers, in the order in which they came; silent ones for an hour.
        tournaments: The tournaments that they judge.
    """

    workers: tuple[WorkerStatus, ...] = ()
    tournaments: tuple[JudgedTournament, ...] = ()
