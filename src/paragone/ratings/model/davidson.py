"""The outcome of one comparison, with ties, by Davidson's model."""

from typing import NamedTuple

import numpy as np

from paragone.ratings.evidence import Floats


class Davidson(NamedTuple):
    """The distribution of one comparison's outcome, for arrays of comparisons of one shape.

    ``P(first) : P(tie) : P(second) = exp(x/2) : exp(t) : exp(-x/2)``. It is an exponential family in (x, t), so the
    log-likelihood is concave and its curvature does not depend on the scores. With t = -inf it is the Bradley-Terry
    model, and with a score in [0, 1] and t = -inf it is the cross-entropy of a soft verdict.

    Source: R. R. Davidson (1970), "On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments", Journal of the American Statistical Association 65.

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
        # The largest exponent is taken out first: no exp overflows, and the largest weight is 1, so that the total is
        # never 0.
        top = np.maximum(np.abs(half), t)
        # Most fits are so small that calls of numpy are what they cost: three rows of one array take a third of them.
        chances = np.empty((3, *top.shape))
        np.subtract(half, top, out=chances[0])
        np.subtract(t, top, out=chances[1])
        np.subtract(-half, top, out=chances[2])
        np.exp(chances, out=chances)
        total = chances[0] + chances[1] + chances[2]
        chances /= total
        return cls(top + np.log(total), *chances)

    @property
    def margin(self) -> Floats:
        """Twice the expectation of score - 1/2."""
        return self.first - self.second

    @property
    def variance(self) -> Floats:
        """Variance of the score: the curvature in x, without the cancellation of 1 - margin squared."""
        # The score less 1/2, D, is 1/2, 0 or -1/2. Var D = (first + second) / 4 - margin^2 / 4 cancels where the
        # outcome is all but certain; with first + tie + second = 1 it is this sum of positive terms.
        return self.first * self.second + (self.first + self.second) * self.tie / 4

    @property
    def covariance(self) -> Floats:
        """Covariance of the score and of being a tie: the curvature in x and t."""
        # D is 0 in a tie, so E[D tie] = 0 and the covariance is -E[D] P(tie).
        return -self.margin * self.tie / 2

    @property
    def tie_variance(self) -> Floats:
        """Variance of being a tie: the curvature in t."""
        # 1 - P(tie), as a sum that does not cancel.
        return self.tie * (self.first + self.second)

    def curvatures(self, weight: Floats) -> Floats:
        """Variance, covariance and tie variance times the weight of each row, shape (3, rows)."""
        _, first, tie, second = self
        curvatures = np.empty((3, *first.shape))
        by_lead, by_both, by_tie = curvatures
        # The properties above, with what they have in common computed once.
        np.multiply(tie, first + second, out=by_tie)
        np.add(first * second, by_tie / 4, out=by_lead)
        np.divide((second - first) * tie, 2, out=by_both)
        curvatures *= weight
        return curvatures
