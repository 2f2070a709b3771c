"""The page of a full-text search, and views that people save."""

from typing import Annotated, Literal, get_args

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from paragone.errors import InvalidConfig
from paragone.tournaments.results.text_search import search
from paragone.web.api.search import PATIENCE, NewView, ViewName, remove_view, save_view, views_of
from paragone.web.forms import FormDep, answer_form
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import as_data, events_url, link, numbered_pages, page, page_of
from paragone.web.parameters import LedgerDep, PageNumber, PoolId, unless_empty
from paragone.web.views import pools
from paragone.wire.address import pool_url
from paragone.wire.text_search import MatchOutcome, SearchKind, SearchPage

router = APIRouter()
MOST = 20
"""Results of a page."""
VIEWS = 50
"""Saved views of a page."""
_Text = Annotated[str, Query(max_length=200)]


@router.get("/pools/{pool}/search")
def search_page(
    pool: PoolId,
    reader: LedgerDep,
    who: Reader,
    text: _Text = "",
    kind: Annotated[SearchKind, Query()] = "match",
    judge: _Text = "",
    outcome: Annotated[MatchOutcome | None, unless_empty] = None,
    number: PageNumber = 1,
) -> HTMLResponse:
    """What was said in matches, and texts of items, by their words."""
    filters = {"text": text.strip(), "kind": kind, "judge": judge.strip(), "outcome": outcome or ""}
    results, problem = SearchPage(hits=[], total=0, complete=True), ""
    try:
        if filters["text"]:
            results = search(
                reader.ledger,
                pool,
                filters["text"],
                kind,
                judge=filters["judge"] or None,
                outcome=outcome,
                count=MOST,
                offset=MOST * (number - 1),
                seconds=PATIENCE,
            )
    except InvalidConfig as error:
        problem = str(error)
    return page(
        "search.html",
        status=422 if problem else 200,
        section="matches",
        who=who,
        pool=pools.pool(reader, pool),
        live=events_url(pool),
        data=as_data(results=link(pool_url(pool, "search"), filters)) if results.total else None,
        results=results,
        problem=problem,
        given=filters,
        outcomes=get_args(MatchOutcome),
        pages=numbered_pages(pool_url(pool, "search"), number, results.total, MOST, filters),
    )


@router.get("/views")
def saved(
    reader: LedgerDep,
    who: Reader,
    address: Annotated[str, Query(max_length=2_000)] = "",
    done: Annotated[Literal["", "saved", "removed"], Query()] = "",
    at: PageNumber = 1,
) -> HTMLResponse:
    """The views that somebody saved, and a form for one more."""
    return _views(reader, who, address=address, done=done, at=at)


@router.post("/views")
def change_views(reader: LedgerDep, who: Reader, form: FormDep) -> Response:
    """Save a view, or remove one."""
    name, address = form.fields.get("name", ""), form.fields.get("address", "")

    def changed() -> str:
        if form.fields.get("change") == "remove":
            remove_view(ViewName(name=name), reader, who)
            return "/views?done=removed"
        save_view(NewView(name=name, address=address), reader, who)
        return "/views?done=saved"

    return answer_form(changed, lambda problem: _views(reader, who, address=address, problem=problem))


def _views(
    reader: LedgerDep, who: Reader, *, address: str, done: str = "", problem: str = "", at: int = 1
) -> HTMLResponse:
    views, pages = page_of(views_of(reader, who.name).views, "/views", at, VIEWS)
    return page(
        "views.html",
        status=422 if problem else 200,
        section="views",
        who=who,
        data=as_data(views="/views") if views else None,
        views=views,
        pages=pages,
        address=address,
        done=done,
        problem=problem,
    )
