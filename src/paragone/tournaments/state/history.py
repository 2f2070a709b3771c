"""The history of a tournament in aggregates: meetings, losing streaks, first matches; and what its events come to.

All of it follows from the matches and the events, so it is the same after a restart. It is updated step by step:
reading a hundred thousand matches again for each round would take longer than the round.
"""

import json
import zlib
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from paragone.domain import Match, MatchProtocol, Outcome
from paragone.ledger import Event
from paragone.ledger.evidence.tournaments import REVIEWED
from paragone.tournaments.state.matches import PackedMatches
from paragone.tournaments.state.packed_columns import Names

OWN_FIRST = (1, 2)
"""Flags of an answer on record with the item itself shown first: to a direct comparison, after a debate."""

OTHER_FIRST = (4, 8)
"""The same with the opponent shown first."""


_MOST = 0xFFFF
"""Meetings that are counted; a pair that meets more often has met this often."""


class Opponents:
    """The opponents of one item, by their numbers: eight bytes each.

    Attributes:
        rows: Ascending; from the high bits, the number of an opponent, the flags of the answers on record (the same
            questions would be answered from the cache), how often it was met, and how often the item itself was shown
            before it.
    """

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows = array("Q")

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """Bytes of all rows."""
        return len(self.rows) * self.rows.itemsize

    def of(self, number: int) -> tuple[int, int, int]:
        """Flags of an opponent, how often it was met, and how often the item was shown before it."""
        index = self._index(number)
        if index == len(self.rows) or self.rows[index] >> 40 != number:
            return 0, 0, 0
        row = self.rows[index]
        return row >> 32 & 0xFF, row >> 16 & _MOST, row & _MOST

    def meet(self, number: int, flags: int, ahead: int) -> None:
        """Count a meeting.

        Args:
            number: The opponent.
            flags: Flags of its answers.
            ahead: How often the item was shown before it.
        """
        index = self._index(number)
        if index == len(self.rows) or self.rows[index] >> 40 != number:
            self.rows.insert(index, number << 40)
        before, times, first_shown = self.of(number)
        counts = min(times + 1, _MOST) << 16 | min(first_shown + ahead, _MOST)
        self.rows[index] = number << 40 | (before | flags) << 32 | counts

    def _index(self, number: int) -> int:
        return bisect_left(self.rows, number << 40)


def columns_of(opponents: Sequence[Opponents]) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """The opponents of some items one after the other: their numbers, flags, and how often each was met."""
    rows = np.concatenate([np.array(each.rows, dtype=np.uint64) for each in opponents] or [np.zeros(0, np.uint64)])
    return (rows >> 40).astype(np.int64), (rows >> 32 & 0xFF).astype(np.uint8), (rows >> 16 & _MOST).astype(np.int64)


OPENING = 6
"""Matches in which a newcomer may earn the fast track."""

PROMISING = 5
"""Wins among these that earn it."""

_NOBODY = Opponents()
_BOTH_ORDERS = {
    protocol: OWN_FIRST[debated] | OTHER_FIRST[debated]
    for debated, protocol in ((0, MatchProtocol.SINGLE_TURN), (1, MatchProtocol.MULTI_TURN), (1, MatchProtocol.PANEL))
}


class MatchHistory:
    """The matches so far in aggregates, kept in step with them.

    A match that was rolled back still counts as a meeting, since it was judged; it is no win and no loss.

    Attributes:
        items: Ids of the items that played; ``opponents`` names them by their numbers here.
        opponents: For each of these, its opponents.
        leads: For each item, how many times more it was shown first than second.
        losses: Losses in a row, of items that lost their last match.
        last: The round of each item's last match.
        promising: Items that won five of their first six matches, in the order in which they did.
    """

    def __init__(self) -> None:
        self._begin(None, frozenset())

    def _begin(self, played: PackedMatches | None, rolled_back: frozenset[str]) -> None:
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

    def follow(self, played: PackedMatches, rolled_back: frozenset[str]) -> None:
        """Read what was played since the last time; start again if earlier matches have changed."""
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
        """The opponents of an item."""
        number = self.items.known(id)
        return _NOBODY if number is None else self.opponents[number]

    def meetings(self, a: str, b: str) -> int:
        """How often two items met."""
        number = self.items.known(b)
        return 0 if number is None else self.opponents_of(a).of(number)[1]

    def shown(self, first: str, second: str) -> int:
        """How often a pair was shown in this order."""
        number = self.items.known(second)
        return 0 if number is None else self.opponents_of(first).of(number)[2]

    def is_spent(self, a: str, b: str, protocol: MatchProtocol) -> bool:
        """Whether a pair was answered in both orders, so that another match would be answered from the cache."""
        number = self.items.known(b)
        flags = 0 if number is None else self.opponents_of(a).of(number)[0]
        both = _BOTH_ORDERS[protocol]
        return flags & both == both

    def _take(self, match: Match) -> None:
        self.last[match.a] = self.last[match.b] = match.round
        first_shown = [comparison.first for comparison in match.comparisons]
        self._meet(match.a, match.b, first_shown, match.protocol.is_debate)
        self._meet(match.b, match.a, first_shown, match.protocol.is_debate)
        for comparison in match.comparisons:
            self.leads[comparison.first] += 1
            self.leads[comparison.second] -= 1
        if match.outcome is not Outcome.VOID and match.id not in self._rolled_back:
            self._count(match.a, match.outcome.score)
            self._count(match.b, 1.0 - match.outcome.score)

    def _meet(self, id: str, other: str, first_shown: Sequence[str], is_debate: bool) -> None:
        """Count a meeting on the side of one item."""
        own, number, ahead = self.items.number(id), self.items.number(other), first_shown.count(id)
        while len(self.opponents) < len(self.items):
            self.opponents.append(Opponents())
        flags = OWN_FIRST[is_debate] if ahead else 0
        flags |= OTHER_FIRST[is_debate] if ahead < len(first_shown) else 0
        self.opponents[own].meet(number, flags, ahead)

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


RETIRED, RETURNED = "retired", "returned"
"""Events of items: they are not available, and they are again."""

FALLBACK, RESTORED = "fallback", "restored"
"""Events of debates: a failed one is shortened; one is judged at another length than its last fallback left."""

ROUND_CANCELLED = "round cancelled"
"""Event of a round: its matches that are not on record are not played any more."""

TEXTS = "texts"
"""The kind of the event that says how pages read the texts of items."""
PROMPT_CACHE = "prompt cache"
"""Event at the end of a run: how many of the tokens that it sent were in the caches of providers."""


def prompt_cache_words(events: Iterable[Event]) -> str:
    """How much of what was sent was in the caches of providers, in words; empty where no provider said so."""
    details = [event.detail for event in events if event.kind == PROMPT_CACHE]
    sent, cached = (sum(int(detail[name]) for detail in details) for name in ("input_tokens", "cached_tokens"))
    if not sent:
        return ""
    return f"{cached:,} of {sent:,} tokens sent ({cached / sent:.0%}) were in a provider's cache of prompts"


class EventState:
    """The state that some events lead to, in their order.

    Attributes:
        entered: The round in which each item that was added after the start may first play, by id.
        retired: Items that were retired and have not returned, with the reason.
        woken: The last round that was planned when something about an item changed, by id: it was readmitted, or has a
            new review. An item that rests after losses plays again.
        requests: Details of the match requests that were neither granted nor refused, by id.
        fast_track: Items that were on the fast track.
        last_round: The notes of the last planned round; None before the first.
        turns_left: Turns a side that each failed debate was shortened to, by its call; 0 for a direct comparison.
        cancelled: The number of the last round that was cancelled while it was played; 0 for none.
        markdown: Whether pages read the texts of items as Markdown.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.entered: dict[str, int] = {}
        self.retired: dict[str, str] = {}
        self.woken: dict[str, int] = {}
        self.requests: dict[str, Mapping[str, Any]] = {}
        self.fast_track: set[str] = set()
        self.last_round: Mapping[str, Any] | None = None
        self.turns_left: dict[str, int] = {}
        self.cancelled, self.markdown = 0, False
        self._settled: set[str] = set()
        self._reading = {
            "joined": self._joined,
            RETIRED: self._retired,
            RETURNED: self._returned,
            REVIEWED: self._woke,
            "request": self._requested,
            "round": self._planned,
            FALLBACK: self._fell,
            RESTORED: self._fell,
            ROUND_CANCELLED: self._cancelled,
            TEXTS: self._read_as,
        }
        self.take(events)

    def take(self, events: Iterable[Event]) -> None:
        """Read further events."""
        for event in events:
            read = self._reading.get(event.kind)
            if read is not None:
                read(event.detail)

    def copy(self) -> Self:
        """A copy, to read events that are not final yet."""
        other = type(self)()
        other.entered, other.retired, other.requests = dict(self.entered), dict(self.retired), dict(self.requests)
        other.woken, other.cancelled, other.markdown = dict(self.woken), self.cancelled, self.markdown
        other.fast_track, other.last_round = set(self.fast_track), self.last_round
        other.turns_left, other._settled = dict(self.turns_left), set(self._settled)
        return other

    def _read_as(self, detail: Mapping[str, Any]) -> None:
        self.markdown = detail["read_as"] == "markdown"

    def _cancelled(self, detail: Mapping[str, Any]) -> None:
        self.cancelled = int(detail["round"])

    def _joined(self, detail: Mapping[str, Any]) -> None:
        self.entered.update(dict.fromkeys(detail["items"], int(detail["round"])))

    def _retired(self, detail: Mapping[str, Any]) -> None:
        self.retired.update(dict.fromkeys(detail["items"], str(detail.get("reason", ""))))

    def _returned(self, detail: Mapping[str, Any]) -> None:
        for item in detail["items"]:
            self.retired.pop(item, None)
        self._woke(detail)

    def _woke(self, detail: Mapping[str, Any]) -> None:
        number = 0 if self.last_round is None else int(self.last_round["number"])
        self.woken.update(dict.fromkeys(detail["items"], number))

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
        """A debate was shortened; one that was left for later starts again at full length.

        So does one whose run was interrupted between two fallbacks; a ``RESTORED`` event then says at which length.
        """
        if "call" not in detail:
            return  # the fallback of a whole match that ran out of time
        call = str(detail["call"])
        if detail.get("step") == "later":
            self.turns_left.pop(call, None)
        else:
            self.turns_left[call] = int(detail["turns"])


class EventReader:
    """Keeps an ``EventState`` in step with a growing list of events whose end is not final.

    A tournament of two thousand rounds has some thousands of events; reading them again for each round would take
    longer the longer it goes on.

    Events that this process recorded itself are read again later, in order with those of other processes. They go into
    a second state beside the final one.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._settled, self._present = EventState(), EventState()
        self._read = self._seen = 0
        self._latest: Event | None = None

    def of(self, events: Sequence[Event], settled: int) -> EventState:
        """The state that the events lead to.

        Args:
            events: The events, in order.
            settled: How many of these, from the first, are final.
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


class PackedDetail(Mapping[str, Any]):
    """The detail of an event, which is read anew where it was not the last that was read."""

    __slots__ = ("_packed",)
    _latest: "tuple[PackedDetail | None, Mapping[str, Any]]" = (None, {})

    def __init__(self, detail: Mapping[str, Any]) -> None:
        self._packed = zlib.compress(json.dumps(detail, separators=(",", ":")).encode("ascii"))

    def _read(self) -> Mapping[str, Any]:
        of, detail = PackedDetail._latest
        if of is not self:
            detail = json.loads(zlib.decompress(self._packed))
            PackedDetail._latest = (self, detail)  # in one step, as several threads read
        return detail

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - a JSON value
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())


def packed(event: Event) -> Event:
    """The event, with the notes of a round packed."""
    return replace(event, detail=PackedDetail(event.detail)) if event.kind == "round" else event
