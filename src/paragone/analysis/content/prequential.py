"""How well a ranking made before a session predicts what the session uses, and which model predicts best.

Score first, learn afterwards: a model ranks all files that it knows and then learns which of them the session used.
Ranks, recalls and probabilities are averages over all orders of tied files, so that a model that gives every file the
same score does exactly as well as chance.

Surprise is ``-ln P`` of the files used, with ``P`` a softmax of the scores. Its sharpness is learned: many sharpnesses
predict at once, each weighted by how well it predicted the sessions before. Models are compared by means over sessions;
intervals come from a bootstrap of the sessions, with the same draws for all models.

Sources: A. P. Dawid, "Present Position and Potential Developments: Some Personal Views. Statistical Theory: The
Prequential Approach", 1984; the memory specification, "Free Energy Principle Interpretation".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from paragone.wire.calibration import Measure

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

SHARPNESSES: Floats = np.concatenate([[0.0], 2.0 ** np.arange(-4.0, 4.5, 0.5)])
"""What scores in nats are multiplied by before the softmax; 0 is chance."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionScore:
    """How well one model predicted one session.

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
        return self.used, self.reciprocal, self.first, self.recall_at_5, self.recall_at_10, self.surprise


def ranked(scores: Floats, used: Ints) -> SessionScore:
    """The ranks that a ranking gave to what was used; surprise stays 0.

    Args:
        scores: Of all files known before, the higher the likelier, shape (files,).
        used: Which of them were used, by place in ``scores``; at least one, each once.
    """
    order = np.sort(scores)
    own = scores[used]
    above = scores.size - np.searchsorted(order, own, side="right")
    tied = scores.size - above - np.searchsorted(order, own, side="left")
    harmonic = _harmonic(scores.size)
    # In random order a tied file is at each of the ranks above + 1 ... above + tied equally often: the mean of 1 / rank
    # is (H(above + tied) - H(above)) / tied.
    reciprocal = (harmonic[above + tied] - harmonic[above]) / tied
    return SessionScore(
        used=used.size,
        reciprocal=float(reciprocal.sum()),
        first=_first(int(above.min()), int(tied[above.argmin()]), int(np.sum(above == above.min()))),
        recall_at_5=float(np.clip((5 - above) / tied, 0.0, 1.0).mean()),
        recall_at_10=float(np.clip((10 - above) / tied, 0.0, 1.0).mean()),
    )


class Surprise:
    """Turns a model's scores into chances: a mixture of softmaxes, weighted by how well each predicted so far."""

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
        # In logarithms: weights of sharpnesses that predict badly fall below what a float could hold.
        surprise = -float(_log_sum(self._weights[:, None] + chances).sum())
        weights = self._weights + chances.sum(axis=1)
        self._weights = weights - _log_sum(weights)
        return surprise


def _first(above: int, tied: int, used: int) -> float:
    """Mean of 1 / rank of the first of ``used`` among ``tied`` in random order, below ``above`` others."""
    rank = np.arange(1, tied - used + 2)
    # The first used one is at the r-th place in C(tied - r, used - 1) of C(tied, used) cases: used / tied for r = 1,
    # and from one r to the next a factor of (tied - r - used + 1) / (tied - r).
    later = np.concatenate([[1.0], (tied - rank[:-1] - used + 1) / (tied - rank[:-1])])
    chance = used / tied * np.cumprod(later)
    return float((chance / (above + rank)).sum())


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


LEVEL = 0.95
_CELLS = 2_000_000
"""Sessions that are drawn at a time, for the sake of memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelScore:
    """How well one model predicted.

    Attributes:
        model: Which.
        mrr: Mean over the files used of 1 / rank.
        first_mrr: Mean over sessions of 1 / rank of the best ranked file used.
        recall_at_5: Mean over sessions of the share of the files used that the first five hold.
        recall_at_10: The same of the first ten.
        log_loss: Mean over the files used of -ln P, in nats.
        lead: By how much its ``mrr`` is above that of the model it was compared with.
    """

    model: str
    mrr: Measure
    first_mrr: Measure
    recall_at_5: Measure
    recall_at_10: Measure
    log_loss: Measure
    lead: Measure


def compare(
    scores: Mapping[str, Sequence[SessionScore]], *, against: str, rng: np.random.Generator, draws: int = 1000
) -> tuple[ModelScore, ...]:
    """All models, the best by ``mrr`` first.

    Args:
        scores: By model, of the same sessions in the same order; at least one session.
        against: The model that ``lead`` compares with.
        rng: Draws the sessions.
        draws: How often.
    """
    table = np.array([[session.row() for session in sessions] for sessions in scores.values()])
    means = _means(table.sum(axis=1), table.shape[1])
    drawn = np.concatenate([_means(part, table.shape[1]) for part in _resampled(table, rng, draws)], axis=1)
    base = list(scores).index(against)
    comparison = [
        _model_score(model, means[row], drawn[row], means[base], drawn[base]) for row, model in enumerate(scores)
    ]
    return tuple(sorted(comparison, key=lambda session: -session.mrr.value))


def _means(sums: Floats, sessions: int) -> Floats:
    """From sums over sessions, shape (..., 6), the five measures, shape (..., 5)."""
    used = sums[..., 0]
    by_file = sums[..., [1, 5]] / used[..., None]
    by_session = sums[..., [2, 3, 4]] / sessions
    return np.concatenate([by_file[..., :1], by_session, by_file[..., 1:]], axis=-1)


def _resampled(table: Floats, rng: np.random.Generator, draws: int) -> list[Floats]:
    """Sums over sessions that were drawn with replacement, each shape (models, some draws, 6)."""
    sessions = table.shape[1]
    step = max(1, _CELLS // sessions)
    parts = [min(step, draws - begin) for begin in range(0, draws, step)]
    chances = np.full(sessions, 1.0 / sessions)
    return [rng.multinomial(sessions, chances, size=rows).astype(np.float64) @ table for rows in parts]


def _model_score(model: str, mean: Floats, drawn: Floats, base: Floats, base_drawn: Floats) -> ModelScore:
    columns = [_estimate(mean[column], drawn[:, column]) for column in range(mean.size)]
    return ModelScore(
        model=model,
        mrr=columns[0],
        first_mrr=columns[1],
        recall_at_5=columns[2],
        recall_at_10=columns[3],
        log_loss=columns[4],
        lead=_estimate(mean[0] - base[0], drawn[:, 0] - base_drawn[:, 0]),
    )


def _estimate(value: float, drawn: Floats) -> Measure:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Measure(value=float(value), low=min(low, float(value)), high=max(high, float(value)))
