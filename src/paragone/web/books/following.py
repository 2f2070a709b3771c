"""What was recorded in a pool since the last look: new matches and rollbacks, however many there were before."""

from collections.abc import Iterator

from paragone.domain import Match
from paragone.ledger import Ledger

PAGE = 1_000
"""Matches that are read at once."""


class Following:
    """Keeps a place in the record of a pool. It begins where the record ends now."""

    def __init__(self, ledger: Ledger, pool: str) -> None:
        self._pool = pool
        newest = ledger.matches.before(pool, None, 1)
        self._matches = newest[0].sequence if newest else 0
        self._rollbacks = max(
            (place for place, _ in ledger.matches.rollbacks_after(pool, self._matches)), default=self._matches
        )

    def matches(self, ledger: Ledger) -> Iterator[Match]:
        """Those that were recorded since."""
        while True:
            page = ledger.matches.after(self._pool, self._matches, PAGE)
            for entry in page:
                yield entry.match
            if not page:
                return
            self._matches = page[-1].sequence

    def rollbacks(self, ledger: Ledger) -> list[str]:
        """Ids of the matches that were rolled back since."""
        found = ledger.matches.rollbacks_after(self._pool, self._rollbacks)
        if found:
            self._rollbacks = found[-1][0]
        return [match for _, match in found]
