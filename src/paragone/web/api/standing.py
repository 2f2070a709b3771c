"""Why an item is where it is, over HTTP."""

from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Reader
from paragone.web.parameters import ItemId, LedgerDep, OtherItemId, PoolId
from paragone.web.views import standing as views
from paragone.wire.standing import SideBySide, Standing

router = api_router(404, prefix="/pools", tags=["boards"])


@router.get("/{pool}/items/{item}/standing")
def get_standing(pool: PoolId, item: ItemId, reader: LedgerDep, _: Reader) -> Standing:
    """Why an item is where it is: matches that carry it, upsets, opponents, what one more answer would change."""
    return views.standing(reader, pool, item)


@router.get("/{pool}/items/{item}/beside/{other}")
def get_side_by_side(pool: PoolId, item: ItemId, other: OtherItemId, reader: LedgerDep, _: Reader) -> SideBySide:
    """Two items side by side: their rows, who is the better, and the matches between them with all that was said."""
    return views.side_by_side(reader, pool, item, other)
