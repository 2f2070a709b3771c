"""Progress of the votes on a pool, and the most informative pairs: a fit now and then, never one for each vote."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

import numpy as np

from paragone.domain import Goal, Rating
from paragone.ledger import Ledger
from paragone.pairing import informative
from paragone.pairing.forecast import calls_until, reached
from paragone.tournaments.planning.informative_policy import next_pairs
from paragone.tournaments.planning.stopping import enough_played
from paragone.tournaments.posterior import Posterior
from paragone.tournaments.state import TournamentState
from paragone.web.readers.followed_pool import PoolFollower
from paragone.web.voting.voters import Voter
from paragone.wire.vote import VotingProgress

IdPair = tuple[str, str]
MOST_ITEMS = 5_000
MOST_MATCHES = 100_000
"""Up to which a pool's pairs are planned by a fit, which then takes seconds at most; above, by the running Elo."""

LOOK = 20
"""Neighbours by the running Elo from which an item's opponent is drawn."""

DRAWS = 32
"""Maximum draws until a pair is free."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedPairs:
    """A plan: the next pairs, with the fit behind them.

    Attributes:
        pairs: The next pairs, first and second in the order of presentation.
        progress: Progress of the votes of all; those of one voter are not counted.
        posterior: The fit behind them.
    """

    pairs: tuple[IdPair, ...]
    progress: VotingProgress
    posterior: Posterior


class FittedPlanner:
    """Plans by the informative pairing of tournaments. One thread at a time may use it."""

    def __init__(self, ledger: Ledger, pool: str) -> None:
        self._ledger, self._pool = ledger, pool
        self._followed = PoolFollower(ledger, pool)
        self._version, self._state = ledger.pools.version(pool), self._followed.state()

    def look(self, turn: int, waiting: Iterable[IdPair], size: int = 0) -> PlannedPairs:
        """Read what was recorded since, and plan.

        Args:
            turn: Seeds the choice between equals.
            waiting: Pairs that were handed out and are not answered yet.
            size: Pairs that will be asked for, if more than a batch; as many as an item may have in one are planned.
        """
        version = self._ledger.pools.version(self._pool)
        if version != self._version:
            self._version, self._state = version, self._followed.state()
        state = self._state
        return PlannedPairs(
            pairs=next_pairs(state, turn=turn, waiting=waiting, at_least=size),
            progress=_progress(state),
            posterior=state.posterior,
        )


class NeighbourPlanner:
    """Draws neighbours by the running Elo: for pools too large for a quick fit, and until there is a first fit.

    An item is drawn from all and paired with one of those just below it. That takes a few look-ups by index, however
    large the pool; there is no forecast.
    """

    def __init__(self, ledger: Ledger, pool: str) -> None:
        self._ledger, self._pool = ledger, pool

    def draw(self, turn: int, excluded: Container[IdPair]) -> IdPair | None:
        """A pair in the order of presentation; None if no free one was drawn.

        Args:
            turn: Seeds the choice.
            excluded: Pairs to leave out, in the order of presentation.
        """
        rng = np.random.default_rng(turn)
        drawn = (self._drawn(rng) for _ in range(DRAWS))
        return next((pair for pair in drawn if pair is not None and pair not in excluded), None)

    def _drawn(self, rng: np.random.Generator) -> IdPair | None:
        id = self._ledger.items.at_share(self._pool, float(rng.random()))
        if id is None:
            return None
        rating = self._ledger.ratings.by_id(self._pool, [id])[id]
        near = self._others(id, below=rating) or self._others(id)  # the last one meets the first ones
        if not near:
            return None
        other = near[int(rng.integers(len(near)))]
        return (id, other) if rng.random() < 0.5 else (other, id)

    def _others(self, id: str, below: Rating | None = None) -> list[str]:
        """The first items, or those just below a rating, without one that a vote may have put there meanwhile."""
        board = self._ledger.ratings.leaderboard(self._pool, count=LOOK, below=below)
        return [rating.item for rating in board if rating.item != id]


def is_fitted(ledger: Ledger, pool: str) -> bool:
    """Whether a pool is small enough for its pairs to be planned by a fit."""
    return ledger.items.count(pool) <= MOST_ITEMS and ledger.matches.count(pool) <= MOST_MATCHES


def own_pairs(posterior: Posterior, voter: Voter, goal: Goal, turn: int) -> tuple[IdPair, ...]:
    """The most informative pairs that one voter has not seen, for when the planned ones do not suit."""
    index = {id: position for position, id in enumerate(posterior.ids)}
    rng = np.random.default_rng(turn)
    pairs = informative.next_batch(posterior.fit.strength, posterior.draws, voter.asked(index), goal, rng=rng)
    return tuple((posterior.ids[first], posterior.ids[second]) for first, second in pairs)


def _progress(state: TournamentState) -> VotingProgress:
    posterior, goal = state.posterior, state.settings.goal
    answers = int(state.comparison_table.is_evidence.sum()) + len(state.rankings)
    progress = VotingProgress(yours=0, skipped=0, answers=answers, aim=goal.aim.value, confidence=goal.confidence)
    if not state.has_evidence or not enough_played(state):
        return progress
    forecast = posterior.forecast
    done = reached(forecast, goal)
    return replace(
        progress,
        p_best=forecast.p_best,
        top=forecast.top,
        recall=forecast.recall,
        tau=forecast.tau,
        reached=done,
        more=0 if done else calls_until(posterior.fit.strength, posterior.draws, goal, calls_made=answers),
    )
