"""Where the gate should open: a threshold of R from content of which it is known whether it is true.

Cosines of one embedder are not those of another, so each has a threshold of its own. It is the one with the largest
Youden's J, the share of true content above it less that of false content above it; of several as good the one in
the widest gap. What a threshold does on the pairs that chose it flatters it, so J is told of pairs left out, too.

Source: W. J. Youden, "Index for rating diagnostic tests", Cancer 1950.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

LEAST = 10
"""True ones, and false ones, below which no threshold is told."""
FEW = 30
"""Below which it is told with a warning."""
DRAWS = 1000
LEVEL = 0.95

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """A threshold and what is known of it.

    Attributes:
        threshold: R above which the gate should open; None where that cannot be told.
        low: Lower end of its interval over bootstrap samples.
        high: Upper end.
        youden: J of the threshold on the pairs themselves.
        held_out: Mean J of thresholds on the pairs that their sample did not draw: what to expect of new content.
        sensitivity: Share of true ones above the threshold.
        specificity: Share of false ones at or below it.
        auc: Probability that R of a true one is above that of a false one, ties as half; 0.5 tells nothing.
        auc_low: Lower end of its interval.
        auc_high: Upper end.
        true: True ones.
        false: False ones.
        level: What the intervals are meant to hold.
        refusal: Why there is no threshold; empty where there is one.
        warning: What to know before it is used; empty for nothing.
    """

    threshold: float | None = None
    low: float | None = None
    high: float | None = None
    youden: float | None = None
    held_out: float | None = None
    sensitivity: float | None = None
    specificity: float | None = None
    auc: float | None = None
    auc_low: float | None = None
    auc_high: float | None = None
    true: int = 0
    false: int = 0
    level: float = LEVEL
    refusal: str = ""
    warning: str = ""


def calibrate(
    values: Sequence[float], labels: Sequence[bool], rng: np.random.Generator, *, draws: int = DRAWS
) -> Calibration:
    """The threshold that tells true content from false best.

    Args:
        values: R of each piece of content, finite.
        labels: Whether it is true.
        rng: Draws the bootstrap samples, of true and of false ones apart.
        draws: How many.

    Returns:
        Without a threshold where there are fewer than ten of either, or where R does not tell them apart: the interval
        of the area under the curve holds 0.5.

    Raises:
        ValueError: If there are not as many labels, or a value is not finite.
    """
    r, is_true = np.asarray(values, dtype=np.float64), np.asarray(labels, dtype=bool)
    if r.shape != is_true.shape or r.ndim != 1 or not np.isfinite(r).all():
        raise ValueError("R is a finite number, and each has a label")
    true, false = np.sort(r[is_true]), np.sort(r[~is_true])
    if min(len(true), len(false)) < LEAST:
        words = f"{len(true)} true and {len(false)} false ones are too few: {LEAST} of each are needed"
        return Calibration(true=len(true), false=len(false), refusal=words)
    area = _area(true, false)
    samples = [_sample(true, false, rng) for _ in range(draws)]
    bounds, areas, outside = (np.array(column) for column in zip(*samples, strict=True))
    auc_low, auc_high = _interval(areas)
    measured = Calibration(auc=area, auc_low=auc_low, auc_high=auc_high, true=len(true), false=len(false))
    if auc_low <= 0.5:
        between = f"{auc_low:.2f} to {auc_high:.2f}"
        words = f"R does not tell true from false here: the area under the curve is {area:.2f} ({between})"
        return replace(measured, refusal=words)
    threshold = _best(true, false)
    low, high = _interval(bounds)
    few = min(len(true), len(false)) < FEW
    return replace(
        measured,
        threshold=threshold,
        low=min(low, threshold),
        high=max(high, threshold),
        youden=_youden(true, false, threshold),
        held_out=float(np.nanmean(outside)),
        sensitivity=float(np.mean(true > threshold)),
        specificity=float(np.mean(false <= threshold)),
        warning=f"fewer than {FEW} of a kind: the threshold may be anywhere in its interval" if few else "",
    )


def _best(true: Floats, false: Floats) -> float:
    """The threshold with the largest J, in the middle between two neighbouring values; both sides sorted."""
    values = np.unique(np.concatenate([true, false]))
    if len(values) == 1:
        return float(values[0])
    bounds, gaps = (values[:-1] + values[1:]) / 2.0, np.diff(values)
    above = 1.0 - np.searchsorted(true, bounds, side="right") / len(true)
    wrong = 1.0 - np.searchsorted(false, bounds, side="right") / len(false)
    gain = np.round(above - wrong, 12)
    at = np.flatnonzero(gain == gain.max())
    return float(bounds[at[np.argmax(gaps[at])]])


def _youden(true: Floats, false: Floats, threshold: float) -> float:
    return float(np.mean(true > threshold) - np.mean(false > threshold))


def _area(true: Floats, false: Floats) -> float:
    below, not_above = (np.searchsorted(false, true, side=side).sum() for side in ("left", "right"))
    return float(below + not_above) / (2.0 * len(true) * len(false))


def _sample(true: Floats, false: Floats, rng: np.random.Generator) -> tuple[float, float, float]:
    """Threshold and area of one sample, and J of its threshold on what it left out."""
    drawn = [rng.integers(len(side), size=len(side)) for side in (true, false)]
    own, unverified = (np.sort(side[at]) for side, at in zip((true, false), drawn, strict=True))
    bound = _best(own, unverified)
    remaining, rest = (np.delete(side, at) for side, at in zip((true, false), drawn, strict=True))
    outside = _youden(remaining, rest, bound) if len(remaining) and len(rest) else np.nan
    return bound, _area(own, unverified), outside


def _interval(drawn: Floats) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0]).tolist()
    return low, high
