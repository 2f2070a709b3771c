"""``ledger.matches``: record matches, read them, roll them back."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, String, bindparam, cast, func, or_, select

from paragone.domain import Comparison, RatingChange
from paragone.ledger import chain, schema
from paragone.ledger.column_types import of_few
from paragone.ledger.databases.database import Namespace, appends, pages, reads
from paragone.ledger.evidence import match_columns, match_search, matches, rating_changes, tournaments, verdicts
from paragone.ledger.evidence.tournaments import FileToImport, ImportedFile
from paragone.ledger.records import Answered, RecordedMatch
from paragone.ledger.statements import Statement

if TYPE_CHECKING:
    from paragone.ledger.evidence.bulk_matches import Bulk

_match = schema.match


class Matches(Namespace):
    """The matches of pools."""

    record = appends(matches.record, prepare=matches.prepare)
    record_all = appends(matches.record_all)
    record_new = appends(matches.record_new, prepare=matches.prepare)

    def bulk(self, pool: str) -> "Bulk":
        """A recorder of many matches per transaction: the same evidence and ratings as ``record``, but faster."""
        from paragone.ledger.evidence.bulk_matches import Bulk  # only imports need it

        return Bulk(pool, self._database, self._clock)

    def begin_import(self, file: FileToImport) -> ImportedFile:
        """Find or create the tournament that a file of votes belongs to, and tell how much of the file is recorded.

        Raises:
            Conflict: If the file cannot be imported there.
        """
        at = self._clock()
        with self._database.write(alone=True) as connection:
            return tournaments.begin_import(connection, file, at)

    get = reads(matches.get)

    exists = reads(matches.exists)
    all = reads(matches.recorded)
    each = pages(matches.page)
    """``all`` as an iterator that holds one page in memory."""

    def before(
        self, pool: str, before: int | None, count: int, item: str | None = None, *, offset: int = 0
    ) -> list[RecordedMatch]:
        """Up to ``count`` matches before a sequence number, newest first.

        Args:
            pool: The pool.
            before: The sequence number; None starts at the end.
            count: The largest number of matches.
            item: Only matches that changed the rating of this item.
            offset: How many of them to pass over.
        """
        query = select(_match.c.match).where(_match.c.pool == pool)
        order: ColumnElement[int] = _match.c.seq
        if before is not None:
            query = query.where(_match.c.seq < before)
        if item is not None:
            query = query.where(_match.c.match.in_(rating_changes.matches_of(pool, item)))
            order = of_few(_match.c.seq)
        with self._database.read() as connection:
            ids = connection.scalars(query.order_by(order.desc()).limit(count).offset(offset)).all()
            by_id = matches.with_changes(connection, pool, ids)
        return [by_id[id][0] for id in ids]

    search = reads(match_search.search)

    def after(self, pool: str, after: int, count: int) -> list[RecordedMatch]:
        """Up to ``count`` matches after a sequence number, in the order of record."""
        return self._read(matches.page, pool, after, count)[0]

    def count(self, pool: str) -> int:
        """The number of matches in a pool, rolled back ones too."""
        return self.count_after(pool, 0)[0]

    def count_of(self, pool: str, item: str) -> int:
        """The number of matches that changed the rating of an item, rolled back ones too."""
        matches_of_item = rating_changes.matches_of(pool, item).distinct().subquery()
        with self._database.read() as connection:
            return connection.scalar(select(func.count()).select_from(matches_of_item)) or 0

    def count_after(self, pool: str, after: int) -> tuple[int, int]:
        """The number of matches after a sequence number, rolled back ones too, and the sequence number of the last."""
        return self._read(chain.count, _match, pool, after)

    def effects(self, pool: str, match: str) -> tuple[tuple[RatingChange, ...], tuple[RatingChange, ...]]:
        """The rating changes by a match and those by its rollback, which are empty if there was none."""
        with self._database.read() as connection:
            changes = rating_changes.of_match(connection, pool, match)
            return changes, rating_changes.of_match(connection, pool, match, compensates=True)

    def single_answers(self, pool: str, judges: Sequence[str], after: int) -> tuple[list[Answered], int]:
        """The answers of judges in matches of a single comparison, rolled back ones too.

        Args:
            pool: The pool.
            judges: Prefixes of the judges' identities.
            after: Only matches after this sequence number.

        Returns:
            The answers in the order of record, and the last sequence number: the ``after`` of the next call.
        """
        values = {"of_pool": pool, "after": after}
        with self._database.read() as connection:
            ((last,),) = _LAST_LINK.rows(connection, {"of_pool": pool})
            last = last or after
            rows = _answers_of(tuple(judges)).rows(connection, {**values, "last": last}) if last > after else []
        comparisons = Counter(match for match, *_ in rows)
        return [
            Answered(match=match, judge=judge, first=first, second=second, choice=choice)
            for match, judge, first, second, choice in rows
            if comparisons[match] == 1
        ], last

    failures = reads(verdicts.failures)
    history = reads(matches.history)
    columns = reads(match_columns.columns)

    def comparisons(self, pool: str) -> tuple[Comparison, ...]:
        """The comparisons of the matches that count, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        matches_ = self._read(matches.history, pool)
        return tuple(comparison for match in matches_ for comparison in match.comparisons)

    def rollback(self, pool: str, match: str, reason: str) -> tuple[RatingChange, ...]:
        """Void a match and move every rating to where a replay without it ends; a second rollback changes nothing.

        Returns:
            One compensating change per rating that moved: the global ratings first, then those of domains. A rating in
            a domain without any evidence left moves to the global rating and is removed.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        from paragone.ledger import rollback

        at = self._clock()
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            if matches.get(connection, pool, match).rolled_back:
                return rating_changes.of_match(connection, pool, match, compensates=True)
            return rollback.put(connection, page, match, reason)

    rollback_reason = reads(matches.rollback_reason)
    rollbacks_after = reads(matches.rollbacks_after)


_link = schema.match_comparison
_LAST_LINK = Statement(select(func.max(_link.c.seq)).where(_link.c.pool == bindparam("of_pool")))


@cache
def _answers_of(judges: tuple[str, ...]) -> Statement:
    """The answers of judges whose identities begin so, in the order of record."""
    comparison = schema.comparison
    return Statement(
        select(_link.c.match, *comparison.c["judge", "first", "second", "choice"])
        .join(comparison, (comparison.c.pool == _link.c.pool) & (comparison.c.seq == _link.c.comparison))
        .where(_link.c.pool == bindparam("of_pool"))
        .where(_link.c.seq > bindparam("after"), _link.c.seq <= bindparam("last"))
        .where(or_(*(cast(comparison.c.judge, String).startswith(prefix) for prefix in judges)))
        .order_by(_link.c.seq)
    )
