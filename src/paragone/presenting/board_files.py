"""A board as a file: JSON, CSV, one self-contained HTML page, or a picture."""

import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from paragone.domain import Board
from paragone.domain.text import visible
from paragone.errors import InvalidConfig, ParagoneError
from paragone.plugins import Registry, require_callable
from paragone.presenting.board_page import as_html
from paragone.presenting.files import as_csv as records_as_csv
from paragone.presenting.files import as_json as values_as_json
from paragone.presenting.files import require_format, save
from paragone.presenting.plot_backends import matplotlib_figures
from paragone.presenting.plots import together

COLUMNS = (
    "rank",
    "id",
    "rating",
    "low",
    "high",
    "rank_low",
    "rank_high",
    "elo",
    "wins",
    "losses",
    "ties",
    "matches",
    "text",
)


def as_json(board: Board) -> str:
    """The board as one JSON object; numbers are not rounded."""
    return values_as_json(board.as_dict())


def as_csv(board: Board) -> str:
    """The rows of the board, best first, under a header; texts that a spreadsheet would compute begin with ``'``."""
    return records_as_csv([{**asdict(row), "text": visible(row.text)} for row in board.items], COLUMNS)


def _of_plugin(ending: str, export: object) -> Callable[[Board], str]:
    require_callable(ending, export)

    def exporter(board: Board) -> str:
        try:
            written = export(board)  # type: ignore[operator]
        except ParagoneError:
            raise
        except Exception as error:  # a plugin may raise anything
            raise InvalidConfig(
                f"the plugin for .{ending} files cannot write this board ({type(error).__name__}: {error})"
            ) from error
        if not isinstance(written, str):
            raise InvalidConfig(f"the plugin for .{ending} files returned {type(written).__name__}, not a text")
        return written

    return exporter


FORMATS: Registry[Callable[[Board], str]] = Registry(
    "exporters", {".json": as_json, ".csv": as_csv, ".html": as_html}, _of_plugin, prefix="."
)
"""The function that makes the text of a board's file, by the file's ending."""
PLOTS: dict[str, Callable[[Board], str | bytes]] = {
    ".svg": together,
    ".png": lambda board: matplotlib_figures().as_png(board),
    ".html": lambda board: as_html(board, with_plots=True),
}
"""How plots are written: as a picture, or below the board on its page."""


def check(path: Path) -> None:
    """Refuse a file that could not be written, before anything is spent.

    Raises:
        InvalidConfig: If its ending names no format.
        Unwritable: If its folder does not exist or may not be written.
    """
    require_format(path, FORMATS, "a board is")


def write(board: Board, path: str | os.PathLike[str]) -> None:
    """Write a board whole or not at all, in the format that the file's ending names.

    Raises:
        InvalidConfig: If the ending names no format.
        Unwritable: If the file cannot be written.
    """
    target = Path(path)
    check(target)
    save(FORMATS[target.suffix.lower()](board), target)


def check_plots(path: Path) -> None:
    """Refuse a file that plots could not be written to; errors as of ``check``.

    Raises:
        MissingExtra: If it is a PNG and matplotlib is not installed.
    """
    require_format(path, PLOTS, "plots are")
    if path.suffix.lower() == ".png":
        matplotlib_figures()


def write_plots(board: Board, path: str | os.PathLike[str]) -> None:
    """Draw ratings with intervals, ratings by slice, and win rates, as far as the board has them.

    Raises:
        InvalidConfig: If the file's ending is neither ``.svg``, ``.png`` nor ``.html``.
        Unwritable: If the file cannot be written.
        MissingExtra: If it is a PNG and matplotlib is not installed.
    """
    target = Path(path)
    check_plots(target)
    save(PLOTS[target.suffix.lower()](board), target)
