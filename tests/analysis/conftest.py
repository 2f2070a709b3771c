"""Tournaments that are simulated, so that the truth about them is known."""

from dataclasses import dataclass

import numpy as np
import pytest

from paragone.analysis.quality.contests import AnswerTable, Contests, FittedContests
from paragone.domain import RatingChange, RatingConfig
from paragone.ratings import Evidence, fit
from paragone.ratings.elo import update
from paragone.ratings.posterior_draws import gaussian_draws


@dataclass(frozen=True, kw_only=True)
class Played:
    """Matches, what the fit says of them, and how the running Elo moved."""

    truth: np.ndarray
    contests: Contests
    prediction: FittedContests
    error: np.ndarray
    changes: list[RatingChange]


def play(items=30, matches=900, *, seed=0, spread=1.5, late=0, result=lambda pair, count, score: score, draws=100):
    """Elo-near opponents, ties, a position bias; ``late`` items come in half-way; ``result`` may spoil a score."""
    rng = np.random.default_rng(seed)
    truth, elo, count = rng.normal(0, spread, items), np.full(items, 1200.0), np.zeros(items, dtype=int)
    rows, changes = [], []
    for number in range(matches):
        there = np.arange(items - late if number < matches // 2 else items)
        one = there[rng.integers(there.size)]
        others = there[there != one]
        near = np.exp(-np.abs(elo[others] - elo[one]) / 150).cumsum()
        # What rng.choice does, without its checks, which take a third of a match.
        pair = rng.permutation([one, others[(near / near[-1]).searchsorted(rng.random(), side="right")]])
        half = (truth[pair[0]] - truth[pair[1]] + 0.3) / 2
        luck = rng.random() * (np.exp(half) + 0.25 + np.exp(-half))
        score = 1.0 if luck < np.exp(half) else 0.5 if luck < np.exp(half) + 0.25 else 0.0
        score = result(pair.tolist(), count, score)
        for item, move in zip(pair, update(tuple(elo[pair]), score, RatingConfig()), strict=True):
            changes.append(
                RatingChange(
                    item=f"h{item}",
                    match=f"m{number}",
                    old=move.old,
                    new=move.new,
                    k=move.k,
                    expected=move.expected,
                    score=move.score,
                )
            )
            elo[item], count[item] = move.new, count[item] + 1
        rows.append((*pair, score))
    return fitted(truth, rows, changes, draws=draws)


def answers_of(contests, *, position=0.0, tie=-np.inf):
    """One answer a match, each with its first side shown first."""
    ones = np.ones(len(contests.a))
    return AnswerTable(
        match=np.arange(len(contests.a)),
        first=contests.a,
        second=contests.b,
        forward=ones == 1,
        choice=contests.score,
        slope=ones,
        position=position * ones,
        tie=tie * ones,
        scatter=0 * ones,
    )


def fitted(truth, rows, changes=(), *, draws=100):
    """The fit of matches ``(first, second, score)``, one answer each."""
    first, second, score = (np.array(column) for column in zip(*rows, strict=True))
    contests = Contests.of(
        [f"h{n}" for n in range(len(truth))], [f"m{n}" for n in range(len(rows))], first, second, score
    )
    found = fit(Evidence.from_arrays(len(truth), first, second, score))
    answers = answers_of(contests, position=found.position[0], tie=found.tie[0])
    sample = gaussian_draws(found, draws, np.random.default_rng(0))
    prediction = FittedContests(contests=contests, answers=answers, draws=lambda: sample, strength=found.strength)
    return Played(
        truth=truth, contests=contests, prediction=prediction, error=found.standard_error, changes=list(changes)
    )


def told(rows, strength, position=0.0, tie=-np.inf):
    """Answers ``(first, second, choice)``, each a match of its own, by known strengths."""
    first, second, choice = (np.array(column) for column in zip(*rows, strict=True))
    contests = Contests.of("abcdefgh"[: len(strength)], [str(n) for n in range(len(rows))], first, second, choice)
    strengths = np.array(strength, dtype=float)
    answers = answers_of(contests, position=position, tie=tie)
    return FittedContests(contests=contests, answers=answers, draws=lambda: strengths[None], strength=strengths)


@pytest.fixture(name="play")
def _play():
    return play


@pytest.fixture(name="fitted")
def _fitted():
    return fitted


@pytest.fixture(name="told")
def _told():
    return told
