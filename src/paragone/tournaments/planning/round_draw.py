"""Draw the pairs of a round: requested and deferred matches and tier strategies first, then by weights."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paragone.domain import Pairing
from paragone.pairing import weighted, weighted_round
from paragone.pairing.least_met import Meetings, least_met
from paragone.pairing.presentation import PairHistory, present
from paragone.pairing.weighted import Flags, Ints, PlayablePairs, Weights
from paragone.pairing.weighted_round import ANYBODY, Offers, RoundPart
from paragone.tournaments.planning.tier_strategies import RoundState, TierStrategies, affinity
from paragone.tournaments.planning.tiers import are_debates
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import OTHER_FIRST, OWN_FIRST, columns_of

PRIORITIES = ("high", "medium", "low")
TRIES = 3
"""How often a match without an answer is planned again, before it is left to the ordinary choice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestedMatch:
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

    waiting: tuple[RequestedMatch, ...]
    refused: tuple[Mapping[str, str], ...]


def queue(state: TournamentState, now: RoundState) -> Queue:
    """The requests that were neither granted nor refused before.

    Matches that the last round deferred, or planned without getting an answer, come first.

    Args:
        state: The tournament.
        now: The tournament before the round.
    """
    fresh: list[RequestedMatch] = []
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


def refusal(request: RequestedMatch, now: RoundState) -> str:
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


def _waits(request: RequestedMatch, now: RoundState) -> bool:
    """Whether one of the two may not play yet, or not in this round."""
    return any(item is not None and item not in now.index for item in (request.item, request.opponent))


def _request(id: str, detail: Mapping[str, Any]) -> RequestedMatch:
    opponent = detail.get("opponent_id")
    return RequestedMatch(
        id=id,
        item=str(detail["hypothesis_id"]),
        opponent=None if opponent is None else str(opponent),
        priority=str(detail.get("priority", "medium")),
    )


def _deferred(state: TournamentState) -> Sequence[RequestedMatch]:
    """Matches that the last round deferred."""
    last = state.event_state.last_round
    pairs = () if last is None else last.get("deferred", ())
    return [RequestedMatch(item=str(a), opponent=str(b), priority="high") for a, b in pairs]


def _unplayed(state: TournamentState) -> Sequence[RequestedMatch]:
    """Matches of the last round without an answer, unless they were tried often enough."""
    pairs = [planned for _, planned in state.open_matches if isinstance(planned, Pairing)]
    if not pairs:
        return []
    recent = (planned for past in state.rounds[-TRIES:] for planned in past.pairings if isinstance(planned, Pairing))
    tried = Counter(planned.key for planned in recent)
    return [RequestedMatch(item=pair.a, opponent=pair.b, priority="high") for pair in pairs if tried[pair.key] < TRIES]


def meetings_of(now: RoundState, who: Ints) -> Meetings:
    """The meetings of some items with those that may play.

    Args:
        now: The tournament before the round.
        who: Indices of the items.
    """
    rows = [now.history.opponents_of(now.ids[index]) for index in who.tolist()]
    index_by_number = np.array([now.index.get(id, -1) for id in now.history.items.texts], dtype=np.int64)
    item = np.repeat(who, [len(row) for row in rows])
    numbers, marks, times = columns_of(rows)
    other = index_by_number[numbers] if index_by_number.size else item
    in_round = other >= 0
    item, other = item[in_round], other[in_round]
    return Meetings(item=item, other=other, times=times[in_round], spent=_spent(now, item, other, marks[in_round]))


def _spent(now: RoundState, item: Ints, other: Ints, marks: NDArray[np.uint8]) -> Flags:
    """Pairs whose verdicts are cached in both orders, so that playing them again would tell nothing."""
    either = np.array([own | their for own, their in zip(OWN_FIRST, OTHER_FIRST, strict=True)], dtype=np.uint8)
    debates, rule = np.zeros(item.size, dtype=np.int64), now.system.policy.debate_rule
    if now.debates and rule in ("rating", "either"):
        debates[:] = are_debates(now.standing[item], now.standing[other], now.system)
    required = either[debates]
    spent = np.asarray(marks & required == required)
    if rule != "rating":  # what was debated in both orders is not debated again, nor compared directly after that
        spent |= marks & either[1] == either[1]
    return spent


@dataclass(frozen=True, kw_only=True, slots=True)
class DrawnMatches:
    """The matches of a round before its budget is allocated.

    Attributes:
        pairs: Ids in the order of presentation, the more important matches first.
        granted: For each request, by its index, the match that grants it, as ids in sorted order.
    """

    pairs: tuple[tuple[str, str], ...]
    granted: dict[int, tuple[str, str]]


def draw(now: RoundState, requests: Sequence[RequestedMatch], strategies: TierStrategies, size: int) -> DrawnMatches:
    """Draw the matches of a round.

    Args:
        now: The tournament before the round.
        requests: Requested matches, the more urgent first; all of them can be granted.
        strategies: Matches that the tiers' strategies ask for, and items that rest.
        size: Number of matches.
    """
    tired = _resting(now, requests, strategies)
    urgent = sum(request.priority == "high" for request in requests)
    wishes = [(now.index[request.item], _opponent(request, now)) for request in requests]
    ours = [*strategies.fast_track, *([strategies.champion] if strategies.champion else [])]
    special = [(now.index[a], now.index[b]) for a, b in ours]
    chosen = weighted_round.choose(
        offers(now, size, rested=tired),
        items=len(now.ids),
        size=size,
        wishes=[*wishes[:urgent], *special, *wishes[urgent:]],
        parts=_parts(now, size),
    )
    granted = [*chosen.granted[:urgent], *chosen.granted[urgent + len(special) :]]
    return DrawnMatches(
        pairs=_presented(now, chosen.pairs),
        granted={at: _named(now, pair) for at, pair in enumerate(granted) if pair is not None},
    )


def offers(now: RoundState, size: int, *, rested: Flags | None = None) -> Offers:
    """Possible matches in the order of their worth.

    Args:
        now: The tournament before the round.
        size: Number of matches.
        rested: Items that rest, shape (items,).
    """
    parameters, items = now.system.tournament_parameters, len(now.ids)
    weights = Weights(
        similarity=parameters.similarity_weight,
        recency=parameters.recency_weight,
        rating_proximity=parameters.rating_proximity_weight,
        activity=now.system.policy.activity_weight,
    )
    seekers = weighted.seekers(now.field, size, weights)
    past_meetings = meetings_of(now, seekers)
    codes = _candidates(now, seekers, past_meetings)
    if rested is not None:
        codes = codes[~(rested[codes // items] | rested[codes % items])]
    meetings, spent = past_meetings.of(codes, items)
    pairs = _pairs(now, codes, meetings).those(~spent)
    return Offers.of(
        pairs.a,
        pairs.b,
        worth=weighted.scores(now.field, pairs, weights),
        meetings=pairs.meetings,
        foregone=weighted.foregone(now.field, pairs),
        luck=now.rng.random(pairs.a.size),
    )


def _candidates(now: RoundState, who: Ints, past_meetings: Meetings) -> Ints:
    """Candidate pairs as codes: neighbours by rating and similarity; farther ones for items that met these."""
    items = len(now.ids)
    codes = weighted.within_reach(now.field, who, weighted.REACH)
    if items <= weighted.EVERY_PAIR:
        return codes
    near = now.similarities.neighbours(now.ids[index] for index in who.tolist())
    neighbour_pairs = [(now.index[a], now.index[b]) for a, b in near if b in now.index and a != b]
    if neighbour_pairs:
        alike = np.array(neighbour_pairs, dtype=np.int64)
        codes = np.union1d(codes, weighted.codes(alike[:, 0], alike[:, 1], items))
    fresh = codes[past_meetings.of(codes, items)[0] == 0]
    open_to = np.bincount(np.concatenate([fresh // items, fresh % items]), minlength=items)
    lacking = who[open_to[who] < weighted.ENOUGH]
    return np.union1d(codes, least_met(now.field, lacking, past_meetings)) if lacking.size else codes


def _pairs(now: RoundState, codes: Ints, meetings: Ints) -> PlayablePairs:
    a, b = codes // len(now.ids), codes % len(now.ids)
    similarity = np.zeros(codes.size)
    if now.similarities.proximity is not None:
        id_pairs = [(now.ids[first], now.ids[other]) for first, other in zip(a.tolist(), b.tolist(), strict=True)]
        similarity[:] = now.similarities.of(id_pairs)
    return PlayablePairs(a=a, b=b, similarity=affinity(now, a, b, similarity), meetings=meetings)


def _parts(now: RoundState, size: int) -> tuple[RoundPart, RoundPart]:
    """The reserved parts of a round: for the items that played least, and as many matches for the best rated."""
    exploring = math.ceil(now.system.policy.exploration_share * size)
    validating = min(exploring, size - exploring)
    field = now.field
    return (
        RoundPart(matches=exploring, members=_flags(field.by_need[: 2 * exploring], field.size)),
        RoundPart(matches=validating, members=_flags(field.by_rating[: 2 * validating], field.size)),
    )


def _flags(members: Ints, items: int) -> Flags:
    flags = np.zeros(items, dtype=np.bool_)
    flags[members] = True
    return flags


def _resting(now: RoundState, requests: Sequence[RequestedMatch], strategies: TierStrategies) -> Flags | None:
    """Which items rest: none with a requested match, and none at all if too few are left."""
    requested = {item for request in requests for item in (request.item, request.opponent)}
    tired = [now.index[id] for id in strategies.resting if id not in requested]
    if not tired or len(now.ids) - len(tired) < 2:
        return None
    return _flags(np.array(tired, dtype=np.int64), len(now.ids))


def _opponent(request: RequestedMatch, now: RoundState) -> int:
    return ANYBODY if request.opponent is None else now.index[request.opponent]


def _named(now: RoundState, pair: tuple[int, int]) -> tuple[str, str]:
    a, b = sorted((now.ids[pair[0]], now.ids[pair[1]]))
    return a, b


def _presented(now: RoundState, pairs: Sequence[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
    """The pairs in the order of presentation, by how often each side was shown first before."""
    players = sorted({item for pair in pairs for item in pair})
    seat = {item: number for number, item in enumerate(players)}
    counts = PairHistory(len(players))
    for a, b in pairs:
        for first, second in ((a, b), (b, a)):
            for _ in range(now.history.shown(now.ids[first], now.ids[second])):
                counts.add(seat[first], seat[second])
    counts.leads[:] = [now.history.leads[now.ids[item]] for item in players]
    pairs_in_order = present([(seat[a], seat[b]) for a, b in pairs], counts, rng=now.rng)
    return tuple((now.ids[players[first]], now.ids[players[second]]) for first, second in pairs_in_order)
