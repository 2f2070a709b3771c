"""The simulation of ratings that are fed back into search: its measure, its worlds, and that it can be repeated."""

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture
def feedback(monkeypatch):
    """The benchmark's own module, importable while a test runs."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(BENCHMARKS)
    import memory_feedback

    yield memory_feedback
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(BENCHMARKS):
            del sys.modules[name]


def test_the_share_is_one_for_the_truth_and_that_of_chance_for_no_ratings(feedback):
    true = np.arange(100) < 40

    assert feedback.top_share(true * 1.0, true) == 1.0
    assert feedback.top_share(~true * 1.0, true) == 0.0
    assert feedback.top_share(np.zeros(100), true) == pytest.approx(0.4)


def test_half_of_a_world_is_true_and_nothing_that_a_search_sees_says_which(feedback):
    worlds = [feedback.World(seed) for seed in range(20)]
    gaps = [world.nearness[world.true].mean() - world.nearness[~world.true].mean() for world in worlds]
    known = np.mean([~np.isnan(world.r) for world in worlds])

    assert all(world.true.mean() == 0.5 for world in worlds)
    assert abs(np.mean(gaps)) < 0.004
    assert known == pytest.approx(0.6, abs=0.02)


@pytest.mark.parametrize("way", ["relevance", "document"])
def test_a_life_can_be_repeated_and_beats_chance(feedback, way):
    lives = [feedback.lived(feedback.World(3), feedback.DEFAULT, way, 60) for _ in range(2)]

    assert lives[0] == lives[1]
    assert lives[0][feedback.AT_END] > 0.6
