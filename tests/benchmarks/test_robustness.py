"""A small version of the table of settings that break an assumption of the fit."""

import numpy as np


def test_intervals_and_forecasts_hold_over_all_settings(script):
    rows = {name: script.measured(name, 1, items=16, calls=8) for name in script.SETTINGS}
    held, ranks, _, _, off, _ = np.mean([*rows.values()], axis=0)
    assert held >= 0.85
    assert ranks >= 0.88
    assert abs(off) < 0.15
    assert [rows[name][-1] for name in ("heavy ties", "clusters")] == [1.0, 1.0]


def test_worlds_are_repeatable(script):
    one, again = (script.world("cycles", 3, items=10, calls=4) for _ in range(2))
    assert one.evidence.score.tolist() == again.evidence.score.tolist()
