"""What evidence can tell at all: which items it ties together, and whether it bounds the scale."""

import numpy as np

from paragone.domain.rounding import STRENGTH_DECIMALS, rounded
from paragone.ratings.evidence import PAD, Evidence, Floats, Ints
from paragone.ratings.loops.compiled import available
from paragone.ratings.loops.pair_loops import unite
from paragone.ratings.model.posterior import Model

_MANY = 50_000  # ties between items that a compiled loop follows faster than it takes to load it


def components(evidence: Evidence) -> Ints:
    """Label of each item's part, shape (items,): parts are numbered from 0 by their first item.

    Items are tied together by comparisons and rankings of non-zero weight.
    """
    used = evidence.weight > 0
    ranked = evidence.rankings[evidence.ranking_weight > 0]
    here, there = ranked[:, :-1].ravel(), ranked[:, 1:].ravel()
    real = there != PAD
    ends = np.concatenate([evidence.first[used], here[real]]), np.concatenate([evidence.second[used], there[real]])
    return np.unique(_roots(evidence.item_count, *ends), return_inverse=True)[1]


def contradicted(model: Model, theta: Floats) -> bool:
    """Whether anything goes against the parameters: a tie, a doubt, an upset.

    Where nothing does, the evidence would be the likelier the further apart the items are, and only the prior bounds
    the scale.
    """
    rows = model.rows
    theta = rounded(theta, STRENGTH_DECIMALS)
    margin = rounded(model.outcomes(theta).margin, STRENGTH_DECIMALS)
    sure = rows.weight / 2 - rows.lead * np.sign(margin) <= 1e-9 * rows.weight
    ranked = np.append(theta, -np.inf)[model.rankings]
    falling = ranked[:, :-1] >= ranked[:, 1:]
    return not (sure.all() and falling.all())


def _roots(item_count: int, a: Ints, b: Ints) -> Ints:
    """The lowest item of each item's part: hook roots onto lower ones, then halve the paths, until nothing moves."""
    root = np.arange(item_count)
    if a.size >= _MANY and available():
        unite.compiled(root, a, b)
        return root
    while True:
        low, high = np.minimum(root[a], root[b]), np.maximum(root[a], root[b])
        if (low == high).all():
            return root
        np.minimum.at(root, high, low)
        while not np.array_equal(root, root[root]):
            root = root[root]
