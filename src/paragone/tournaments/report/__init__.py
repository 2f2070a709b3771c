"""The report of a tournament: gathered once, written as HTML, JSON or CSV.

``gathering.py`` asks the modules that find something out (``ranking``, ``performance``, ``looks``, ``expenses``,
``effects``, ``happenings``). Those that show it only read a ``Report``: ``wording`` has the summary,
``tables``, ``charts``, ``page`` all three, ``formats`` the files.
"""

from paragone.tournaments.report.formats import as_json, leaderboard_of, values_of, write
from paragone.tournaments.report.gathering import Report, gather
from paragone.tournaments.report.page import as_html
from paragone.tournaments.report.ranking import ranking_report

__all__ = [
    "Report",
    "as_html",
    "as_json",
    "gather",
    "leaderboard_of",
    "ranking_report",
    "values_of",
    "write",
]
