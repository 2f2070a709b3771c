"""The board of a pool, and the head-to-head table of its first items."""

from dataclasses import replace
from typing import Annotated, cast, get_args

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse

from paragone.domain.text import counted
from paragone.errors import InvalidConfig
from paragone.presenting.board_facts import cautions, side_information
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import as_data, events_url, forecast_tiles, link, number, numbered_pages, page, scale
from paragone.web.parameters import LedgerDep, PageNumber, PoolId
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import board as views
from paragone.web.views import dossiers, pools
from paragone.web.views.board import BoardQuery
from paragone.web.voting.voters import PEOPLE
from paragone.wire.address import pool_url
from paragone.wire.board import Board, BoardRanking, SortColumn
from paragone.wire.pool import Pool

router = APIRouter()
MOST = 50
"""Rows of a page."""
SEARCHED = 200
"""Characters of a search at the most."""
COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("rank", "Rank", "n"),
    ("id", "Item", ""),
    ("rating", "Strength", "n"),
    ("", "Interval", "late span"),
    ("elo", "Elo", "n late"),
    ("wins", "W–L–T", "n late"),
    ("matches", "Matches", "n late"),
    ("", "Form", "late"),
)
"""Columns of a board by strength: sort key, heading and CSS classes."""


@router.get("/pools/{pool}")
def board(
    pool: PoolId,
    reader: LedgerDep,
    who: Reader,
    by: Annotated[BoardRanking, Query()] = "auto",
    sort: Annotated[SortColumn, Query()] = "rank",
    descending: Annotated[bool | None, Query()] = None,
    q: Annotated[str, Query(max_length=SEARCHED)] = "",
    at: PageNumber = 1,
) -> HTMLResponse:
    """A page of the board."""
    skipped = MOST * (at - 1)
    request = BoardQuery(by=by, sort=sort, descending=descending, search=q.strip(), limit=MOST, cursor=skipped)
    about = pools.pool(reader, pool)
    leaderboard = without_guesses(_board(reader, pool, request), about)
    spanned = (
        None if leaderboard.least is None or leaderboard.most is None else scale(leaderboard.least, leaderboard.most)
    )
    parameters = {"by": None if by == "auto" else by, "q": request.search}
    sorted_by = {"sort": None if sort == "rank" else sort, "descending": _flag(descending)}
    url, total = pool_url(pool), views.MOST_FOUND if leaderboard.total is None else leaderboard.total
    return page(
        "board.html",
        section="board",
        who=who,
        pool=about,
        live=events_url(pool),
        data=as_data(
            pool,
            "board",
            "items",
            board=link(f"{url}/board", {**parameters, **sorted_by, "q": None, "search": request.search}),
        ),
        board=leaderboard,
        scale=spanned,
        tiles=_tiles(about, leaderboard),
        headings=_headings(leaderboard, url, parameters, elo=_shows_elo(about, request)),
        shows_elo=_shows_elo(about, request),
        dossier=dossiers.dossier(reader, pool),
        said=[*side_information(leaderboard.side), *_cautions(leaderboard)],
        search=request.search,
        fixed={name: value for name, value in {"by": parameters["by"], **sorted_by}.items() if value is not None},
        pages=numbered_pages(url, at, total, MOST, {**parameters, **sorted_by}),
        most_found=views.MOST_FOUND,
    )


def without_guesses(leaderboard: Board, about: Pool) -> Board:
    """A board without what only the prior says: before the first match its intervals and ranks are draws of it."""
    if about.matches or leaderboard.side is not None or leaderboard.prior is not None:
        return leaderboard
    rows = [replace(row, low=None, high=None, rank_low=None, rank_high=None) for row in leaderboard.rows]
    return replace(leaderboard, rows=rows, least=None, most=None, level=None)


def _board(reader: LedgerReader, pool: str, request: BoardQuery) -> Board:
    """The requested page; in the usual order if the board cannot be sorted so now."""
    try:
        return views.board(reader, pool, request)
    except InvalidConfig as error:
        if error.key != "sort":
            raise
        return views.board(reader, pool, replace(request, sort="rank", descending=None))


def _shows_elo(about: Pool, request: BoardQuery) -> bool:
    """Whether to show the running Elo beside the strength: it misleads if pairs were chosen to be near-even."""
    return about.tournament is None or about.tournament.pairing != "informative" or request.sort == "elo"


def _headings(board: Board, url: str, parameters: dict[str, str | None], *, elo: bool) -> list[dict[str, str]]:
    """The columns, each with its link: to its default order, and from there to the reverse."""
    headings = []
    for sort, name, style in COLUMNS:
        if sort == "elo" and not elo:
            continue
        is_this = board.sort == sort
        usual = BoardQuery(sort=cast("SortColumn", sort)).backwards if sort in get_args(SortColumn) else False
        turned = _flag(not board.descending) if is_this and board.descending == usual else None
        address = link(url, {**parameters, "sort": None if sort == "rank" else sort, "descending": turned})
        order = "descending" if board.descending else "ascending"
        headings.append(
            {"name": name, "style": style, "url": address if sort else "", "order": order if is_this else ""}
        )
    return headings


def _flag(value: bool | None) -> str | None:
    return None if value is None else "true" if value else "false"


def _cautions(board: Board) -> list[tuple[str, str]]:
    return cautions(board.remarks, board.direction, board.prior)


def _tiles(about: Pool, board: Board) -> list[tuple[str, str]]:
    tiles = [("Items", f"{about.items:,}"), ("Matches", f"{about.matches:,}")]
    if about.tournament is not None and about.tournament.judge == PEOPLE:
        spent = about.tournament.spending
        tiles.append(("Answers", number(None if spent is None else spent.decisions)))
    elif about.tournament is not None and about.tournament.spending is not None:
        tiles += about.tournament.spending.tiles()
        if about.tournament.budget is not None:
            tiles.append(("Budget", counted(about.tournament.budget, "decision")))
    if board.forecast is not None:
        tiles += forecast_tiles(board.forecast)
    return tiles


COMPARED = 20
"""Items in the table."""


@router.get("/pools/{pool}/compare")
def compare(pool: PoolId, reader: LedgerDep, who: Reader) -> HTMLResponse:
    """The first of the board against each other."""
    return page(
        "compare.html",
        section="compare",
        who=who,
        pool=pools.pool(reader, pool),
        live=events_url(pool),
        data=as_data(head_to_head=pool_url(pool, "compare")),
        comparison=views.compare(reader, pool, COMPARED),
    )
