"""Pools and their items over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Header, Response

from paragone.web.admin_log import note
from paragone.web.api.answers import Cursor, Limit, refusals
from paragone.web.api.etags import NOT_MODIFIED, Tagged
from paragone.web.dependencies import LedgerDep
from paragone.web.middleware.authentication import Admin, Reader
from paragone.web.views import items as item_views
from paragone.web.views import pools as views
from paragone.web.views import recording
from paragone.web.views.links import ItemId, PoolId
from paragone.web.views.recording import NewItems, NewPool
from paragone.wire.address import API, pool_url
from paragone.wire.item import Item, ItemPage
from paragone.wire.pool import AddedItems, Pool, PoolPage

router = APIRouter(prefix="/pools", tags=["pools"], responses=refusals(404))

Key = Annotated[
    str | None,
    Header(pattern="^[!-~]{1,200}$", description="Names the wish, so that it may be sent again."),
]


@router.get("")
def list_pools(reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> PoolPage:
    """All pools, the newest first."""
    return views.page(reader, limit=limit, after=cursor)


@router.get("/{pool}")
def get_pool(pool: PoolId, reader: LedgerDep, _: Reader) -> Pool:
    """One pool: its size, whether it is running, and its cost."""
    return views.pool(reader, pool)


@router.get("/{pool}/items", dependencies=[Tagged], responses=NOT_MODIFIED)
def list_items(pool: PoolId, reader: LedgerDep, _: Reader, limit: Limit = 50, cursor: Cursor = None) -> ItemPage:
    """The items of a pool with their whole texts, in the order in which they were added."""
    return item_views.items(reader, pool, limit=limit, after=cursor)


@router.get("/{pool}/items/{item}")
def get_item(pool: PoolId, item: ItemId, reader: LedgerDep, _: Reader) -> Item:
    """One item: its board row, rating history, reviews and similar items."""
    return item_views.item(reader, pool, item)


@router.post("", status_code=201, responses={200: {"model": Pool}, **refusals(409)})
def create_pool(body: NewPool, reader: LedgerDep, who: Admin, response: Response, idempotency_key: Key = None) -> Pool:
    """Make a pool for people to vote on; its id is the name and a number.

    The same with the same `Idempotency-Key` again makes no other pool, and is answered by 200.
    """
    id, is_new = recording.create_pool(reader, body, idempotency_key)
    if is_new:
        note(reader, id, who, "create")
    response.status_code = 201 if is_new else 200
    response.headers["location"] = API + pool_url(id)
    return views.pool(reader, id)


@router.post("/{pool}/items", responses=refusals(404, 409))
def add_items(pool: PoolId, body: NewItems, reader: LedgerDep, who: Admin) -> AddedItems:
    """Add items to a pool, even to a running tournament. Items that exist with the same text are left alone."""
    done = recording.add_items(reader, pool, body.items)
    if done.added:
        note(reader, pool, who, "add items", items=done.added)
    return done
