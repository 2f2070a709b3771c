"""Davidson's model of a comparison that may end in a tie.

``P(first) : P(tie) : P(second) = exp(x/2) : exp(t) : exp(-x/2)``. It is an exponential family in (x, t), so the
log-likelihood is concave and its curvature does not depend on the scores. With t = -inf it is the Bradley-Terry model,
and with a score in [0, 1] and t = -inf it is the cross-entropy of a soft verdict.

Source: R. R. Davidson (1970), "On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments", Journal of the American Statistical Association 65.
"""

from dataclasses import dataclass

import numpy as np

from paragone.ratings.evidence import Floats


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Davidson:
    """The distribution of one comparison's outcome, for arrays of comparisons of one shape.

    Attributes:
        log_partition: Logarithm of exp(x/2) + exp(t) + exp(-x/2).
        first: Probability that the item shown first wins.
        tie: Probability of a tie.
        second: Probability that the item shown second wins.
    """

    log_partition: Floats
    first: Floats
    tie: Floats
    second: Floats

    @classmethod
    def at(cls, x: Floats, t: Floats) -> "Davidson":
        """The distribution at log-odds ``x`` in favour of the first and log tie parameter ``t`` (-inf for no ties)."""
        half = x / 2
        top = np.maximum(np.abs(half), t)
        first, tie, second = np.exp(half - top), np.exp(t - top), np.exp(-half - top)
        total = first + tie + second
        return cls(log_partition=top + np.log(total), first=first / total, tie=tie / total, second=second / total)

    @property
    def margin(self) -> Floats:
        """Twice the expectation of score - 1/2."""
        return self.first - self.second

    @property
    def variance(self) -> Floats:
        """Variance of the score: the curvature in x, without the cancellation of 1 - margin squared."""
        return self.first * self.second + (self.first + self.second) * self.tie / 4

    @property
    def covariance(self) -> Floats:
        """Covariance of the score and of being a tie: the curvature in x and t."""
        return -self.margin * self.tie / 2

    @property
    def tie_variance(self) -> Floats:
        """Variance of being a tie: the curvature in t."""
        return self.tie * (self.first + self.second)
