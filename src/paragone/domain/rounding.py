"""Numbers rounded before anything is decided by them, so that every processor decides alike.

Processors add, multiply and take exponentials in different orders and by different instructions, and so the last bits
of a result differ: by some 1e-12 after a fit, by up to 1e-9 in draws. Equal strengths come out unequal, one way here
and the other way there. A sort, a comparison or a largest value is therefore taken of rounded numbers, and ties are
broken by something that does not depend on the processor, such as the index or a seeded draw.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

STRENGTH_DECIMALS = 8
"""Of strengths in nats: two millionths of an Elo point, and ten thousand times the difference between processors."""
DRAW_DECIMALS = 7
"""Of posterior draws in nats, far below their standard deviations."""
SCALE_DECIMALS = 6
"""Of spreads, and of terms of judges as they are shown, in nats."""
SHARE_DECIMALS = 9
"""Of probabilities, correlations and other shares."""
COSINE_DECIMALS = 6
"""Of cosines of vectors in single precision."""
POINT_DECIMALS = 4
"""Of ratings in Elo points."""


def rounded(values: ArrayLike, decimals: int) -> NDArray[np.float64]:
    """The values to so many decimals, without negative zeros.

    Args:
        values: Numbers, of any shape; NaN and infinities stay as they are.
        decimals: How many decimals are kept.
    """
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), decimals) + 0.0, dtype=np.float64)


def in_order(rows: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The order of each row's values, ascending, equal ones by their index; and the values in that order.

    Args:
        rows: Numbers without NaN, shape (rows, values).
    """
    order = np.argsort(rows, axis=1)  # twice as quick as a stable sort, but it may exchange equals
    ascending = np.take_along_axis(rows, order, axis=1)
    equal = np.zeros((len(rows), rows.shape[1] + 1), dtype=np.bool_)  # to the one before
    np.equal(ascending[:, 1:], ascending[:, :-1], out=equal[:, 1:-1])
    at = np.nonzero(equal[:, :-1] | equal[:, 1:])
    runs = np.cumsum(~equal[:, :-1][at])
    order[at] = order[at][np.lexsort((order[at], runs))]
    return order, ascending
