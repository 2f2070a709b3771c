"""Hold the only runner of a tournament: claim it, take in what an earlier run left, and close it at the end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from threading import Lock
from typing import Any

from paragone.errors import Busy, LedgerError
from paragone.judges.call_options import CallOptions
from paragone.ledger import Ledger
from paragone.tournaments.running.control import Gate, Observer
from paragone.tournaments.running.maintenance import apply_decay
from paragone.tournaments.running.participants import Participants
from paragone.tournaments.running.runner import Runner
from paragone.tournaments.running.spool import spool_folders
from paragone.tournaments.running.verdict_store import replay_spool
from paragone.tournaments.state import TournamentState


class ClaimLost(Busy):
    """Somebody else runs the tournament since the database server lost the claim of this process."""


CLAIM_WATCH = 1.0
"""Seconds between two looks at whether a server still holds the claim."""


class _Claim:
    """The claim of a run; taken again where the server lost it."""

    def __init__(self, ledger: Ledger, tournament: str) -> None:
        self._ledger, self._tournament = ledger, tournament
        self._claims, self._lock = ExitStack(), Lock()
        self._is_held = self._claims.enter_context(ledger.tournaments.claim(tournament))
        self.lost: ClaimLost | None = None

    def renew(self) -> None:
        """Claim it again if the database server released the claim.

        Raises:
            Busy: If somebody else runs it by now.
            Unwritable: While the server is away.
        """
        with self._lock:
            if not self._is_held():
                self._is_held = self._claims.enter_context(self._ledger.tournaments.claim(self._tournament))

    async def watch(self, run: "asyncio.Task[Any] | None") -> None:
        """Break a run off once somebody else has the claim: two that plan would take each other's answers."""
        while run is not None:
            await asyncio.sleep(CLAIM_WATCH)
            try:
                await asyncio.to_thread(self.renew)
            except Busy as error:
                self.lost = ClaimLost(f"the database server lost the claim of this process, and now {error}")
                run.cancel()
                return
            except LedgerError:
                continue  # the server is away; what else it may be, the run meets as well

    def close(self) -> None:
        """Release it."""
        self._claims.close()


@asynccontextmanager
async def exclusive_runner(
    ledger: Ledger,
    state: TournamentState,
    participants: Participants,
    *,
    gate: Gate,
    pace: CallOptions,
    observer: Observer,
) -> AsyncIterator[Runner]:
    """The only runner of a tournament; at the end judge and advocate are closed, and why it stopped is recorded.

    Raises:
        Busy: If somebody else is running it.
        ClaimLost: If somebody else does after the server lost the claim.
    """
    try:
        claim = _Claim(ledger, state.id)
        try:
            # Answers that an earlier run could not write come first: they are paid for, and no call may be repeated.
            notes = replay_spool(ledger, state, spool_folders(pace.spool, ledger.file))
            if state.rounds:
                ledger.tournaments.add_event(state.id, "resumed", {})
            if state.settings.system is not None:
                apply_decay(ledger, state)
            runner = Runner(ledger, state, participants, gate=gate, pace=pace, observer=observer, reclaim=claim.renew)
            for words in notes:
                runner.note(words)
            try:
                async with _watched(claim, ledger):
                    yield runner
                    await runner.ended()
            finally:
                runner.close()
        finally:
            claim.close()
    finally:
        await participants.close()


@asynccontextmanager
async def _watched(claim: _Claim, ledger: Ledger) -> AsyncIterator[None]:
    """Watch the claim on a server during the block; a file's lock is not lost."""
    run = asyncio.current_task()
    watching = asyncio.create_task(claim.watch(run)) if ledger.file is None and run is not None else None
    try:
        yield
    except asyncio.CancelledError:
        if claim.lost is None or run is None:
            raise
        run.uncancel()
        raise claim.lost from None
    finally:
        if watching is not None:
            watching.cancel()
