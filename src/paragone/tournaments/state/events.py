"""What the events of a tournament come to, digested: who may play, what is asked for, what was granted.

A tournament of two thousand rounds has some thousands of events; reading them anew for each round would take longer
the longer it goes on.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from paragone.ledger import Event

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
