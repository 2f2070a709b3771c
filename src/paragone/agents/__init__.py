"""Agents: ratings, calibration, relationships and tests of strength (document A). The façade is ``EloSystem``.

What it does is in the modules beside it, one a concept; ``system/`` has its methods by theme. All evidence is in the
ledger, under its audit, replay and rollback; the maths is in ``ratings`` and ``analysis``.
"""

from paragone.agents.caches import Lifetimes
from paragone.agents.calibration_tracker import CalibrationTracker, LedgerCalibration
from paragone.agents.elo_system import EloSystem
from paragone.agents.imports import ImportedDebates, import_debates
from paragone.agents.literal_formulas import LiteralFormulaWarning
from paragone.agents.rating import AgentRating

__all__ = [
    "AgentRating",
    "CalibrationTracker",
    "EloSystem",
    "ImportedDebates",
    "LedgerCalibration",
    "Lifetimes",
    "LiteralFormulaWarning",
    "import_debates",
]
