"""A call of a judge as a span: who was asked, what it took, what came of it. None of the texts is in it."""

from paragone.domain import Question, Verdict
from paragone.errors import JudgeFailed
from paragone.judges.wrapper import Wrapper
from paragone.tracing import is_traced, span


class Traced(Wrapper):
    """Says of each call when it begins and ends; calls that are tried again are told one by one."""

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison.

        Raises:
            JudgeFailed: If there was no answer.
        """
        if not is_traced():
            return await self._judge.compare(question)
        asked = {"paragone.call": question.call, "paragone.judge": self.card.identity_for(question)}
        with span("judge.call", asked) as told:
            try:
                verdict = await self._judge.compare(question)
            except JudgeFailed as failure:
                sent, received = failure.tokens or (None, None)
                told.note(_taken(sent, received, failure.cost))
                raise
            usage = verdict.usage
            told.note({"paragone.choice": verdict.choice.value})
            told.note(_taken(usage.input_tokens, usage.output_tokens, usage.cost))
            return verdict


def _taken(sent: int | None, received: int | None, cost: float | None) -> dict[str, int | float | None]:
    return {"paragone.input_tokens": sent, "paragone.output_tokens": received, "paragone.cost": cost}
