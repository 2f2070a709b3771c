"""Strengths that are known, before evidence, to go together: a prior with a covariance of its own.

Without side information strengths are independent, each N(0, spread^2). A ``PriorShape`` makes them
N(spread * mean, spread^2 R): with columns Z of the items, R has a share of Z Z'. Its rows add up to 1, so that the
average of all strengths still has the variance spread^2 / items and is independent of their differences, which is what
the intervals of a fit rely on.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.model.posterior import Derivatives, Hyper, Model


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
            curvature=self._with_block(plain, precise),
        )

    def _with_block(self, plain: Derivatives, precise: float) -> Callable[[], Floats]:
        def entries() -> Floats:
            # What ``Model`` has put on the diagonal is taken off again.
            block = precise * (self.shape.precision - np.eye(self.item_count))
            return np.concatenate([plain.entries, block.ravel()])

        return entries

    def spread_pull(self, strength: Floats, spread: float) -> Floats:
        """Derivative of the prior's gradient in the strengths, by the logarithm of the spread, shape (items,)."""
        pull: Floats = self.shape.precision @ (2 * strength / spread**2 - self.shape.mean / spread)
        return pull

    def prior_size(self, strength: Floats, spread: float) -> float:
        """Derivative of the prior's exponent by the logarithm of the spread."""
        return float(self.shape.away(strength, spread) @ strength) / spread**2
