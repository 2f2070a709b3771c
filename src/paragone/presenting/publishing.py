"""A tournament as a folder that a browser opens without a server: its board, its report, and both as data."""

import os
from pathlib import Path

from paragone.presenting.board_page import Link, check_site, write_site
from paragone.presenting.tournament_report import write
from paragone.tournaments.report.gathering import TournamentReport

FILES = (
    Link(name="TournamentReport", file="report.html"),
    Link(name="All values (JSON)", file="report.json"),
    Link(name="Leaderboard (CSV)", file="leaderboard.csv"),
)
"""What stands beside the board, in the order of its links."""


def publish(report: TournamentReport, folder: str | os.PathLike[str], *, top: int = 100) -> tuple[Path, ...]:
    """Write the board and the report of a tournament as a site.

    Args:
        report: The report.
        folder: A new folder, an empty one, or that of an earlier site, whose pages are replaced.
        top: Items in tables and figures of the report's page at most.

    Returns:
        The files, the first of them the index.

    Raises:
        Unwritable: If the folder holds something else, or cannot be written.
        MissingExtra: If plotly is not installed.
    """
    target = Path(folder)
    check_site(target)
    pages = write_site(report.board, target, more=FILES)
    for file in FILES:
        write(report, target / file.file, top=top)
    return (*pages, *(target / file.file for file in FILES))
