"""What there is: all pools, what runs, and how it is."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse

from paragone.domain import ItemKind
from paragone.domain.spending import total
from paragone.web.guards.identity import Reader
from paragone.web.pages.shown import events_url, ledger_option, page
from paragone.web.reaching import Books, Told
from paragone.web.views import pools as views
from paragone.web.views.memory import summary
from paragone.wire.pool import PoolPage

router = APIRouter()
MOST = 24
"""Pools of a page."""


@router.get("/")
def overview(
    request: Request, books: Books, told: Told, who: Reader, cursor: Annotated[str | None, Query()] = None
) -> HTMLResponse:
    """All pools, the newest first."""
    found = views.page(books, limit=MOST, after=cursor)
    running = [pool for pool in found.pools if pool.tournament is not None and pool.tournament.running]
    others = [pool for pool in found.pools if pool not in running]
    return page(
        "overview.html",
        here="overview",
        who=who,
        live=events_url(),
        running=running,
        others=others,
        tiles=tiles(found, running=len(running), is_whole=cursor is None and found.next is None),
        is_counting=is_counting(found),
        memory=None if request.app.state.memory is None else summary.glance(request.app.state.memory),
        next=found.next,
        is_first=cursor is None,
        ledger=ledger_option(told, who),
    )


def tiles(found: PoolPage, *, running: int, is_whole: bool) -> list[tuple[str, str]]:
    """What the pools of a page add up to.

    Args:
        found: The page.
        running: How many of them run.
        is_whole: Whether these are all pools that there are.
    """
    here = "" if is_whole else ", of these"
    known = [pool.tournament for pool in found.pools if pool.tournament is not None]
    counted = [one.spending.value() for one in known if one.spending is not None]
    spent = total(counted).facts()
    if len(counted) < len(known):
        spent = dict.fromkeys(spent, "–")
    agents = sum(pool.items for pool in found.pools if pool.kind == ItemKind.AGENT.value)
    return [
        ("Pools" if is_whole else "Pools on this page", f"{len(found.pools):,}"),
        (f"Running now{here}", f"{running:,}"),
        (f"Items{here}", f"{sum(pool.items for pool in found.pools) - agents:,}"),
        *([(f"Agents{here}", f"{agents:,}")] if agents else []),
        (f"Matches{here}", f"{sum(pool.matches for pool in found.pools):,}"),
        *((f"{name.capitalize()}{here}", words) for name, words in spent.items()),
    ]


def is_counting(found: PoolPage) -> bool:
    """Whether what some of them took is still being counted."""
    return any(pool.tournament is not None and pool.tournament.spending is None for pool in found.pools)
