"""Need: how likely content is to be used next, by how often and how recently it was used.

Base-level activation ``B = ln(sum over uses of t^-d)``, with t in days and d = 0.5, is a log-odds and so has an Elo:
400 / ln 10 points a nat. The initial rating is the odds before any use, so that ``need`` of what nobody has used is its
initial rating, and a use can only raise it.

The last uses are counted exactly; those before by the integral of their mean rate.

Sources: J. R. Anderson and L. J. Schooler, "Reflections of the Environment in Memory", 1991; A. A. Petrov,
"Computationally Efficient Approximation of the Base-Level Learning Equation in ACT-R", 2006.
"""

import math

from paragone.domain.content import Standing, UsageConfig
from paragone.ratings.decay import SECONDS_A_DAY
from paragone.ratings.elo import NATS_PER_POINT

UNUSED = 1200.0
"""The rating of odds 1: a need of 1200 is that of one use a day ago and no expectation before it."""

LEAST_DAYS = 1.0 / 1440.0
"""A use less than a minute ago counts as a minute ago: the odds of one this instant would be infinite."""


def odds(standing: Standing, as_of: float, config: UsageConfig) -> float:
    """``sum of t^-d`` over all uses up to a time; 0 without any.

    Args:
        standing: Uses and their times.
        as_of: Seconds since 1970.
        config: The exponent.
    """
    d = config.need_decay
    exact = sum(math.pow(_days(as_of, time), -d) for time in standing.recent)
    older = standing.uses - len(standing.recent)
    if older <= 0 or standing.first_use is None:
        return exact
    near, far = _days(as_of, standing.recent[0]), _days(as_of, standing.first_use)
    if far - near < LEAST_DAYS:
        return exact + older * math.pow(far, -d)
    return exact + older * (math.pow(far, 1.0 - d) - math.pow(near, 1.0 - d)) / ((1.0 - d) * (far - near))


def need(standing: Standing, as_of: float, config: UsageConfig) -> float:
    """Need on the Elo scale, in points."""
    prior = math.exp((standing.initial - UNUSED) * NATS_PER_POINT)
    return UNUSED + math.log(prior + odds(standing, as_of, config)) / NATS_PER_POINT


def _days(as_of: float, time: float) -> float:
    return max((as_of - time) / SECONDS_A_DAY, LEAST_DAYS)
