"""Work beside the matches: decay of inactive ratings (T22) and the review queue of anomalies (T19)."""

import asyncio
import math
from collections.abc import Mapping
from datetime import UTC, datetime

from paragone.domain import Adjustment, AdjustmentKind, Rating, TournamentSystemConfig
from paragone.ledger import Event, Ledger
from paragone.tournaments.results.quality import anomalies_of
from paragone.tournaments.running.control import Throttle
from paragone.tournaments.state import State

GROWTH = 1.1
"""By what factor a tournament grows before anomalies are looked for again: a look costs as much as a fit."""


def decay_adjustments(
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
    adjustments = []
    for id, rating in ratings.items():
        days = (now.astimezone(UTC).date() - since[id].astimezone(UTC).date()).days if id in since else 0
        if days >= 1 and rating.matches and rating.elo != target:
            adjustments.append(
                Adjustment(
                    id=f"decay:{id}:{now.astimezone(UTC).date().isoformat()}",
                    item=id,
                    kind=AdjustmentKind.DECAY,
                    target=target,
                    share=-math.expm1(-days / pace),
                    reason=f"inactive for {days} {'day' if days == 1 else 'days'}",
                )
            )
    return tuple(adjustments)


def apply_decay(ledger: Ledger, state: State) -> None:
    """Let the ratings of items that nobody asked about fade, where the parameters say so (T22)."""
    if state.settings.system is None or state.settings.system.policy.decay_days is None:
        return
    moves = decay_adjustments(state.ratings, last_activity(ledger, state), datetime.now(UTC), state.settings.system)
    if moves:
        ledger.ratings.adjust(state.id, moves)
        state.refresh(ledger)


def last_activity(ledger: Ledger, state: State) -> dict[str, datetime]:
    """When each item last played, came in, or had its rating adjusted."""
    since = dict.fromkeys(state.ids, ledger.tournaments.get(state.id).created)
    for event in state.events:
        if event.kind == "joined":
            since.update(dict.fromkeys(event.detail["items"], event.at))
    moments = [(entry.at, entry.match.items) for entry in ledger.matches.all(state.id)]
    moments += [(entry.at, (entry.adjustment.item,)) for entry in ledger.ratings.adjustments(state.id)]
    for at, items in moments:
        for item in items:
            since[item] = max(at, since[item])
    return since


class AnomalyWatch:
    """Queues rating changes that look wrong for review, each once (T19).

    A look costs as much as a fit with its intervals. So there is one after a round where that is little beside the time
    that the judge takes, and one at the end.

    Args:
        ledger: Where the tournament is kept.
        state: The tournament.
    """

    def __init__(self, ledger: Ledger, state: State) -> None:
        self._ledger = ledger
        self._state = state
        self._seldom = Throttle()
        self._looked_at = 0

    async def look_now_and_then(self) -> None:
        """Look again, where enough was played since the last time and the time is there."""
        if is_due(len(self._state.played), self._looked_at) and self._seldom.due:
            await self.look(self._state.snapshot())

    async def look(self, state: State) -> None:
        """Look again, where anything was played since the last time, at a state that nobody changes meanwhile."""
        played = len(self._state.played)
        if self._state.settings.system is None or played == self._looked_at:
            return
        self._looked_at = played
        with self._seldom.timed():
            anomalies = await asyncio.to_thread(anomalies_of, self._ledger, state)
        for anomaly in anomalies:
            detail = {
                "id": anomaly.id,
                "item": anomaly.item,
                "match": anomaly.match,
                "kind": str(anomaly.kind),
                "size": anomaly.size,
                "reason": anomaly.reason,
            }
            self._ledger.tournaments.add_event(self._state.id, "anomaly", detail)
            self._state.events.append(Event(kind="anomaly", detail=detail, at=datetime.now(UTC)))


def is_due(matches: int, looked_at: int) -> bool:
    """Whether to look for anomalies again, with so many matches now and so many at the last look.

    Looking each time after every round would cost the square of a long tournament's length.
    """
    return matches > looked_at and matches >= GROWTH * looked_at
