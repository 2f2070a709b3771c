"""What is looked after beside the matches: ratings that fade with time, and changes that somebody should look at."""

import asyncio
from datetime import UTC, datetime

from paragone.ledger import Event, Ledger
from paragone.tournaments.planning.weighted.decay import due
from paragone.tournaments.results.quality import anomalies_of, is_due
from paragone.tournaments.running.seldom import Seldom
from paragone.tournaments.state import State


def decay(ledger: Ledger, state: State) -> None:
    """Let the ratings of items that nobody asked about fade, where the parameters say so (T22)."""
    if state.brief.system is None or state.brief.system.policy.decay_days is None:
        return
    moves = due(state.ratings, accounted_for(ledger, state), datetime.now(UTC), state.brief.system)
    if moves:
        ledger.ratings.adjust(state.id, moves)
        state.refresh(ledger)


def accounted_for(ledger: Ledger, state: State) -> dict[str, datetime]:
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


class Watch:
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
        self._seldom = Seldom()
        self._looked_at = 0

    async def look_now_and_then(self) -> None:
        """Look again, where enough was played since the last time and the time is there."""
        if is_due(len(self._state.played), self._looked_at) and self._seldom.due:
            await self.look(self._state.snapshot())

    async def look(self, state: State) -> None:
        """Look again, where anything was played since the last time, at a state that nobody changes meanwhile."""
        played = len(self._state.played)
        if self._state.brief.system is None or played == self._looked_at:
            return
        self._looked_at = played
        with self._seldom.timed():
            found = await asyncio.to_thread(anomalies_of, self._ledger, state)
        for anomaly in found:
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
