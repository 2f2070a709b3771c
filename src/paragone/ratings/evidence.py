"""Evidence: what judges said, as arrays that a fit can read."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paragone.domain import Choice, Comparison, Ranking
from paragone.errors import InvalidVotes

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
_Kind = TypeVar("_Kind", bound=np.generic)

_SCORES = {Choice.FIRST: 1.0, Choice.SECOND: 0.0, Choice.TIE: 0.5}
MOST_WEIGHT = 1e9
"""A comparison that counted for more would drown all others in rounding."""
PAD = -1
"""Fills up a row of ``Evidence.rankings`` that orders fewer items than the longest."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Evidence:
    """Comparisons and rankings of ``item_count`` items, as arrays; items and judges are named by their index.

    Make it with ``of`` or ``from_arrays``. Either way it is checked, and its arrays cannot be written to.

    Attributes:
        item_count: How many items there are; there may be items without comparisons.
        first: Item shown first, shape (comparisons,).
        second: Item shown second.
        score: Score in [0, 1] of the item shown first.
        tie: Whether the verdict was a tie; its score is 0.5.
        soft: Whether the score is the judge's own probability, and not a decision.
        weight: How many comparisons it counts for, 0 or more.
        judge: Index into ``judges``.
        judges: Identities of the judges.
        rankings: Orderings of two or more items, best first, shape (rankings, longest), filled up with -1.
        ranking_weight: How many orderings each counts for, shape (rankings,).
        ranking_judge: Index into ``judges``, shape (rankings,).
        ranking_place: Place, from 0, at which each item of an ordering was shown, shape of ``rankings``; -1 where
            that is not known.
        differences: What the item shown first has more of than the second in each comparison, such as tokens, a column
            a kind, shape (comparisons, kinds); without any it may be of shape (0, 0).

    Raises:
        InvalidVotes: If lengths differ, an index or a value is out of its range, or an item meets itself.
    """

    item_count: int
    first: Ints
    second: Ints
    score: Floats
    tie: Bools
    soft: Bools
    weight: Floats
    judge: Ints
    judges: tuple[str, ...]
    rankings: Ints
    ranking_weight: Floats
    ranking_judge: Ints
    ranking_place: Ints
    differences: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_comparisons(self)
        _check_scores(self)
        _check_rankings(self)
        for array in (*self._columns(), *self._orderings(), self.differences):
            array.setflags(write=False)

    def _columns(self) -> tuple[Ints | Floats | Bools, ...]:
        return (self.first, self.second, self.score, self.tie, self.soft, self.weight, self.judge)

    def _orderings(self) -> tuple[Ints | Floats, ...]:
        return (self.rankings, self.ranking_weight, self.ranking_judge, self.ranking_place)

    def __len__(self) -> int:
        """How many comparisons and rankings there are."""
        return self.first.size + self.ranking_weight.size

    @property
    def content(self) -> tuple[object, ...]:
        """All of it, bit by bit, as a value to compare and to look up by."""
        arrays = (*self._columns(), *self._orderings(), self.differences)
        return self.item_count, self.judges, self.rankings.shape, *(array.tobytes() for array in arrays)

    def without_order(self, judges: Collection[str]) -> "Evidence":
        """The same evidence with each pair of these judges in one order, so that the order shown can tell nothing.

        Args:
            judges: Identities of the judges whose order of presentation was not recorded.
        """
        turned = (self.first > self.second) & members(self.judges, judges)[self.judge]
        if not turned.any():
            return self
        return replace(
            self,
            first=np.where(turned, self.second, self.first),
            second=np.where(turned, self.first, self.second),
            score=np.where(turned, 1.0 - self.score, self.score),
            differences=np.where(turned[:, None], -self.differences, self.differences)
            if self.has_differences
            else self.differences,
        )

    def by_one_judge(self, name: str) -> "Evidence":
        """The same evidence as if one judge had given it all, and nothing but the items differed between sides."""
        return replace(
            self,
            judge=np.zeros_like(self.judge),
            ranking_judge=np.zeros_like(self.ranking_judge),
            judges=(name,),
            differences=np.zeros((0, 0)),
        )

    def without_judge(self, name: str) -> "Evidence":
        """The evidence of all judges but this one, who is not numbered any more either."""
        number = self.judges.index(name)
        kept, ranked = self.judge != number, self.ranking_judge != number
        names = ("first", "second", "score", "tie", "soft", "weight", "judge")
        columns = {column: values[kept] for column, values in zip(names, self._columns(), strict=True)}
        return replace(
            self,
            **columns | {"judge": columns["judge"] - (columns["judge"] > number)},
            judges=self.judges[:number] + self.judges[number + 1 :],
            rankings=self.rankings[ranked],
            ranking_weight=self.ranking_weight[ranked],
            ranking_judge=self.ranking_judge[ranked] - (self.ranking_judge[ranked] > number),
            ranking_place=self.ranking_place[ranked],
            differences=self.differences[kept] if self.has_differences else self.differences,
        )

    @property
    def has_differences(self) -> bool:
        """Whether something else than the items differs between the sides of comparisons."""
        return self.differences.size > 0

    def known_places(self, judges: Collection[str]) -> Bools:
        """Which places of the lists of these judges are known, shape (all judges, longest)."""
        counted = self.ranking_weight > 0
        judge, slot = self.ranking_judge[counted], self.ranking_place[counted]
        is_known = np.zeros((len(self.judges), self.rankings.shape[1]), dtype=np.bool_)
        rows, columns = np.nonzero(slot >= 0)
        is_known[judge[rows], slot[rows, columns]] = True
        return is_known & members(self.judges, judges)[:, None]

    @classmethod
    def of(
        cls,
        comparisons: Iterable[Comparison],
        ids: Sequence[str],
        weights: Mapping[str, float] | Sequence[float] | None = None,
        *,
        rankings: Iterable[Ranking] = (),
    ) -> Self:
        """Evidence from judged comparisons, and from rankings of several items.

        A judge's lists may be noisier than its pairs, the more so the longer they are: those of each length count as
        a judge of their own, named by ``list_judge``.

        Where a verdict states a probability, the probability is the evidence and the letter is not. Abstentions and
        failures say nothing about the items and are left out.

        Args:
            comparisons: The comparisons, in any order.
            ids: Ids of all items; an item's index in the evidence is its index here.
            weights: By judge identity (1 for a judge that is not named), or one a comparison, left-out ones included.
            rankings: The rankings, in any order.

        Raises:
            InvalidVotes: If a comparison names an item that is not in ``ids``, or weights do not fit.
        """
        listed = list(comparisons)
        evident = [row for row, comparison in enumerate(listed) if comparison.verdict.choice.is_evidence]
        used = [listed[row] for row in evident]
        first, second = _indices(used, ids)
        ranked = [ranking for ranking in rankings if ranking.verdict.order]
        judges = sorted({comparison.verdict.judge for comparison in used} | set(map(list_judge, ranked)))
        number = {judge: index for index, judge in enumerate(judges)}
        soft = [comparison.verdict.probability is not None for comparison in used]
        return cls.from_arrays(
            len(ids),
            first,
            second,
            [_score(comparison) for comparison in used],
            tie=[comparison.verdict.choice is Choice.TIE and not s for comparison, s in zip(used, soft, strict=True)],
            soft=soft,
            weight=_weights(listed, evident, weights),
            judge=[number[comparison.verdict.judge] for comparison in used],
            judges=judges,
            rankings=_orders(ranked, ids),
            ranking_weight=[
                weights.get(ranking.verdict.judge, 1.0) if isinstance(weights, Mapping) else 1.0 for ranking in ranked
            ],
            ranking_judge=[number[list_judge(ranking)] for ranking in ranked],
            ranking_place=[ranking.verdict.order for ranking in ranked],
        )

    @classmethod
    def from_arrays(
        cls,
        item_count: int,
        first: ArrayLike,
        second: ArrayLike,
        score: ArrayLike,
        *,
        tie: ArrayLike | None = None,
        soft: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        judge: ArrayLike | None = None,
        judges: Sequence[str] = ("judge",),
        rankings: Sequence[Sequence[int]] = (),
        ranking_weight: ArrayLike | None = None,
        ranking_judge: ArrayLike | None = None,
        ranking_place: Sequence[Sequence[int]] | None = None,
    ) -> Self:
        """Evidence from plain arrays, all of one length.

        Args:
            item_count: How many items there are.
            first: Index of the item shown first, shape (comparisons,).
            second: Index of the item shown second.
            score: Score in [0, 1] of the item shown first.
            tie: Which are ties; by default those that score 0.5 and are not soft.
            soft: Which scores are probabilities; by default those other than 0, 0.5 and 1.
            weight: How many comparisons each counts for; 1 by default.
            judge: Index into ``judges``; the first of them by default.
            judges: Identities of the judges.
            rankings: Orderings of two or more items each, best first.
            ranking_weight: How many orderings each ranking counts for; 1 by default.
            ranking_judge: Index into ``judges`` of who ordered; the first of them by default.
            ranking_place: Place, from 0, at which each item of an ordering was shown; not known by default.

        Raises:
            InvalidVotes: If the arrays do not make sense; the message names the first row that does not.
        """
        scores = _array(score, np.float64, "score")
        is_soft = ~np.isin(scores, (0.0, 0.5, 1.0)) if soft is None else _array(soft, np.bool_, "soft")
        is_tie = (scores == 0.5) & ~is_soft if tie is None else _array(tie, np.bool_, "tie")
        return cls(
            item_count=item_count,
            first=_array(first, np.int64, "first"),
            second=_array(second, np.int64, "second"),
            score=scores,
            tie=is_tie,
            soft=is_soft,
            weight=np.ones(scores.size) if weight is None else _array(weight, np.float64, "weight"),
            judge=np.zeros(scores.size, np.int64) if judge is None else _array(judge, np.int64, "judge"),
            judges=tuple(judges),
            rankings=_padded(rankings),
            ranking_weight=(
                np.ones(len(rankings))
                if ranking_weight is None
                else _array(ranking_weight, np.float64, "ranking_weight")
            ),
            ranking_judge=(
                np.zeros(len(rankings), np.int64)
                if ranking_judge is None
                else _array(ranking_judge, np.int64, "ranking_judge")
            ),
            ranking_place=(np.full_like(_padded(rankings), PAD) if ranking_place is None else _padded(ranking_place)),
        )


def members(judges: Sequence[str], chosen: Collection[str]) -> Bools:
    """Which judges are among those chosen, shape (judges,)."""
    return np.array([judge in chosen for judge in judges], dtype=np.bool_)


def _score(comparison: Comparison) -> float:
    verdict = comparison.verdict
    return _SCORES[verdict.choice] if verdict.probability is None else verdict.probability


def _indices(comparisons: Sequence[Comparison], ids: Sequence[str]) -> tuple[list[int], list[int]]:
    index = {id: position for position, id in enumerate(ids)}
    for comparison in comparisons:
        for id in (comparison.first, comparison.second):
            if id not in index:
                raise InvalidVotes(
                    f"comparison {comparison.call!r} names {id!r}, which is none of the {len(ids)} items"
                )
    return [index[c.first] for c in comparisons], [index[c.second] for c in comparisons]


def list_judge(ranking: Ranking) -> str:
    """Under what name the lists of one judge and one length enter the fit."""
    return f"{ranking.verdict.judge}, lists of {len(ranking.shown)}"


def _orders(rankings: Sequence[Ranking], ids: Sequence[str]) -> list[list[int]]:
    index = {id: position for position, id in enumerate(ids)}
    for ranking in rankings:
        for id in ranking.shown:
            if id not in index:
                raise InvalidVotes(f"ranking {ranking.call!r} names {id!r}, which is none of the {len(ids)} items")
    return [[index[id] for id in ranking.order] for ranking in rankings]


def _weights(
    listed: Sequence[Comparison], evident: Sequence[int], weights: Mapping[str, float] | Sequence[float] | None
) -> list[float]:
    if weights is None:
        return [1.0] * len(evident)
    if isinstance(weights, Mapping):
        return [weights.get(listed[index].verdict.judge, 1.0) for index in evident]
    if len(weights) != len(listed):
        raise InvalidVotes(f"{len(weights)} weights for {len(listed)} comparisons; give one each, or one a judge")
    return [weights[index] for index in evident]


def _array(values: ArrayLike, kind: type[_Kind], name: str) -> NDArray[_Kind]:
    try:
        array = np.array(values, dtype=kind)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidVotes(f"{name} cannot be read as an array of {kind.__name__}: {error}") from error
    if array.ndim != 1:
        raise InvalidVotes(f"{name} must have one dimension, not {array.ndim}")
    return array


def _padded(rankings: Sequence[Sequence[int]]) -> Ints:
    longest = max((len(ranking) for ranking in rankings), default=0)
    padded = np.full((len(rankings), longest), PAD, dtype=np.int64)
    for row, ranking in enumerate(rankings):
        padded[row, : len(ranking)] = _array(ranking, np.int64, f"ranking {row}")
        if len(ranking) < 2:
            raise InvalidVotes(f"ranking {row} orders {len(ranking)} items; it takes two or more")
        if min(ranking) < 0:
            raise InvalidVotes(f"ranking {row} names item {min(ranking)}; items are numbered from 0")
    return padded


def _refuse(wrong: Bools, text: str) -> None:
    """Raise for the first row that is wrong, naming it."""
    if wrong.any():
        raise InvalidVotes(f"comparison {int(np.argmax(wrong))}: {text}")


def _check_shapes(evidence: Evidence) -> None:
    if evidence.item_count < 1:
        raise InvalidVotes(f"evidence needs at least one item, not {evidence.item_count}")
    names = ("first", "second", "score", "tie", "soft", "weight", "judge")
    for name, column in zip(names, evidence._columns(), strict=True):
        if column.shape != evidence.first.shape:
            raise InvalidVotes(f"{name} holds {column.size} values where first holds {evidence.first.size}")
    if evidence.has_differences and len(evidence.differences) != evidence.first.size:
        raise InvalidVotes(f"{len(evidence.differences)} rows of differences for {evidence.first.size} comparisons")
    if not np.isfinite(evidence.differences).all():
        raise InvalidVotes("differences must be finite numbers")
    if evidence.rankings.shape[:1] != evidence.ranking_weight.shape:
        raise InvalidVotes(f"{evidence.ranking_weight.size} weights for {len(evidence.rankings)} rankings")
    if evidence.ranking_judge.shape != evidence.ranking_weight.shape:
        raise InvalidVotes(f"{evidence.ranking_judge.size} judges for {len(evidence.rankings)} rankings")
    if len(set(evidence.judges)) != len(evidence.judges):
        raise InvalidVotes("a judge is named twice")


def _check_comparisons(evidence: Evidence) -> None:
    for side in (evidence.first, evidence.second):
        _refuse((side < 0) | (side >= evidence.item_count), f"items are numbered from 0 to {evidence.item_count - 1}")
    _refuse(evidence.first == evidence.second, "an item cannot meet itself")
    _refuse(~_weighs(evidence.weight), f"a weight must lie between 0 and {MOST_WEIGHT:g}")
    judges = len(evidence.judges)
    _refuse((evidence.judge < 0) | (evidence.judge >= judges), f"its judge is none of the {judges} judges")


def _check_scores(evidence: Evidence) -> None:
    score, tie, soft = evidence.score, evidence.tie, evidence.soft
    _refuse(~((score >= 0) & (score <= 1)), "a score must lie in [0, 1]")
    _refuse(soft & tie, "it is either soft or a tie")
    _refuse(tie != ((score == 0.5) & ~soft), "a score of 0.5 is either soft or a tie, and a tie scores 0.5")
    _refuse(~soft & ~np.isin(score, (0.0, 0.5, 1.0)), "a score other than 0, 0.5 and 1 must be soft")


def _check_places(evidence: Evidence) -> None:
    if evidence.ranking_place.shape != evidence.rankings.shape:
        raise InvalidVotes("each item of a ranking has a place at which it was shown, or none has")
    # In ascending order the places of a list of k are 0 .. k - 1, or -1 throughout.
    ordered = np.sort(np.where(evidence.rankings == PAD, np.iinfo(np.int64).max, evidence.ranking_place), axis=1)
    listed, count = np.sort(evidence.rankings == PAD, axis=1), np.arange(evidence.rankings.shape[1])
    wrong = ~listed & (ordered != count) & (ordered != PAD)
    if wrong.any():
        raise InvalidVotes(f"ranking {int(np.argmax(wrong.any(axis=1)))} does not name each place once, from 0")


def _check_rankings(evidence: Evidence) -> None:
    if evidence.rankings.size == 0:
        return
    if evidence.rankings.max() >= evidence.item_count:
        raise InvalidVotes(f"a ranking names item {evidence.rankings.max()}; there are {evidence.item_count}")
    ordered = np.sort(evidence.rankings, axis=1)
    twice = ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != PAD)).any(axis=1)
    if twice.any():
        raise InvalidVotes(f"ranking {int(np.argmax(twice))} names an item twice")
    _check_places(evidence)
    if not np.isin(evidence.ranking_judge, np.arange(len(evidence.judges))).all():
        raise InvalidVotes(f"the judge of a ranking is none of the {len(evidence.judges)} judges")
    if not _weighs(evidence.ranking_weight).all():
        raise InvalidVotes(f"a ranking's weight must lie between 0 and {MOST_WEIGHT:g}")


def _weighs(weight: Floats) -> Bools:
    return (weight >= 0) & (weight <= MOST_WEIGHT)
