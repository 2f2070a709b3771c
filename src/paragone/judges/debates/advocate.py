"""The ``Advocate`` protocol, and the adapter that lets turns pass through the wrappers of judges."""

from dataclasses import dataclass
from typing import Protocol

from paragone.domain import Choice, DebateTurn, Question, Speaker, Spending, Stage, Verdict, stages
from paragone.judges.base import Forecasting, JudgeCard


class Advocate(Protocol):
    """Speaks for either side of a debate, one turn at a time."""

    @property
    def identity(self) -> str:
        """Names everything that may change its turns: model, endpoint, prompts, options. Never holds a secret."""
        ...

    def prompt_hash(self, stage: Stage) -> str | None:
        """SHA-256 of the prompt template for such a turn, for advocates that have one."""
        ...

    async def argue(
        self, question: Question, speaker: Speaker, stage: Stage, so_far: tuple[DebateTurn, ...]
    ) -> DebateTurn:
        """Write the next turn for one side.

        Args:
            question: The two items and the criteria.
            speaker: The side to speak for.
            stage: The stage of the debate.
            so_far: The turns so far, both sides alternating.

        Raises:
            JudgeFailed: If there was no answer, or it cannot be read.
        """
        ...

    def price(self, question: Question) -> float | None:
        """Expected cost of the next turn in US dollars; None where it is unknown."""
        ...

    async def close(self) -> None:
        """Release what it holds."""
        ...


def next_turn(question: Question) -> tuple[Speaker, Stage]:
    """The speaker and the stage of the next turn; the item shown first begins."""
    side, done = (Speaker.FIRST, Speaker.SECOND)[len(question.transcript) % 2], len(question.transcript) // 2
    return side, stages(question.turns)[done]


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnVerdict(Verdict):
    """A debate turn as a verdict, so that budget, retries, limits and timeouts apply to it as to any call.

    Its choice is an abstention, since a turn decides nothing.

    Attributes:
        turn: The turn.
    """

    turn: DebateTurn


class AdvocateAsJudge:
    """An advocate as a judge: it answers a question with the next turn of its debate."""

    def __init__(self, advocate: Advocate) -> None:
        self._advocate = advocate
        self._card = JudgeCard(identity=advocate.identity)

    @property
    def card(self) -> JudgeCard:
        """Names the advocate."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """The next turn.

        Raises:
            JudgeFailed: If the advocate failed.
        """
        speaker, stage = next_turn(question)
        turn = await self._advocate.argue(question, speaker, stage, question.transcript)
        return TurnVerdict(choice=Choice.ABSTAIN, judge=turn.advocate, usage=turn.usage, turn=turn)

    def price(self, question: Question) -> float | None:
        """Expected cost of the turn in US dollars."""
        return self._advocate.price(question)

    def forecast(self, question: Question) -> Spending:
        """Expected spending on the turn."""
        if isinstance(self._advocate, Forecasting):
            return self._advocate.forecast(question)
        dollars = self.price(question)
        return Spending(requests=1, unmetered=1, dollars=dollars, unpriced=int(dollars is None))

    async def close(self) -> None:
        """Close the advocate."""
        await self._advocate.close()
