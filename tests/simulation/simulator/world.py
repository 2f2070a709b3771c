"""A simulation: processes one after the other, killed or not, until the tournament is over; then what must hold."""

import shutil
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from paragone.domain import Item, RatingConfig
from paragone.ledger import Ledger
from paragone.tournaments.running.participants import LIKE_THE_JUDGE
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from simulator import checks
from simulator.process import BEGINNING, KILLED, LEDGER, Process
from simulator.record import Broken, Record
from simulator.scenario import CONCURRENCY, TOURNAMENTS, JudgeFaults, LifeFaults, Scenario
from simulator.trace import Trace

HEALTHY = 6
"""Processes without faults in which a tournament has to end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What a seed came to.

    Attributes:
        scenario: What it stands for.
        trace: What happened.
        lives: Planners that it took.
        kills: Those that were killed.
        is_equal: Whether the result had to be, and was, that of the undisturbed run.
        broken: The promise that was not kept; empty if all were.
    """

    scenario: Scenario
    trace: Trace
    lives: int
    kills: int
    is_equal: bool
    broken: str = ""


class World:
    """One simulation.

    Args:
        scenario: What is played, and what goes wrong.
        folder: An empty folder.
        keep: Whether to keep the trace's lines.
    """

    def __init__(self, scenario: Scenario, folder: Path, *, keep: bool = False) -> None:
        self.scenario, self.folder = scenario, folder
        self.judge_faults = scenario.judge
        self.trace = Trace(keep=keep)
        self.record = Record()
        self.kills = self.lives = 0

    def run(self) -> Outcome:
        """Run it to its end, and check what must hold."""
        broken, is_equal = "", False
        try:
            folder = self._played()
            is_equal = checks.check(self, folder / LEDGER)
        except Broken as error:
            broken = str(error)
        except Exception as error:  # noqa: BLE001 - whatever a process did not expect
            broken = f"{type(error).__name__}: {error}"
        return Outcome(
            scenario=self.scenario,
            trace=self.trace,
            lives=self.lives,
            kills=self.kills,
            is_equal=is_equal,
            broken=broken,
        )

    def expected(self) -> dict[str, Any]:
        """What the tournament comes to where nothing goes wrong."""
        return undisturbed(self.scenario.tournament)

    def _played(self) -> Path:
        """The folder after the last process."""
        folder = self.folder / "0"
        folder.mkdir()
        (folder / LEDGER).write_bytes(begun(self.scenario.tournament))
        lives = [*self.scenario.lives, *[LifeFaults()] * HEALTHY]
        for number, faults in enumerate(lives):
            is_healthy = number >= len(self.scenario.lives)
            if is_healthy:
                self.judge_faults = JudgeFaults(fails=0.0, slow=0.0, hangs=0.0)
            after = self.folder / str(number + 1)
            process = Process(self, number, folder, faults, after)
            self.record.begin()
            ended = process.run()
            self.lives += process.planners
            if process.error is not None:
                raise process.error
            self.record.end(killed=ended == KILLED)
            if ended == KILLED:
                self.kills += 1
                shutil.rmtree(folder)
                folder = after
                checks.check_kept(self, folder)
            elif process.stop is not None and process.stop.finished:
                return folder
            elif is_healthy and ended == "failed":
                raise Broken("a process without faults failed")
        raise Broken(f"the tournament is not over after {HEALTHY} processes without faults")


@cache
def begun(tournament: int) -> bytes:
    """The ledger of a tournament that has just been created."""
    count, options = TOURNAMENTS[tournament]
    items = [Item(id=f"i{number}", text=f"item {number}") for number in range(count)]
    settings = settings_for(count, criteria="larger", judge="a model", **{"seed": tournament, **options})
    settings = replace(settings, advocate=None if settings.system is None else LIKE_THE_JUDGE)
    with TemporaryDirectory() as folder:
        file = Path(folder) / LEDGER
        with Ledger.open(file, clock=lambda: BEGINNING) as ledger:
            TournamentState.begin(ledger, "tournament", settings, items, RatingConfig())
        return file.read_bytes()


@cache
def undisturbed(tournament: int) -> dict[str, Any]:
    """What a tournament comes to where nothing goes wrong."""
    scenario = Scenario.of(0)
    pace = replace(scenario.pace, concurrency=CONCURRENCY[tournament], per_minute=None)
    still = JudgeFaults(fails=0.0, slow=0.0, hangs=0.0)
    scenario = replace(scenario, tournament=tournament, pace=pace, judge=still, lives=())
    with TemporaryDirectory() as folder:
        world = World(scenario, Path(folder))
        file = world._played() / LEDGER
        with Ledger.open(file, create=False, durable=False) as ledger:
            return checks.contents(ledger, TournamentState.load(ledger, None))


def simulate(seed: int, *, keep: bool = False) -> Outcome:
    """Run the simulation of a seed."""
    with TemporaryDirectory(prefix="simulation-") as folder:
        return World(Scenario.of(seed), Path(folder), keep=keep).run()
