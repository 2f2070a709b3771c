"""Meaning and words together: hybrid search."""

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]

_DOUBT = 1e-5
SEMANTIC_SHARE = 0.3
"""What likeness of meaning weighs; likeness of words has the rest."""


def fused(semantic: Scores, keyword: Scores) -> Scores:
    """The weighted mean of both, in [0, 1]; shapes (rows)."""
    return np.float32(SEMANTIC_SHARE) * semantic + np.float32(1.0 - SEMANTIC_SHARE) * keyword


def near_best(scores: Scores, count: int) -> npt.NDArray[np.int64]:
    """Rows that may be among so many of the highest scores, each of which is within 1e-5 of what is given."""
    if count >= len(scores):
        return np.arange(len(scores))
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores >= least - 2 * _DOUBT)


def best(scores: Scores, count: int) -> npt.NDArray[np.int64]:
    """Rows with the highest scores above 0, the best first; equal ones by row.

    Which of equal ones at the end are left out is settled by row too.
    """
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        above = np.flatnonzero(scores > least)
        rows = np.concatenate([above, np.flatnonzero(scores == least)[: count - len(above)]])
    else:
        rows = np.arange(len(scores))
    rows = rows[scores[rows] > 0.0]
    order: npt.NDArray[np.int64] = rows[np.lexsort((rows, -scores[rows]))]
    return order
