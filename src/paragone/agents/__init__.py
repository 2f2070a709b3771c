"""Agents: ratings, calibration, relationships and tests of strength (document A). The façade is ``EloSystem``.

It inherits its methods, by theme, from the classes in ``debates``, ``boards``, ``predictions``, ``relationships``,
``strength_tests`` and ``evidence``. All evidence is in the ledger, under its audit, replay and rollback; the maths is
in ``ratings`` and ``analysis``.
"""

from paragone.agents.agent_pool import Lifetimes
from paragone.agents.boards import AgentRating
from paragone.agents.elo_system import EloSystem
from paragone.agents.imports import ImportedDebates, import_debates
from paragone.agents.literal_formulas import LiteralFormulaWarning
from paragone.agents.predictions import CalibrationTracker, LedgerCalibration

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
