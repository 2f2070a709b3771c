"""The report of a tournament: the content of its page, and the files that it can be downloaded as."""

import io
import zipfile
from collections.abc import Mapping
from tempfile import TemporaryDirectory
from typing import Literal

from paragone.presenting.files import as_csv
from paragone.presenting.page import Page
from paragone.presenting.publishing import publish
from paragone.presenting.tournament_report import as_html, as_json, leaderboard_of, page_of
from paragone.tournaments.report import gather
from paragone.tournaments.report.gathering import TournamentReport
from paragone.web.readers.ledger_reader import PATIENCE, LedgerReader
from paragone.web.views.what_if import turn

ReportFormat = Literal["html", "json", "csv", "zip"]
TYPES: Mapping[ReportFormat, str] = {
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "zip": "application/zip",
}
"""Media types."""


def report_page(reader: LedgerReader, pool: str) -> tuple[Page | None, bool]:
    """The content of the report's page, None before it was made once; and whether a newer one is being made.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
    """
    reader.require_small(pool)
    snapshot, pending = reader.newest("report", pool, lambda: page_of(_gathered(reader, pool)), PATIENCE)
    return None if snapshot is None else snapshot.value, pending


def report_file(reader: LedgerReader, pool: str, format: ReportFormat) -> str | bytes:
    """The report as a file.

    Raises:
        NotFound: If there is no such tournament.
        InvalidConfig: If it is too large.
        Busy: If others ask for such files.
    """
    reader.require_small(pool)
    with turn():
        report = _gathered(reader, pool)
        if format == "html":
            return as_html(report)
        if format == "zip":
            return _site(report)
        return as_json(report) if format == "json" else as_csv(leaderboard_of(report))


_LEVEL = 4
"""How hard a zip is packed: in half the time of the usual 6, with 4 % more bytes."""


def _site(report: TournamentReport) -> bytes:
    """The folder that ``paragone publish`` writes, as a zip."""
    packed = io.BytesIO()
    with (
        TemporaryDirectory(prefix="paragone-") as folder,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as site,
    ):
        for file in publish(report, folder):
            site.write(file, file.name)
    return packed.getvalue()


def _gathered(reader: LedgerReader, pool: str) -> TournamentReport:
    """The contents, gathered once for the page and all formats until the next write."""
    return reader.kept("report contents", pool, lambda: gather(reader.ledger, reader.state(pool)))
