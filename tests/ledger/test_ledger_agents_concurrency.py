"""Threads and processes keep evidence about the same agents at once: nothing is lost, and sums are exact."""

import importlib.util
import itertools
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import warm_start
from paragone.domain import Critique, ItemKind, RatingConfig
from paragone.errors import Busy
from paragone.ledger import AgentTally, Ledger

pytestmark = pytest.mark.slow

CHILD = Path(__file__).with_name("agents_child.py")
spec = importlib.util.spec_from_file_location("agents_child", CHILD)
agents_child = importlib.util.module_from_spec(spec)
spec.loader.exec_module(agents_child)

POOL, COUNT = agents_child.POOL, 2
CONFIG = RatingConfig(initial=1500.0, k=32.0)


def _counts(ledger):
    """Everything that does not depend on who came first: ratings do."""
    records = sorted(ledger.agents.records(POOL), key=lambda record: record.rating.item)
    return (
        [(record.rating.item, record.tally) for record in records],
        [_record(rating) for record in records for rating in (record.rating, *record.tracks)],
        ledger.agents.relations(POOL),
        sorted((entry.prediction.tournament, entry.brier) for entry in ledger.agents.predictions(POOL)),
        sorted(entry.prediction.confidence for entry in ledger.agents.domain_predictions(POOL)),
        ledger.audit(POOL).rows,
    )


def _record(rating):
    return (rating.item, rating.track, rating.matches, rating.wins, rating.losses, rating.ties)


def _check(ledger, names):
    """As one writer after the other would have left it; and each rating where its own moves lead."""
    with Ledger.open("sqlite://") as alone:
        alone.pools.create(POOL, CONFIG, kind=ItemKind.AGENT)
        for name in names:
            agents_child.write(alone, name, COUNT)
        assert _counts(ledger) == _counts(alone)
    records, changes = ledger.agents.records(POOL), ledger.ratings.changes(POOL)
    assert sum(record.rating.matches for record in records) == COUNT * (3 * len(names) + 2)
    for record in records:
        for rating in (record.rating, *record.tracks):
            moves = [change for change in changes if (change.item, change.track) == (rating.item, rating.track)]
            assert all(a.new == b.old for a, b in itertools.pairwise(moves)), "no update was lost"
            assert moves[-1].new == rating.elo
            assert rating.elo - moves[0].old == pytest.approx(sum(change.change for change in moves), abs=1e-9)
    assert sum(record.rating.elo for record in records) == pytest.approx(1500.0 * len(records), abs=1e-6)
    assert ledger.audit().ok
    found = ledger.agents.records(POOL), ledger.agents.relations(POOL)
    ledger.rebuild(POOL)
    assert (ledger.agents.records(POOL), ledger.agents.relations(POOL)) == found


def test_eight_threads_share_one_ledger(new_ledger):
    names = [f"thread {number}" for number in range(8)]
    with Ledger.open(new_ledger(), durable=False) as ledger:
        ledger.pools.create(POOL, CONFIG, kind=ItemKind.AGENT)
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda name: agents_child.write(ledger, name, COUNT), names))
        _check(ledger, names)


def test_four_processes_write_about_the_same_agents(new_ledger, tmp_path):
    url = new_ledger()
    arguments = [warm_start.python(), str(CHILD), url, str(tmp_path)]
    names = ["a", "b", "c", "d"]
    writers = [subprocess.Popen([*arguments, name, str(COUNT)], stderr=subprocess.PIPE, text=True) for name in names]
    errors = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4, errors
    with Ledger.open(url, durable=False) as ledger:
        _check(ledger, names)


HOLDER = """
import sys
from paragone.ledger import Ledger, chain
with Ledger.open(sys.argv[1]) as ledger, ledger._database.write() as connection:
    chain.lock(connection, "agents")
    print("holding", flush=True)
    sys.stdin.read()
"""


def test_who_waits_in_vain_for_another_process_is_told_so_and_loses_nothing(new_ledger):
    """Three threads wait, each with patience of its own; a reader waits for nobody."""
    url, accepted = new_ledger(), Critique(agent="claude", accepted=True)
    with Ledger.open(url, durable=False, patience=0.1) as ledger:
        ledger.pools.create(POOL, CONFIG, kind=ItemKind.AGENT)
        ledger.agents.record_critiques(POOL, [accepted])
        arguments = [warm_start.python(), "-c", HOLDER, url]
        holder = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert holder.stdout.readline() == "holding\n"

        def refused(_):
            begun = time.monotonic()
            with pytest.raises(Busy, match=r"is locked: .* more than 0\.1 s"):
                ledger.agents.record_critiques(POOL, [accepted])
            return time.monotonic() - begun

        with ThreadPoolExecutor(3) as threads:
            waited = list(threads.map(refused, range(3)))
        assert min(waited) >= 0.08
        (record,) = ledger.agents.records(POOL)
        assert record.tally == AgentTally(critiques_accepted=1, critiques_total=1)
        holder.communicate()
        ledger.agents.record_critiques(POOL, [accepted])
        assert ledger.agents.records(POOL)[0].tally.critiques_total == 2
        assert ledger.audit().ok
