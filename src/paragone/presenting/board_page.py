"""A board as one self-contained HTML page without a script; and as a folder of such pages, one for each slice."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paragone.domain import Board, Slice, SliceRow
from paragone.errors import Unwritable
from paragone.presenting.board_facts import facts, slice_facts, slice_line
from paragone.presenting.board_tables import BETWEEN, ranked_items, ranks, rates, sliced, span
from paragone.presenting.files import save
from paragone.presenting.page import shown
from paragone.presenting.plots import Plot, plots
from paragone.presenting.table import Column, Table, item, number, numbers

INDEX, MARK = "index.html", '<meta name="generator" content="paragone site">'
"""The first page of a site, and what tells it from other people's pages."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """A page of a site.

    Attributes:
        name: What it is called; untrusted.
        file: Its file; empty for the page that the link stands on.
    """

    name: str
    file: str


def as_html(board: Board, *, with_plots: bool = False, links: Sequence[Link] = ()) -> str:
    """The board as one page that needs no other file and no script.

    Args:
        board: The board.
        with_plots: Whether to draw ratings, slices and win rates, in place of tables of these.
        links: Other pages of its site.
    """
    tables = () if with_plots else (sliced(board), rates(board))
    leaning = "" if board.identified else " The evidence does not yet fix the scale: strengths lean on the prior."
    return _page(
        title=board.tournament or "Ranking",
        note=f"{len(board.items)} items, ranked by strength; bars show the {board.level:.0%} interval.{leaning}",
        facts=facts(board),
        ranking=ranked_items(board),
        ends=[(row.low, row.rating, row.high) for row in board.items],
        tables=[table for table in tables if table.rows],
        plots=plots(board) if with_plots else (),
        links=links,
    )


def slice_as_html(board: Board, part: Slice, links: Sequence[Link] = ()) -> str:
    """The board of a slice as such a page."""
    by = "" if board.slices is None else board.slices.by
    return _page(
        title=f"{by}: {part.name}",
        note=f"{part.votes:,} of the votes; bars show the {board.level:.0%} interval. A strength is drawn to what all "
        "slices have in common as far as the votes say.",
        facts=[*slice_facts(board)[:1], slice_line(by, part)],
        ranking=_ranked_slice(board, part),
        ends=[(row.low, row.rating, row.high) for row in part.rows],
        tables=(),
        plots=(),
        links=links,
    )


def _ranked_slice(board: Board, part: Slice) -> Table[SliceRow]:
    texts = {row.id: row.text for row in board.items}
    columns: tuple[Column[Any], ...] = (
        ranks(part.rows),
        BETWEEN,
        number("strength", lambda row: row.rating, ".0f"),
        numbers(f"{board.level:.0%} interval", lambda row: span(row.low, row.high)),
        numbers("against the whole", _apart),
        number("votes", lambda row: row.votes),
        item("item", lambda row: (row.id, texts[row.id])),
    )
    return Table(columns=columns, rows=part.rows)


def _apart(row: SliceRow) -> str:
    return f"{row.apart:+z.0f} ({row.apart_low:+z.0f} to {row.apart_high:+z.0f})"


def _page(
    *, ranking: Table[Any], ends: Sequence[tuple[float, float, float]], plots: Sequence[Plot], **values: object
) -> str:
    """A page with a ranking.

    Args:
        ranking: Its table.
        ends: Lower end, rating and upper end of each row.
        plots: Plots below it.
        values: Title, note, facts, tables and links.
    """
    from jinja2 import Environment, PackageLoader
    from markupsafe import Markup

    pages = Environment(loader=PackageLoader("paragone.presenting"), autoescape=True, finalize=shown)
    low, high = min(row[0] for row in ends), max(row[2] for row in ends)
    width = (high - low) or 1.0

    def share(points: float) -> float:
        return round(100 * (points - low) / width, 2)

    bars = [
        {"low": share(least), "width": round(share(most) - share(least), 2), "mark": min(99.2, share(rating))}
        for least, rating, most in ends
    ]
    return pages.get_template("board_page.html").render(
        ranking=ranking,
        lines=list(zip(ranking.lines, bars, strict=True)),
        low=f"{low:.0f}",
        high=f"{high:.0f}",
        centre=share(sum(rating for _, rating, _ in ends) / len(ends)),
        # Every text in a plot is escaped where it is written, and the mark is ours.
        drawings=[(plot, Markup(plot.inline)) for plot in plots],  # noqa: S704
        generator=Markup(MARK),  # noqa: S704
        **values,
    )


def write_site(board: Board, folder: str | os.PathLike[str], *, more: Sequence[Link] = ()) -> tuple[Path, ...]:
    """Write the board as a folder of pages that a browser opens without a server: one for all, and one for each slice.

    Args:
        board: The board.
        folder: A new folder, an empty one, or that of an earlier site, whose pages are replaced.
        more: Other files of the site, which its pages link to.

    Returns:
        The pages, the first of them the index.

    Raises:
        Unwritable: If the folder holds something else, or cannot be written.
    """
    target = Path(folder)
    check_site(target)
    parts = () if board.slices is None else board.slices.slices
    names = [INDEX, *(f"slice-{at:02}.html" for at in range(1, len(parts) + 1))]
    titles = ["All votes", *(part.name for part in parts)]

    def links(own: int) -> list[Link]:
        files = ["" if at == own else name for at, name in enumerate(names)]
        boards = [Link(name=title, file=file) for title, file in zip(titles, files, strict=True)]
        return [*boards, *more] if parts or more else []

    pages = [as_html(board, with_plots=True, links=links(0))]
    pages += [slice_as_html(board, part, links(at)) for at, part in enumerate(parts, 1)]
    try:
        target.mkdir(exist_ok=True)
        for stale in set(target.glob("slice-*.html")) - {target / name for name in names}:
            stale.unlink()
    except OSError as error:
        raise Unwritable(f"{target} cannot be written: {error.strerror}") from error
    for name, page in reversed(list(zip(names, pages, strict=True))):  # the index last: its links are there then
        save(page, target / name)
    return tuple(target / name for name in names)


def check_site(folder: Path) -> None:
    """Refuse a folder that a site could not be written to, before anything is computed.

    Raises:
        Unwritable: If it holds something else than an earlier site, or cannot be written.
    """
    if not folder.exists():
        parent = folder.absolute().parent
        if not parent.is_dir() or not os.access(parent, os.W_OK):
            raise Unwritable(f"{folder} cannot be written: the folder that it is to be in must exist and be writable")
        return
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise Unwritable(f"{folder} cannot be written: a site is a folder")
    index = folder / INDEX
    is_site = index.is_file() and MARK in index.read_text("utf-8", errors="replace")[:2000]
    if any(folder.iterdir()) and not is_site:
        raise Unwritable(f"{folder} holds files that are not an earlier site: name a new folder, or an empty one")
