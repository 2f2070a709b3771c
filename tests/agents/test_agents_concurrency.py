"""Threads and processes record at once: no update is lost, sums are exact; who is killed leaves nothing half done."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import warm_start
from paragone.agents import EloSystem
from paragone.errors import Busy

AGENTS = ["a", "b", "c", "d"]


def work(elo, name, count):
    """Record each kind of evidence so often, and look meanwhile."""
    for number in range(count):
        first, second = AGENTS[number % 4], AGENTS[(number + 1) % 4]
        elo.record_match(f"{name}.{number}", scores={first: 0.8, second: 0.2}, domain="law")
        elo.record_match(f"shared.{number}", scores={"a": 0.6, "b": 0.4, "c": 0.2})
        elo.update_relationship(second, first, 1, critique_a_to_b=2)
        elo.record_domain_prediction(first, "law", 0.75, True)
        elo.record_critique(second, True)
        board = elo.get_leaderboard()
        assert sum(rating.elo for rating in board) == pytest.approx(1500 * len(board))


def check(elo, workers, count):
    ratings = elo.get_ratings_batch(AGENTS)
    own, shared = workers * count, count
    assert elo.get_stats(use_cache=False)["total_matches"] == own + shared
    assert sum(rating.debates_count for rating in ratings.values()) == 2 * own + 3 * shared
    assert sum(rating.wins for rating in ratings.values()) == own + shared
    assert sum(rating.elo for rating in ratings.values()) == pytest.approx(6000, abs=1e-9)
    assert sum(rating.calibration_total for rating in ratings.values()) == own
    assert sum(rating.calibration_brier_sum for rating in ratings.values()) == own / 16
    assert sum(rating.critiques_accepted for rating in ratings.values()) == own
    pairs = [pair for agent in AGENTS for pair in elo.get_all_relationships_for_agent(agent)]
    assert sum(pair["debate_count"] for pair in pairs) == 2 * own
    assert sum(pair["critique_count_a_to_b"] for pair in pairs) == 2 * own
    assert elo.audit().ok


def test_eight_threads_share_one_system(shared_url):
    with EloSystem(shared_url, durable=False) as elo:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda thread: work(elo, thread, 4), range(8)))
        check(elo, 8, 4)
        assert [row["elo"] for row in elo.get_snapshot_leaderboard()] == [one.elo for one in elo.get_leaderboard()]


WRITERS = """
import os, sys
sys.path.insert(0, {folder!r})
import paragone.ledger  # once for all of them
from test_agents_concurrency import EloSystem, work
children = []
for name in "wxyz":
    child = os.fork()
    if not child:
        with EloSystem(sys.argv[1], durable=False) as elo:
            work(elo, name, 4)
        os._exit(0)
    children.append(child)
sys.exit(max(os.waitpid(child, 0)[1] for child in children))
"""


def test_four_processes_make_one_pool_and_record_in_it(shared_url):
    code = WRITERS.format(folder=str(Path(__file__).parent))
    done = subprocess.run([warm_start.python(), "-c", code, shared_url], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with EloSystem(shared_url) as elo:
        check(elo, 4, 4)


def test_a_writer_that_is_killed_leaves_whole_debates_and_loses_none_that_it_acknowledged(path):
    child = Path(__file__).with_name("agent_kill_child.py")
    done = subprocess.run([warm_start.python(), str(child), str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(reports) == 4
    for place, report in enumerate(reports, 1):
        assert report["lost"] == []
        assert 0 <= report["unasked"] <= place, "at most the one that each was at"
        assert report["whole"], report
        assert report["counted"], report
        assert report["audit"], report
        assert report["sum"] == pytest.approx(4500, abs=1e-9)
        assert report["domain"] == pytest.approx(4500, abs=1e-9)
        assert len(report["board"]) == 3


def test_whoever_waits_longer_than_stated_is_told_so(path):
    with EloSystem(path, patience=0.05) as elo, elo._pool.ledger._database.write():
        with ThreadPoolExecutor(1) as threads, pytest.raises(Busy):
            threads.submit(elo.record_match, winner="a", loser="b").result()
        assert elo.list_agents() == []
