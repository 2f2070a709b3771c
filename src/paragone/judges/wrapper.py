"""A judge around a judge."""

from paragone.domain import Question, Verdict
from paragone.judges.base import Judge, JudgeCard


class Wrapper:
    """Passes everything on to the judge inside; each wrapper changes the one thing it is for."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @property
    def card(self) -> JudgeCard:
        """The card of the judge inside."""
        return self._judge.card

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison.

        Raises:
            JudgeFailed: If there was no answer.
        """
        return await self._judge.compare(question)

    def price(self, question: Question) -> float | None:
        """What the judge inside says it will cost, in US dollars."""
        return self._judge.price(question)

    async def close(self) -> None:
        """Close the judge inside."""
        await self._judge.close()
