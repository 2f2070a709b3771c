"""The dashboard of a memory as HTML or JSON; ``paragone.memory.dashboard`` gathers its data."""

from paragone.presenting.memory_dashboard.files import as_html, require_dashboard_file, values_of, write
from paragone.presenting.memory_dashboard.summary import summary, tiles

__all__ = ["as_html", "require_dashboard_file", "summary", "tiles", "values_of", "write"]
