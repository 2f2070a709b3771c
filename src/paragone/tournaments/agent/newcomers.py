"""New hypotheses: those that are whole join the tournament, the others are flagged and wait to be completed (T18)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from paragone.analysis.reviews import seeds
from paragone.domain import Item, ItemKind, Review
from paragone.domain.records import MatchRequest, Priority, RankingTask
from paragone.domain.records.wire import as_values
from paragone.ledger import Event, Ledger
from paragone.tournaments.agent.tasks import named
from paragone.tournaments.state import State


def whole(task: RankingTask, kind: ItemKind) -> tuple[Item, ...]:
    """The new hypotheses that can play: they have a text, and nothing is said to be missing."""
    return tuple(Item(id=id, text=given["text"], kind=kind) for id, given in named(task).items() if not missing(given))


def missing(given: Mapping[str, Any]) -> tuple[str, ...]:
    """What a hypothesis lacks."""
    lacking = () if (given.get("text") or "").strip() else ("text",)
    return (*lacking, *map(str, given.get("missing") or ()))


def incomplete(task: RankingTask, state: State, reviews: Sequence[Review]) -> list[dict[str, Any]]:
    """What is to be noted about hypotheses that cannot play yet; nothing about those that are in the tournament."""
    there, seeded = set(state.ids), {seed.item: seed.target for seed in seeds(reviews, initial=state.config.initial)}
    return [
        {
            "id": id,
            "missing": list(missing(given)),
            "provisional_rating": seeded.get(id, state.config.initial),
            "text": given.get("text") or "",
            "task": task.id,
        }
        for id, given in named(task).items()
        if missing(given) and id not in there
    ]


def waiting(events: Sequence[Event], there: set[str]) -> dict[str, Mapping[str, Any]]:
    """Incomplete hypotheses that nobody has completed yet, by id."""
    flagged = {event.detail["id"]: event.detail for event in events if event.kind == "incomplete"}
    return {id: detail for id, detail in flagged.items() if id not in there}


def join(ledger: Ledger, state: State, items: Sequence[Item], reviews: Sequence[Review]) -> tuple[Item, ...]:
    """Add hypotheses, with their reviews and the ratings that these seed, in one step.

    Returns:
        Those that are new.
    """
    ids = {item.id for item in items}
    fresh = ids.difference(state.ids)
    own = [review for review in reviews if review.item in ids]
    moves = seeds(own, initial=state.config.initial, items=fresh)
    return ledger.tournaments.join(state.id, items, round=len(state.rounds) + 1, adjustments=moves, reviews=own)


def requests(task: RankingTask, state: State, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Requests of high priority, so that newcomers get their first match soon; none that is made already."""
    made = {event.detail["id"] for event in state.events if event.kind == "request"}
    wanted = (
        MatchRequest(
            id=f"{task.id}:{id}",
            hypothesis_id=id,
            priority=Priority.HIGH,
            current_elo=round(state.ratings[id].elo),
            creation_timestamp=datetime.now(UTC),
        )
        for id in ids
    )
    return [as_values(request) for request in wanted if request.id not in made]
