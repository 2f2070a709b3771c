"""Near the optimum the log posterior is flat, and its last digits are noise: a step is judged by the gradient there."""

from types import SimpleNamespace

import numpy as np
import pytest

from paragone.ratings.inference.optimum import _climb

AT = SimpleNamespace(value=-0.1, gradient=np.array([7e-6]))


class Slope:
    """A posterior that has one value and one gradient everywhere but at 0."""

    def __init__(self, fall: float, gradient: float) -> None:
        self.asked = 0
        self._there = SimpleNamespace(value=AT.value - fall, gradient=np.array([gradient]))

    def derivatives(self, theta, hyper):
        self.asked += 1
        return self._there


@pytest.mark.parametrize(
    ("fall", "gradient", "taken"),
    [
        (0.0, 7e-6, True),  # it does not go down
        (1e-11, 1e-9, True),  # down by noise, and the gradient is lower
        (1e-11, 7e-6, False),  # the gradient is not
        (1e-9, 1e-9, False),  # down by more than noise
    ],
)
def test_a_full_step_that_goes_down_by_noise_is_good_if_it_lowers_the_gradient(fall, gradient, taken):
    model, start = Slope(fall, gradient), np.zeros(1)
    theta, at = _climb(model, None, start, AT, np.ones(1), noise=1e-10)
    assert theta.tolist() == [float(taken)]
    assert (at is not AT) is taken
    assert (model.asked == 1) is taken
