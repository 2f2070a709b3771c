"""Which features are characteristic of winners and losers, and how well they predict winners among unseen texts.

The characteristics are few, and none is there by chance.

Features are added one by one, each time the one that goes best with what is left of the items' strengths, until what
goes best is no better than chance. Chance is what dealing the strengths anew over the items brings, which keeps apart
what an item is worth and what it says: it allows for any number of features looked at, and for items that are strong
for reasons that their texts do not show. Items are dealt among those that matches tie together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from paragone.analysis.patterns.decided_matches import Duels
from paragone.analysis.patterns.features import FeatureKind, Features
from paragone.analysis.patterns.mixed_model import Mixed, fit_mixed, regress
from paragone.domain.rounding import COSINE_DECIMALS, rounded

FloatArray = npt.NDArray[np.float64]

LEVEL = 0.05
"""How often chance may bring a first characteristic where there is none."""

DEALS = 499
MOST = 10
_SAME = 1e-9
_CLEAR = 1.96


@dataclass(frozen=True, kw_only=True, eq=False)
class FeatureSelection:
    """The features that were found, in the order in which they were.

    Attributes:
        columns: Their places among all features.
        chances: For each, how often chance alone brings one that goes as well.
        model: The fit with all of them.
    """

    columns: tuple[int, ...]
    chances: tuple[float, ...]
    model: Mixed


def select(duels: Duels, features: Features, rng: np.random.Generator) -> FeatureSelection:
    """Find the features that go with strength.

    Args:
        duels: The matches; items in the order of the features' rows.
        features: What the items' texts are like.
        rng: Deals strengths anew.

    Source: Westfall and Young, Resampling-Based Multiple Testing (1993): the largest of all statistics under
    permutation; Freedman and Lane, JBES 1 (1983): permuting what is left after the features found before.
    """
    columns: list[int] = []
    chances: list[float] = []
    within = _Within.of(duels)
    model = fit_mixed(duels, features.plain[:, columns])
    while len(columns) < MOST and len(features):
        best, chance = _best(model.own, features, columns, within, rng)
        if chance > LEVEL:
            break
        columns.append(best)
        chances.append(chance)
        model = fit_mixed(duels, features.plain[:, columns])
    return _pruned(FeatureSelection(columns=tuple(columns), chances=tuple(chances), model=model), duels, features)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Within:
    """Items that matches tie together; between groups that never met nothing can be compared.

    Attributes:
        group: Number of each item's group.
        size: Of each group.
    """

    group: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]

    @classmethod
    def of(cls, duels: Duels) -> "_Within":
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        count = len(duels.ids)
        adjacency = csr_array((np.ones(len(duels)), (duels.winner, duels.loser)), shape=(count, count))
        group = connected_components(adjacency, directed=False)[1].astype(np.int64)
        return cls(group=group, size=np.bincount(group))

    def centred(self, columns: FloatArray) -> FloatArray:
        """Less the mean of the item's group."""
        sums = np.zeros((len(self.size), columns.shape[1]))
        np.add.at(sums, self.group, columns)
        less: FloatArray = columns - (sums / self.size[:, np.newaxis])[self.group]
        return less

    def dealt(self, values: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The values dealt anew over the items of each group."""
        fresh = np.empty_like(values)
        fresh[np.lexsort((rng.random(len(values)), self.group))] = values[np.argsort(self.group, kind="stable")]
        return fresh


def _pruned(selection: FeatureSelection, duels: Duels, features: Features) -> FeatureSelection:
    """Leave out, one by one, what those found later have made superfluous."""
    while selection.columns:
        doubt = rounded(np.abs(selection.model.worth) / selection.model.error, COSINE_DECIMALS)
        weakest = int(doubt.argmin())
        if doubt[weakest] >= _CLEAR:
            break
        columns = (*selection.columns[:weakest], *selection.columns[weakest + 1 :])
        chances = (*selection.chances[:weakest], *selection.chances[weakest + 1 :])
        selection = FeatureSelection(
            columns=columns, chances=chances, model=fit_mixed(duels, features.plain[:, list(columns)])
        )
    return selection


def _best(
    own: FloatArray, features: Features, columns: list[int], within: _Within, rng: np.random.Generator
) -> tuple[int, float]:
    """The feature that goes best with what is left of the strengths, and how often chance does as well."""
    centred = within.centred(features.plain)
    residual = _orthogonal(centred, centred[:, columns])
    rest = within.centred(own[:, np.newaxis])[:, 0]
    length = float(np.linalg.norm(rest))
    if length < _SAME:
        return 0, 1.0
    fit = np.abs(residual.T @ rest) / length
    # Freedman and Lane: what earlier features left is dealt, not the strengths, so that these features stay accounted
    # for. The largest statistic of each deal allows for all features that were looked at.
    dealt = np.column_stack([within.dealt(rest, rng) for _ in range(DEALS)])
    by_chance = np.abs(residual.T @ dealt).max(axis=0) / length
    most = float(fit.max())
    chance = (1 + int((by_chance >= most - _SAME).sum())) / (DEALS + 1)
    return _plainest(np.flatnonzero(fit >= most - _SAME), features), chance


def _orthogonal(columns: FloatArray, chosen: FloatArray) -> FloatArray:
    """Columns of length 1, less what the chosen ones say already; none where nothing is left."""
    axes, _ = np.linalg.qr(chosen)
    rest = columns - axes @ (axes.T @ columns)
    length = np.linalg.norm(rest, axis=0)
    nonzero = length > 0.1 * np.maximum(np.linalg.norm(columns, axis=0), _SAME)
    scaled: FloatArray = np.where(nonzero, rest / np.where(nonzero, length, 1.0), 0.0)
    return scaled


def _plainest(equal: npt.NDArray[np.int64], features: Features) -> int:
    """Of features that come to the same, the one that says most: a trait, else the longest words."""
    return int(
        max(equal.tolist(), key=lambda at: (features.kinds[at] is FeatureKind.TRAIT, len(features.names[at]), -at))
    )


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
    correct = np.mean([_called(duels, features, rng.permutation(len(duels.ids)) % FOLDS) for _ in range(TURNS)], axis=0)
    return HeldOut(accuracy=float(correct.mean()), error=_error(correct, duels))


def _called(duels: Duels, features: FloatArray, part: npt.NDArray[np.int64]) -> FloatArray:
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
