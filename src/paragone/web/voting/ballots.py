"""The ballots of a server: one for each pool that somebody votes on, made when the first comes."""

import hashlib
import json
import secrets
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from paragone.domain import Comparison, Goal, Item, Match, Outcome, Verdict, decide
from paragone.errors import Conflict, InvalidConfig, InvalidEvidence, NotFound
from paragone.ledger import Ledger
from paragone.tournaments.tournament_settings import IMPORTED, TournamentSettings
from paragone.web.config import WebConfig
from paragone.web.readers.background import BackgroundExecutor
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.voting.offer import Offer, opened, sealed
from paragone.web.voting.pairs import MOST, Pairs
from paragone.web.voting.planner import Pair, Progress
from paragone.web.voting.voters import Record

OPEN = 300.0
"""Seconds for which a pair that a person looks at is not planned for others; a lease is kept to its end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """What became of an answer.

    Attributes:
        id: Of the match that it is.
        is_new: Whether it was recorded now, and not before.
    """

    id: str
    is_new: bool


class Ballot:
    """The votes on one pool. Threads share one; processes each have their own, and meet in the ledger.

    A vote is one short write. Its id is made of who votes on which pair, so that whoever is shown the same pair by two
    processes, in two windows, votes on it once.

    Attributes:
        pool: Id of the pool, which is that of its tournament.
        goal: The ranking asked for.
        criteria: What "better" means.
    """

    def __init__(
        self,
        ledger: Ledger,
        pool: str,
        goal: Goal,
        executor: Executor,
        *,
        criteria: str = "",
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
        new_turn: Callable[[], int] = lambda: secrets.randbits(31),
    ) -> None:
        self.pool, self.goal, self.criteria = pool, goal, criteria
        self._ledger, self._clock, self._new_id = ledger, clock, new_id
        self._record = Record(ledger, pool)
        self._pairs = Pairs(ledger, pool, goal, self._record, executor, clock=clock, new_turn=new_turn)
        self._lock, self._writing = threading.Lock(), threading.Lock()
        self._held: OrderedDict[str, Offer] = OrderedDict()

    def offer(self, judge: str, seconds: float) -> Offer | None:
        """The next pair for a person; the same one again, as who loads a page anew gets, until it is answered.

        Args:
            judge: Identity of who asks.
            seconds: How long it may be answered.

        Returns:
            The pair; None where they have seen every pair in both orders.
        """
        self._record.hear()
        with self._lock:
            offers = self._held.get(judge)
        if offers is not None and offers.until > self._clock() + seconds / 2 and not self._was_answered(offers):
            return offers
        while (pair := self._pairs.next(judge)) is not None:
            id = self._id_for(judge, pair)
            if id is not None:
                return self._hold(self._made(id, pair, judge, seconds), min(seconds, OPEN))
            self._record.hear()
        return None

    def lease(self, judge: str, seconds: float) -> Offer | None:
        """The next pair for a judge that works elsewhere; another one each time, since it may hold several.

        Until its end the pair is planned for nobody else here, and after that a verdict on it is refused. A judge that
        dies costs nothing but the time.
        """
        self._record.hear()
        pair = self._pairs.next(judge, alone=True)
        return None if pair is None else self._leased(self._made(f"lease-{self._new_id()}", pair, judge, seconds))

    def renew(self, lease: Offer, seconds: float) -> Offer:
        """A lease that lasts for so long from now on.

        Raises:
            Conflict: If it was answered already.
        """
        if self._was_answered(lease):
            raise Conflict("this pair was judged already: ask for the next one")
        return self._leased(replace(lease, until=self._clock() + seconds))

    def give_back(self, lease: Offer) -> None:
        """A judge will not answer: the pair is free for others at once."""
        self._pairs.give_back(lease.id)

    def answer(self, offer: Offer, verdict: Verdict) -> Recorded:
        """Record an answer as a match. The same answer again changes nothing.

        Raises:
            Conflict: If another answer was given to this offer, and was not taken back.
        """
        id = offer.id
        while True:
            match = _match(id, offer, verdict)
            try:
                with self._writing:  # so that of two that come at once one is told that it is new
                    is_new = not self._ledger.matches.exists(self.pool, id)
                    self._ledger.matches.record(self.pool, match)
            except Conflict:
                recorded = self._ledger.matches.get(self.pool, id)
                if [call.verdict.choice for call in recorded.match.comparisons] == [verdict.choice]:
                    is_new = False  # the same, though perhaps after another time of thinking
                elif recorded.rolled_back:
                    id = _named(id)  # that of the same pair once more
                    continue
                else:
                    raise Conflict(
                        "this pair was answered otherwise already, perhaps in another window; take that vote back, or "
                        "ask for the next pair"
                    ) from None
            self._answered(offer, match, is_new=is_new)
            return Recorded(id=id, is_new=is_new)

    def undo(self, judge: str, vote: str, seconds: float) -> Offer | None:
        """Take somebody's last vote back, and offer its pair again. Again, it changes nothing.

        Raises:
            NotFound: If there is no such vote of theirs.
            Conflict: If it is not their last.
        """
        recorded = self._ledger.matches.get(self.pool, vote)
        if [call.verdict.judge for call in recorded.match.comparisons] != [judge]:
            raise NotFound(f"{judge!r} has cast no vote {vote!r}")
        if recorded.rolled_back:
            return self.offer(judge, seconds)
        self._record.hear()
        last = self.last(judge)
        if last is not None and last != vote:
            raise Conflict("only your last vote can be taken back, and this is an older one; an admin can roll it back")
        self._ledger.matches.rollback(self.pool, vote, f"taken back by {judge}")
        self._record.hear()
        (call,) = recorded.match.comparisons
        return self._taken_back((call.first, call.second), judge, seconds)

    def last(self, judge: str) -> str | None:
        """Id of somebody's last vote that stands; None where there is none."""
        cast = self._record.of(judge).last
        return None if cast is None else cast.id

    def votes(self, judge: str) -> tuple[int, int]:
        """How many votes of somebody stand, and how many pairs they skipped."""
        voter = self._record.of(judge)
        return voter.votes, voter.skipped

    @property
    def progress(self) -> Progress | None:
        """How far things were at the last plan; None where the pool is too large for a fit, or nothing was planned."""
        return self._pairs.progress

    @property
    def pending(self) -> bool:
        """Whether the first plan is still to come; never where the pool is too large for one."""
        return self._pairs.pending

    @property
    def since(self) -> int:
        """Answers that were given here since the last plan."""
        return self._pairs.since

    def plan(self) -> None:
        """Plan now, whatever is planned already, and wait for it."""
        self._record.hear()
        self._pairs.plan()

    def _id_for(self, judge: str, pair: Pair) -> str | None:
        """The id of somebody's vote on a pair; None where it was cast a moment ago elsewhere.

        What was taken back keeps its id, so the next vote on the pair has the one after it. So has one whose id
        somebody else gave to a match of their own: it can be foretold.
        """
        id = _named(self.pool, judge, *pair)
        while self._ledger.matches.exists(self.pool, id):
            recorded = self._ledger.matches.get(self.pool, id)
            casts = [(call.verdict.judge, call.first, call.second) for call in recorded.match.comparisons]
            if not recorded.rolled_back and casts == [(judge, *pair)]:
                return None
            id = _named(id)
        return id

    def _was_answered(self, offer: Offer) -> bool:
        return self._ledger.matches.exists(self.pool, offer.id)

    def _made(self, id: str, pair: Pair, judge: str, seconds: float) -> Offer:
        until = self._clock() + seconds
        return Offer(id=id, pool=self.pool, first=pair[0], second=pair[1], judge=judge, until=until)

    def _leased(self, lease: Offer) -> Offer:
        self._pairs.hand_out(lease.id, (lease.first, lease.second), lease.until)
        return lease

    def _hold(self, offer: Offer, seconds: float) -> Offer:
        self._pairs.hand_out(offer.id, (offer.first, offer.second), self._clock() + seconds)
        with self._lock:
            self._held[offer.judge] = offer
            self._held.move_to_end(offer.judge)
            if len(self._held) > MOST:
                self._held.popitem(last=False)
        return offer

    def _answered(self, offer: Offer, match: Match, *, is_new: bool) -> None:
        self._pairs.answered(offer.id, tells=is_new and match.outcome is not Outcome.VOID)
        self._record.hear()
        with self._lock:
            offers = self._held.get(offer.judge)
            if offers is not None and offers.id == offer.id:
                del self._held[offer.judge]

    def _taken_back(self, pair: Pair, judge: str, seconds: float) -> Offer | None:
        with self._lock:
            displaced = self._held.pop(judge, None)
        if displaced is not None:
            self._pairs.give_back(displaced.id)
        id = self._id_for(judge, pair)
        if id is None:  # it was voted on meanwhile, in another window
            return self.offer(judge, seconds)
        return self._hold(self._made(id, pair, judge, seconds), min(seconds, OPEN))


def _named(*parts: str) -> str:
    return f"vote-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"


def _match(id: str, offer: Offer, verdict: Verdict) -> Match:
    """The match that an answer is; void where it declined to say."""
    call = Comparison(call=f"{id}/1", first=offer.first, second=offer.second, verdict=verdict)
    score = call.score_of(offer.first)
    outcome = decide(() if score is None else (score,))
    return Match(id=id, a=offer.first, b=offer.second, outcome=outcome, comparisons=(call,))


OPEN_AT_ONCE = 16
"""Pools whose ballots are kept; that of the pool that was voted on least recently goes first."""


class Ballots:
    """What votes and verdicts from outside go through. Threads share one.

    Attributes:
        seconds: How long a person may look at a pair.
    """

    def __init__(self, reader: LedgerReader, config: WebConfig) -> None:
        self.seconds = 60.0 * config.offer_minutes
        # Without a secret there is one of this process: nobody else takes its offers, nor it those of before a restart.
        self._secret = config.secret or secrets.token_bytes(32)
        self._reader = reader
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Ballot] = OrderedDict()
        self._background = BackgroundExecutor(2, "pairs")

    def of(self, pool: str) -> Ballot:
        """The ballot of a pool.

        Raises:
            NotFound: If there is no such pool.
            InvalidConfig: If it cannot be voted on.
        """
        self._reader.version(pool)
        with self._lock:
            ballot = self._kept.get(pool)
            if ballot is None:
                brief = brief_of(self._reader, pool)
                require_open(self._reader, pool, brief)
                ballot = self._kept[pool] = Ballot(
                    self._reader.ledger, pool, brief.goal, self._background, criteria=brief.criteria
                )
            self._kept.move_to_end(pool)
            if len(self._kept) > OPEN_AT_ONCE:
                self._kept.popitem(last=False)
            return ballot

    def sealed(self, offer: Offer) -> str:
        """An offer as it is handed out."""
        return sealed(offer, self._secret)

    def opened(self, text: str, pool: str, judge: str) -> Offer:
        """An offer as it comes back.

        Raises:
            InvalidEvidence: If it is none of ours, is too old, or was made to somebody else or for another pool.
        """
        offer = opened(text, self._secret, time.time())
        if (offer.pool, offer.judge) != (pool, judge):
            raise InvalidEvidence("this pair was handed out to somebody else, or is of another pool; ask for your own")
        return offer

    def texts(self, offer: Offer) -> tuple[Item, Item]:
        """The two items of an offer, as they are shown."""
        items = self._reader.ledger.items.by_id(offer.pool, [offer.first, offer.second])
        return items[offer.first], items[offer.second]

    def close(self) -> None:
        """Plan nothing more; votes are in the ledger already."""
        self._background.shutdown()


def brief_of(reader: LedgerReader, pool: str) -> TournamentSettings:
    """What a tournament is asked to do, with the limits that it got later.

    Raises:
        NotFound: If the pool is no tournament: nobody has said what "better" means there.
    """
    if not reader.is_tournament(pool):
        raise NotFound(
            f"pool {pool!r} has no criteria, so nobody can vote on it: make one with criteria, from its items"
        )
    ledger: Ledger = reader.ledger
    return TournamentSettings.from_json(ledger.tournaments.get(pool).settings).after(ledger.tournaments.events(pool))


def require_open(reader: LedgerReader, pool: str, brief: TournamentSettings) -> None:
    """Refuse votes on a tournament that has no room for them, or nothing to show.

    Raises:
        InvalidConfig: If it is of that kind.
    """
    reason = why_closed(reader, pool, brief)
    if reason:
        raise InvalidConfig(reason)


def why_closed(reader: LedgerReader, pool: str, brief: TournamentSettings) -> str:
    """Why nobody can vote on a tournament; empty where people can."""
    if brief.pairing != "informative":
        return (
            f"{pool} is paired by {brief.pairing}, which plans who meets whom in rounds of its own; votes are for "
            "pools with the informative pairing: make one from its items"
        )
    if brief.judge == IMPORTED and not reader.kept("has texts", pool, lambda: reader.ledger.items.have_texts(pool)):
        return (
            f"the items of {pool} are known by their ids alone, since its votes were imported: there is no text that a "
            "voter could be shown; make a pool with their texts"
        )
    return ""
