"""The standing of each agent: its strength, running Elo and record, over all debates or in one domain."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

import numpy as np

from paragone.agents.strengths import AgentStrength
from paragone.analysis.calibration import LEAST, CalibrationReport, calibrate, calibration_score
from paragone.domain import BoardRow, Rating
from paragone.domain.brier import brier, mean_brier
from paragone.ledger import AgentRecord, Ledger
from paragone.ratings.score_pairs import ScoreColumns
from paragone.wire.agent import AgentRow

FORM = 5
"""Debates in the form, newest last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentStanding:
    """The standing of one agent.

    Attributes:
        record: Its record in the ledger.
        rating: The running Elo with its counts: of the domain in a report on one, else the global one.
        strength: Its fitted strength; None if it has not debated.
        form: Results of its last debates, W, L or D each, newest last.
    """

    record: AgentRecord
    rating: Rating
    strength: AgentStrength | None
    form: str

    @property
    def agent(self) -> str:
        """Its name."""
        return self.rating.item

    @property
    def debates(self) -> int:
        """Debates that its strength is fitted to."""
        return 0 if self.strength is None else self.strength.matches


def standings(
    records: Iterable[AgentRecord], strengths: Iterable[AgentStrength], columns: ScoreColumns, domain: str
) -> tuple[AgentStanding, ...]:
    """All agents, strongest first; then those that have not debated, by Elo.

    Args:
        records: The agents.
        strengths: The strengths of those that have debated.
        columns: The debates, for the form.
        domain: The domain whose ratings count; empty for the global ones.
    """
    fitted, forms = {strength.agent: strength for strength in strengths}, form(columns)
    unordered = [
        AgentStanding(
            record=record,
            rating=rating_in(record, domain),
            strength=fitted.get(record.rating.item),
            form=forms.get(record.rating.item, ""),
        )
        for record in records
    ]
    return tuple(sorted(unordered, key=_place))


def _place(entry: AgentStanding) -> tuple[float, float, str]:
    rank = float("inf") if entry.strength is None else entry.strength.rank
    return rank, -entry.rating.elo, entry.agent


def rating_in(record: AgentRecord, domain: str) -> Rating:
    """The rating that counts; in a domain where nothing changed it, the global one without its record."""
    if not domain:
        return record.rating
    beside = Rating(item=record.rating.item, elo=record.rating.elo, track=domain)
    return next((track for track in record.tracks if track.track == domain), beside)


def form(columns: ScoreColumns) -> dict[str, str]:
    """The results of each agent's last debates: W for the single highest score, D if several have it, else L."""
    entries = zip(columns.match.tolist(), columns.agent.tolist(), columns.score.tolist(), strict=True)
    last: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=FORM))
    for _, debate in groupby(sorted(entries, key=itemgetter(0)), key=itemgetter(0)):
        scores = [(columns.agents[agent], score) for _, agent, score in debate]
        best = max(score for _, score in scores)
        shared = sum(score == best for _, score in scores) > 1
        for agent, score in scores:
            last[agent].append("D" if shared else "W" if score == best else "L")
    return {agent: "".join(letters) for agent, letters in last.items()}


def debates_by_domain(columns: ScoreColumns) -> dict[str, int]:
    """Debates by domain, the most first."""
    at, count = np.unique(columns.domain[np.unique(columns.match)], return_counts=True)
    counts = {
        columns.domains[index]: number for index, number in zip(at.tolist(), count.tolist(), strict=True) if index >= 0
    }
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def board_rows(standings: Sequence[AgentStanding]) -> list[BoardRow]:
    """The agents with a strength as rows of a board."""
    return [
        BoardRow(
            id=entry.agent,
            rank=strength.rank,
            rank_low=strength.rank_low,
            rank_high=strength.rank_high,
            rating=strength.strength,
            low=strength.low,
            high=strength.high,
            elo=entry.rating.elo,
            wins=entry.rating.wins,
            losses=entry.rating.losses,
            ties=entry.rating.ties,
            matches=strength.matches,
        )
        for entry in standings
        if (strength := entry.strength) is not None
    ]


def track_elos(records: Iterable[AgentRecord]) -> Mapping[str, dict[str, float]]:
    """Running Elo by domain and agent."""
    elos: dict[str, dict[str, float]] = defaultdict(dict)
    for record in records:
        for track in record.tracks:
            elos[track.track][track.item] = track.elo
    return elos


MOST_EXAMINED = 200
"""Agents whose calibration is examined, those with the most predictions; others are only counted."""


@dataclass(slots=True)
class PredictionTally:
    """The predictions of one agent with a known outcome.

    Attributes:
        confidence: Its stated confidence, prediction by prediction.
        correct: Whether it came true.
    """

    confidence: list[float] = field(default_factory=list)
    correct: list[bool] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.confidence)

    def add(self, confidence: float, correct: bool) -> None:
        """Add a prediction."""
        self.confidence.append(confidence)
        self.correct.append(correct)

    @property
    def right(self) -> int:
        """The number that came true."""
        return sum(self.correct)

    @property
    def brier(self) -> float:
        """Their mean Brier score; 1 if there are none."""
        return mean_brier(len(self), self.brier_sum)

    @property
    def score(self) -> float:
        """Aragora's calibration score; 0 below five predictions."""
        return calibration_score(len(self), self.brier_sum)

    @property
    def brier_sum(self) -> float:
        """The sum of their Brier scores."""
        return sum(brier(confidence, came) for confidence, came in zip(self.confidence, self.correct, strict=True))


def predictions_by_agent(ledger: Ledger, pool: str, domain: str) -> dict[str, PredictionTally]:
    """The predictions by agent: in one domain, or if that is empty all, also those of tournaments."""
    by_agent: dict[str, PredictionTally] = defaultdict(PredictionTally)
    for recorded in ledger.agents.domain_predictions(pool, domain=domain or None):
        by_agent[recorded.prediction.agent].add(recorded.prediction.confidence, recorded.prediction.correct)
    for resolved in () if domain else ledger.agents.predictions(pool):
        if resolved.correct is not None:
            by_agent[resolved.prediction.predictor].add(resolved.prediction.confidence, resolved.correct)
    return dict(by_agent)


def examined(predictions: Mapping[str, PredictionTally], chosen: Iterable[str]) -> dict[str, CalibrationReport]:
    """The calibration of the agents with the most predictions, and of the chosen ones, in this order."""
    most = sorted(predictions, key=lambda agent: (-len(predictions[agent]), agent))[:MOST_EXAMINED]
    agents = dict.fromkeys([*most, *(agent for agent in chosen if agent in predictions)])
    return {agent: calibrate(predictions[agent].confidence, predictions[agent].correct) for agent in agents}


def agent_row(entry: AgentStanding, predictions: int = 0, correct: int = 0, brier_sum: float = 0.0) -> AgentRow:
    """An agent as a row of a leaderboard by strength.

    Args:
        entry: The agent.
        predictions: Its predictions whose outcome is known.
        correct: Predictions that came true.
        brier_sum: The sum of their Brier scores.
    """
    strength, rating = entry.strength, entry.rating
    fitted = ("rank_shared", "rank_low", "rank_high", "strength", "low", "high")
    return AgentRow(
        agent=entry.agent,
        model=entry.record.model,
        rank=None if strength is None else strength.rank,
        elo=rating.elo,
        debates=rating.matches,
        wins=rating.wins,
        losses=rating.losses,
        ties=rating.ties,
        form=entry.form,
        predictions=predictions,
        correct=correct,
        brier=mean_brier(predictions, brier_sum) if predictions else None,
        score=calibration_score(predictions, brier_sum) if predictions >= LEAST else None,
        **({} if strength is None else {name: getattr(strength, name) for name in fitted}),
    )
