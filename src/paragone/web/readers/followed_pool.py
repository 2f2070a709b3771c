"""The state of a tournament, kept up to date: read whole once, afterwards only what was added."""

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

from paragone.domain import Match
from paragone.ledger import Ledger

if TYPE_CHECKING:
    from paragone.tournaments.state import TournamentState

PAGE = 1_000
"""Matches that are read at once."""


class Following:
    """A position in the record of a pool, at first its end."""

    def __init__(self, ledger: Ledger, pool: str) -> None:
        self._pool = pool
        newest = ledger.matches.before(pool, None, 1)
        self._matches = newest[0].sequence if newest else 0
        self._rollbacks = max(
            (sequence for sequence, _ in ledger.matches.rollbacks_after(pool, self._matches)), default=self._matches
        )

    def matches(self, ledger: Ledger) -> Iterator[Match]:
        """Matches that were recorded since."""
        while True:
            page = ledger.matches.after(self._pool, self._matches, PAGE)
            for entry in page:
                yield entry.match
            if not page:
                return
            self._matches = page[-1].sequence

    def rollbacks(self, ledger: Ledger) -> list[str]:
        """Ids of the matches that were rolled back since."""
        rollbacks = ledger.matches.rollbacks_after(self._pool, self._rollbacks)
        if rollbacks:
            self._rollbacks = rollbacks[-1][0]
        return [match for _, match in rollbacks]


class PoolFollower:
    """The current state of one tournament. Thread-safe.

    Equal to ``TournamentState.load``, which reads all matches each time.
    """

    def __init__(self, ledger: Ledger, pool: str) -> None:
        self._ledger, self._pool = ledger, pool
        self._lock = threading.Lock()
        self._kept: tuple[TournamentState, Following] | None = None
        self._joined = 0

    def state(self) -> "TournamentState":
        """The current state: a snapshot that is never changed.

        Raises:
            NotFound: If there is no such tournament.
        """
        with self._lock:
            before, self._kept = self._kept, None  # after an error all is read anew
            with self._ledger.snapshot() as ledger:  # else ratings could be newer than the matches beside them
                self._kept = self._read(ledger) if before is None else self._caught_up(ledger, *before)
            return self._kept[0]

    def _read(self, ledger: Ledger) -> "tuple[TournamentState, Following]":
        from paragone.tournaments.state import TournamentState

        following = Following(ledger, self._pool)
        _, self._joined = ledger.items.count_after(self._pool, 0)
        return TournamentState.load(ledger, self._pool), following

    def _caught_up(
        self, ledger: Ledger, before: "TournamentState", following: Following
    ) -> "tuple[TournamentState, Following]":
        state = before.snapshot()
        for match in following.matches(ledger):
            state.played.append(match)
        state.read_events(ledger)
        state.settings = before.settings.after(state.events[len(before.events) :])
        gone = following.rollbacks(ledger)
        joined, self._joined = ledger.items.count_after(self._pool, self._joined)
        if gone or joined or state.settings != before.settings:
            state.void(gone, ledger.items.all(self._pool) if joined else None)
        if ledger.tournaments.count_rounds(self._pool) != len(state.rounds):
            state.rounds.extend(ledger.tournaments.rounds(self._pool, beyond=len(state.rounds)))
        state.ratings, state.reviews = ledger.ratings.all(self._pool), ledger.items.reviews(self._pool)
        return state, following
