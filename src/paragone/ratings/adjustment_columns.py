"""Adjustments over columns: ``replay`` of matches of two with the adjustments between them, without its objects."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paragone.domain import RatingConfig
from paragone.ratings.elo_arrays import Floats, Ints, replay_arrays, starting


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class AdjustmentColumns:
    """Moves of ratings that no match made, as columns of one length, in the order in which they are made.

    Attributes:
        item: Index of the item, shape (A,).
        target: Where it moves to, in Elo points.
        share: How much of the way, from 0 to 1.
        before: How many matches are played before it; never fewer than before the one before.
    """

    item: Ints
    target: Floats
    share: Floats
    before: Ints

    def __len__(self) -> int:
        return len(self.item)

    def between(self) -> Iterator[tuple[int, "AdjustmentColumns"]]:
        """The adjustments that have no match between them, with the matches before them."""
        ends = np.flatnonzero(np.diff(self.before, append=-1)) + 1
        for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=False):
            yield int(self.before[start]), self._part(slice(start, end))

    def _part(self, among: slice) -> "AdjustmentColumns":
        return AdjustmentColumns(
            item=self.item[among], target=self.target[among], share=self.share[among], before=self.before[among]
        )


def adjust_arrays(ratings: Floats, adjustments: AdjustmentColumns, config: RatingConfig) -> NDArray[np.float64]:
    """Make adjustments one after the other, as ``adjust`` does, to the last bit.

    Args:
        ratings: The ratings in Elo points, shape (items,); they are moved.
        adjustments: The moves; the matches between them are not looked at.
        config: Floor and ceiling.

    Returns:
        Rating before, rating after, and what floor or ceiling took away, shape (3, A).
    """
    noted = np.empty((3, len(adjustments)))
    columns = (adjustments.item.tolist(), adjustments.target.tolist(), adjustments.share.tolist())
    for column, (item, target, share) in enumerate(zip(*columns, strict=True)):
        old = float(ratings[item])
        # In the same operations as Adjustment.moved, for the same bits.
        intended = target if share == 1.0 else old + share * (target - old)
        ratings[item] = new = min(max(intended, config.floor), config.ceiling)
        noted[:, column] = old, new, intended - new
    return noted


def replay_adjusted(
    a: Ints, b: Ints, score: Floats, weight: Floats | None, items: int, config: RatingConfig, moves: AdjustmentColumns
) -> Floats:
    """``replay_arrays`` from the initial ratings, with adjustments between the matches.

    Args:
        a: Index of one item of each match, shape (M,), in the order of play.
        b: Index of the other.
        score: Score of ``a`` in [0, 1].
        weight: Confidence in each match; 1 for all where None.
        items: How many items there are.
        config: Initial rating, K, floor and ceiling.
        moves: The adjustments.

    Returns:
        The ratings in Elo points, shape (items,).

    Raises:
        ValueError: As ``replay_arrays``.
    """
    ratings, played = starting(items, config, None), 0
    for before, part in moves.between():
        among = slice(played, before)
        ratings = replay_arrays(*_rows(among, a, b, score, weight), items, config, start=ratings)
        adjust_arrays(ratings, part, config)
        played = before
    return replay_arrays(*_rows(slice(played, None), a, b, score, weight), items, config, start=ratings)


def _rows(
    among: slice, a: Ints, b: Ints, score: Floats, weight: Floats | None
) -> tuple[Ints, Ints, Floats, Floats | None]:
    return a[among], b[among], score[among], None if weight is None else weight[among]
