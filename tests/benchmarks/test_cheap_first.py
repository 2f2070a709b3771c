"""The benchmark of a cheap judge whose ratings a good one corrects."""

import numpy as np


def test_a_tau_is_shown_as_the_calls_that_the_good_judge_needs_alone(script):
    alone = np.array([0.4, 0.6, 0.7, 0.7, 0.75, 0.8])
    # The cheap judge is at .5; with one call an item .65, half way from .6 (2N) to .7 (3N); with three .9, beyond 6N.
    shown = script.row("x", [[0.5, 0.64, 0.6, 0.9], [0.5, 0.66, 0.6, 0.9]], alone)
    assert shown == "| x | 0.500 ± 0.000 | 0.650 ± 0.010 = 2.5N | 0.600 ± 0.000 = 2.0N | 0.900 ± 0.000 = > 6.0N |"


def test_a_run_by_the_ratings_of_the_cheap_judge_ranks_by_the_truth(script, monkeypatch):
    monkeypatch.setattr(script, "TOGETHER", (2,))
    taus = np.array([script.taus(10, seed, 0.5) for seed in (1, 2)])
    assert taus.mean(axis=0).min() > 0.5  # of the cheap judge alone, and with the good one
