"""The log posterior of many points against its twin that sees one at a time."""

import numpy as np
import pytest

from paragone.ratings import Evidence
from paragone.ratings.fit_types import SpreadPrior
from paragone.ratings.inference.chains import IMPOSSIBLE, Density, SlopeCoordinates
from paragone.ratings.model.curvature import DensePattern
from paragone.ratings.model.likelihood import Hyper, Model

PRIOR = SpreadPrior(center=2.0, width=0.6, most=6.0)


def everything(items=7):
    """Two judges of different slope, one of them soft, ties, weights and orderings of two lengths by either."""
    rng = np.random.default_rng(4)
    first = rng.integers(items, size=50)
    second = (first + rng.integers(1, items, size=50)) % items
    judge = np.arange(50) % 2
    score = np.where(judge == 0, rng.choice([0.0, 0.5, 1.0], size=50), rng.uniform(0.1, 0.9, size=50))
    weight = rng.choice([0.5, 1.0, 2.0], size=50)
    votes = {"judge": judge, "judges": ("a", "b"), "weight": weight, "rankings": [[3, 1, 2, 0], [5, 6]]}
    evidence = Evidence.from_arrays(items, first, second, score, **votes, ranking_judge=[0, 1])
    return Model.of(evidence, ("a", "b"), np.array([1.4, 1 / 1.4]))


@pytest.mark.parametrize("items", [7, 400])
def test_value_and_slope_are_those_of_the_twin(items):
    """Seven items are laid out in full, four hundred sparsely; the twin's prior lacks what depends on the spread."""
    model, dispersion = everything(items), np.array([1.0, 0.3])
    density = Density.of(model, Hyper(spread=1.0, dispersion=dispersion), PRIOR)
    rng = np.random.default_rng(0)
    theta, spread = rng.standard_normal((model.dimension, 4)), np.array([0.5, 1.0, 2.0, 5.0])
    value, slope, _ = density.at(theta, np.log(spread))
    off = [
        value[at] + ((np.log(spread[at] / 2.0) / 0.6) ** 2) / 2 - model.derivatives(theta[:, at], hyper).value
        for at, hyper in enumerate(Hyper(spread=one, dispersion=dispersion) for one in spread)
    ]
    assert off == pytest.approx(np.full(4, off[0]), abs=1e-9)
    for at, one in enumerate(spread):
        twin = model.derivatives(theta[:, at], Hyper(spread=one, dispersion=dispersion))
        assert slope[:, at] == pytest.approx(twin.gradient, abs=1e-10)


def test_beyond_its_bound_a_spread_is_impossible():
    density = Density.of(everything(), Hyper(spread=1.0, dispersion=np.ones(2)), PRIOR)
    value, _, _ = density.at(np.zeros((density.center.size, 2)), np.log([6.0, 6.001]))
    assert value[0] > -1e6
    assert value[1] < IMPOSSIBLE / 2


def test_slopes_in_the_charts_coordinates_are_those_of_small_steps():
    model, hyper = everything(), Hyper(spread=1.3, dispersion=np.array([1.0, 0.3]))
    density = Density.of(model, hyper, PRIOR)
    rng = np.random.default_rng(1)
    optimum = rng.standard_normal(model.dimension) / 2
    side = model.dimension + 1
    entries = model.derivatives(optimum, hyper).entries
    full = np.bincount(model.places, weights=entries, minlength=side**2).reshape(side, side)[:-1, :-1]
    chart = SlopeCoordinates.of(optimum, full, items=model.item_count, spread=hyper.spread, error=0.4)

    def value(coordinates):
        place = chart.place(coordinates)
        return density.at(place.theta, place.log_spread)[0] + place.log_volume

    coordinates = rng.standard_normal((side, 3))
    place = chart.place(coordinates)
    _, by_theta, by_log_spread = density.at(place.theta, place.log_spread)
    slope = chart.slope(place, by_theta, by_log_spread)
    for axis in range(side):
        step = np.zeros((side, 1))
        step[axis] = 1e-5
        numeric = (value(coordinates + step) - value(coordinates - step)) / 2e-5
        assert slope[axis] == pytest.approx(numeric, abs=1e-5)
    assert DensePattern(model.places, model.dimension).curvature(entries).covariance == pytest.approx(
        chart.axes @ chart.axes.T
    )
