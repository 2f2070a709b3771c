"""A small version of the table of settings that break an assumption of the fit."""

import importlib

import pytest


@pytest.fixture(scope="module")
def script(request):
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    yield importlib.import_module("robustness")
    sys.path.pop(0)


@pytest.mark.parametrize(
    "setting", ["as assumed", "drift", "heavy ties", "cycles", "clusters", "skewed", "heavy tails"]
)
def test_intervals_and_forecast_hold(script, setting):
    held, ranks, _, _, off, told = script.measured(setting, 5, items=16, calls=8)
    assert held >= 0.75
    assert ranks >= 0.75
    assert abs(off) < 0.25
    if setting in ("heavy ties", "clusters"):
        assert told == 1.0
    if setting == "as assumed":
        assert told == 0.0


def test_worlds_are_repeatable(script):
    one, again = (script.world("cycles", 3, items=10, calls=4) for _ in range(2))
    assert one.evidence.score.tolist() == again.evidence.score.tolist()
