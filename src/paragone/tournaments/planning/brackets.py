"""The tiers' strategies: who challenges the champion, takes the fast track, or rests (T9)."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from paragone.domain import Tier
from paragone.pairing.weighted import CERTAIN, Floats, Ints, expected
from paragone.tournaments.planning.situation import Situation

Match = tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Brackets:
    """Matches that the strategies ask for, and those who rest.

    Attributes:
        champion: The champion and its challenger, where there is such a match.
        fast_track: Promising newcomers, each with the one it challenges.
        resting: Items that rest.
    """

    champion: Match | None
    fast_track: tuple[Match, ...]
    resting: tuple[str, ...]


def brackets(now: Situation, had: Collection[str]) -> Brackets:
    """What the strategies have to say about the next round.

    Args:
        now: Who may play in it.
        had: Who had the fast track before.
    """
    busy: set[str] = set()
    fast = []
    for item in now.history.promising if now.system.policy.enable_fast_track else ():
        opponent = None if item in had or not _emerging(item, now) or item in busy else challenger_of(item, now, busy)
        if opponent is not None:
            fast.append((item, opponent))
            busy |= {item, opponent}
    return Brackets(champion=challenge(now, busy), fast_track=tuple(fast), resting=resting(now))


def challenge(now: Situation, busy: Collection[str] = ()) -> Match | None:
    """The champion and the next to challenge it: the best rated whom it has not met, Elite first, then Strong.

    The champion is the best rated one that is trusted, once it is Elite. There is no match where it is challenged by a
    newcomer already, or where the only ones left are practically certain to lose.

    Args:
        now: Who may play.
        busy: Who is in another match of the strategies.
    """
    champion = next(iter(now.by_rating), None)
    if champion is None or champion in busy or now.level(champion) is not Tier.ELITE:
        return None
    for other in now.by_rating[1:]:
        if now.level(other) not in (Tier.ELITE, Tier.STRONG) or _lost_beforehand(champion, other, now):
            return None
        if other not in busy and not now.history.meetings(champion, other):
            return champion, other
    return None


def challenger_of(item: str, now: Situation, busy: Collection[str] = ()) -> str | None:
    """Whom a promising newcomer challenges: the nearest Strong one that it has not met; once Strong, an Elite one."""
    own = now.level(item)
    tiers = (Tier.ELITE, Tier.STRONG) if own in (Tier.STRONG, Tier.ELITE) else (Tier.STRONG,)
    for tier in tiers:
        rivals = [
            other
            for other in now.by_rating
            if now.level(other) is tier
            and other not in busy
            and other != item
            and not now.history.meetings(item, other)
        ]
        if rivals:
            return min(rivals, key=lambda other: abs(now.rating(other) - now.rating(item)))
    return None


def resting(now: Situation) -> tuple[str, ...]:
    """Items that lost five times in a row: they sit out a round, and go on once the others have played as much."""
    limit = now.system.policy.rest_after_losses
    tired = [id for id, losses in now.history.losses.items() if losses >= limit and id in now.place]
    if not tired:
        return ()
    middle = float(np.median(now.field.matches))
    return tuple(
        id for id in tired if now.history.last[id] >= now.number - 1 or now.field.matches[now.place[id]] > middle
    )


def affinity(now: Situation, a: Ints, b: Ints, similarity: Floats) -> Floats:
    """What similarity is worth to each pair: Elite meets across clusters, Developing within its own.

    Between two Elite items it counts that their clusters differ, between two Developing ones that they are the same.
    """
    rating, policy = now.field.rating, now.system.policy
    elite = np.minimum(rating[a], rating[b]) >= policy.elite_threshold
    developing = np.maximum(rating[a], rating[b]) < policy.average_threshold
    adjusted = similarity.copy()
    for index in np.flatnonzero(elite | developing).tolist():
        clusters = [now.similarities.cluster_of(now.ids[item[index]]) for item in (a, b)]
        if None not in clusters:
            alike = clusters[0] == clusters[1]
            adjusted[index] = float(alike != bool(elite[index]))
    return adjusted


def _lost_beforehand(champion: str, other: str, now: Situation) -> bool:
    gap = np.array([now.rating(champion) - now.rating(other)])
    return bool(expected(gap)[0] >= CERTAIN)


def _emerging(item: str, now: Situation) -> bool:
    """Whether it may play and has not yet found its place by ordinary means."""
    index = now.place.get(item)
    return index is not None and int(now.field.matches[index]) < now.system.policy.min_matches_for_stability
