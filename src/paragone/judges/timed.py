"""A call that takes too long has failed."""

import asyncio

from paragone.domain import Choice, Question, Verdict
from paragone.errors import InvalidConfig, JudgeFailed
from paragone.judges.base import Judge
from paragone.judges.wrapper import Wrapper

_SAID = "gave no answer within"


class Timed(Wrapper):
    """Gives every call so many seconds; a person at the terminal is not hurried."""

    def __init__(self, judge: Judge, seconds: float = 300.0) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            seconds: Seconds that a call may take; the default is the documents' for a match.

        Raises:
            InvalidConfig: If ``seconds`` is not positive.
        """
        super().__init__(judge)
        if seconds <= 0:
            raise InvalidConfig(f"the timeout must be positive, not {seconds}")
        self._seconds = None if judge.card.interactive else seconds

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison in time.

        Raises:
            JudgeFailed: If the judge inside failed or took too long.
        """
        deadline = asyncio.timeout(self._seconds)
        try:
            async with deadline:
                return await self._judge.compare(question)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise JudgeFailed(f"{self.card.identity_for(question)} {_SAID} {self._seconds} s") from error


def timed_out(verdict: Verdict) -> bool:
    """Whether a failure is one of time."""
    return verdict.choice is Choice.FAILED and _SAID in verdict.error
