"""The Elo scale: strengths are in nats inside and in Elo points where they are shown."""

import math
from typing import overload

import numpy as np
from numpy.typing import NDArray

ELO_PER_NAT = 400.0 / math.log(10.0)
"""Elo points in one nat (natural log-odds): 173.7178."""


@overload
def to_elo(strength: float, *, initial: float = ...) -> float: ...
@overload
def to_elo(strength: NDArray[np.float64], *, initial: float = ...) -> NDArray[np.float64]: ...
def to_elo(strength: float | NDArray[np.float64], *, initial: float = 1200.0) -> float | NDArray[np.float64]:
    """Strengths on the Elo scale.

    Args:
        strength: Strengths in nats, centred on 0; a number or an array of any shape.
        initial: The rating of strength 0, in Elo points.

    Returns:
        Ratings in Elo points, in the shape of ``strength``.
    """
    return initial + ELO_PER_NAT * strength
