"""Calibration multiplies K, by whoever knows of it."""

import math

import pytest

from paragone.agents import CalibrationTracker, LedgerCalibration
from paragone.errors import InvalidEvidence


class Fixed:
    """A tracker that says what it was told to."""

    def __init__(self, **qualities):
        self.qualities = qualities

    def get_quality(self, agent):
        return self.qualities[agent]


def gains(elo, tracker):
    return elo.record_match(scores={"a": 1.0, "b": 0.0}, calibration_tracker=tracker)


@pytest.mark.parametrize(
    ("quality", "multiplier"), [(0.0, 2.0), (0.25, 1.75), (1.0, 1.0), (-3.0, 2.0), (9.0, 1.0), (math.inf, 1.0)]
)
def test_two_less_the_quality_which_is_clamped(elo, quality, multiplier):
    assert gains(elo, Fixed(a=quality, b=1.0)) == pytest.approx({"a": 16 * multiplier, "b": -16})


def test_who_is_not_known_keeps_its_k(elo):
    assert gains(elo, Fixed(b=0.5)) == pytest.approx({"a": 16, "b": -24})


@pytest.mark.parametrize("quality", [math.nan, None, "good"])
def test_what_is_no_number_is_refused(elo, quality):
    with pytest.raises(InvalidEvidence, match="the quality of 'a'"):
        gains(elo, Fixed(a=quality, b=1.0))
    assert elo.list_agents() == []


def test_the_same_debate_again_is_the_same_whatever_the_tracker_knows_by_now(elo):
    call = {"debate_id": "d1", "scores": {"a": 1.0, "b": 0.0}}
    first = elo.record_match(**call, calibration_tracker=Fixed(a=0.0, b=0.0))
    assert elo.record_match(**call, calibration_tracker=Fixed(a=1.0, b=1.0)) == first
    assert elo.record_match(**call) == first
    assert elo.audit().ok


class TestTheLedgersOwn:
    def test_is_a_tracker(self, elo):
        assert isinstance(elo.calibration_tracker, LedgerCalibration)
        assert isinstance(elo.calibration_tracker, CalibrationTracker)

    def test_quality_is_the_calibration_score(self, elo):
        for _ in range(25):
            elo.record_domain_prediction("a", "law", 0.8, True)
        score = elo.get_rating("a").calibration_score
        assert elo.calibration_tracker.get_quality("a") == score == pytest.approx(0.96 * 0.75)
        changes = gains(elo, elo.calibration_tracker)
        assert changes == pytest.approx({"a": 16 * (2 - score), "b": -16})
        assert elo.audit().ok

    def test_below_five_predictions_it_is_nought(self, elo):
        elo.record_domain_prediction("a", "law", 0.8, True)
        assert elo.calibration_tracker.get_quality("a") == 0.0

    def test_who_has_foretold_nothing_is_not_known(self, elo):
        elo.register_agent("a")
        for name in ("a", "nobody"):
            with pytest.raises(KeyError):
                elo.calibration_tracker.get_quality(name)
