"""Requested matches, and matches deferred from an earlier round (T3, T8)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paragone.domain import Pairing
from paragone.tournaments.planning.situation import Situation
from paragone.tournaments.state import State

PRIORITIES = ("high", "medium", "low")
TRIES = 3
"""How often a match without an answer is planned again, before it is left to the ordinary choice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A requested match.

    Attributes:
        item: Id of the item that is to play.
        opponent: Its opponent; None leaves it to the policy.
        id: Id of the request; empty for a match that comes back by itself.
        priority: ``high``, ``medium`` or ``low``.
    """

    item: str
    opponent: str | None = None
    id: str = ""
    priority: str = "medium"


@dataclass(frozen=True, kw_only=True, slots=True)
class Queue:
    """The requests that are open.

    Attributes:
        waiting: Requests that can be granted, the more urgent first, among those the oldest.
        refused: Id and reason of each one that cannot.
    """

    waiting: tuple[Request, ...]
    refused: tuple[Mapping[str, str], ...]


def queue(state: State, now: Situation) -> Queue:
    """The requests that were neither granted nor refused before.

    Matches that the last round deferred, or planned without getting an answer, come first.

    Args:
        state: The tournament.
        now: The situation before the round.
    """
    fresh: list[Request] = []
    refused: list[Mapping[str, str]] = []
    for id, detail in state.event_state.requests.items():
        request = _request(id, detail)
        reason = refusal(request, now)
        if reason:
            refused.append({"id": id, "reason": reason})
        else:
            fresh.append(request)
    urgency = {priority: rank for rank, priority in enumerate(PRIORITIES)}
    by_urgency = sorted(fresh, key=lambda request: urgency[request.priority])
    possible = (request for request in (*_deferred(state), *_unplayed(state), *by_urgency) if not _waits(request, now))
    return Queue(waiting=tuple(possible), refused=tuple(refused))


def refusal(request: Request, now: Situation) -> str:
    """Why a request can never be granted; empty if it can."""
    if request.priority not in PRIORITIES:
        return f"the priority is high, medium or low, not {request.priority!r}"
    if request.item == request.opponent:
        return f"{request.item!r} cannot meet itself"
    for item in (request.item, request.opponent):
        if item is not None and item not in now.item_ids:
            return f"there is no item {item!r} in this tournament"
        if item is not None and item in now.retired:
            return f"{item!r} is retired: {now.retired[item] or 'no reason was given'}"
    return ""


def _waits(request: Request, now: Situation) -> bool:
    """Whether one of the two may not play yet, or not in this round."""
    return any(item is not None and item not in now.index for item in (request.item, request.opponent))


def _request(id: str, detail: Mapping[str, Any]) -> Request:
    opponent = detail.get("opponent_id")
    return Request(
        id=id,
        item=str(detail["hypothesis_id"]),
        opponent=None if opponent is None else str(opponent),
        priority=str(detail.get("priority", "medium")),
    )


def _deferred(state: State) -> Sequence[Request]:
    """Matches that the last round deferred."""
    last = state.event_state.last_round
    pairs = () if last is None else last.get("deferred", ())
    return [Request(item=str(a), opponent=str(b), priority="high") for a, b in pairs]


def _unplayed(state: State) -> Sequence[Request]:
    """Matches of the last round without an answer, unless they were tried often enough."""
    pairs = [planned for _, planned in state.open_matches if isinstance(planned, Pairing)]
    if not pairs:
        return []
    recent = (planned for past in state.rounds[-TRIES:] for planned in past.pairings if isinstance(planned, Pairing))
    tried = Counter(planned.key for planned in recent)
    return [Request(item=pair.a, opponent=pair.b, priority="high") for pair in pairs if tried[pair.key] < TRIES]
