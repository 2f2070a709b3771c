"""What a seed stands for: a tournament, how its calls are made, and the faults of each of its processes."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paragone.domain import PolicyConfig, SchedulingConfig, TournamentSystemConfig
from paragone.judges.call_options import CallOptions
from simulator.disk import Outage

LIVES = 3
"""Processes with faults at the most; those after them have none."""

WORKERS = 2
"""Worker processes of a tournament that has them."""

_DEBATES = TournamentSystemConfig(
    scheduling=SchedulingConfig(rounds_per_session=20, matches_per_round=2),
    policy=PolicyConfig(debate_rule="always", protocol="debate"),
)

TOURNAMENTS: tuple[tuple[int, Mapping[str, Any]], ...] = (
    (5, {"pairing": "informative", "budget": 18}),
    (8, {"pairing": "informative", "budget": 40, "confidence": 0.9999}),
    (5, {"pairing": "informative", "budget": 20, "comparison_rounds": 2}),
    (5, {"pairing": "round-robin"}),
    (4, {"pairing": "round-robin", "comparison_rounds": 2}),
    (6, {"pairing": "swiss"}),
    (5, {"pairing": "informative", "budget": 6, "group_size": 3}),
    (5, {"pairing": "informative", "budget": 24, "max_cost": 0.15}),
    (4, {"pairing": "weighted", "budget": 8, "system": _DEBATES}),
)
"""Items, and the options of a tournament."""

COST = 0.01
"""US dollars a call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeFaults:
    """How often what goes wrong with the judge.

    Attributes:
        fails: Share of calls that fail.
        slow: Share of calls that take a minute.
        hangs: Share of calls that never come back.
    """

    fails: float
    slow: float
    hangs: float


@dataclass(frozen=True, kw_only=True, slots=True)
class LifeFaults:
    """What goes wrong in one process.

    Attributes:
        kill: The kind of step and its number at which the process is killed; None if it is not.
        outages: When the ledger cannot be used.
        spool_fails: Share of writes to the spool that fail.
        clock: Seconds by which the wall clock is off.
        jumps: Further jumps of the wall clock: when, and by how many seconds.
        interrupt: When somebody stops the run; None if nobody does.
        abandon: Whether answers in flight are not waited for then.
        visits: When somebody else in this process records an event.
        planners: With workers, at which step each planner is killed, whom another one follows.
        workers: At which step each worker is killed, in the order of their starts.
        doubled: Share of jobs that a worker gets twice.
        late: Share of messages between a planner and its workers that take seconds.
    """

    kill: tuple[str, int] | None = None
    outages: tuple[Outage, ...] = ()
    spool_fails: float = 0.0
    clock: float = 0.0
    jumps: tuple[tuple[float, float], ...] = ()
    interrupt: float | None = None
    abandon: bool = False
    visits: tuple[float, ...] = ()
    planners: tuple[tuple[str, int], ...] = ()
    workers: tuple[tuple[str, int] | None, ...] = ()
    doubled: float = 0.0
    late: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """What a seed stands for.

    Attributes:
        seed: The seed.
        tournament: The place of its tournament in ``TOURNAMENTS``.
        pace: How calls are made.
        judge: The judge's faults.
        lives: The faults of the first processes.
        has_workers: Whether worker processes judge.
    """

    seed: int
    tournament: int
    pace: CallOptions
    judge: JudgeFaults
    lives: tuple[LifeFaults, ...] = field(default=())
    has_workers: bool = False

    @classmethod
    def of(cls, seed: int) -> "Scenario":
        """The scenario of a seed."""
        rng = random.Random(f"scenario {seed}")
        tournament = rng.randrange(len(TOURNAMENTS))
        pace = CallOptions(
            concurrency=CONCURRENCY[tournament],
            per_minute=rng.choice((None, None, None, 240.0)),
            timeout=rng.choice((20.0, 90.0)),
            attempts=rng.choice((1, 3)),
            patience=rng.choice((4.0, 30.0)),
        )
        judge = JudgeFaults(
            fails=rng.choice((0.0, 0.0, 0.05, 0.2)),
            slow=rng.choice((0.0, 0.0, 0.05)),
            hangs=rng.choice((0.0, 0.0, 0.03)),
        )
        has_workers = rng.random() < 0.3
        lives = tuple(_life(rng, has_workers=has_workers) for _ in range(rng.randint(1, LIVES)))
        return cls(seed=seed, tournament=tournament, pace=pace, judge=judge, lives=lives, has_workers=has_workers)


CONCURRENCY = (4, 6, 3, 4, 5, 4, 3, 4, 4)
"""Calls in flight, by tournament: more of them may change its window, and so its plan."""


def _life(rng: random.Random, *, has_workers: bool) -> LifeFaults:
    kill = None
    if rng.random() < 0.75:
        kind = rng.choice(("any", "any", "sql", "commit", "committed", "answer", "spool", "torn", "spooled", "unlink"))
        most = {"any": 1200, "sql": 900, "commit": 120, "committed": 120, "answer": 40}.get(kind, 6)
        kill = kind, int(math.exp(rng.uniform(0.0, math.log(most))))
    outages = tuple(_outage(rng) for _ in range(rng.choice((0, 0, 1, 2, 3))))
    return LifeFaults(
        kill=kill,
        outages=outages,
        spool_fails=rng.choice((0.0, 0.0, 0.5, 1.0)) if outages else 0.0,
        clock=rng.choice((0.0, 0.0, -86_400.0, 3_600.0)),
        jumps=tuple((rng.uniform(0.0, 15.0), rng.choice((-3_600.0, -1.0, 7_200.0))) for _ in range(rng.randrange(3))),
        interrupt=rng.uniform(0.0, 12.0) if rng.random() < 0.15 else None,
        abandon=rng.random() < 0.4,
        visits=tuple(rng.uniform(0.0, 12.0) for _ in range(rng.choice((0, 0, 1, 3)))),
        **(_worker_faults(rng) if has_workers else {}),
    )


def _worker_faults(rng: random.Random) -> dict[str, Any]:
    def step(most: int) -> tuple[str, int]:
        kind, share = rng.choice((("any", 1.0), ("sql", 0.6), ("commit", 0.1), ("committed", 0.1)))
        return kind, int(math.exp(rng.uniform(0.0, math.log(most * share))))

    return {
        "planners": tuple(step(900) for _ in range(rng.choice((0, 0, 1, 2)))),
        "workers": tuple(step(600) if rng.random() < 0.5 else None for _ in range(rng.choice((0, 2, 4)))),
        "doubled": rng.choice((0.0, 0.0, 0.2)),
        "late": rng.choice((0.0, 0.0, 0.2)),
    }


def _outage(rng: random.Random) -> Outage:
    kind = rng.choice(("away", "full", "locked", "breaks"))
    begin = rng.uniform(0.0, 10.0) if rng.random() < 0.9 else 0.0
    seconds = rng.choice((0.2, 2.0, 10.0, 60.0)) * rng.uniform(0.5, 1.5)
    return Outage(kind, begin, begin + seconds, rng.random() < 0.5)
