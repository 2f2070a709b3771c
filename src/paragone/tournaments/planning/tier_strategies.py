"""A tournament of hypotheses before a round: the inputs of the weighted policy, and what the tiers' strategies ask."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from paragone.domain import Tier, TournamentSystemConfig
from paragone.domain.rounding import POINT_DECIMALS, rounded
from paragone.pairing.weighted import CERTAIN, Field, Floats, Ints, expected
from paragone.ratings.elo import to_elo
from paragone.tournaments.planning.tiers import level_of, tier_of, turns_of
from paragone.tournaments.state import TournamentState
from paragone.tournaments.state.history import MatchHistory
from paragone.tournaments.state.similarities import SimilarityCache


@dataclass(frozen=True, kw_only=True)
class RoundState:
    """A tournament before a round.

    Attributes:
        number: Number of the round.
        ids: Items that may play in it; every array is in this order.
        field: Their ratings and records.
        system: The parameters.
        history: What was played, in aggregates.
        similarities: Which items are alike.
        item_ids: Ids of all items of the tournament.
        retired: Items that are not available, with the reason.
        rng: Source of randomness, for ties alone.
        woken: The last round that was planned when something about an item changed, by id.
        named: Whether the items were named: then none of them rests.
        debates: Whether the judge can judge debates.
        standing: The ratings that decide the tiers, in the order of ``ids``: the running Elo, or the strengths.
    """

    number: int
    ids: tuple[str, ...]
    field: Field
    system: TournamentSystemConfig
    history: MatchHistory
    similarities: SimilarityCache
    item_ids: Collection[str]
    retired: Mapping[str, str]
    rng: np.random.Generator
    woken: Mapping[str, int]
    is_named: bool
    debates: bool = True
    standing: Floats

    @cached_property
    def resting(self) -> tuple[str, ...]:
        """Items that lost five times in a row, once their ratings are trusted: they rest until something changes.

        That is a new review, or a return by a person's request, since their last match was planned. A requested match
        is played as well, and who is named for a round plays in it.
        """
        limit = self.system.policy.rest_after_losses
        if self.is_named:
            return ()
        return tuple(
            id
            for id, losses in self.history.losses.items()
            if losses >= limit
            and id in self.index
            and self.field.matches[self.index[id]] >= self.field.trusted
            and self.woken.get(id, -1) < self.history.last[id]
        )

    @cached_property
    def least_matches(self) -> int:
        """Matches of the item that played least among those that do not rest."""
        resting = set(self.resting)
        awake = [number for number, id in enumerate(self.ids) if id not in resting]
        return int(self.field.matches[awake].min() if awake else self.field.matches.min())

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The index of each id in the arrays."""
        return {id: index for index, id in enumerate(self.ids)}

    def rating(self, id: str) -> float:
        """The rating that decides the tier of an item that may play."""
        return float(self.standing[self.index[id]])

    def level(self, id: str) -> Tier:
        """The tier of its rating."""
        return level_of(self.rating(id), self.system.policy)

    def tier(self, id: str) -> Tier:
        """Its tier: new as long as it has played few matches."""
        return tier_of(self.rating(id), int(self.field.matches[self.index[id]]), self.system)

    def turns(self, a: str, b: str) -> int:
        """Turns a side of the debate between two items; 0 if they would be compared directly."""
        return turns_of(self.rating(a), self.rating(b), self.system) if self.debates else 0

    def longest(self, a: str, b: str) -> int:
        """Turns a side that a debate between two items has if there is one."""
        policy = self.system.policy
        return policy.debate_rounds[level_of(min(self.rating(a), self.rating(b)), policy)]

    @cached_property
    def by_rating(self) -> list[str]:
        """Ids of those whose rating is trusted, the best rated first."""
        by_elo = self.standing is self.field.rating
        order = self.field.by_rating if by_elo else np.lexsort((self.field.luck, -self.standing))
        trusted = order[self.field.matches[order] >= self.field.trusted]
        return [self.ids[index] for index in trusted.tolist()]


def round_state(state: TournamentState, among: Collection[str] | None = None) -> RoundState:
    """The tournament before the next round.

    Args:
        state: The tournament.
        among: Items that may play; all if None.
    """
    state.history.follow(state.played, state.rolled_back)
    if state.similarities is None or state.similarities.proximity is not state.proximity:
        state.similarities = SimilarityCache(state.proximity)
    number = len(state.rounds) + 1
    retired, chosen = state.event_state.retired, None if among is None else set(among)
    entered = state.entered
    ids = tuple(
        [
            item.id
            for item in state.items
            if entered.get(item.id, 1) <= number and item.id not in retired and (chosen is None or item.id in chosen)
        ]
    )
    rng = np.random.default_rng([state.settings.seed, number])
    ratings = [state.ratings[id] for id in ids]
    field = Field(
        rating=rounded([rating.elo for rating in ratings], POINT_DECIMALS),
        matches=np.array([rating.matches for rating in ratings], dtype=np.int64),
        age=np.array([number - entered.get(id, 1) for id in ids], dtype=np.float64) if entered else _ages(ids, number),
        luck=rng.random(len(ids)),
        trusted=state.system.optimization.min_matches_for_confidence,
    )
    return RoundState(
        number=number,
        ids=ids,
        field=field,
        system=state.system,
        history=state.history,
        similarities=state.similarities,
        item_ids=state.ratings.keys(),
        retired=retired,
        rng=rng,
        debates=state.debates,
        standing=field.rating if state.system.policy.tiers_by == "elo" else _strengths(state, ids),
        woken=state.event_state.woken,
        is_named=among is not None,
    )


def _strengths(state: TournamentState, ids: tuple[str, ...]) -> Floats:
    """The posterior means of some items, on the scale of the running Elo."""
    if not state.has_evidence:
        return np.full(len(ids), state.config.initial)
    mean = dict(zip(state.ids, state.plain_fit.strength.tolist(), strict=True))
    return rounded(to_elo(np.array([mean[id] for id in ids]), initial=state.config.initial), POINT_DECIMALS)


def _ages(ids: tuple[str, ...], number: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.full(len(ids), number - 1.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class TierStrategies:
    """Matches that the strategies ask for, and items that rest.

    Attributes:
        champion: The champion and its challenger, if there is such a match.
        fast_track: Promising newcomers, each with the item that it challenges.
        resting: Items that rest.
    """

    champion: tuple[str, str] | None
    fast_track: tuple[tuple[str, str], ...]
    resting: tuple[str, ...]


def tier_strategies(now: RoundState, before: Collection[str]) -> TierStrategies:
    """What the strategies ask of the next round.

    Args:
        now: The tournament before it.
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
    return TierStrategies(champion=challenge(now, busy), fast_track=tuple(fast), resting=now.resting)


def challenge(now: RoundState, busy: Collection[str] = ()) -> tuple[str, str] | None:
    """The champion and its next challenger: the best rated that it has not met, Elite first, then Strong.

    The champion is the best item with a trusted rating, once it is Elite. There is no match if a newcomer challenges it
    already, or if all remaining challengers are practically certain to lose.

    Args:
        now: The tournament before the round.
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


def challenger_of(item: str, now: RoundState, busy: Collection[str] = ()) -> str | None:
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


def affinity(now: RoundState, a: Ints, b: Ints, similarity: Floats) -> Floats:
    """Similarities by tier: two Elite items should be of different clusters, two Developing ones of the same."""
    rating, policy = now.standing, now.system.policy
    elite = np.minimum(rating[a], rating[b]) >= policy.elite_threshold
    developing = np.maximum(rating[a], rating[b]) < policy.average_threshold
    adjusted = similarity.copy()
    for index in np.flatnonzero(elite | developing).tolist():
        clusters = [now.similarities.cluster_of(now.ids[item[index]]) for item in (a, b)]
        if None not in clusters:
            alike = clusters[0] == clusters[1]
            adjusted[index] = float(alike != bool(elite[index]))
    return adjusted


def _lost_beforehand(champion: str, other: str, now: RoundState) -> bool:
    gap = np.array([now.rating(champion) - now.rating(other)])
    return bool(expected(gap)[0] >= CERTAIN)


def _emerging(item: str, now: RoundState) -> bool:
    """Whether it may play and its rating is not stable yet."""
    index = now.index.get(item)
    return index is not None and int(now.field.matches[index]) < now.system.policy.min_matches_for_stability
