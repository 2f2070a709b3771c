"""CORP: the Brier score in parts, by the best recalibration that keeps the order of the confidences."""

from dataclasses import dataclass

import numpy as np

from paragone.analysis.calibration.forecasts import Floats, Forecasts
from paragone.errors import MissingExtra


@dataclass(frozen=True, kw_only=True, slots=True)
class Corp:
    """The Brier score as miscalibration - discrimination + uncertainty, and the recalibration that it rests on.

    Attributes:
        miscalibration: What recalibrating would take off the score; 0 or more, also by chance.
        discrimination: What the recalibrated confidences are better by than the accuracy said of every one.
        uncertainty: Brier score of that: accuracy x (1 - accuracy).
        confidence: Confidences at the corners of the recalibration, rising.
        recalibrated: What they are worth; between two corners lies a straight line.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float
    confidence: tuple[float, ...]
    recalibrated: tuple[float, ...]

    @property
    def brier(self) -> float:
        """The score: the sum of its parts."""
        return self.miscalibration - self.discrimination + self.uncertainty

    def worth(self, confidence: float) -> float:
        """What a confidence is worth, recalibrated; beyond all that were said, as much as the nearest.

        Without predictions it is worth what it says.
        """
        return confidence if not self.confidence else float(np.interp(confidence, self.confidence, self.recalibrated))


def corp(forecasts: Forecasts) -> Corp:
    """Take the Brier score apart.

    Args:
        forecasts: One or more.

    Raises:
        MissingExtra: If scikit-learn is not installed.

    Source: T. Dimitriadis, T. Gneiting, A. I. Jordan, "Stable reliability diagrams for probabilistic classifiers",
        PNAS 2021.
    """
    require_isotonic()
    from sklearn.isotonic import IsotonicRegression

    isotonic = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
    worth: Floats = isotonic.fit_transform(forecasts.confidence, forecasts.correct)
    score = float(forecasts.brier.mean())
    recalibrated = float(((worth - forecasts.correct) ** 2).mean())
    base = forecasts.accuracy * (1 - forecasts.accuracy)
    return Corp(
        miscalibration=score - recalibrated,
        discrimination=base - recalibrated,
        uncertainty=base,
        confidence=tuple(isotonic.X_thresholds_.tolist()),
        recalibrated=tuple(isotonic.y_thresholds_.tolist()),
    )


def require_isotonic() -> None:
    """See that scikit-learn is there.

    Raises:
        MissingExtra: If it is not.
    """
    try:
        import sklearn.isotonic  # noqa: F401 - only whether it is there
    except ImportError:
        raise MissingExtra(
            "a calibration report needs the package scikit-learn; install it with: pip install 'paragone[report]'"
        ) from None
