"""Every model foretells every session of a trace, before it learns what the session used."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from paragone.analysis.content.prequential import Ints, SessionScore, Surprise, ranked
from paragone.domain.content import Renamed, Showing, Standing, TruthFound, UsageConfig, Use
from paragone.memory.learning.models import Chance, DecayedFrequency, Elo, Frequency, Model, Need, Recency
from paragone.memory.learning.trace import Gone, Initial, Present, Replay, Step, Visit

NEED, ZERO_SUM, LITERAL = "need", "elo zero-sum", "elo literal"
LITERAL_KEPT = "elo literal, not decayed"
CHANCE = "chance"


@dataclass(kw_only=True)
class Forecasts:
    """How each session was foretold.

    Attributes:
        scores: By model, one a session that was measured.
        visits: Those sessions.
        unmeasured: Sessions that used nothing known before, that used too much, or that came too early.
        candidates: How many files each session was foretold among.
    """

    scores: dict[str, list[SessionScore]] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)
    unmeasured: int = 0
    candidates: list[int] = field(default_factory=list)


def forecast(
    steps: Iterable[Step],
    config: UsageConfig,
    initial: Initial,
    *,
    first: int = 0,
    largest: int | None = None,
    left_out: Container[str] = (),
) -> Forecasts:
    """Scores first, learns afterwards.

    Args:
        steps: What happened.
        config: Constants of the ratings.
        initial: Of a path.
        first: Sessions before this one are learned from and not measured.
        largest: Sessions that used more files than this are learned from and not measured.
        left_out: Ids of other sessions that are learned from and not measured.
    """
    history = list(steps)
    competition = _Competition(_most_files(history), config, initial)
    forecasts = Forecasts(scores={name: [] for name in competition.models})
    sessions = 0
    for step in history:
        if not isinstance(step, Visit):
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


def _most_files(steps: Sequence[Step]) -> int:
    """At least as many places as there will be files."""
    paths = {path for step in steps if isinstance(step, Present) for path in step.paths}
    back = sum(len(step.paths) for step in steps if isinstance(step, Gone))
    return len(paths) + back + sum(isinstance(step, Renamed) for step in steps) + 1


class _Competition:
    """The models, the replays that feed them, and which files are there."""

    def __init__(self, capacity: int, config: UsageConfig, initial: Initial) -> None:
        zero_sum, literal = (replace(config, zero_sum=is_so) for is_so in (True, False))
        fed: Mapping[bool, dict[str, Model]] = {
            True: {
                CHANCE: Chance(),
                "recency": Recency(capacity),
                "frequency": Frequency(capacity),
                "decayed frequency": DecayedFrequency(capacity, config),
                ZERO_SUM: Elo(capacity, config),
                NEED: Need(capacity, config),
            },
            False: {LITERAL: Elo(capacity, config), LITERAL_KEPT: Elo(capacity, config, decays=False)},
        }
        self._fed = [
            (Replay(zero_sum, initial), list(fed[True].values())),
            (Replay(literal, initial), list(fed[False].values())),
        ]
        self.models = fed[True] | fed[False]
        self._surprises = {name: Surprise() for name in self.models}
        self._numbers: dict[str, int] = {}
        self._there = np.zeros(capacity, dtype=np.bool_)
        self._next = 0

    def asked(self, visit: Visit) -> tuple[Ints, Ints]:
        """Numbers of all files that are there, and places among them of those that the session used."""
        alive = np.flatnonzero(self._there)
        used = sorted(self._numbers[path] for path in visit.used if path in self._numbers)
        return alive, np.searchsorted(alive, used)

    def scored(self, time: float, alive: Ints, used: Ints) -> dict[str, SessionScore]:
        """How well each model foretold the session; their sharpness learns from it."""
        session_scores = {}
        for name, model in self.models.items():
            scores = model.scores(alive, time)
            session_scores[name] = replace(ranked(scores, used), surprise=self._surprises[name].of(scores, used))
        return session_scores

    def learn(self, step: Present | Gone | Showing | Use | TruthFound | Renamed) -> None:
        """What happened next."""
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
                    for path, standing in replay.count(step).items():
                        self._show(models, path, standing, step.time)

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

    def _show(self, models: Iterable[Model], path: str, standing: Standing, time: float) -> None:
        number = self._numbers.get(path)
        if number is not None:
            for model in models:
                model.see(number, standing, time)
