"""The inputs of the weighted policy before a round, as arrays."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from paragone.domain import Tier, TournamentSystemConfig
from paragone.domain.rounding import POINT_DECIMALS, rounded
from paragone.pairing.weighted import Field
from paragone.tournaments.planning.tiers import level_of, tier_of, turns_of
from paragone.tournaments.state import State
from paragone.tournaments.state.history import MatchHistory
from paragone.tournaments.state.proximity import SimilarityCache


@dataclass(frozen=True, kw_only=True)
class Situation:
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
        debates: Whether the judge can judge debates.
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
    debates: bool = True

    @cached_property
    def index(self) -> Mapping[str, int]:
        """The index of each id in the arrays."""
        return {id: index for index, id in enumerate(self.ids)}

    def rating(self, id: str) -> float:
        """The running Elo of an item that may play."""
        return float(self.field.rating[self.index[id]])

    def level(self, id: str) -> Tier:
        """The tier of its rating."""
        return level_of(self.rating(id), self.system.policy)

    def tier(self, id: str) -> Tier:
        """Its tier: new as long as it has played few matches."""
        return tier_of(self.rating(id), int(self.field.matches[self.index[id]]), self.system)

    def turns(self, a: str, b: str) -> int:
        """Turns a side of the debate between two items; 0 if they would be compared directly."""
        return turns_of(self.rating(a), self.rating(b), self.system) if self.debates else 0

    @cached_property
    def by_rating(self) -> list[str]:
        """Ids of those whose rating is trusted, the best rated first."""
        order = self.field.by_rating
        trusted = order[self.field.matches[order] >= self.field.trusted]
        return [self.ids[index] for index in trusted.tolist()]


def situation(state: State, among: Collection[str] | None = None) -> Situation:
    """The situation before the next round.

    Args:
        state: The tournament.
        among: Items that may play; all if None.
    """
    state.history.follow(state.played, state.rolled_back)
    if state.similarities.proximity is not state.proximity:
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
    return Situation(
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
    )


def _ages(ids: tuple[str, ...], number: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.full(len(ids), number - 1.0)
