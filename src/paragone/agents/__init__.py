"""Agents: ratings, calibration, relationships and tests of strength, as Aragora has them. The façade is ``EloSystem``.

It inherits its methods, by theme, from the classes in ``debates``, ``boards``, ``predictions``, ``agent_forecasts``,
``relationships``, ``strength_tests`` and ``evidence``. All evidence is in the ledger, under its audit, replay and
rollback; the maths is in ``ratings`` and ``analysis``.
"""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.agents.agent_pool import Lifetimes
    from paragone.agents.elo_system import EloSystem
    from paragone.agents.formula_warnings import LiteralFormulaWarning
    from paragone.agents.imports import ImportedDebates, import_debates
    from paragone.agents.leaderboards import AgentRating
    from paragone.agents.predictions import CalibrationTracker, LedgerCalibration
else:
    __getattr__ = names(
        __name__,
        {
            ".agent_pool": "Lifetimes",
            ".leaderboards": "AgentRating",
            ".elo_system": "EloSystem",
            ".imports": "ImportedDebates import_debates",
            ".formula_warnings": "LiteralFormulaWarning",
            ".predictions": "CalibrationTracker LedgerCalibration",
        },
    )

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
