"""Matches that were asked for."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from paragone.domain.records import MatchRequest, Priority
from paragone.domain.records.rating import rounded
from paragone.ledger import Event
from paragone.tournaments.documents.chronicle import Chronicle


def requests(chronicle: Chronicle) -> tuple[MatchRequest, ...]:
    """All matches that were ever asked for, in the order of record."""
    return tuple(_request(event) for event in chronicle.events("request"))


def pending_requests(chronicle: Chronicle) -> tuple[MatchRequest, ...]:
    """Matches that were asked for and neither planned nor refused: the most urgent first, then the oldest."""
    done = {str(id) for event in chronicle.events("round") for id in event.detail.get("served") or ()}
    done |= {str(no["id"]) for event in chronicle.events("round") for no in event.detail.get("refused") or ()}
    urgency = list(Priority)
    waiting = (request for request in requests(chronicle) if request.id not in done)
    return tuple(sorted(waiting, key=lambda request: urgency.index(request.priority)))


def _request(event: Event) -> MatchRequest:
    detail: Mapping[str, Any] = event.detail
    asked, elo = detail.get("creation_timestamp"), detail.get("current_elo")
    return MatchRequest(
        id=str(detail["id"]),
        hypothesis_id=str(detail["hypothesis_id"]),
        priority=Priority(detail.get("priority") or Priority.MEDIUM),
        opponent_id=detail.get("opponent_id"),
        current_elo=None if elo is None else rounded(elo),
        creation_timestamp=event.at if asked is None else datetime.fromisoformat(asked),
        similarity_graph_id=detail.get("similarity_graph_id") or "",
    )
