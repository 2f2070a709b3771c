"""``ledger.matches``: record matches, read them, roll them back."""

from collections.abc import Collection, Iterator, Sequence

from paragone.domain import Comparison, Match, RatingChange
from paragone.ledger.evidence import browsing, imports, matches
from paragone.ledger.evidence.bulk import Bulk
from paragone.ledger.evidence.imports import FileToImport, ImportedFile
from paragone.ledger.evidence.match_columns import MatchColumns
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.records import Answered, RecordedMatch
from paragone.ledger.replays import rollback, whatif


class Matches(Namespace):
    """The matches of pools."""

    def record(self, pool: str, match: Match) -> tuple[RatingChange, ...]:
        """Record a match with the rating changes it causes, all or nothing; new comparisons of it are recorded too.

        Returns:
            The rating changes; for a match that is already recorded, those of then.

        Raises:
            NotFound: If there is no such pool, or it lacks one of the items.
            Conflict: If the match is recorded with other content, or one of its calls has another answer.
        """
        return self._write(matches.record, pool, match, self._clock())

    def bulk(self, pool: str) -> Bulk:
        """A recorder of many matches per transaction: the same evidence and ratings as ``record_void``, but faster."""
        return Bulk(pool, self._database, self._clock)

    def begin_import(self, file: FileToImport) -> ImportedFile:
        """Find or create the tournament that a file of votes belongs to, and tell how much of the file is recorded.

        Raises:
            Conflict: If the file cannot be imported there.
        """
        return self._write_alone(imports.begin, file, self._clock())

    def get(self, pool: str, id: str) -> RecordedMatch:
        """A match by its id.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        return self._read(matches.one, pool, id)

    def exists(self, pool: str, match: str) -> bool:
        """Whether a pool has a match."""
        return self._read(browsing.has_match, pool, match)

    def all(self, pool: str) -> tuple[RecordedMatch, ...]:
        """All matches of a pool in the order of record, rolled back ones too.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(matches.recorded, pool)

    def each(self, pool: str) -> Iterator[RecordedMatch]:
        """``all`` as an iterator that holds one page in memory.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._pages(matches.page, pool)

    def before(self, pool: str, before: int | None, count: int, item: str | None = None) -> list[RecordedMatch]:
        """Up to ``count`` matches before a sequence number, newest first.

        Args:
            pool: The pool.
            before: The sequence number; None starts at the end.
            count: The largest number of matches.
            item: Only matches that changed the rating of this item.
        """
        return self._read(browsing.matches_before, pool, before, count, item)

    def after(self, pool: str, after: int, count: int) -> list[RecordedMatch]:
        """Up to ``count`` matches after a sequence number, in the order of record."""
        return self._read(matches.page, pool, after, count)[0]

    def count(self, pool: str) -> int:
        """The number of matches in a pool, rolled back ones too."""
        return self.count_after(pool, 0)[0]

    def count_after(self, pool: str, after: int) -> tuple[int, int]:
        """The number of matches after a sequence number, rolled back ones too, and the sequence number of the last."""
        return self._read(browsing.matches_since, pool, after)

    def effects(self, pool: str, match: str) -> tuple[tuple[RatingChange, ...], tuple[RatingChange, ...]]:
        """The rating changes by a match and those by its rollback, which are empty if there was none."""
        return self._read(browsing.effects, pool, match)

    def single_answers(self, pool: str, judges: Sequence[str], after: int) -> tuple[list[Answered], int]:
        """The answers of judges in matches of a single comparison, rolled back ones too.

        Args:
            pool: The pool.
            judges: Prefixes of the judges' identities.
            after: Only matches after this sequence number.

        Returns:
            The answers in the order of record, and the last sequence number: the ``after`` of the next call.
        """
        return self._read(browsing.answered_by, pool, judges, after)

    def history(
        self, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
    ) -> tuple[Match, ...]:
        """The matches that count, in the order of record, without some matches and without some judges' verdicts.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        return self._read(whatif.history, pool, without_matches=without_matches, without_judges=without_judges)

    def columns(
        self, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
    ) -> MatchColumns | None:
        """``history`` as columns, for millions of matches.

        None if the pool has matches among several items, scorecards or tests.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        return self._read(whatif.columns, pool, without_matches, without_judges)

    def comparisons(self, pool: str) -> tuple[Comparison, ...]:
        """The comparisons of the matches that count, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        return self._read(whatif.comparisons, pool)

    def rollback(self, pool: str, match: str, reason: str) -> tuple[RatingChange, ...]:
        """Void a match and move every rating to where a replay without it ends; a second rollback changes nothing.

        Returns:
            One compensating change per rating that moved: the global ratings first, then those of domains. A rating in
            a domain without any evidence left moves to the global rating and is removed.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        return self._write(rollback.record, pool, match, reason, self._clock())

    def rollback_reason(self, pool: str, match: str) -> str:
        """Why a match was rolled back; empty if it was not."""
        return self._read(browsing.reason, pool, match)

    def rollbacks_after(self, pool: str, after: int) -> list[tuple[int, str]]:
        """The rollbacks after a sequence number, in order: the sequence number and the match of each."""
        return self._read(browsing.rollbacks_after, pool, after)
