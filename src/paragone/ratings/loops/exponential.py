"""The C library's ``exp`` without calling it: the same bits in half the time, for compiled loops.

The call costs a loop more than all else that it does for a match. glibc and others compute ``exp`` by a dozen
operations that a loop can hold in itself. Whether this machine's library is one of them is not taken on trust: a loop
asks ``matches_library()`` once, and calls the library where the answer is no. So the numbers are always the library's::

    inline = matches_library()
    for ...:
        odds = exp(x) if inline and abs(x) < LIMIT else math.exp(x)

Source: S. Nagy, "exp" in Arm's optimized-routines, 2018, as in glibc since 2.28: with x = (n / 128) ln 2 + r the result
is 2 ** (n / 128), from a table, times a polynomial of degree 5 in r.
"""

import math
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from paragone.ratings.loops.compiled import Primitive, loop
from paragone.ratings.loops.processor import fma

LIMIT = 512.0
"""``exp`` is for arguments between minus and plus this."""

STEPS = 128
STEPS_PER_NAT = float.fromhex("0x1.71547652b82fep0") * STEPS
NATS_PER_STEP = -float.fromhex("0x1.62e42fefa0000p-8")  # the negative, its leading bits; the rest of it:
NATS_PER_STEP_REST = -float.fromhex("0x1.cf79abc9e3b39p-47")
ROUND = float.fromhex("0x1.8p52")  # added to a float, leaves its nearest integer in the low bits
C2 = float.fromhex("0x1.ffffffffffdbdp-2")
C3 = float.fromhex("0x1.555555555543cp-3")
C4 = float.fromhex("0x1.55555cf172b91p-5")
C5 = float.fromhex("0x1.1111167a4d017p-7")


HARD = [
    7199,
    26455,
    34881,
    54233,
    56433,
    83786,
    123306,
    346169,
    361500,
    411362,
    573679,
    692311,
    816072,
    817675,
    907426,
    918449,
    1012580,
    1267043,
    1430032,
    1440108,
    1495216,
    1568440,
    1688839,
    1828115,
    1933505,
    2062074,
    2117861,
    2268359,
    2285543,
    2357753,
    2389456,
    2400539,
    2438709,
    2448560,
    2497861,
    2540467,
    2544681,
    2579795,
    2630946,
    2659497,
    2903951,
    2993016,
    3068612,
    3096876,
    3114293,
    3247609,
    3390255,
    3429075,
    3593888,
    3634877,
    3680052,
    3683427,
    3746444,
    3794325,
    3808779,
    3846312,
    3898339,
    3925185,
    3959532,
    4080955,
    4086235,
    4122188,
    4134843,
    4187896,
]
"""Minus so many 2 ** -18 are the 64 arguments of four million whose exponentials lie nearest to half-way between two
floats, within 0.000007 of their distance: computed in any other order, or rounded once more, every second comes out
otherwise."""

HARD_ARGUMENTS = -np.array(HARD) / 2.0**18


def _powers() -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """2 ** (n / 128) for n in [0, 128): as bits, n's own share of the exponent taken off, and what rounding cost."""
    with localcontext() as context:
        context.prec = 50
        step = Decimal(2).ln() / STEPS
        exact = [(n * step).exp() for n in range(STEPS)]
        rest = [float(power / Decimal(float(power)) - 1) for power in exact]
    bits = np.array([float(power) for power in exact]).view(np.int64) - (np.arange(STEPS) << 45)
    return bits.astype(np.uint64), np.array(rest)


POWERS, RESTS = _powers()


@loop
def exp(x: float) -> float:
    """Euler's number to the power of x, for x within ``LIMIT``."""
    shifted = fma(STEPS_PER_NAT, x, ROUND)
    n = np.float64(shifted).view(np.uint64)
    whole = shifted - ROUND
    r = fma(whole, NATS_PER_STEP_REST, fma(whole, NATS_PER_STEP, x))
    place = n & np.uint64(STEPS - 1)
    power = np.uint64(POWERS[place] + (n << np.uint64(45))).view(np.float64)
    square = r * r
    sum = fma(square, fma(r, C3, C2), RESTS[place] + r)
    sum = fma(square * square, fma(r, C5, C4), sum)
    return float(fma(power, sum, power))


@loop
def _agrees() -> bool:
    for x in HARD_ARGUMENTS:  # noqa: SIM110 - numba has no all()
        if exp(x) != math.exp(x):
            return False
    return True


def _never() -> bool:
    return False


def _agrees_compiled() -> object:
    return _agrees.compiled


matches_library = Primitive(_never, _agrees_compiled)
"""``matches_library()``: whether ``exp`` gives the C library's numbers, asked of those that are the hardest to get.

Always false in plain Python, where ``math.exp`` is quicker.
"""
