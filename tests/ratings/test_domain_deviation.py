"""The summit of a function of two variables: found, described, and within bounds."""

import math

import numpy as np
import pytest

from paragone.ratings.inference.domain_deviation import find_maximum

FAR = (-8.0, -8.0), (8.0, 8.0)


def test_of_a_quadratic_it_is_exact():
    def height(x, y):
        return -((x - 1.2) ** 2 * 8 + (x - 1.2) * (y + 0.7) * 4 + (y + 0.7) ** 2 * 3) / 2

    top = find_maximum(height, (0.0, 0.0), *FAR)
    assert (top.x, top.y) == pytest.approx((1.2, -0.7), abs=1e-6)
    assert top.curvature == pytest.approx(np.array([[8, 2], [2, 3]]))
    assert top.ridge(0.3) == pytest.approx(1.2 - 0.25)
    assert top.error == pytest.approx([8**-0.5, (3 - 4 / 8) ** -0.5])


@pytest.mark.parametrize("sharp", [1, 10, 1000])
def test_of_a_density_it_is_within_a_tenth_of_a_standard_error(sharp):
    """The logarithm of a gamma variable beside a normal one: skewed, as the density of a deviation is."""
    calls = []

    def height(x, y):
        calls.append((x, y))
        return sharp * (y - math.exp(y) / 0.4 - 2 * (x - 0.3 - 0.2 * y) ** 2)

    top = find_maximum(height, (0.0, -1.2), *FAR)
    assert top.y == pytest.approx(math.log(0.4), abs=0.2 / math.sqrt(sharp))
    assert top.x == pytest.approx(0.3 + 0.2 * math.log(0.4), abs=0.1 / math.sqrt(sharp))
    assert top.error[1] == pytest.approx(1 / math.sqrt(sharp), rel=0.25)
    assert len(calls) == len(set(calls)) <= 20


def test_a_function_that_rises_for_ever_ends_at_the_bound():
    top = find_maximum(lambda x, y: 3 * y - (x - 1) ** 2, (0.0, 0.0), (-2.0, -2.0), (2.0, 1.5))
    assert (top.x, top.y) == pytest.approx((1.0, 1.5), abs=0.1)


def test_a_start_that_sees_a_hollow_climbs_out_of_it():
    """Where it starts the quadratic has no summit at all."""
    top = find_maximum(lambda x, y: -(x**2) + 4 * math.exp(-((y - 2) ** 2) / 2), (0.0, -1.0), *FAR)
    assert (top.x, top.y) == pytest.approx((0.0, 2.0), abs=0.1)


def test_one_variable_may_be_held():
    top = find_maximum(lambda x, y: -3 * (x - 0.8) ** 2 - y, (0.0, 0.0), (-2.0, 0.0), (2.0, 0.0))
    assert (top.x, top.y) == pytest.approx((0.8, 0.0), abs=1e-6)
    assert top.error[0] == pytest.approx(6**-0.5)
