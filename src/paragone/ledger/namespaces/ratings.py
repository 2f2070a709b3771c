"""``ledger.ratings``: the leaderboard by running Elo, each change of a rating, adjustments, and what-ifs."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, FromClause, Select, bindparam, func, select

from paragone.domain import Rating, RatingChange, RatingConfig
from paragone.ledger import chain, running_ratings, schema
from paragone.ledger.column_types import contains, of_few
from paragone.ledger.databases.database import Namespace, appends, pages, reads
from paragone.ledger.evidence import rating_changes
from paragone.ledger.statements import StatementForNames
from paragone.ratings.running_elo import EloReplay

_item, _rating, _change = schema.item, schema.rating, schema.rating_change
_COLUMNS = _rating.c["item", *running_ratings.RECORD]
_HIGHEST_FIRST = (_rating.c.elo.desc(), _rating.c.item)

FIRST = 2_000
"""The highest ratings, among which a search looks before it passes over all texts."""
MATCHING = 20_000
"""Items with a text that is searched for, up to which their ratings are looked up one by one."""


class Ratings(Namespace):
    """The running ratings of pools."""

    all = reads(running_ratings.of_pool)
    by_id = reads(running_ratings.existing)

    def leaderboard(
        self, pool: str, *, after: int = 0, count: int = 50, below: Rating | None = None
    ) -> tuple[Rating, ...]:
        """A page of the leaderboard by running Elo, highest first.

        Args:
            pool: The pool.
            after: How many ratings to skip. They are counted, so page through a large pool by ``below``.
            count: The largest number of ratings.
            below: The last rating of the previous page; None starts at the top.

        Raises:
            NotFound: If there is no such pool.
        """
        query = select(*_COLUMNS).where(_rating.c.pool == pool)
        with self._database.read() as connection:
            chain.require(connection, pool)
            if below is None:
                rows = connection.execute(query.order_by(*_HIGHEST_FIRST).limit(count).offset(after)).all()
            else:  # in two parts, each a single range of the index: many items may share a rating
                end = after + count
                equal = query.where(_rating.c.elo == below.elo, _rating.c.item > below.item).order_by(_rating.c.item)
                rows = list(connection.execute(equal.limit(end)))
                lower = query.where(_rating.c.elo < below.elo).order_by(*_HIGHEST_FIRST)
                rows = [*rows, *connection.execute(lower.limit(end - len(rows)))][after:]
            return tuple(Rating(**row._mapping) for row in rows)

    def search(self, pool: str, text: str, count: int) -> list[Rating]:
        """Ratings of the items whose id or text contains a text, in any case; highest first, at most ``count``."""
        with self._database.read() as connection:
            is_like = contains(connection, text, _item.c.item, _item.c.text)
            # What many items have is found among the highest; what few have, by one pass over the texts, which is
            # quicker than in the order of ratings.
            first = select(_rating).where(_rating.c.pool == pool).order_by(*_HIGHEST_FIRST).limit(FIRST).subquery()
            ratings = _highest_of(connection, pool, first, is_like, count)
            if len(ratings) == count:
                return ratings
            query = select(_item.c.item).where(_item.c.pool == pool, is_like)
            ids = connection.scalars(query.limit(MATCHING + 1)).all()
            if len(ids) > MATCHING:  # many, although few of the highest
                return _highest_of(connection, pool, _rating, is_like, count)
            by_id = running_ratings.existing(connection, pool, ids)
        return sorted(by_id.values(), key=lambda rating: (-rating.elo, rating.item))[:count]

    def count_higher(self, pool: str, elo: float) -> int:
        """How many items have a higher running Elo."""
        return self.count_higher_than(pool, [elo])[elo]

    def count_higher_than(self, pool: str, elos: Iterable[float]) -> dict[float, int]:
        """How many items have a higher running Elo than each of ``elos``."""
        counts, total = {}, 0
        counted = select(func.count()).select_from(_rating).where(_rating.c.pool == pool)
        not_counted = counted
        with self._database.read() as connection:
            for elo in sorted(set(elos), reverse=True):  # one pass, from the highest on
                total += connection.scalar(not_counted.where(_rating.c.elo > elo)) or 0
                counts[elo] = total
                not_counted = counted.where(_rating.c.elo <= elo)
        return counts

    def latest_scores(self, pool: str, ids: Sequence[str], count: int) -> dict[str, list[float]]:
        """The scores of items in their last ``count`` matches that count, newest first, by id."""
        names, scores = list(dict.fromkeys(ids)), defaultdict[str, list[float]](list)
        with self._database.read() as connection:
            for item, score in _latest_scores.rows(connection, names, {"of_pool": pool, "most": count}):
                scores[item].append(score)
        return dict(scores)

    changes = reads(rating_changes.every)
    each_change = pages(rating_changes.page)
    """``changes`` of all items as an iterator that holds one page in memory."""

    def changes_of_matches(self, pool: str, matches: Sequence[str]) -> list[RatingChange]:
        """The rating changes by some matches."""
        changes_of = self._read(rating_changes.of_matches, pool, matches)
        return [change for changes in changes_of.values() for change in changes]

    adjust = appends(rating_changes.put_adjustments)
    adjustments = reads(rating_changes.recorded_adjustments)

    def whatif(
        self,
        pool: str,
        *,
        config: RatingConfig | None = None,
        without_matches: Collection[str] = (),
        without_judges: Collection[str] = (),
    ) -> EloReplay:
        """A replay of matches, adjustments and tests: with other parameters, or without some matches or judges.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        from paragone.ledger import replays  # loads what is on record of agents, too

        return self._read(
            replays.replayed, pool, config=config, without_matches=without_matches, without_judges=without_judges
        )

    def whatif_final(
        self,
        pool: str,
        *,
        config: RatingConfig | None = None,
        without_matches: Collection[str] = (),
        without_judges: Collection[str] = (),
    ) -> dict[str, Rating]:
        """The final ratings of ``whatif`` without the single changes; fast for millions of matches.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        from paragone.ledger import replays

        ratings, _ = self._read(
            replays.ratings_without, pool, config=config, without_matches=without_matches, without_judges=without_judges
        )
        return ratings


@StatementForNames
def _latest_scores(items: Sequence[BindParameter[str]]) -> Select[tuple[Any, ...]]:
    voided = select(schema.rollback.c.match).where(schema.rollback.c.pool == bindparam("of_pool"))
    order = of_few(_change.c.seq).desc()
    place = func.row_number().over(partition_by=_change.c.item, order_by=order).label("place")
    ranked = (
        select(_change.c.item, _change.c.score, place)
        .where(_change.c.pool == bindparam("of_pool"), _change.c.item.in_(items), _change.c.compensates == 0)
        .where(_change.c.match.not_in(voided))
        .subquery()
    )
    query = select(ranked.c.item, ranked.c.score).where(ranked.c.place <= bindparam("most"))
    return query.order_by(ranked.c.item, ranked.c.place)


def _highest_of(
    connection: Connection, pool: str, ratings: FromClause, is_like: ColumnElement[bool], count: int
) -> list[Rating]:
    """The highest of some ratings whose items meet a condition."""
    joined = select(*ratings.c["item", *running_ratings.RECORD]).join(
        _item, (_item.c.pool == ratings.c.pool) & (_item.c.item == ratings.c.item)
    )
    query = joined.where(ratings.c.pool == pool, is_like).order_by(ratings.c.elo.desc(), ratings.c.item)
    return [running_ratings.rating_of(*row) for row in connection.execute(query.limit(count))]
