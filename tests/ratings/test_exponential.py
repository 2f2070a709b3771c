"""The inlined exponential: the C library's bits where it says so, and the library itself where not."""

import math
from decimal import Decimal, localcontext
from types import FunctionType

import numpy as np
import pytest

from paragone.ratings.loops import compiled as seam
from paragone.ratings.loops import exponential
from paragone.ratings.loops.compiled import loop
from paragone.ratings.loops.exponential import LIMIT, exp, matches_library

needs_numba = pytest.mark.skipif(not seam.available(), reason="numba is not installed")


@loop
def differing(values):
    """How many have another exponential than the library's, and by how many units in the last place at most."""
    count, most = 0, 0
    for at in range(len(values)):
        found, expected = exp(values[at]), math.exp(values[at])
        if found != expected:
            count += 1
            most = max(most, abs(np.float64(found).view(np.int64) - np.float64(expected).view(np.int64)))
    return count, most


@needs_numba
@pytest.mark.parametrize("spread", [1e-12, 1e-3, 1.0, 20.0, 200.0])
def test_it_is_the_library_s_to_the_last_bit_where_it_says_so(spread):
    rng = np.random.default_rng(7)
    values = np.clip(rng.standard_normal(400_000) * spread, -LIMIT + 1e-9, LIMIT - 1e-9)
    count, most = differing.compiled(values)
    says_so = loop(exponential.matches_library.compiled.py_func).compiled()
    assert count == 0 if says_so else most <= 1


@needs_numba
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0, math.log(2) / 256, -math.log(2) / 256, 5e-324, 511.99, -511.99])
def test_no_corner_is_off_by_more_than_the_last_place(x):
    count, most = differing.compiled(np.array([x]))
    assert most <= 1
    assert count <= 1


def test_plain_python_always_asks_the_library():
    assert matches_library() is False


def test_unfused_it_is_still_an_exponential():
    with np.errstate(over="ignore"):  # the integers wrap around, as they are meant to
        found = [exp(x) for x in (-300.5, -1.0, 0.0, 0.3, 20.0)]
    assert found == pytest.approx([math.exp(x) for x in (-300.5, -1.0, 0.0, 0.3, 20.0)], rel=1e-14)


def altered(loop_, **names):
    """A loop with other things behind the names that it uses."""
    found = FunctionType(loop_.plain.__code__, vars(exponential) | names, loop_.plain.__name__)
    found.__module__ = exponential.__name__
    return loop(found)


@loop
def unfused(x, y, z):
    return x * y + z


@needs_numba
@pytest.mark.parametrize("change", [{"fma": unfused}, {"C5": exponential.C5 * 1.001}, {"C2": exponential.C2 + 1e-13}])
def test_a_library_that_computes_otherwise_is_found_out(change):
    """An algorithm with an operation or a constant that is another one: it differs in one of a thousand and less."""
    assert altered(exponential._agrees, exp=altered(exp, **change)).compiled() is False


def test_the_hardest_arguments_are_hard():
    for n, x in zip(exponential.HARD, exponential.HARD_ARGUMENTS.tolist(), strict=True):
        with localcontext() as context:
            context.prec = 60
            exact = (Decimal(-n) / 2**18).exp()
            nearest = float(exact)
            off = abs(exact - Decimal(nearest)) / Decimal(math.ulp(nearest))
        assert x == -n / 2**18
        assert abs(off - Decimal("0.5")) < 7e-6
