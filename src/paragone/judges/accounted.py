"""Every attempt that brings no answer is told the moment it ends, with what it took."""

import asyncio
from collections.abc import Callable

from paragone.domain import Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import Judge
from paragone.judges.settled import failed
from paragone.judges.wrapper import Wrapper

Lost = Callable[[Question, Verdict], None]
"""Told of a question and of the attempt at it that failed, as a verdict of whoever failed."""


class Accounted(Wrapper):
    """Tells of each attempt that failed, and of each that was cut off while a model worked on it.

    Put it directly around a judge, or an advocate in the clothes of one, inside the gate, limits and retries: so it
    speaks of those who were really asked, by their own names, and nothing that was paid for is lost if the program
    dies before the next attempt.
    """

    def __init__(self, judge: Judge, lost: Lost) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            lost: Told of each attempt without an answer.
        """
        super().__init__(judge)
        self._lost = lost

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison.

        Raises:
            JudgeFailed: If there was no answer.
        """
        try:
            return await self._judge.compare(question)
        except JudgeFailed as failure:
            if failure.attempts:
                self._lost(question, failed(self.card, question, failure))
            raise
        except asyncio.CancelledError:
            if self.card.answering(question).sends:
                cut = JudgeFailed(f"{self.card.identity_for(question)} was cut off before it answered")
                self._lost(question, failed(self.card, question, cut))
            raise
