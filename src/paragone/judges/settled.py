"""A failure becomes a verdict."""

from paragone.domain import Choice, Question, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.wrapper import Wrapper


class Settled(Wrapper):
    """The outermost wrapper: whoever asks gets a verdict, and a failure is one of its choices.

    A spent budget, an interrupt and a cancellation are no failures of the judge and pass through.
    """

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison; where there was no answer, the choice is FAILED and ``error`` says why."""
        try:
            return await self._judge.compare(question)
        except JudgeFailed as failure:
            return Verdict(
                choice=Choice.FAILED,
                judge=self.card.identity_for(question),
                prompt_hash=self.card.prompt_hash_for(question),
                usage=Usage(calls=failure.attempts),
                error=str(failure),
            )
