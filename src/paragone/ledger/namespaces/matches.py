"""Matches of a pool: recording, reading, rolling back."""

from collections.abc import Collection, Iterator, Sequence

from paragone.domain import (
    Comparison,
    Match,
    RatingChange,
)
from paragone.ledger import (
    browsing,
    imports,
    matches,
    reading,
)
from paragone.ledger.bulk import Bulk
from paragone.ledger.imports import FileToImport, ImportedFile
from paragone.ledger.namespaces.namespace import Namespace
from paragone.ledger.played import Played
from paragone.ledger.records import (
    Answered,
    RecordedMatch,
)
from paragone.ledger.replays import rollback, whatif


class Matches(Namespace):
    """The matches of pools."""

    def record(self, pool: str, match: Match) -> tuple[RatingChange, ...]:
        """Record a match with the ratings it moves, all or nothing; comparisons that are not kept yet are kept too.

        Returns:
            The changes it made; for a match that is there already, those that it made then.

        Raises:
            NotFound: If there is no such pool, or it lacks one of the items.
            Conflict: If the match is there with other content, or one of its calls has another answer.
        """
        with self._database.write() as connection:
            return matches.record(connection, pool, match, self._clock())

    def bulk(self, pool: str) -> Bulk:
        """What records many matches in one transaction: the same evidence and the same ratings, in less time."""
        return Bulk(pool, self._database, self._clock)

    def begin_import(self, file: FileToImport) -> ImportedFile:
        """Find the tournament that a file of votes belongs to, or make it, and say how much of the file is there.

        Raises:
            Conflict: If the file cannot be imported there.
        """
        with self._database.write(alone=True) as connection:
            return imports.begin(connection, file, self._clock())

    def get(self, pool: str, id: str) -> RecordedMatch:
        """A match.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        with self._database.read() as connection:
            return matches.one(connection, pool, id)

    def all(self, pool: str) -> tuple[RecordedMatch, ...]:
        """All matches of a pool, those that were rolled back too, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return matches.recorded(connection, pool)

    def each(self, pool: str) -> Iterator[RecordedMatch]:
        """``matches`` one after the other, of which no more than a page is in memory.

        Raises:
            NotFound: If there is no such pool.
        """
        return reading.each_match(self._database, pool)

    def before(self, pool: str, before: int | None, count: int, item: str | None = None) -> list[RecordedMatch]:
        """So many matches from a place in the record backwards, the newest first.

        Args:
            pool: The pool.
            before: The first place that is left out; from the end where None.
            count: Matches at the most.
            item: Only those that moved the rating of this item.
        """
        with self._database.read() as connection:
            return browsing.matches_before(connection, pool, before, count, item)

    def after(self, pool: str, after: int, count: int) -> list[RecordedMatch]:
        """So many matches from a place in the record on, in the order of record."""
        with self._database.read() as connection:
            return matches.page(connection, pool, after, count)[0]

    def count(self, pool: str) -> int:
        """How many matches a pool has, those that were rolled back too."""
        return self.count_after(pool, 0)[0]

    def count_after(self, pool: str, after: int) -> tuple[int, int]:
        """The same of matches, those that were rolled back too."""
        with self._database.read() as connection:
            return browsing.matches_since(connection, pool, after)

    def exists(self, pool: str, match: str) -> bool:
        """Whether a match is in a pool."""
        with self._database.read() as connection:
            return browsing.has_match(connection, pool, match)

    def effects(self, pool: str, match: str) -> tuple[tuple[RatingChange, ...], tuple[RatingChange, ...]]:
        """What a match did to ratings, and what its rollback did; the latter empty where there was none."""
        with self._database.read() as connection:
            return browsing.effects(connection, pool, match)

    def single_answers(self, pool: str, beginnings: Sequence[str], after: int) -> tuple[list[Answered], int]:
        """What judges whose identities begin so were asked once and answered in matches, rolled back ones too.

        Args:
            pool: The pool.
            beginnings: Of identities.
            after: The last place of the record that is left out.

        Returns:
            The answers in the order of record, and where the record ends: what to go on after.
        """
        with self._database.read() as connection:
            return browsing.answered_by(connection, pool, beginnings, after)

    def comparisons(self, pool: str) -> tuple[Comparison, ...]:
        """The comparisons of the matches that stand, in the order of record.

        Raises:
            NotFound: If there is no such pool.
        """
        with self._database.read() as connection:
            return whatif.comparisons(connection, pool)

    def history(
        self, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
    ) -> tuple[Match, ...]:
        """The matches that stand, less some matches and less what some judges said, in the order of record.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        with self._database.read() as connection:
            return whatif.history(connection, pool, without_matches=without_matches, without_judges=without_judges)

    def columns(
        self, pool: str, *, without_matches: Collection[str] = (), without_judges: Collection[str] = ()
    ) -> Played | None:
        """``history`` as columns, for matches by the million.

        None where a match was among several items, and where there are scorecards or tests.

        Raises:
            NotFound: If there is no such pool, or one of the matches or judges is not in it.
        """
        with self._database.read() as connection:
            return whatif.columns(connection, pool, without_matches, without_judges)

    def rollback(self, pool: str, match: str, reason: str) -> tuple[RatingChange, ...]:
        """Void a match and move every rating to where a replay without it ends. Again, it changes nothing.

        Returns:
            The compensating changes, one for each rating that moved: the global ones, then those of domains. A rating
            in a domain of which nothing is left goes to the global one, and ends.

        Raises:
            NotFound: If there is no such pool, or no such match in it.
        """
        with self._database.write() as connection:
            return rollback.record(connection, pool, match, reason, self._clock())

    def rollback_reason(self, pool: str, match: str) -> str:
        """Why a match was rolled back; empty where it was not."""
        with self._database.read() as connection:
            return browsing.reason(connection, pool, match)

    def rollbacks_after(self, pool: str, after: int) -> list[tuple[int, str]]:
        """Matches that were rolled back after a place in the record, in order, each with the place of its rollback."""
        with self._database.read() as connection:
            return browsing.rollbacks_after(connection, pool, after)
