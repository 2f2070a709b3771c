"""What is told of a store: measures of success, and the dashboard.

``dashboard`` gathers once; ``dashboard_charts``, ``dashboard_tables`` and ``dashboard_wording`` only read what it
gathered, ``dashboard_page`` lays it out and writes it. ``courses`` reads from the logs how content came to its rating.
"""

from paragone.memory.report.dashboard import TOP, Dashboard, Pool, echoes, gather, histories, pool
from paragone.memory.report.dashboard_page import as_html, require_dashboard_file, values_of, write

__all__ = [
    "TOP",
    "Dashboard",
    "Pool",
    "as_html",
    "echoes",
    "gather",
    "histories",
    "pool",
    "require_dashboard_file",
    "values_of",
    "write",
]
