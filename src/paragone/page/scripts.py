"""What runs in a page: the library that draws, the page's own script, and the policy that lets nothing else run."""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from paragone.analysis.figures import TEMPLATES
from paragone.errors import MissingExtra
from paragone.page.chart import Chart


@cache
def plotly_js() -> str:
    """The library that draws, as the package plotly brings it.

    Raises:
        MissingExtra: If plotly is not installed.
    """
    try:
        folder = files("plotly")
    except ModuleNotFoundError:
        raise MissingExtra(
            "the charts of an HTML report need the package plotly; install it with: pip install 'paragone[report]', "
            "or write the report as .json or .csv"
        ) from None
    return folder.joinpath("package_data", "plotly.min.js").read_text("utf-8")


def page_js() -> str:
    """The page's own script: it draws figures when they come into sight, and sorts tables."""
    return files("paragone.page").joinpath("templates", "page.js").read_text("utf-8")


def embedded(charts: Sequence[Chart]) -> str:
    """The figures as JSON in a page: what could end the element, or begin another, is written in numbers."""
    told = {"figures": {chart.id: chart.figure for chart in charts}, "templates": TEMPLATES}
    text = json.dumps(told, allow_nan=False, separators=(",", ":"))
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def policy(*scripts: str) -> str:
    """What the browser may do with the page: run these scripts and nothing else, fetch nothing, send nothing."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
        "form-action 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
