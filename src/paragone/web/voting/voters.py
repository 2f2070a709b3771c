"""What people can vote on; and votes by judge: enough to show no pair twice, and to take the last vote back."""

import asyncio
import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool

from paragone.domain import Choice, Match
from paragone.errors import InvalidConfig, NotFound
from paragone.ledger import Ledger
from paragone.pairing.presentation import PairHistory
from paragone.tournaments.agreement import HUMAN as HUMAN  # noqa: PLC0414 - others know it from here
from paragone.tournaments.lifecycle import lifecycle
from paragone.tournaments.tournament_settings import IMPORTED, OBJECT_PREFIX, TournamentSettings
from paragone.web.readers.ledger_reader import LedgerReader

PEOPLE = OBJECT_PREFIX + "people"
"""The judge of pools that people vote on."""
PROGRAM = "token:"
"""What that of a program begins with, which judges over HTTP."""

RECENT = 8
"""Votes for which a voter does not see a pair again, in either order."""


def settings_of(reader: LedgerReader, pool: str) -> TournamentSettings:
    """The settings of a tournament, with later changes of its limits.

    Raises:
        NotFound: If the pool is no tournament, and so has no criteria.
    """
    if not reader.is_tournament(pool):
        raise NotFound(
            f"pool {pool!r} has no criteria, so nobody can vote on it: make one with criteria, from its items"
        )
    ledger: Ledger = reader.ledger
    return TournamentSettings.from_json(ledger.tournaments.get(pool).settings).after(ledger.tournaments.events(pool))


def require_open(reader: LedgerReader, pool: str, settings: TournamentSettings) -> None:
    """Refuse votes on a tournament that takes none, or has no texts to show.

    Raises:
        InvalidConfig: If it does.
    """
    reason = why_closed(reader, pool, settings)
    if reason:
        raise InvalidConfig(reason)


def why_closed(reader: LedgerReader, pool: str, settings: TournamentSettings) -> str:
    """Why nobody can vote on a tournament; empty if people can."""
    if lifecycle(reader.ledger, pool).state == "deleted":
        return f"{pool} was deleted: it takes no votes; what is on record stays"
    if settings.pairing != "informative":
        return (
            f"{pool} is paired by {settings.pairing}, which plans who meets whom in rounds of its own; votes are for "
            "pools with the informative pairing: make one from its items"
        )
    if settings.judge == IMPORTED and not reader.kept("has texts", pool, lambda: reader.ledger.items.have_texts(pool)):
        return (
            f"the items of {pool} are known by their ids alone, since its votes were imported: there is no text that a "
            "voter could be shown; make a pool with their texts"
        )
    return ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Cast:
    """A vote.

    Attributes:
        id: Of its match.
        first: Id of the item that was shown first.
        second: Id of the other.
        choice: The choice; an abstention if the pair was skipped.
    """

    id: str
    first: str
    second: str
    choice: Choice

    @property
    def pair(self) -> tuple[str, str]:
        """The two items, in the order in which they were shown."""
        return self.first, self.second


@dataclass(frozen=True, kw_only=True, slots=True)
class Voter:
    """The votes of one judge that stand, in the order in which they were read.

    Attributes:
        casts: The votes by id.
        shown: Their pairs, in the order in which they were shown.
        votes: Their number, without skipped pairs.
        taken_back: The pairs of votes that do not stand any more.
    """

    casts: dict[str, Cast] = field(default_factory=dict)
    shown: frozenset[tuple[str, str]] = frozenset()
    votes: int = 0
    taken_back: frozenset[tuple[str, str]] = frozenset()

    @property
    def last(self) -> Cast | None:
        """The last one."""
        return next(reversed(self.casts.values()), None)

    @property
    def skipped(self) -> int:
        """Number of skipped pairs."""
        return len(self.casts) - self.votes

    def nth_last(self, count: int) -> Cast | None:
        """The vote or skip before which there were ``count`` others since; None if there were fewer."""
        return next(islice(reversed(self.casts.values()), count, None), None)

    def has_seen(self, pair: tuple[str, str]) -> bool:
        """Whether they saw a pair, in either order."""
        return pair in self.shown or pair[::-1] in self.shown

    def recent(self, count: int) -> set[frozenset[str]]:
        """The pairs of the last votes, in either order."""
        last = islice(reversed(self.casts.values()), max(count, 0))
        return {frozenset((cast.first, cast.second)) for cast in last}

    def asked(self, index: dict[str, int]) -> PairHistory:
        """The votes as a history for the pairing, of the items that have an index."""
        positions = ((index.get(cast.first), index.get(cast.second)) for cast in self.casts.values())
        return PairHistory.of(len(index), ((a, b) for a, b in positions if a is not None and b is not None))


class _Standing:
    """The votes of one judge, as they are read."""

    def __init__(self) -> None:
        self.casts: dict[str, Cast] = {}
        self.taken_back: set[tuple[str, str]] = set()
        self._count()

    def add(self, cast: Cast) -> None:
        self.casts[cast.id] = cast
        self._shown.add(cast.pair)
        self._votes += cast.choice.is_evidence

    def void(self, match: str) -> Cast:
        cast = self.casts.pop(match)
        self.taken_back.add(cast.pair)
        self._count()
        return cast

    def _count(self) -> None:
        self._shown = {cast.pair for cast in self.casts.values()}
        self._votes = sum(cast.choice.is_evidence for cast in self.casts.values())

    def copy(self) -> Voter:
        return Voter(
            casts=dict(self.casts),
            shown=frozenset(self._shown),
            votes=self._votes,
            taken_back=frozenset(self.taken_back),
        )


class Crowd:
    """The people who judged one pair.

    Attributes:
        first_shown: The pair as it was shown first.
        votes: Votes that stand, by judge.
    """

    __slots__ = ("first_shown", "votes")

    def __init__(self, first_shown: tuple[str, str]) -> None:
        self.first_shown, self.votes = first_shown, Counter[str]()

    def __len__(self) -> int:
        return sum(count > 0 for count in self.votes.values())


class Voters:
    """The votes on a pool by judge."""

    def __init__(self) -> None:
        self._by: defaultdict[str, _Standing] = defaultdict(_Standing)
        self._judges: dict[str, str] = {}
        self._crowds: dict[frozenset[str], Crowd] = {}
        self._void: set[str] = set()
        self._copies: dict[str, Voter] = {}

    def of(self, judge: str) -> Voter:
        """A copy of the votes of one judge, the same one until they change.

        For a judge without votes nothing is stored: anybody may ask under any name.
        """
        copied = self._copies.get(judge)
        if copied is None:
            if judge not in self._by:
                return Voter()
            copied = self._copies[judge] = self._by[judge].copy()
        return copied

    def add(self, judge: str, cast: Cast) -> None:
        """Add a vote of a judge; one that was added before, or rolled back since, changes nothing."""
        if cast.id not in self._judges and cast.id not in self._void:
            self._by[judge].add(cast)
            self._judges[cast.id] = judge
            if judge.startswith(HUMAN) and cast.choice.is_evidence:
                self._crowds.setdefault(frozenset(cast.pair), Crowd(cast.pair)).votes[judge] += 1
            self._copies.pop(judge, None)

    def crowd(self, pair: frozenset[str]) -> int:
        """How many people judged a pair, in either order."""
        crowd = self._crowds.get(pair)
        return 0 if crowd is None else len(crowd)

    def begun(self, overlap: int) -> Iterator[tuple[tuple[str, str], int]]:
        """The pairs that some people judged, and fewer than so many: in their first order, with their number."""
        for crowd in self._crowds.values():
            if 0 < len(crowd) < overlap:
                yield crowd.first_shown, len(crowd)

    def void(self, match: str) -> None:
        """Remove a match that was rolled back."""
        judge = self._judges.pop(match, None)
        self._void.add(match)
        if judge is not None:
            cast = self._by[judge].void(match)
            if judge.startswith(HUMAN) and cast.choice.is_evidence:
                self._crowds[frozenset(cast.pair)].votes[judge] -= 1
            self._copies.pop(judge, None)


HEARD = 1.0
"""Seconds after which a vote is followed by a look at what other processes recorded."""


class VoteRecord:
    """The votes on one pool, each read once. Thread-safe; only ``hear`` waits for the database."""

    def __init__(self, ledger: Ledger, pool: str) -> None:
        self._ledger, self._pool = ledger, pool
        self._lock, self._reading = threading.Lock(), threading.Lock()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._voters = Voters()
        self._version: int | None = -1
        self._answered = self._rolled_back = 0  # places in the record
        self._begun = self._ended = 0  # numbers of the last read that began, and of the last that succeeded
        self._since = -math.inf  # when that began, by the monotonic clock

    def of(self, judge: str) -> Voter:
        """A copy of the votes of one judge, as far as they were read."""
        with self._lock:
            return self._voters.of(judge)

    def crowd(self, pair: frozenset[str]) -> int:
        """How many people judged a pair, in either order."""
        with self._lock:
            return self._voters.crowd(pair)

    def first_begun(
        self, overlap: int, fits: Callable[[tuple[str, str], int], bool]
    ) -> tuple[tuple[str, str], int] | None:
        """The first pair that some people judged, fewer than so many, and that fits; with their number."""
        with self._lock:
            candidates = self._voters.begun(overlap)
            return next(((pair, people) for pair, people in candidates if fits(pair, people)), None)

    def hear(self) -> None:
        """Read what was written before this call; without writes that is one short query.

        A read that began after the call serves it, so many who call at once share one.
        """
        before = self._begun
        with self._reading:
            if self._ended <= before:
                self._begun += 1
                since = time.monotonic()
                self._read()
                self._ended, self._since = self._begun, since

    async def add(self, match: Match) -> None:
        """Add a vote that was just recorded here, and hear of others now and then, not before every answer."""
        (call,) = match.comparisons
        cast = Cast(id=match.id, first=call.first, second=call.second, choice=call.verdict.choice)
        with self._lock:
            self._voters.add(call.verdict.judge, cast)
        if time.monotonic() - self._since > HEARD:
            await self.heard()

    async def heard(self) -> None:
        """``hear`` for an event loop: those who wait for a read take up no threads."""
        before = self._begun
        turn = self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with turn:
            if self._ended <= before:
                await run_in_threadpool(self.hear)

    def _read(self) -> None:
        version = self._ledger.pools.version(self._pool)
        if version == self._version:
            return
        with self._ledger.snapshot() as now:
            version = now.pools.version(self._pool)
            answers, answered = now.matches.single_answers(self._pool, (HUMAN, PROGRAM), self._answered)
            rollbacks = now.matches.rollbacks_after(self._pool, self._rolled_back)
        with self._lock:
            for answer in answers:
                self._voters.add(
                    answer.judge, Cast(id=answer.match, first=answer.first, second=answer.second, choice=answer.choice)
                )
            for sequence, match in rollbacks:
                self._voters.void(match)
                self._rolled_back = sequence
            self._version, self._answered = version, answered
