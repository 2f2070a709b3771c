"""Draws from the posterior itself: against quadrature, where the Gaussian fails, and whatever the evidence."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paragone.ratings import Evidence, FitOptions, draws, fit
from paragone.ratings.inference.chains import SlopeCoordinates, sample
from paragone.ratings.model.likelihood import Model
from paragone.ratings.posterior_draws import _posterior, gaussian_draws


def everyone_meets(items):
    """All ordered pairs, all answers consistent with one order: the lower number wins."""
    first, second = zip(*((i, j) for i in range(items) for j in range(items) if i != j), strict=True)
    return Evidence.from_arrays(items, first, second, np.less(first, second).astype(float))


def tau(sample):
    """Expected Kendall tau of the order 0, 1, 2, ... over the draws."""
    upper = np.triu_indices(sample.shape[1], 1)
    return np.mean([np.sign(one[:, None] - one)[upper].mean() for one in sample])


class TestAgainstQuadrature:
    """The posterior of two or three items on a grid: prior times likelihood, written out once more."""

    def gap(self, wins, losses, spread):
        """Values and probabilities of the difference of two items."""
        gap = np.linspace(-40, 40, 80_001)
        log = -(gap**2) / (4 * spread**2) - wins * np.logaddexp(0, -gap) - losses * np.logaddexp(0, gap)
        chance = np.exp(log - log.max())
        return gap, chance / chance.sum()

    @pytest.mark.parametrize(("wins", "losses"), [(1, 0), (2, 0), (6, 0), (6, 2)])
    def test_two_items_of_a_given_spread(self, wins, losses):
        score = [1.0] * wins + [0.0] * losses
        evidence = Evidence.from_arrays(2, [0] * len(score), [1] * len(score), score)
        found = fit(evidence, FitOptions(position=False, spread=3.0))
        sample = draws(found, 8000, np.random.default_rng(0))
        drawn = sample[:, 0] - sample[:, 1]
        gap, chance = self.gap(wins, losses, 3.0)
        assert (drawn > 0).mean() == pytest.approx(chance[gap > 0].sum(), abs=0.02)
        assert drawn.mean() == pytest.approx(gap @ chance, abs=0.15)
        for share in (0.05, 0.5, 0.95):
            exact = gap[np.searchsorted(np.cumsum(chance), share)]
            assert np.quantile(drawn, share) == pytest.approx(exact, abs=0.3)

    def test_three_items_and_the_spread(self):
        """A beats B twice and C once, B beats C twice; the log spread is a third dimension of the grid."""
        first, second = [0, 0, 0, 1, 1], [1, 1, 2, 2, 2]
        options = FitOptions(position=False)
        sample = draws(fit(Evidence.from_arrays(3, first, second, [1.0] * 5), options), 8000, np.random.default_rng(0))
        line = np.arange(-25, 30, 0.25) + 0.125  # zero lies between two points
        upper, lower = line[:, None], line[None, :]  # A - B and B - C
        likely = -2 * np.logaddexp(0, -upper) - 2 * np.logaddexp(0, -lower) - np.logaddexp(0, -upper - lower)
        square = (upper**2 + lower**2 + (upper + lower) ** 2) / 3  # of the strengths less their mean
        chance = np.zeros_like(likely)
        for log_spread in np.linspace(np.log(0.2), np.log(options.spread_most), 120):
            hyper = -(((log_spread - np.log(options.spread_center)) / options.spread_width) ** 2) / 2
            chance += np.exp(likely - square / 2 * np.exp(-2 * log_spread) - 2 * log_spread + hyper)
        chance /= chance.sum()
        in_order = chance[(line > 0)[:, None] & (line > 0)].sum()
        best = chance[(upper > 0) & (upper + lower > 0)].sum()
        assert (np.diff(sample) < 0).all(axis=1).mean() == pytest.approx(in_order, abs=0.025)
        assert (sample.argmax(axis=1) == 0).mean() == pytest.approx(best, abs=0.02)
        assert (sample[:, 0] - sample[:, 1]).mean() == pytest.approx((upper * chance).sum(), abs=0.2)
        assert (sample[:, 0] - sample[:, 1]).std() == pytest.approx(
            np.sqrt((upper**2 * chance).sum() - (upper * chance).sum() ** 2), rel=0.08
        )


class TestAJudgeThatNeverErrs:
    def test_the_best_is_known_where_the_gaussian_doubts(self):
        """Simulation of two wins out of two between neighbours gives about .95, a long chain .95 and a tau of .97."""
        found = fit(everyone_meets(12))
        sample, gaussian = (draw(found, 1000, np.random.default_rng(0)) for draw in (draws, gaussian_draws))
        assert 0.92 < (sample.argmax(axis=1) == 0).mean() < 0.98
        assert tau(sample) > 0.95
        assert (gaussian.argmax(axis=1) == 0).mean() < 0.9


class TestWhatTheDrawsAre:
    def evidence(self, order=None):
        rng = np.random.default_rng(3)
        first = rng.integers(10, size=80)
        second = (first + rng.integers(1, 10, size=80)) % 10
        score = rng.choice([0.0, 0.5, 1.0], size=80)
        order = np.arange(80) if order is None else order
        return Evidence.from_arrays(10, first[order], second[order], score[order], rankings=[[3, 1, 2], [5, 4]])

    def test_the_order_of_evidence_shows_only_in_rounding(self):
        mixed = np.random.default_rng(0).permutation(80)
        one, other = (draws(fit(self.evidence(order)), 300, np.random.default_rng(5)) for order in (None, mixed))
        assert one == pytest.approx(other, abs=1e-5)

    def test_where_evidence_is_plenty_they_are_the_gaussians(self):
        rng = np.random.default_rng(0)
        first = rng.integers(6, size=4000)
        second = (first + rng.integers(1, 6, size=4000)) % 6
        score = (rng.logistic(size=4000) + (second - first) / 5 > 0).astype(float)
        found = fit(Evidence.from_arrays(6, first, second, score))
        sample = draws(found, 4000, rng)
        assert sample.mean(axis=0) == pytest.approx(found.strength, abs=0.01)
        assert sample.std(axis=0) == pytest.approx(found.standard_error, rel=0.08)

    def test_widening_widens_them(self):
        plain, wide = (fit(self.evidence(), FitOptions(widening=factor)) for factor in (1.0, 2.0))
        near, far = (draws(found, 100, np.random.default_rng(0)) - found.strength for found in (plain, wide))
        assert far == pytest.approx(2 * near, abs=2e-6)

    def test_rankings_count_as_comparisons_where_they_order_two(self):
        pairs = [(0, 1), (1, 2), (0, 2), (2, 1), (3, 0)]
        options = FitOptions(position=False)
        ranked = fit(Evidence.from_arrays(4, [], [], [], rankings=pairs), options)
        compared = fit(Evidence.from_arrays(4, *zip(*pairs, strict=True), [1.0] * 5), options)
        one, other = (draws(found, 100, np.random.default_rng(0)) for found in (ranked, compared))
        assert one == pytest.approx(other, abs=1e-4)


@settings(max_examples=settings().max_examples // 2)
@given(
    items=st.integers(2, 7),
    votes=st.lists(st.tuples(st.integers(0, 6), st.integers(1, 6), st.sampled_from([0.0, 0.3, 0.5, 1.0])), max_size=8),
    rankings=st.lists(st.permutations(range(2)), max_size=1),
    count=st.integers(1, 300),
)
def test_any_evidence_gives_finite_centred_draws(items, votes, rankings, count):
    """None at all, parts without a bridge and a single comparison among it."""
    first = [a % items for a, _, _ in votes]
    second = [(a % items + 1 + b % (items - 1)) % items for a, b, _ in votes]
    found = fit(Evidence.from_arrays(items, first, second, [score for *_, score in votes], rankings=rankings))
    drawn = draws(found, count, np.random.default_rng(1))
    assert drawn.shape == (count, items)
    assert np.isfinite(drawn).all()
    assert drawn.mean(axis=1) == pytest.approx(np.zeros(count), abs=1e-7)


def test_axes_may_point_either_way_and_lie_anywhere_in_a_plane_of_equal_share():
    """LAPACK's kernels choose them differently: the draws are the same."""
    found = fit(Evidence.from_arrays(6, [0, 1, 2], [1, 2, 0], [1.0, 1.0, 0.5]))  # of 3, 4 and 5 nothing is known
    chart, density = _posterior(found, Model.of(found.evidence, found.judges))
    equal = np.flatnonzero(np.isclose(chart.share[:, 0], 1.0))
    assert equal.size > 1
    turn = np.diag((-1.0) ** np.arange(len(chart.axes)))
    turn[np.ix_(equal, equal)] = np.linalg.qr(np.random.default_rng(0).standard_normal((equal.size,) * 2))[0]
    other = replace(chart, axes=chart.axes @ turn, turn=turn.T @ chart.turn, moves=turn.T @ chart.moves)
    one, another = (sample(each, density, 50, np.random.default_rng(1)) for each in (chart, other))
    assert one == pytest.approx(another, abs=1e-8)


def test_a_spread_found_exactly_is_kept():
    """One tie among four: the search steps onto the root itself, and must not go on from there to minus infinity."""
    found = fit(Evidence.from_arrays(4, [0], [1], [0.5]))
    assert 0.5 < found.prior_spread < 2.0
    assert np.isfinite(draws(found, 10, np.random.default_rng(0))).all()


def test_a_proposal_however_far_out_is_finite_or_refused():
    chart = SlopeCoordinates.of(np.zeros(3), np.eye(3), items=2, spread=1.0, error=5.0)
    far = np.zeros((4, 3))
    far[0] = (-1e9, 0.0, 1e9)
    place = chart.place(far)
    assert np.isfinite(place.theta).all()
    assert np.isfinite(place.log_volume).all()


def test_draws_are_finite_where_nearly_nothing_is_known():
    evidence = Evidence.from_arrays(40, [0, 2, 4], [1, 3, 5], [1.0, 0.5, 1.0])
    for seed in range(5):
        assert np.isfinite(draws(fit(evidence), 100, np.random.default_rng(seed))).all()
