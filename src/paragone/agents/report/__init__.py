"""The report on agents: gathered from the ledger once, written as HTML, JSON or CSV.

``gathering`` asks the modules that find something out (``standings``, ``foretelling``, ``testing``). Those that show it
only read a ``Report``: ``wording`` has the summary, ``tables``, ``charts``, ``page`` all three, ``formats`` the files.
"""

from paragone.agents.report.formats import as_csv, as_json, records_of, values_of, write
from paragone.agents.report.gathering import Report, gather
from paragone.agents.report.page import as_html

__all__ = ["Report", "as_csv", "as_html", "as_json", "gather", "records_of", "values_of", "write"]
