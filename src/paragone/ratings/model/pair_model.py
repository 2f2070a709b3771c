"""The log posterior of a large fit: that of ``likelihood.Model``, computed by passes over sorted pairs.

Hard verdicts are added up by judge and by ordered pair of items. Comparisons are an exponential family, so the scores
enter through one fixed vector. The passes over many pairs are compiled where numba is installed; otherwise numpy and
scipy do the same, slower.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
from paragone.ratings.evidence import Bools, Evidence, Floats, Ints
from paragone.ratings.loops import compiled, pair_loops
from paragone.ratings.loops.pair_loops import Index
from paragone.ratings.model.davidson import Davidson
from paragone.ratings.model.likelihood import TIE_CENTER, Derivatives, Hyper, Model, totals

if TYPE_CHECKING:
    from scipy.sparse import csr_array


FARTHEST = 300.0
"""A strength, in nats, beyond which products of ``exp(strength / 2)`` might overflow."""
_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class JudgedPairs:
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
        is_compiled: Whether there are so many that passes over them run compiled.
        laid_out: Where they are in a matrix between items; filled as it is asked for.
    """

    items: int
    judges: int
    starts: Ints
    second: Index
    weight: Floats
    lead: Floats
    judge_lead: Floats
    judge_ties: Floats
    is_compiled: bool
    laid_out: "list[PairMatrixLayout]" = field(default_factory=list)

    @classmethod
    def of(cls, evidence: Evidence) -> "JudgedPairs":
        """The pairs of evidence without soft verdicts and rankings."""
        return (_counted if compiled.pays_to_fit(evidence.first.size) else _sorted)(evidence)

    @property
    def first(self) -> Ints:
        """Item shown first, shape (pairs,)."""
        return np.repeat(np.arange(self.starts.size - 1) % self.items, np.diff(self.starts))

    def of_judge(self, judge: int) -> Ints:
        """The part of ``starts`` for one judge."""
        return self.starts[judge * self.items : (judge + 1) * self.items + 1]

    def matrix(self, curvatures: Floats) -> "csr_array":
        """Curvatures of the pairs by first and second item, shape (items, items)."""
        from scipy.sparse import csr_array

        by_judge = []
        for judge in range(self.judges):
            starts = self.of_judge(judge)
            part, shape = slice(starts[0], starts[-1]), (self.items, self.items)
            by_judge.append(csr_array((curvatures[part], self.second[part], starts - starts[0]), shape=shape))
        return sum(by_judge[1:], by_judge[0])

    @property
    def layout(self) -> "PairMatrixLayout":
        """Where they are in a matrix between items."""
        if not self.laid_out:
            self.laid_out.append(PairMatrixLayout.of(self))
        return self.laid_out[0]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class PairMatrixLayout:
    """A symmetric sparse matrix between items by rows, without its values.

    Attributes:
        starts: Where each row starts, shape (items + 1,).
        columns: Of each value, ascending in each row, shape (values,).
        diagonal: Which values are the items' own, shape (items,).
        above: Which value has each pair by the item shown first, shape (pairs,).
        below: The same by the item shown second.
    """

    starts: Ints
    columns: Index
    diagonal: Ints
    above: Ints
    below: Ints

    @classmethod
    def of(cls, pairs: JudgedPairs) -> "PairMatrixLayout":
        """The layout of these pairs and the diagonal."""
        items, first, second, own = pairs.items, pairs.first, pairs.second.astype(np.int64), np.arange(pairs.items)
        keys = np.concatenate([first * items + second, second * items + first, own * (items + 1)])
        cells, at = np.unique(keys, return_inverse=True)
        rows, columns = np.divmod(cells, items)
        above, below, diagonal = np.split(at, [first.size, 2 * first.size])
        starts = _starts(rows, items)
        return cls(starts=starts, columns=columns.astype(np.int32), diagonal=diagonal, above=above, below=below)

    def matrix(self, own: Floats, between: Floats) -> "csr_array":
        """The matrix with these values of the items on its diagonal, less those of the pairs on both sides of it."""
        from scipy.sparse import csr_array

        values, items = np.zeros(self.columns.size), own.size
        values[self.diagonal] = own
        values -= totals(self.above, between, values.size)
        values -= totals(self.below, between, values.size)
        return csr_array((values, self.columns, self.starts), shape=(items, items))


def _counted(evidence: Evidence) -> JudgedPairs:
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
    return JudgedPairs(
        items=items,
        judges=judges,
        starts=starts,
        second=second,
        weight=weight,
        lead=lead,
        judge_lead=judge_lead,
        judge_ties=judge_ties,
        is_compiled=True,
    )


def _starts(groups: Ints, count: int) -> Ints:
    """Where each group starts in their order, and behind them where the last one ends."""
    return np.searchsorted(groups, np.arange(count + 1)).astype(np.int64, copy=False)


def _cut(array: NDArray[_Kind], size: int) -> NDArray[_Kind]:
    """The beginning of an array, in memory of its own if that saves much."""
    return array[:size] if 2 * size > array.size else array[:size].copy()


def _sorted(evidence: Evidence) -> JudgedPairs:
    """The same by numpy."""
    used = np.flatnonzero(evidence.weight > 0)
    judges, items = max(len(evidence.judges), 1), evidence.item_count
    first, second, judge = (column[used] for column in (evidence.first, evidence.second, evidence.judge))
    weight = evidence.weight[used]
    much = weight * (evidence.score[used] - 0.5)
    keys, at = np.unique((judge * items + first) * items + second, return_inverse=True)
    groups, seconds = np.divmod(keys, items)
    return JudgedPairs(
        items=items,
        judges=judges,
        starts=_starts(groups, judges * items),
        second=seconds.astype(np.int32),
        weight=totals(at, weight, keys.size),
        lead=totals(first, much, items) - totals(second, much, items),
        judge_lead=totals(judge, much, judges),
        judge_ties=totals(judge, weight * evidence.tie[used], judges),
        is_compiled=False,
    )


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class JudgePass:
    """What one pass over the pairs of one judge gives.

    Attributes:
        log_partition: Weighted sum of the logarithms of what the odds are divided by.
        lead: Expected lead of each item over what it was in, shape (items,).
        degree: Curvature of each item by itself.
        with_position: Curvature of each item with the position term.
        with_tie: Curvature of each item with the log tie parameter.
        sums: Expected lead of the first and expected weight of ties; curvature of the position term, of it with the log
            tie parameter, and of that.
    """

    log_partition: float
    lead: Floats
    degree: Floats
    with_position: Floats
    with_tie: Floats
    sums: tuple[float, float, float, float, float]


def pass_over_pairs(
    pairs: JudgedPairs, judge: int, strength: Floats, position: float, tie: float, curvatures: Floats
) -> JudgePass:
    """Expectations and curvature for one judge.

    Args:
        pairs: All pairs.
        judge: Which judge.
        strength: Of the items, in nats.
        position: The judge's position term.
        tie: Its log tie parameter; -inf for none.
        curvatures: Filled in with the curvature of each of the judge's pairs, shape (pairs,).
    """
    reach = float(np.abs(strength).max()) + abs(position)
    # The compiled pass multiplies exp(strength / 2) without logarithms, which is why it is quick and why it could
    # overflow; numpy's form could not.
    if pairs.is_compiled and reach < FARTHEST and tie < FARTHEST:
        field, own = np.zeros((strength.size, 4)), np.empty((strength.size, 3))
        np.exp(strength / 2, out=field[:, 0])
        position_root, tie_odds = math.exp(position / 2), math.exp(tie)
        listed, starts = (pairs.second, pairs.weight), pairs.of_judge(judge)
        logs, ties, unsure = pair_loops.derive.compiled(
            listed, starts, position_root, tie_odds, curvatures, field.ravel(), own
        )
        # P(first) P(second) = exp(x/2) exp(-x/2) / Z^2 = 1 / Z^2: the log partition is minus half of their logarithms.
        return _judge_pass(-logs / 2, ties, unsure, own.T, field.T[1:])
    return _pass_over_pairs_numpy(pairs, judge, strength, position, tie, curvatures)


def _pass_over_pairs_numpy(
    pairs: JudgedPairs, judge: int, strength: Floats, position: float, tie: float, curvatures: Floats
) -> JudgePass:
    """The same by numpy, a block of pairs at a time."""
    starts, ends = pairs.of_judge(judge), np.zeros((2, 3, strength.size))
    keys = np.repeat(np.arange(strength.size), np.diff(starts))
    log_partition = ties = unsure = 0.0
    for begin in range(0, keys.size, _BLOCK):
        first = keys[begin : begin + _BLOCK]
        part = slice(starts[0] + begin, starts[0] + begin + first.size)
        second, weight = pairs.second[part], pairs.weight[part]
        outcome = Davidson.at(strength[first] - strength[second] + position, np.array(tie))
        values = weight * outcome.margin / 2, weight * outcome.variance, weight * outcome.covariance
        for side, items in enumerate((first, second.astype(np.int64))):
            ends[side] += [totals(items, value, strength.size) for value in values]
        curvatures[part] = values[1]
        log_partition += float(weight @ outcome.log_partition)
        ties += float(weight @ outcome.tie)
        unsure += float(weight @ outcome.tie_variance)
    return _judge_pass(log_partition, ties, unsure, *ends)


def _judge_pass(log_partition: float, ties: float, unsure: float, own: Floats, opponent: Floats) -> JudgePass:
    """From what the pairs add up to for the items as first and as second."""
    lead, with_position, with_tie = own - opponent
    return JudgePass(
        log_partition=log_partition,
        lead=lead,
        degree=own[1] + opponent[1],
        with_position=with_position,
        with_tie=with_tie,
        sums=(float(own[0].sum()), ties, float(own[1].sum()), float(own[2].sum()), unsure),
    )


MOST_COUPLED = 50_000_000
"""Most numbers that tie items to the judges' parameters; more judges than that allows go another way."""

_BLOCK = 1_000_000
_USUAL = 3.0
"""A spread in nats up to which the prior's is a good guess of that of the strengths."""
_LOGISTIC = 2.9  # variance of the normal that a logistic distribution is nearest to, in nats squared


def suits(evidence: Evidence, *, slope: bool) -> bool:
    """Whether this evidence can be laid out in pairs: hard verdicts only, no orderings, no slopes of judges to find."""
    judges = len(evidence.judges)
    few = 2 * judges * evidence.item_count <= MOST_COUPLED and evidence.first.size < np.iinfo(np.int32).max
    plain = not evidence.soft.any() and not (evidence.ranking_weight > 0).any()
    return few and plain and (judges < 2 or not slope)


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class PairModel(Model):
    """Evidence of hard verdicts in pairs; it has no ``rows`` and no ``rankings``.

    ``Derivatives.entries`` are, one behind the other: the curvature of each pair, the pairs' part of each item's, that
    between each item and each column, that of the columns, and the prior's precision of each parameter. Columns are the
    parameters of the judges.

    Attributes:
        pairs: The comparisons.
        item_weight: Weight of the comparisons of each item, shape (items,).
        judged: Weight of the comparisons of each judge.
    """

    pairs: JudgedPairs
    item_weight: Floats
    judged: Floats

    @classmethod
    def of_pairs(cls, evidence: Evidence, positioned: Collection[str]) -> "PairModel":
        """The model of evidence that ``suits``, with a position term for the judges named in ``positioned``."""
        pairs, judges, items = JudgedPairs.of(evidence), len(evidence.judges), evidence.item_count
        has_evidence = np.diff(pairs.starts[::items])[:judges] > 0
        has_position = np.array([judge in positioned for judge in evidence.judges], dtype=np.bool_) & has_evidence
        has_tie = pairs.judge_ties[:judges] > 0
        dimension = items + int(has_position.sum() + has_tie.sum())
        item_weight, judged = _weighed(pairs)
        bare = Model.of(_without_comparisons(evidence), ())
        return cls(
            **{field.name: getattr(bare, field.name) for field in fields(Model)}
            | {
                "dimension": dimension,
                "position": _numbered(has_position, items, dimension),
                "tie": _numbered(has_tie, items + int(has_position.sum()), dimension),
                "pairs": pairs,
                "item_weight": item_weight,
                "judged": judged[:judges],
            }
        )

    @property
    def columns(self) -> int:
        """How many parameters the judges have."""
        return self.dimension - self.item_count

    def total_weight(self, hyper: Hyper) -> float:  # noqa: ARG002 - of hard verdicts no dispersion takes any away
        """The largest sum of weights that bears on one item: the scale of its gradient.

        What speaks of a judge may be millions of verdicts, and to add up so many costs digits: a thousandth is allowed.
        """
        return float(self.item_weight.max() + self.judged.max(initial=0.0) / 1000)

    def guess(self, spread: float) -> Floats:
        """A first idea of the parameters, shape (dimension,).

        A prior may be far wider than the strengths are. Where it is, the idea for ever wider strengths is taken for as
        long as it is the likelier one: on the flat outer slopes of the posterior Newton's steps would be short.

        Args:
            spread: Standard deviation of the strengths before evidence, in nats.
        """
        theta, wide = self._guess(min(spread, _USUAL)), _USUAL
        if spread <= _USUAL:
            return theta
        hyper = Hyper(spread=spread, dispersion=np.ones(self.position.size))
        value = self.derivatives(theta, hyper).value
        while wide < spread:
            wide = min(2 * wide, spread)
            wider = self._guess(wide)
            likelier = self.derivatives(wider, hyper).value
            if likelier <= value:
                break
            theta, value = wider, likelier
        return theta

    def _guess(self, spread: float) -> Floats:
        """The parameters as if everyone had met opponents from anywhere, of this spread.

        Averaged over such opponents, the chance to win is about a logistic curve that is flatter by a root. Where all
        met their equals it says that they are equal, which does no harm.
        """
        theta = np.zeros(self.dimension)
        won, lost = self.item_weight / 2 + self.pairs.lead, self.item_weight / 2 - self.pairs.lead
        # Half a win and half a loss more, so that an item that never lost begins at a finite strength.
        strength = math.sqrt(1 + spread**2 / _LOGISTIC) * np.log((won + 0.5) / (lost + 0.5))
        theta[: self.item_count] = strength - strength.mean()
        first, half = self.pairs.judge_lead[: self.judged.size], self.judged / 2
        # Seen from the judge, a difference of two strengths is averaged over: twice the variance.
        flatter = math.sqrt(1 + 2 * spread**2 / _LOGISTIC)
        theta = np.append(theta, 0.0)
        theta[self.position] = flatter * np.log((half + first + 0.5) / (half - first + 0.5))
        theta[self.tie[self.tie < self.dimension]] = TIE_CENTER
        return theta[:-1]

    def derivatives(self, theta: Floats, hyper: Hyper) -> Derivatives:
        """The log posterior and its derivatives at ``theta``."""
        pairs, items, count = self.pairs, self.item_count, self.columns
        values = np.append(theta, 0.0)
        position, tie = values[self.position], values[self.tie]
        entries = np.empty(pairs.second.size + items * (1 + count) + count**2 + self.dimension)
        entries[pairs.second.size :] = 0.0
        curvatures, degree, coupling, columns, precision = self.parts(entries)
        # The observed part of the sums never changes with theta: each pass takes off what is expected.
        gradient = np.append(np.append(pairs.lead, np.zeros(count)), 0.0)
        value = float(pairs.lead @ theta[:items])
        for judge in range(self.position.size):
            at, of_tie = self.position[judge], self.tie[judge]
            ties = tie[judge] if of_tie < self.dimension else -math.inf
            judge_pass = pass_over_pairs(pairs, judge, theta[:items], float(position[judge]), float(ties), curvatures)
            gradient[:items] -= judge_pass.lead
            gradient[at] += pairs.judge_lead[judge] - judge_pass.sums[0]
            gradient[of_tie] += pairs.judge_ties[judge] - judge_pass.sums[1]
            value += pairs.judge_lead[judge] * position[judge] + pairs.judge_ties[judge] * tie[judge]
            value -= judge_pass.log_partition
            degree += judge_pass.degree
            self._couple(judge_pass, at - items, of_tie - items, coupling, columns)
        mean, precision[:] = self.prior(hyper)
        away = theta - mean
        log_prior = float(np.log(precision).sum() - precision @ away**2) / 2
        return Derivatives(
            value=value + log_prior,
            log_likelihood=value,
            gradient=gradient[:-1] - precision * away,
            curvature=lambda: entries,  # filled in by the pass that gives the gradient
        )

    def entries(self, theta: Floats, hyper: Hyper) -> Floats:
        """``Derivatives.entries`` at ``theta``: the pass that gives the gradient fills them in."""
        return self.derivatives(theta, hyper).entries

    def _couple(self, judge_pass: JudgePass, position: int, tie: int, coupling: Floats, columns: Floats) -> None:
        """Put in what one judge's parameters have to do with the items and with each other."""
        _, _, with_position, position_tie, unsure = judge_pass.sums
        if position < self.columns:
            coupling[:, position] += judge_pass.with_position
            columns[position, position] += with_position
        if tie < self.columns:
            coupling[:, tie] += judge_pass.with_tie
            columns[tie, tie] += unsure
        if position < self.columns and tie < self.columns:
            columns[position, tie] += position_tie
            columns[tie, position] += position_tie

    def parts(self, entries: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """The entries as views: of pairs, items, items and columns, columns, and the prior's precision."""
        pairs, items, count = self.pairs.second.size, self.item_count, self.columns
        curvatures, degree, coupling, columns, precision = np.split(
            entries, np.cumsum([pairs, items, items * count, count**2])
        )
        return curvatures, degree, coupling.reshape(items, count), columns.reshape(count, count), precision

    def contradicted(self, theta: Floats, evidence: Evidence) -> bool:
        """Whether anything goes against the parameters: a tie or an upset; see ``bradley_terry.contradicted``."""
        if self.pairs.judge_ties.any():
            return True
        theta = rounded(theta, STRENGTH_DECIMALS)
        position = np.append(theta, 0.0)[self.position]
        for start in range(0, evidence.first.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            gap = theta[evidence.first[part]] - theta[evidence.second[part]] + position[evidence.judge[part]]
            against = (evidence.score[part] - 0.5) * np.sign(gap) < 0.5
            if (against & (evidence.weight[part] > 0)).any():
                return True
        return False


def _weighed(pairs: JudgedPairs) -> tuple[Floats, Floats]:
    """Weight of the comparisons of each item and of each judge."""
    own = np.add.reduceat(np.append(pairs.weight, 0.0), pairs.starts[:-1])
    # reduceat gives the element at the start for an empty group, not 0.
    own[np.diff(pairs.starts) == 0] = 0.0
    by_judge = own.reshape(pairs.judges, pairs.items)
    return by_judge.sum(axis=0) + totals(pairs.second.astype(np.int64), pairs.weight, pairs.items), by_judge.sum(axis=1)


def _without_comparisons(evidence: Evidence) -> Evidence:
    return Evidence.from_arrays(evidence.item_count, [], [], [], judges=evidence.judges)


def _numbered(chosen: Bools, start: int, absent: int) -> Ints:
    """Consecutive numbers from ``start`` for the chosen, ``absent`` for the others."""
    return np.where(chosen, start + np.cumsum(chosen) - 1, absent)
