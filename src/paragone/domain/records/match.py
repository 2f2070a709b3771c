"""Matches as the documents tell them: what was asked for, what was said, who won and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from paragone.domain.outcome import Outcome
from paragone.domain.pairing import MatchProtocol
from paragone.domain.record import FrozenDict, Record

DebateType = Literal[MatchProtocol.SINGLE_TURN, MatchProtocol.MULTI_TURN]
"""The documents know no panel debates: their records call these ``multi_turn``."""


class Priority(StrEnum):
    """How soon a match is wanted. Source: the tournament specification, "Match Request"."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Speaker(StrEnum):
    """Who speaks, by side of the match. Source: the Ranking Agent specification, "Debate Flow"."""

    HYPOTHESIS_A = "HypothesisA"
    HYPOTHESIS_B = "HypothesisB"
    JUDGE = "Judge"


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchRequest(Record):
    """A match that was requested. Source: the tournament specification, "Match Request".

    Attributes:
        id: Names the request within its tournament.
        hypothesis_id: Who is to play.
        priority: How soon.
        opponent_id: Against whom; None leaves it to the tournament.
        current_elo: Its rating when it was asked for, rounded.
        creation_timestamp: When it was asked for.
        similarity_graph_id: Which similarity graph the asker had in mind.
    """

    id: str
    hypothesis_id: str
    priority: Priority = Priority.MEDIUM
    opponent_id: str | None = None
    current_elo: int | None = None
    creation_timestamp: datetime
    similarity_graph_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionScore(Record):
    """How both sides did on one criterion, each from 0 to 1. Source: the tournament specification, "Debate Outcome".

    ``paragone.domain.CriterionScore`` has the same by the order of presentation.

    Attributes:
        criterion: Novelty, correctness, testability, impact or clarity.
        score_a: The score of the one side.
        score_b: The score of the other.
    """

    criterion: str
    score_a: float
    score_b: float


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateOutcome(Record):
    """The outcome of a match. Source: the tournament specification, "Debate Outcome".

    Attributes:
        match_id: The match.
        hypothesis_a_id: One side.
        hypothesis_b_id: The other.
        winner_id: Who won; None for a draw or a void match, which ``outcome`` tells apart.
        debate_type: Whether there was a debate.
        debate_summary: Why, in the judge's words. Untrusted.
        evaluation_criteria: The scores, where the judge gives them; of several comparisons their mean.
        outcome: Who won by its side, a draw, or void.
    """

    match_id: str
    hypothesis_a_id: str
    hypothesis_b_id: str
    winner_id: str | None
    debate_type: DebateType
    debate_summary: str
    evaluation_criteria: tuple[CriterionScore, ...] = ()
    outcome: Outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateTurn(Record):
    """What was said in one turn. Source: the Ranking Agent specification, "Debate Flow". All texts are untrusted.

    ``paragone.domain.DebateTurn`` has the same by the order of presentation, with what it took.

    Attributes:
        speaker: Who spoke.
        content: What was said; the judge's turn is its rationale.
        claims: The claims made, one sentence each.
        rebuttals: Answers to claims of the other side.
        evidence_cited: What was cited.
    """

    speaker: Speaker
    content: str
    claims: tuple[str, ...] = ()
    rebuttals: tuple[str, ...] = ()
    evidence_cited: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison(Record):
    """How both sides did on one criterion, 0 to 1. Source: the Ranking Agent specification, "Tournament Match Result".

    Attributes:
        score_a: The score of the one side.
        score_b: The score of the other.
    """

    score_a: float
    score_b: float


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchResult(Record):
    """A match with its transcript. Source: the Ranking Agent specification, "Tournament Match Result".

    Attributes:
        id: The match.
        hypothesis_a_id: One side.
        hypothesis_b_id: The other.
        winner_id: Who won; None for a draw or a void match, which ``outcome`` tells apart.
        debate_type: Whether there was a debate.
        debate_transcript: What was said, the judge's decision at the end of each comparison included.
        decision_rationale: Why, in the judge's words. Untrusted.
        criteria_scores: The scores by criterion, where the judge gives them; of several comparisons their mean.
        timestamp: When it was decided.
        outcome: Who won by its side, a draw, or void.
        degraded: Whether it would have been a debate, or a longer one, had there been the means.
    """

    id: str
    hypothesis_a_id: str
    hypothesis_b_id: str
    winner_id: str | None
    debate_type: DebateType
    debate_transcript: tuple[DebateTurn, ...] = ()
    decision_rationale: str
    criteria_scores: Mapping[str, Comparison] = field(default_factory=FrozenDict)
    timestamp: datetime
    outcome: Outcome
    degraded: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "criteria_scores", FrozenDict(self.criteria_scores))
