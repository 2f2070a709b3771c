"""The strengths as known after some rounds: fits of the evidence until then."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from paragone.domain import Forecast, Goal, Match, Outcome
from paragone.pairing.forecast import forecast
from paragone.ratings.bradley_terry import fit
from paragone.ratings.elo import to_elo
from paragone.ratings.evidence import Evidence
from paragone.ratings.fit_types import Fit, FitOptions
from paragone.ratings.intervals import rating_intervals
from paragone.ratings.posterior_draws import draws
from paragone.tournaments.posterior import is_small
from paragone.tournaments.state import TournamentState

Floats = npt.NDArray[np.float64]

MOST_ROUNDS = 6
"""Maximum number of rounds after which the strengths are fitted; the last round is one of them."""
FEW_ROUNDS = 3
"""The same in a large pool, where a fit takes seconds."""
LARGE = 1000
"""Number of items above which a pool is large."""
_DRAWS = 200


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class RoundStrengths:
    """The strengths as known after one round.

    Attributes:
        round: Its number.
        strength: In Elo points, shape (items,).
        low: Lower ends of their intervals.
        high: Upper ends.
        forecast: The forecast of the ranking's quality.
        chance: Forecast score of side a in the matches until the next of these rounds.
        score: Its actual score in them.
    """

    round: int
    strength: Floats
    low: Floats
    high: Floats
    forecast: Forecast
    chance: Floats = field(default_factory=lambda: np.zeros(0))
    score: Floats = field(default_factory=lambda: np.zeros(0))


def strength_history(state: TournamentState) -> tuple[RoundStrengths, ...]:
    """The strengths after rounds that are evenly spread over the tournament, the last one being the present.

    Args:
        state: The tournament; matches that no schedule planned (round 0) count from the beginning.
    """
    matches = state.matches
    last = max((match.round for match in matches), default=0)
    if last == 0 or not state.has_evidence:
        return ()
    rounds = _spread(last, MOST_ROUNDS if len(state.items) <= LARGE else FEW_ROUNDS)
    before = [_after(state, matches, at, until) for at, until in pairwise(rounds)]
    return (*(strengths for strengths in before if strengths is not None), _now(state, last))


def _spread(last: int, count: int) -> list[int]:
    """Rounds from 1 to the last, evenly spread."""
    return sorted({1 + round(step * (last - 1) / max(1, min(count, last) - 1)) for step in range(min(count, last))})


def _now(state: TournamentState, last: int) -> RoundStrengths:
    strengths = [state.posterior.strengths[id] for id in state.ids]
    columns = (np.array([getattr(strength, name) for strength in strengths]) for name in ("rating", "low", "high"))
    strength, low, high = columns
    return RoundStrengths(round=last, strength=strength, low=low, high=high, forecast=state.posterior.forecast)


def _after(state: TournamentState, matches: Sequence[Match], at: int, until: int) -> RoundStrengths | None:
    evidence = _evidence(state, [match for match in matches if match.round <= at])
    if evidence is None:
        return None
    is_kept = is_small(evidence)
    question = _Question(
        round=at,
        evidence=evidence,
        content=evidence.content if is_kept else (),
        options=state.fit_options(evidence.judges),
        seed=state.settings.seed,
        level=state.settings.level,
        initial=state.config.initial,
        goal=state.settings.goal,
    )
    strengths, fitted = (_recent if is_kept else _fitted)(question)
    chance, score = _chances(state, fitted, [match for match in matches if at < match.round <= until])
    return replace(strengths, chance=chance, score=score)


def _evidence(state: TournamentState, matches: Sequence[Match]) -> Evidence | None:
    comparisons = [comparison for match in matches for comparison in match.comparisons]
    rankings = [match.ranking for match in matches if match.ranking is not None]
    if not any(answer.verdict.choice.is_evidence for match in matches for answer in match.answers):
        return None
    weights = [match.confidence for match in matches for _ in match.comparisons]
    return Evidence.of(comparisons, state.ids, weights, rankings=rankings)


@dataclass(frozen=True, kw_only=True)
class _Question:
    """What the strengths after a round are made of; equal where all numbers are."""

    round: int
    evidence: Evidence = field(compare=False)
    content: tuple[object, ...]
    options: FitOptions
    seed: int
    level: float
    initial: float
    goal: Goal


def _fitted(question: _Question) -> tuple[RoundStrengths, Fit]:
    fitted = fit(question.evidence, question.options)
    sample = draws(fitted, _DRAWS, np.random.default_rng([question.seed, question.round]))
    ends = (fitted.strength, *rating_intervals(fitted, question.level, sample))
    strength, low, high = (to_elo(nats, initial=question.initial) for nats in ends)
    outlook = forecast(fitted.strength, sample, question.goal)
    return RoundStrengths(round=question.round, strength=strength, low=low, high=high, forecast=outlook), fitted


# Rounds that are over stay as they were, while a page that is open is made anew with each match.
_recent = lru_cache(8 * MOST_ROUNDS)(_fitted)


def _chances(state: TournamentState, fitted: Fit, matches: Sequence[Match]) -> tuple[Floats, Floats]:
    """The forecast score of side a in each match of two, given the uncertainty of both strengths, and its actual score.

    The mean of a logistic of a normal: D. MacKay, "The evidence framework applied to classification networks" (1992).
    """
    index = {id: number for number, id in enumerate(state.ids)}
    pairs = [match for match in matches if match.ranking is None and match.outcome is not Outcome.VOID]
    a, b = (np.array([index[getattr(match, side)] for match in pairs], dtype=np.int64) for side in "ab")
    variance = fitted.standard_error[a] ** 2 + fitted.standard_error[b] ** 2
    if fitted.covariance is not None:
        variance = np.maximum(variance - 2 * fitted.covariance[a, b], 0.0)
    lead = (fitted.strength[a] - fitted.strength[b]) / np.sqrt(1 + math.pi * variance / 8)
    return 1 / (1 + np.exp(-lead)), np.array([match.outcome.score for match in pairs])
