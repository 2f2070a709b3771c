"""Large fits by passes over pairs: against the plain model, on every shape of graph, with numba and without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import dia_array

from paragone.ratings import Evidence, FitOptions, fit, rating_intervals
from paragone.ratings.bradley_terry import _roots, model_of, pattern_of
from paragone.ratings.loops import compiled
from paragone.ratings.model.likelihood import Hyper, Model
from paragone.ratings.model.pair_curvature import DensePairPattern, PairPattern
from paragone.ratings.model.pair_model import FARTHEST, JudgedPairs, PairModel, suits

ITEMS = 60
LARGE = FitOptions(dense_limit=0)
HYPER = Hyper(spread=1.7, dispersion=np.ones(2))


@pytest.fixture(params=["compiled", "plain"])
def _form(request, monkeypatch):
    """Both forms; the compiled one only where there is numba."""
    if request.param == "plain":
        monkeypatch.setattr(compiled, "available", lambda: False)
    elif not compiled.available():
        pytest.skip("numba is not installed")
    monkeypatch.setattr(compiled, "PAYS_TO_FIT", 0)


def wide(rng, count):
    """Opponents from anywhere."""
    first = rng.integers(ITEMS, size=count)
    return first, (first + rng.integers(1, ITEMS, size=count)) % ITEMS


def near(rng, count):
    """Opponents at most three ranks away."""
    first = rng.integers(ITEMS - 3, size=count)
    return first, first + rng.integers(1, 4, size=count)


def chain(rng, count):
    """Everyone meets the next."""
    first = np.arange(count) % (ITEMS - 1)
    return first, first + 1


def parts(rng, count):
    """Three groups that never meet, and an item that nobody meets."""
    first = rng.integers(ITEMS - 1, size=count)
    second = rng.integers(ITEMS - 1, size=count) // 3 * 3 + first % 3
    second = np.where(second >= ITEMS - 1, first % 3, second)
    return first[first != second], second[first != second]


SHAPES = [wide, near, chain, parts]


def evidence(pairs=wide, count=900, seed=0, judges=1, **weights):
    """Verdicts with ties, both orders, repeated pairs, weights of zero and two."""
    rng = np.random.default_rng(seed)
    first, second = pairs(rng, count)
    turned = rng.random(first.size) < 0.5
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    skill = np.linspace(3, -3, ITEMS)[np.random.default_rng(7).permutation(ITEMS)]
    latent = skill[first] - skill[second] + 0.4 + rng.logistic(size=first.size)
    return Evidence.from_arrays(
        ITEMS,
        first,
        second,
        np.where(np.abs(latent) < 0.3, 0.5, latent > 0),
        weight=rng.choice([0.0, 1.0, 1.0, 2.0], size=first.size),
        judge=rng.integers(judges, size=first.size),
        judges=[f"judge {number}" for number in range(judges)],
    )


def both(votes):
    """The model in pairs and the plain one."""
    return PairModel.of_pairs(votes, votes.judges), Model.of(votes, votes.judges)


@pytest.mark.usefixtures("_form")
class TestTheModel:
    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("judges", [1, 2])
    def test_value_and_gradient_are_the_plain_models(self, shape, judges):
        pairs, plain = both(evidence(shape, judges=judges))
        theta = np.random.default_rng(1).standard_normal(plain.dimension)
        one, other = pairs.derivatives(theta, HYPER), plain.derivatives(theta, HYPER)
        assert one.value == pytest.approx(other.value, abs=1e-9)
        assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-9)
        assert one.gradient == pytest.approx(other.gradient, abs=1e-10)

    @pytest.mark.parametrize("far", [FARTHEST * 0.9, FARTHEST * 3])
    def test_so_they_are_where_products_of_odds_would_overflow(self, far):
        pairs, plain = both(evidence())
        theta = np.random.default_rng(1).uniform(-far, far, plain.dimension)
        theta[ITEMS:] = 0.4, -0.7
        one, other = pairs.derivatives(theta, HYPER), plain.derivatives(theta, HYPER)
        assert np.isfinite(one.value)
        assert one.value == pytest.approx(other.value, rel=1e-12)
        assert one.gradient == pytest.approx(other.gradient, rel=1e-9, abs=1e-9)

    def test_a_pair_is_counted_once_for_each_order_and_judge(self):
        votes = Evidence.from_arrays(
            3, [0, 0, 1, 0, 2], [1, 1, 0, 1, 1], [1, 0, 0.5, 1, 1], weight=[1, 2, 1, 4, 0], judge=[0, 0, 0, 1, 0],
            judges=("a", "b"),
        )  # fmt: skip
        pairs = JudgedPairs.of(votes)
        assert pairs.starts.tolist() == [0, 1, 2, 2, 3, 3, 3]
        assert pairs.second.tolist() == [1, 0, 1]
        assert pairs.weight.tolist() == [3.0, 1.0, 4.0]
        assert pairs.lead.tolist() == [1.5, -1.5, 0.0]
        assert pairs.judge_lead.tolist() == [-0.5, 2.0]
        assert pairs.judge_ties.tolist() == [1.0, 0.0]

    def test_few_items_and_many_give_the_same_pairs(self):
        """Below and above the number of comparisons at which a table is used."""
        few = evidence(count=ITEMS**2 + 500)
        wider = Evidence.from_arrays(2 * ITEMS, few.first, few.second, few.score, weight=few.weight)
        one, other = JudgedPairs.of(few), JudgedPairs.of(wider)

        def listed(pairs):
            return sorted(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.weight.tolist(), strict=True))

        assert listed(one) == listed(other)
        assert one.lead == pytest.approx(other.lead[:ITEMS])


@pytest.mark.usefixtures("_form")
class TestTheCurvature:
    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("slow", [False, True])
    def test_all_that_is_known_of_it_is_what_the_full_matrix_says(self, shape, slow, deep):
        """``slow`` is when the pairs are factored in a band, if they lie in one. Each shape has one judge in one of the
        two cases and two in the other; either in both with --deep.
        """
        for judges in (1, 2) if deep else (1 + (SHAPES.index(shape) + slow) % 2,):
            self.compare(evidence(shape, judges=judges), slow=slow)

    def compare(self, votes, *, slow):
        pairs, plain = both(votes)
        theta = np.random.default_rng(1).standard_normal(plain.dimension)
        there = theta + 0.05 * np.random.default_rng(2).standard_normal(plain.dimension)
        entries, plain_entries = pairs.derivatives(theta, HYPER).entries, plain.derivatives(theta, HYPER).entries
        change = pairs.derivatives(there, HYPER).entries - entries
        plain_change = plain.derivatives(there, HYPER).entries - plain_entries
        full = pattern_of(plain, FitOptions()).curvature(plain_entries)
        pattern = PairPattern(pairs)
        pattern.slow = slow
        sparse, dense = pattern.curvature(entries), DensePairPattern(pairs).curvature(entries)
        right = np.random.default_rng(3).standard_normal((plain.dimension, 4))
        for curvature in (sparse, dense):
            assert curvature.solve(right) == pytest.approx(full.solve(right), abs=1e-8)
            assert curvature.solve(right[:, 0]) == pytest.approx(full.solve(right[:, 0]), abs=1e-8)
            assert curvature.log_determinant() == pytest.approx(full.log_determinant(), abs=1.5)
            assert curvature.trace(change) == pytest.approx(full.trace(plain_change), abs=0.3)
        assert dense.covariance == pytest.approx(full.covariance, abs=1e-10)
        assert dense.trace(change) == pytest.approx(full.trace(plain_change), abs=1e-9)
        if slow and pattern.band is not None:
            assert sparse.log_determinant() == pytest.approx(full.log_determinant(), abs=1e-8)
        if slow and pattern.band is not None and compiled.available():
            assert sparse.variances() == pytest.approx(full.variances(), abs=1e-10)
            assert sparse.trace(change) == pytest.approx(full.trace(plain_change), abs=1e-9)

    def test_draws_have_its_inverse_for_covariance(self):
        """A correlation of 12,000 draws has a standard error of up to .009; the bound is more than four of them."""
        for shape, slow in ((wide, False), (chain, True)):
            pairs, plain = both(evidence(shape))
            theta = np.zeros(plain.dimension)
            full = pattern_of(plain, FitOptions()).curvature(plain.derivatives(theta, HYPER).entries)
            pattern = PairPattern(pairs)
            pattern.slow = slow
            curvature = pattern.curvature(pairs.derivatives(theta, HYPER).entries)
            drawn = curvature.samples(np.random.default_rng(0).standard_normal((plain.dimension, 12_000)))
            errors = np.sqrt(full.variances())
            assert drawn.std(axis=1) == pytest.approx(errors, rel=0.04)
            assert np.cov(drawn) / np.outer(errors, errors) == pytest.approx(
                full.covariance / np.outer(errors, errors), abs=0.04
            )


@pytest.mark.usefixtures("_form")
class TestTheFit:
    @pytest.mark.parametrize("shape", SHAPES)
    def test_under_a_given_spread_it_is_that_of_the_full_matrix(self, shape):
        votes = evidence(shape)
        dense, large = (fit(votes, FitOptions(spread=1.5, dense_limit=limit)) for limit in (1500, 0))
        assert large.covariance is None
        assert large.converged
        assert large.gradient_norm < 1e-7
        assert large.strength == pytest.approx(dense.strength, abs=2e-8)
        assert large.position == pytest.approx(dense.position, abs=2e-8)
        assert large.tie == pytest.approx(dense.tie, abs=2e-8)
        assert large.log_likelihood == pytest.approx(dense.log_likelihood, abs=1e-7)
        assert large.standard_error == pytest.approx(dense.standard_error, rel=0.2)
        assert (large.components, large.identified) == (dense.components, dense.identified)

    @pytest.mark.parametrize("shape", [wide, near])
    def test_the_spread_from_evidence_is_off_by_a_fraction_of_its_error(self, shape):
        votes = evidence(shape, count=3000)
        dense, large = fit(votes), fit(votes, LARGE)
        assert abs(np.log(large.prior_spread / dense.prior_spread)) < 0.1 * dense.log_spread_se
        assert large.log_spread_se == pytest.approx(dense.log_spread_se, rel=0.2)

    def test_several_judges_without_slopes(self):
        votes = evidence(judges=3)
        dense, large = (fit(votes, FitOptions(spread=1.5, slope=False, dense_limit=limit)) for limit in (1500, 0))
        assert large.strength == pytest.approx(dense.strength, abs=2e-8)
        assert large.position == pytest.approx(dense.position, abs=2e-8)

    def test_a_winless_item_is_last_and_finite(self):
        votes = evidence()
        score = np.where(votes.first == 4, 0.0, np.where(votes.second == 4, 1.0, votes.score))
        found = fit(Evidence.from_arrays(ITEMS, votes.first, votes.second, score), LARGE)
        assert found.strength.argmin() == 4
        assert np.isfinite(found.standard_error).all()
        assert found.identified

    def test_complete_separation_is_finite_and_flagged(self):
        first, second = near(np.random.default_rng(0), 2000)
        turned = np.random.default_rng(1).random(2000) < 0.5
        first, second = np.where(turned, second, first), np.where(turned, first, second)
        votes = Evidence.from_arrays(ITEMS, first, second, (first < second) * 1.0)
        dense, large = fit(votes), fit(votes, LARGE)
        assert large.converged
        assert large.prior_spread == pytest.approx(6.0), "the bound"
        assert np.isfinite(large.standard_error).all()
        assert large.strength == pytest.approx(dense.strength, abs=1e-6)
        assert not large.identified

    def test_a_part_apart_is_flagged_and_its_interval_wide(self):
        found = fit(evidence(parts), LARGE)
        low, high = rating_intervals(found)
        assert found.components == 4
        assert not found.identified
        assert (high - low).argmax() == ITEMS - 1, "the one whom nobody met"

    def test_no_evidence_at_all_gives_the_prior_back(self):
        found = fit(Evidence.from_arrays(5, [], [], []), LARGE)
        assert found.strength.tolist() == [0.0] * 5
        assert found.prior_spread == pytest.approx(1.5, rel=1e-4)
        assert found.standard_error == pytest.approx(np.full(5, 1.5 * np.sqrt(4 / 5)), rel=1e-3)

    def test_nobody_was_asked(self):
        found = fit(Evidence.from_arrays(5, [], [], [], judges=()), LARGE)
        assert found.position.size == 0

    def test_the_same_evidence_gives_the_same_numbers(self):
        one, other = fit(evidence(), LARGE), fit(evidence(), LARGE)
        assert one.strength.tolist() == other.strength.tolist()
        assert one.standard_error.tolist() == other.standard_error.tolist()

    def test_from_an_earlier_fit_it_is_the_same(self):
        votes = evidence(count=2000)
        before = fit(evidence(count=1800), LARGE)
        cold, warm = fit(votes, LARGE), fit(votes, LARGE, start=before)
        assert warm.strength == pytest.approx(cold.strength, abs=1e-5)


class TestWhenItIsUsed:
    def test_hard_verdicts_of_one_judge(self):
        assert suits(evidence(), slope=True)
        assert isinstance(model_of(evidence(), LARGE), PairModel)
        assert not isinstance(model_of(evidence(), FitOptions()), PairModel), "few verdicts of few items"

    def test_several_judges_only_without_slopes(self):
        assert suits(evidence(judges=2), slope=False)
        assert not suits(evidence(judges=2), slope=True)

    def test_not_with_soft_verdicts_and_orderings(self):
        assert not suits(Evidence.from_arrays(3, [0], [1], [0.7]), slope=False)
        assert not suits(Evidence.from_arrays(3, [0], [1], [1.0], rankings=[[0, 1, 2]]), slope=False)


@pytest.mark.usefixtures("_form")
@pytest.mark.parametrize("spread", [10.0, 100.0])
@pytest.mark.parametrize("pairs", SHAPES)
def test_under_a_wide_prior_the_climb_begins_where_the_strengths_may_be(pairs, spread):
    """From strengths as wide as the prior it took 10 to 40 steps, each with many halvings.

    The gradient is less than 1e-10 of a weight of some 200; a wide prior holds a strength by a curvature of 1e-4.
    """
    said = evidence(pairs, count=3000)
    plain = fit(said, FitOptions(spread=spread))
    large = fit(said, FitOptions(spread=spread, dense_limit=0))
    assert large.strength == pytest.approx(plain.strength, abs=1e-10 * 200 / 1e-4)
    assert large.iterations <= (13 if pairs is chain else 9)  # along a chain strengths are as wide as 20 nats


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("judges", [1, 2])
def test_a_matrix_between_items_is_that_of_subtracting_sparse_ones(shape, judges):
    pairs = JudgedPairs.of(evidence(shape, judges=judges))
    rng = np.random.default_rng(7)
    own, between = rng.standard_normal(pairs.items), rng.random(pairs.second.size)
    upper = pairs.matrix(between)
    plain = (dia_array((own[None], [0]), shape=upper.shape) - upper - upper.T).tocsr()
    for _ in range(2):  # the second time by what was laid out before
        matrix = pairs.layout.matrix(own, between)
        assert matrix.toarray().tobytes() == (plain.toarray() + 0.0).tobytes()
        block = rng.standard_normal((pairs.items, 3))
        assert ((matrix @ block).tobytes(), (matrix @ block[:, 0]).tobytes()) == (
            (plain @ block).tobytes(),
            (plain @ block[:, 0]).tobytes(),
        )


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_parts_are_those_of_uniting_tie_by_tie(graph):
    items, ties = graph
    plain = list(range(items))
    for a, b in ties:
        joined = {plain[a], plain[b]}
        plain = [min(joined) if label in joined else label for label in plain]
    ends = np.array(ties, dtype=np.int64).reshape(-1, 2).T
    assert _roots(items, *ends).tolist() == plain


def test_a_part_may_hang_together_by_a_tie_far_behind():
    ties = [(0, 1)] * 50 + [(2, 3), (1, 2)] + [(4, 5)] * 50
    assert _roots(6, *np.array(ties).T).tolist() == [0, 0, 0, 0, 4, 4]
