"""``paragone plugins``: what other packages add, and what is wrong with those that cannot be used."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from paragone.cli import options
from paragone.domain.text import visible
from paragone.presenting.table import Table, table, text

if TYPE_CHECKING:
    from paragone.plugins import PluginReport


def plugins(output: options.Output) -> None:
    """List the plugins that are installed here. Each is imported to see whether it works."""
    from paragone.presenting.installed_plugins import installed_plugins

    output.show(installed_plugins(), _reports)


def _reports(reports: "tuple[PluginReport, ...]") -> "Iterator[str | Table[Any]]":
    if not reports:
        yield "no plugins are installed; docs/plugins.md says how to write one"
        return
    yield table(
        reports,
        text("adds to", lambda report: report.group.removeprefix("paragone.").replace("_", " ")),
        text("name", lambda report: report.name),
        text("from", lambda report: f"{report.distribution} {report.version}"),
        text("state", lambda report: report.state),
    )
    for report in reports:
        if report.reason:
            yield f"{visible(report.name)} is refused: {visible(report.reason)}"
