"""Faults by simulation: whatever a seed does to a tournament, it ends as it should; see docs/design/0030-simulation.md.

``simulate.py`` beside this runs more seeds, and replays one.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from simulator import process, world
from simulator.scenario import TOURNAMENTS, Scenario
from simulator.world import simulate

from paragone.ledger import PendingVerdict
from paragone.ledger.namespaces.remote_judging import RemoteJudging
from paragone.tournaments.running.spool import Spool
from paragone.tournaments.running.verdict_store import LedgerTurns
from paragone.tournaments.state.rounds import PlanOrder
from paragone.workers.answering import WorkerTurns, WorkerVerdicts

pytestmark = [
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),  # a killed process's
    pytest.mark.slow,
    pytest.mark.timeout(300),  # eight CPU seconds a test, on a machine that others use too
]

SEEDS = (*range(6), *range(7, 11), *range(12, 15), 16, 18, 20)
"""Those that the bugs below need, and the first of each tournament; ``simulate.py`` runs ten thousand."""
PART = 8
MOST = 30
"""Seeds within which each known bug has to be found."""
ENDLESS = 4_000
"""Steps with a bug after which a process never ends: twice what any of the seeds below takes without one."""


simulated = cache(simulate)
"""Of the code as it is; a seed that a test has simulated need not be again."""


@pytest.mark.parametrize("first", range(0, len(SEEDS), PART))
def test_nothing_paid_is_lost_nothing_counts_twice_and_the_board_is_that_of_the_undisturbed_run(first):
    from simulate import complaint

    outcomes = [simulated(seed) for seed in SEEDS[first : first + PART]]
    assert [complaint(outcome) for outcome in outcomes if outcome.broken] == []
    assert sum(outcome.kills for outcome in outcomes) >= PART // 4
    assert sum(outcome.is_equal for outcome in outcomes) >= PART // 2


def test_the_seeds_are_of_every_tournament():
    assert {Scenario.of(seed).tournament for seed in SEEDS} == set(range(len(TOURNAMENTS)))


def test_a_seed_replays_to_the_same_step_in_another_process():
    outcomes = [simulated(seed) for seed in (12, 13)]
    script = Path(__file__).with_name("simulate.py")
    replayed = subprocess.run(
        [sys.executable, str(script), "12-13", "--trace"],
        env={**os.environ, "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for outcome in outcomes:
        assert f"{outcome.trace.steps} steps, digest {outcome.trace.digest}" in replayed
    assert len({outcome.trace.digest for outcome in outcomes}) == 2


def forgotten_spool(patch):
    """A writer that forgets to spool while the ledger cannot be written."""
    patch.setattr(Spool, "add", lambda self, entry: True)


def planned_again(patch):
    """A resume that does not read the notes of the blocks, and so plans from other evidence."""
    patch.setattr("paragone.tournaments.running.flight.block_notes", lambda events: {})


def never_again(patch):
    """A writer that does not say that a write may have been committed before."""
    record = PendingVerdict.record

    def once(self, tournaments, tournament, *, again=False):
        record(self, tournaments, tournament)

    patch.setattr(PendingVerdict, "record", once)


def unread_spool(patch):
    """A resume that removes the spool without taking it in."""
    patch.setattr(Spool, "take", lambda self: self.paths.extend(self._candidates) or [])


def late_pointer(patch):
    """Evidence counted at the time of planning in place of that at the pointer, as answers happen to arrive."""
    patch.setattr(PlanOrder, "records_at", lambda self, pointer: self.records)


def forgotten_turns(patch):
    """A debate that begins anew, whatever was said before a kill."""
    patch.setattr(LedgerTurns, "find", lambda self, call, number: None)
    patch.setattr(WorkerTurns, "find", lambda self, call, number: None)


def left_with_orphans(patch):
    """A planner that leaves what the processes of a dead one have taken to them."""
    patch.setattr(RemoteJudging, "abandoned", lambda *_, **__: 0)


def unchecked_answers(patch):
    """A worker that does not look whether a call has been answered before it asks."""
    patch.setattr(WorkerVerdicts, "find", lambda self, question, key: None)


BUGS = {
    forgotten_spool: 1,
    planned_again: 14,
    unread_spool: 5,
    late_pointer: 8,
    forgotten_turns: 1,
    left_with_orphans: 18,
}
"""The first seed that shows each; another one may after a change of the code."""
RARE = (never_again, unchecked_answers)


def shows(bug, patch, seeds):
    """The first of some seeds that shows a bug; None if none of them does."""
    undisturbed = [world.undisturbed(number) for number in range(len(TOURNAMENTS))]  # before the bug is there
    assert all(undisturbed)
    patch.setattr(process, "MOST_STEPS", ENDLESS)
    bug(patch)
    return next((seed for seed in seeds if simulate(seed).broken), None)


@pytest.mark.parametrize(("bug", "likely"), BUGS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_known_bugs_are_found(bug, likely, monkeypatch, record_property):
    shown_by = shows(bug, monkeypatch, (likely, *range(MOST)))
    record_property("seed", shown_by)
    assert shown_by is not None, f"not found within {MOST} seeds: {bug.__doc__}"


@pytest.mark.parametrize("bug", RARE, ids=lambda bug: bug.__name__)
def test_rare_bugs_are_found(bug, monkeypatch, deep):
    if not deep:
        pytest.skip("needs more seeds than the other tests together")
    assert shows(bug, monkeypatch, range(40 * MOST)) is not None, bug.__doc__
