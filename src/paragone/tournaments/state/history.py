"""The course of a tournament so far, digested: who met whom, who keeps losing, how each began.

Everything follows from the matches, so it is the same however the tournament came to be here; it is kept in step,
because reading a hundred thousand matches anew for each round would take longer than the round.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from paragone.domain import Match, Outcome, Protocol
from paragone.ledger import Event
from paragone.tournaments.state.matches import Matches, Names

OWN_FIRST = (1, 2)
"""Marks of an answer that is there with the item itself shown first: to a direct comparison, after a debate."""

OTHER_FIRST = (4, 8)
"""The same with the opponent shown first."""


class Opponents:
    """The opponents of one item, by their numbers.

    Attributes:
        who: Their numbers, ascending.
        times: How often each was met.
        ahead: How often the item itself was shown before each.
        flags: Marks of the answers that are there; asked again, these would come from the earlier verdicts.
    """

    __slots__ = ("ahead", "flags", "times", "who")

    def __init__(self) -> None:
        self.who, self.times, self.ahead, self.flags = array("i"), array("i"), array("i"), array("B")

    def __len__(self) -> int:
        return len(self.who)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return sum(len(column) * column.itemsize for column in (self.who, self.times, self.ahead, self.flags))

    def met(self, number: int) -> int:
        """How often one was met."""
        index = self._place(number)
        return 0 if index is None else self.times[index]

    def shown_before(self, number: int) -> int:
        """How often the item was shown before one."""
        index = self._place(number)
        return 0 if index is None else self.ahead[index]

    def marks(self, number: int) -> int:
        """The marks of one."""
        index = self._place(number)
        return 0 if index is None else self.flags[index]

    def meet(self, number: int) -> int:
        """Count a meeting with one; returns its place."""
        index = bisect_left(self.who, number)
        if index == len(self.who) or self.who[index] != number:
            self.who.insert(index, number)
            for column in (self.times, self.ahead, self.flags):
                column.insert(index, 0)
        self.times[index] += 1
        return index

    def _place(self, number: int) -> int | None:
        index = bisect_left(self.who, number)
        return index if index < len(self.who) and self.who[index] == number else None


OPENING = 6
"""Matches in which a newcomer may earn the fast track."""

PROMISING = 5
"""Wins among these that earn it."""

_NOBODY = Opponents()
_BOTH_ORDERS = {
    protocol: OWN_FIRST[debated] | OTHER_FIRST[debated]
    for debated, protocol in enumerate((Protocol.SINGLE_TURN, Protocol.MULTI_TURN))
}


class MatchHistory:
    """What the matches so far come to, kept in step with them.

    A match that was rolled back still counts as a meeting, since it was asked; it is no win and no loss.

    Attributes:
        items: Ids of those who played; ``opponents`` names them by their numbers here.
        opponents: For each of these, whom it met.
        leads: For each item, how many times more it was shown first than second.
        losses: Losses in a row, for those who lost the last time.
        last: The round of each item's last match.
        promising: Items that won five of their first six matches, in the order in which they did.
    """

    def __init__(self) -> None:
        self._begin(None, frozenset())

    def _begin(self, played: Matches | None, rolled_back: frozenset[str]) -> None:
        self.items = Names()
        self.opponents: list[Opponents] = []
        self.leads: Counter[str] = Counter()
        self.losses: dict[str, int] = {}
        self.last: dict[str, int] = {}
        self.promising: dict[str, None] = {}  # a set that remembers the order of its making
        self._counted: Counter[str] = Counter()
        self._wins: Counter[str] = Counter()
        self._seen = 0
        self._played = played
        self._rolled_back = rolled_back

    def follow(self, played: Matches, rolled_back: frozenset[str]) -> None:
        """Take in what was played since the last time; begin anew where the past is another one."""
        if played is not self._played or rolled_back != self._rolled_back:
            self._begin(played, rolled_back)
        for row in range(self._seen, len(played)):
            self._take(played[row])
        self._seen = len(played)

    @property
    def nbytes(self) -> int:
        """Bytes that grow with the pairs that met."""
        return sum(own.nbytes for own in self.opponents)

    def opponents_of(self, id: str) -> Opponents:
        """Whom an item met."""
        number = self.items.known(id)
        return _NOBODY if number is None else self.opponents[number]

    def meetings(self, a: str, b: str) -> int:
        """How often two items met."""
        number = self.items.known(b)
        return 0 if number is None else self.opponents_of(a).met(number)

    def shown(self, first: str, second: str) -> int:
        """How often a pair was shown in this order."""
        number = self.items.known(second)
        return 0 if number is None else self.opponents_of(first).shown_before(number)

    def is_spent(self, a: str, b: str, protocol: Protocol) -> bool:
        """Whether both orders of a pair have their answer: asked again, it would come from the earlier verdicts."""
        number = self.items.known(b)
        marks = 0 if number is None else self.opponents_of(a).marks(number)
        both = _BOTH_ORDERS[protocol]
        return marks & both == both

    def _take(self, match: Match) -> None:
        self.last[match.a] = self.last[match.b] = match.round
        own, other = self._meeting(match.a, match.b), self._meeting(match.b, match.a)
        for comparison in match.comparisons:
            ours = comparison.first == match.a
            for (row, index), first in ((own, ours), (other, not ours)):
                row.ahead[index] += first
                row.flags[index] |= (OWN_FIRST if first else OTHER_FIRST)[match.protocol is Protocol.MULTI_TURN]
            self.leads[comparison.first] += 1
            self.leads[comparison.second] -= 1
        if match.outcome is not Outcome.VOID and match.id not in self._rolled_back:
            self._count(match.a, match.outcome.score)
            self._count(match.b, 1.0 - match.outcome.score)

    def _meeting(self, id: str, other: str) -> tuple[Opponents, int]:
        """The opponents of an item that met another once more, and the other's place among them."""
        own, number = self.items.number(id), self.items.number(other)
        while len(self.opponents) < len(self.items):
            self.opponents.append(Opponents())
        return self.opponents[own], self.opponents[own].meet(number)

    def _count(self, item: str, score: float) -> None:
        self._counted[item] += 1
        if self._counted[item] <= OPENING and score == 1.0:
            self._wins[item] += 1
            if self._wins[item] == PROMISING:
                self.promising[item] = None
        if score == 0.0:
            self.losses[item] = self.losses.get(item, 0) + 1
        else:
            self.losses.pop(item, None)


FALLBACK, RESTORED = "fallback", "restored"
"""Events of debates: a failed one takes a step down the ladder; one is held at another length than that step left."""


class EventState:
    """What some events come to, in their order.

    Attributes:
        entered: The round in which each item that was added after the start may first play, by id.
        retired: Items that were retired and have not returned, with the reason.
        requests: Details of the matches that were asked for and neither granted nor refused, by the request's id.
        fast_track: Items that had the fast track.
        last_round: What was noted about the last round that was planned; None before there is one.
        turns_left: How many turns a side are left of each debate that failed, by its call; 0 for a direct comparison.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.entered: dict[str, int] = {}
        self.retired: dict[str, str] = {}
        self.requests: dict[str, Mapping[str, Any]] = {}
        self.fast_track: set[str] = set()
        self.last_round: Mapping[str, Any] | None = None
        self.turns_left: dict[str, int] = {}
        self._settled: set[str] = set()
        self._reading = {
            "joined": self._joined,
            "retired": self._retired,
            "returned": self._returned,
            "request": self._requested,
            "round": self._planned,
            FALLBACK: self._fell,
            RESTORED: self._fell,
        }
        self.take(events)

    def take(self, events: Iterable[Event]) -> None:
        """Take in what happened next."""
        for event in events:
            read = self._reading.get(event.kind)
            if read is not None:
                read(event.detail)

    def copy(self) -> Self:
        """The same, for what may still turn out to have happened otherwise."""
        other = type(self)()
        other.entered, other.retired, other.requests = dict(self.entered), dict(self.retired), dict(self.requests)
        other.fast_track, other.last_round = set(self.fast_track), self.last_round
        other.turns_left, other._settled = dict(self.turns_left), set(self._settled)
        return other

    def _joined(self, detail: Mapping[str, Any]) -> None:
        self.entered.update(dict.fromkeys(detail["items"], int(detail["round"])))

    def _retired(self, detail: Mapping[str, Any]) -> None:
        self.retired.update(dict.fromkeys(detail["items"], str(detail.get("reason", ""))))

    def _returned(self, detail: Mapping[str, Any]) -> None:
        for item in detail["items"]:
            self.retired.pop(item, None)

    def _requested(self, detail: Mapping[str, Any]) -> None:
        id = str(detail["id"])
        if id not in self._settled:
            self.requests.setdefault(id, detail)

    def _planned(self, detail: Mapping[str, Any]) -> None:
        self.last_round = detail
        self.fast_track.update(str(item) for item, _ in detail.get("brackets", {}).get("fast_track", []))
        refused = (str(request["id"]) for request in detail.get("refused", ()))
        for id in (*detail.get("served", ()), *refused):
            self._settled.add(id)
            self.requests.pop(id, None)

    def _fell(self, detail: Mapping[str, Any]) -> None:
        """A debate took a step: one that was left for later begins again at its whole length.

        So does one whose run was cut off on its way down the ladder; where that one is held after all, it says so.
        """
        if "call" not in detail:
            return  # a match that ran out of time has no step of one of its debates
        call = str(detail["call"])
        if detail.get("step") == "later":
            self.turns_left.pop(call, None)
        else:
            self.turns_left[call] = int(detail["turns"])


class EventReader:
    """Keeps happenings in step with a list of events that grows, and whose end may still be read anew.

    A tournament of two thousand rounds has some thousands of events; reading them again for each round would take
    longer the longer it goes on.

    What a process notes by itself is read again later, among what others noted meanwhile: of that the digest keeps a
    version apart from what is settled.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._settled, self._present = EventState(), EventState()
        self._read = self._seen = 0
        self._latest: Event | None = None

    def of(self, events: Sequence[Event], settled: int) -> EventState:
        """What the events come to.

        Args:
            events: What happened, in order.
            settled: How many of these, from the first, stay as they are.
        """
        if settled < self._read:
            self._begin()
        if settled > self._read:
            self._settled.take(events[self._read : settled])
            self._read, self._seen = settled, 0
        if len(events) == settled:
            return self._settled
        is_current = self._read < self._seen <= len(events) and events[self._seen - 1] is self._latest
        if not is_current:
            self._present, self._seen = self._settled.copy(), settled
        self._present.take(events[self._seen :])
        self._seen, self._latest = len(events), events[-1]
        return self._present
