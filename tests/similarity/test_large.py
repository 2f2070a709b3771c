"""Above some ten thousand items: a walk instead of all pairs, means instead of communities."""

import numpy as np

from paragone.similarity.graph import Neighbours, cluster, nearest
from paragone.similarity.vectors import unit


def scattered(count=3000, groups=20, dimensions=32, seed=1):
    rng = np.random.default_rng(seed)
    group = rng.integers(groups, size=count)
    centres = rng.standard_normal((groups, dimensions))
    return unit(centres[group] + 0.5 * rng.standard_normal((count, dimensions))), group


def test_the_walk_finds_nearly_all_neighbours_that_looking_at_every_pair_finds():
    vectors, _ = scattered()
    exact, walked = nearest(vectors, 10), nearest(vectors, 10, exact=0)
    shared = [len(set(a) & set(b)) for a, b in zip(exact.index.tolist(), walked.index.tolist(), strict=True)]
    assert np.mean(shared) / 10 > 0.98
    assert not (walked.index == np.arange(len(vectors))[:, np.newaxis]).any()


def test_both_ways_are_deterministic():
    vectors, _ = scattered(500)
    for exact in (0, 10_000):
        once, again = nearest(vectors, 5, exact=exact), nearest(vectors, 5, exact=exact)
        assert np.array_equal(once.index, again.index)
        for by_graph in (0, 10_000):
            assert np.array_equal(cluster(vectors, once, by_graph=by_graph), cluster(vectors, again, by_graph=by_graph))


def test_means_keep_planted_groups_together():
    vectors, group = scattered()
    none = Neighbours(index=np.zeros((3000, 0), np.int32), cosine=np.zeros((3000, 0), np.float32))
    labels = cluster(vectors, none, by_graph=0)
    purity = sum(np.bincount(group[labels == label]).max() for label in range(labels.max() + 1)) / 3000
    assert purity > 0.95
    assert labels.max() + 1 <= 39
    assert (np.diff(np.bincount(labels)) <= 0).all()
