"""A rating and a move as JSON, under document M's names where it has them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paragone.domain.content import UsageMove
    from paragone.memory.scores import ContentRating


def rating_json(one: "ContentRating") -> dict[str, object]:
    """Where content stands."""
    return {
        "entity_type": one.content.kind,
        "entity_id": one.content.id,
        "file_path": one.content.path,
        "rating": one.rating,
        "elo": one.elo,
        "stored": one.stored,
        "need": one.need,
        "tier": one.tier,
        "initial": one.initial,
        "updates": one.updates,
        "uses": one.uses,
        "last_use": time_json(one.last_use),
        "r": one.r,
        "r_source": one.r_source,
        "is_high": one.is_high,
        "gate": one.gate,
        "pinned": one.pinned,
    }


def move_json(one: "UsageMove") -> dict[str, object]:
    """A move, as the update log has it."""
    return {
        "timestamp": time_json(one.time),
        "entity_type": one.content.kind,
        "entity_id": one.content.id,
        "elo_old": one.old,
        "elo_new": one.new,
        "delta": one.delta,
        "reason": one.reason,
        "event": one.event,
        "gate": one.gate,
        "r": one.r,
        "clamped": one.clamped,
    }


def time_json(seconds: float | None) -> str | None:
    """A time as the logs have it."""
    from paragone.memory.store.instant import as_iso

    return None if seconds is None else as_iso(seconds)
