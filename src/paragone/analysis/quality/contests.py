"""Matches between two as columns, and what a fit says of how they could have ended.

Whoever asks whether results hang together has to know what noise alone does to them: an answer that goes against the
strengths is no fault while the odds of it are one in three. So every check here compares what happened with what the
posterior expects to happen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

EVALUATIONS = 20_000_000
"""Matches times draws that are looked at: with more matches there are fewer draws."""
FEWEST_DRAWS = 40
_ANSWERS_AT_ONCE = 20_000
"""Answers times draws that are computed at once: what they take stays in the processor's cache."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Contests:
    """Matches between two that have an outcome, in the order of record; items are named by their index.

    Attributes:
        items: Ids of all items.
        matches: Ids of the matches.
        a: One side of each, shape (matches,).
        b: The other.
        score: Score of ``a``: 1, 0.5 or 0.

    Raises:
        ValueError: If lengths differ, an index is out of range or an item meets itself.
    """

    items: tuple[str, ...]
    matches: Sequence[str]
    a: Ints
    b: Ints
    score: Floats

    def __post_init__(self) -> None:
        if not self.a.shape == self.b.shape == self.score.shape == (len(self.matches),):
            raise ValueError(f"{len(self.matches)} matches need as many sides and scores")
        sides = np.concatenate([self.a, self.b])
        if ((sides < 0) | (sides >= len(self.items))).any() or (self.a == self.b).any():
            raise ValueError(f"a match is between two different ones of the {len(self.items)} items")

    def __len__(self) -> int:
        return len(self.matches)

    @classmethod
    def of(
        cls, items: Sequence[str], matches: Sequence[str], a: ArrayLike, b: ArrayLike, score: ArrayLike
    ) -> "Contests":
        """Contests from anything that arrays are made of."""
        first, second = (np.asarray(side, dtype=np.int64) for side in (a, b))
        scores = np.asarray(score, dtype=np.float64)
        return cls(items=tuple(items), matches=matches, a=first, b=second, score=scores)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class MetPairs:
    """The pairs that met, and by how much one has beaten the other.

    Attributes:
        low: The item of the lower index, shape (pairs,).
        high: The other.
        net: Matches that ``low`` won less those that it lost.
        of: The pair of each match, shape (matches,).
    """

    low: Ints
    high: Ints
    net: Floats
    of: Ints

    @classmethod
    def met(cls, contests: Contests) -> "MetPairs":
        """The pairs of these matches."""
        count = len(contests.items)
        low, high = np.minimum(contests.a, contests.b), np.maximum(contests.a, contests.b)
        keys, of = np.unique(low * count + high, return_inverse=True)
        pairs = cls(low=keys // max(count, 1), high=keys % max(count, 1), net=np.zeros(keys.size), of=of)
        return replace(pairs, net=pairs.nets(contests, contests.score))

    def nets(self, contests: Contests, score: Floats) -> Floats:
        """The net of each pair, had the matches been scored so."""
        gained = np.where(contests.a < contests.b, 2 * score - 1, 1 - 2 * score)
        nets: Floats = np.bincount(self.of, gained, minlength=self.low.size).astype(np.float64)
        return nets


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class AnswerTable:
    """The answers that matches rest on, with what a fit says about the judges who gave them.

    Attributes:
        match: The match of each answer, an index, shape (answers,).
        first: Item shown first.
        second: Item shown second.
        forward: Whether the match's ``a`` was shown first.
        choice: 1 for the first, 0.5 for a tie, 0 for the second.
        slope: What the judge multiplies differences in strength by.
        position: Its log-odds in favour of the item shown first, in nats.
        tie: Its log tie parameter; -inf for one that gives no ties.
        scatter: Variance of its stated probabilities, relative to decisions; 0 for plain decisions.
    """

    match: Ints
    first: Ints
    second: Ints
    forward: Bools
    choice: Floats
    slope: Floats
    position: Floats
    tie: Floats
    scatter: Floats

    def __len__(self) -> int:
        return self.match.size

    def probabilities(self, strength: Floats) -> tuple[Floats, Floats]:
        """Of the item shown first being preferred, and of a tie, by Davidson's model; shape (..., answers) each.

        Of a judge who states a probability p: that it says more than one half, where p has a beta distribution with
        the variance that the fit found. A normal one would reach beyond 0 and 1, and call an unlikely answer far less
        likely than it is.

        Args:
            strength: Of each item in nats, shape (..., items).
        """
        odds = self.slope * (strength[..., self.first] - strength[..., self.second]) + self.position
        # Davidson's model with the largest exponent taken out, as in ratings; not imported, since analysis stands
        # beside it.
        half, top = odds / 2, np.maximum(np.abs(odds) / 2, self.tie)
        first, tie, second = np.exp(half - top), np.exp(self.tie - top), np.exp(-half - top)
        total = first + tie + second
        first, tie = first / total, tie / total
        stated = self.scatter > 0
        if stated.any():
            first[..., stated] = _more_than_half(odds[..., stated], self.scatter[stated])
            tie[..., stated] = 0.0
        return first, tie


_ODDS = np.linspace(-40.0, 40.0, 8001)


def _more_than_half(odds: Floats, scatter: Floats) -> Floats:
    """Probability that a stated probability is more than one half.

    Args:
        odds: The log-odds of its mean m, shape (..., answers).
        scatter: Its variance relative to m (1 - m), shape (answers,); from 1 up it is a plain decision.
    """
    chance = np.empty(odds.shape)
    for value in np.unique(scatter).tolist():  # one for each judge
        of_judge = scatter == value
        chance[..., of_judge] = np.interp(odds[..., of_judge], _ODDS, _table(value))
    return chance


@lru_cache(maxsize=256)
def _table(scatter: float) -> Floats:
    """The same at each of some thousand odds; serves millions of answers, in draw after draw of the strengths."""
    from scipy.special import betainc, expit

    mean: Floats = expit(_ODDS)
    if scatter >= 1.0:
        return mean
    total = 1.0 / scatter - 1.0
    more: Floats = betainc(np.maximum((1 - mean) * total, 1e-12), np.maximum(mean * total, 1e-12), 0.5)
    return more


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class FittedContests:
    """How matches end by a fit: the answers they rest on, put together.

    Attributes:
        contests: The matches; each has an answer or more.
        answers: Their answers.
        draws: Gives posterior draws of the strengths in nats, shape (draws, items); to make them takes longer than most
            of what is checked.
        strength: Their estimate, shape (items,).
    """

    contests: Contests
    answers: AnswerTable
    draws: Callable[[], Floats]
    strength: Floats

    def few_draws(self) -> Floats:
        """As many draws as the number of matches allows, spread evenly over all of them."""
        draws, count = self.draws(), max(FEWEST_DRAWS, EVALUATIONS // max(len(self.contests), 1))
        if len(draws) <= count:
            return draws
        return draws[np.linspace(0, len(draws) - 1, count).astype(np.int64)]

    def ends(self, strength: Floats) -> tuple[Floats, Floats]:
        """Probability that ``a`` wins each match, and that it is drawn; shape (..., matches) each.

        Answers count as independent, and more of them win the match.

        Args:
            strength: Of each item in nats, shape (..., items).
        """
        first, tie = self.answers.probabilities(strength)
        second = np.maximum(1.0 - first - tie, 0.0)
        ours = np.where(self.answers.forward, first, second)
        theirs = np.where(self.answers.forward, second, first)
        counts = np.bincount(self.answers.match, minlength=len(self.contests))
        shape = (*strength.shape[:-1], len(self.contests))
        win, draw = np.zeros(shape), np.ones(shape)
        order = np.argsort(self.answers.match, kind="stable")
        starts = np.cumsum(counts) - counts
        for size in np.unique(counts[counts > 0]).tolist():
            chosen = np.flatnonzero(counts == size)
            rows = order[starts[chosen][:, None] + np.arange(size)]
            win[..., chosen], draw[..., chosen] = _majority(ours[..., rows], theirs[..., rows])
        return win, draw

    def ends_by_draw(self) -> Iterator[tuple[Floats, Floats]]:
        """``ends`` for one of ``few_draws`` after the other.

        Many are made at once: a draw by itself takes ten times as long where matches are few.
        """
        draws, at_once = self.few_draws(), max(1, _ANSWERS_AT_ONCE // max(len(self.answers), 1))
        for start in range(0, len(draws), at_once):
            yield from zip(*self.ends(draws[start : start + at_once]), strict=True)


def _majority(ours: Floats, theirs: Floats) -> tuple[Floats, Floats]:
    """Probability that the one side has more of the answers, and that both have as many.

    Args:
        ours: Probability of each answer for the one side, shape (..., matches, answers).
        theirs: For the other.
    """
    answers = ours.shape[-1]
    if answers == 1:
        return ours[..., 0], 1.0 - ours[..., 0] - theirs[..., 0]
    lead = np.zeros((*ours.shape[:-1], 2 * answers + 1))
    lead[..., answers] = 1.0
    # The distribution of the lead, an answer at a time: a convolution with (lost, neither, won).
    for answer in range(answers):
        won, lost = ours[..., answer, None], theirs[..., answer, None]
        following = (1.0 - won - lost) * lead
        following[..., 1:] += won * lead[..., :-1]
        following[..., :-1] += lost * lead[..., 1:]
        lead = following
    return lead[..., answers + 1 :].sum(axis=-1), lead[..., answers]
