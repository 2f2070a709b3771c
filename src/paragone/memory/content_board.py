"""Boards of content by rating, and the rating of one piece."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from paragone.domain.content import Content, ContentKind, ContentTier
from paragone.domain.displayed import Displayed
from paragone.errors import NotFound, UsageError
from paragone.memory.components import Components
from paragone.memory.store.lines import instant, moment
from paragone.wire import content as wire_content
from paragone.wire.content import ContentMove, ContentOrder, ContentRatings, RatedContent

if TYPE_CHECKING:
    from paragone.memory.scores import ContentRating

E = TypeVar("E", ContentKind, ContentTier)

ORDERS: Mapping[ContentOrder, "Callable[[ContentRating], float | None]"] = {
    "rating": lambda row: row.rating,
    "elo": lambda row: row.elo,
    "need": lambda row: row.need,
    "usefulness": lambda row: row.usefulness,
    "r": lambda row: row.r,
    "uses": lambda row: float(row.uses),
    "last_use": lambda row: row.last_use,
    "id": lambda _: 0.0,
}
"""The value of each order, the highest first; equal ones go by id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentBoard(Displayed):
    """A page of content of one kind, highest first.

    Attributes:
        kind: The kind; None for all.
        by: The order; content without such a value comes last, then by id.
        as_of: The time of the ratings, in seconds since 1970.
        rows: The page.
        total: Rows on all pages.
        often: Elo above which a rating is high in the quadrants.
    """

    kind: ContentKind | None
    by: ContentOrder
    as_of: float
    rows: "tuple[ContentRating, ...]"
    total: int
    often: float

    @property
    def value(self) -> ContentRatings:
        """The page as a value."""
        rows = [rating_value(row, often=self.often) for row in self.rows]
        return ContentRatings(at=instant(self.as_of), kind=self.kind, by=self.by, total=self.total, rows=rows)


def rating_value(rating: "ContentRating", *, often: float) -> wire_content.ContentRating:
    """A rating as a value, with its quadrant; Elo above ``often`` is high there."""
    from paragone.analysis.content import quadrant  # loads numpy

    content, where = rating.content, quadrant(rating.is_high, rating.elo, often=often)
    return wire_content.ContentRating.like(
        rating, kind=content.kind, id=content.id, path=content.path, quadrant=where, last_use=moment(rating.last_use)
    )


def rated_content(components: Components, content: str | Content, *, limit: int, as_of: float) -> RatedContent:
    """The rating of one piece of content, and its last changes, as a value.

    Raises:
        NotFound: If neither the index nor the logs know it.
    """
    resolved = resolve(components, content)
    value = rating_value(rating(components, resolved, as_of=as_of), often=components.store.config.prune.below)
    moves = [ContentMove.like(move, at=instant(move.time)) for move in components.scores.moves(resolved, limit=limit)]
    return RatedContent.like(value, at=instant(as_of), moves=moves)


def board(
    components: Components,
    kind: ContentKind | str | None = None,
    *,
    by: ContentOrder = "rating",
    tier: ContentTier | str | None = None,
    limit: int = 20,
    offset: int = 0,
    as_of: float | None = None,
) -> ContentBoard:
    """A page of the board; arguments and errors are those of ``Memory.board``.

    It shows the content of the index, used or not; before anything is indexed, that of the logs.
    """
    kind_filter, level = _one_of(ContentKind, "kind", kind), _one_of(ContentTier, "tier", tier)
    if by not in ORDERS:
        raise UsageError(f"a board is ordered by {', '.join(ORDERS)}; not by {by!r}")
    if limit < 1 or offset < 0:
        raise UsageError("limit is 1 or more, and offset 0 or more")
    now = components.store.moment(as_of)
    kinds = list(ContentKind) if kind_filter is None else [kind_filter]
    ratings = components.scores.ratings(_contents(components, kinds), as_of=now, since=components.index.first_seen())
    rows = sorted((rating for rating in ratings.values() if level in (None, rating.tier)), key=_key(by))
    return ContentBoard(
        kind=kind_filter,
        by=by,
        as_of=now,
        rows=tuple(rows[offset : offset + limit]),
        total=len(rows),
        often=components.store.config.prune.below,
    )


def rating(components: Components, content: str | Content, *, as_of: float | None = None) -> "ContentRating":
    """The rating of one piece of content.

    Raises:
        NotFound: If neither the index nor the logs know it.
    """
    resolved = resolve(components, content)
    now = components.store.moment(as_of)
    return components.scores.ratings([resolved], as_of=now, since=components.index.first_seen())[resolved]


def resolve(components: Components, content: str | Content) -> Content:
    """Content by name: in the index, or else by its id in the logs.

    Raises:
        NotFound: If neither knows it.
    """
    if isinstance(content, Content):
        return content
    from paragone.memory.index.index import content_named

    try:
        return content_named(components.index, content)
    except NotFound:
        candidates = components.scores.known(content.strip())
        if not candidates:
            raise
        return candidates[0]


def _contents(components: Components, kinds: list[ContentKind]) -> list[Content]:
    indexed = [content for kind in kinds for content in components.index.contents(kind)]
    if indexed or components.index.files():
        return indexed
    return [content.content for kind in kinds for content in components.scores.rated(kind)]


def _key(by: ContentOrder) -> "Callable[[ContentRating], tuple[float, str, str]]":
    value = ORDERS[by]

    def key(rating: "ContentRating") -> tuple[float, str, str]:
        at = value(rating)
        return (float("inf") if at is None else -at, str(rating.content.kind), rating.content.id)

    return key


def _one_of(of: type[E], name: str, value: E | str | None) -> E | None:
    try:
        return None if value is None else of(value)
    except ValueError:
        raise UsageError(f"{name} is {', '.join(of)}; not {value!r}") from None
