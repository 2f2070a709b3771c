"""Reviews of items: what a reviewer last said is what counts, and what was said before stays."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from paragone.domain import Review
from paragone.errors import Corrupted
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.chain import Page
from paragone.ledger.columns import AT_ONCE, of_few
from paragone.ledger.evidence import pools

_review = schema.review


def record(connection: Connection, pool: str, review: Review, at: datetime) -> None:
    """Keep a review; the same as the reviewer's last one of the item changes nothing.

    Raises:
        NotFound: If there is no such pool, or it lacks the item.
    """
    with chain.appending(connection, pool, at) as page:
        put(connection, page, [review])


def put(connection: Connection, page: Page, reviews: Sequence[Review]) -> None:
    """Put reviews on a page, less those that say what their reviewer said last.

    Raises:
        NotFound: If one of the items is not in the pool.
    """
    pool, items = page.head.pool, sorted({review.item for review in reviews})
    running_ratings.some(connection, pool, items)
    last: dict[tuple[str, str], Review] = {}
    for start in range(0, len(items), AT_ONCE):
        its_own = _review.c.item.in_(items[start : start + AT_ONCE])
        query = select(_review).where(_review.c.pool == pool, its_own)
        rows = connection.execute(query.order_by(of_few(_review.c.seq)))
        last.update(_by_reviewer(rows))
    for review in reviews:
        key = (review.item, review.reviewer)
        if last.get(key) != review:
            page.add(_review, **_values(review))
            last[key] = review


def newest(connection: Connection, pool: str) -> tuple[Review, ...]:
    """What each reviewer last said of each item, in the order in which it was said.

    Raises:
        NotFound: If there is no such pool.
    """
    pools.config(connection, pool)
    rows = connection.execute(select(_review).where(_review.c.pool == pool).order_by(_review.c.seq))
    return tuple(_by_reviewer(rows).values())


def of_item(connection: Connection, pool: str, item: str) -> tuple[Review, ...]:
    """What each reviewer last said of one item, in the order in which it was said."""
    query = select(_review).where(_review.c.pool == pool, _review.c.item == item)
    return tuple(_by_reviewer(connection.execute(query.order_by(of_few(_review.c.seq)))).values())


def _by_reviewer(rows: Iterable[Row[tuple[Any, ...]]]) -> dict[tuple[str, str], Review]:
    reviews: dict[tuple[str, str], Review] = {}
    for row in rows:
        review = _of(row)
        reviews.pop((review.item, review.reviewer), None)  # so that the later one comes later
        reviews[review.item, review.reviewer] = review
    return reviews


def _values(review: Review) -> dict[str, Any]:
    return {
        "item": review.item,
        "reviewer": review.reviewer,
        "score": review.score,
        "scores": [list(pair) for pair in review.scores],
        "text": review.text,
    }


def _of(row: Row[tuple[Any, ...]]) -> Review:
    scores = tuple((criterion, score) for criterion, score in row.scores)
    try:
        return Review(item=row.item, reviewer=row.reviewer, score=row.score, scores=scores, text=row.text)
    except ValueError as error:  # nothing of ours wrote that
        raise Corrupted(f"a review of {row.item!r} cannot be ({error}); an audit says more") from error
