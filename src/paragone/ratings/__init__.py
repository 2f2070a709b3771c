"""Rating maths: evidence in, numbers out. Pure: no clock, no files, no network; randomness is an argument.

Two views of the same matches. The *running Elo* (``elo``, ``k_factor``, ``replay``) moves match by match and can be
told as a story. The *strength* (``evidence``, ``bradley_terry``, ``intervals``) is one fit of everything that was said,
whatever its order, with intervals; it ranks. Strengths are in nats here and in Elo points where they are shown
(``scale``). The room may use ``domain``, ``errors``, numpy and, for large fits, scipy; it knows nothing of pairing,
judges or the ledger.
"""

from paragone.ratings.bradley_terry import fit
from paragone.ratings.elo import Move, expected_score, update, update_many
from paragone.ratings.evidence import Evidence
from paragone.ratings.fitted import Fit, FitOptions
from paragone.ratings.intervals import draws, rank_intervals, ranks, rating_intervals
from paragone.ratings.replay import Replay, replay, replay_arrays, step
from paragone.ratings.scale import ELO_PER_NAT, to_elo

__all__ = [
    "ELO_PER_NAT",
    "Evidence",
    "Fit",
    "FitOptions",
    "Move",
    "Replay",
    "draws",
    "expected_score",
    "fit",
    "rank_intervals",
    "ranks",
    "rating_intervals",
    "replay",
    "replay_arrays",
    "step",
    "to_elo",
    "update",
    "update_many",
]
