"""Pools over HTTP: their items, boards, exports and audits."""

import hashlib
from typing import Annotated, Literal

from fastapi import Header, Path, Query, Response
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse

from paragone import domain
from paragone.domain import ItemKind, RatingConfig
from paragone.errors import MissingExtra
from paragone.intake.items import MAX_ID, MAX_TEXT, check_item, checked
from paragone.tournaments.newcomers import join
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.parameters import (
    NOT_MODIFIED,
    Body,
    Cursor,
    ItemId,
    LedgerDep,
    Limit,
    PoolId,
    StorableText,
    Tagged,
    file_of,
)
from paragone.web.problems import refusals
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import board as board_views
from paragone.web.views import exports, items
from paragone.web.views import pools as views
from paragone.web.views.board import BoardQuery
from paragone.web.voting.voters import PEOPLE
from paragone.wire.address import API, pool_url
from paragone.wire.audit import Audit
from paragone.wire.board import Board, BoardRanking, SortColumn
from paragone.wire.item import Item, ItemPage
from paragone.wire.pool import AddedItems, Pool, PoolPage

router = api_router()
_POOL = refusals(404)

Key = Annotated[
    str | None,
    Header(pattern="^[!-~]{1,200}$", description="Names the request, so that it can be repeated safely."),
]
Expected = Annotated[
    list[str] | None,
    Query(description="The hash of a head from an earlier audit; its commit must still be there.", max_length=100),
]


class NewItem(Body):
    """An item to be added.

    Attributes:
        id: Its id within the pool; its text if None.
        text: What judges see.
    """

    id: Annotated[StorableText, Field(min_length=1, max_length=MAX_ID)] | None = None
    text: Annotated[StorableText, Field(min_length=1, max_length=MAX_TEXT)]

    def item(self, kind: ItemKind) -> domain.Item:
        """The item that it describes."""
        return domain.Item(id=self.text if self.id is None else self.id, text=self.text, kind=kind)


class NewPool(Body):
    """A pool for people to vote on.

    Attributes:
        name: What its id begins with.
        criteria: What "better" means, in words.
        items: Its items, two or more.
        judge: ``people``; for other judges see ``/tournaments``.
        top: Settle which items are in the top ``top``; the whole order if None.
        seed: Seed of the pairing; random if None.
        level: Probability of intervals.
    """

    name: Annotated[StorableText, Field(min_length=1, max_length=200)]
    criteria: Annotated[StorableText, Field(min_length=1, max_length=10_000)]
    items: Annotated[list[NewItem], Field(min_length=2)]
    judge: Literal["people"] = "people"
    top: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    level: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95


class NewItems(Body):
    """Items to be added to a pool.

    Attributes:
        items: The items.
    """

    items: Annotated[list[NewItem], Field(min_length=1)]


@router.get("/pools", tags=["pools"], responses=_POOL)
def list_pools(
    reader: LedgerDep,
    who: Reader,
    limit: Limit = 50,
    cursor: Cursor = None,
    archived: Annotated[bool, Query(description="Also list those that were archived or deleted.")] = False,
) -> PoolPage:
    """The pools that the caller may see, the newest first."""
    return views.page(reader, limit=limit, after=cursor, who=who, with_archived=archived)


@router.get("/pools/{pool}", tags=["pools"], responses=_POOL)
def get_pool(pool: PoolId, reader: LedgerDep, _: Reader) -> Pool:
    """One pool: its size, whether it is running, and its cost."""
    return views.pool(reader, pool)


@router.post("/pools", tags=["pools"], status_code=201, responses={200: {"model": Pool}, **refusals(404, 409)})
def create_pool(body: NewPool, reader: LedgerDep, who: Admin, response: Response, idempotency_key: Key = None) -> Pool:
    """Make a pool for people to vote on; its id is the name and a number.

    The same request with the same `Idempotency-Key` makes no other pool, and gets 200.
    """
    id, is_new = begin_pool(reader, body, idempotency_key)
    if is_new:
        reader.log_act(id, who.name, "create")
    response.status_code = 201 if is_new else 200
    response.headers["location"] = API + pool_url(id)
    return views.pool(reader, id)


@router.get("/pools/{pool}/items", tags=["pools"], dependencies=[Tagged], responses={**_POOL, **NOT_MODIFIED})
def list_items(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> ItemPage:
    """The items of a pool with their whole texts, in the order in which they were added."""
    return items.items(reader, pool, limit=limit, after=cursor)


@router.get("/pools/{pool}/items/{item}", tags=["pools"], responses=_POOL)
def get_item(pool: PoolId, item: ItemId, reader: LedgerDep, _: Reader) -> Item:
    """One item: its board row, rating history, reviews and similar items."""
    return items.item(reader, pool, item)


@router.post("/pools/{pool}/items", tags=["pools"], responses=refusals(404, 409))
def add_items(pool: PoolId, body: NewItems, reader: LedgerDep, who: Admin) -> AddedItems:
    """Add items to a pool, even to a running tournament. Items that exist with the same text are left alone."""
    kind = reader.ledger.pools.get(pool).kind
    new_items = [item.item(kind) for item in body.items]
    for index, item in enumerate(new_items):
        check_item(item, f"items.{index}")
    if reader.is_tournament(pool):
        added = [item.id for item in join(reader.ledger, pool, new_items)]
    else:
        existing = reader.ledger.items.by_id(pool, [item.id for item in new_items])
        reader.ledger.items.add(pool, new_items)
        added = [item.id for item in new_items if item.id not in existing]
    if added:
        reader.log_act(pool, who.name, "add items", items=added)
    return AddedItems(added=added)


@router.get("/pools/{pool}/board", tags=["boards"], responses=_POOL)
def get_board(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    by: Annotated[
        BoardRanking, Query(description="Strength, the running Elo, or `auto`: strength where that is quick.")
    ] = "auto",
    sort: Annotated[SortColumn, Query(description="Column to sort by. A board by Elo has one order.")] = "rank",
    descending: Annotated[bool | None, Query(description="Whether the highest value comes first.")] = None,
    search: Annotated[str, Query(max_length=200, description="Only items with this in their id or text.")] = "",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Board:
    """A page of the leaderboard. If `pending` is true, a newer one by strength is being made."""
    query = BoardQuery(by=by, sort=sort, descending=descending, search=search, limit=limit, cursor=cursor)
    return board_views.board(reader, pool, query)


@router.get(
    "/pools/{pool}/exports/{what}",
    tags=["exports"],
    response_class=StreamingResponse,
    responses={**refusals(404, 501), **file_of(exports.TYPES.values())},
)
def get_export(
    pool: PoolId,
    what: Annotated[exports.What, Path(description="Which records.")],
    reader: LedgerDep,
    _: Reader,
    format: Annotated[exports.Format, Query(description="CSV, JSON lines or Parquet.")] = "csv",
) -> StreamingResponse:
    """All records of one kind in the order of recording; the board best first. The file is streamed."""
    try:
        pieces = exports.export(reader, pool, what, format)
    except MissingExtra as error:
        raise HTTPException(501, str(error)) from error
    headers = {"content-disposition": f'attachment; filename="{what}.{format}"', "cache-control": "no-store"}
    return StreamingResponse(pieces, media_type=exports.TYPES[format], headers=headers)


@router.post("/audit", tags=["audits"])
def audit_all(reader: LedgerDep, _: Admin, expect: Expected = None) -> Audit:
    """Recompute the hash chain and every rating of all pools, and compare with what is stored."""
    return reader.ledger.audit(expect=expect or ())


@router.post("/pools/{pool}/audit", tags=["audits"], responses=_POOL)
def audit_pool(pool: PoolId, reader: LedgerDep, _: Admin, expect: Expected = None) -> Audit:
    """The same for one pool."""
    return reader.ledger.audit(pool, expect=expect or ())


def begin_pool(reader: LedgerReader, request: NewPool, key: str | None = None) -> tuple[str, bool]:
    """Make a pool for people to vote on.

    Args:
        reader: The ledger.
        request: The pool.
        key: Names the request; the same again makes no other pool.

    Returns:
        Its id, which is the name and a number; and whether it was made now.

    Raises:
        Conflict: If the key was used for another pool.
        InvalidItems: If its items cannot be ranked.
    """
    wish = wish_of(request, key)
    existing = None if wish is None else reader.ledger.tournaments.for_request(wish)
    if existing is not None:
        return existing.id, False
    new_items = [item.item(ItemKind.TEXT) for item in request.items]
    pool = checked(new_items, [f"items.{index}" for index in range(len(new_items))], source="items")
    brief = settings_for(
        len(pool), criteria=request.criteria, judge=PEOPLE, top=request.top, seed=request.seed, level=request.level
    )
    return TournamentState.begin(reader.ledger, request.name, brief, pool, RatingConfig(), wish=wish).id, True


def wish_of(request: Body, key: str | None) -> dict[str, str] | None:
    """What tells a request to create something from others, as ``ledger.tournaments.create`` takes it."""
    return None if key is None else {"key": key, "of": hashlib.sha256(request.model_dump_json().encode()).hexdigest()}
