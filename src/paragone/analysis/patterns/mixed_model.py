"""What features are worth where items differ for other reasons too.

Each item's strength is what its features are worth plus something of its own:
P(a beats b) = logistic(s_a - s_b + position), s = x beta + u, u normal with a spread that the matches tell. Without the
``u`` a feature would be credited with the whole luck of the few items that have it, and pairing equals with equals
would hide what it is worth.
"""

from dataclasses import dataclass
from functools import cache
from math import exp, log
from typing import Any

import numpy as np
import numpy.typing as npt

from paragone.analysis.patterns.decided_matches import Duels

FloatArray = npt.NDArray[np.float64]

_NARROW = 600
"""So many features are solved for at once; of more, step by step."""


def regress(differences: Any, *, penalty: float, sparse: bool) -> FloatArray:  # noqa: ANN401 - dense or sparse
    """Weights of features, from the features of winners less those of losers.

    Args:
        differences: Shape (matches, features), dense or sparse.
        penalty: What a unit of weight costs, in units of a match's log-likelihood.
        sparse: Whether few features are to be kept (the sum of absolute weights is penalised) or all of them may have
            a say (half the sum of squares).

    Returns:
        Shape (features,). All zero where there is nothing to learn from.
    """
    from sklearn.linear_model import LogisticRegression

    count, width = differences.shape
    if count < 2 or width == 0:
        return np.zeros(width)
    sides = np.where(np.arange(count) % 2, -1.0, 1.0)  # the model wants to see both outcomes
    rows = differences * sides[:, np.newaxis] if sparse else _signed(differences, sides)
    options: dict[str, Any] = {"C": 1.0 / penalty, "fit_intercept": False, "max_iter": 1000}
    if sparse:
        options |= {"solver": "liblinear", "tol": 1e-3, "random_state": 0, **_absolute(LogisticRegression)}
    elif width <= _NARROW:
        options |= {"solver": "newton-cholesky"}
    model = LogisticRegression(**options).fit(rows, sides > 0)
    weights: FloatArray = model.coef_[0]
    return weights


def _signed(differences: Any, sides: FloatArray) -> Any:  # noqa: ANN401 - dense or sparse
    from scipy.sparse import diags_array, issparse

    return diags_array(sides) @ differences if issparse(differences) else differences * sides[:, np.newaxis]


def _absolute(model: Any) -> dict[str, Any]:  # noqa: ANN401 - a class of scikit-learn
    """How to ask for the sum of absolute weights; scikit-learn 1.8 has another word for it than those before."""
    old = model().penalty == "l2"
    return {"penalty": "l1"} if old else {"l1_ratio": 1.0}


WIDE = 3.0
"""Prior standard deviation of what a feature is worth, in nats: hardly any, but enough for one that always wins."""

LEAST_SPREAD = 0.05
MOST_SPREAD = 5.0
LIKELY_SPREAD = 1.0
"""Nats by which items usually differ: few matches, or matches between equals alone, hardly tell, and a spread that is
taken for too small makes intervals too narrow."""

SPREAD_DOUBT = 0.5
"""Standard deviation of the logarithm of that."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Mixed:
    """The fitted model.

    Attributes:
        own: What each item has beyond its features, in nats.
        worth: What each feature is worth, in nats of log-odds for a unit of it.
        error: Its standard error.
        spread: Standard deviation of ``own`` in the population.
    """

    own: FloatArray
    worth: FloatArray
    error: FloatArray
    spread: float


def fit_mixed(duels: Duels, columns: FloatArray) -> Mixed:
    """Fit it: strengths at their most likely, the spread by the likelihood with everything else integrated out.

    Args:
        duels: The matches.
        columns: Features of each item, shape (items, features); may have no column.

    Source: Breslow and Clayton, JASA 88 (1993); the integral is Laplace's.
    """
    from scipy.optimize import minimize_scalar

    rows = _rows(duels, columns)
    search = (log(LEAST_SPREAD), log(MOST_SPREAD))

    @cache  # the search ends at a spread that it has looked at
    def at(log_spread: float) -> _Fit:
        return _at(rows, len(duels.ids), exp(log_spread))

    optimum = minimize_scalar(
        lambda log_spread: -at(float(log_spread)).evidence,
        bounds=search,
        method="bounded",
        options={"xatol": 0.05},
    )
    return at(float(optimum.x)).model(columns.shape[1])


def _rows(duels: Duels, columns: FloatArray) -> Any:  # noqa: ANN401 - a sparse array
    """Winner less loser of each match: the items themselves, their features, and the order of presentation."""
    from scipy.sparse import csr_array, hstack

    count = len(duels)
    values = np.concatenate([np.ones(count), -np.ones(count)])
    indices = (np.tile(np.arange(count), 2), np.concatenate([duels.winner, duels.loser]))
    items = csr_array((values, indices), shape=(count, len(duels.ids)))
    fixed_effects = np.column_stack([columns[duels.winner] - columns[duels.loser], duels.position])
    return hstack([items, csr_array(fixed_effects)], format="csr")


@dataclass(frozen=True, kw_only=True, eq=False)
class _Fit:
    """The fit at one spread.

    Attributes:
        weights: Items' own strengths, then what features are worth, then the position.
        curvature: Minus the second derivative of the log-posterior there, sparse.
        evidence: Log-likelihood of the spread, up to a constant.
        spread: The spread.
        items: How many of the weights are items.
    """

    weights: FloatArray
    curvature: Any
    evidence: float
    spread: float
    items: int

    def model(self, features: int) -> Mixed:
        """The fit as others see it."""
        worth = slice(self.items, self.items + features)
        return Mixed(
            own=self.weights[: self.items],
            worth=self.weights[worth],
            error=self._errors()[worth.start - self.items : worth.stop - self.items],
            spread=self.spread,
        )

    def _errors(self) -> FloatArray:
        """Standard errors of what features are worth, with the items' own strengths integrated out."""
        from scipy.sparse.linalg import splu

        width = self.curvature.shape[0]
        ends = np.eye(width, width - self.items, -self.items)
        solved = splu(self.curvature.tocsc()).solve(ends)[self.items :]
        errors: FloatArray = np.sqrt(np.diag(solved))
        return errors


def _at(rows: Any, items: int, spread: float) -> _Fit:  # noqa: ANN401 - a sparse array
    """The most likely weights at a given spread, and how likely that spread is."""
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import splu

    scale = np.concatenate([np.full(items, spread), np.full(rows.shape[1] - items, WIDE)])
    # A unit penalty on weights in units of their prior's standard deviation is the normal prior itself.
    weights = regress(rows @ diags_array(scale), penalty=1.0, sparse=False) * scale
    # Keeps 1 - chance above rounding and log(chance) finite.
    lead = np.clip(rows @ weights, -30.0, 30.0)
    chance = 1.0 / (1.0 + np.exp(-lead))
    curvature = rows.T @ diags_array(chance * (1.0 - chance)) @ rows + diags_array(scale**-2)
    factors = splu(curvature.tocsc())
    volume = float(np.log(np.abs(factors.L.diagonal())).sum() + np.log(np.abs(factors.U.diagonal())).sum())
    likelihood = float(np.log(chance).sum() - ((weights / scale) ** 2).sum() / 2 - np.log(scale).sum())
    # The log-normal prior of the spread.
    likelihood -= (log(spread / LIKELY_SPREAD) / SPREAD_DOUBT) ** 2 / 2
    return _Fit(weights=weights, curvature=curvature, evidence=likelihood - volume / 2, spread=spread, items=items)
