"""The informative pairing as a run has it: in blocks, planned ahead of the answers as far as its window allows."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from contender import Answers, Floats, Pairs, Report
from contender_paragone import report

from paragone.domain import Choice, Comparison, Goal, Item, Match, Pairing, RatingConfig, Verdict
from paragone.domain.side_column import SideColumn, SideInformation
from paragone.ledger import PlannedRound
from paragone.pairing import gain
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import FitOptions
from paragone.tournaments.planning.blocks import InformativeBlocks, window_of
from paragone.tournaments.posterior import NO_SIGNAL
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentSettings

CONCURRENCY = 8
CHOICES = {1.0: Choice.FIRST, 0.5: Choice.TIE, 0.0: Choice.SECOND}


@dataclass(frozen=True, kw_only=True)
class Scheduled:
    """The planner of a run that never stops early, with the window that eight calls in flight get.

    Attributes:
        goal: The ranking asked for.
        neighbours: Whether it plans by neighbours, as tournaments of earlier versions do.
    """

    goal: Goal
    neighbours: bool = False

    def __call__(self, judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
        run = ScheduledRun(judge, self.goal, int(rng.integers(2**31)), neighbours=self.neighbours)
        for budget in budgets:
            run.play(budget)
            found = fit(run.evidence(budget), FitOptions(no_signal=NO_SIGNAL))
            reported = report(found, budget, budgets, rng)
            reported.told["planning_ms"] = 1000 * run.planning / len(run.matches)
            yield reported


class ScheduledRun:
    """Blocks planned and answered, in the order of their plans; the answers of the last window are not known yet.

    Attributes:
        matches: What was planned, with its answers.
        planning: CPU seconds of the planner, its fits included.
    """

    def __init__(
        self,
        judge: Answers,
        goal: Goal,
        seed: int,
        *,
        neighbours: bool = False,
        columns: tuple[SideColumn, ...] = (),
        prior: Floats | None = None,
    ) -> None:
        items = judge.strength.size
        goal = Goal(aim=goal.aim, k=goal.k, confidence=0.9999)
        self._judge, self._ids = judge, tuple(f"i{number:05}" for number in range(items))
        settings = TournamentSettings(
            criteria="c",
            judge="j",
            goal=goal,
            seed=seed,
            side_information=SideInformation(columns=columns),
            prior=None if prior is None else dict(zip(self._ids, prior.tolist(), strict=True)),
        )
        state = TournamentState(
            id="t-1", settings=settings, config=RatingConfig(), items=tuple(Item(id=id, text=id) for id in self._ids)
        )
        most, gain.MOST_ITEMS = gain.MOST_ITEMS, 0 if neighbours else gain.MOST_ITEMS
        self._planner = InformativeBlocks(state, {})
        gain.MOST_ITEMS = most
        window = window_of(settings, items, CONCURRENCY)
        if window is None or window.size is None:
            raise ValueError("the informative pairing has a window")
        self._size, self._block = window.size, window.block
        self._shown: list[Pairs] = []
        self._scores: list[float] = []
        self._known = self._blocks = 0
        self.matches: list[Match] = []
        self.planning = 0.0

    def play(self, budget: int) -> None:
        """Plan and answer blocks until so many comparisons were planned, or every pair was."""
        while len(self.matches) < budget:
            known = max(self._known, len(self.matches) + self._block - self._size)
            began = time.thread_time()
            self._planner.learn(self.matches[self._known : known])
            following = self._planner.following(self._block, idle=False)
            if not following.pairings:
                return
            self._blocks += 1
            block = PlannedRound(number=self._blocks, pairings=following.pairings)
            self._planner.planned(block)
            self.planning += time.thread_time() - began
            self._known = known
            self._answer(block)

    def _answer(self, block: PlannedRound) -> None:
        index = {id: number for number, id in enumerate(self._ids)}
        pairings = [pairing for pairing in block.pairings if isinstance(pairing, Pairing)]
        shown = [pairing.shown(pairing.orders[0]) for pairing in pairings]
        pairs = np.array([(index[first], index[second]) for first, second in shown])
        scores = self._judge.answer(pairs[:, 0], pairs[:, 1]).tolist()
        self._shown.append(pairs)
        self._scores += scores
        for place, (pairing, (first, second), score) in enumerate(zip(pairings, shown, scores, strict=True), 1):
            verdict = Verdict(choice=CHOICES[score], judge="j")
            comparison = Comparison(call=f"{block.number}.{place}", first=first, second=second, verdict=verdict)
            self.matches.append(Match.of(f"{block.number}.{place}", pairing, (comparison,), round=block.number))

    def evidence(self, count: int) -> Evidence:
        """The first so many answers."""
        shown, scores = np.concatenate(self._shown)[:count], np.array(self._scores[:count])
        return Evidence.from_arrays(len(self._ids), shown[:, 0], shown[:, 1], scores, tie=scores == 0.5)
