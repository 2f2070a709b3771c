"""Ratings of content by use: need, from base-level activation, and the decay of a rating without use.

Need says how likely content is to be used next, from how often and how recently it was used. Base-level activation
``B = ln(sum over uses of t^-d)``, with t in days and d = 0.6, is a log-odds and so has an Elo: 400 / ln 10 points a
nat. The initial rating is the odds before any use, so the need of unused content is its initial rating, and a use can
only raise it. The last uses are counted exactly, those before by the integral of their mean rate.

Decay is computed on read and changes no stored rating.

Sources: J. R. Anderson and L. J. Schooler, "Reflections of the Environment in Memory", 1991; A. A. Petrov,
"Computationally Efficient Approximation of the Base-Level Learning Equation in ACT-R", 2006; for decay, the memory
specification, "Forgetting Curve", and H. Ebbinghaus, "Ueber das Gedaechtnis", 1885.
"""

import math

from paragone.domain.content import ContentState, UsageConfig
from paragone.ratings.elo import NATS_PER_POINT

SECONDS_A_DAY = 86_400.0


def retention(days: float, half_life: float) -> float:
    """The share in [0, 1] of a rating's height above the base that is left after some days; 1 for days below 0.

    ``half_life`` is the specification's name for the time constant of ``exp(-days / half_life)``.
    """
    return math.exp(-max(days, 0.0) / half_life)


def true_half_life(half_life: float) -> float:
    """Days after which half of the height is gone: ``ln 2`` of the constant that the document calls half-life."""
    return half_life * math.log(2.0)


def decayed(elo: float, last_use: float | None, as_of: float, config: UsageConfig) -> float:
    """A rating as it shows at some time, in Elo points.

    It only ever lowers a rating, and approaches the base from above; a rating below the base stays where it is.

    Args:
        elo: The rating as the last move left it.
        last_use: When it was last used, in seconds since 1970; None leaves the rating as it is.
        as_of: The time of reading.
        config: Time constant and base.
    """
    if last_use is None or elo <= config.decay_base:
        return elo
    height = elo - config.decay_base
    return config.decay_base + height * retention((as_of - last_use) / SECONDS_A_DAY, config.half_life)


UNUSED = 1200.0
"""The rating of odds 1: a need of 1200 is that of one use a day ago and no expectation before it."""

LEAST_DAYS = 1.0 / 1440.0
"""A use less than a minute ago counts as a minute ago: the odds of one this instant would be infinite."""


def odds(state: ContentState, as_of: float, config: UsageConfig) -> float:
    """``sum of t^-d`` over all uses up to a time; 0 without any.

    Args:
        state: Uses and their times.
        as_of: Seconds since 1970.
        config: The exponent.
    """
    d = config.need_decay
    exact = sum(math.pow(_days(as_of, time), -d) for time in state.recent)
    older = state.uses - len(state.recent)
    if older <= 0 or state.first_use is None:
        return exact
    # Older uses are taken as even between the first use and the oldest one remembered: their sum of t^-d is the count
    # times the mean of t^-d, the integral over that time (Petrov).
    near, far = _days(as_of, state.recent[0]), _days(as_of, state.first_use)
    if far - near < LEAST_DAYS:
        return exact + older * math.pow(far, -d)
    return exact + older * (math.pow(far, 1.0 - d) - math.pow(near, 1.0 - d)) / ((1.0 - d) * (far - near))


def need(state: ContentState, as_of: float, config: UsageConfig) -> float:
    """Need on the Elo scale, in points."""
    prior = math.exp((state.initial - UNUSED) * NATS_PER_POINT)
    return UNUSED + math.log(prior + odds(state, as_of, config)) / NATS_PER_POINT


def _days(as_of: float, time: float) -> float:
    return max((as_of - time) / SECONDS_A_DAY, LEAST_DAYS)
