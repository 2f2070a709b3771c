"""Where a piece of content stands, as a value."""

from paragone.domain.content import Quadrant
from paragone.memory.scores import ContentRating
from paragone.memory.store.lines import moment
from paragone.wire import content as wire_content


def rating_view(rating: ContentRating, where: Quadrant) -> wire_content.ContentRating:
    """Where a piece of content stands, and its quadrant."""
    return wire_content.ContentRating(
        kind=rating.content.kind,
        id=rating.content.id,
        path=rating.content.path,
        rating=rating.rating,
        elo=rating.elo,
        need=rating.need,
        tier=rating.tier,
        quadrant=where,
        uses=rating.uses,
        last_use=moment(rating.last_use),
        r=rating.r,
        r_source=rating.r_source,
        is_high=rating.is_high,
        pinned=rating.pinned,
    )
