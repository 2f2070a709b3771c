"""Forgetting: how a rating fades while nobody uses what it rates. Computed on read; it erodes nothing.

Source: document M, "Forgetting Curve"; H. Ebbinghaus, "Ueber das Gedaechtnis", 1885.
"""

import math

from paragone.domain.content import UsageConfig

SECONDS_A_DAY = 86_400.0


def retention(days: float, half_life: float) -> float:
    """The share in [0, 1] of a rating's height above the base that is left after some days; 1 for days below 0.

    ``half_life`` is the document's name for the time constant of ``exp(-days / half_life)``.
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
