"""The verdicts and turns of a tournament as the judge's wrappers look for them and keep them, in the ledger."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from paragone.domain import Comparison, DebateTurn, Question, Ranking, Usage, Verdict
from paragone.domain.text import counted
from paragone.errors import Conflict
from paragone.ledger import Ledger, PendingEvent, PendingTurn, PendingVerdict
from paragone.tournaments.running.control import ASKING
from paragone.tournaments.running.recording import LedgerWriter
from paragone.tournaments.running.spool import Spool
from paragone.tournaments.state import TournamentState


class LedgerVerdicts:
    """The verdicts of a tournament, and as a cache those of all others; each is recorded when it arrives.

    Args:
        writer: Writes them.
        on_verdict: Called with each answer that this run adds to the ledger, once it is safe.
        before_verdict: Called with a question and its answer just before that is recorded.
        on_failure: Called with each failed attempt that this run adds to the ledger.
    """

    def __init__(
        self,
        writer: LedgerWriter,
        on_verdict: Callable[[Verdict], None],
        before_verdict: Callable[[Question, Verdict], None],
        on_failure: Callable[[Verdict], None],
    ) -> None:
        self._writer = writer
        self._on_verdict = on_verdict
        self._before_verdict = before_verdict
        self._on_failure = on_failure

    def find(self, question: Question, key: str) -> Verdict | None:
        """The verdict of this call from before a crash, or that of the same question in another call."""
        tournaments = self._writer.ledger.tournaments
        # First the answer to this very call, queued or on record; then that to the same question of another call.
        verdict = self._writer.answer(question.call)
        if verdict is None and not ASKING.get().fresh:
            verdict = tournaments.verdict(self._writer.tournament, question.call)
        if verdict is not None:
            return verdict
        cached = self._writer.known(key) or tournaments.cached_verdict(key)
        if cached is None:
            return None
        verdict = replace(cached, cached=True, usage=Usage(cost=0.0))
        self.keep(question, key, verdict)
        return verdict

    def keep(self, question: Question, key: str, verdict: Verdict) -> Awaitable[None] | None:
        """Record an answer; it is reported when it is safe."""
        # Its event comes first: without it the answer would be read at another length.
        self._before_verdict(question, verdict)
        pending = PendingVerdict(answer=answer_to(question, verdict), key=key)
        return self._writer.write(pending, lambda: self._on_verdict(verdict))

    def lost(self, question: Question, verdict: Verdict) -> None:
        """Record a failed attempt: its cost counts, and it is never found as an answer."""
        self._writer.write(PendingVerdict(answer=answer_to(question, verdict)))
        self._on_failure(verdict)


def answer_to(question: Question, verdict: Verdict) -> Comparison | Ranking:
    """A verdict on a pair or a list, as the ledger records it."""
    if question.others:
        return Ranking(call=question.call, shown=tuple(item.id for item in question.items), verdict=verdict)
    return Comparison(call=question.call, first=question.first.id, second=question.second.id, verdict=verdict)


class LedgerTurns:
    """The turns of a tournament's debates; each is recorded when it arrives.

    Args:
        writer: Writes them.
        on_turn: Called with each turn that this run adds to the ledger.
    """

    def __init__(self, writer: LedgerWriter, on_turn: Callable[[DebateTurn], None]) -> None:
        self._writer = writer
        self._on_turn = on_turn

    def find(self, call: str, number: int) -> DebateTurn | None:
        """A turn from before a crash, or from an attempt that failed later."""
        queued = self._writer.turn(call, number)
        if queued is not None:
            return queued
        return self._writer.ledger.tournaments.turn(self._writer.tournament, call, number)

    def keep(self, turn: DebateTurn) -> Awaitable[None] | None:
        """Record a turn; it is reported when it is safe."""
        return self._writer.write(PendingTurn(turn=turn), lambda: self._on_turn(turn))


def replay_spool(ledger: Ledger, state: TournamentState, folders: Sequence[Path]) -> list[str]:
    """Write what waits in the spool of an earlier run, and remove it; returns notes for the observer.

    Raises:
        Unwritable: If the ledger still cannot be written; the spool stays.
    """
    spool = Spool(ledger.tournaments.get(state.id), folders)
    waiting = spool.take()
    # The file is removed last. If the process is killed before that, the next run writes the same entries again, and
    # ``again`` keeps an answer from being recorded twice.
    for entry in waiting:
        try:
            entry.record(ledger.tournaments, state.id, again=True)
        except Conflict as error:
            spool.notes.append(f"an answer that waited was left out: {error}")
    if waiting:
        paths = " and ".join(map(str, spool.paths))
        answers = sum(not isinstance(entry, PendingEvent) for entry in waiting)
        spool.notes.append(f"recovered {counted(answers, 'answer')} from {paths}; none of them is asked again")
        ledger.tournaments.add_event(state.id, "taken in", {"answers": answers})
        state.read_events(ledger)
    spool.clear()
    return spool.notes
