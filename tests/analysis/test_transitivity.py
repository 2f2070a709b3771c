"""Whether results are transitive, and how transitive noise alone would leave them."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.analysis.quality.contests import Contests, MetPairs
from paragone.analysis.quality.cycles import transitivity, triples

MATCH = st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([0.0, 0.5, 1.0])).filter(
    lambda match: match[0] != match[1]
)


def contests_of(rows, items=7):
    a, b, score = zip(*rows, strict=True) if rows else ((), (), ())
    return Contests.of([str(n) for n in range(items)], [str(n) for n in range(len(rows))], a, b, score)


def naive(rows, items=7):
    """Triple by triple."""
    net = np.zeros((items, items))
    for a, b, score in rows:
        net[a, b] += 2 * score - 1
        net[b, a] -= 2 * score - 1
    decided = [three for three in combinations(range(items), 3) if all(net[i, j] for i, j in combinations(three, 2))]
    circular = [
        three
        for three in decided
        if any(net[i, j] > 0 and net[j, k] > 0 and net[k, i] > 0 for i, j, k in permutations(three))
    ]
    return len(decided), len(circular)


@given(st.lists(MATCH, max_size=60))
def test_all_triples_are_those_of_the_plain_count(rows):
    found = transitivity(contests_of(rows), np.random.default_rng(0))
    assert (found.triples, found.circular) == naive(rows)
    assert found.exact


def test_worked_shares():
    circle = transitivity(contests_of([(0, 1, 1), (1, 2, 1), (2, 0, 1)]), np.random.default_rng(0))
    assert (circle.triples, circle.circular, circle.share) == (1, 1, 0.0)
    order = transitivity(contests_of([(0, 1, 1), (1, 2, 1), (0, 2, 1)]), np.random.default_rng(0))
    assert (order.triples, order.circular, order.share) == (1, 0, 1.0)
    nobody = transitivity(contests_of([(0, 1, 1)]), np.random.default_rng(0))
    assert (nobody.triples, nobody.share) == (0, None)


def test_a_sample_is_drawn_evenly_and_said_to_be_one():
    rng = np.random.default_rng(3)
    rows = [(i, j, float(rng.random() < 0.7)) for i, j in combinations(range(60), 2)]
    contests = contests_of(rows, 60)
    whole = transitivity(contests, rng)
    sample = transitivity(contests, rng, most=5_000)
    assert (whole.exact, sample.exact) == (True, False)
    assert whole.triples == 60 * 59 * 58 // 6
    assert sample.triples == 5_000  # everybody met everybody: each pair of neighbours is a triple
    assert sample.share == pytest.approx(whole.share, abs=0.02)


def test_sides_of_triples_are_the_pairs_of_three_items():
    rng = np.random.default_rng(1)
    rows = [(*rng.choice(20, 2, replace=False).tolist(), 1.0) for _ in range(120)]
    pairs = MetPairs.met(contests_of(rows, 20))
    found = triples(pairs, 20, rng)
    assert found.low_high.size > 0
    assert (pairs.low[found.low_middle] == pairs.low[found.low_high]).all()
    assert (pairs.high[found.low_middle] == pairs.low[found.middle_high]).all()
    assert (pairs.high[found.middle_high] == pairs.high[found.low_high]).all()


def test_noise_alone_makes_as_many_circles_as_there_are(play):
    inside = 0
    for seed in range(12):
        played = play(16, 200, seed=seed)
        found = transitivity(played.contests, np.random.default_rng(seed), played.prediction)
        inside += found.expected_low <= found.circular <= found.expected_high
        assert found.p_value > 0.005
    assert inside >= 10


def test_circles_that_noise_does_not_make_stand_out(play, fitted):
    # scissors, paper, stone: three kinds that beat each other in a ring, and nearly always
    rng = np.random.default_rng(0)
    rows = []
    for i, j in combinations(range(15), 2):
        ahead = (j % 3 - i % 3) % 3
        wins = 0.5 if ahead == 0 else 0.95 if ahead == 1 else 0.05
        rows += [(i, j, float(rng.random() < wins)) for _ in range(2)]
    played = fitted(np.zeros(15), rows)
    found = transitivity(played.contests, rng, played.prediction)
    assert found.circular > found.expected_high
    assert found.p_value < 0.02
