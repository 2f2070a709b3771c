"""Which pair a judge gets next: planned in batches in the background, so that nobody waits for a fit."""

import math
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from random import Random

from paragone.domain import Goal
from paragone.domain.voting_rules import VotingRules
from paragone.errors import Busy
from paragone.ledger import Ledger
from paragone.web.voting.vote_planner import FittedPlanner, IdPair, NeighbourPlanner, PlannedPairs, is_fitted, own_pairs
from paragone.web.voting.voters import HUMAN, RECENT, Voter, VoteRecord
from paragone.wire.vote import VotingProgress

FEW = 4
"""Number of planned pairs left at which the next ones are planned."""

EVERY = 8
"""Answers after which a new plan is worth a fit,"""

STALE = 5.0
"""or seconds, since others may have voted elsewhere."""

REST = 19.0
"""Time between two plans, as a multiple of what the last one took, so that many voters do not wait for the planner,"""

LONGEST_REST = 2.0
"""but no longer than so many seconds."""

SOON = 0.4
"""Seconds after the start of a plan for which a judge without a pair waits; then it gets neighbours by Elo."""

PATIENCE = 10.0
"""Seconds to wait for a plan if no neighbours are left either."""

DRAWN = 8
"""Neighbours that are drawn at most until a pair lacks people."""

MOST = 10_000
"""Maximum pairs and offers remembered."""


class PairQueue:
    """The pairs of one pool that are planned, and those that judges hold. Thread-safe.

    If none is left while the next ones are planned, a pair comes from the previous fit; without a fit, or in a pool too
    large for one, it is two neighbours by the running Elo. A process does not know what others have handed out; the
    same pair twice at once is one answer more than needed, and does no harm.
    """

    def __init__(
        self,
        ledger: Ledger,
        pool: str,
        goal: Goal,
        record: VoteRecord,
        executor: Executor,
        *,
        rules: Callable[[], VotingRules],
        clock: Callable[[], float],
        new_turn: Callable[[], int],
    ) -> None:
        self._ledger, self._pool, self._goal, self._record = ledger, pool, goal, record
        self._background, self._clock, self._new_turn = executor, clock, new_turn
        self._rules = rules
        self._lock = threading.RLock()
        self._planner: FittedPlanner | None = None
        self._neighbours = NeighbourPlanner(ledger, pool)
        self._is_large = False
        self._looking: Future[None] | None = None
        self._began = self._rests_until = -math.inf  # by the monotonic clock
        self._planned: deque[IdPair] = deque()
        self._latest: PlannedPairs | None = None
        self._since = self._handed_out = 0
        self._looked_at = -math.inf
        self._spare: dict[str, Sequence[IdPair]] = {}
        self._out: OrderedDict[str, tuple[IdPair, float]] = OrderedDict()  # until when each is nobody else's

    def next(self, judge: str, *, alone: bool = False) -> IdPair | None:
        """The next pair for a judge; None if they have seen every pair in both orders.

        Args:
            judge: Identity of the judge.
            alone: Whether it must be one that no judge holds at the moment, this one included.

        Raises:
            Busy: If the first plan takes long, and no neighbours are free.
        """
        with self._lock:
            looking = self._look() if self._is_due else self._looking
        pair = self._ready(judge, alone)
        if pair is not None or looking is None:
            return pair
        if self._arrives(looking, SOON - (time.monotonic() - self._began)):
            pair, is_planned = self._ready(judge, alone), self._latest is not None
            return pair if pair is not None or is_planned else self._drawn(judge)
        pair = self._drawn(judge)
        if pair is not None:
            return pair
        if not self._arrives(looking, PATIENCE):
            raise Busy("the next pairs are being planned; ask again in a moment")
        return self._ready(judge, alone)

    def at_hand(self, judge: str) -> IdPair | None:
        """The next pair for a judge if it is planned already, and no vote of theirs on it was taken back."""
        voter = self._record.of(judge)
        with self._lock:
            if self._is_due:
                self._look()
            pair = self._for_people(judge, voter)
            if pair is not None:
                return None if pair in voter.taken_back else pair
            pair = self._pop(voter) or self._own(judge, voter)
            if pair is not None and pair in voter.taken_back:
                self._planned.appendleft(pair)
                return None
            return pair

    def hand_out(self, id: str, pair: IdPair, until: float) -> None:
        """Reserve a pair until then, or until it is answered."""
        with self._lock:
            self._handed_out += id not in self._out
            self._out[id] = (pair, until)
            while len(self._out) > MOST:
                self._out.popitem(last=False)

    def answered(self, id: str, *, tells: bool) -> None:
        """Release a pair that was answered.

        Args:
            id: Id of the offer.
            tells: Whether the answer is new and no abstention.
        """
        with self._lock:
            self._out.pop(id, None)
            self._since += tells

    def give_back(self, id: str) -> None:
        """Release a pair that was not answered; it is the next one to be handed out."""
        with self._lock:
            pair, _ = self._out.pop(id, (None, 0.0))
            if pair is not None:
                self._planned.appendleft(pair)

    @property
    def progress(self) -> VotingProgress | None:
        """Progress at the last plan; None if the pool is too large for a fit, or nothing was planned yet."""
        return None if self._latest is None else self._latest.progress

    @property
    def pending(self) -> bool:
        """Whether the first plan is still being made; never for pools too large for one."""
        return self._latest is None and not self._is_large

    @property
    def since(self) -> int:
        """Answers given here since the last plan."""
        return self._since

    def plan(self) -> None:
        """Plan now and wait for it, even if pairs are planned already."""
        with self._lock:
            before = self._looking
        if before is not None:
            before.result()  # it began before the last answer
        self._look().result()

    @property
    def _is_due(self) -> bool:
        if len(self._planned) >= FEW or self._is_large or time.monotonic() < self._rests_until:
            return False
        return self._since >= EVERY or self._clock() - self._looked_at > STALE

    def _ready(self, judge: str, alone: bool) -> IdPair | None:
        """A planned pair, for all or for this judge."""
        voter = self._record.of(judge)
        with self._lock:
            pair = None if alone else self._for_people(judge, voter)
            pair, latest = pair or self._pop(voter) or self._own(judge, voter, alone=alone), self._latest
        if pair is not None or latest is None:
            return pair
        own = own_pairs(latest.posterior, voter, self._goal, self._new_turn())  # it may take long, so without the lock
        with self._lock:
            self._spare[judge] = own
            return self._own(judge, voter, alone=alone)

    def _drawn(self, judge: str) -> IdPair | None:
        """Neighbours by the running Elo that no judge holds and this one has not seen."""
        voter = self._record.of(judge)
        with self._lock:
            resting = {(a, b) for a, b in map(tuple, voter.recent(self._rest()))} | self._held()
        excluded = voter.shown | resting | {pair[::-1] for pair in resting}
        drawn = (self._neighbours.draw(self._new_turn(), excluded) for _ in range(DRAWN))
        return next((pair for pair in drawn if pair is None or self._lacks_people(pair, voter)), None)

    def _arrives(self, looking: "Future[None]", seconds: float) -> bool:
        """Whether a plan is ready within so many seconds."""
        try:
            looking.result(timeout=max(0.0, seconds))
        except TimeoutError:
            return False
        return True

    def _pop(self, voter: Voter) -> IdPair | None:
        """The first planned pair that a judge may see; the others stay for others."""
        recent = voter.recent(self._rest())
        for index, pair in enumerate(self._planned):
            if pair not in voter.shown and frozenset(pair) not in recent and self._lacks_people(pair, voter):
                del self._planned[index]
                return pair
        return None

    def _own(self, judge: str, voter: Voter, *, alone: bool = False) -> IdPair | None:
        """One of a judge's own pairs, which are planned for when none of those for all suits."""
        recent = voter.recent(self._rest())
        spare = self._spare.get(judge, ())
        unseen = [pair for pair in spare if pair not in voter.shown and self._lacks_people(pair, voter)]
        if alone:
            unavailable = self._held() | voter.shown
            unseen = [free for pair in unseen for free in (pair, pair[::-1]) if free not in unavailable]
        chosen = next((pair for pair in unseen if frozenset(pair) not in recent), unseen[0] if unseen else None)
        if chosen is not None:
            self._spare[judge] = [pair for pair in unseen if pair != chosen]
        return chosen

    def _for_people(self, judge: str, voter: Voter) -> IdPair | None:
        """A known pair whose turn it is, or one that others judged and that lacks people; None for neither."""
        rules = self._rules()
        if not judge.startswith(HUMAN) or (rules.overlap == 1 and not rules.known):
            return None
        return self._known(judge, voter, rules) or self._begun(voter, rules)

    def _known(self, judge: str, voter: Voter, rules: VotingRules) -> IdPair | None:
        pairs = [(pair.better, pair.worse) for pair in rules.known]
        unseen = [pair for pair in pairs if not voter.has_seen(pair)]
        # In the middle of each tenth, say, of what the voter answers: who answers a few has met one.
        if not unseen or (len(pairs) - len(unseen) + 0.5) > rules.known_share * (len(voter.casts) + 1):
            return None
        random = Random(f"{judge}/{len(voter.casts)}")  # noqa: S311 - the same after a reload, another one for each voter
        pair = random.choice(unseen)
        return pair if random.random() < 0.5 else pair[::-1]

    def _begun(self, voter: Voter, rules: VotingRules) -> IdPair | None:
        waiting = Counter(map(frozenset, self._held()))
        gold = {frozenset((pair.better, pair.worse)) for pair in rules.known}

        def fits(pair: IdPair, people: int) -> bool:
            key = frozenset(pair)
            return people + waiting[key] < rules.overlap and key not in gold and not voter.has_seen(pair)

        unfinished = self._record.first_begun(rules.overlap, fits)
        if unfinished is None:
            return None
        pair, people = unfinished
        return pair if people % 2 == 0 else pair[::-1]  # either order for as many people

    def _lacks_people(self, pair: IdPair, voter: Voter) -> bool:
        """Whether fewer people than asked for judged a pair, and not this one; always if one is enough."""
        overlap = self._rules().overlap
        return overlap == 1 or (not voter.has_seen(pair) and self._record.crowd(frozenset(pair)) < overlap)

    def _held(self) -> frozenset[IdPair]:
        """Pairs that judges hold now."""
        now = self._clock()
        return frozenset(pair for pair, until in self._out.values() if until > now)

    def _rest(self) -> int:
        """Votes for which a pair is not repeated; fewer in a pool of few pairs."""
        items = RECENT if self._latest is None else len(self._latest.posterior.ids)
        return min(RECENT, items * (items - 1) // 2 - 1)

    def _look(self) -> "Future[None]":
        with self._lock:
            if self._looking is None or self._looking.done():
                self._looking, self._began = self._background.submit(self._looked), time.monotonic()
            return self._looking

    def _looked(self) -> None:
        """Plan, in the background thread: the only one that uses the fit."""
        if self._planner is None:
            if not is_fitted(self._ledger, self._pool):
                self._is_large = True
                return
            self._planner = FittedPlanner(self._ledger, self._pool)
        with self._lock:
            before, now, size = self._since, self._clock(), self._handed_out
            self._handed_out = 0
            waiting = [pair for pair, until in self._out.values() if until > now]
        began = time.monotonic()
        latest = self._planner.look(self._new_turn(), waiting, size)
        ended = time.monotonic()
        with self._lock:
            self._rests_until = ended + min(REST * (ended - began), LONGEST_REST)
            self._latest = latest
            self._since -= before
            self._planned = deque(latest.pairs)
            self._spare.clear()
            self._looked_at = now
