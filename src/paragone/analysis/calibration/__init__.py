"""How well stated confidences match outcomes (A3): the document's measures, and those of a statistician.

``buckets`` and ``score`` are the document's; ``report`` has everything. ``recalibrate`` finds out what stated
confidences are worth.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.analysis.calibration.forecasts import (
        Bucket,
        Corp,
        Forecasts,
        bucket_of,
        buckets,
        ece,
        ece_by_midpoints,
    )
    from paragone.analysis.calibration.recalibration import Recalibrated, recalibrate
    from paragone.analysis.calibration.report import Band, CalibrationReport, CurvePoint, Finding, calibrate
    from paragone.analysis.calibration.scores import LEAST, LogScore, calibration_score, k_multiplier, mean_brier
    from paragone.wire.calibration import Chance, Measure
else:
    __getattr__ = names(
        __name__,
        {
            ".forecasts": "Bucket Corp Forecasts bucket_of buckets ece ece_by_midpoints",
            ".recalibration": "Recalibrated recalibrate",
            ".report": "Band CalibrationReport CurvePoint Finding calibrate",
            ".scores": "LEAST LogScore calibration_score k_multiplier mean_brier",
            "paragone.wire.calibration": "Chance Measure",
        },
    )

__all__ = [
    "LEAST",
    "Band",
    "Bucket",
    "CalibrationReport",
    "Chance",
    "Corp",
    "CurvePoint",
    "Finding",
    "Forecasts",
    "LogScore",
    "Measure",
    "Recalibrated",
    "bucket_of",
    "buckets",
    "calibrate",
    "calibration_score",
    "ece",
    "ece_by_midpoints",
    "k_multiplier",
    "mean_brier",
    "recalibrate",
]
