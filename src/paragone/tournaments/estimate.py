"""What a run will take, said before it spends."""

import random
from dataclasses import dataclass

from paragone.domain import Question
from paragone.judges.base import Judge
from paragone.tournaments.schedule import most_comparisons
from paragone.tournaments.state import State

SAMPLE = 200
"""Pairs whose price stands for all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """What a run takes at the most.

    Attributes:
        items: Size of the pool.
        judge: Who decides.
        comparisons: Comparisons still to be asked at the most.
        done: Comparisons that were answered before, those of matches that are not finished included.
        cost: US dollars at the most, or None where the price is not known.
    """

    items: int
    judge: str
    comparisons: int
    done: int
    cost: float | None

    def sentence(self) -> str:
        """One line for a person."""
        already = f", {self.done} done before" if self.done else ""
        money = "" if self.cost is None else f", at most about ${self.cost:,.2f}"
        calls = "1 call" if self.comparisons == 1 else f"{self.comparisons} calls"
        return f"{self.items} items, judge {self.judge}: at most {calls}{already}{money}"


def estimate(state: State, judge: Judge, done: int) -> Estimate:
    """What is still to come, with the price of a sample of pairs standing for all.

    Args:
        state: Where the tournament is.
        judge: Who decides.
        done: Comparisons that the ledger has an answer for; nobody pays for them again.
    """
    comparisons = max(0, most_comparisons(state.brief, len(state.items)) - done)
    rng = random.Random(state.brief.seed)  # noqa: S311 - a sample, not a secret
    prices = [judge.price(_question(state, rng)) for _ in range(SAMPLE)]
    known = [price for price in prices if price is not None]
    cost = comparisons * sum(known) / SAMPLE if len(known) == SAMPLE else None
    return Estimate(items=len(state.items), judge=judge.card.identity, comparisons=comparisons, done=done, cost=cost)


def _question(state: State, rng: random.Random) -> Question:
    """A call on a pair, or on a list of the length that was asked for; of a length that is open, on a pair."""
    size = state.brief.group_size
    first, second, *others = rng.sample(state.items, 2 if isinstance(size, str) else size)
    criteria = state.brief.criteria
    return Question(call="estimate", first=first, second=second, others=tuple(others), criteria=criteria)
