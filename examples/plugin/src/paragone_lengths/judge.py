"""The judge ``lengths:WORDS``: the text whose length is nearer to so many words is better."""

from paragone.domain import Choice, Question, Usage, Verdict
from paragone.errors import UnknownJudge
from paragone.judges import JudgeCard, JudgeKind, SpecOptions


class LengthJudge:
    """Compares the numbers of words of two texts with a number that it wants."""

    def __init__(self, words: int) -> None:
        self._words = words
        # All that may change an answer is part of the identity: verdicts are cached under it.
        self.card = JudgeCard(identity=f"lengths:{words}", sends=False)

    async def compare(self, question: Question) -> Verdict:
        first, second = (abs(len(item.text.split()) - self._words) for item in (question.first, question.second))
        choice = Choice.TIE if first == second else Choice.FIRST if first < second else Choice.SECOND
        return Verdict(choice=choice, judge=self.card.identity, usage=Usage(cost=0.0))

    def price(self, question: Question) -> float:
        return 0.0

    async def close(self) -> None:
        pass


def _open(argument: str, options: SpecOptions) -> LengthJudge:
    if not argument.isdecimal():
        raise UnknownJudge(f"lengths:{argument} is no number of words; write lengths:40")
    return LengthJudge(int(argument))


LENGTHS = JudgeKind(
    name="lengths", form="lengths:WORDS", help="the text whose length is nearer to so many words", open=_open
)
