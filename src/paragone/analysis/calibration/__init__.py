"""How well stated confidences match outcomes: Aragora's measures, and those of a statistician.

``buckets`` and ``score`` are Aragora's; ``report`` has everything. ``recalibrate`` finds out what stated
confidences are worth.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.analysis.calibration.forecasts import (
        Bucket,
        Corp,
        ResolvedForecasts,
        bucket_of,
        buckets,
        ece,
        ece_by_midpoints,
    )
    from paragone.analysis.calibration.recalibration import Recalibrated, recalibrate
    from paragone.analysis.calibration.report import (
        CalibrationFinding,
        CalibrationReport,
        ChanceBand,
        CurvePoint,
        calibrate,
    )
    from paragone.analysis.calibration.scores import LEAST, LogScore, calibration_score, k_multiplier
    from paragone.wire.calibration import Chance, Measure
else:
    __getattr__ = names(
        __name__,
        {
            ".forecasts": "Bucket Corp ResolvedForecasts bucket_of buckets ece ece_by_midpoints",
            ".recalibration": "Recalibrated recalibrate",
            ".report": "ChanceBand CalibrationReport CurvePoint CalibrationFinding calibrate",
            ".scores": "LEAST LogScore calibration_score k_multiplier",
            "paragone.wire.calibration": "Chance Measure",
        },
    )

__all__ = [
    "LEAST",
    "Bucket",
    "CalibrationFinding",
    "CalibrationReport",
    "Chance",
    "ChanceBand",
    "Corp",
    "CurvePoint",
    "LogScore",
    "Measure",
    "Recalibrated",
    "ResolvedForecasts",
    "bucket_of",
    "buckets",
    "calibrate",
    "calibration_score",
    "ece",
    "ece_by_midpoints",
    "k_multiplier",
    "recalibrate",
]
