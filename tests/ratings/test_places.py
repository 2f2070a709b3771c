"""What an item gains by its place in a list: found, taken out, and the same in every form of the model."""

import numpy as np
import pytest

from paragone.errors import InvalidVotes
from paragone.pairing.forecast import expected_tau
from paragone.ratings import FitOptions, draws, fit
from paragone.ratings.bradley_terry import model_of, pattern_of
from paragone.ratings.evidence import Evidence
from paragone.ratings.inference.chains import Density
from paragone.ratings.inference.optimum import Ascent
from paragone.ratings.inference.panel import slopes
from paragone.ratings.model.likelihood import Hyper


def listed(seed, items, lists, size, *, bias=(), pairs=0, places=True):
    """Lists of one size by Plackett and Luce, the item at each place gaining ``bias``; and pairs by another judge."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal(items)
    gained = np.zeros(size) if len(bias) == 0 else np.asarray(bias)
    orders, shown = [], []
    for _ in range(lists):
        group = rng.choice(items, size, replace=False)
        places_of = np.argsort(-(truth[group] + gained + rng.gumbel(size=size)))
        orders.append(group[places_of].tolist())
        shown.append(places_of.tolist())
    first, second = np.array([rng.choice(items, 2, replace=False) for _ in range(pairs)], dtype=int).reshape(-1, 2).T
    won = truth[first] - truth[second] + rng.logistic(size=pairs) > 0
    evidence = Evidence.from_arrays(
        items,
        first,
        second,
        won.astype(float),
        judges=("pairs", "lists"),
        rankings=orders,
        ranking_judge=[1] * lists,
        ranking_place=shown if places else None,
    )
    return truth, evidence


LEAN = np.linspace(0.6, -0.6, 6)
FIRST = np.array([1.0, -0.2, -0.2, -0.2, -0.2, -0.2])


class TestFound:
    @pytest.mark.parametrize("bias", [LEAN, FIRST])
    def test_the_gain_of_each_place_is_found_whatever_its_shape(self, bias):
        _, evidence = listed(1, 30, 200, 6, bias=bias)
        fitted = fit(evidence)
        place, error = fitted.place[1], fitted.place_se[1]
        assert np.isnan(fitted.place[0]).all()
        assert place.sum() == pytest.approx(0.0, abs=1e-6)
        assert np.abs(place - bias).max() < 0.3
        assert (np.abs(place - bias) < 3.5 * error).all()

    def test_where_there_is_none_little_is_found(self):
        _, evidence = listed(2, 30, 200, 6)
        fitted = fit(evidence)
        assert (np.abs(fitted.place[1]) < 3 * fitted.place_se[1]).all()

    def test_a_list_of_two_is_a_pair_with_its_position_term(self):
        """Half the position term is the first place's, and minus half the second's."""
        _, evidence = listed(3, 12, 4000, 2, bias=(0.4, -0.4))
        assert fit(evidence).place[1] == pytest.approx([0.4, -0.4], abs=0.06)

    def test_taking_it_out_leaves_the_order_as_good_as_without(self):
        def tau(bias, places):
            values = []
            for seed in range(6):
                truth, evidence = listed(seed, 40, 60, 6, bias=bias, places=places)
                values.append(expected_tau(fit(evidence).strength, truth[np.newaxis]))
            return np.mean(values)

        without, taken_out, ignored = tau((), True), tau(2 * LEAN, True), tau(2 * LEAN, False)
        assert taken_out > without - 0.03
        assert ignored < taken_out - 0.02


class TestForms:
    """One model, written several times."""

    def model(self):
        _, evidence = listed(4, 8, 12, 4, bias=(0.5, 0.1, -0.2, -0.4), pairs=30)
        model = model_of(evidence, FitOptions())
        slope = np.array([1.3, 1 / 1.3])
        return evidence, type(model).of(evidence, evidence.judges, slope)

    def hyper(self, model):
        return Hyper(spread=1.2, dispersion=np.ones(model.slope.size))

    def test_derivatives_are_those_by_differences(self):
        _, model = self.model()
        hyper, rng = self.hyper(model), np.random.default_rng(0)
        theta = rng.normal(size=model.dimension)
        at = model.derivatives(theta, hyper)
        steps = 1e-5 * np.eye(model.dimension)
        values = [model.derivatives(theta + s, hyper).value - model.derivatives(theta - s, hyper).value for s in steps]
        assert at.gradient == pytest.approx(np.array(values) / 2e-5, abs=1e-5)
        bends = [
            model.derivatives(theta + s, hyper).gradient - model.derivatives(theta - s, hyper).gradient for s in steps
        ]
        full = np.zeros((model.dimension + 1) ** 2)
        np.add.at(full, model.places, at.entries)
        curvature = full.reshape(model.dimension + 1, -1)[:-1, :-1]
        assert curvature == pytest.approx(-np.array(bends) / 2e-5, abs=1e-5)

    def test_chains_see_the_same_density(self):
        _, model = self.model()
        hyper, rng = self.hyper(model), np.random.default_rng(1)
        density = Density.of(model, hyper, FitOptions().spread_prior)
        points = rng.normal(size=(model.dimension, 3))
        value, slope, _ = density.at(points, np.full(3, np.log(1.2)))
        plain = [model.derivatives(points[:, at], hyper) for at in range(3)]
        assert slope == pytest.approx(np.array([each.gradient for each in plain]).T, abs=1e-9)
        assert np.diff(value) == pytest.approx(np.diff([each.value for each in plain]), abs=1e-9)

    def test_slopes_climb_to_where_the_evidence_is_highest(self):
        """What the step takes for the slope of the log evidence is that by differences."""
        evidence, model = self.model()
        fitted = fit(evidence)
        assert fitted.converged

        def height(log_slope):
            changed = model.of(evidence, evidence.judges, np.exp([log_slope, -log_slope]))
            ascent = Ascent(
                model=changed, pattern=pattern_of(changed, FitOptions()), theta=np.zeros(changed.dimension), steps=100,
                tolerance=1e-10,
            )  # fmt: skip
            hyper = Hyper(spread=fitted.prior_spread, dispersion=fitted.dispersion, panel=fitted.panel)
            optimum = ascent.to(hyper)
            prior = -2 * (log_slope / fitted.panel.slope) ** 2 / 2
            return optimum.log_evidence + prior, slopes(changed, hyper, optimum)

        best = float(np.log(fitted.slope[0]))
        assert height(best)[0] > height(best - 0.25)[0] - 0.02
        assert height(best)[0] > height(best + 0.25)[0] - 0.02

    def test_draws_are_around_the_fit(self):
        _, evidence = listed(5, 10, 60, 4, bias=(0.6, 0.0, -0.2, -0.4), pairs=20)
        fitted = fit(evidence)
        sample = draws(fitted, 2000, np.random.default_rng(0))
        assert sample.mean(axis=0) == pytest.approx(fitted.strength, abs=0.1)

    def test_without_places_nothing_is_estimated(self):
        _, evidence = listed(6, 10, 20, 4, places=False)
        fitted = fit(evidence)
        assert np.isnan(fitted.place).all()
        _, known = listed(6, 10, 20, 4)
        assert np.isnan(fit(known, FitOptions(position=False)).place).all()


def test_places_that_cannot_be_are_refused():
    given = {"rankings": [[0, 1, 2]], "judges": ("j",)}
    with pytest.raises(InvalidVotes, match="ranking 0 does not name each place once"):
        Evidence.from_arrays(3, [], [], [], **given, ranking_place=[[0, 1, 1]])
    with pytest.raises(InvalidVotes, match="has a place at which it was shown"):
        Evidence.from_arrays(3, [], [], [], **given, ranking_place=[[0, 1]])
