"""Models that predict which files the next session uses: each model as columns, one place a file.

All of them read the standings that the replay of the logs gives, so that there is no second formula for any of them.
Scores are log-odds in nats up to a constant, which is what a softmax wants; ranks do not care.
"""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from paragone.domain.content import Standing, UsageConfig
from paragone.ratings.activation import LEAST_DAYS, SECONDS_A_DAY, UNUSED
from paragone.ratings.elo import NATS_PER_POINT

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


class Model(Protocol):
    """Scores files by what it has seen so far."""

    def see(self, number: int, standing: Standing, time: float) -> None:
        """A file stands elsewhere now, or is new."""
        ...

    def scores(self, files: Ints, time: float) -> Floats:
        """Of some files, in nats, the higher the likelier; shape (files,)."""
        ...


class Chance:
    """Any file as likely as any other."""

    def see(self, number: int, standing: Standing, time: float) -> None:
        """Learns nothing."""

    def scores(self, files: Ints, time: float) -> Floats:  # noqa: ARG002
        """All 0."""
        return np.zeros(files.size)


class Recency:
    """The last used is the likeliest: the order of an LRU cache."""

    def __init__(self, capacity: int) -> None:
        self._last = np.full(capacity, -np.inf)

    def see(self, number: int, standing: Standing, time: float) -> None:
        """Notes the last use; a file that was never used counts from when it was first seen."""
        self._last[number] = time if standing.last_use is None else standing.last_use

    def scores(self, files: Ints, time: float) -> Floats:
        """Minus the logarithm of days since."""
        return -np.log(_days(time, self._last[files]))


class Frequency:
    """The most used is the likeliest."""

    def __init__(self, capacity: int) -> None:
        self._uses = np.zeros(capacity)

    def see(self, number: int, standing: Standing, time: float) -> None:  # noqa: ARG002
        """Notes the number of uses."""
        self._uses[number] = standing.uses

    def scores(self, files: Ints, time: float) -> Floats:  # noqa: ARG002
        """The logarithm of uses, with half a use more."""
        return np.log(self._uses[files] + 0.5)


class DecayedFrequency:
    """Uses that fade as ``exp(-days / half_life)``, the document's curve, are summed."""

    def __init__(self, capacity: int, config: UsageConfig) -> None:
        self._span = config.half_life * SECONDS_A_DAY
        self._sum = np.zeros(capacity)
        self._uses = np.zeros(capacity)
        self._time = np.zeros(capacity)

    def see(self, number: int, standing: Standing, time: float) -> None:
        """Adds the uses since it was last seen."""
        more = standing.uses - self._uses[number]
        self._sum[number] = self._sum[number] * self._kept(time - self._time[number]) + more
        self._uses[number], self._time[number] = standing.uses, time

    def scores(self, files: Ints, time: float) -> Floats:
        """The logarithm of the sum, with a little more for those never used."""
        return np.log(self._sum[files] * np.exp(-np.maximum(time - self._time[files], 0.0) / self._span) + 1e-6)

    def _kept(self, seconds: float) -> float:
        return math.exp(-max(seconds, 0.0) / self._span)


class Elo:
    """The running rating, as it is shown: decayed since the last use, or as the last move left it."""

    def __init__(self, capacity: int, config: UsageConfig, *, decays: bool = True) -> None:
        self._config, self._decays = config, decays
        self._elo = np.zeros(capacity)
        self._last = np.full(capacity, np.inf)

    def see(self, number: int, standing: Standing, time: float) -> None:
        """Notes the rating."""
        self._elo[number] = standing.elo
        self._last[number] = time if standing.last_use is None else standing.last_use

    def scores(self, files: Ints, time: float) -> Floats:
        """The rating in nats."""
        elo = self._elo[files]
        if self._decays:
            retention = np.exp(-np.maximum(time - self._last[files], 0.0) / (self._config.half_life * SECONDS_A_DAY))
            height = elo - self._config.decay_base
            elo = np.where(height > 0.0, self._config.decay_base + height * retention, elo)
        return elo * NATS_PER_POINT


class Need:
    """Base-level activation by the times of uses: ``paragone.ratings.activation``, for many files at once."""

    def __init__(self, capacity: int, config: UsageConfig) -> None:
        self._d = config.need_decay
        self._recent = np.full((capacity, config.need_recent), -np.inf)
        self._older = np.zeros(capacity)
        self._first = np.full(capacity, -np.inf)
        self._prior = np.ones(capacity)

    def see(self, number: int, standing: Standing, time: float) -> None:  # noqa: ARG002
        """Notes the times of the last uses, and how many were before them."""
        self._recent[number] = -np.inf
        if standing.recent:
            self._recent[number, -len(standing.recent) :] = standing.recent
        self._older[number] = standing.uses - len(standing.recent)
        self._first[number] = -np.inf if standing.first_use is None else standing.first_use
        self._prior[number] = math.exp((standing.initial - UNUSED) * NATS_PER_POINT)

    def scores(self, files: Ints, time: float) -> Floats:
        """Need in nats."""
        odds = (_days(time, self._recent[files]) ** -self._d).sum(axis=1)
        many = np.flatnonzero(self._older[files] > 0)
        odds[many] += self._tail(files[many], time)
        need: Floats = np.log(self._prior[files] + odds)
        return need

    def _tail(self, files: Ints, time: float) -> Floats:
        """The uses before those remembered exactly, by the integral of their mean rate."""
        near, far = _days(time, self._recent[files, 0]), _days(time, self._first[files])
        span = np.maximum(far - near, LEAST_DAYS)
        spread = (far ** (1.0 - self._d) - near ** (1.0 - self._d)) / ((1.0 - self._d) * span)
        tail: Floats = self._older[files] * np.where(far - near < LEAST_DAYS, far**-self._d, spread)
        return tail


def _days(time: float, since: Floats) -> Floats:
    days: Floats = np.maximum((time - since) / SECONDS_A_DAY, LEAST_DAYS)
    return days
