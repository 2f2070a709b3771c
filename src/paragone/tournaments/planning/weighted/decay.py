"""Ratings of those who do not play go back towards where they began (T22); off unless asked for."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime

from paragone.domain import Adjustment, AdjustmentKind, Rating, TournamentSystemConfig


def due(
    ratings: Mapping[str, Rating], since: Mapping[str, datetime], now: datetime, system: TournamentSystemConfig
) -> tuple[Adjustment, ...]:
    """The adjustments that inactive items are due, by the days of the calendar (UTC).

    A rating keeps ``exp(-days / decay_days)`` of its distance to the initial one. As that is a power, days that are
    made up for in one go come to the same as those that were adjusted one by one, at whatever hour.

    Args:
        ratings: Ratings by item id.
        since: Up to when each item is accounted for: its last match, its last decay, or when it came in.
        now: The present.
        system: ``decay_days`` and the initial rating.

    Returns:
        One adjustment for each item that has been inactive since a day before, in the order of ``ratings``. Their ids
        name the item and the day, so those of one day are applied once, however often they are asked for.
    """
    pace, target = system.policy.decay_days, system.tournament_parameters.initial_elo_rating
    if pace is None:
        return ()
    found = []
    for id, rating in ratings.items():
        days = (now.astimezone(UTC).date() - since[id].astimezone(UTC).date()).days if id in since else 0
        if days >= 1 and rating.matches and rating.elo != target:
            found.append(
                Adjustment(
                    id=f"decay:{id}:{now.astimezone(UTC).date().isoformat()}",
                    item=id,
                    kind=AdjustmentKind.DECAY,
                    target=target,
                    share=-math.expm1(-days / pace),
                    reason=f"inactive for {days} {'day' if days == 1 else 'days'}",
                )
            )
    return tuple(found)
