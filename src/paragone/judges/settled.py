"""A failure becomes a verdict."""

from collections.abc import Callable

from paragone.domain import Choice, Question, Usage, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.base import Judge, JudgeCard
from paragone.judges.wrapper import Wrapper


class Settled(Wrapper):
    """The outermost wrapper: whoever asks gets a verdict, and a failure is one of its choices.

    A spent budget, an interrupt and a cancellation are no failures of the judge and pass through.
    """

    def __init__(self, judge: Judge, heard: Callable[[JudgeFailed], None] = lambda failure: None) -> None:  # noqa: ARG005
        """Wrap a judge.

        Args:
            judge: The judge inside.
            heard: Told of each failure as it was, with what no verdict holds.
        """
        super().__init__(judge)
        self._heard = heard

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison; where there was no answer, the choice is FAILED and ``error`` says why."""
        try:
            return await self._judge.compare(question)
        except JudgeFailed as failure:
            self._heard(failure)
            return failed(self.card, question, failure)


def failed(card: JudgeCard, question: Question, failure: JudgeFailed) -> Verdict:
    """The verdict that a failure is, with what it took as far as that is known."""
    sent, received = failure.tokens or (0, 0)
    known = card.answering(question)
    cost = 0.0 if failure.tokens is not None and not sent + received else failure.cost  # nothing was charged for
    return Verdict(
        choice=Choice.FAILED,
        judge=card.identity_for(question),
        prompt_hash=card.prompt_hash_for(question),
        usage=Usage(calls=failure.attempts if known.sends else 0, input_tokens=sent, output_tokens=received, cost=cost),
        error=str(failure),
    )
