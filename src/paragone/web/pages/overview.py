"""The overview: all pools, and which are running."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from paragone.domain import ItemKind
from paragone.domain.spending import total
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import as_data, events_url, ledger_option, link, numbered_pages, page
from paragone.web.parameters import ConfigDep, LedgerDep, PageNumber
from paragone.web.views import pools as views
from paragone.web.views.memory import summary
from paragone.wire.pool import PoolPage

router = APIRouter()
MOST = 24
"""Pools of a page."""


@router.get("/")
def overview(
    request: Request,
    reader: LedgerDep,
    config: ConfigDep,
    who: Reader,
    at: PageNumber = 1,
    archived: Annotated[bool, Query()] = False,
) -> HTMLResponse:
    """The pools, the newest first; those that were archived or deleted if asked for."""
    listing = views.page(reader, limit=MOST, after=MOST * (at - 1), who=who, with_archived=archived)
    running = [pool for pool in listing.pools if pool.tournament is not None and pool.tournament.running]
    idle = [pool for pool in listing.pools if pool not in running]
    pages = numbered_pages("/", at, listing.total or 0, MOST, {"archived": 1} if archived else None)
    return page(
        "overview.html",
        section="overview",
        who=who,
        live=events_url() if who.grants is None else "",  # those of all pools are not for everybody
        data=as_data(pools=link("/pools", archived="true" if archived else None)) if listing.pools else None,
        running=running,
        idle=idle,
        tiles=tiles(listing, running=len(running), is_whole=pages.last == 1),
        is_counting=is_counting(listing),
        memory=None if request.app.state.memory is None else summary.glance(request.app.state.memory),
        archived=archived,
        hides=not archived and views.leaves_out(reader, who),
        pages=pages,
        ledger=ledger_option(config, who),
    )


def tiles(listing: PoolPage, *, running: int, is_whole: bool) -> list[tuple[str, str]]:
    """Totals of the pools of a page.

    Args:
        listing: The page.
        running: How many of them run.
        is_whole: Whether these are all pools that there are.
    """
    qualifier = "" if is_whole else ", of these"
    tournaments = [pool.tournament for pool in listing.pools if pool.tournament is not None]
    counted = [tournament.spending.value() for tournament in tournaments if tournament.spending is not None]
    spent = total(counted).facts()
    if len(counted) < len(tournaments):
        spent = dict.fromkeys(spent, "–")
    agents = sum(pool.items for pool in listing.pools if pool.kind == ItemKind.AGENT.value)
    return [
        ("Pools" if is_whole else "Pools on this page", f"{len(listing.pools):,}"),
        (f"Running now{qualifier}", f"{running:,}"),
        (f"Items{qualifier}", f"{sum(pool.items for pool in listing.pools) - agents:,}"),
        *([(f"Agents{qualifier}", f"{agents:,}")] if agents else []),
        (f"Matches{qualifier}", f"{sum(pool.matches for pool in listing.pools):,}"),
        *((f"{name.capitalize()}{qualifier}", words) for name, words in spent.items()),
    ]


def is_counting(listing: PoolPage) -> bool:
    """Whether the spending of some is still being computed."""
    return any(pool.tournament is not None and pool.tournament.spending is None for pool in listing.pools)
