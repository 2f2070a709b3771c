"""The dashboard as one HTML page or as JSON; ``paragone.presenting.page`` lays the page out."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paragone.analysis.content import EchoChamber, sizes
from paragone.memory.archive import ArchiveLine
from paragone.memory.dashboard import TOP, ContentPool, Dashboard
from paragone.memory.scores import ContentRating
from paragone.presenting.files import as_json, require_report_file, write_report
from paragone.presenting.memory_dashboard.charts import charts
from paragone.presenting.memory_dashboard.summary import summary, tiles
from paragone.presenting.memory_dashboard.tables import tables
from paragone.presenting.page import Page
from paragone.presenting.page import as_html as page_as_html
from paragone.wire.value import shallow

SECTIONS: Mapping[str, str] = {
    "quadrants": "Truth and use",
    "echoes": "Echo chambers",
    "tiers": "Tiers",
    "top": "Top content",
    "unknown": "R unknown",
    "metrics": "Measures",
    "pruned": "Pruning",
    "method": "How it was made",
}
"""Names of the sections, in the order of the page."""


def as_html(board: Dashboard, *, top: int = TOP) -> str:
    """The dashboard as a page that needs no other file and no network.

    Args:
        board: The dashboard.
        top: Pieces of content in a table at most.

    Raises:
        MissingExtra: If plotly is not installed.
    """
    page = Page(
        kind="Memory",
        title=board.root.name or str(board.root),
        at=board.at,
        tiles=tiles(board),
        summary=summary(board),
        sections=SECTIONS,
        charts=charts(board),
        tables=tables(board, top=top),
    )
    return page_as_html(page)


def values_of(board: Dashboard, *, top: int = TOP) -> dict[str, Any]:
    """The dashboard as plain JSON values; numbers are not rounded.

    Args:
        board: The dashboard.
        top: Pieces of content in a list at most.
    """
    return {
        "root": str(board.root),
        "at": board.at.isoformat(),
        "summary": [{"about": about, "sentence": sentence} for about, sentence in summary(board)],
        "pools": {str(kind): _pool(pool, top) for kind, pool in board.pools.items()},
        "metrics": [_without(shallow(measure), "series") for measure in board.measures.measures],
        "archived": [_gone(line) for line in board.archived[:top]],
    }


def write(board: Dashboard, path: str | os.PathLike[str], *, top: int = TOP) -> None:
    """Write the dashboard whole or not at all: ``.html`` to read, ``.json`` for programs.

    Args:
        board: The dashboard.
        path: The file.
        top: Pieces of content in a table at most.

    Raises:
        InvalidConfig: If the ending names neither.
        Unwritable: If the file cannot be written.
        MissingExtra: If it is HTML, and plotly is not installed.
    """
    formats = {".html": lambda: as_html(board, top=top), ".json": lambda: as_json(values_of(board, top=top))}
    write_report(path, formats, "a dashboard is")


def require_dashboard_file(path: Path) -> None:
    """Refuse a file that could not be written, before anything is gathered; see ``require_report_file``."""
    require_report_file(path, (".html", ".json"), "a dashboard is")


def _pool(pool: ContentPool, top: int) -> dict[str, Any]:
    return {
        "count": len(pool.ratings),
        "used": pool.used,
        "r_unknown": pool.unknown,
        "quadrants": {str(where): count for where, count in sizes(pool.quadrants).items()},
        "tiers": {str(tier): counts.total() for tier, counts in pool.tiers().items()},
        "echo_chambers": [_echo(echo) for echo in pool.echoes[:top]],
        "top": [
            {**_rated(rating), "quadrant": str(where)}
            for rating, where in zip(pool.ratings[:top], pool.quadrants[:top], strict=True)
        ],
    }


def _echo(echo: EchoChamber) -> dict[str, Any]:
    usage = echo.usage
    return {
        "entity_type": str(usage.content.kind),
        "entity_id": usage.content.id,
        **{name: getattr(usage, name) for name in ("rating", "r", "uses", "shown", "queries", "gained", "by_search")},
        "users": dict(usage.users),
        **{name: getattr(echo, name) for name in ("share", "top_user", "top_share", "searched", "repeated")},
        "why": list(echo.why),
    }


def _rated(rating: ContentRating) -> dict[str, Any]:
    return {
        "entity_id": rating.content.id,
        **{name: getattr(rating, name) for name in ("elo", "need", "uses", "last_use", "r", "is_high", "pinned")},
        "r_source": str(rating.r_source) if rating.r_source else None,
    }


def _gone(line: ArchiveLine) -> dict[str, Any]:
    return {name: getattr(line, name) for name in ("path", "timestamp", "reason", "size", "elo", "uses", "r")}


def _without(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}
