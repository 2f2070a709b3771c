"""What the use and the truth of content say, as plain values: R, thresholds, quadrants and echo chambers. Pure."""

from paragone.analysis.content.convergence import (
    Efficiency,
    RankedFile,
    RatingMove,
    SettledCount,
    convergence,
    efficiency,
)
from paragone.analysis.content.evidence_agreement import (
    SAME_CLAIM,
    Checked,
    EvidenceAgreement,
    ThresholdCalibration,
    agreement,
    calibrate,
    verification,
)
from paragone.analysis.content.prequential import ModelScore, SessionScore, Surprise, compare, ranked
from paragone.analysis.content.quadrants import (
    MEANINGS,
    ContentUsage,
    EchoChamber,
    Meaning,
    echo_chambers,
    quadrant,
    sizes,
)

__all__ = [
    "MEANINGS",
    "SAME_CLAIM",
    "Checked",
    "ContentUsage",
    "EchoChamber",
    "Efficiency",
    "EvidenceAgreement",
    "Meaning",
    "ModelScore",
    "RankedFile",
    "RatingMove",
    "SessionScore",
    "SettledCount",
    "Surprise",
    "ThresholdCalibration",
    "agreement",
    "calibrate",
    "compare",
    "convergence",
    "echo_chambers",
    "efficiency",
    "quadrant",
    "ranked",
    "sizes",
    "verification",
]
