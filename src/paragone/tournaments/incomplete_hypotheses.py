"""Incomplete hypotheses: flagged with a provisional rating, and completed by their texts later.

All of it is on record as events, so a resumed run, another process and a replay find the same.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from paragone.domain import Item, Review
from paragone.domain.records import MatchRequest, Priority
from paragone.domain.records.wire import as_values
from paragone.errors import Conflict, InvalidItems, NotFound
from paragone.intake.items import check_item, lacking
from paragone.ledger import Event, Ledger
from paragone.tournaments.state import TournamentState
from paragone.wire.task import IncompleteItem

INCOMPLETE = "incomplete"
"""The kind of event that flags a hypothesis."""


def split(items: Iterable[Item]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """The complete items, and those whose text is empty or seems cut off.

    Raises:
        InvalidItems: If fewer than two are complete.
    """
    candidates = tuple(items)
    partial = tuple(item for item in candidates if lacking(item.text))
    if not partial:
        return candidates, ()
    ids = {item.id for item in partial}
    complete = tuple(item for item in candidates if item.id not in ids)
    if len(complete) < 2:
        raise InvalidItems(
            f"only {len(complete)} of {len(candidates)} hypotheses have a complete text: a tournament needs two; "
            f"{partial[0].id!r} lacks {lacking(partial[0].text)[0]}"
        )
    return complete, partial


def flags(
    items: Sequence[Item], missing: Mapping[str, Sequence[str]], reviews: Sequence[Review], initial: float
) -> list[dict[str, Any]]:
    """Details of the events that flag incomplete items.

    Args:
        items: The items.
        missing: What each lacks, by id.
        reviews: Reviews; those of the items seed their provisional ratings, and are kept until they join.
        initial: The rating without reviews.
    """
    from paragone.analysis.reviews import seeds

    seeded = {seed.item: seed.target for seed in seeds(reviews, initial=initial)}
    return [
        {
            "id": item.id,
            "missing": list(missing[item.id]),
            "provisional_rating": seeded.get(item.id, initial),
            "text": item.text,
            "reviews": [_stored(review) for review in reviews if review.item == item.id],
        }
        for item in items
    ]


def _stored(review: Review) -> dict[str, Any]:
    return {**asdict(review), "scores": [list(score) for score in review.scores.items()]}


def _restored(stored: Mapping[str, Any]) -> Review:
    return Review(**{**stored, "scores": {str(name): float(value) for name, value in stored["scores"]}})


def flagging(
    items: Sequence[Item], reviews: Sequence[Review], initial: float
) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """The events that flag the incomplete items of a new tournament, as kind and detail."""
    missing = {item.id: lacking(item.text) for item in items}
    return tuple((INCOMPLETE, detail) for detail in flags(items, missing, reviews, initial))


def incomplete_hypotheses(events: Iterable[Event], joined: Collection[str]) -> dict[str, Mapping[str, Any]]:
    """Details of hypotheses that were flagged and have not joined since, by id; of several flags the last."""
    flagged = {event.detail["id"]: event.detail for event in events if event.kind == INCOMPLETE}
    return {id: detail for id, detail in flagged.items() if id not in joined}


def waiting(state: TournamentState) -> tuple[IncompleteItem, ...]:
    """The hypotheses of a tournament that wait for their texts, in the order of their flags."""
    return tuple(
        IncompleteItem(
            id=id,
            text=str(detail.get("text") or ""),
            missing=tuple(detail["missing"]),
            provisional_rating=float(detail["provisional_rating"]),
        )
        for id, detail in incomplete_hypotheses(state.events, set(state.ids)).items()
    )


def amend(ledger: Ledger, state: TournamentState, id: str, text: str) -> None:
    """Complete a hypothesis: it joins with its rating and reviews, and a request gets it its first match soon.

    The same text again changes nothing, and finishes what a crash left. The text counts as complete whatever it ends
    with.

    Args:
        ledger: The ledger.
        state: The tournament; refreshed here.
        id: Id of the hypothesis.
        text: Its complete text.

    Raises:
        NotFound: If there is no such hypothesis.
        Conflict: If it is complete already, with another text: verdicts are about the text that was shown.
        InvalidItems: If the text is not valid.
    """
    state.refresh(ledger)
    complete = {item.id: item.text for item in state.items}
    if complete.get(id, text) != text:
        raise Conflict(
            f"hypothesis {id!r} is complete: a changed text needs an id of its own; the old one can be retired"
        )
    detail = {**incomplete_hypotheses(state.events, ())}.get(id)
    if id in complete and (detail is None or state.ratings[id].matches):
        return
    if detail is None:
        raise NotFound(f"no hypothesis of {state.id} is called {id!r}")
    item = Item(id=id, text=text, kind=state.items[0].kind)
    check_item(item, "the text")
    from paragone.analysis.reviews import seeds

    reviews = tuple(map(_restored, detail.get("reviews", ())))
    moves = seeds(reviews, initial=state.config.initial, items={id})
    number = ledger.tournaments.count_rounds(state.id) + 1
    ledger.tournaments.join(state.id, [item], round=number, adjustments=moves, reviews=reviews)
    state.refresh(ledger)
    add_requests(ledger, state, "amend", [id])


def add_requests(ledger: Ledger, state: TournamentState, by: str, ids: Sequence[str]) -> None:
    """Request first matches of new hypotheses with high priority; requests already on record are not repeated.

    Args:
        ledger: The ledger.
        state: The tournament.
        by: What asks: the id of a task.
        ids: The hypotheses.
    """
    recorded = {event.detail["id"] for event in state.events if event.kind == "request"}
    requests = (
        MatchRequest(
            id=f"{by}:{id}",
            hypothesis_id=id,
            priority=Priority.HIGH,
            current_elo=round(state.ratings[id].elo),
            creation_timestamp=datetime.now(UTC),
        )
        for id in ids
    )
    fresh = [("request", as_values(request)) for request in requests if request.id not in recorded]
    ledger.tournaments.add_events(state.id, fresh)
    state.read_events(ledger)
