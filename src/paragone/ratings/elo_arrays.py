"""Running Elo over whole columns of matches: ``replay`` without its objects, a hundred times as fast.

Long columns are played by compiled loops where numba is installed (the extra ``fast``), short ones in plain Python: the
same numbers either way, to the last bit. In a match of several items every pair counts as a match, all from the ratings
before it; ``replay_many`` takes one exponential an item instead of one a pair and agrees with ``update_many`` and
``update_ordered`` to 1e-9.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paragone.domain import RatingConfig
from paragone.ratings.loops.elo_kernels import play, play_several

Floats = NDArray[np.float64]
Ints = NDArray[np.int64] | NDArray[np.int32]
Reals = NDArray[np.float64] | NDArray[np.float32]
Noted = tuple[Floats, Floats, Floats, Floats, Floats]

Scalar = TypeVar("Scalar", bound=np.generic)

AHEAD = 24
"""Matches whose ratings are under way from memory while one is played."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MatchRows:
    """What a ledger notes of each match, and where the ratings stand after the last.

    Attributes:
        ratings: The ratings in Elo points, shape (items,).
        old_a: Rating of ``a`` before each match, shape (M,).
        new_a: Its rating after.
        old_b: Rating of ``b`` before.
        new_b: Its rating after.
        expected: Expected score of ``a``, in [0, 1]; that of ``b`` is what is missing to 1.
    """

    ratings: Floats
    old_a: Floats
    new_a: Floats
    old_b: Floats
    new_b: Floats
    expected: Floats


def replay_arrays(
    a: ArrayLike,
    b: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None,
    items: int,
    config: RatingConfig,
    *,
    start: ArrayLike | None = None,
    k: ArrayLike | None = None,
    advantage: ArrayLike | None = None,
    compiled: bool | None = None,
) -> Floats:
    """Play matches given as columns: the ratings that ``replay`` would reach, to the last bit, without the record.

    Args:
        a: Index of one item of each match, shape (M,), in the order of play. Columns of int32 and int64 are read
            where they are, others are converted.
        b: Index of the other, shape (M,).
        score: Score of ``a`` in [0, 1], shape (M,); float32 and float64 are read where they are. Leave void matches
            out.
        weight: Confidence in each match, shape (M,), clamped to [0.1, 1]; 1 for all where None.
        items: How many items there are; the indices lie in [0, items).
        config: Initial rating, K, floor and ceiling.
        start: Ratings to go on from, shape (items,); ``config.initial`` for all where None.
        k: K of each match in Elo points, before its weight, shape (M,); ``config.k`` for all where None.
        advantage: Elo points that each ``a`` is expected to play above its rating, shape (M,); 0 where None.
        compiled: Whether to play by compiled loops; where None, if there are enough matches and there is numba.

    Returns:
        The ratings in Elo points, shape (items,).

    Raises:
        ValueError: If shapes differ, an index is out of range or no integer, an item meets itself, a score lies outside
            of [0, 1], or a weight, K, advantage or rating is not a number.
        MissingExtra: If compiled loops are asked for and numba is not installed.
    """
    columns = _columns(a, b, score, weight, k, advantage)
    ratings = starting(items, config, start)
    _play(columns, ratings, None, config, compiled)
    return ratings


def replay_rows(
    a: ArrayLike,
    b: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None,
    items: int,
    config: RatingConfig,
    *,
    start: ArrayLike | None = None,
    k: ArrayLike | None = None,
    advantage: ArrayLike | None = None,
    into: MatchRows | None = None,
    compiled: bool | None = None,
) -> MatchRows:
    """Play matches given as columns, and note what each one did: 40 bytes a match.

    Fetching that much new memory takes longer than playing. For many matches, play a hundred thousand at a time, going
    on from the ratings of the rows before, and write over those rows once they are kept elsewhere::

        rows = None
        for part in parts:
            start = None if rows is None else rows.ratings
            rows = replay_rows(*part, items, config, start=start, into=rows)

    Args:
        a: Index of one item of each match, shape (M,), in the order of play.
        b: Index of the other, shape (M,).
        score: Score of ``a`` in [0, 1], shape (M,).
        weight: Confidence in each match, shape (M,), clamped to [0.1, 1]; 1 for all where None.
        items: How many items there are.
        config: Initial rating, K, floor and ceiling.
        start: Ratings to go on from, shape (items,); ``config.initial`` for all where None.
        k: K of each match before its weight, shape (M,); ``config.k`` for all where None.
        advantage: Elo points that each ``a`` is expected to play above its rating, shape (M,); 0 where None.
        into: MatchRows of as many matches or more, to write over; new ones where None.
        compiled: Whether to play by compiled loops; where None, if there are enough matches and there is numba.

    Raises:
        ValueError: As ``replay_arrays``, or if there is no room in ``into``.
        MissingExtra: If compiled loops are asked for and numba is not installed.
    """
    columns = _columns(a, b, score, weight, k, advantage)
    ratings = starting(items, config, start)
    rows = _room(len(columns.a), into)
    _play(columns, ratings, rows, config, compiled)
    old_a, new_a, old_b, new_b, expected = rows
    return MatchRows(ratings=ratings, old_a=old_a, new_a=new_a, old_b=old_b, new_b=new_b, expected=expected)


def _room(count: int, rows: MatchRows | None) -> Noted:
    """Columns for so many matches: those of ``rows``, or new ones."""
    if rows is None:
        return np.empty(count), np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    if len(rows.old_a) < count:
        raise ValueError(f"rows of {len(rows.old_a)} matches have no room for {count}")
    return rows.old_a[:count], rows.new_a[:count], rows.old_b[:count], rows.new_b[:count], rows.expected[:count]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Columns:
    a: Ints
    b: Ints
    score: Reals
    weight: Floats | None
    k: Floats | None
    advantage: Floats | None


def _columns(
    a: ArrayLike,
    b: ArrayLike,
    score: ArrayLike,
    weight: ArrayLike | None,
    k: ArrayLike | None,
    advantage: ArrayLike | None,
) -> _Columns:
    first, second = indices("a", a), indices("b", b)
    # One machine code for each kind of arguments: mixed kinds are made one instead of compiled anew.
    if first.dtype != second.dtype:
        first, second = readable(first.astype(np.int64)), readable(second.astype(np.int64))
    columns = _Columns(
        a=first,
        b=second,
        score=reals(score),
        weight=None if weight is None else readable(np.asarray(weight, dtype=np.float64)),
        k=None if k is None else readable(np.asarray(k, dtype=np.float64)),
        advantage=None if advantage is None else readable(np.asarray(advantage, dtype=np.float64)),
    )
    columns_present = (first, second, columns.score, columns.weight, columns.k, columns.advantage)
    shapes = [column.shape for column in columns_present if column is not None]
    if len(shapes[0]) != 1 or len(set(shapes)) != 1:
        raise ValueError(f"the columns differ in shape: {', '.join(map(str, shapes))}")
    return columns


def _play(
    columns: _Columns,
    ratings: Floats,
    rows: Noted | None,
    config: RatingConfig,
    compiled: bool | None,
) -> None:
    """Move ``ratings`` through all matches, and fill ``rows``."""
    limits = (config.k, config.floor, config.ceiling)
    if play.pays(len(columns.a), compiled):
        pairs, optional = (columns.a, columns.b), (columns.score, columns.weight, columns.k, columns.advantage)
        refused = play.compiled(ratings, pairs, *optional, rows, limits, AHEAD)
    else:
        refused = _play_plain(columns, ratings, rows, limits)
    if refused >= 0:
        raise ValueError(_complaint(columns, refused, len(ratings)))


def _play_plain(
    columns: _Columns,
    ratings: Floats,
    rows: Noted | None,
    limits: tuple[float, float, float],
) -> int:
    """The same on lists, whose elements plain Python has ready as numbers."""
    count, current = len(columns.a), ratings.tolist()
    weight, k, advantage = (
        None if column is None else column.tolist() for column in (columns.weight, columns.k, columns.advantage)
    )
    noted = None if rows is None else ([0.0] * count, [0.0] * count, [0.0] * count, [0.0] * count, [0.0] * count)
    pairs = (columns.a.tolist(), columns.b.tolist())
    refused = play.plain(current, pairs, columns.score.tolist(), weight, k, advantage, noted, limits, count)
    ratings[:] = current
    if rows is not None and noted is not None:
        for column, values in zip(rows, noted, strict=True):
            column[:] = values
    return refused


def _complaint(columns: _Columns, match: int, items: int) -> str:
    """What is wrong with a match that cannot be."""
    a, b, score = int(columns.a[match]), int(columns.b[match]), float(columns.score[match])
    if not (0 <= a < items and 0 <= b < items):
        return f"match {match} is between {a} and {b}: an index lies outside of [0, {items})"
    if a == b:
        return f"match {match} pairs an item with itself"
    if not 0.0 <= score <= 1.0:
        return f"match {match} has a score of {score}: it lies outside of [0, 1]"
    if columns.k is not None and not 0.0 <= columns.k[match] < np.inf:
        return f"match {match} has a K of {columns.k[match]}: it is 0 or more, and finite"
    if columns.weight is not None and np.isnan(columns.weight[match]):
        return f"match {match} has a weight that is not a number"
    return f"match {match} has an advantage that is not a finite number"


def starting(items: int, config: RatingConfig, start: ArrayLike | None) -> Floats:
    """The ratings to go on from, in an array of their own.

    Raises:
        ValueError: If they are not so many or not finite.
    """
    ratings = np.full(items, config.initial, dtype=np.float64) if start is None else np.array(start, dtype=np.float64)
    if ratings.shape != (items,) or not np.isfinite(ratings).all():
        raise ValueError(f"start needs {items} finite ratings")
    return ratings


def indices(name: str, column: ArrayLike) -> Ints:
    """A column of whole numbers, as int32 where it is that and as int64 otherwise.

    Raises:
        ValueError: If there are other numbers in it.
    """
    values = np.asarray(column)
    if values.size == 0:
        values = values.astype(np.int64)
    if values.dtype.kind not in "iu":
        raise ValueError(f"{name} needs indices of items, whole numbers, not {values.dtype}")
    return readable(values if values.dtype == np.int32 else values.astype(np.int64, copy=False))


def reals(column: ArrayLike) -> Reals:
    """A column of numbers, as float32 where it is that and as float64 otherwise."""
    values = np.asarray(column)
    return readable(values if values.dtype == np.float32 else values.astype(np.float64, copy=False))


def readable(column: NDArray[Scalar]) -> NDArray[Scalar]:
    """The column in one piece and not to be written to: one kind of array, so that one machine code does for all."""
    view = np.ascontiguousarray(column).view()
    view.flags.writeable = False
    return view


ENTRANTS_AHEAD = 64
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

    Source: Aragora's specification, "Pairwise ELO Changes".
    """
    items_of = indices("entrants", entrants)
    bounds = _bounds(items_of, offsets)
    scores = None if score is None else reals(score)
    if scores is not None and scores.shape != items_of.shape:
        raise ValueError(f"entrants and their scores differ in shape: {items_of.shape}, {scores.shape}")
    weights = None if weight is None else readable(np.asarray(weight, dtype=np.float64))
    if weights is not None and weights.shape != (len(bounds) - 1,):
        raise ValueError(f"{len(bounds) - 1} matches need as many weights, not {weights.shape}")
    ratings = starting(items, config, start)
    flat = items_of.reshape(-1), None if scores is None else scores.reshape(-1)
    _play_several(*flat, bounds, weights, ratings, config, compiled)
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


def _play_several(
    entrants: Ints,
    score: Reals | None,
    bounds: NDArray[np.int64],
    weight: Floats | None,
    ratings: Floats,
    config: RatingConfig,
    compiled: bool | None,
) -> None:
    limits, largest = (config.k, config.floor, config.ceiling), int(np.diff(bounds).max(initial=0))
    if play_several.pays(len(entrants), compiled):
        scratch = np.empty(largest), np.empty(largest)
        refused = play_several.compiled(ratings, entrants, bounds, score, weight, scratch, limits, ENTRANTS_AHEAD)
    else:
        current = ratings.tolist()
        scores, weights = (None if column is None else column.tolist() for column in (score, weight))
        lists = (entrants.tolist(), bounds.tolist(), scores, weights)
        refused = play_several.plain(current, *lists, ([0.0] * largest, [0.0] * largest), limits, len(entrants))
        ratings[:] = current
    if refused >= 0:
        low, high = bounds[refused], bounds[refused + 1]
        raise ValueError(_refusal_of_several(refused, entrants[low:high], score is not None, len(ratings)))


def _refusal_of_several(match: int, entrants: Ints, scored: bool, items: int) -> str:
    """What is wrong with a match that cannot be."""
    if ((entrants < 0) | (entrants >= items)).any():
        return f"match {match} has an index outside of [0, {items})"
    if len(np.unique(entrants)) < len(entrants):
        return f"match {match} has an item twice"
    what = "a score that is negative or not finite, or a weight" if scored else "a weight"
    return f"match {match} has {what} that is not a number"
