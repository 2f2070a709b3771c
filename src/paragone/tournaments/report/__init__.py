"""The contents of a report on a tournament, gathered from the ledger once.

``paragone.presenting.tournament_report`` shows it.
"""

from paragone.tournaments.report.gathering import Overview, TournamentReport, gather, gather_overview
from paragone.tournaments.report.global_ranking import ranking_report

__all__ = ["Overview", "TournamentReport", "gather", "gather_overview", "ranking_report"]
