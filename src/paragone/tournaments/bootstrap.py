"""Bootstrap intervals of a board: replicates here, on all processors, or by the workers of a Dask cluster."""

from collections.abc import Callable, Sequence

import numpy as np

from paragone.domain import Board, Bootstrap, BootstrapRow
from paragone.domain.rounding import POINT_DECIMALS, rounded
from paragone.errors import InvalidConfig
from paragone.intake.parallel import Work, results
from paragone.ratings.bootstrap import Resampling, replicates
from paragone.ratings.elo import to_elo
from paragone.ratings.evidence import Floats, Ints
from paragone.ratings.intervals import rank_intervals, ranks, rating_intervals
from paragone.tournaments.posterior import Posterior

OnReplicate = Callable[[int, int], None]
"""Called with how many replicates are fitted, and how many there are."""

_SHARES = 50
"""Parts of the work, at most: progress is reported after each, and a worker that dies costs one."""


def bootstrap_of(
    board: Board,
    posterior: Posterior,
    count: int,
    *,
    seed: int,
    match: Ints | None = None,
    votes: Ints | None = None,
    on: str | None = None,
    on_replicate: OnReplicate = lambda done, total: None,  # noqa: ARG005
) -> Bootstrap:
    """Percentile intervals of ratings and ranks from matches that are drawn anew; the same wherever it is computed.

    Args:
        board: The board of the posterior; its rows give the order.
        posterior: The fit of all matches.
        count: Replicates.
        seed: Seeds the draws.
        match: The number of each comparison's match, from 0; by default each is a match of its own.
        votes: How many matches each one stands for; 1 by default.
        on: Where replicates are fitted: ``local`` for all processors, ``tcp://...`` for a Dask scheduler.
        on_replicate: Called after each part of the work.

    Raises:
        InvalidConfig: If there are too few replicates for the level.
        MissingExtra: If a cluster is asked for and Dask is not installed.
        ServerFailed: If the cluster does not answer, or processes die again and again.
        NotConverged: If a fit does not converge.
    """
    require_enough(count, posterior.level)
    resampling = Resampling.of(posterior.fit, seed, match=match, votes=votes)
    drawn = _replicates(resampling, count, on, on_replicate) * (1.0 - posterior.fit.no_signal)
    low, high = rating_intervals(posterior.fit, posterior.level, drawn)
    points = (rounded(to_elo(ends, initial=posterior.initial), POINT_DECIMALS).tolist() for ends in (low, high))
    rank_ends = (ends.tolist() for ends in rank_intervals(drawn, posterior.level, ranks(posterior.fit.strength)))
    columns = zip(posterior.ids, *points, *rank_ends, strict=True)
    row_of = {
        id: BootstrapRow(id=id, low=low, high=high, rank_low=best, rank_high=worst)
        for id, low, high, best, worst in columns
    }
    return Bootstrap(replicates=count, seed=seed, items=tuple(row_of[row.id] for row in board.items))


def require_enough(count: int, level: float) -> None:
    """Refuse fewer replicates than it takes to have one beyond either end of an interval.

    Raises:
        InvalidConfig: If there are too few.
    """
    least = int(np.ceil(round(2 / (1 - level), 9)))
    if count < least:
        raise InvalidConfig(f"intervals of {level:.0%} take at least {least} replicates, not {count}; 1000 are usual")


def _replicates(resampling: Resampling, count: int, on: str | None, on_replicate: OnReplicate) -> Floats:
    """The strengths of all replicates, shape (count, items)."""
    each = -(-count // _SHARES)
    parts = [range(low, min(low + each, count)) for low in range(0, count, each)]
    work = Work(compute=replicates, shared=resampling, parts=parts, subject="fit a replicate", killed=_killed)
    drawn, done = np.empty((count, resampling.fit.strength.size)), 0
    for part, strengths in results(work, on):
        drawn[parts[part]] = strengths
        done += len(parts[part])
        on_replicate(done, count)
    return drawn


def _killed(parts: Sequence[range], times: int) -> str:
    replicates = sum(map(len, parts))
    return (
        f"the processes that fit {replicates} replicates were killed {times} times, as happens where memory runs out; "
        "fit them in this process (without --on), or elsewhere (--on tcp://...)"
    )
