"""Logistic regression on differences between the two sides of matches, from scikit-learn.

Sides are symmetrised: there is no intercept, since nothing but a difference can make one side win.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

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
