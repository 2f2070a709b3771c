"""How well confidences fit what came of them (A3): the document's numbers, and a statistician's beside them.

``buckets`` and ``score`` are the document's and need nothing; ``report`` has everything, and needs scikit-learn.
"""

from paragone.analysis.calibration.buckets import Bucket, bucket_of, buckets, ece, ece_by_midpoints
from paragone.analysis.calibration.chance import Chance
from paragone.analysis.calibration.corp import Corp
from paragone.analysis.calibration.curve import Band, CurvePoint
from paragone.analysis.calibration.forecasts import Forecasts
from paragone.analysis.calibration.log_score import LogScore
from paragone.analysis.calibration.measure import Measure
from paragone.analysis.calibration.report import CalibrationReport, calibrate
from paragone.analysis.calibration.score import LEAST, calibration_score, k_multiplier, mean_brier
from paragone.analysis.calibration.verdict import Finding

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
    "bucket_of",
    "buckets",
    "calibrate",
    "calibration_score",
    "ece",
    "ece_by_midpoints",
    "k_multiplier",
    "mean_brier",
]
