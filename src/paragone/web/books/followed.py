"""A tournament's state that is kept in step: read whole once, and from then on only what has come since."""

import threading
from typing import TYPE_CHECKING

from paragone.ledger import Ledger
from paragone.web.books.following import Following

if TYPE_CHECKING:
    from paragone.tournaments.state import State


class Followed:
    """The state of one tournament, as the ledger has it. Threads share one.

    Equal to what ``State.load`` reads, which takes as long as the tournament has matches, after each write again.
    """

    def __init__(self, ledger: Ledger, pool: str) -> None:
        self._ledger, self._pool = ledger, pool
        self._lock = threading.Lock()
        self._kept: tuple[State, Following] | None = None
        self._joined = 0

    def state(self) -> "State":
        """Where it is now: a state of its own that nobody changes any more.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._lock:
            before, self._kept = self._kept, None  # where this breaks off, all is read anew
            with self._ledger.at_one_version() as ledger:  # else ratings could be newer than the matches beside them
                self._kept = self._read(ledger) if before is None else self._caught_up(ledger, *before)
            return self._kept[0]

    def _read(self, ledger: Ledger) -> "tuple[State, Following]":
        from paragone.tournaments.state import State

        following = Following(ledger, self._pool)
        _, self._joined = ledger.items_since(self._pool, 0)
        return State.load(ledger, self._pool), following

    def _caught_up(self, ledger: Ledger, before: "State", following: Following) -> "tuple[State, Following]":
        state = before.snapshot()
        for match in following.matches(ledger):
            state.played.append(match)
        state.hear(ledger)
        state.settings = before.settings.after(state.events[len(before.events) :])
        gone = following.rollbacks(ledger)
        joined, self._joined = ledger.items_since(self._pool, self._joined)
        if gone or joined or state.settings != before.settings:
            state.void(gone, ledger.items(self._pool) if joined else None)
        if ledger.count_rounds(self._pool) != len(state.rounds):
            state.rounds = list(ledger.rounds(self._pool))
        state.ratings, state.reviews = ledger.ratings(self._pool), ledger.reviews(self._pool)
        return state, following
