"""The report of a tournament as HTML, JSON or CSV; ``paragone.tournaments.report`` gathers it."""

from paragone.presenting.tournament_report.files import as_html, as_json, leaderboard_of, page_of, values_of, write
from paragone.presenting.tournament_report.summary import summary, tiles

__all__ = ["as_html", "as_json", "leaderboard_of", "page_of", "summary", "tiles", "values_of", "write"]
