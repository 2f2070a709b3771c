"""Models compared by what they foretold: means over sessions, with intervals, and which one to choose.

Intervals come from drawing sessions anew; all models see the same draws, so that their differences have intervals too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from paragone.analysis.content.prequential import Floats, SessionScore

LEVEL = 0.95
_CELLS = 2_000_000
"""Sessions that are drawn at a time, for the sake of memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A mean with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Foretelling:
    """How well one model foretold.

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
    mrr: Estimate
    first_mrr: Estimate
    recall_at_5: Estimate
    recall_at_10: Estimate
    log_loss: Estimate
    lead: Estimate


def compare(
    scores: Mapping[str, Sequence[SessionScore]], *, against: str, rng: np.random.Generator, draws: int = 1000
) -> tuple[Foretelling, ...]:
    """All models, the best by ``mrr`` first.

    Args:
        scores: By model, of the same sessions in the same order; at least one session.
        against: The model that ``lead`` compares with.
        rng: Draws the sessions.
        draws: How often.
    """
    table = np.array([[one.row() for one in sessions] for sessions in scores.values()])
    means = _means(table.sum(axis=1), table.shape[1])
    drawn = np.concatenate([_means(part, table.shape[1]) for part in _resampled(table, rng, draws)], axis=1)
    base = list(scores).index(against)
    found = [_foretelling(model, means[row], drawn[row], means[base], drawn[base]) for row, model in enumerate(scores)]
    return tuple(sorted(found, key=lambda one: -one.mrr.value))


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


def _foretelling(model: str, mean: Floats, drawn: Floats, base: Floats, base_drawn: Floats) -> Foretelling:
    columns = [_estimate(mean[column], drawn[:, column]) for column in range(mean.size)]
    return Foretelling(
        model=model,
        mrr=columns[0],
        first_mrr=columns[1],
        recall_at_5=columns[2],
        recall_at_10=columns[3],
        log_loss=columns[4],
        lead=_estimate(mean[0] - base[0], drawn[:, 0] - base_drawn[:, 0]),
    )


def _estimate(value: float, drawn: Floats) -> Estimate:
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    return Estimate(value=float(value), low=min(low, float(value)), high=max(high, float(value)))
