"""Pause a panel member or an advocate that keeps failing."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from paragone.domain import Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import Judge, Wrapper, in_debate

PATIENCE = 5
"""Questions in a row that a judge or advocate fails before it is paused."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outage:
    """A judge or an advocate is paused.

    Attributes:
        who: A judge of a panel, or an advocate.
        reason: The last failure, in words.
        seconds: For how long; None for the rest of the run.
        hint: What may be shown beside the reason and is not kept.
    """

    who: str
    reason: str
    seconds: float | None
    hint: str = ""


@dataclass(slots=True)
class _Circuit:
    failures: int = 0
    pauses: int = 0
    until: float | None = None
    reason: str = ""
    on_trial: bool = False


class CircuitBreaker(Wrapper):
    """A circuit breaker for the members of a panel and the advocates of debates, which a run can do without.

    After a permanent failure (a refused key, an unknown model) a member is not asked again. After ``patience`` failed
    questions in a row, each with all its retries, it is paused, then tried with one question, and paused for twice as
    long if that fails too. A question to a paused member fails at once, without a call. A judge on its own is never
    paused: if it cannot answer, the run ends.

    Put it outside ``Retrying``, so that a question counts once.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        on_outage: Callable[[Outage], None] = lambda outage: None,  # noqa: ARG005
        patience: int = PATIENCE,
        first: float = 60.0,
        longest: float = 3600.0,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            on_outage: Called as each pause begins.
            patience: Failed questions in a row before a pause.
            first: Seconds of the first pause; each further one is twice as long.
            longest: The longest pause, in seconds.
            clock: Seconds from any origin; the event loop's by default.
        """
        super().__init__(judge)
        self._on_outage = on_outage
        self._patience = patience
        self._first, self._longest = first, longest
        self._clock = clock
        self._circuits: dict[str, _Circuit] = {}

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, unless the member to ask is paused.

        Raises:
            JudgeFailed: If there was no answer; with no attempt where the member is paused.
        """
        who = self._member(question)
        if who is None:
            return await self._judge.compare(question)
        circuit = self._circuits.setdefault(who, _Circuit())
        trial = self._admit(who, circuit)
        try:
            verdict = await self._judge.compare(question)
        except JudgeFailed as failure:
            self._failed(who, circuit, failure, trial=trial)
            raise
        else:
            circuit.failures, circuit.pauses, circuit.until = 0, 0, None
            return verdict
        finally:
            if trial:
                circuit.on_trial = False

    def _member(self, question: Question) -> str | None:
        """Identity of the member that answers; None for a judge on its own."""
        card = self.card
        if in_debate(question):
            return None if card.debates is None else card.debates.advocate
        member = card.answering(question)
        return None if member is card else member.identity

    def _admit(self, who: str, circuit: _Circuit) -> bool:
        """Whether this question is a trial after a pause.

        Raises:
            JudgeFailed: If the member is paused.
        """
        if circuit.until is None:
            return False
        if circuit.on_trial or self._now() < circuit.until:
            raise JudgeFailed(f"{who} is paused: {circuit.reason}", retryable=False, attempts=0)
        circuit.on_trial = True
        return True

    def _failed(self, who: str, circuit: _Circuit, failure: JudgeFailed, *, trial: bool) -> None:
        circuit.failures += 1
        paused = circuit.until is not None and not trial
        if failure.permanent and circuit.until != float("inf"):
            seconds = None
        elif not paused and (trial or circuit.failures >= self._patience):
            seconds = min(self._longest, self._first * 2.0**circuit.pauses)
        else:
            return  # it was in flight when the pause began
        circuit.pauses += 1
        circuit.reason = str(failure)
        circuit.until = float("inf") if seconds is None else self._now() + seconds
        self._on_outage(Outage(who=who, reason=circuit.reason, seconds=seconds, hint=failure.hint))

    def _now(self) -> float:
        return asyncio.get_running_loop().time() if self._clock is None else self._clock()
