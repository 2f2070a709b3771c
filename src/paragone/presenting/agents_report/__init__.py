"""The report on agents as HTML, JSON or CSV; ``paragone.agents.report`` gathers it."""

from paragone.presenting.agents_report.files import as_csv, as_html, as_json, records_of, values_of, write
from paragone.presenting.agents_report.summary import summary, tiles

__all__ = ["as_csv", "as_html", "as_json", "records_of", "summary", "tiles", "values_of", "write"]
