"""What a calibration comes to, in a word and in words."""

from enum import StrEnum

from paragone.analysis.calibration.chance import Chance
from paragone.analysis.calibration.measure import Measure
from paragone.analysis.calibration.score import LEAST


class Finding(StrEnum):
    """What was found."""

    TOO_FEW = "too_few"
    OVERCONFIDENT = "overconfident"
    UNDERCONFIDENT = "underconfident"
    MISCALIBRATED = "miscalibrated"
    CALIBRATED = "calibrated"


def finding(count: int, bias: Measure, chance: Chance, level: float) -> Finding:
    """What a calibration comes to.

    First comes whether the bias is more than chance; then whether the miscalibration is, which also tells of
    confidences that are wrong in both directions.

    Args:
        count: Predictions.
        bias: Mean confidence less accuracy.
        chance: Of the miscalibration.
        level: Of the intervals; what chance makes less often than the rest counts as found.
    """
    if count < LEAST:
        return Finding.TOO_FEW
    if bias.excludes(0.0):
        return Finding.OVERCONFIDENT if bias.value > 0 else Finding.UNDERCONFIDENT
    return Finding.MISCALIBRATED if chance.p_value <= 1 - level else Finding.CALIBRATED


def in_words(
    found: Finding, count: int, bias: Measure, temperature: Measure, miscalibration: float, chance: Chance
) -> str:
    """The finding with the number that it rests on, as ``overconfident by .12 [.05, .19]``.

    Args:
        found: The finding.
        count: Predictions.
        bias: Mean confidence less accuracy.
        temperature: What the log-odds are to be divided by.
        miscalibration: CORP's.
        chance: What that would be by chance.
    """
    if found is Finding.TOO_FEW:
        return f"too few predictions: {count} of {LEAST}"
    if found is Finding.CALIBRATED:
        return "no miscalibration beyond chance"
    if found is not Finding.MISCALIBRATED:
        ends = sorted((abs(bias.low), abs(bias.high)))
        return f"{found} by {_short(abs(bias.value))} [{_short(ends[0])}, {_short(ends[1])}]"
    if not temperature.excludes(1.0):
        return f"miscalibrated by {miscalibration:.3f} of the Brier score, where chance makes {chance.expected:.3f}"
    how = "extreme" if temperature.value > 1 else "timid"
    ends_of_it = f"[{temperature.low:.1f}, {temperature.high:.1f}]"
    return f"confidences too {how}: temperature {temperature.value:.1f} {ends_of_it}"


def _short(value: float) -> str:
    """A share to two places, without the nought before the point."""
    return f"{value:.2f}".removeprefix("0")
