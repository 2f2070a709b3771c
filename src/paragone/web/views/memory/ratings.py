"""Where a piece of content stands, as a value."""

from paragone.domain.content import Quadrant
from paragone.memory.scores import ContentRating
from paragone.web.views.memory.census import moment
from paragone.wire import content as wire_content


def rating_view(one: ContentRating, where: Quadrant) -> wire_content.ContentRating:
    """Where a piece of content stands, and its quadrant."""
    return wire_content.ContentRating(
        kind=one.content.kind,
        id=one.content.id,
        path=one.content.path,
        rating=one.rating,
        elo=one.elo,
        need=one.need,
        tier=one.tier,
        quadrant=where,
        uses=one.uses,
        last_use=moment(one.last_use),
        r=one.r,
        r_source=one.r_source,
        is_high=one.is_high,
        pinned=one.pinned,
    )
