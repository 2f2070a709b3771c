"""How well a ranking meets a truth that was given."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paragone.analysis.progress.effectiveness import truth_correlation
from paragone.domain import Board

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Accuracy:
    """The ranking against the truth, over the items whose truth is known.

    Attributes:
        items: How many these are.
        tau: Kendall's tau-b of strength and truth.
        top: How many the top is.
        recall: Share of the true top that is among as many of the first.
        covered: Share of the pairs of items whose difference in truth has the sign that two disjoint intervals say;
            None where no two intervals are disjoint.
    """

    items: int
    tau: float
    top: int
    recall: float
    covered: float | None

    def sentence(self) -> str:
        """In words."""
        said = (
            f"Of {self.items:,} hypotheses whose true quality is known, the order agrees with the truth by a Kendall "
            f"tau of {self.tau:.2f}, and {self.recall:.0%} of the true top {self.top} are among the first {self.top}."
        )
        if self.covered is None:
            return said
        return f"{said} Where two intervals do not overlap, the order is right in {self.covered:.1%} of the pairs."


def accuracy(board: Board, truth: Mapping[str, float], top: int) -> Accuracy | None:
    """The ranking against the truth; None where either ties all items.

    Args:
        board: The ranking.
        truth: The true quality, larger for better, by id.
        top: How many the top is.
    """
    rows = [row for row in board.items if row.id in truth]
    tau = truth_correlation({row.id: row.rating for row in rows}, truth)
    if tau is None:
        return None
    count = min(top, len(rows))
    best = sorted(rows, key=lambda row: -truth[row.id])[:count]
    found = {row.id for row in rows[:count]}
    return Accuracy(
        items=len(rows),
        tau=tau,
        top=count,
        recall=sum(row.id in found for row in best) / count,
        covered=_covered(
            np.array([row.low for row in rows]),
            np.array([row.high for row in rows]),
            np.array([truth[row.id] for row in rows]),
        ),
    )


def _covered(low: Floats, high: Floats, truth: Floats) -> float | None:
    """Share of the pairs with disjoint intervals whose order is right; ties in truth are left out."""
    right = told = 0
    for one in range(len(low)):
        below = (high < low[one]) & (truth != truth[one])
        told += int(below.sum())
        right += int((truth[below] < truth[one]).sum())
    return right / told if told else None
