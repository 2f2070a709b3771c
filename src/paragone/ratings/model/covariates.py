"""Strengths that are known, before evidence, to go together: a prior with a covariance of its own.

Without side information strengths are independent, each N(0, spread^2). A ``PriorShape`` makes them
N(spread * mean, spread^2 R): with columns Z of the items, R has a share of Z Z'. Its rows add up to 1, so that the
average of all strengths still has the variance spread^2 / items and is independent of their differences, which is what
the intervals of a fit rely on.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.ratings.evidence import Evidence, Floats, Ints
from paragone.ratings.model.likelihood import Derivatives, Hyper, Likelihood, Model, totals


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class PriorShape:
    """The prior of the strengths in units of its spread.

    Attributes:
        mean: Shape (items,); its mean is 0.
        precision: The inverse of R, shape (items, items).
        log_determinant: Of the precision.
    """

    mean: Floats
    precision: Floats
    log_determinant: float

    @classmethod
    def of(cls, covariance: Floats, mean: Floats | None = None) -> Self:
        """The shape of a covariance whose rows add up to 1.

        Args:
            covariance: R, shape (items, items), positive definite.
            mean: In units of the spread, 0 by default; its own mean is taken off.
        """
        items = len(covariance)
        inverse = np.linalg.inv(covariance)
        # Rounded, so that where a fit ends does not hang on how a processor inverts.
        precision = rounded((inverse + inverse.T) / 2, SHARE_DECIMALS)
        diagonal = np.diagonal(np.linalg.cholesky(precision))
        return cls(
            mean=np.zeros(items) if mean is None else rounded(mean - mean.mean(), SHARE_DECIMALS),
            precision=precision,
            log_determinant=2.0 * math.fsum(np.log(diagonal)),
        )

    def away(self, strength: Floats, spread: float) -> Floats:
        """The precision times what strengths are off their mean, shape (items,)."""
        pulled: Floats = self.precision @ (strength - spread * self.mean)
        return pulled


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ShapedModel(Model):
    """A model, row by row, whose strengths have such a prior.

    Attributes:
        shape: The prior of the strengths.
    """

    shape: PriorShape

    @classmethod
    def around(cls, model: Model, shape: PriorShape) -> Self:
        """The model with another prior."""
        return cls(**{field.name: getattr(model, field.name) for field in fields(Model)}, shape=shape)

    @property
    def places(self) -> Ints:
        """As of ``Model``; behind them those of the prior, row by row."""
        items = np.arange(self.item_count)
        block = items[:, None] * (self.dimension + 1) + items
        return np.concatenate([super(ShapedModel, self).places, block.ravel()])

    def derivatives(self, theta: Floats, hyper: Hyper) -> Derivatives:
        """The log posterior and its derivatives at ``theta``: those of ``Model``, its prior replaced."""
        plain, shape, items = super(ShapedModel, self).derivatives(theta, hyper), self.shape, slice(0, self.item_count)
        strength, precise = theta[items], hyper.spread**-2
        pulled = shape.away(strength, hyper.spread)
        gradient = plain.gradient.copy()
        gradient[items] += precise * (strength - pulled)
        # Added exactly, as the log evidences of different shapes are compared.
        squares = math.fsum(strength**2) - math.fsum((strength - hyper.spread * shape.mean) * pulled)
        return Derivatives(
            value=plain.value + (precise * squares + shape.log_determinant) / 2,
            log_likelihood=plain.log_likelihood,
            gradient=gradient,
            curvature=lambda: self._with_block(plain.entries, hyper),
        )

    def entries(self, theta: Floats, hyper: Hyper) -> Floats:
        """``Derivatives.entries`` at ``theta``, where neither value nor gradient is wanted."""
        return self._with_block(super(ShapedModel, self).entries(theta, hyper), hyper)

    def _with_block(self, plain: Floats, hyper: Hyper) -> Floats:
        # What ``Model`` has put on the diagonal is taken off again.
        block = hyper.spread**-2 * (self.shape.precision - np.eye(self.item_count))
        return np.concatenate([plain, block.ravel()])

    def spread_pull(self, strength: Floats, spread: float) -> Floats:
        """Derivative of the prior's gradient in the strengths, by the logarithm of the spread, shape (items,)."""
        pull: Floats = self.shape.precision @ (2 * strength / spread**2 - self.shape.mean / spread)
        return pull

    def prior_size(self, strength: Floats, spread: float) -> float:
        """Derivative of the prior's exponent by the logarithm of the spread."""
        return float(self.shape.away(strength, spread) @ strength) / spread**2


STYLE_SPREAD = 1.0
"""Standard deviation, before evidence, of the effect of one standard deviation of a difference, in nats."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class StyledModel(Model):
    """A model in which more than the items differs between the sides of a comparison.

    ``x = t_a - t_b + position + differences @ effects``: the effects are the last parameters.

    Attributes:
        differences: Of each row, shape (rows, kinds).
    """

    differences: Floats

    @classmethod
    def of_styled(cls, evidence: Evidence, positioned: Collection[str], slope: Floats | None = None) -> Self:
        """The model of evidence with differences."""
        distinct, kind = np.unique(evidence.differences, axis=0, return_inverse=True)
        kind = kind.reshape(-1)
        plain = Model.of(evidence, positioned, slope, kind)
        kinds, absent = distinct.shape[1], plain.dimension
        values = {field.name: getattr(plain, field.name) for field in fields(Model)}
        # The slot behind the end moves on, as the effects come before it.
        shifted = {
            name: _moved(values[name], absent, absent + kinds) for name in ("slots", "position", "tie", "rankings")
        }
        differences = distinct[kinds_of_rows(evidence, kind)]
        return cls(**{**values, **shifted, "dimension": absent + kinds}, differences=differences)

    @property
    def effects(self) -> slice:
        """Which parameters the effects are."""
        return slice(self.dimension - self.differences.shape[1], self.dimension)

    @property
    def is_by_rows(self) -> bool:
        """No: the effects have entries of their own."""
        return False

    @property
    def places(self) -> Ints:
        """As of ``Model``; behind them those of the effects with all parameters, twice, and with each other."""
        side, effects = self.dimension + 1, np.arange(self.dimension)[self.effects]
        before = np.arange(effects[0])
        across = before[:, None] * side + effects
        turned = before[:, None] + effects * side
        own = effects[:, None] * side + effects
        return np.concatenate([super(StyledModel, self).places, across.ravel(), turned.ravel(), own.ravel()])

    def prior(self, hyper: Hyper) -> tuple[Floats, Floats]:
        """Mean and precision of each parameter before evidence."""
        mean, precision = super(StyledModel, self).prior(hyper)
        precision[self.effects] = STYLE_SPREAD**-2
        return mean, precision

    def _log_odds(self, theta: Floats, lever: Floats) -> tuple[Floats, Floats]:
        lead, tie = super(StyledModel, self)._log_odds(theta, lever)
        return lead + self.differences @ theta[self.effects], tie

    def derivatives(self, theta: Floats, hyper: Hyper) -> Derivatives:
        """The log posterior and its derivatives at ``theta``."""
        plain, lever = super(StyledModel, self).derivatives(theta, hyper), self.lever
        rows = Likelihood.at(self.rows, self.certainty(hyper), *self._log_odds(theta, lever))
        gradient = plain.gradient.copy()
        gradient[self.effects] += self.differences.T @ rows.by_lead
        return Derivatives(
            value=plain.value,
            log_likelihood=plain.log_likelihood,
            gradient=gradient,
            curvature=lambda: np.concatenate([plain.entries, self._cross(rows)]),
        )

    def entries(self, theta: Floats, hyper: Hyper) -> Floats:
        """``Derivatives.entries`` at ``theta``."""
        return self.derivatives(theta, hyper).entries

    def _cross(self, rows: Likelihood) -> Floats:
        """Curvature of the effects with all other parameters, the same again, and with each other."""
        by_lead, by_both, _ = rows.curvatures()
        lever = np.broadcast_to(self.lever, self.slots.shape)
        pulls = lever * (by_lead[:, None] * np.array([1.0, -1.0, 1.0, 0.0]) + by_both[:, None] * [0.0, 0.0, 0.0, 1.0])
        count = self.effects.start
        columns = [
            totals(self.slots.ravel(), (pulls * kind[:, None]).ravel(), self.dimension + 1)[:count]
            for kind in self.differences.T
        ]
        across = np.stack(columns, axis=1).ravel()
        own = self.differences.T @ (by_lead[:, None] * self.differences)
        return np.concatenate([across, across, own.ravel()])


def _moved(slots: Ints, absent: int, to: int) -> Ints:
    return np.where(slots == absent, to, slots)


def kinds_of_rows(evidence: Evidence, kind: Ints) -> Ints:
    """The kind of each row of a model of comparisons of several kinds, shape (rows,)."""
    used = np.unique(_keys(evidence, kind)[evidence.weight > 0])
    kinds: Ints = used // (2 * max(len(evidence.judges), 1) * evidence.item_count**2)
    return kinds


def _keys(evidence: Evidence, kind: Ints) -> Ints:
    """The keys by which ``merge`` adds comparisons up, and which its rows are in the order of."""
    pair = evidence.first * evidence.item_count + evidence.second + kind * evidence.item_count**2
    keys: Ints = (pair * max(len(evidence.judges), 1) + evidence.judge) * 2 + evidence.soft
    return keys
