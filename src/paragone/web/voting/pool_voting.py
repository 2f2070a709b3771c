"""The votes on the pools of a server: ``Voting`` has a ``PoolVoting`` for each, made when the first voter comes.

An offer is a pair as one judge sees it. It is signed and stored nowhere, so that any process can take the answer.
"""

import base64
import binascii
import hashlib
import hmac
import json
import math
import secrets
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace

from starlette.concurrency import run_in_threadpool

from paragone.domain import Choice, Comparison, Goal, Item, Match, Outcome, Verdict, decide
from paragone.domain.voting_rules import VotingRules
from paragone.errors import Conflict, InvalidEvidence, NotFound
from paragone.ledger import Ledger
from paragone.tournaments.agreement import rules_after
from paragone.web.config import WebConfig
from paragone.web.readers.background import BackgroundExecutor
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.voting.pair_queue import MOST, PairQueue
from paragone.web.voting.vote_planner import IdPair
from paragone.web.voting.voters import VoteRecord, require_open, settings_of
from paragone.wire.vote import VotingProgress

DAY = 86_400.0
RULES = 2.0
"""Seconds after which the rules for people are read again."""
OPEN = 300.0
"""Seconds for which a pair shown to a person is not planned for others; a lease is kept to its end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """A pair that is offered to a judge.

    Attributes:
        id: Id of the vote that it becomes; sending the answer twice is one vote.
        pool: The pool that both are in.
        first: Id of the item shown first: on the left, or above.
        second: Id of the other.
        judge: Identity of the judge.
        until: Until when it may be answered, in seconds since 1970.
    """

    id: str
    pool: str
    first: str
    second: str
    judge: str
    until: float

    @property
    def key(self) -> frozenset[str]:
        """The two items, in any order."""
        return frozenset((self.first, self.second))


def sealed(offer: Offer, secret: bytes) -> str:
    """An offer as text that only this server can have made."""
    fields = {name: getattr(offer, name) for name in Offer.__slots__}
    body = base64.urlsafe_b64encode(json.dumps(fields, separators=(",", ":")).encode()).decode()
    return f"{body}.{_signature(body, secret)}"


def opened(text: str, secret: bytes, now: float) -> Offer:
    """The offer of a sealed text.

    Raises:
        InvalidEvidence: If this server did not make it, or it is too old.
    """
    body, _, signed = text.rpartition(".")
    if not body or not hmac.compare_digest(signed.encode("utf-8", "replace"), _signature(body, secret).encode()):
        raise InvalidEvidence("this server made no such offer, or was restarted since; ask for the next pair")
    try:
        offer = Offer(**json.loads(base64.urlsafe_b64decode(body)))
    except (binascii.Error, ValueError, TypeError) as error:
        raise InvalidEvidence("this is not an offer; ask for the next pair") from error
    if offer.until < now:
        raise InvalidEvidence("this pair was handed out too long ago, and others may have it now; ask for the next one")
    return offer


def _signature(body: str, secret: bytes) -> str:
    return hmac.new(secret, b"offer:" + body.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedAnswer:
    """A recorded answer.

    Attributes:
        id: Id of its match.
        is_new: Whether it was recorded now; False if it was recorded before.
    """

    id: str
    is_new: bool


class PoolVoting:
    """The votes on one pool. Thread-safe; processes each have their own, and meet in the ledger.

    A vote is one short write. Its id is made from the voter and the pair, so that a voter who is shown the same pair by
    two processes, in two windows, votes on it once.

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
        self._record = VoteRecord(ledger, pool)
        self._rules, self._events, self._rules_read = VotingRules(), 0, -math.inf
        self._pairs = PairQueue(
            ledger, pool, goal, self._record, executor, rules=self.rules, clock=clock, new_turn=new_turn
        )
        self._lock = threading.Lock()
        self._held: OrderedDict[str, Offer] = OrderedDict()

    def offer(self, judge: str, seconds: float) -> Offer | None:
        """The next pair for a person; the same one again, for example after a reload, until it is answered.

        Args:
            judge: Identity of the voter.
            seconds: How long it may be answered.

        Returns:
            The pair; None if the voter has seen every pair in both orders.
        """
        self._record.hear()
        with self._lock:
            current = self._held.get(judge)
        if current is not None and current.until > self._clock() + seconds / 2 and not self._was_answered(current):
            return current
        while (pair := self._pairs.next(judge)) is not None:
            id = self._id_for(judge, pair)
            if id is not None:
                return self._hold(self._made(id, pair, judge, seconds), min(seconds, OPEN))
            self._record.hear()
        return None

    def rules(self) -> VotingRules:
        """The rules for people, read anew every few seconds, since another process may change them."""
        if self._clock() - self._rules_read > RULES:
            self._rules_read = self._clock()
            events = self._ledger.tournaments.events(self.pool, after=self._events)
            self._rules, self._events = rules_after(self._rules, events), self._events + len(events)
        return self._rules

    def reread_rules(self) -> None:
        """Read the rules for people anew for the next pair."""
        self._rules_read = -math.inf

    def lease(self, judge: str, seconds: float) -> Offer | None:
        """The next pair for an external judge; another one each time, since a judge may hold several leases.

        Until the lease ends the pair is planned for nobody else here; after that a verdict on it is refused. A judge
        that dies costs nothing but that time.
        """
        self._record.hear()
        pair = self._pairs.next(judge, alone=True)
        return None if pair is None else self._leased(self._made(f"lease-{self._new_id()}", pair, judge, seconds))

    def renew(self, lease: Offer, seconds: float) -> Offer:
        """Extend a lease to so many seconds from now.

        Raises:
            Conflict: If it was answered already.
        """
        if self._was_answered(lease):
            raise Conflict("this pair was judged already: ask for the next one")
        return self._leased(replace(lease, until=self._clock() + seconds))

    def give_back(self, lease: Offer) -> None:
        """Return a pair that will not be judged: others may have it at once."""
        self._pairs.give_back(lease.id)

    def answer(self, offer: Offer, verdict: Verdict) -> RecordedAnswer:
        """Record an answer as a match. The same answer again changes nothing.

        Raises:
            Conflict: If another answer was given to this offer, and was not taken back.
        """
        id = offer.id
        while True:
            match = _match(id, offer, verdict)
            try:
                is_new = self._ledger.matches.record_new(self.pool, match)
            except Conflict:
                recorded = self._ledger.matches.get(self.pool, id)
                casts = _casts(recorded.match)
                if casts == _casts(match):
                    is_new = False  # the same, though perhaps with other seconds
                elif recorded.rolled_back or [cast[:3] for cast in casts] != [cast[:3] for cast in _casts(match)]:
                    id = _named(id)  # of the next vote on the pair, or ids were foretold and used for other matches
                    continue
                else:
                    raise Conflict(
                        "this pair was already answered differently, perhaps in another window; take that vote back, "
                        "or ask for the next pair"
                    ) from None
            self._record.hear()
            return self._answered(offer, match, is_new=is_new)

    async def vote(self, offer: Offer, verdict: Verdict, seconds: float) -> tuple[RecordedAnswer, Offer | None]:
        """``answer``, and then ``offer``, for an event loop: it waits for the disk and for fits in threads.

        Those who vote meanwhile share one transaction; what other processes wrote is read once a second.
        """
        match = _match(offer.id, offer, verdict)
        try:
            is_new = await self._ledger.recorded(self._ledger.matches.record_new, self.pool, match)
        except Conflict:
            recorded = await run_in_threadpool(self.answer, offer, verdict)
        else:
            await self._record.add(match)
            recorded = self._answered(offer, match, is_new=is_new)
        following = self._at_hand(offer.judge, seconds)
        return recorded, following or await run_in_threadpool(self.offer, offer.judge, seconds)

    def undo(self, judge: str, vote: str, seconds: float) -> Offer | None:
        """Take back the last vote of a judge, and offer its pair again. Repeating it changes nothing.

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

    def wait(self, offer: Offer, a_day: int) -> float:
        """Seconds until a judge who may give so many answers within 24 hours may answer; 0.0 if they may now.

        An answer that was given before may be sent again at any time.
        """
        self._record.hear()
        earlier = self._record.of(offer.judge).nth_last(a_day - 1)
        if earlier is None or self._was_answered(offer):
            return 0.0
        at = self._ledger.matches.get(self.pool, earlier.id).at.timestamp()
        return max(0.0, at + DAY - self._clock())

    def last(self, judge: str) -> str | None:
        """Id of a judge's last vote that stands; None if there is none."""
        cast = self._record.of(judge).last
        return None if cast is None else cast.id

    def votes(self, judge: str) -> tuple[int, int]:
        """Numbers of a judge's votes that stand, and of pairs skipped."""
        voter = self._record.of(judge)
        return voter.votes, voter.skipped

    @property
    def progress(self) -> VotingProgress | None:
        """Progress at the last plan; None if the pool is too large for a fit, or nothing was planned yet."""
        return self._pairs.progress

    @property
    def pending(self) -> bool:
        """Whether the first plan is still being made; never for pools too large for one."""
        return self._pairs.pending

    @property
    def since(self) -> int:
        """Answers given here since the last plan."""
        return self._pairs.since

    def plan(self) -> None:
        """Plan now and wait for it, even if pairs are planned already."""
        self._record.hear()
        self._pairs.plan()

    def _id_for(self, judge: str, pair: IdPair) -> str | None:
        """The id of a judge's vote on a pair; None if it was cast elsewhere a moment ago.

        A vote that was taken back keeps its id, so the next vote on the pair gets the following one. The same holds if
        another match has the id already, since ids can be predicted.
        """
        id = _named(self.pool, judge, *pair)
        while self._ledger.matches.exists(self.pool, id):
            recorded = self._ledger.matches.get(self.pool, id)
            if not recorded.rolled_back and [cast[:3] for cast in _casts(recorded.match)] == [(judge, *pair)]:
                return None
            id = _named(id)
        return id

    def _was_answered(self, offer: Offer) -> bool:
        return self._ledger.matches.exists(self.pool, offer.id)

    def _made(self, id: str, pair: IdPair, judge: str, seconds: float) -> Offer:
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

    def _answered(self, offer: Offer, match: Match, *, is_new: bool) -> RecordedAnswer:
        self._pairs.answered(offer.id, tells=is_new and match.outcome is not Outcome.VOID)
        with self._lock:
            current = self._held.get(offer.judge)
            if current is not None and current.id == offer.id:
                del self._held[offer.judge]
        return RecordedAnswer(id=match.id, is_new=is_new)

    def _at_hand(self, judge: str, seconds: float) -> Offer | None:
        """What ``offer`` returns, if that is known without waiting for anything; else None."""
        with self._lock:
            is_held = judge in self._held
        pair = None if is_held else self._pairs.at_hand(judge)
        if pair is None:
            return None
        return self._hold(self._made(_named(self.pool, judge, *pair), pair, judge, seconds), min(seconds, OPEN))

    def _taken_back(self, pair: IdPair, judge: str, seconds: float) -> Offer | None:
        with self._lock:
            displaced = self._held.pop(judge, None)
        if displaced is not None:
            self._pairs.give_back(displaced.id)
        id = self._id_for(judge, pair)
        if id is None:  # it was voted on in another window meanwhile
            return self.offer(judge, seconds)
        return self._hold(self._made(id, pair, judge, seconds), min(seconds, OPEN))


def _named(*parts: str) -> str:
    return f"vote-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]}"


def _casts(match: Match) -> list[tuple[str, str, str, Choice]]:
    """Who said what about which pair, in the order in which it was shown."""
    return [(call.verdict.judge, call.first, call.second, call.verdict.choice) for call in match.comparisons]


def _match(id: str, offer: Offer, verdict: Verdict) -> Match:
    """The match of an answer; void for an abstention."""
    call = Comparison(call=f"{id}/1", first=offer.first, second=offer.second, verdict=verdict)
    score = call.score_of(offer.first)
    outcome = decide(() if score is None else (score,))
    return Match(id=id, a=offer.first, b=offer.second, outcome=outcome, comparisons=(call,))


OPEN_AT_ONCE = 16
"""Maximum number of pools kept; the least recently used is dropped first."""


ITEMS = 1_000
"""Maximum items whose texts are kept."""


class Voting:
    """The votes on all pools. Thread-safe.

    Attributes:
        seconds: Seconds for which a person may answer a pair.
    """

    def __init__(self, reader: LedgerReader, config: WebConfig) -> None:
        self.seconds = 60.0 * config.offer_minutes
        # Without a secret this process makes one: then offers are valid here only, and not after a restart.
        self._secret = config.secret or secrets.token_bytes(32)
        self._reader = reader
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, PoolVoting] = OrderedDict()
        self._items: dict[tuple[str, str], Item] = {}
        self._background = BackgroundExecutor(2, "pairs")

    def of(self, pool: str) -> PoolVoting:
        """The votes on a pool.

        Raises:
            NotFound: If there is no such pool.
            InvalidConfig: If it cannot be voted on.
        """
        voting = self.kept(pool)
        if voting is not None:
            return voting
        settings = settings_of(self._reader, pool)
        require_open(self._reader, pool, settings)
        with self._lock:
            voting = self._kept.setdefault(
                pool,
                PoolVoting(self._reader.ledger, pool, settings.goal, self._background, criteria=settings.criteria),
            )
            self._kept.move_to_end(pool)
            if len(self._kept) > OPEN_AT_ONCE:
                self._kept.popitem(last=False)
            return voting

    def kept(self, pool: str) -> PoolVoting | None:
        """The cached votes on a pool; None if nobody has voted here yet."""
        with self._lock:
            if pool in self._kept:
                self._kept.move_to_end(pool)
            return self._kept.get(pool)

    def sealed(self, offer: Offer) -> str:
        """An offer as signed text."""
        return sealed(offer, self._secret)

    def opened(self, text: str, pool: str, judge: str) -> Offer:
        """The offer of a signed text.

        Raises:
            InvalidEvidence: If it is not ours, is too old, or was made to somebody else or for another pool.
        """
        offer = opened(text, self._secret, time.time())
        if (offer.pool, offer.judge) != (pool, judge):
            raise InvalidEvidence("this pair was handed out to somebody else, or is of another pool; ask for your own")
        return offer

    def texts(self, offer: Offer) -> tuple[Item, Item]:
        """The two items of an offer, as they are shown."""
        first, second = self.texts_at_hand(offer)
        if first is None or second is None:
            items = self._reader.ledger.items.by_id(offer.pool, [offer.first, offer.second])
            first, second = items[offer.first], items[offer.second]
            with self._lock:  # an item never changes; few are kept, since texts may be long
                if len(self._items) >= ITEMS:
                    self._items.clear()
                self._items.update({(offer.pool, item.id): item for item in (first, second)})
        return first, second

    def texts_at_hand(self, offer: Offer) -> tuple[Item | None, Item | None]:
        """The two items of an offer, as far as they were read already."""
        return self._items.get((offer.pool, offer.first)), self._items.get((offer.pool, offer.second))

    def close(self) -> None:
        """Stop planning; votes are in the ledger already."""
        self._background.shutdown()
