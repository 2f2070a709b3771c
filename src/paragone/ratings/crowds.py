"""Running Elo over whole columns of matches of several: ``update_many`` and ``update_ordered`` without their objects.

Every pair of a match counts as a match, all from the ratings before it. One exponential an item instead of one a pair;
ratings are those of the plain functions to 1e-9, and the same, to the last bit, whether compiled or not.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paragone.domain import RatingConfig
from paragone.ratings.columns import Floats, Ints, Reals, indices, readable, reals, starting
from paragone.ratings.loops.elo_kernels import play_crowds

AHEAD = 64
"""Entrants whose ratings are under way from memory while a match is played."""


def replay_many(
    entrants: ArrayLike,
    score: ArrayLike | None,
    weight: ArrayLike | None,
    items: int,
    config: RatingConfig,
    *,
    offsets: ArrayLike | None = None,
    start: ArrayLike | None = None,
    compiled: bool | None = None,
) -> Floats:
    """Play matches of several, given as columns.

    Args:
        entrants: Index of each item of each match, shape (M, n) where all are of n, in the order of play; otherwise
            one match after the other, shape (E,), and ``offsets``.
        score: What each entrant scored, on any scale from 0 upwards, in the shape of ``entrants``: of a pair, each
            takes its share of the two, as in ``update_many``. Where None, the entrants of a match are in the order
            in which they came out, the best first, and the better of a pair takes all, as in ``update_ordered``.
        weight: Confidence in each match, shape (M,), clamped to [0.1, 1]; 1 for all where None.
        items: How many items there are; the indices lie in [0, items).
        config: Initial rating, K, floor and ceiling. K is per pair.
        offsets: Where each match begins in ``entrants``, and where the last one ends, shape (M + 1,).
        start: Ratings to go on from, shape (items,); ``config.initial`` for all where None.
        compiled: Whether to play by compiled loops; where None, if there are enough matches and there is numba.

    Returns:
        The ratings in Elo points, shape (items,).

    Raises:
        ValueError: If shapes differ, a match has fewer than two entrants or one twice, an index is out of range, a
            score is negative or not finite, or a weight or rating is not a number.
        MissingExtra: If compiled loops are asked for and numba is not installed.

    Source: document A, "Pairwise ELO Changes".
    """
    given = indices("entrants", entrants)
    bounds = _bounds(given, offsets)
    scores = None if score is None else reals(score)
    if scores is not None and scores.shape != given.shape:
        raise ValueError(f"entrants and their scores differ in shape: {given.shape}, {scores.shape}")
    weights = None if weight is None else readable(np.asarray(weight, dtype=np.float64))
    if weights is not None and weights.shape != (len(bounds) - 1,):
        raise ValueError(f"{len(bounds) - 1} matches need as many weights, not {weights.shape}")
    ratings = starting(items, config, start)
    flat = given.reshape(-1), None if scores is None else scores.reshape(-1)
    _play(*flat, bounds, weights, ratings, config, compiled)
    return ratings


def _bounds(entrants: Ints, offsets: ArrayLike | None) -> NDArray[np.int64]:
    """Where each match begins, and where the last one ends."""
    if offsets is None:
        if entrants.ndim != 2:
            raise ValueError(f"entrants of shape {entrants.shape} need offsets: where each match begins")
        bounds = np.arange(len(entrants) + 1) * entrants.shape[1]
    else:
        bounds = indices("offsets", offsets).astype(np.int64)
    if bounds.ndim != 1 or not len(bounds) or bounds[0] != 0 or bounds[-1] != entrants.size:
        raise ValueError(f"offsets go from 0 to the {entrants.size} entrants that there are")
    sizes = np.diff(bounds)
    if (sizes < 2).any():
        match = int(np.argmax(sizes < 2))
        raise ValueError(f"match {match} has {sizes[match]} entrants: it needs two or more")
    return readable(bounds)


def _play(
    entrants: Ints,
    score: Reals | None,
    bounds: NDArray[np.int64],
    weight: Floats | None,
    ratings: Floats,
    config: RatingConfig,
    compiled: bool | None,
) -> None:
    limits, largest = (config.k, config.floor, config.ceiling), int(np.diff(bounds).max(initial=0))
    if play_crowds.pays(len(entrants), compiled):
        scratch = np.empty(largest), np.empty(largest)
        refused = play_crowds.compiled(ratings, entrants, bounds, score, weight, scratch, limits, AHEAD)
    else:
        current = ratings.tolist()
        scores, weights = (None if column is None else column.tolist() for column in (score, weight))
        lists = (entrants.tolist(), bounds.tolist(), scores, weights)
        refused = play_crowds.plain(current, *lists, ([0.0] * largest, [0.0] * largest), limits, len(entrants))
        ratings[:] = current
    if refused >= 0:
        low, high = bounds[refused], bounds[refused + 1]
        raise ValueError(_complaint(refused, entrants[low:high], score is not None, len(ratings)))


def _complaint(match: int, entrants: Ints, scored: bool, items: int) -> str:
    """What is wrong with a match that cannot be."""
    if ((entrants < 0) | (entrants >= items)).any():
        return f"match {match} has an index outside of [0, {items})"
    if len(np.unique(entrants)) < len(entrants):
        return f"match {match} has an item twice"
    what = "a score that is negative or not finite, or a weight" if scored else "a weight"
    return f"match {match} has {what} that is not a number"
