"""Debates, predictions and tests of agents as a server tells of them; the fields are those of its answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """How a debate went for one who took part.

    Attributes:
        agent: Who.
        score: What it scored.
        change: Elo points by which the debate moved its global rating.
        domain_change: Elo points by which it moved that of the domain; None where the debate was of none.
    """

    agent: str
    score: float
    change: float
    domain_change: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Debate:
    """A debate.

    Attributes:
        id: Its id.
        sequence: Its place among all rows of the pool.
        at: When it was recorded.
        domain: What it was about; empty for no domain.
        task: The same in words; empty where nobody said.
        entries: Those who took part, in the order in which they were named.
        winner: Who had the highest score alone; None for a draw.
        confidence: What K was multiplied by.
        outcome: How scores became points: ``ratio``, ``win`` or ``margin``.
        normalize: How points against several opponents added up: ``sum`` or ``n-1``.
        rolled_back: Whether it was voided.
    """

    id: str
    sequence: int
    at: datetime
    domain: str
    task: str
    entries: list[Entry]
    winner: str | None
    confidence: float
    outcome: str
    normalize: str
    rolled_back: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class DebatePage:
    """Debates, the newest first.

    Attributes:
        debates: The debates.
        next: Cursor of the next page; None on the last.
    """

    debates: list[Debate]
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """A number with its interval.

    Attributes:
        value: The number.
        low: Lower end.
        high: Upper end.
    """

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Chance:
    """What would be measured by chance, if every confidence were right.

    Attributes:
        expected: Its mean.
        high: What it hardly exceeds.
        p_value: How often chance brings as much as was measured, or more.
    """

    expected: float
    high: float
    p_value: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Bucket:
    """Predictions of about one confidence.

    Attributes:
        start: Lowest confidence.
        end: Where the next bucket begins.
        predictions: How many.
        correct: Those that came true.
        accuracy: Share that came true.
        low: Lower end of its interval.
        high: Upper end.
        chance_low: Lower end of what perfect calibration would show.
        chance_high: Upper end.
        confidence: Mean of what was said.
        brier: Mean Brier score.
    """

    start: float
    end: float
    predictions: int
    correct: int
    accuracy: float
    low: float
    high: float
    chance_low: float
    chance_high: float
    confidence: float
    brier: float


@dataclass(frozen=True, kw_only=True, slots=True)
class DomainCalibration:
    """Predictions within a domain, in numbers.

    Attributes:
        domain: The domain.
        predictions: How many.
        correct: Those that came true.
        brier: Mean Brier score.
        score: The calibration score; None below five predictions.
    """

    domain: str
    predictions: int
    correct: int
    brier: float
    score: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """All that is to be said of an agent's calibration.

    Attributes:
        agent: Its name.
        domain: Over its predictions in this domain; over all where empty, those of tournaments too.
        predictions: Predictions whose outcome is known.
        correct: Those that came true.
        accuracy: Share of these; 0 without any.
        confidence: Mean of what was said.
        unresolved: Predictions of tournaments whose winner is not known yet.
        finding: ``too_few``, ``overconfident``, ``underconfident``, ``miscalibrated`` or ``calibrated``.
        verdict: The same in words, with the number that it rests on.
        score: The calibration score of document A, from 0 to 1.
        brier: Mean Brier score, from 0, perfect, to 1.
        bias: Mean confidence less accuracy.
        temperature: What the log-odds are to be divided by.
        ece: Expected calibration error, against the mean of what was said in each bucket.
        ece_by_midpoints: The same against the middles of the buckets, which is the form of document A.
        ece_by_chance: What the first would be by chance.
        ece_by_midpoints_by_chance: What the second would be by chance.
        miscalibration: What better chosen confidences would take off the Brier score (CORP).
        discrimination: What the agent knows.
        uncertainty: What nobody can help.
        buckets: The reliability curve, by tenths of confidence.
        domains: By domain, that with the most predictions first.
        level: Probability that intervals are meant to hold.
    """

    agent: str
    domain: str
    predictions: int
    correct: int
    accuracy: float
    confidence: float
    unresolved: int
    finding: str
    verdict: str
    score: Measure
    brier: Measure
    bias: Measure
    temperature: Measure
    ece: Measure
    ece_by_midpoints: Measure
    ece_by_chance: Chance
    ece_by_midpoints_by_chance: Chance
    miscalibration: float
    discrimination: float
    uncertainty: float
    buckets: list[Bucket]
    domains: list[DomainCalibration]
    level: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentPrediction:
    """What an agent foretold.

    Attributes:
        at: When it was recorded.
        tournament: Whose winner it is about; empty where it is of a domain.
        winner: Whom it expected to win that; empty where it is of a domain.
        domain: The domain; empty where it is of a tournament.
        confidence: The chance that it gave it.
        correct: Whether it came true; None while nobody knows.
        brier: Its Brier score; None while nobody knows.
    """

    at: datetime
    tournament: str = ""
    winner: str = ""
    domain: str = ""
    confidence: float
    correct: bool | None
    brier: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PredictionPage:
    """Predictions, the newest first.

    Attributes:
        agent: Whose.
        predictions: The predictions of this page.
        total: How many there are in all.
        next: Cursor of the next page; None on the last.
    """

    agent: str
    predictions: list[AgentPrediction]
    total: int
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTest:
    """A test, and what it moved.

    Attributes:
        id: Names it within the pool.
        at: When it was recorded.
        domain: The domain whose rating it moved too; empty for none.
        change: Elo points by which it moved the global rating.
        elo: That rating after it.
    """

    id: str
    at: datetime
    domain: str
    change: float
    elo: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RedTeam(AgentTest):
    """What attacks on an agent came to.

    Attributes:
        session: The session; empty where none was named.
        robustness: From 0, everything got through, to 1.
        successful: Attacks that succeeded.
        total: Attacks that were made.
        critical: Critical vulnerabilities that were found.
    """

    session: str
    robustness: float
    successful: int
    total: int
    critical: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification(AgentTest):
    """What the formal verification of claims came to.

    Attributes:
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        k: Elo points that were at stake for two claims.
    """

    verified: int
    disproven: int
    k: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentTests:
    """What tests made of an agent.

    Attributes:
        agent: Its name.
        sessions: Sessions of red teams.
        attacks: Attacks that were made.
        successful: Those that succeeded.
        critical: Critical vulnerabilities that were found.
        robustness: Mean of the sessions; None without one.
        red_team: Elo points by which red teams moved its rating.
        verifications: Verifications.
        verified: Claims that were proven.
        disproven: Claims that were disproven.
        verification: Elo points by which verification moved its rating.
        red_teams: The last sessions, the newest first.
        proofs: The last verifications, the newest first.
    """

    agent: str
    sessions: int
    attacks: int
    successful: int
    critical: int
    robustness: float | None
    red_team: float
    verifications: int
    verified: int
    disproven: int
    verification: float
    red_teams: list[RedTeam]
    proofs: list[Verification]


@dataclass(frozen=True, kw_only=True, slots=True)
class Foretelling:
    """What an agent has foretold, and how its critiques fared, in numbers.

    Attributes:
        agent: Its name.
        predictions: Its predictions whose outcome is known.
        correct: Those that came true.
        brier: Their Brier scores, added up.
        critiques: Critiques that it made.
        accepted: Those that were accepted.
    """

    agent: str
    predictions: int
    correct: int
    brier: float
    critiques: int
    accepted: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Resolved:
    """What came of a tournament.

    Attributes:
        tournament: The tournament.
        winner: Who won.
        briers: The Brier score of each who had foretold it, from 0, perfect, to 1.
    """

    tournament: str
    winner: str
    briers: dict[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """A piece of evidence about agents.

    Attributes:
        id: The id that it was recorded under; of a resolution its tournament; else its reference.
        reference: The name that every piece has, such as ``critique#17``.
        kind: Its kind.
        at: When it was recorded.
        agents: The agents that it is about.
        content: What it says, by name.
        void: Why it was voided; None while it counts.
    """

    id: str
    reference: str
    kind: str
    at: datetime
    agents: list[str]
    content: dict[str, Any]
    void: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidencePage:
    """Evidence, the newest first.

    Attributes:
        evidence: The evidence, the void too.
        next: Cursor of the next page; None on the last.
    """

    evidence: list[Evidence]
    next: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class VoidedEvidence:
    """Evidence that no longer counts.

    Attributes:
        evidence: The evidence.
        changes: Elo points by which voiding it moved the global rating of each agent that it moved.
        new: Whether this request voided it; where not, it was void already, and nothing changed.
    """

    evidence: Evidence
    changes: dict[str, float]
    new: bool
