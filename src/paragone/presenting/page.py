"""A report as one HTML page: it needs no other file and no network, and treats no text in it as code.

Three things keep untrusted texts harmless, each by itself: every text is escaped where it stands, and figures are JSON
without a single ``<``; the page's own policy runs no script but the two of this page, by their hashes, and fetches
nothing; and characters that cannot be seen are taken out.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from paragone import extras
from paragone.domain.text import harmless, visible
from paragone.presenting.figures import TEMPLATES, Figure
from paragone.presenting.table import Cell, Table


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """A figure in its place.

    Attributes:
        id: Its name on the page.
        section: The section that it belongs to.
        title: Its title.
        note: How to read it.
        figure: The figure.
        half: Whether two of its kind stand side by side where there is room.
    """

    id: str
    section: str
    title: str
    note: str
    figure: Figure
    half: bool = False


@cache
def plotly_js() -> str:
    """The library that draws, as the package plotly brings it.

    Raises:
        MissingExtra: If plotly is not installed.
    """
    instead = ", or write the report as .json or .csv"
    with extras.importing("the charts of an HTML report need", "plotly", instead=instead):
        folder = files("plotly")
    return folder.joinpath("package_data", "plotly.min.js").read_text("utf-8")


def page_js() -> str:
    """The page's own script: it draws figures when they scroll into view, and sorts tables."""
    return files("paragone.presenting").joinpath("templates", "page.js").read_text("utf-8")


def embedded(charts: Sequence[Chart]) -> str:
    """The figures as JSON in a page: characters that could end the element, or begin another, are escaped."""
    data = {"figures": {chart.id: chart.figure for chart in charts}, "templates": TEMPLATES}
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
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


Sentence = tuple[str, str]
"""A topic and a sentence. The topic ``Beware`` is highlighted. Both may contain untrusted names."""


def were(count: int) -> str:
    """``was`` or ``were``."""
    return "was" if count == 1 else "were"


def have(count: int) -> str:
    """``has`` or ``have``."""
    return "has" if count == 1 else "have"


def others(count: int) -> str:
    """Where the rows are that a table leaves out; empty if it leaves out none."""
    if count <= 0:
        return ""
    subject = "The other one is" if count == 1 else f"The other {count:,} are"
    return f" {subject} in the JSON and CSV reports."


def enumerated(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are."""
    listed, remaining = list(names[:most]), len(names) - most
    if remaining > 0:
        return f"{', '.join(listed)} and {remaining:,} more"
    return " and ".join(part for part in (", ".join(listed[:-1]), *listed[-1:]) if part)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Page:
    """The content of a page; its texts are untrusted.

    Attributes:
        kind: What it is, in a word or two.
        title: Its title.
        about: A line below it; empty for none.
        at: As of when.
        tiles: The headline numbers with their names.
        summary: The most important findings, in sentences.
        sections: Ids of the sections with their names, in the order of the page; empty ones are left out.
        charts: The figures, in the order of the page.
        tables: The tables; in each section they stand below its charts.
    """

    kind: str
    title: str
    about: str = ""
    at: datetime
    tiles: tuple[tuple[str, str], ...]
    summary: tuple[Sentence, ...]
    sections: Mapping[str, str]
    charts: tuple[Chart, ...]
    tables: tuple[Table[Any], ...]


def as_html(page: Page) -> str:
    """The page.

    Raises:
        MissingExtra: If plotly is not installed.
    """
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    library, script = plotly_js(), page_js()
    filled = sections_of(page)
    pages = Environment(loader=PackageLoader("paragone.presenting"), autoescape=True, finalize=shown)
    return pages.get_template("page.html").render(
        policy=policy(library, script),
        kind=page.kind,
        title=visible(page.title),
        about=visible(page.about),
        at=page.at.strftime("%d %B %Y, %H:%M UTC"),
        contents=[("summary", "Summary"), *((section["id"], section["name"]) for section in filled)],
        tiles=page.tiles,
        summary=[(about, visible(sentence)) for about, sentence in page.summary],
        sections=filled,
        version=version("paragone"),
        typeset=typeset,
        # All of it is ours, or JSON without a "<": nothing here can end its element.
        data=Markup(embedded(page.charts)),  # noqa: S704
        plotly=Markup(library),  # noqa: S704
        script=Markup(script),  # noqa: S704
    )


def shown(value: object) -> object:
    """A value as a page shows it: text without invisible characters. Markup is the page's own and stays unchanged."""
    return harmless(value) if type(value) is str else value


def typeset(cell: Cell) -> str:
    """A cell's text; in numbers a hyphen becomes a minus sign, or a dash between two of them."""
    return _MINUS.sub("\N{MINUS SIGN}", _RANGE.sub("\N{EN DASH}", cell.text)) if cell.style == "n" else cell.text


_RANGE, _MINUS = re.compile(r"(?<=\d)-(?=\d)"), re.compile(r"-(?=[\d.])")


def sections_of(page: Page) -> list[dict[str, Any]]:
    """The sections of a page that have anything: each an id, a name, charts and tables."""
    sections = [_section(page, id) for id in page.sections]
    return [section for section in sections if section["charts"] or section["tables"]]


def _section(page: Page, id: str) -> dict[str, Any]:
    return {
        "id": id,
        "name": page.sections[id],
        "charts": [chart for chart in page.charts if chart.section == id],
        "tables": [table for table in page.tables if table.section == id and table.rows],
    }
