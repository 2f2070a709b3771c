"""The tiers' strategies: which items challenge the champion, take the fast track, or rest (T9)."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from paragone.domain import Tier
from paragone.pairing.weighted import CERTAIN, Floats, Ints, expected
from paragone.tournaments.planning.situation import Situation

Match = tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Brackets:
    """Matches that the strategies ask for, and items that rest.

    Attributes:
        champion: The champion and its challenger, if there is such a match.
        fast_track: Promising newcomers, each with the item that it challenges.
        resting: Items that rest.
    """

    champion: Match | None
    fast_track: tuple[Match, ...]
    resting: tuple[str, ...]


def brackets(now: Situation, before: Collection[str]) -> Brackets:
    """What the strategies ask of the next round.

    Args:
        now: The situation before it.
        before: Items that were on the fast track before.
    """
    busy: set[str] = set()
    fast = []
    for item in now.history.promising if now.system.policy.enable_fast_track else ():
        opponent = (
            None if item in before or not _emerging(item, now) or item in busy else challenger_of(item, now, busy)
        )
        if opponent is not None:
            fast.append((item, opponent))
            busy |= {item, opponent}
    return Brackets(champion=challenge(now, busy), fast_track=tuple(fast), resting=resting(now))


def challenge(now: Situation, busy: Collection[str] = ()) -> Match | None:
    """The champion and its next challenger: the best rated that it has not met, Elite first, then Strong.

    The champion is the best item with a trusted rating, once it is Elite. There is no match if a newcomer challenges it
    already, or if all remaining challengers are practically certain to lose.

    Args:
        now: The situation before the round.
        busy: Items in another match of the strategies.
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
    """The rival of a promising newcomer: the nearest Strong item that it has not met; once Strong, an Elite one."""
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
    """Items that lost five times in a row: they sit out a round, and go on once others have played as much."""
    limit = now.system.policy.rest_after_losses
    tired = [id for id, losses in now.history.losses.items() if losses >= limit and id in now.index]
    if not tired:
        return ()
    middle = float(np.median(now.field.matches))
    return tuple(
        id for id in tired if now.history.last[id] >= now.number - 1 or now.field.matches[now.index[id]] > middle
    )


def affinity(now: Situation, a: Ints, b: Ints, similarity: Floats) -> Floats:
    """Similarities by tier: two Elite items should be of different clusters, two Developing ones of the same."""
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
    """Whether it may play and its rating is not stable yet."""
    index = now.index.get(item)
    return index is not None and int(now.field.matches[index]) < now.system.policy.min_matches_for_stability
