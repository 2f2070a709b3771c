"""Near neighbours whose comparison tells most about the ranking asked for, a batch at a time.

For pools in which not all pairs can be looked at, for votes, and for tournaments that began with it; see ``gain``.
A comparison tells most where its answer is least foreseeable, between neighbours in the current order, and where the
goal hangs on it: at the boundary of the top k, or among those who may be the best. Nothing here looks at all pairs, so
the work is near-linear in the number of items. Items are indices; means and draws come from any model of them.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from paragone.domain import Aim, Goal
from paragone.domain.rounding import SHARE_DECIMALS, rounded
from paragone.pairing.forecast import Floats, checked, level_rows, membership
from paragone.pairing.presentation import PairHistory, present

LOOK_AHEAD = 20  # neighbours on either side that an item may meet
SMALLEST_BATCH = 12
AUDIT_SHARE = 0.04

FAR_SHARE = 1 / 6
"""The share of a batch that joins the upper to the lower third: near-even pairs alone cannot show any signal."""

FOCUS_SHARE = 0.5
"""The part of a balanced batch, its far pairs apart, that goes to the top."""

_TOPS = (1, 3, 10)  # whose membership the balanced aim looks at
_LAGGING = 2  # an item with fewer comparisons is served first
_MOST = 3  # comparisons of one item in one batch
_UNASKED, _ONCE = 0, 1  # in how many orders a pair has been asked


def batch_size(items: int, goal: Goal) -> int:
    """Comparisons to ask at a time: a quarter of the items, an eighth where the aim is a top, never below twelve."""
    part = 8 if goal.aim in {Aim.TOP, Aim.WINNER} else 4
    return max(math.ceil(items / part), SMALLEST_BATCH)


def start(items: int, *, rng: np.random.Generator, matchings: int = 2) -> tuple[tuple[int, int], ...]:
    """The comparisons to begin with: random perfect matchings, no pair twice.

    The first two go round one random cycle: first every other pair of neighbours, then the pairs between. So they tie
    all items together, everybody is shown first once and second once, and where the number of items is odd the one
    that is left over is paired in the next matching. A third, for ratings that are to be well calibrated early, pairs
    at random those who have not met.

    Args:
        items: Number of items, at least two.
        rng: Source of randomness.
        matchings: Two or three.

    Returns:
        (first, second) in the order of presentation.

    Raises:
        ValueError: If there are fewer than two items, or another number of matchings is asked for.
    """
    if items < 2 or matchings not in {2, 3}:
        raise ValueError(f"two or three matchings of at least two items, not {matchings} of {items}")
    cycle = rng.permutation(items).tolist()
    if items == 2:
        return ((cycle[0], cycle[1]),)
    # Every other edge of the cycle, then the rest: two perfect matchings that together tie all items in one ring.
    steps = [*range(0, items, 2), *range(1, items, 2)]
    pairs = tuple((cycle[step], cycle[(step + 1) % items]) for step in steps)
    if matchings == 2 or items == 3:
        return pairs
    third = ((cycle[a], cycle[b]) for a, b in _chords(items, rng))
    return pairs + present(third, PairHistory.of(items, pairs), rng=rng)


def _chords(items: int, rng: np.random.Generator) -> list[list[int]]:
    """A random matching of the places on a cycle in which no neighbours meet; four places or more."""
    while True:  # a try succeeds about every third time
        endpoints = rng.permutation(items)[: items // 2 * 2].reshape(-1, 2)
        gap = np.abs(endpoints[:, 0] - endpoints[:, 1])
        if not np.any((gap == 1) | (gap == items - 1)):
            chords: list[list[int]] = endpoints.tolist()
            return chords


def next_batch(
    mean: Floats,
    draws: Floats,
    history: PairHistory,
    goal: Goal,
    *,
    rng: np.random.Generator,
    size: int | None = None,
    audit_share: float = AUDIT_SHARE,
    far_share: float = FAR_SHARE,
    focus_share: float = FOCUS_SHARE,
) -> tuple[tuple[int, int], ...]:
    """The next batch of comparisons, which may be asked all at once.

    The first batch of all is `start`. Later ones serve, in turn: items with fewer than two comparisons; a few pairs
    asked once, now in the other order, as an audit of flips that belong to a pair; pairs of the upper with the lower
    third of the order, which alone can show whether there is any signal; what the goal hangs on; then whoever has had
    the fewest comparisons. Each of these meets its nearest neighbour in the order of the means whom it has not
    met; only where no such neighbour is within the look-ahead, one it has met, in the other order. No pair is asked
    twice in one order, and no item is in more than three comparisons of a batch.

    Args:
        mean: Posterior means, shape (N,), in any unit.
        draws: Posterior draws, shape (M, N); some hundreds do.
        history: What has been asked, open comparisons included; left as it is.
        goal: The ranking asked for.
        rng: Source of randomness; the same state gives the same batch.
        size: Comparisons wanted; by default `batch_size`. There may be fewer.
        audit_share: The share of pairs to be asked in both orders, from 0 to 1.
        far_share: The share of the batch that joins the upper to the lower third, at least one pair unless it is 0.
        focus_share: The share of the rest that goes to the top where the aim is balanced, rounded up.

    Returns:
        (first, second) in the order of presentation; empty when every pair has been asked in both orders.

    Raises:
        ValueError: If the shapes do not fit, a value is not finite, or a share is none.
    """
    mean, draws = checked(mean, draws)
    items = mean.size
    if history.items != items:
        raise ValueError(f"the history is of {history.items} items, the means are of {items}")
    if not 0.0 <= audit_share <= 1.0:
        raise ValueError(f"the audit's share lies in [0, 1], not {audit_share}")
    if not 0.0 <= far_share <= 1.0:
        raise ValueError(f"the share of far pairs lies in [0, 1], not {far_share}")
    if size is not None and size < 1:
        raise ValueError(f"a batch holds at least one comparison, not {size}")
    if not history.total:
        return start(items, rng=rng)[:size]
    batch = _Batch(mean, history, size=size or batch_size(items, goal), rng=rng)
    _serve_lagging(batch, rng)
    _serve_audit(batch, audit_share, rng)
    far = _serve_far(batch, far_share, rng)
    _serve_goal(batch, draws, goal, rng, far=far, share=focus_share)
    _serve_everybody(batch, rng)
    return present(batch.pairs, history, rng=rng)


def _near(reach: int) -> tuple[tuple[int, int, int], ...]:
    """Rings to search: first everyone near whom one has not met, then those to be met in the other order."""
    return (_UNASKED, 1, reach), (_ONCE, 1, reach)


def _wide(reach: int) -> tuple[tuple[int, int, int], ...]:
    """The same, and then again farther out: at a boundary all the near ones are soon used up."""
    return *_near(reach), (_UNASKED, reach + 1, 3 * reach), (_ONCE, reach + 1, 3 * reach)


def _serve_lagging(batch: "_Batch", rng: np.random.Generator) -> None:
    counts = np.array(batch.asked.counts)
    lagging = np.flatnonzero(counts < _LAGGING)
    batch.serve(rng.permutation(lagging).tolist(), most=1, rings=_near(LOOK_AHEAD))


def _serve_audit(batch: "_Batch", share: float, rng: np.random.Generator) -> None:
    # As many more as the share of all pairs lacks, and no more of one batch than its share.
    count = math.floor(share * batch.asked.pairs) - batch.asked.both
    count = min(count, math.ceil(share * batch.size))
    if count > 0:
        limit = len(batch.pairs) + count
        batch.serve(rng.permutation(batch.asked.items).tolist(), limit=limit, most=1, rings=((_ONCE, 1, LOOK_AHEAD),))


def _serve_far(batch: "_Batch", share: float, rng: np.random.Generator) -> int:
    """Pairs of the upper with the lower third: only they tell the spread of the strengths from none at all.

    Returns:
        How many there are.
    """
    count = max(1, round(share * batch.size)) if share else 0
    before = len(batch.pairs)
    third = batch.asked.items // 3
    upper, lower = (rng.permutation(third).tolist() for _ in range(2))
    for above in upper:
        if len(batch.pairs) - before < count:
            batch.join(above, (batch.asked.items - 1 - below for below in lower))
    return len(batch.pairs) - before


def _serve_goal(
    batch: "_Batch", draws: Floats, goal: Goal, rng: np.random.Generator, *, far: int, share: float
) -> None:
    """What the goal hangs on: of a balanced batch its share of the pairs that are not far."""
    if goal.aim is Aim.ORDER:
        return
    tops = {Aim.TOP: (goal.k or 1,), Aim.WINNER: (1,)}.get(goal.aim, _TOPS)
    limit = (
        far + math.ceil(round(share * (batch.size - far), SHARE_DECIMALS)) if goal.aim is Aim.BALANCED else batch.size
    )
    rings = _near(LOOK_AHEAD) if goal.aim is Aim.BALANCED else _wide(LOOK_AHEAD)
    doubtful = _doubtful(draws, tops, rng)
    for most in range(1, _MOST + 1):
        batch.serve(doubtful, limit=limit, most=most, rings=rings)


def _doubtful(draws: Floats, tops: Iterable[int], rng: np.random.Generator) -> list[int]:
    """Items that may or may not belong to one of the tops, the most doubtful first."""
    doubt, signal = np.zeros(draws.shape[1]), draws[~level_rows(draws)]
    draws = signal if len(signal) else draws  # without signal there is nothing to find out
    for top in tops:
        belongs = membership(draws, top)
        # p (1 - p): the variance of belonging, largest where it is an even bet.
        doubt += belongs * (1.0 - belongs)
    # Rounded before sorting, so that equals are equal on every processor and the seeded draw decides between them.
    doubt = rounded(doubt, SHARE_DECIMALS)
    order = np.lexsort((rng.random(doubt.size), -doubt))
    ranked: list[int] = order[doubt[order] > 0.0].tolist()
    return ranked


def _serve_everybody(batch: "_Batch", rng: np.random.Generator) -> None:
    """Whoever has had the fewest comparisons comes first, so nobody is left behind, at the extremes or elsewhere."""
    items = batch.asked.items
    queue = np.lexsort((rng.random(items), np.array(batch.asked.counts))).tolist()
    for most in range(1, _MOST + 1):
        batch.serve(queue, most=most, rings=_near(LOOK_AHEAD))
    reach = LOOK_AHEAD
    while not batch.pairs and reach < items:
        reach *= 2
        batch.serve(queue, most=1, rings=_near(reach))


class _Batch:
    """Pairs gathered for one batch, by their places in the order of the means."""

    def __init__(self, mean: Floats, history: PairHistory, *, size: int, rng: np.random.Generator) -> None:
        self.asked = history
        self.size = size
        self.pairs: dict[tuple[int, int], None] = {}  # a set that remembers the order of its making
        order = np.lexsort((rng.random(mean.size), -mean))
        self._order: list[int] = order.tolist()
        self._place: list[int] = np.argsort(order).tolist()
        self._side: list[int] = rng.choice((-1, 1), mean.size).tolist()  # where an item looks first
        self._used = [0] * mean.size

    def serve(
        self,
        queue: Iterable[int],
        *,
        most: int,
        rings: Iterable[tuple[int, int, int]],
        limit: int | None = None,
    ) -> None:
        """Pair each in turn who is in fewer than ``most`` pairs, until the batch holds ``limit`` of them."""
        limit = self.size if limit is None else min(limit, self.size)
        for item in queue:
            if len(self.pairs) >= limit:
                return
            if self._used[item] < most:
                self._pair(item, most, rings)

    def join(self, rank: int, ranks: Iterable[int]) -> None:
        """Pair the item at a place with the first at the others, in turn, whom it has not met and who is free."""
        item = self._order[rank]
        if len(self.pairs) >= self.size or self._used[item]:
            return
        for other in (self._order[at] for at in ranks):
            if self._free(item, other, 1, _UNASKED):
                self._add(item, other)
                return

    def _pair(self, item: int, most: int, rings: Iterable[tuple[int, int, int]]) -> None:
        for orders, nearest, farthest in rings:
            for rank in self._around(item, nearest, farthest):
                other = self._order[rank]
                if self._free(item, other, most, orders):
                    self._add(item, other)
                    return

    def _add(self, item: int, other: int) -> None:
        self.pairs[min(item, other), max(item, other)] = None
        self._used[item] += 1
        self._used[other] += 1

    def _around(self, item: int, nearest: int, farthest: int) -> Iterator[int]:
        """Places at a distance from an item's, the near ones first."""
        rank, last = self._place[item], len(self._order) - 1
        for step in range(nearest * self._side[item], (farthest + 1) * self._side[item], self._side[item]):
            if 0 <= rank + step <= last:
                yield rank + step
            if 0 <= rank - step <= last:
                yield rank - step

    def _free(self, item: int, other: int, most: int, orders: int) -> bool:
        return (
            self._used[other] < most
            and self.asked.orders(item, other) == orders
            and (min(item, other), max(item, other)) not in self.pairs
        )
