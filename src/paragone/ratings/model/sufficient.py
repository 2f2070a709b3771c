"""Sufficient statistics: comparisons that the likelihood cannot tell apart, added up into one row."""

from dataclasses import dataclass

import numpy as np

from paragone.ratings.evidence import Bools, Evidence, Floats, Ints


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Rows:
    """One row for each items-in-order, judge and kind of score that occur; all arrays have shape (rows,).

    Attributes:
        first: Item shown first.
        second: Item shown second.
        judge: Index of the judge.
        soft: Whether the scores are probabilities.
        weight: Sum of the weights.
        lead: Weighted sum of score - 1/2.
        tied: Weight of the ties.
        square: Weighted sum of (score - 1/2) squared.
        count: Comparisons added up, whatever they weigh.
    """

    first: Ints
    second: Ints
    judge: Ints
    soft: Bools
    weight: Floats
    lead: Floats
    tied: Floats
    square: Floats
    count: Floats


def totals(index: Ints, values: Floats, size: int) -> Floats:
    """Sum of the values at each place, shape (size,)."""
    # np.bincount counts in integers when there is nothing to add up.
    return np.bincount(index, weights=values, minlength=size).astype(np.float64, copy=False)


def merge(evidence: Evidence) -> Rows:
    """Add up the comparisons of non-zero weight; the order in which they come changes nothing but rounding."""
    used = evidence.weight > 0
    judges = max(len(evidence.judges), 1)
    pair = evidence.first[used] * evidence.item_count + evidence.second[used]
    keys, group = np.unique((pair * judges + evidence.judge[used]) * 2 + evidence.soft[used], return_inverse=True)
    pair, judge_and_kind = np.divmod(keys, 2 * judges)
    weight = evidence.weight[used]
    lead = evidence.score[used] - 0.5

    def total(values: Floats) -> Floats:
        return totals(group, values, keys.size)

    return Rows(
        first=pair // evidence.item_count,
        second=pair % evidence.item_count,
        judge=judge_and_kind // 2,
        soft=judge_and_kind % 2 == 1,
        weight=total(weight),
        lead=total(weight * lead),
        tied=total(weight * evidence.tie[used]),
        square=total(weight * lead**2),
        count=total(np.ones(weight.size)),
    )
