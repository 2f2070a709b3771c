"""The formats that a report is written in, each by the ending of its file."""

from pathlib import Path

from paragone.errors import InvalidConfig
from paragone.page.saving import require_writable
from paragone.page.scripts import plotly_js

FORMATS = (".html", ".json", ".csv")


def require_report_file(path: Path) -> None:
    """Refuse the file of a report that could not be written, before anything is worked out.

    Raises:
        InvalidConfig: If its ending names no format.
        Unwritable: If its folder does not exist or may not be written.
        MissingExtra: If it is HTML and plotly is not installed.
    """
    if path.suffix.lower() not in FORMATS:
        raise InvalidConfig(f"{path}: a report is written as {', '.join(FORMATS)}; end the name in one of these")
    require_writable(path)
    if path.suffix.lower() == ".html":
        plotly_js()
