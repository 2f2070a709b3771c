"""How well a ranking that was made before a session foretells what the session uses.

Score first, learn afterwards: a model ranks all files that it knows, then is told which of them the session used. Ties
are broken by nobody: ranks, recalls and chances are those that all orders of the tied have on average, so that a model
that gives every file the same score does as chance does, to the last digit.

Surprise is ``-ln P`` of what was used, with ``P`` a softmax of the scores. How sharp it should be, the past says: many
sharpnesses predict at once, each weighted by how well it foretold the sessions before.

Sources: A. P. Dawid, "Present Position and Potential Developments: Some Personal Views. Statistical Theory: The
Prequential Approach", 1984; document M, "Free Energy Principle Interpretation".
"""

from dataclasses import astuple, dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

SHARPNESSES: Floats = np.concatenate([[0.0], 2.0 ** np.arange(-4.0, 4.5, 0.5)])
"""What scores in nats are multiplied by before the softmax; 0 is chance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionScore:
    """How well one session was foretold by one model.

    Attributes:
        used: How many of the files known before were used.
        reciprocal: Sum over them of 1 / rank.
        first: 1 / rank of the best ranked of them.
        recall_at_5: The share of them among the first five.
        recall_at_10: The same of ten.
        surprise: Sum over them of -ln P, in nats.
    """

    used: int
    reciprocal: float
    first: float
    recall_at_5: float
    recall_at_10: float
    surprise: float = 0.0

    def row(self) -> tuple[float, ...]:
        """The numbers in the order of the attributes."""
        return astuple(self)


def ranked(scores: Floats, used: Ints) -> SessionScore:
    """Where a ranking had what was used; surprise is left at 0.

    Args:
        scores: Of all files known before, the higher the likelier, shape (files,).
        used: Which of them were used, by place in ``scores``; at least one, each once.
    """
    order = np.sort(scores)
    own = scores[used]
    above = scores.size - np.searchsorted(order, own, side="right")
    tied = scores.size - above - np.searchsorted(order, own, side="left")
    harmonic = _harmonic(scores.size)
    reciprocal = (harmonic[above + tied] - harmonic[above]) / tied
    return SessionScore(
        used=used.size,
        reciprocal=float(reciprocal.sum()),
        first=_first(int(above.min()), int(tied[above.argmin()]), int(np.sum(above == above.min()))),
        recall_at_5=float(np.clip((5 - above) / tied, 0.0, 1.0).mean()),
        recall_at_10=float(np.clip((10 - above) / tied, 0.0, 1.0).mean()),
    )


class Surprise:
    """Turns a model's scores into chances: a mixture of softmaxes, weighted by what each foretold so far."""

    def __init__(self) -> None:
        self._weights = np.full(SHARPNESSES.size, -np.log(SHARPNESSES.size))

    def of(self, scores: Floats, used: Ints) -> float:
        """Surprise at what was used, summed, in nats; then learns from it.

        Args:
            scores: In nats, shape (files,).
            used: Which were used, by place in ``scores``.
        """
        logits = SHARPNESSES[:, None] * (scores - scores.max())[None, :]
        chances = logits[:, used] - np.log(np.exp(logits).sum(axis=1))[:, None]
        found = -float(_log_sum(self._weights[:, None] + chances).sum())
        weights = self._weights + chances.sum(axis=1)
        self._weights = weights - _log_sum(weights)
        return found


def _first(above: int, tied: int, used: int) -> float:
    """Mean of 1 / rank of the first of ``used`` among ``tied`` in random order, below ``above`` others."""
    places = np.arange(1, tied - used + 2)
    later = np.concatenate([[1.0], (tied - places[:-1] - used + 1) / (tied - places[:-1])])
    chance = used / tied * np.cumprod(later)
    return float((chance / (above + places)).sum())


def _log_sum(values: Floats) -> Floats:
    top = values.max(axis=0)
    total: Floats = top + np.log(np.exp(values - top).sum(axis=0))
    return total


def _harmonic(size: int) -> Floats:
    """The harmonic numbers from 0 up to at least ``size``."""
    return _harmonics(1 << size.bit_length())


@lru_cache(maxsize=32)
def _harmonics(size: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, size + 1))])
