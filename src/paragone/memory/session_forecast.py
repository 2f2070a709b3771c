"""Predictions of the files that each session uses, by every model, before the model learns from the session.

All models read the states replayed from the logs, so none has a second formula. Each keeps columns, one place per
file. Scores are log-odds in nats up to a constant, as a softmax needs; ranks do not depend on it.
"""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from paragone.analysis.content.prequential import Ints, SessionScore, Surprise, ranked
from paragone.domain.content import ContentState, Renamed, Showing, TruthFound, UsageConfig, Use
from paragone.memory.log_replay import Gone, Initial, Present, SessionStart, TraceEvent, TraceReplay
from paragone.ratings.activation import LEAST_DAYS, SECONDS_A_DAY, UNUSED
from paragone.ratings.elo import NATS_PER_POINT

Floats = NDArray[np.float64]


class ForecastModel(Protocol):
    """Scores files by what it has seen so far."""

    def see(self, number: int, state: ContentState, time: float) -> None:
        """Take note of a new state of a file."""
        ...

    def scores(self, files: Ints, time: float) -> Floats:
        """Scores of some files, in nats, higher if more likely; shape (files,)."""
        ...


class UniformModel:
    """All files equally likely."""

    def see(self, number: int, state: ContentState, time: float) -> None:
        """Learns nothing."""

    def scores(self, files: Ints, time: float) -> Floats:  # noqa: ARG002
        return np.zeros(files.size)


class Recency:
    """The most recently used file is the most likely, as in an LRU cache; unused ones count from when they appeared."""

    def __init__(self, capacity: int) -> None:
        self._last = np.full(capacity, -np.inf)

    def see(self, number: int, state: ContentState, time: float) -> None:
        self._last[number] = time if state.last_use is None else state.last_use

    def scores(self, files: Ints, time: float) -> Floats:
        """Minus the logarithm of days since."""
        return -np.log(_days(time, self._last[files]))


class Frequency:
    """The most used file is the most likely."""

    def __init__(self, capacity: int) -> None:
        self._uses = np.zeros(capacity)

    def see(self, number: int, state: ContentState, time: float) -> None:  # noqa: ARG002
        self._uses[number] = state.uses

    def scores(self, files: Ints, time: float) -> Floats:  # noqa: ARG002
        """The logarithm of uses plus a half."""
        return np.log(self._uses[files] + 0.5)


class DecayedFrequency:
    """The sum of uses that decay as ``exp(-days / half_life)``, the specification's curve."""

    def __init__(self, capacity: int, config: UsageConfig) -> None:
        self._span = config.half_life * SECONDS_A_DAY
        self._sum = np.zeros(capacity)
        self._uses = np.zeros(capacity)
        self._time = np.zeros(capacity)

    def see(self, number: int, state: ContentState, time: float) -> None:
        """Add the uses since the last call."""
        more = state.uses - self._uses[number]
        self._sum[number] = self._sum[number] * self._kept(time - self._time[number]) + more
        self._uses[number], self._time[number] = state.uses, time

    def scores(self, files: Ints, time: float) -> Floats:
        """The logarithm of the sum, with a little more for files never used."""
        # Every term decays at the same rate, so the sum at its last use is all that must be kept.
        return np.log(self._sum[files] * np.exp(-np.maximum(time - self._time[files], 0.0) / self._span) + 1e-6)

    def _kept(self, seconds: float) -> float:
        return math.exp(-max(seconds, 0.0) / self._span)


class Elo:
    """The running rating, decayed since the last use, or as its last change left it."""

    def __init__(self, capacity: int, config: UsageConfig, *, decays: bool = True) -> None:
        self._config, self._decays = config, decays
        self._elo = np.zeros(capacity)
        self._last = np.full(capacity, np.inf)

    def see(self, number: int, state: ContentState, time: float) -> None:
        self._elo[number] = state.elo
        self._last[number] = time if state.last_use is None else state.last_use

    def scores(self, files: Ints, time: float) -> Floats:
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

    def see(self, number: int, state: ContentState, time: float) -> None:  # noqa: ARG002
        self._recent[number] = -np.inf
        if state.recent:
            self._recent[number, -len(state.recent) :] = state.recent
        self._older[number] = state.uses - len(state.recent)
        self._first[number] = -np.inf if state.first_use is None else state.first_use
        self._prior[number] = math.exp((state.initial - UNUSED) * NATS_PER_POINT)

    def scores(self, files: Ints, time: float) -> Floats:
        # B = ln(prior + sum over uses of t^-d): empty places of ``_recent`` are infinitely long ago and add 0.
        odds = (_days(time, self._recent[files]) ** -self._d).sum(axis=1)
        many = np.flatnonzero(self._older[files] > 0)
        odds[many] += self._tail(files[many], time)
        need: Floats = np.log(self._prior[files] + odds)
        return need

    def _tail(self, files: Ints, time: float) -> Floats:
        """The older uses, by the integral of their mean rate.

        ``n / (far - near) * integral of t^-d from near to far``, which is
        ``n * (far^(1-d) - near^(1-d)) / ((1-d) * (far - near))``. Source: A. A. Petrov, 2006, as in ``activation``.
        """
        near, far = _days(time, self._recent[files, 0]), _days(time, self._first[files])
        span = np.maximum(far - near, LEAST_DAYS)
        spread = (far ** (1.0 - self._d) - near ** (1.0 - self._d)) / ((1.0 - self._d) * span)
        tail: Floats = self._older[files] * np.where(far - near < LEAST_DAYS, far**-self._d, spread)
        return tail


def _days(time: float, since: Floats) -> Floats:
    days: Floats = np.maximum((time - since) / SECONDS_A_DAY, LEAST_DAYS)
    return days


NEED, ZERO_SUM, LITERAL = "need", "elo zero-sum", "elo literal"
LITERAL_KEPT = "elo literal, not decayed"
CHANCE = "chance"


@dataclass(kw_only=True)
class SessionForecasts:
    """Predictions of each session.

    Attributes:
        scores: By model, one per measured session.
        visits: These sessions.
        unmeasured: Sessions that used no known file or too many, or came too early.
        candidates: Number of files to predict among, per session.
    """

    scores: dict[str, list[SessionScore]] = field(default_factory=dict)
    visits: list[SessionStart] = field(default_factory=list)
    unmeasured: int = 0
    candidates: list[int] = field(default_factory=list)


def forecast(
    steps: Iterable[TraceEvent],
    config: UsageConfig,
    initial: Initial,
    *,
    first: int = 0,
    largest: int | None = None,
    left_out: Container[str] = (),
) -> SessionForecasts:
    """Predict each session, then learn from it.

    Args:
        steps: The history.
        config: Constants of the ratings.
        initial: The initial rating of a path.
        first: Do not measure sessions before this one.
        largest: Do not measure sessions that used more files.
        left_out: Ids of other sessions that are not measured.
    """
    history = list(steps)
    competition = _Competition(_most_files(history), config, initial)
    forecasts = SessionForecasts(scores={name: [] for name in competition.models})
    sessions = 0
    for step in history:
        if not isinstance(step, SessionStart):
            competition.learn(step)
            continue
        alive, used = competition.asked(step)
        too_large = largest is not None and len(step.used) > largest
        if sessions < first or not used.size or too_large or step.id in left_out:
            forecasts.unmeasured += 1
        else:
            forecasts.visits.append(step)
            forecasts.candidates.append(alive.size)
            for name, score in competition.scored(step.time, alive, used).items():
                forecasts.scores[name].append(score)
        sessions += 1
    return forecasts


def _most_files(steps: Sequence[TraceEvent]) -> int:
    """An upper bound on the number of files."""
    paths = {path for step in steps if isinstance(step, Present) for path in step.paths}
    back = sum(len(step.paths) for step in steps if isinstance(step, Gone))
    return len(paths) + back + sum(isinstance(step, Renamed) for step in steps) + 1


class _Competition:
    """The models, the replays that feed them, and the files that exist."""

    def __init__(self, capacity: int, config: UsageConfig, initial: Initial) -> None:
        zero_sum, literal = (replace(config, zero_sum=is_so) for is_so in (True, False))
        fed: Mapping[bool, dict[str, ForecastModel]] = {
            True: {
                CHANCE: UniformModel(),
                "recency": Recency(capacity),
                "frequency": Frequency(capacity),
                "decayed frequency": DecayedFrequency(capacity, config),
                ZERO_SUM: Elo(capacity, config),
                NEED: Need(capacity, config),
            },
            False: {LITERAL: Elo(capacity, config), LITERAL_KEPT: Elo(capacity, config, decays=False)},
        }
        self._fed = [
            (TraceReplay(zero_sum, initial), list(fed[True].values())),
            (TraceReplay(literal, initial), list(fed[False].values())),
        ]
        self.models = fed[True] | fed[False]
        self._surprises = {name: Surprise() for name in self.models}
        self._numbers: dict[str, int] = {}
        self._there = np.zeros(capacity, dtype=np.bool_)
        self._next = 0

    def asked(self, visit: SessionStart) -> tuple[Ints, Ints]:
        """Numbers of all files, and the places among them of those that the session used."""
        alive = np.flatnonzero(self._there)
        used = sorted(self._numbers[path] for path in visit.used if path in self._numbers)
        return alive, np.searchsorted(alive, used)

    def scored(self, time: float, alive: Ints, used: Ints) -> dict[str, SessionScore]:
        """How well each model predicted the session; their sharpness is updated."""
        session_scores = {}
        for name, model in self.models.items():
            scores = model.scores(alive, time)
            session_scores[name] = replace(ranked(scores, used), surprise=self._surprises[name].of(scores, used))
        return session_scores

    def learn(self, step: Present | Gone | Showing | Use | TruthFound | Renamed) -> None:
        match step:
            case Present():
                for path in step.paths:
                    if path not in self._numbers:
                        self._enter(path, step.time)
            case Gone():
                for path in step.paths:
                    self._leave(path)
            case Renamed():
                self._rename(step)
            case _:
                for replay, models in self._fed:
                    for path, state in replay.count(step).items():
                        self._show(models, path, state, step.time)

    def _enter(self, path: str, time: float) -> None:
        self._numbers[path] = self._next
        self._there[self._next] = True
        self._next += 1
        for replay, models in self._fed:
            self._show(models, path, replay.present(path), time)

    def _leave(self, path: str) -> None:
        number = self._numbers.pop(path, None)
        if number is not None:
            self._there[number] = False
        for replay, _ in self._fed:
            replay.gone(path)

    def _rename(self, step: Renamed) -> None:
        if step.old not in self._numbers:
            return
        replaced = self._numbers.pop(step.new, None)
        if replaced is not None:
            self._there[replaced] = False
        self._numbers[step.new] = self._numbers.pop(step.old)
        for replay, _ in self._fed:
            replay.count(step)

    def _show(self, models: Iterable[ForecastModel], path: str, state: ContentState, time: float) -> None:
        number = self._numbers.get(path)
        if number is not None:
            for model in models:
                model.see(number, state, time)
