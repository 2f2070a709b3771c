"""Where a piece of content stands, as a value."""

from datetime import datetime

from paragone.analysis.content import Quadrant
from paragone.domain.content import ContentKind, ContentTier, TruthSource
from paragone.memory.scores import ContentRating
from paragone.web.views.memory.census import moment
from paragone.web.views.values import View, Words


class ContentRatingView(View):
    """Where a piece of content stands. Ratings are Elo points.

    Attributes:
        kind: ``file``, ``symbol``, ``adr`` (a decision record) or ``vector`` (a chunk of text).
        id: Its id: a file's is its path.
        path: The file that it lies in; empty where nothing says.
        rating: The one that counts: ``elo`` or ``need``, as the store is configured.
        elo: The running Elo, faded since its last use.
        need: How likely it is to be used next.
        tier: Of ``rating``.
        quadrant: What it is by R and Elo.
        uses: How often it was used.
        last_use: When, at the last time; None where never.
        r: How true it is; None where that is not known.
        r_source: Where R comes from.
        is_high: Whether R lies above its source's threshold; None where it is not known.
        pinned: Whether it is never pruned and always packed.
    """

    kind: ContentKind
    id: Words
    path: Words
    rating: float
    elo: float
    need: float
    tier: ContentTier
    quadrant: Quadrant
    uses: int
    last_use: datetime | None
    r: float | None
    r_source: TruthSource | None
    is_high: bool | None
    pinned: bool


def rating_view(one: ContentRating, where: Quadrant) -> ContentRatingView:
    """Where a piece of content stands, and its quadrant."""
    return ContentRatingView(
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
