"""``ledger.matches``: record matches, read them, roll them back."""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import ColumnElement, String, cast, func, or_, select

from paragone.domain import Comparison, RatingChange
from paragone.ledger import chain, replays, rollback, schema
from paragone.ledger.columns import of_few
from paragone.ledger.databases.database import Namespace, appends, pages, reads
from paragone.ledger.evidence import matches, rating_changes, tournaments
from paragone.ledger.evidence.bulk import Bulk
from paragone.ledger.evidence.tournaments import FileToImport, ImportedFile
from paragone.ledger.records import Answered, RecordedMatch

_match, _rollback = schema.match, schema.rollback


class Matches(Namespace):
    """The matches of pools."""

    record = appends(matches.record)

    def bulk(self, pool: str) -> Bulk:
        """A recorder of many matches per transaction: the same evidence and ratings as ``record``, but faster."""
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

    def exists(self, pool: str, match: str) -> bool:
        """Whether a pool has a match."""
        query = select(_match.c.seq).where(_match.c.pool == pool, _match.c.match == match)
        with self._database.read() as connection:
            return connection.execute(query).first() is not None

    all = reads(matches.recorded)
    each = pages(matches.page)
    """``all`` as an iterator that holds one page in memory."""

    def before(self, pool: str, before: int | None, count: int, item: str | None = None) -> list[RecordedMatch]:
        """Up to ``count`` matches before a sequence number, newest first.

        Args:
            pool: The pool.
            before: The sequence number; None starts at the end.
            count: The largest number of matches.
            item: Only matches that changed the rating of this item.
        """
        query = select(_match.c.match).where(_match.c.pool == pool)
        order: ColumnElement[int] = _match.c.seq
        if before is not None:
            query = query.where(_match.c.seq < before)
        if item is not None:
            query = query.where(_match.c.match.in_(rating_changes.matches_of(pool, item)))
            order = of_few(_match.c.seq)
        with self._database.read() as connection:
            ids = connection.scalars(query.order_by(order.desc()).limit(count)).all()
            by_id = matches.with_changes(connection, pool, ids)
        return [by_id[id][0] for id in ids]

    def after(self, pool: str, after: int, count: int) -> list[RecordedMatch]:
        """Up to ``count`` matches after a sequence number, in the order of record."""
        return self._read(matches.page, pool, after, count)[0]

    def count(self, pool: str) -> int:
        """The number of matches in a pool, rolled back ones too."""
        return self.count_after(pool, 0)[0]

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
        comparison, link = schema.comparison, schema.match_comparison
        query = (
            select(link.c.match, *comparison.c["judge", "first", "second", "choice"])
            .join(comparison, (comparison.c.pool == link.c.pool) & (comparison.c.seq == link.c.comparison))
            .where(or_(*(cast(comparison.c.judge, String).startswith(prefix) for prefix in judges)))
            .order_by(link.c.seq)
        )
        of_pool = link.c.pool == pool
        with self._database.read() as connection:
            last = connection.scalar(select(func.max(link.c.seq)).where(of_pool)) or after
            rows = connection.execute(query.where(of_pool, link.c.seq > after, link.c.seq <= last)).all()
        comparisons = Counter(row.match for row in rows)
        return [Answered(**row._mapping) for row in rows if comparisons[row.match] == 1], last

    history = reads(replays.history)
    columns = reads(replays.columns)

    def comparisons(self, pool: str) -> tuple[Comparison, ...]:
        """The comparisons of the matches that count, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        matches_ = self._read(replays.history, pool)
        return tuple(comparison for match in matches_ for comparison in match.comparisons)

    def rollback(self, pool: str, match: str, reason: str) -> tuple[RatingChange, ...]:
        """Void a match and move every rating to where a replay without it ends; a second rollback changes nothing.

        Returns:
            One compensating change per rating that moved: the global ratings first, then those of domains. A rating in
            a domain without any evidence left moves to the global rating and is removed.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        at = self._clock()
        with self._database.write() as connection, chain.appending(connection, pool, at) as page:
            if matches.get(connection, pool, match).rolled_back:
                return rating_changes.of_match(connection, pool, match, compensates=True)
            return rollback.put(connection, page, match, reason)

    def rollback_reason(self, pool: str, match: str) -> str:
        """Why a match was rolled back; empty if it was not."""
        query = select(_rollback.c.reason).where(_rollback.c.pool == pool, _rollback.c.match == match)
        with self._database.read() as connection:
            return str(connection.scalar(query) or "")

    def rollbacks_after(self, pool: str, after: int) -> list[tuple[int, str]]:
        """The rollbacks after a sequence number, in order: the sequence number and the match of each."""
        query = select(_rollback.c.seq, _rollback.c.match).where(_rollback.c.pool == pool, _rollback.c.seq > after)
        with self._database.read() as connection:
            return [(seq, match) for seq, match in connection.execute(query.order_by(_rollback.c.seq))]
