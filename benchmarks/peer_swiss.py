"""llm-qualitative-sort's own Swiss tournament, driven through its public interface with a simulated judge.

Each match is asked in both orders; a disagreement is a draw, which costs both a loss; items drop out after so many
losses, and the ranking is by wins. A tournament ends by itself, so for each budget the number of losses is taken that
brings its calls nearest to the budget; the calls it made are reported.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from contender import Answers, Floats, Report
from llm_qualitative_sort import ComparisonResult, LLMProvider, QualitativeSorter, SortResult

from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence


class Provider(LLMProvider):
    """Asks the simulated judge, and remembers what was asked; items are their indices, written out."""

    def __init__(self, judge: Answers) -> None:
        super().__init__()
        self._judge = judge
        self.asked: list[tuple[int, int]] = []
        self.scores: list[float] = []

    async def compare(self, item_a: str, item_b: str, criteria: str) -> ComparisonResult:  # noqa: ARG002 - its interface
        shown = int(item_a), int(item_b)
        score = float(self._judge.answer(np.array(shown[:1]), np.array(shown[1:]))[0])
        self.asked.append(shown)
        self.scores.append(score)
        return ComparisonResult(winner={1.0: "A", 0.0: "B"}.get(score), reasoning="", raw_response={})


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """A finished tournament: its ranking, and the comparisons it asked for."""

    items: int
    result: SortResult
    provider: Provider = field(repr=False)

    @property
    def calls(self) -> int:
        return len(self.provider.scores)

    @property
    def by_wins(self) -> Floats:
        """What the package ranks by: higher is better, equal where it says equal."""
        strength = np.empty(self.items)
        for rank, members in self.result.rankings:
            strength[[int(item) for item in members]] = -rank
        return strength

    @property
    def fitted(self) -> Floats:
        """Strengths that our own fit makes of the same answers."""
        shown = np.array(self.provider.asked)
        return fit(Evidence.from_arrays(self.items, shown[:, 0], shown[:, 1], self.provider.scores)).strength


def play(judge: Answers, losses: int, rng: np.random.Generator) -> Tournament:
    """One tournament in which an item drops out after so many losses."""
    items, provider = judge.strength.size, Provider(judge)
    sorter = QualitativeSorter(
        provider=provider, criteria="skill", elimination_count=losses, seed=int(rng.integers(2**31))
    )
    result = asyncio.run(sorter.sort([str(item) for item in range(items)]))
    return Tournament(items=items, result=result, provider=provider)


def tournaments(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Tournament]:
    """For each budget, in rising order, the tournament whose calls came nearest to it."""
    played = [play(judge, 1, rng)]
    for budget in budgets:
        while played[-1].calls < budget:
            played.append(play(judge, len(played) + 1, rng))
        yield min(played, key=lambda one: abs(one.calls - budget))


def swiss(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """The package's ranking, by wins."""
    for played in tournaments(judge, budgets, rng):
        yield Report(strength=played.by_wins, calls=played.calls)


def swiss_fitted(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """Our fit over the comparisons that the package asked for."""
    for played in tournaments(judge, budgets, rng):
        yield Report(strength=played.fitted, calls=played.calls)
