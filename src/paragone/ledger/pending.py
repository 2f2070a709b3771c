"""Verdicts, turns and events that wait to be written, in a form that a file can hold meanwhile."""

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from paragone.domain import Comparison, DebateTurn, Ranking
from paragone.ledger import schema
from paragone.ledger.column_types import read, stored
from paragone.ledger.evidence import verdicts
from paragone.ledger.ledger import Ledger
from paragone.ledger.namespaces.tournaments import Tournaments


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingVerdict:
    """An answer of a judge, or its failure.

    Attributes:
        answer: The call and its verdict.
        key: The key of the verdict cache; None for a failure.
    """

    answer: Comparison | Ranking
    key: str | None = None

    def record(self, tournaments: Tournaments, tournament: str, *, again: bool = False) -> None:
        """Record it. If it may have been recorded before (``again``), an equal failure is the same attempt."""
        tournaments.record_verdict(tournament, self.answer, key=self.key, again=again)

    def submit(self, ledger: Ledger, tournament: str) -> Future[object]:
        """Have it recorded with all else that waits; see ``Ledger.submit``."""
        return ledger.submit(ledger.tournaments.record_verdict, tournament, self.answer, key=self.key)

    def packed(self) -> dict[str, Any]:
        """Its JSON values."""
        if isinstance(self.answer, Ranking):
            row = stored(schema.ranking, verdicts.ranking_values(self.answer))
            return {"kind": "ranking", "key": self.key, "row": row}
        return {
            "kind": "comparison",
            "key": self.key,
            "row": stored(schema.comparison, verdicts.comparison_values(self.answer)),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingTurn:
    """A turn of a debate."""

    turn: DebateTurn

    def record(self, tournaments: Tournaments, tournament: str, *, again: bool = False) -> None:  # noqa: ARG002
        """Record it; recording it again changes nothing."""
        tournaments.record_turn(tournament, self.turn)

    def submit(self, ledger: Ledger, tournament: str) -> Future[object]:
        """As for a verdict."""
        return ledger.submit(ledger.tournaments.record_turn, tournament, self.turn)

    def packed(self) -> dict[str, Any]:
        """Its JSON values."""
        return {"kind": "turn", "row": stored(schema.debate_turn, verdicts.turn_values(self.turn))}


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingEvent:
    """An event of the tournament."""

    kind: str
    detail: Mapping[str, Any]

    def record(self, tournaments: Tournaments, tournament: str, *, again: bool = False) -> None:
        """Record it; if it may have been recorded before (``again``), only unless it equals the last event."""
        if again and self._is_last(tournaments, tournament):
            return
        tournaments.add_event(tournament, self.kind, self.detail)

    def _is_last(self, tournaments: Tournaments, tournament: str) -> bool:
        events = tournaments.events(tournament)
        return bool(events) and (events[-1].kind, dict(events[-1].detail)) == (self.kind, dict(self.detail))

    def packed(self) -> dict[str, Any]:
        """Its JSON values."""
        return {"kind": "event", "event": self.kind, "detail": dict(self.detail)}


Pending = PendingVerdict | PendingTurn | PendingEvent


def unpacked(value: Mapping[str, Any]) -> Pending:
    """The value that ``packed`` turned into JSON values.

    Raises:
        ValueError, TypeError, LookupError, AttributeError, Corrupted: If ``packed`` did not make it.
    """
    kind = value["kind"]
    if kind == "event":
        return PendingEvent(kind=str(value["event"]), detail=dict(value["detail"]))
    row: Any = SimpleNamespace(**read(_TABLES[kind], value["row"]))
    if kind == "turn":
        return PendingTurn(turn=verdicts.turn_of(row))
    answer = verdicts.comparison_of(row) if kind == "comparison" else verdicts.ranking_of(row)
    return PendingVerdict(answer=answer, key=str(value["key"]))


_TABLES = {"comparison": schema.comparison, "ranking": schema.ranking, "turn": schema.debate_turn}
