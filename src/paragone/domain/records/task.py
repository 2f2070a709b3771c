"""What a Ranking Agent is given: its tasks, its hypotheses, and which of them are alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

from paragone.domain.record import FrozenDict, Record
from paragone.domain.records.match import MatchResult
from paragone.domain.records.rating import EloRating
from paragone.domain.tournament_config import TournamentConfig


class TaskType(StrEnum):
    """What a Ranking Agent may be asked for. Source: the Ranking Agent specification, "From Task Assignment"."""

    NEW_HYPOTHESIS = "NewHypothesis"
    TOURNAMENT_ROUND = "TournamentRound"
    GLOBAL_RANKING = "GlobalRanking"


@dataclass(frozen=True, kw_only=True, slots=True)
class RankingTask(Record):
    """A task from a supervisor. Source: the Ranking Agent specification, "From Task Assignment".

    Attributes:
        id: Names the task within its tournament.
        task_type: What is asked for.
        hypothesis_ids: About which hypotheses; none for all.
        tournament_parameters: Parameters to go by; None for the tournament's own.
        priority: How urgent: the higher goes first.
        context: What else the asker has to say, as plain JSON values.
        after: Ids of the tasks that must be done before; they may be submitted later.
    """

    id: str
    task_type: TaskType
    hypothesis_ids: tuple[str, ...] = ()
    tournament_parameters: TournamentConfig | None = None
    priority: int = 0
    context: Mapping[str, Any] | None = None
    after: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.context is not None:
            object.__setattr__(self, "context", FrozenDict(self.context))


@dataclass(frozen=True, kw_only=True, slots=True)
class Hypothesis(Record):
    """A hypothesis. Source: the ``Hypothesis`` of the Ranking Agent specification, "From Context Memory".

    Attributes:
        id: Names it within its tournament.
        text: What it says. Untrusted.
    """

    id: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewScore(Record):
    """What reviewers think of a hypothesis. Source: the Ranking Agent specification, "From Context Memory".

    Attributes:
        score: Mean of their overall scores, from 0 to 1.
        scores: Mean by criterion, of those who gave one.
        reviews: How many there are.
    """

    score: float
    scores: Mapping[str, float] = field(default_factory=FrozenDict)
    reviews: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", FrozenDict(self.scores))


@dataclass(frozen=True, kw_only=True, slots=True)
class HypothesisSet(Record):
    """What the context memory knows. Source: the Ranking Agent specification, "From Context Memory".

    Attributes:
        hypotheses: All hypotheses.
        current_ratings: Their ratings.
        tournament_history: All matches that stand, in the order of record.
        review_scores: What reviewers think of those that were reviewed.
    """

    hypotheses: tuple[Hypothesis, ...] = ()
    current_ratings: Mapping[str, EloRating] = field(default_factory=FrozenDict)
    tournament_history: tuple[MatchResult, ...] = ()
    review_scores: Mapping[str, ReviewScore] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "current_ratings", FrozenDict(self.current_ratings))
        object.__setattr__(self, "review_scores", FrozenDict(self.review_scores))


class PairTable:
    """Has pydantic write a table ``{(a, b): value}`` as a list of ``[a, b, value]``, and read it back."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - pydantic's own
        """The schema of the list, with both ways between it and the table."""
        from pydantic_core import core_schema

        rows = handler(list[tuple[str, str, float]])
        writing = core_schema.plain_serializer_function_ser_schema(_rows, return_schema=rows)
        return core_schema.no_info_after_validator_function(_table, rows, serialization=writing)


def _rows(table: Mapping[tuple[str, str], float]) -> list[tuple[str, str, float]]:
    return [(a, b, value) for (a, b), value in table.items()]


def _table(rows: list[tuple[str, str, float]]) -> dict[tuple[str, str], float]:
    table = {(a, b): value for a, b, value in rows}
    if len(table) != len(rows):
        raise ValueError("a pair appears twice")
    return table


@dataclass(frozen=True, kw_only=True, slots=True)
class HypothesisCluster(Record):
    """Hypotheses that are alike. Source: the Ranking Agent specification, "From Proximity Agent".

    Attributes:
        id: The cluster's number, from 0, the largest first.
        members: Ids of its hypotheses, the most typical first.
    """

    id: int
    members: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarityGraph(Record):
    """Which hypotheses are alike. Source: the Ranking Agent specification, "From Proximity Agent".

    Attributes:
        similarity_matrix: Similarity of pairs, from -1 to 1, each pair once. Of a large pool only those of neighbours.
            In JSON a list of ``[id, id, similarity]``.
        clusters: Groups of hypotheses that are alike.
        recommended_matches: Pairs that should meet.
    """

    similarity_matrix: Annotated[Mapping[tuple[str, str], float], PairTable()] = field(default_factory=FrozenDict)
    clusters: tuple[HypothesisCluster, ...] = ()
    recommended_matches: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "similarity_matrix", FrozenDict(self.similarity_matrix))
