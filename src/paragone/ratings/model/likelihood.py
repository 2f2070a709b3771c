"""The log posterior of all parameters together: strengths, position terms, log tie parameters.

The parameters are one vector ``theta``: the strengths of the items, then a position term for each judge that has one,
then a term for each place of the lists of each judge who ordered any, then a log tie parameter for each judge that gave
ties. A slot behind its end, always 0, stands for "no such parameter",
so that every row of evidence can be treated alike.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from paragone.ratings.evidence import PAD, Bools, Evidence, Floats, Ints
from paragone.ratings.model.davidson import Davidson
from paragone.ratings.model.plackett_luce import PlackettLuce


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


def merge(evidence: Evidence, kind: Ints | None = None, used: Bools | None = None) -> Rows:
    """Add up the comparisons of non-zero weight; the order in which they come changes nothing but rounding.

    Args:
        evidence: The comparisons.
        kind: Keeps comparisons apart, from 0 upwards, shape (comparisons,); rows are in the order of their kinds.
        used: Those to add up, shape (comparisons,); all of non-zero weight by default.
    """
    used = evidence.weight > 0 if used is None else used
    judges = max(len(evidence.judges), 1)
    # Items, judge and kind of score in one integer, so that one sort groups by all four. Weight, lead and ties are
    # sufficient for the likelihood; squares and counts serve dispersions and repeats.
    pair = evidence.first[used] * evidence.item_count + evidence.second[used]
    pairs = evidence.item_count**2
    if kind is not None:
        pair = pair + kind[used] * pairs
    keys, group = np.unique((pair * judges + evidence.judge[used]) * 2 + evidence.soft[used], return_inverse=True)
    pair, judge_and_kind = np.divmod(keys, 2 * judges)
    pair = pair % pairs
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


_LOWEST = np.finfo(np.float64).min
# What log-odds and log tie parameter take from a row's slots, and so what their curvatures give to pairs of slots.
_LEAD = np.array([1.0, -1.0, 1.0, 0.0])
_TIE = np.array([0.0, 0.0, 0.0, 1.0])
_ALIKE = np.ones(4)
_ZERO = np.zeros(1)
_SHAPES = np.stack(
    [np.outer(_LEAD, _LEAD), np.outer(_LEAD, _TIE) + np.outer(_TIE, _LEAD), np.outer(_TIE, _TIE)]
).reshape(3, -1)


def row_shares(elements: Floats, lever: Floats) -> Floats:
    """What a unit of each row's three curvatures adds to the trace of a matrix times the curvature, shape (3, rows).

    Args:
        elements: The matrix's elements in the sixteen pairs of each row's parameters, shape (rows, 16).
        lever: What the parameters count for, shape (rows, 4).
    """
    shares: Floats = _SHAPES @ (elements * (lever[:, :, None] * lever[:, None, :]).reshape(-1, 16)).T
    return shares


class Likelihood(NamedTuple):
    """The log-likelihood of rows of comparisons and its derivatives in log-odds and log tie parameter, row by row.

    Attributes:
        value: Sum over the rows.
        by_lead: Derivative in the log-odds, shape (rows,).
        by_tie: Derivative in the log tie parameter.
        weight: What each row counts for, shape (rows,).
        outcome: The distribution of each row's outcome.
    """

    value: float
    by_lead: Floats
    by_tie: Floats
    weight: Floats
    outcome: Davidson

    @classmethod
    def at(cls, rows: Rows, certainty: Floats, log_odds: Floats, tie: Floats) -> "Likelihood":
        """The likelihood where the item shown first has these log-odds.

        Args:
            rows: The comparisons.
            certainty: What one unit of weight counts for in each row.
            log_odds: Of the item shown first, shape (rows,).
            tie: Log tie parameter of each row or of all, -inf for none.
        """
        outcome = Davidson.at(log_odds, tie)
        # A row without a tie parameter has no ties, and 0 * -inf would be NaN.
        ties = rows.tied * np.maximum(tie, _LOWEST)
        return cls(
            # log P = D x + T t - log partition with D = score - 1/2 and T = 1 for a tie: an exponential family, so that
            # each derivative is what was observed less what is expected.
            value=float(certainty @ (rows.lead * log_odds + ties - rows.weight * outcome.log_partition)),
            by_lead=certainty * (rows.lead - rows.weight * outcome.margin / 2),
            by_tie=certainty * (rows.tied - rows.weight * outcome.tie),
            weight=rows.weight * certainty,
            outcome=outcome,
        )

    def curvatures(self) -> Floats:
        """Negative second derivatives in log-odds, in both, and in the log tie parameter, shape (3, rows)."""
        return self.outcome.curvatures(self.weight)


@dataclass(frozen=True, kw_only=True, slots=True)
class Belief:
    """A normal: what is held of a judge's term before its evidence."""

    center: float
    spread: float


POSITION = Belief(center=0.0, spread=2.0)
"""Of one judge's position term, in nats: "first" 49 times in 50 is nothing unheard of."""
PLACE = Belief(center=0.0, spread=0.5)
"""Of the term of one place in a judge's lists, in nats: what the item shown there gains. Only differences are seen."""
TIE_CENTER = -1.0
TIE = Belief(center=TIE_CENTER, spread=2.0)
"""Of one judge's log tie parameter: between equals 16 % ties, and anything from 0.5 % to 90 % is likely."""
SLOPE_SPREAD = 1.5
"""Of a log slope, around 0, before a panel has said more: a tenth of what is common, or nothing, is not unheard of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Panel:
    """What is held of the terms of each judge before its own evidence; the defaults are those of a judge alone.

    Attributes:
        position: Of position terms, in nats.
        tie: Of log tie parameters.
        slope: Standard deviation of log slopes.
    """

    position: Belief = POSITION
    tie: Belief = TIE
    slope: float = SLOPE_SPREAD


ALONE = Panel()


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Hyper:
    """What the parameters depend on.

    Attributes:
        spread: Standard deviation of the strengths, in nats.
        dispersion: Of each judge's soft verdicts.
        panel: What is held of the judges' terms.
    """

    spread: float
    dispersion: Floats
    panel: Panel = ALONE


@dataclass(frozen=True, kw_only=True, eq=False)
class Derivatives:
    """The log posterior at one point.

    Attributes:
        value: Log posterior, priors normalised but for powers of 2 pi.
        log_likelihood: The part of it that is evidence.
        gradient: Shape (dimension,).
        curvature: Computes ``entries``.
    """

    value: float
    log_likelihood: float
    gradient: Floats
    curvature: Callable[[], Floats]

    # A line search looks at points that it rejects, and a climb may keep a factor over several steps: both need value
    # and gradient alone. So the curvature of all rows is computed when a factor is about to be made, and once.
    @cached_property
    def entries(self) -> Floats:
        """What adds up to the curvature, aligned with ``Model.places``."""
        return self.curvature()


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """Evidence laid out for the parameters that it bears on.

    Attributes:
        item_count: Number of strengths.
        dimension: Number of parameters.
        rows: Sufficient statistics of the comparisons.
        slots: Parameters of each row: first, second, position, tie; shape (rows, 4).
        rankings: Items of each ordering, filled up with the slot behind the end.
        ranking_weight: Weight of each ordering.
        position: Parameter of each judge's position term, or the slot behind the end.
        tie: Parameter of each judge's log tie parameter, or the slot behind the end.
        slope: What each judge multiplies differences in strength by; all 1 where they do not differ.
        ranking_judge: Index of the judge of each ordering.
        place: Parameter of each place of each judge's lists, or the slot behind the end, shape (judges, longest).
        ranking_place: Parameter of the place at which each item of an ordering was shown, shape of ``rankings``; of
            shape (rankings, 0) where no place is known.
    """

    item_count: int
    dimension: int
    rows: Rows
    slots: Ints
    rankings: Ints
    ranking_weight: Floats
    position: Ints
    tie: Ints
    slope: Floats
    ranking_judge: Ints
    place: Ints
    ranking_place: Ints

    @classmethod
    def of(
        cls, evidence: Evidence, positioned: Collection[str], slope: Floats | None = None, kind: Ints | None = None
    ) -> "Model":
        """The model of this evidence.

        Args:
            evidence: What was said.
            positioned: Identities of the judges that have a position term.
            slope: Of each judge; 1 by default.
            kind: See ``merge``.
        """
        rows = merge(evidence, kind)
        has_evidence = totals(rows.judge, rows.weight, len(evidence.judges)) > 0
        has_tie = totals(rows.judge, rows.tied, len(evidence.judges)) > 0
        has_position = np.array([judge in positioned for judge in evidence.judges], dtype=np.bool_) & has_evidence
        has_place = evidence.known_places(positioned)
        dimension = evidence.item_count + int(has_position.sum() + has_place.sum() + has_tie.sum())
        position = _numbered(has_position, evidence.item_count, dimension)
        place = _numbered(has_place.ravel(), evidence.item_count + int(has_position.sum()), dimension)
        place = place.reshape(has_place.shape)
        tie = _numbered(has_tie, dimension - int(has_tie.sum()), dimension)
        row_tie = np.where(rows.soft, dimension, tie[rows.judge])
        slots = np.stack([rows.first, rows.second, position[rows.judge], row_tie], axis=1)
        counted = evidence.ranking_weight > 0
        ranked, judge = evidence.rankings[counted], evidence.ranking_judge[counted]
        shown = evidence.ranking_place[counted][:, : None if has_place.any() else 0]
        at = place[judge[:, None], shown] if shown.size else shown
        return cls(
            item_count=evidence.item_count,
            dimension=dimension,
            rows=rows,
            slots=slots,
            rankings=np.where(ranked == PAD, dimension, ranked),
            ranking_weight=evidence.ranking_weight[counted],
            position=position,
            tie=tie,
            slope=np.ones(len(evidence.judges)) if slope is None else slope,
            ranking_judge=judge,
            place=place,
            ranking_place=np.where(shown == PAD, dimension, at),
        )

    @cached_property
    def lever(self) -> Floats:
        """What each row's parameters count for: its judge's slope for strengths, else 1; shape (rows, 4) or (4,)."""
        if np.all(self.slope == 1.0):
            # The shared array itself, so that nothing need be multiplied where nothing is scaled.
            return _ALIKE
        slope, ones = self.slope[self.rows.judge], np.ones(self.rows.judge.size)
        return np.stack([slope, slope, ones, ones], axis=1)

    @property
    def is_by_rows(self) -> bool:
        """Whether the curvature depends on the parameters by comparisons alone, sixteen entries a row."""
        return not self.rankings.size

    @property
    def places(self) -> Ints:
        """Row * (dimension + 1) + column in the curvature of each of ``Derivatives.entries``.

        First those of the comparisons, sixteen a row; then those of the orderings; last the diagonal, for the prior.
        """
        used = self.slots, self.ranking_slots
        pairs = (slots[:, :, None] * (self.dimension + 1) + slots[:, None, :] for slots in used)
        return np.concatenate([*(keys.ravel() for keys in pairs), np.arange(self.dimension) * (self.dimension + 2)])

    @property
    def ranking_slots(self) -> Ints:
        """Parameters of each ordering: its items, and the places at which they were shown; shape (rankings, ...)."""
        return np.concatenate([self.rankings, self.ranking_place], axis=1)

    @property
    def ranking_lever(self) -> Floats:
        """What they count for: the judge's slope for strengths, 1 for places; shape of ``ranking_slots``."""
        slope = np.repeat(self.slope[self.ranking_judge][:, None], self.rankings.shape[1], axis=1)
        return np.concatenate([slope, np.ones(self.ranking_place.shape)], axis=1)

    def placed(self, theta: Floats) -> Floats:
        """Strengths of the items in each ordering as their judge saw them, places included; -inf for the phantom."""
        strength: Floats = self.slope[self.ranking_judge][:, None] * np.append(theta, -np.inf)[self.rankings]
        return strength + np.append(theta, 0.0)[self.ranking_place] if self.ranking_place.size else strength

    def certainty(self, hyper: Hyper) -> Floats:
        """What one unit of weight counts for in each row: the more, the less a judge's probabilities scatter."""
        alike = self._alike_certain
        return np.where(self.rows.soft, 1.0 / hyper.dispersion[self.rows.judge], 1.0) if alike is None else alike

    @cached_property
    def _alike_certain(self) -> Floats | None:
        """The certainty of each row where no verdict is soft."""
        return None if self.rows.soft.any() else np.ones(self.rows.soft.size)

    def outcomes(self, theta: Floats) -> Davidson:
        """The distribution of each row's outcome."""
        return Davidson.at(*self._log_odds(theta, self.lever))

    def _log_odds(self, theta: Floats, lever: Floats) -> tuple[Floats, Floats]:
        """Log-odds and log tie parameter of each row."""
        # The slot behind the end reads the 0: a judge without a position term adds nothing. A missing tie parameter is
        # -inf, not 0: no ties, where 0 would mean one in three between equals.
        values = np.concatenate((theta, _ZERO))[self.slots]
        values = values if lever is _ALIKE else values * lever
        return values @ _LEAD, values[:, 3] + self._tie_floor

    @cached_property
    def _tie_floor(self) -> Floats:
        """Added to the log tie parameter of each row: nothing, or -inf where there is no such parameter."""
        return np.where(self.slots[:, 3] < self.dimension, 0.0, -np.inf)

    def prior(self, hyper: Hyper) -> tuple[Floats, Floats]:
        """Mean and precision of each parameter before evidence."""
        mean, spread = np.zeros(self.dimension), np.full(self.dimension, hyper.spread)
        for terms, belief in zip(self._terms, (hyper.panel.position, PLACE, hyper.panel.tie), strict=True):
            mean[terms], spread[terms] = belief.center, belief.spread
        return mean, spread**-2

    @cached_property
    def _terms(self) -> tuple[Ints, ...]:
        """The parameters that are position terms, terms of places, and log tie parameters."""
        return tuple(slots[slots < self.dimension] for slots in (self.position, self.place, self.tie))

    def _under(self, hyper: Hyper) -> tuple[Hyper, Floats, Floats, float]:
        """The prior, and the sum of the logarithms of its precisions; kept for as long as a climb asks for the same."""
        last = self._last_prior.get("last")
        if last is None or last[0] is not hyper:
            mean, precision = self.prior(hyper)
            # Added exactly, so in any order: log evidences under different spreads are compared by small differences.
            last = self._last_prior["last"] = hyper, mean, precision, math.fsum(np.log(precision))
        return last

    @cached_property
    def _last_prior(self) -> dict[str, tuple[Hyper, Floats, Floats, float]]:
        return {}

    def total_weight(self, hyper: Hyper) -> float:
        """The largest sum of weights that bears on one parameter: the scale of its gradient."""
        weight = np.repeat(self.rows.weight * self.certainty(hyper), 4)
        total = totals(self.slots.ravel(), weight, self.dimension + 1)
        slots = self.ranking_slots
        ranked = np.repeat(self.ranking_weight, slots.shape[1])
        total += totals(slots.ravel(), ranked, self.dimension + 1)
        return float(total[: self.dimension].max())

    def derivatives(self, theta: Floats, hyper: Hyper) -> Derivatives:
        """The log posterior and its derivatives at ``theta``."""
        gradient = np.zeros(self.dimension + 1)
        value, of_rows = self._compared(theta, hyper, gradient)
        ranked_value, of_rankings = self._ranked(theta, gradient)
        _, mean, precision, log_precision = self._under(hyper)
        away = theta - mean
        log_prior = (log_precision - float(precision @ away**2)) / 2
        return Derivatives(
            value=value + ranked_value + log_prior,
            log_likelihood=value + ranked_value,
            gradient=gradient[: self.dimension] - precision * away,
            curvature=lambda: np.concatenate([of_rows(), of_rankings, precision]),
        )

    def entries(self, theta: Floats, hyper: Hyper) -> Floats:
        """``Derivatives.entries`` at ``theta``, where neither value nor gradient is wanted."""
        curvatures = self.outcomes(theta).curvatures(self.rows.weight * self.certainty(hyper))
        of_rankings = self._ranked(theta, np.zeros(self.dimension + 1))[1]
        return np.concatenate([self._entries(curvatures, self.lever), of_rankings, self.prior(hyper)[1]])

    def spread_pull(self, strength: Floats, spread: float) -> Floats:
        """Derivative of the prior's gradient in the strengths, by the logarithm of the spread, shape (items,)."""
        pull: Floats = 2 * strength / spread**2
        return pull

    def prior_size(self, strength: Floats, spread: float) -> float:
        """Derivative of the prior's exponent by the logarithm of the spread: the sum of (strength / spread)^2."""
        return float(((strength / spread) ** 2).sum())

    def _compared(self, theta: Floats, hyper: Hyper, gradient: Floats) -> tuple[float, Callable[[], Floats]]:
        """Log-likelihood of the comparisons, and what computes their curvature; adds their gradient to ``gradient``."""
        lever = self.lever
        rows = Likelihood.at(self.rows, self.certainty(hyper), *self._log_odds(theta, lever))
        slopes = np.empty((rows.by_lead.size, 4))
        slopes[:, 0] = slopes[:, 2] = rows.by_lead
        slopes[:, 1] = -rows.by_lead
        slopes[:, 3] = rows.by_tie
        if lever is not _ALIKE:
            slopes *= lever
        gradient += totals(self.slots.ravel(), slopes.ravel(), gradient.size)
        return rows.value, lambda: self._entries(rows.curvatures(), lever)

    def _entries(self, curvatures: Floats, lever: Floats) -> Floats:
        """The curvature of each row in the sixteen pairs of its parameters, row by row."""
        entries: Floats = curvatures.T @ _SHAPES
        if lever is not _ALIKE:
            # The chain rule: log-odds are linear in lever * theta.
            entries *= (lever[:, :, None] * lever[:, None, :]).reshape(-1, 16)
        return entries.ravel()

    def _ranked(self, theta: Floats, gradient: Floats) -> tuple[float, Floats]:
        """Log-likelihood and curvature of the orderings; adds their gradient to ``gradient``."""
        if self.rankings.size == 0:
            return 0.0, np.zeros(0)
        # In strengths multiplied by a lever c the gradient is c g and the curvature c^2 H.
        slots, lever, weight = self.ranking_slots, self.ranking_lever, self.ranking_weight[:, None]
        ordered, times = PlackettLuce.at(self.placed(theta)), slots.shape[1] // self.rankings.shape[1]
        slopes = weight * lever * np.tile(ordered.gradient, times)
        gradient += totals(slots.ravel(), slopes.ravel(), gradient.size)
        curvature = np.tile(ordered.curvature, (1, times, times)) * (lever[:, :, None] * lever[:, None, :])
        return float(self.ranking_weight @ ordered.value), (weight[:, :, None] * curvature).ravel()


def _numbered(chosen: Bools, start: int, absent: int) -> Ints:
    """Consecutive numbers from ``start`` for the chosen, ``absent`` for the others."""
    return np.where(chosen, start + np.cumsum(chosen) - 1, absent)
