"""The ledger as a store of verdicts and turns: what was paid for is found again, what arrives is kept at once."""

from collections.abc import Callable
from dataclasses import replace

from paragone.domain import Comparison, DebateTurn, Question, Ranking, Usage, Verdict
from paragone.ledger import Ledger, PendingTurn, PendingVerdict
from paragone.tournaments.running.keeping import Keeper


class LedgerVerdicts:
    """Finds the verdicts of a tournament, then those of any tournament; keeps each as it arrives.

    Args:
        ledger: Where verdicts are kept.
        tournament: Whose verdicts are kept.
        keeper: Writes them.
        arrived: Told of each answer that this run added to the ledger.
        deciding: Told of a question just before its answer is kept.
        failed: Told of each failed attempt that this run added to the ledger.

    Attributes:
        fresh: Whether no call of the moment can have been put before, so that nobody need look for its answer.
    """

    def __init__(
        self,
        ledger: Ledger,
        tournament: str,
        keeper: Keeper,
        arrived: Callable[[Verdict], None],
        deciding: Callable[[Question], None] = lambda _: None,
        failed: Callable[[Verdict], None] = lambda _: None,
    ) -> None:
        self.fresh = False
        self._deciding = deciding
        self._ledger = ledger
        self._tournament = tournament
        self._keeper = keeper
        self._arrived = arrived
        self._failed = failed

    def find(self, question: Question, key: str) -> Verdict | None:
        """The verdict of this call from before a crash, or the same question's from another call."""
        waiting = self._keeper.answer(question.call)
        if waiting is not None:
            return waiting
        before = None if self.fresh else self._ledger.tournaments.verdict(self._tournament, question.call)
        if before is not None:
            return before
        known = self._ledger.tournaments.cached_verdict(key)
        if known is None:
            return None
        again = replace(known, cached=True, usage=Usage(cost=0.0))
        self.keep(question, key, again)
        return again

    def keep(self, question: Question, key: str, verdict: Verdict) -> None:
        """Record an answer."""
        self._deciding(question)
        self._keeper.write(PendingVerdict(answer=answer_to(question, verdict), key=key))
        self._arrived(verdict)

    def lost(self, question: Question, verdict: Verdict) -> None:
        """Record an attempt that brought no answer: what it took is counted, and it is never found as an answer."""
        self._keeper.write(PendingVerdict(answer=answer_to(question, verdict)))
        self._failed(verdict)


def answer_to(question: Question, verdict: Verdict) -> Comparison | Ranking:
    """A verdict with what it is about: a pair, or a list of several."""
    if question.others:
        return Ranking(call=question.call, shown=tuple(item.id for item in question.items), verdict=verdict)
    return Comparison(call=question.call, first=question.first.id, second=question.second.id, verdict=verdict)


class LedgerTurns:
    """Finds the turns of a tournament's debates; keeps each as it arrives.

    Args:
        ledger: Where turns are kept.
        tournament: Whose turns they are.
        keeper: Writes them.
        arrived: Told of each turn that this run added to the ledger.
    """

    def __init__(self, ledger: Ledger, tournament: str, keeper: Keeper, arrived: Callable[[DebateTurn], None]) -> None:
        self._ledger = ledger
        self._tournament = tournament
        self._keeper = keeper
        self._arrived = arrived

    def find(self, call: str, number: int) -> DebateTurn | None:
        """A turn from before a crash, or from a try that failed later on."""
        waiting = self._keeper.turn(call, number)
        if waiting is not None:
            return waiting
        return next(
            (turn for turn in self._ledger.tournaments.turns(self._tournament, call) if turn.number == number), None
        )

    def keep(self, turn: DebateTurn) -> None:
        """Record a turn."""
        self._keeper.write(PendingTurn(turn=turn))
        self._arrived(turn)
