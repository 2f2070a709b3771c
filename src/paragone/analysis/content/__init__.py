"""What use and truth of content say, as plain values: R, thresholds, quadrants and echo chambers. Pure."""

from paragone.analysis.content.agreement import Agreement, agreement
from paragone.analysis.content.convergence import Moved, Settled, convergence
from paragone.analysis.content.echo import Course, EchoChamber, echo_chambers
from paragone.analysis.content.efficiency import Efficiency, Ranked, efficiency
from paragone.analysis.content.foretelling import Estimate, Foretelling, compare
from paragone.analysis.content.prequential import SessionScore, Surprise, ranked
from paragone.analysis.content.quadrants import MEANINGS, Meaning, quadrant, sizes
from paragone.analysis.content.threshold import Calibration, calibrate
from paragone.analysis.content.verification import Checked, verification

__all__ = [
    "MEANINGS",
    "Agreement",
    "Calibration",
    "Checked",
    "Course",
    "EchoChamber",
    "Efficiency",
    "Estimate",
    "Foretelling",
    "Meaning",
    "Moved",
    "Ranked",
    "SessionScore",
    "Settled",
    "Surprise",
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
