"""The whole report, and what it comes to in words."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.calibration import CalibrationReport, Chance, LogScore, Measure, calibrate, calibration_score
from paragone.analysis.calibration.report import CalibrationFinding, finding, in_words
from paragone.domain.record import FrozenDict
from paragone.errors import InvalidConfig, InvalidEvidence


def agent(count, seed=0, over=0.0):
    rng = np.random.default_rng(seed)
    chance = 0.3 + 0.5 * rng.random(count)
    return np.round(chance + over, 2).tolist(), (rng.random(count) < chance).tolist()


def test_an_overconfident_agent_in_numbers():
    """Twenty at .9 and ten at .6, of which 12 and 5 came true: mean confidence .8, accuracy .567."""
    found = calibrate([0.9] * 20 + [0.6] * 10, [True] * 12 + [False] * 8 + [True] * 5 + [False] * 5)
    brier = (12 * 0.01 + 8 * 0.81 + 5 * 0.16 + 5 * 0.36) / 30
    assert (found.predictions, found.correct) == (30, 17)
    assert found.accuracy == pytest.approx(17 / 30)
    assert found.mean_confidence == pytest.approx(0.8)
    assert found.brier.value == pytest.approx(brier)
    assert found.score.value == pytest.approx(calibration_score(30, 30 * brier))
    assert found.bias.value == pytest.approx(0.8 - 17 / 30)
    assert found.ece.value == pytest.approx((20 * 0.3 + 10 * 0.1) / 30)
    assert found.ece_by_midpoints.value == pytest.approx((20 * 0.35 + 10 * 0.15) / 30)
    assert found.corp.brier == pytest.approx(brier)
    assert [point.bucket.key for point in found.curve] == ["0.6-0.7", "0.9-1.0"]
    assert found.finding is CalibrationFinding.OVERCONFIDENT
    assert found.verdict.startswith("overconfident by .23 [.0")
    assert found.ece_by_chance.p_value < 0.05 < found.ece_by_chance.expected < found.ece_by_chance.high < 0.233
    assert (found.level, found.draws, found.seed) == (0.95, 1000, 0)


def test_confidences_that_are_wrong_in_both_directions_are_no_bias_and_yet_found():
    """.95 comes in 70 %, .05 in 30 %: on the whole, the mean confidence is the accuracy."""
    found = calibrate([0.95] * 100 + [0.05] * 100, [True] * 70 + [False] * 30 + [True] * 30 + [False] * 70)
    assert found.bias.value == pytest.approx(0.0)
    assert found.finding is CalibrationFinding.MISCALIBRATED
    assert found.verdict.startswith("confidences too extreme: temperature 3.")
    timid = calibrate([0.6] * 100 + [0.4] * 100, [True] * 95 + [False] * 5 + [True] * 5 + [False] * 95)
    assert timid.verdict.startswith("confidences too timid: temperature 0.1")


@pytest.mark.parametrize("count", [0, 1, 4])
def test_too_few_predictions(count):
    found = calibrate([1.0] * count, [False] * count)
    assert found.finding is CalibrationFinding.TOO_FEW
    assert found.verdict == f"too few predictions: {count} of 5"
    assert found.score == Measure(value=0.0, low=0.0, high=0.0)


def test_without_predictions_every_interval_is_all_that_is_possible():
    found = calibrate([], [])
    assert (found.accuracy, found.curve, found.domains) == (0.0, (), {})
    assert (found.bias.low, found.bias.high) == (-1.0, 1.0)
    assert (found.brier, found.ece) == (Measure(value=1.0, low=0.0, high=1.0),) * 2
    assert found.corp.worth(0.7) == 0.7


@pytest.mark.parametrize(
    ("bias", "p", "expected"),
    [
        (Measure(value=0.12, low=0.05, high=0.19), 0.5, "overconfident by .12 [.05, .19]"),
        (Measure(value=-0.2, low=-1.0, high=-0.004), 0.5, "underconfident by .20 [.00, 1.00]"),
        (Measure(value=0.1, low=-0.1, high=0.3), 0.051, "no miscalibration beyond chance"),
        (Measure(value=0.1, low=-0.1, high=0.3), 0.05, "confidences too extreme: temperature 1.8 [1.2, 2.5]"),
    ],
)
def test_what_it_comes_to_in_words(bias, p, expected):
    chance = Chance(expected=0.01, high=0.02, p_value=p)
    heat = Measure(value=1.84, low=1.21, high=2.46)
    found = finding(20, bias, chance, 0.95)
    assert in_words(found, 20, bias, heat, 0.03, chance) == expected


def test_a_miscalibration_that_no_temperature_explains():
    chance = Chance(expected=0.01, high=0.02, p_value=0.01)
    words = in_words(
        CalibrationFinding.MISCALIBRATED,
        50,
        Measure(value=0, low=-1, high=1),
        Measure(value=1, low=0.5, high=2),
        0.03,
        chance,
    )
    assert words == "miscalibrated by 0.030 of the Brier score, where chance makes 0.010"


def test_the_order_of_predictions_changes_nothing_and_a_seed_repeats_all():
    confidence, correct = agent(150)
    order = np.random.default_rng(3).permutation(150)
    one = calibrate(confidence, correct, draws=100, seed=7)
    other = calibrate([confidence[n] for n in order], [correct[n] for n in order], draws=100, seed=7)
    assert one == other
    assert calibrate(confidence, correct, draws=100, seed=8).brier != one.brier


def test_domains_are_looked_at_by_themselves():
    law, code = agent(60, 1, over=0.2), agent(40, 2)
    found = calibrate(
        law[0] + code[0] + [0.5], law[1] + code[1] + [True], ["law"] * 60 + ["code"] * 40 + [""], draws=100
    )
    assert list(found.domains) == ["code", "law"]
    assert found.predictions == 101
    assert found.domains["law"] == calibrate(*law, draws=100)
    assert found.domains["code"] == calibrate(*code, draws=100)
    assert found.domains["law"].finding is CalibrationFinding.OVERCONFIDENT


def test_columns_of_two_lengths_are_refused():
    with pytest.raises(InvalidEvidence, match="2 predictions have 1 domains"):
        calibrate([0.5, 0.6], [True, False], ["law"])


@pytest.mark.parametrize("wrong", [{"draws": 0}, {"level": 0.0}, {"level": 1.0}, {"level": float("nan")}])
def test_what_cannot_be_asked_is_refused(wrong):
    with pytest.raises(InvalidConfig, match="one or more draws"):
        calibrate([0.5], [True], **wrong)


def test_arrays_do_as_well_and_a_report_can_be_hashed():
    said, came, about = np.array([0.5, 0.6]), np.array([True, False]), np.array(["law", "law"])
    found = calibrate(said, came, about, draws=10)
    assert found == calibrate([0.5, 0.6], [True, False], ["law", "law"], draws=10)
    assert hash(found) == hash(calibrate(said, came, about, draws=10))


def test_every_number_is_a_plain_one():
    """So that a report becomes JSON."""

    def plain(value):
        if isinstance(value, tuple):
            return all(map(plain, value))
        if hasattr(value, "__dataclass_fields__"):
            return all(plain(getattr(value, one.name)) for one in fields(value))
        return type(value) in {int, float, str, FrozenDict, CalibrationFinding}

    assert plain(calibrate(*agent(30), draws=50))


def test_of_calibrated_agents_about_a_tenth_at_most_are_called_something_else():
    """Two questions are asked, each of which is wrong in 5 %."""
    findings = [calibrate(*agent(60, seed), draws=100, seed=seed).finding for seed in range(150)]
    assert 3 <= sum(one is not CalibrationFinding.CALIBRATED for one in findings) <= 24


def test_most_agents_that_are_overconfident_by_a_fifth_are_found_by_sixty_predictions():
    findings = [calibrate(*agent(60, seed, over=0.2), draws=50).finding for seed in range(60)]
    assert sum(one is CalibrationFinding.OVERCONFIDENT for one in findings) >= 50


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.1, 0.5, 0.73, 1.0]), st.booleans()), min_size=1, max_size=30))
def test_every_report_is_whole(said):
    found = calibrate(*zip(*said, strict=True), draws=40)
    assert isinstance(found, CalibrationReport)
    assert found.corp.brier == pytest.approx(found.brier.value, abs=1e-12)
    for one in (found.brier, found.score, found.ece, found.ece_by_midpoints, found.bias):
        assert -1.0 <= one.low <= one.high <= 1.0
        assert math.isfinite(one.value)
    assert all(0.0 <= point.chance_low <= point.chance_high <= 1.0 for point in found.curve)
    assert sum(point.bucket.predictions for point in found.curve) == len(said)
    assert isinstance(found.log_score, LogScore)
    assert replace(found, domains={}) == found
