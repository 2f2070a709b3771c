"""Intervals for ratings and for ranks: what they are, and that they hold the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from paragone.errors import InvalidConfig
from paragone.ratings import Evidence, FitOptions, draws, fit, rank_intervals, ranks, rating_intervals
from paragone.ratings.posterior_draws import gaussian_draws


def simulated(items, calls, rng):
    skill = 2 * rng.standard_normal(items)
    first = rng.integers(items, size=calls)
    second = (first + rng.integers(1, items, size=calls)) % items
    latent = skill[first] - skill[second] + 0.4 + rng.logistic(size=calls)
    score = np.where(np.abs(latent) < 0.35, 0.5, latent > 0)
    return skill - skill.mean(), Evidence.from_arrays(items, first, second, score)


class TestDraws:
    def test_gaussian_ones_have_the_fits_mean_and_covariance(self):
        _, evidence = simulated(12, 120, np.random.default_rng(0))
        found = fit(evidence)
        sample = gaussian_draws(found, 20_000, np.random.default_rng(1))
        assert sample.shape == (20_000, 12)
        assert sample.mean(axis=1) == pytest.approx(np.zeros(20_000), abs=1e-9)
        assert sample.mean(axis=0) == pytest.approx(found.strength, abs=0.03)
        assert np.cov(sample.T) == pytest.approx(found.covariance, abs=0.03)
        assert sample.std(axis=0) == pytest.approx(found.standard_error, rel=0.03)

    def test_the_generator_decides(self):
        _, evidence = simulated(12, 120, np.random.default_rng(0))
        found = fit(evidence)
        one, other, third = (draws(found, 5, np.random.default_rng(seed)) for seed in (7, 7, 8))
        assert (one == other).all()
        assert (one != third).any()

    @pytest.mark.parametrize("items", [1, 2, 5])
    def test_no_evidence_draws_from_the_prior(self, items):
        found = fit(Evidence.from_arrays(items, [], [], []), FitOptions(spread=1.5))
        sample = draws(found, 5000, np.random.default_rng(0))
        assert sample.std(axis=0) == pytest.approx(np.full(items, 1.5 * np.sqrt(1 - 1 / items)), rel=0.05, abs=1e-9)


class TestRatingIntervals:
    def test_they_reach_as_far_as_the_level_asks(self):
        _, evidence = simulated(12, 120, np.random.default_rng(0))
        found = fit(evidence)
        low, high = rating_intervals(found, 0.95)
        assert (low + high) / 2 == pytest.approx(found.strength)
        assert (high - low) / 2 == pytest.approx(1.959964 * found.standard_error)
        narrow, _ = rating_intervals(found, 0.5)
        assert (narrow > low).all()

    def test_they_agree_with_the_draws(self):
        _, evidence = simulated(12, 120, np.random.default_rng(0))
        found = fit(evidence)
        sample = gaussian_draws(found, 40_000, np.random.default_rng(1))
        low, high = rating_intervals(found, 0.9)
        assert np.quantile(sample, 0.05, axis=0) == pytest.approx(low, abs=0.05)
        assert np.quantile(sample, 0.95, axis=0) == pytest.approx(high, abs=0.05)


class TestRanks:
    def test_only_equal_strengths_share_a_rank(self):
        assert ranks(np.array([0.3, 1.0, 0.3, -2.0, 0.3 - 1e-6])).tolist() == [2, 1, 2, 5, 4]

    def test_rounding_does_not_part_equals(self):
        assert ranks(np.array([0.1 + 0.2, 0.3])).tolist() == [1, 1]

    def test_equal_records_share_a_rank(self):
        """The first two beat each other once, and the third once each."""
        found = fit(Evidence.from_arrays(3, [0, 1, 0, 1], [1, 0, 2, 2], [1, 1, 1, 1]))
        assert ranks(found.strength).tolist() == [1, 1, 3]

    @given(arrays(np.float64, array_shapes(max_dims=1, max_side=20), elements=st.integers(-5, 5).map(float)))
    def test_a_rank_is_one_more_than_the_number_of_betters(self, strength):
        assert ranks(strength).tolist() == [1 + int((strength > one).sum()) for one in strength]


class TestRankIntervals:
    def test_a_worked_example(self):
        """Of twenty draws, item 0 is once second and once third; at 80 % a tenth is cut from either end."""
        sample = np.tile([3.0, 2.0, 1.0], (20, 1))
        sample[0] = [2.5, 3.0, 1.0]
        sample[1] = [0.0, 3.0, 1.0]
        assert [end.tolist() for end in rank_intervals(sample, 0.8)] == [[1, 2, 3], [1, 2, 3]]
        assert [end.tolist() for end in rank_intervals(sample, 0.9)] == [[1, 1, 3], [2, 2, 3]]
        assert [end.tolist() for end in rank_intervals(sample, 0.99)] == [[1, 1, 2], [3, 2, 3]]

    def test_no_evidence_leaves_every_rank_open(self):
        found = fit(Evidence.from_arrays(10, [], [], []))
        best, worst = rank_intervals(draws(found, 1000, np.random.default_rng(0)), 0.95, ranks(found.strength))
        assert best.tolist() == [1] * 10
        assert worst.tolist() == [10] * 10

    def test_the_reported_rank_lies_within(self):
        sample = np.random.default_rng(0).standard_normal((200, 40))
        reported = np.full(40, 1)
        best, worst = rank_intervals(sample, 0.5, reported)
        assert (best == 1).all()
        assert (worst >= rank_intervals(sample, 0.5)[1]).all()

    def test_parts_without_a_bridge_overlap(self):
        """Within each part the order is plain; across them nothing is known."""
        pairs = [(i, j) for part in (0, 5) for i in range(part, part + 5) for j in range(part, part + 5) if i < j] * 6
        first, second = zip(*pairs, strict=True)
        upset = [0.0 if place % 7 == 0 else 1.0 for place in range(len(pairs))]
        found = fit(Evidence.from_arrays(10, first, second, upset), FitOptions(position=False))
        best, worst = rank_intervals(draws(found, 1000, np.random.default_rng(0)), 0.98)
        assert best[0] == best[5] == 1
        assert worst[0] >= 5
        assert worst[5] >= 5

    @given(st.integers(1, 30), st.integers(1, 12), st.floats(0.01, 0.99))
    def test_ends_are_in_order_and_in_range(self, count, items, level):
        best, worst = rank_intervals(np.random.default_rng(0).standard_normal((count, items)), level)
        assert ((best >= 1) & (best <= worst) & (worst <= items)).all()


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, float("nan")])
def test_a_level_out_of_range_is_refused(level):
    found = fit(Evidence.from_arrays(2, [], [], []))
    with pytest.raises(InvalidConfig, match="strictly between 0 and 1"):
        rating_intervals(found, level)
    with pytest.raises(InvalidConfig, match="strictly between 0 and 1"):
        rank_intervals(np.zeros((3, 2)), level)


def test_intervals_hold_the_truth(deep):
    """Sixty items, twelve seeds: 95 % intervals of ratings and the position term, at 5 and 10 calls; and of ranks, from
    draws, of all seeds with --deep, of four without, within the same bounds.
    """
    for calls, least in ((5, 0.90), (10, 0.91)):
        rating, rank, position = [], [], []
        for seed in range(12):
            rng = np.random.default_rng(seed)
            skill, evidence = simulated(60, calls * 60, rng)
            found = fit(evidence)
            low, high = rating_intervals(found)
            rating.append(((low <= skill) & (skill <= high)).mean())
            if deep or seed < 4:
                best, worst = rank_intervals(draws(found, 500, rng))
                rank.append(((best <= ranks(skill)) & (ranks(skill) <= worst)).mean())
            position.append(found.position[0])
        assert least <= np.mean(rating) <= 0.99
        assert 0.93 <= np.mean(rank) <= 0.995
        assert np.mean(position) == pytest.approx(0.4, abs=0.1)
