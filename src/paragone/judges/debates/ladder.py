"""A debate that fails is tried shorter, then not at all."""

from collections.abc import Callable
from dataclasses import replace

from paragone.domain import Choice, Question, Verdict
from paragone.judges.base import Judge
from paragone.judges.debates.debate import Fallback
from paragone.judges.wrapper import Wrapper


class Ladder(Wrapper):
    """The outermost wrapper where debates are held: whatever fails is asked for in a simpler form.

    A failed debate is asked for at half its length, where turns that were spoken already count; then the two are
    compared directly; and if that fails too, the failure is the answer, and whoever asked may try again later. Every
    step is told before it is taken. A spent budget and an interrupt are no failures and pass through.

    Put it outside ``Settled``, which makes verdicts of failures, and outside ``Cached``, so that each form is found
    and kept as the question that it is.

    Source: document R, "Debate Generation Failures".
    """

    def __init__(self, judge: Judge, fell: Callable[[Fallback], None] | None = None) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside; its failures are verdicts.
            fell: Told of every step.
        """
        super().__init__(judge)
        self._fell = fell

    async def compare(self, question: Question) -> Verdict:
        """The verdict in the best form that could be had; FAILED where none could."""
        verdict = await self._judge.compare(question)
        if not question.turns:
            return verdict
        for turns in simpler(question.turns):
            if verdict.choice is not Choice.FAILED:
                return verdict
            self._tell(question.call, "shorter" if turns else "direct", turns, verdict.error)
            verdict = await self._judge.compare(replace(question, turns=turns))
        if verdict.choice is Choice.FAILED:
            self._tell(question.call, "later", 0, verdict.error)
        return verdict

    def _tell(self, call: str, step: str, turns: int, error: str) -> None:
        if self._fell is not None:
            self._fell(Fallback(call=call, step=step, turns=turns, error=error))


def simpler(turns: int) -> tuple[int, ...]:
    """The lengths, in turns a side, at which a failed debate is tried again: half of it, then none."""
    return (turns // 2, 0) if turns > 1 else (0,)
