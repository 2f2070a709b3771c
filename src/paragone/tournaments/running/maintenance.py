"""Work beside the matches: decay of inactive ratings and the review queue of anomalies."""

import asyncio
import math
from collections.abc import Mapping
from datetime import UTC, datetime

from paragone import allocator
from paragone.domain import Adjustment, AdjustmentKind, Rating, TournamentSystemConfig
from paragone.ledger import Event, Ledger
from paragone.tournaments.running.control import Throttle
from paragone.tournaments.state import TournamentState

GROWTH = 1.1
"""By what factor a tournament grows between two checks for anomalies: a check costs as much as a fit."""


def decay_adjustments(
    ratings: Mapping[str, Rating], since: Mapping[str, datetime], now: datetime, system: TournamentSystemConfig
) -> tuple[Adjustment, ...]:
    """The decay of inactive items, by calendar days (UTC).

    A rating keeps ``exp(-days / decay_days)`` of its distance to the initial one. As that is a power, several days at
    once come to the same as one by one, at whatever hour.

    Args:
        ratings: Ratings by item id.
        since: Until when each item is accounted for: its last match, its last decay, or when it joined.
        now: The present.
        system: ``decay_days`` and the initial rating.

    Returns:
        One adjustment for each item that has been inactive for a day or more, in the order of ``ratings``. Their ids
        name the item and the day, so that each day is applied once.
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


def apply_decay(ledger: Ledger, state: TournamentState) -> None:
    """Let the ratings of inactive items decay, if the parameters say so."""
    if state.system.policy.decay_days is None:
        return
    moves = decay_adjustments(state.ratings, last_activity(ledger, state), datetime.now(UTC), state.system)
    if moves:
        ledger.ratings.adjust(state.id, moves)
        state.refresh(ledger)


def last_activity(ledger: Ledger, state: TournamentState) -> dict[str, datetime]:
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
    """Queues suspicious rating changes for review, each once.

    A check costs as much as a fit with its intervals. So there is one after a round if that is short beside the time
    that the judge takes, and one at the end.

    Args:
        ledger: The ledger.
        state: The tournament.
    """

    def __init__(self, ledger: Ledger, state: TournamentState) -> None:
        self._ledger = ledger
        self._state = state
        self._throttle = Throttle()
        self._checked = 0

    async def check_now_and_then(self) -> None:
        """Check again if enough was played since the last time, and the throttle allows it."""
        if is_due(len(self._state.played), self._checked) and self._throttle.due:
            await self.check(self._state.snapshot())
            # It took much more memory than a tournament keeps. All of that is free by now, the copy of the state too.
            await asyncio.to_thread(allocator.give_back)

    async def check(self, state: TournamentState) -> None:
        """Check again if anything was played since the last time, on a state that does not change meanwhile."""
        played = len(self._state.played)
        if played == self._checked:
            return
        from paragone.tournaments.results.quality import anomalies_of  # only where hypotheses are watched

        self._checked = played
        with self._throttle.timed():
            anomalies = await asyncio.to_thread(anomalies_of, self._ledger, state)
        for anomaly in anomalies:
            detail = {name: getattr(anomaly, name) for name in ("id", "item", "match", "kind", "size", "reason")}
            self._ledger.tournaments.add_event(self._state.id, "anomaly", detail)
            self._state.events.append(Event(kind="anomaly", detail=detail, at=datetime.now(UTC)))


def is_due(matches: int, checked: int) -> bool:
    """Whether to check for anomalies again, with so many matches now and so many at the last check.

    Checking after every round would cost the square of a long tournament's length.
    """
    return matches > checked and matches >= GROWTH * checked
