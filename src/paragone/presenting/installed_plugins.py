"""The plugins that are installed here, with the state of each."""

from collections.abc import Iterator
from typing import Any

from paragone.plugins import PluginReport, Registry


def registries() -> tuple[Registry[Any], ...]:
    """Everything that plugins can add to."""
    from paragone.intake.table_files import READERS
    from paragone.judges.spec import JUDGES
    from paragone.presenting.board_files import FORMATS
    from paragone.presenting.tournament_report.files import MORE_SECTIONS
    from paragone.similarity.embedders import EMBEDDERS
    from paragone.tournaments.pairing_policies import PAIRINGS

    return (JUDGES, PAIRINGS, EMBEDDERS, READERS, FORMATS, MORE_SECTIONS)


def installed_plugins() -> tuple[PluginReport, ...]:
    """All plugins; each is imported to see whether it works."""
    return tuple(_reports())


def _reports() -> Iterator[PluginReport]:
    for registry in registries():
        yield from registry.reports()
