"""Who said what of which pair: enough to show nobody the same again, and to take the last vote back."""

import threading
from collections import defaultdict
from dataclasses import dataclass

from paragone.domain import Choice
from paragone.ledger import Ledger
from paragone.pairing.presentation import PairHistory
from paragone.tournaments.tournament_settings import OBJECT_PREFIX

PEOPLE = OBJECT_PREFIX + "people"
"""The judge of pools that people vote on."""
HUMAN = "human:"
"""What the identity of a person who votes begins with."""
PROGRAM = "token:"
"""What that of a program begins with, which judges over HTTP."""


RECENT = 8
"""Votes for which a pair is not shown to the same voter again, in the other order either."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """A vote.

    Attributes:
        id: Of its match.
        first: Id of the item that was shown first.
        second: Id of the other.
        choice: What was said; an abstention where the pair was skipped.
    """

    id: str
    first: str
    second: str
    choice: Choice


class Voter:
    """The votes of one judge that stand, in the order in which they were heard of."""

    def __init__(self) -> None:
        self._casts: dict[str, Cast] = {}

    def copy(self) -> "Voter":
        """The same as it is now."""
        copied = Voter()
        copied._casts = dict(self._casts)
        return copied

    def add(self, cast: Cast) -> None:
        """Note a vote; one that is known already changes nothing."""
        self._casts.setdefault(cast.id, cast)

    def void(self, id: str) -> None:
        """Forget a vote that was taken back."""
        self._casts.pop(id, None)

    @property
    def last(self) -> Cast | None:
        """The last one."""
        return next(reversed(self._casts.values()), None)

    @property
    def votes(self) -> int:
        """How many said something."""
        return sum(cast.choice.is_evidence for cast in self._casts.values())

    @property
    def skipped(self) -> int:
        """How many did not."""
        return len(self._casts) - self.votes

    def was_shown(self) -> set[tuple[str, str]]:
        """Pairs in the order in which they were shown."""
        return {(cast.first, cast.second) for cast in self._casts.values()}

    def recent(self, count: int) -> set[frozenset[str]]:
        """The pairs of the last votes, whoever was shown first."""
        return (
            {frozenset((cast.first, cast.second)) for cast in list(self._casts.values())[-count:]} if count else set()
        )

    def asked(self, index: dict[str, int]) -> PairHistory:
        """The same as a history for the pairing, of the items that have an index."""
        positions = ((index.get(cast.first), index.get(cast.second)) for cast in self._casts.values())
        return PairHistory.of(len(index), ((a, b) for a, b in positions if a is not None and b is not None))


class Voters:
    """All who judged a pool, by identity."""

    def __init__(self) -> None:
        self._by: defaultdict[str, Voter] = defaultdict(Voter)
        self._judges: dict[str, str] = {}

    def of(self, judge: str) -> Voter:
        """What one judge said; of one who said nothing, nothing is kept: anybody may ask under any name."""
        voter = self._by.get(judge)
        return Voter() if voter is None else voter

    def add(self, judge: str, cast: Cast) -> None:
        """Note a vote of somebody."""
        self._by[judge].add(cast)
        self._judges[cast.id] = judge

    def void(self, match: str) -> None:
        """Forget a match that was rolled back."""
        judge = self._judges.pop(match, None)
        if judge is not None:
            self._by[judge].void(match)


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
            answers, self._answered = self._ledger.matches.single_answers(self._pool, (HUMAN, PROGRAM), self._answered)
            for answer in answers:
                self._voters.add(
                    answer.judge, Cast(id=answer.match, first=answer.first, second=answer.second, choice=answer.choice)
                )
            for sequence, match in self._ledger.matches.rollbacks_after(self._pool, self._rolled_back):
                self._voters.void(match)
                self._rolled_back = sequence
            self._version = version
