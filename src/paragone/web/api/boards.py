"""Boards over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Query

from paragone.web.api.answers import Cursor, Limit, refusals
from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Reader
from paragone.web.views import boards as views
from paragone.web.views.boards import BoardQuery
from paragone.web.views.links import PoolId
from paragone.wire.board import Board, BoardRanking, SortColumn

router = APIRouter(prefix="/pools", tags=["boards"], responses=refusals(404))

Search = Annotated[str, Query(max_length=200, description="Only items with this in their id or text.")]


@router.get("/{pool}/board")
def get_board(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    by: Annotated[
        BoardRanking, Query(description="Strength, the running Elo, or strength where that is quick.")
    ] = "auto",
    sort: Annotated[SortColumn, Query(description="Column to sort by. A board by Elo has one order.")] = "rank",
    descending: Annotated[bool | None, Query(description="Whether the highest value comes first.")] = None,
    search: Search = "",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Board:
    """A page of the leaderboard. Where `pending` is true, a newer one by strength is being made."""
    query = BoardQuery(by=by, sort=sort, descending=descending, search=search, limit=limit, cursor=cursor)
    return views.board(reader, pool, query)
