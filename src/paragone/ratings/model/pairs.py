"""Hard verdicts of many items, laid out so that a pass over them costs little: for fits too large for a full matrix.

Pairs of items, in the order in which they were shown, are sorted and those of one judge added up. The scores enter
through one fixed vector, since comparisons are an exponential family. With numba the passes are compiled; without it
numpy and scipy do the same, slower.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.loops import compiled, pair_loops
from paragone.ratings.loops.pair_loops import Index
from paragone.ratings.model.davidson import Davidson
from paragone.ratings.model.sufficient import totals

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FARTHEST = 300.0
"""A strength, in nats, beyond which products of ``exp(strength / 2)`` might overflow."""
_BLOCK = 1_000_000
_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Pairs:
    """Pairs by judge and by the item shown first, with their weights: 12 bytes each.

    Attributes:
        items: How many items there are.
        judges: How many judges.
        starts: Where the pairs of each judge and first item start, shape (judges * items + 1,).
        second: Item shown second, shape (pairs,).
        weight: Sum of the weights.
        lead: Weighted sum of score - 1/2 over what each item was in, from its side, shape (items,).
        judge_lead: The same for the item shown first, by judge.
        judge_ties: Weight of the ties, by judge.
    """

    items: int
    judges: int
    starts: Ints
    second: Index
    weight: Floats
    lead: Floats
    judge_lead: Floats
    judge_ties: Floats

    @classmethod
    def of(cls, evidence: Evidence) -> "Pairs":
        """The pairs of evidence without soft verdicts and rankings."""
        return (_counted if compiled.available() else _sorted)(evidence)

    @property
    def first(self) -> Ints:
        """Item shown first, shape (pairs,)."""
        return np.repeat(np.arange(self.starts.size - 1) % self.items, np.diff(self.starts))

    def of_judge(self, judge: int) -> Ints:
        """The part of ``starts`` for one judge."""
        return self.starts[judge * self.items : (judge + 1) * self.items + 1]

    def matrix(self, bends: Floats) -> "csr_array":
        """Curvatures of the pairs by first and second item, shape (items, items)."""
        from scipy.sparse import csr_array

        by_judge = []
        for judge in range(self.judges):
            starts = self.of_judge(judge)
            part, shape = slice(starts[0], starts[-1]), (self.items, self.items)
            by_judge.append(csr_array((bends[part], self.second[part], starts - starts[0]), shape=shape))
        return sum(by_judge[1:], by_judge[0])


def _counted(evidence: Evidence) -> Pairs:
    """By counting, in time proportional to the evidence."""
    items, judges = evidence.item_count, max(len(evidence.judges), 1)
    votes = (evidence.first, evidence.second, evidence.judge, evidence.weight)
    lead, judge_lead, judge_ties = np.zeros(items), np.zeros(judges), np.zeros(judges)
    verdicts, sums = (evidence.score, evidence.tie), (lead, judge_lead, judge_ties)
    if judges * items**2 <= evidence.first.size:
        table = np.zeros(judges * items**2)
        pair_loops.tabulate.compiled(votes, *verdicts, table, sums)
        keys = np.flatnonzero(table)
        starts, second, weight = _starts(keys // items, judges * items), (keys % items).astype(np.int32), table[keys]
    else:
        starts = np.zeros(judges * items + 1, dtype=np.int64)
        pair_loops.tally.compiled(votes, *verdicts, starts, sums)
        second, weight = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1])
        pair_loops.distribute.compiled(votes, items, starts, second, weight)
        pair_loops.unify.compiled(starts, second, weight, np.full(items, -1))
        second, weight = _cut(second, starts[-1]), _cut(weight, starts[-1])
    return Pairs(
        items=items,
        judges=judges,
        starts=starts,
        second=second,
        weight=weight,
        lead=lead,
        judge_lead=judge_lead,
        judge_ties=judge_ties,
    )


def _starts(groups: Ints, count: int) -> Ints:
    """Where each group starts in their order, and behind them where the last one ends."""
    return np.searchsorted(groups, np.arange(count + 1)).astype(np.int64, copy=False)


def _cut(array: NDArray[_Kind], size: int) -> NDArray[_Kind]:
    """The beginning of an array, in memory of its own if that saves much."""
    return array[:size] if 2 * size > array.size else array[:size].copy()


def _sorted(evidence: Evidence) -> Pairs:
    """The same by numpy."""
    used = np.flatnonzero(evidence.weight > 0)
    judges, items = max(len(evidence.judges), 1), evidence.item_count
    first, second, judge = (column[used] for column in (evidence.first, evidence.second, evidence.judge))
    weight = evidence.weight[used]
    much = weight * (evidence.score[used] - 0.5)
    keys, at = np.unique((judge * items + first) * items + second, return_inverse=True)
    groups, seconds = np.divmod(keys, items)
    return Pairs(
        items=items,
        judges=judges,
        starts=_starts(groups, judges * items),
        second=seconds.astype(np.int32),
        weight=totals(at, weight, keys.size),
        lead=totals(first, much, items) - totals(second, much, items),
        judge_lead=totals(judge, much, judges),
        judge_ties=totals(judge, weight * evidence.tie[used], judges),
    )


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Voice:
    """What one pass over the pairs of one judge gives.

    Attributes:
        log_partition: Weighted sum of the logarithms of what the odds are divided by.
        lead: Expected lead of each item over what it was in, shape (items,).
        degree: Curvature of each item by itself.
        leaning: Curvature of each item with the position term.
        tying: Curvature of each item with the log tie parameter.
        sums: Expected lead of the first and expected weight of ties; curvature of the position term, of it with the log
            tie parameter, and of that.
    """

    log_partition: float
    lead: Floats
    degree: Floats
    leaning: Floats
    tying: Floats
    sums: tuple[float, float, float, float, float]


def listen(pairs: Pairs, judge: int, strength: Floats, position: float, tie: float, bends: Floats) -> Voice:
    """Expectations and curvature for one judge.

    Args:
        pairs: All pairs.
        judge: Which judge.
        strength: Of the items, in nats.
        position: The judge's position term.
        tie: Its log tie parameter; -inf for none.
        bends: Filled in with the curvature of each of the judge's pairs, shape (pairs,).
    """
    reach = float(np.abs(strength).max()) + abs(position)
    if compiled.available() and reach < FARTHEST and tie < FARTHEST:
        field, own = np.zeros((strength.size, 4)), np.empty((strength.size, 3))
        np.exp(strength / 2, out=field[:, 0])
        lean, ease = math.exp(position / 2), math.exp(tie)
        listed, starts = (pairs.second, pairs.weight), pairs.of_judge(judge)
        logs, ties, unsure = pair_loops.derive.compiled(listed, starts, lean, ease, bends, field.ravel(), own)
        return _voice(-logs / 2, ties, unsure, own.T, field.T[1:])
    return _listened(pairs, judge, strength, position, tie, bends)


def _listened(pairs: Pairs, judge: int, strength: Floats, position: float, tie: float, bends: Floats) -> Voice:
    """The same by numpy, a block of pairs at a time."""
    starts, ends = pairs.of_judge(judge), np.zeros((2, 3, strength.size))
    keys = np.repeat(np.arange(strength.size), np.diff(starts))
    log_partition = ties = unsure = 0.0
    for begin in range(0, keys.size, _BLOCK):
        here = keys[begin : begin + _BLOCK]
        part = slice(starts[0] + begin, starts[0] + begin + here.size)
        there, weight = pairs.second[part], pairs.weight[part]
        outcome = Davidson.at(strength[here] - strength[there] + position, np.array(tie))
        values = weight * outcome.margin / 2, weight * outcome.variance, weight * outcome.covariance
        for side, items in enumerate((here, there.astype(np.int64))):
            ends[side] += [totals(items, value, strength.size) for value in values]
        bends[part] = values[1]
        log_partition += float(weight @ outcome.log_partition)
        ties += float(weight @ outcome.tie)
        unsure += float(weight @ outcome.tie_variance)
    return _voice(log_partition, ties, unsure, *ends)


def _voice(log_partition: float, ties: float, unsure: float, own: Floats, others: Floats) -> Voice:
    """From what the pairs add up to for the items as first and as second."""
    lead, leaning, tying = own - others
    return Voice(
        log_partition=log_partition,
        lead=lead,
        degree=own[1] + others[1],
        leaning=leaning,
        tying=tying,
        sums=(float(own[0].sum()), ties, float(own[1].sum()), float(own[2].sum()), unsure),
    )
