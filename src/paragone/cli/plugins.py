"""``paragone plugins``: what other packages add, and what is wrong with those that cannot be used."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from paragone.cli import options
from paragone.domain.text import visible
from paragone.presenting.table import Table, table, text

if TYPE_CHECKING:
    from paragone.plugins import PluginReport, Registry


def plugins(output: options.Output) -> None:
    """List the plugins that are installed here. Each is imported to see whether it works."""
    output.show(installed_plugins(), _reports)


def installed_plugins() -> "tuple[PluginReport, ...]":
    """All plugins with the state of each; each is imported to see whether it works."""
    return tuple(report for registry in _registries() for report in registry.reports())


def _registries() -> "tuple[Registry[Any], ...]":
    """Everything that plugins can add to."""
    from paragone.intake.table_files import READERS
    from paragone.judges.spec import JUDGES
    from paragone.presenting.board_files import FORMATS
    from paragone.presenting.tournament_report.files import MORE_SECTIONS
    from paragone.similarity.embedders import EMBEDDERS
    from paragone.tournaments.pairing_registry import PAIRINGS

    return (JUDGES, PAIRINGS, EMBEDDERS, READERS, FORMATS, MORE_SECTIONS)


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
