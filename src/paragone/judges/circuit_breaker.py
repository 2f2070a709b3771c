"""Pause a panel member or an advocate that keeps failing."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from paragone.domain import Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import Judge, Wrapper, in_debate

PATIENCE = 5
"""Questions in a row that somebody fails at before a rest."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outage:
    """Somebody is not asked for a while.

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
class _Voice:
    failures: int = 0
    rests: int = 0
    until: float | None = None
    reason: str = ""
    on_trial: bool = False


class CircuitBreaker(Wrapper):
    """A circuit breaker for those whom others can do without: the members of a panel, and the advocates of debates.

    Who has failed for good (a key that is refused, a model that is not there) is not asked again; who has failed at
    ``patience`` questions in a row, each with all its retries, rests, is then tried with one question, and rests twice
    as long where that fails too. What is asked of one who rests fails at once, without a call. A judge on its own never
    rests: where it is out, the run ends.

    Put it outside ``Retrying``, so that a question counts once.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        rests: Callable[[Outage], None] = lambda rest: None,  # noqa: ARG005
        patience: int = PATIENCE,
        first: float = 60.0,
        longest: float = 3600.0,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            rests: Told of each rest as it begins.
            patience: Questions in a row that somebody fails at before a rest.
            first: Seconds of the first rest; each further one is twice as long.
            longest: Seconds that no rest exceeds.
            clock: Seconds from any origin; the event loop's by default.
        """
        super().__init__(judge)
        self._rests = rests
        self._patience = patience
        self._first, self._longest = first, longest
        self._clock = clock
        self._voices: dict[str, _Voice] = {}

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison, unless whoever is asked rests.

        Raises:
            JudgeFailed: If there was no answer; with no attempt where nobody was asked.
        """
        who = self._asked(question)
        if who is None:
            return await self._judge.compare(question)
        voice = self._voices.setdefault(who, _Voice())
        trial = self._admit(who, voice)
        try:
            verdict = await self._judge.compare(question)
        except JudgeFailed as failure:
            self._failed(who, voice, failure, trial=trial)
            raise
        else:
            voice.failures, voice.rests, voice.until = 0, 0, None
            return verdict
        finally:
            if trial:
                voice.on_trial = False

    def _asked(self, question: Question) -> str | None:
        """Who answers; None for a judge on its own."""
        card = self.card
        if in_debate(question):
            return None if card.debates is None else card.debates.advocate
        member = card.answering(question)
        return None if member is card else member.identity

    def _admit(self, who: str, voice: _Voice) -> bool:
        """Whether this question is a trial after a rest.

        Raises:
            JudgeFailed: If it is not to be put.
        """
        if voice.until is None:
            return False
        if voice.on_trial or self._now() < voice.until:
            raise JudgeFailed(f"{who} rests: {voice.reason}", retryable=False, attempts=0)
        voice.on_trial = True
        return True

    def _failed(self, who: str, voice: _Voice, failure: JudgeFailed, *, trial: bool) -> None:
        voice.failures += 1
        resting = voice.until is not None and not trial
        if failure.permanent and voice.until != float("inf"):
            seconds = None
        elif not resting and (trial or voice.failures >= self._patience):
            seconds = min(self._longest, self._first * 2.0**voice.rests)
        else:
            return  # it was under way when the rest began
        voice.rests += 1
        voice.reason = str(failure)
        voice.until = float("inf") if seconds is None else self._now() + seconds
        self._rests(Outage(who=who, reason=voice.reason, seconds=seconds, hint=failure.hint))

    def _now(self) -> float:
        return asyncio.get_running_loop().time() if self._clock is None else self._clock()
