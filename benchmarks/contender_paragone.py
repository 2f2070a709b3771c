"""Our own ways of choosing comparisons, each ranked by the same fit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from contender import TOP_TEN, Answers, Floats, Pairs, Report, random_pairs

from paragone.domain import Aim, Forecast, Goal
from paragone.pairing.forecast import forecast, outlook
from paragone.pairing.informative import next_batch
from paragone.pairing.presentation import PairHistory
from paragone.ratings.bradley_terry import fit
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import Fit, FitOptions
from paragone.ratings.posterior_draws import draws, gaussian_draws
from paragone.tournaments.posterior import NO_SIGNAL

GOALS = {
    "order": Goal(aim=Aim.ORDER),
    "balanced": Goal(aim=Aim.BALANCED),
    "top": Goal(aim=Aim.TOP, k=10),
    "winner": Goal(aim=Aim.WINNER),
}
DRAWS = 400


class Answered:
    """Comparisons with their answers, and the fit of them all."""

    def __init__(self, judge: Answers) -> None:
        self._judge = judge
        self._shown: list[Pairs] = []
        self._scores: list[Floats] = []
        self.fitted: Fit | None = None

    def ask(self, pairs: Pairs) -> None:
        self._shown.append(pairs)
        self._scores.append(self._judge.answer(pairs[:, 0], pairs[:, 1]))

    def fit(self) -> Fit:
        """The fit of all answers, begun from the one before."""
        shown, scores = np.concatenate(self._shown), np.concatenate(self._scores)
        evidence = Evidence.from_arrays(self._judge.strength.size, shown[:, 0], shown[:, 1], scores)
        self.fitted = fit(evidence, FitOptions(no_signal=NO_SIGNAL), start=self.fitted)
        return self.fitted


@dataclass(frozen=True, kw_only=True)
class Informative:
    """The most informative comparisons for a goal.

    Attributes:
        goal: What they serve.
        exact: Whether the policy sees draws from the posterior itself, as in a tournament of fewer than 500 items, or
            from its Gaussian approximation, as in a larger one, which is much quicker. Reports are always exact.
    """

    goal: Goal
    exact: bool = False

    def __call__(self, judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
        items, answered = judge.strength.size, Answered(judge)
        asked, mean, sample = PairHistory(items), np.zeros(items), np.zeros((1, items))
        for budget in budgets:
            while asked.total < budget:
                batch = next_batch(mean, sample, asked, self.goal, rng=rng)[: budget - asked.total]
                if not batch:
                    break
                for pair in batch:
                    asked.add(*pair)
                answered.ask(np.array(batch))
                found = answered.fit()
                mean, sample = found.strength, self._sample(found, rng)
            yield report(found, asked.total, budgets, rng)

    def _sample(self, found: Fit, rng: np.random.Generator) -> Floats:
        """Draws for the next plan: of the whole order one, which is not looked at."""
        if self.goal.aim is Aim.ORDER:
            return found.strength[np.newaxis]
        return (draws if self.exact else gaussian_draws)(found, DRAWS, rng)


def random_fitted(judge: Answers, budgets: Sequence[int], rng: np.random.Generator) -> Iterator[Report]:
    """Independent random pairs."""
    answered, calls = Answered(judge), 0
    for budget in budgets:
        answered.ask(random_pairs(judge.strength.size, budget - calls, rng))
        calls = budget
        yield report(answered.fit(), calls, budgets, rng)


def report(found: Fit, calls: int, budgets: Sequence[int], rng: np.random.Generator) -> Report:
    """The ranking, what it forecasts of itself, and what it foresees for the later budgets."""
    sample = draws(found, DRAWS, rng)
    told: dict[str, Any] = {"forecast": _figures(forecast(found.strength, sample, TOP_TEN))}
    told["position"], told["position_se"] = float(found.position[0]), float(found.position_se[0])
    told["outlook"] = {
        str(later // found.strength.size): _figures(
            outlook(found.strength, sample, TOP_TEN, calls_made=calls, calls=later - calls)
        )
        for later in budgets
        if later > calls
    }
    return Report(strength=found.strength, calls=calls, told=told)


def _figures(ahead: Forecast) -> dict[str, float]:
    return {"tau": ahead.tau, "recall": ahead.recall, "winner": ahead.p_best}
