"""Two items side by side, and boards under a what-if."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse

from paragone.analysis.text_differences import differences
from paragone.errors import InvalidConfig, NotFound
from paragone.intake.items import MAX_ID
from paragone.tournaments.results.tournament_board import WhatIf
from paragone.web.api.tournaments import LeftOut
from paragone.web.middleware.authentication import Reader
from paragone.web.pages.rendering import MOST as MOST_CHARACTERS
from paragone.web.pages.rendering import as_data, events_url, link, numbered_pages, page, share
from paragone.web.parameters import ItemId, LedgerDep, OtherItemId, PageNumber, PoolId
from paragone.web.views import pools, standing
from paragone.web.views.board import rows_of
from paragone.web.views.dossiers import notes_on
from paragone.web.views.supposing import board_supposing
from paragone.web.views.texts import rich_text
from paragone.wire.address import beside_url, item_url, pool_url

router = APIRouter()
MOST_SUPPOSED = 50
"""Rows of a page of a what-if board."""


@router.get("/pools/{pool}/items/{item}/beside")
def choose(
    pool: PoolId, item: ItemId, _: Reader, other: Annotated[str, Query(max_length=MAX_ID)] = ""
) -> RedirectResponse:
    """From the form of an item's page to the address of the two."""
    return RedirectResponse(beside_url(pool, item, other) if other.strip() else item_url(pool, item), 303)


@router.get("/pools/{pool}/items/{item}/beside/{other}")
def beside(pool: PoolId, item: ItemId, other: OtherItemId, reader: LedgerDep, who: Reader) -> HTMLResponse:
    """Two items side by side."""
    two = standing.side_by_side(reader, pool, item, other)
    counts = {"Wins of the first": two.wins, "Wins of the second": two.losses, "Ties": two.ties}
    tiles = [(name, f"{count:,}") for name, count in counts.items()]
    if two.a_better is not None:
        tiles.insert(0, ("The first is the better", share(two.a_better)))
    both = all(side.text not in ("", side.id) for side in (two.a, two.b))
    changes = differences(two.a.text[:MOST_CHARACTERS], two.b.text[:MOST_CHARACTERS])
    noted = [notes_on(reader, pool, side.id) for side in (two.a, two.b)]
    same = sum(len(each.text) for each in changes if each.kind == "same")
    return page(
        "beside.html",
        section="board",
        who=who,
        pool=pools.pool(reader, pool),
        live=events_url(pool),
        data=as_data(both=beside_url(pool, item, other)),
        two=two,
        tiles=tiles,
        html=[rich_text(reader, pool, side.text, 3) for side in (two.a, two.b)],
        notes=[{"attributes": dict(notes.attributes), "evidence": notes.evidence} for notes in noted],
        changes=changes if both else (),
        alike=2 * same > max(len(two.a.text), len(two.b.text)),
        swapped=beside_url(pool, other, item),
    )


@router.get("/pools/{pool}/whatif")
def suppose(
    pool: PoolId,
    reader: LedgerDep,
    who: Reader,
    without_match: LeftOut = (),
    without_judge: LeftOut = (),
    at: PageNumber = 1,
) -> HTMLResponse:
    """The board without a match or a judge, beside the one that there is."""
    about, why = pools.pool(reader, pool), ""
    rows: list[tuple[object, object]] = []
    url, total = pool_url(pool, "whatif"), 0
    left_out = {"without_match": without_match, "without_judge": without_judge}
    try:
        assumptions = WhatIf(without_matches=without_match, without_judges=without_judge)
        supposed = board_supposing(reader, pool, assumptions, MOST_SUPPOSED, MOST_SUPPOSED * (at - 1))
        now, total = rows_of(reader, pool, [row.id for row in supposed.rows]), supposed.total or 0
        rows = [(row, now.get(row.id)) for row in supposed.rows]
    except (NotFound, InvalidConfig) as reason:
        why = str(reason)
    return page(
        "whatif.html",
        status=422 if why else 200,
        section="board",
        who=who,
        pool=about,
        rows=rows,
        pages=numbered_pages(url, at, total, MOST_SUPPOSED, left_out),
        data=None if why else as_data(board=link(url, left_out)),
        why=why,
        matches=without_match,
        judges=without_judge,
    )
