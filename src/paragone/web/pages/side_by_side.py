"""Two items side by side."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, RedirectResponse

from paragone.analysis.text_differences import differences
from paragone.intake.items import MAX_ID
from paragone.web.middleware.authorization import Reader
from paragone.web.pages.rendering import MOST as MOST_CHARACTERS
from paragone.web.pages.rendering import as_data, events_url, page, share
from paragone.web.parameters import ItemId, LedgerDep, OtherItemId, PoolId
from paragone.web.views import pools, standing
from paragone.web.views.dossiers import notes_on
from paragone.web.views.texts import rich_text
from paragone.wire.address import beside_url, item_url

router = APIRouter()


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
        "side_by_side.html",
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
