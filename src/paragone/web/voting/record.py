"""Who said what about the items of a pool, as the ledger has it, in whichever process it was written."""

import threading

from paragone.ledger import Ledger
from paragone.web.people import HUMAN, PROGRAM
from paragone.web.voting.voters import Cast, Voter, Voters


class Record:
    """The votes on one pool. Threads share one; it reads each vote once, and no more of a match than it needs."""

    def __init__(self, ledger: Ledger, pool: str) -> None:
        self._ledger, self._pool = ledger, pool
        self._lock = threading.Lock()
        self._voters = Voters()
        self._version: int | None = -1
        self._answered = self._rolled_back = 0  # places in the record

    def of(self, judge: str) -> Voter:
        """What one judge said, as far as it was heard of; what comes in later is not among it."""
        with self._lock:
            return self._voters.of(judge).copy()

    def hear(self) -> None:
        """Take in what was written since the last time; where nothing was, that takes one short question."""
        with self._lock:
            version = self._ledger.pools.version(self._pool)
            if version == self._version:
                return
            said, self._answered = self._ledger.matches.single_answers(self._pool, (HUMAN, PROGRAM), self._answered)
            for one in said:
                self._voters.add(one.judge, Cast(id=one.match, first=one.first, second=one.second, choice=one.choice))
            for place, match in self._ledger.matches.rollbacks_after(self._pool, self._rolled_back):
                self._voters.void(match)
                self._rolled_back = place
            self._version = version
