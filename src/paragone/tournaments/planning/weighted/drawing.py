"""Who meets whom in a round: requests and strategies first, then the documents' weights."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paragone.pairing import weighted, weighted_round
from paragone.pairing.least_met import Meetings, least_met
from paragone.pairing.presentation import PairHistory, present
from paragone.pairing.weighted import Flags, Ints, Pairs, Weights
from paragone.pairing.weighted_round import ANYBODY, Offers, Part
from paragone.tournaments.planning.weighted.brackets import Brackets, affinity
from paragone.tournaments.planning.weighted.meetings import met_by
from paragone.tournaments.planning.weighted.requests import Request
from paragone.tournaments.planning.weighted.situation import Situation


@dataclass(frozen=True, kw_only=True, slots=True)
class Draw:
    """The matches of a round before it is known what they may cost.

    Attributes:
        pairs: Ids in the order of presentation, the more important matches first.
        granted: For each request, by its place, the match that grants it, as ids in sorted order.
    """

    pairs: tuple[tuple[str, str], ...]
    granted: dict[int, tuple[str, str]]


def draw(now: Situation, requests: Sequence[Request], strategies: Brackets, size: int) -> Draw:
    """Draw the matches of a round.

    Args:
        now: Who may play.
        requests: Matches that somebody asked for, the more urgent first; all of them can be granted.
        strategies: Matches that the tiers' strategies ask for, and who rests.
        size: Matches wanted.
    """
    tired = _resting(now, requests, strategies)
    urgent = sum(request.priority == "high" for request in requests)
    asked = [(now.place[request.item], _opponent(request, now)) for request in requests]
    ours = [*strategies.fast_track, *([strategies.champion] if strategies.champion else [])]
    special = [(now.place[a], now.place[b]) for a, b in ours]
    chosen = weighted_round.choose(
        offers(now, size, rested=tired),
        items=len(now.ids),
        size=size,
        wishes=[*asked[:urgent], *special, *asked[urgent:]],
        parts=_parts(now, size),
    )
    granted = [*chosen.granted[:urgent], *chosen.granted[urgent + len(special) :]]
    return Draw(
        pairs=_presented(now, chosen.pairs),
        granted={at: _named(now, pair) for at, pair in enumerate(granted) if pair is not None},
    )


def offers(now: Situation, size: int, *, rested: Flags | None = None) -> Offers:
    """Matches that could be played, in the order of their worth.

    Args:
        now: Who may play.
        size: Matches wanted.
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
    met = met_by(now, seekers)
    found = _candidates(now, seekers, met)
    if rested is not None:
        found = found[~(rested[found // items] | rested[found % items])]
    meetings, spent = met.of(found, items)
    pairs = _known(now, found, meetings).those(~spent)
    return Offers.of(
        pairs.a,
        pairs.b,
        worth=weighted.scores(now.field, pairs, weights),
        meetings=pairs.meetings,
        foregone=weighted.foregone(now.field, pairs),
        luck=now.rng.random(pairs.a.size),
    )


def _candidates(now: Situation, who: Ints, met: Meetings) -> Ints:
    """Pairs to be looked at, as codes: neighbours in rating and in likeness; farther ones for those who met these."""
    items = len(now.ids)
    found = weighted.within_reach(now.field, who, weighted.REACH)
    if items <= weighted.EVERY_PAIR:
        return found
    near = now.likeness.neighbours(now.ids[place] for place in who.tolist())
    known = [(now.place[a], now.place[b]) for a, b in near if b in now.place and a != b]
    if known:
        alike = np.array(known, dtype=np.int64)
        found = np.union1d(found, weighted.codes(alike[:, 0], alike[:, 1], items))
    fresh = found[met.of(found, items)[0] == 0]
    open_to = np.bincount(np.concatenate([fresh // items, fresh % items]), minlength=items)
    lacking = who[open_to[who] < weighted.ENOUGH]
    return np.union1d(found, least_met(now.field, lacking, met)) if lacking.size else found


def _known(now: Situation, found: Ints, meetings: Ints) -> Pairs:
    a, b = found // len(now.ids), found % len(now.ids)
    similarity = np.zeros(found.size)
    if now.likeness.proximity is not None:
        named = [(now.ids[one], now.ids[other]) for one, other in zip(a.tolist(), b.tolist(), strict=True)]
        similarity[:] = now.likeness.of(named)
    return Pairs(a=a, b=b, similarity=affinity(now, a, b, similarity), meetings=meetings)


def _parts(now: Situation, size: int) -> tuple[Part, Part]:
    """What a round is kept for: those who have played least, and as many matches for those rated best."""
    exploring = math.ceil(now.system.policy.exploration_share * size)
    validating = min(exploring, size - exploring)
    field = now.field
    return (
        Part(matches=exploring, members=_flags(field.by_need[: 2 * exploring], field.size)),
        Part(matches=validating, members=_flags(field.by_rating[: 2 * validating], field.size)),
    )


def _flags(members: Ints, items: int) -> Flags:
    flags = np.zeros(items, dtype=np.bool_)
    flags[members] = True
    return flags


def _resting(now: Situation, requests: Sequence[Request], strategies: Brackets) -> Flags | None:
    """Who rests: nobody that a match was asked for, and nobody at all where too few are left."""
    wanted = {item for request in requests for item in (request.item, request.opponent)}
    tired = [now.place[id] for id in strategies.resting if id not in wanted]
    if not tired or len(now.ids) - len(tired) < 2:
        return None
    return _flags(np.array(tired, dtype=np.int64), len(now.ids))


def _opponent(request: Request, now: Situation) -> int:
    return ANYBODY if request.opponent is None else now.place[request.opponent]


def _named(now: Situation, pair: tuple[int, int]) -> tuple[str, str]:
    a, b = sorted((now.ids[pair[0]], now.ids[pair[1]]))
    return a, b


def _presented(now: Situation, pairs: Sequence[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
    """The pairs in the order of presentation, by how often each side was shown first before."""
    players = sorted({item for pair in pairs for item in pair})
    seat = {item: number for number, item in enumerate(players)}
    asked = PairHistory(len(players))
    for a, b in pairs:
        for first, second in ((a, b), (b, a)):
            for _ in range(now.course.shown(now.ids[first], now.ids[second])):
                asked.add(seat[first], seat[second])
    asked.leads[:] = [now.course.leads[now.ids[item]] for item in players]
    shown = present([(seat[a], seat[b]) for a, b in pairs], asked, rng=now.rng)
    return tuple((now.ids[players[first]], now.ids[players[second]]) for first, second in shown)
