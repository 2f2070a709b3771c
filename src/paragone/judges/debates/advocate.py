"""Who speaks for an item in a debate, and how a turn passes through what is put around judges."""

from dataclasses import dataclass
from typing import Protocol

from paragone.domain import Choice, DebateTurn, Question, Speaker, Spending, Stage, Verdict, stages
from paragone.judges.base import Forecasting, JudgeCard


class Advocate(Protocol):
    """Speaks for either side of a debate, one turn at a time."""

    @property
    def identity(self) -> str:
        """Names everything that may change what it says: model, endpoint, prompts, options. Never holds a secret."""
        ...

    def prompt_hash(self, stage: Stage) -> str | None:
        """SHA-256 of the prompt template for such a turn, for advocates that have one."""
        ...

    async def argue(
        self, question: Question, speaker: Speaker, stage: Stage, so_far: tuple[DebateTurn, ...]
    ) -> DebateTurn:
        """Say what comes next for one side.

        Args:
            question: The two items and the criteria.
            speaker: The side to speak for.
            stage: What the turn is for.
            so_far: What was said before, both sides in turn.

        Raises:
            JudgeFailed: If there was nothing, or nothing that can be read.
        """
        ...

    def price(self, question: Question) -> float | None:
        """What the next turn will cost at the most likely, in US dollars; None where that is not known."""
        ...

    async def close(self) -> None:
        """Give back what it holds."""
        ...


def next_turn(question: Question) -> tuple[Speaker, Stage]:
    """Whose turn it is in a debate that goes on, and what for; the item shown first begins."""
    side, done = (Speaker.FIRST, Speaker.SECOND)[len(question.transcript) % 2], len(question.transcript) // 2
    return side, stages(question.turns)[done]


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoken(Verdict):
    """A turn in the clothes of a verdict, so that budget, retries, limits and timeouts hold for it as for any call.

    Its choice is an abstention: a turn decides nothing.

    Attributes:
        turn: What was said.
    """

    turn: DebateTurn


class Speaking:
    """An advocate in the clothes of a judge: a question whose debate goes on is answered by the next turn."""

    def __init__(self, advocate: Advocate) -> None:
        self._advocate = advocate
        self._card = JudgeCard(identity=advocate.identity)

    @property
    def card(self) -> JudgeCard:
        """Names the advocate."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """Say what comes next.

        Raises:
            JudgeFailed: If the advocate failed.
        """
        speaker, stage = next_turn(question)
        turn = await self._advocate.argue(question, speaker, stage, question.transcript)
        return Spoken(choice=Choice.ABSTAIN, judge=turn.advocate, usage=turn.usage, turn=turn)

    def price(self, question: Question) -> float | None:
        """What the advocate says that the turn will cost, in US dollars."""
        return self._advocate.price(question)

    def forecast(self, question: Question) -> Spending:
        """What the advocate says that the turn will take."""
        if isinstance(self._advocate, Forecasting):
            return self._advocate.forecast(question)
        dollars = self.price(question)
        return Spending(requests=1, unmetered=1, dollars=dollars, unpriced=int(dollars is None))

    async def close(self) -> None:
        """Close the advocate."""
        await self._advocate.close()
