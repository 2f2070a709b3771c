"""The contents of a report on a tournament, gathered from the ledger once.

``paragone.presenting.tournament_report`` shows it.
"""

from paragone.tournaments.report.gathering import Report, gather
from paragone.tournaments.report.standings import ranking_report

__all__ = ["Report", "gather", "ranking_report"]
