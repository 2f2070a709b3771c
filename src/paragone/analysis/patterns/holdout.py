"""How well winners can be told from texts that the model has never seen."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from paragone.analysis.patterns.decided_matches import Duels
from paragone.analysis.patterns.mixed import regress

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

FOLDS = 6
TURNS = 2
CHANCE = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldOut:
    """Accuracy on matches between items that were held out.

    Attributes:
        accuracy: Share of winners told right; what could not be told counts half.
        error: Its standard error, matches of one item being alike.
    """

    accuracy: float
    error: float

    def least(self, level: float = 0.95) -> float:
        """What the accuracy is at the least, with this probability."""
        return self.accuracy - NormalDist().inv_cdf(level) * self.error


def held_out(duels: Duels, features: FloatArray, rng: np.random.Generator) -> HeldOut:
    """Accuracy of regularised logistic regression on differences of features.

    Items are dealt into six parts. For any two of them a model is learned from the matches in which no item of either
    plays, and tells the matches between the two; so neither side of a match that is told was seen before, and each
    match is told once. It is done for two deals.

    Args:
        duels: The matches.
        features: Of each item, in standard units, shape (items, features).
        rng: Deals the items.
    """
    correct = np.mean([_told(duels, features, rng.permutation(len(duels.ids)) % FOLDS) for _ in range(TURNS)], axis=0)
    return HeldOut(accuracy=float(correct.mean()), error=_error(correct, duels))


def _told(duels: Duels, features: FloatArray, part: npt.NDArray[np.int64]) -> FloatArray:
    """1 for each match told right, 0 for wrong, 1/2 where nothing could be said."""
    correct = np.full(len(duels), CHANCE)
    for learn, tell in _blocks(part[duels.winner], part[duels.loser]):
        weights = _learned(duels.chosen(learn), features)
        lead = features[duels.winner[tell]] @ weights - features[duels.loser[tell]] @ weights
        correct[tell] = (1.0 + np.sign(lead)) / 2.0
    return correct


def _blocks(winner: npt.NDArray[np.int64], loser: npt.NDArray[np.int64]) -> Iterator[tuple[BoolArray, BoolArray]]:
    """Matches to learn from and matches to tell, for any two parts."""
    for part in range(FOLDS):
        for other_part in range(part, FOLDS):
            tell = ((winner == part) & (loser == other_part)) | ((winner == other_part) & (loser == part))
            if tell.any():
                yield ~(np.isin(winner, (part, other_part)) | np.isin(loser, (part, other_part))), tell


def _learned(duels: Duels, features: FloatArray) -> FloatArray:
    """Weights of the features; the order of presentation has a say while learning, and none in telling."""
    differences = np.column_stack([features[duels.winner] - features[duels.loser], duels.position])
    return regress(differences, penalty=sqrt(max(len(duels), 1)), sparse=True)[:-1]


def _error(correct: FloatArray, duels: Duels) -> float:
    """Standard error of the mean of ``correct``, where matches that share an item are dependent.

    Source: Aronow, Samii and Assenova, Political Analysis 23 (2015): the variance for pairs; never taken for smaller
    than that of independent matches.
    """
    off, items = correct - correct.mean(), len(duels.ids)
    by_item = np.bincount(duels.winner, off, items) + np.bincount(duels.loser, off, items)
    pair = np.minimum(duels.winner, duels.loser) * items + np.maximum(duels.winner, duels.loser)
    by_pair = np.bincount(np.unique(pair, return_inverse=True)[1], off)
    shared = float((by_item**2).sum() - (by_pair**2).sum())
    return sqrt(max(shared, float((off**2).sum()))) / len(correct)
