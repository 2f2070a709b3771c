"""Full-text search, and views that people saved, over HTTP."""

import re
from typing import Annotated

from fastapi import Query
from pydantic import Field

from paragone.errors import InvalidConfig
from paragone.tournaments.results.text_search import search
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Reader
from paragone.web.parameters import Body, Cursor, LedgerDep, Limit, PoolId, StorableText
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views.cursors import cursor as _cursor
from paragone.web.views.cursors import number_of
from paragone.wire.text_search import MatchOutcome, SavedView, SavedViews, SearchKind, SearchPage

router = api_router(404)

PATIENCE = 0.5
"""Seconds of a request in which the index is brought up to date."""
Text = Annotated[str, Query(max_length=200, description="Words; each must be there, or one that begins so.")]
_ADDRESS = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f-\U0010ffff]*")
"""A path of this server with its query, percent-encoded."""


class NewView(Body):
    """A view to be saved.

    Attributes:
        name: What it is called; a view of that name is replaced.
        address: The path of a page of this server with its query.
    """

    name: Annotated[StorableText, Field(min_length=1, max_length=100)]
    address: Annotated[str, Field(min_length=1, max_length=2_000)]


class ViewName(Body):
    """A view to be removed.

    Attributes:
        name: What it is called.
    """

    name: Annotated[StorableText, Field(min_length=1, max_length=100)]


@router.get("/pools/{pool}/search", tags=["matches"])
def search_texts(
    pool: PoolId,
    reader: LedgerDep,
    _: Reader,
    text: Text,
    kind: Annotated[SearchKind, Query(description="Matches by what was said, or items by their texts.")] = "match",
    judge: Annotated[str | None, Query(max_length=200, description="Only matches with this judge.")] = None,
    outcome: Annotated[MatchOutcome | None, Query(description="Only matches with this outcome.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> SearchPage:
    """Matches by the words of rationales and debates, or items by those of their texts, the newest first."""
    reader.version(pool)
    listing = ("search", pool, text, kind, judge or "", outcome or "")
    offset = number_of(cursor, listing) or 0
    page = search(
        reader.ledger,
        pool,
        text,
        kind,
        judge=judge or None,
        outcome=outcome,
        count=limit,
        offset=offset,
        seconds=PATIENCE,
    )
    following = offset + len(page.hits)
    return SearchPage(
        hits=page.hits,
        total=page.total,
        complete=page.complete,
        next=_cursor(listing, [following]) if page.total > following else None,
    )


@router.get("/views", tags=["pools"])
def list_views(reader: LedgerDep, who: Reader) -> SavedViews:
    """The views that were saved under the name of this token."""
    return views_of(reader, who.name)


@router.post("/views", tags=["pools"])
def save_view(body: NewView, reader: LedgerDep, who: Reader) -> SavedViews:
    """Save a page with its filters under a name."""
    if not _ADDRESS.fullmatch(body.address) or body.address.startswith("/api/"):
        raise InvalidConfig("the address of a view is the path of a page here, such as '/pools/ideas-1'", key="address")
    reader.ledger.views.save(who.name, body.name, body.address)
    return views_of(reader, who.name)


@router.post("/views/remove", tags=["pools"])
def remove_view(body: ViewName, reader: LedgerDep, who: Reader) -> SavedViews:
    """Forget a saved view. The page stays where it is."""
    reader.ledger.views.remove(who.name, body.name)
    return views_of(reader, who.name)


def views_of(reader: LedgerReader, owner: str) -> SavedViews:
    """The views that somebody saved."""
    saved = reader.ledger.views.of(owner)
    return SavedViews(views=[SavedView(name=name, address=address) for name, address in saved.items()])
