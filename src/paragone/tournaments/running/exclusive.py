"""Hold the only runner of a tournament: claim it, take in what an earlier run left, and close it at the end."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

from paragone.ledger import Ledger
from paragone.tournaments.running.control import Gate, Observer
from paragone.tournaments.running.maintenance import apply_decay
from paragone.tournaments.running.participants import Participants
from paragone.tournaments.running.runner import Runner
from paragone.tournaments.running.spool import spool_folders
from paragone.tournaments.running.verdict_store import replay_spool
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import CallOptions


@asynccontextmanager
async def exclusive_runner(
    ledger: Ledger, state: State, participants: Participants, *, gate: Gate, pace: CallOptions, observer: Observer
) -> AsyncIterator[Runner]:
    """The only runner of a tournament; at the end judge and advocate are closed, and why it stopped is recorded.

    Raises:
        Busy: If somebody else is running it.
    """
    try:
        with ExitStack() as claims:
            claims.enter_context(ledger.tournaments.claim(state.id))

            def reclaim() -> None:
                """Claim it again if the database server released the claim while it was away."""
                if not ledger.tournaments.is_claimed(state.id):
                    claims.enter_context(ledger.tournaments.claim(state.id))

            # Answers that an earlier run could not write come first: they are paid for, and no call may be repeated.
            notes = replay_spool(ledger, state, spool_folders(pace.spool, ledger.file))
            if state.rounds:
                ledger.tournaments.add_event(state.id, "resumed", {})
            if state.settings.system is not None:
                apply_decay(ledger, state)
            runner = Runner(ledger, state, participants, gate=gate, pace=pace, observer=observer, reclaim=reclaim)
            for words in notes:
                runner.note(words)
            try:
                yield runner
                await runner.ended()
            finally:
                runner.close()
    finally:
        await participants.close()
