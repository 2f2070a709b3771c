"""Records as JSON and back. pydantic, which reads and checks them, is loaded when it is first needed."""

import json
from typing import TYPE_CHECKING, Any, TypeVar

from paragone.domain.record import Record
from paragone.domain.records import match, rating, task, tournament
from paragone.errors import InvalidRecord, ParagoneError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

R = TypeVar("R", bound=Record)

RECORDS: tuple[type[Record], ...] = (
    match.MatchRequest,
    match.CriterionScore,
    match.DebateOutcome,
    rating.EloUpdate,
    rating.EloRating,
    rating.HypothesisRanking,
    tournament.ResourceMetrics,
    tournament.TournamentRoundResults,
    tournament.PatternAnalysis,
    tournament.RoundStats,
    tournament.TournamentState,
    tournament.TournamentHistory,
    tournament.EffectivenessMetrics,
    tournament.SystemHealth,
    task.RankingTask,
    task.Hypothesis,
    task.ReviewScore,
    task.HypothesisSet,
    task.HypothesisCluster,
    task.SimilarityGraph,
    match.DebateTurn,
    match.Comparison,
    match.MatchResult,
    rating.WinLossRecord,
    rating.Confidence,
    tournament.RankedHypothesis,
    tournament.RankingReport,
)
"""All records, those of the tournament specification first."""


def as_values(record: Record) -> dict[str, Any]:
    """A record as plain JSON values.

    Raises:
        InvalidRecord: If it holds what JSON has no form for, such as a number that is not finite.
    """
    return dict(json.loads(to_json(record)))


def to_json(record: Record) -> str:
    """A record as JSON; ``from_json`` gives an equal one.

    Raises:
        InvalidRecord: If it holds what JSON has no form for, such as a number that is not finite.
    """
    kind = type(record)
    try:
        values = _adapter(kind).dump_python(record, mode="json")
        text = json.dumps(values, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")  # half a surrogate pair could not be written, and no reader of JSON would take it
    except ValueError as error:
        raise InvalidRecord(f"{kind.__name__} cannot be written as JSON: {error}") from error
    return text


def from_json(kind: type[R], text: str | bytes) -> R:
    """The record that a JSON text holds.

    Args:
        kind: The class of the record.
        text: The JSON.

    Raises:
        InvalidRecord: Naming the field that is absent, unknown, or of another type.
    """
    from pydantic import ValidationError

    try:
        return _adapter(kind).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join([kind.__name__, *map(str, first["loc"])])
        raise InvalidRecord(f"{where}: {first['msg']}") from None
    except ParagoneError as error:
        raise InvalidRecord(f"{kind.__name__}: {error}") from error


def from_values(kind: type[R], values: object) -> R:
    """The record that plain JSON values make, such as the detail of an event.

    Raises:
        InvalidRecord: Naming the field that is absent, unknown, or of another type.
    """
    return from_json(kind, json.dumps(values))


_ADAPTERS: "dict[type[Record], TypeAdapter[Any]]" = {}


def _adapter(kind: type[R]) -> "TypeAdapter[R]":
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
