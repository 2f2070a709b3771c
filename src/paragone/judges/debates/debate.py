"""Hold a debate between advocates before the verdict; one that fails is tried shorter, then as a direct comparison."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from paragone.domain import Choice, DebateTurn, Question, Speaker, Spending, Stage, Verdict, stages
from paragone.errors import JudgeFailed
from paragone.judges.base import Forecasting, Judge, JudgeCard, Wrapper, in_debate


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


class TurnStore(Protocol):
    """Where the turns of debates are kept as they arrive."""

    def find(self, call: str, number: int) -> DebateTurn | None:
        """Turn ``number`` (from 1) of the debate for a call; None where there is none yet."""
        ...

    def keep(self, turn: DebateTurn) -> Awaitable[None] | None:
        """Store a turn; what is returned, if anything, ends when it is safe."""
        ...


class MemoryTurns:
    """Turns in memory."""

    def __init__(self) -> None:
        self._turns: dict[str, dict[int, DebateTurn]] = {}  # by call and number

    def find(self, call: str, number: int) -> DebateTurn | None:
        """The stored turn."""
        return self._turns.get(call, {}).get(number)

    def keep(self, turn: DebateTurn) -> None:
        """Keep it."""
        self._turns.setdefault(turn.call, {})[turn.number] = turn

    def of(self, call: str) -> tuple[DebateTurn, ...]:
        """All turns of a debate, in order."""
        return tuple(turn for _, turn in sorted(self._turns.get(call, {}).items()))


class JudgeAndAdvocate(Wrapper):
    """A judge and an advocate as one judge: the advocate answers while a debate goes on, the judge after it.

    Wrappers around it (budget, retries, limits) apply to turns and verdicts together.
    """

    def __init__(self, judge: Judge, speaking: Judge) -> None:
        """Take both.

        Args:
            judge: Decides the debate.
            speaking: Answers questions whose debate goes on; see ``AdvocateAsJudge``.
        """
        super().__init__(judge)
        self._speaking = speaking
        card = judge.card
        if card.debates is not None:
            card = replace(card, debates=replace(card.debates, advocate=speaking.card.identity))
        self._card = card

    @property
    def card(self) -> JudgeCard:
        """The judge's card, which also names the advocate."""
        return self._card

    async def compare(self, question: Question) -> Verdict:
        """The next turn, or the verdict.

        Raises:
            JudgeFailed: If the advocate or the judge failed.
        """
        return await self._responder(question).compare(question)

    def price(self, question: Question) -> float | None:
        """What the next call will cost, in US dollars."""
        return self._responder(question).price(question)

    async def close(self) -> None:
        """Close both."""
        await self._speaking.close()
        await super().close()

    def _responder(self, question: Question) -> Judge:
        return self._speaking if in_debate(question) else self._judge


class DebateJudge(Wrapper):
    """Holds the debate that a question asks for, turn by turn, and then has it judged.

    A question without turns goes straight to the judge inside. The sides alternate, the item shown first begins. Each
    turn is taken from the store or asked for and kept as it arrives, so that an interrupted debate continues where it
    stopped. The verdict's usage is that of the verdict alone: turns carry their own.
    """

    def __init__(self, judge: Judge, turns: TurnStore | None = None) -> None:
        """Wrap a judge.

        Args:
            judge: Answers with a ``TurnVerdict`` while the debate about a question goes on, and else with a verdict:
                ``JudgeAndAdvocate``, with whatever is around it.
            turns: Where turns are kept; in memory by default.
        """
        super().__init__(judge)
        self._turns = MemoryTurns() if turns is None else turns

    async def compare(self, question: Question) -> Verdict:
        """The verdict, after the debate where one is asked for.

        Raises:
            JudgeFailed: If a turn or the verdict failed, or the judge cannot decide debates.
        """
        if in_debate(question) and self.card.answering(question).debates is None:
            raise JudgeFailed(f"{self.card.identity_for(question)} cannot decide debates", retryable=False, attempts=0)
        while in_debate(question):
            turn = self._turns.find(question.call, len(question.transcript) + 1)
            if turn is None:
                turn = await self._turn(question)
                stored = self._turns.keep(turn)
                if stored is not None:
                    await stored
            question = replace(question, transcript=(*question.transcript, turn))
        return await self._judge.compare(question)

    async def _turn(self, question: Question) -> DebateTurn:
        spoken = await self._judge.compare(question)
        if not isinstance(spoken, TurnVerdict):
            raise JudgeFailed(f"nobody speaks in the debates of {spoken.judge}", retryable=False)
        return replace(spoken.turn, usage=spoken.usage)  # including the calls of retries


@dataclass(frozen=True, kw_only=True, slots=True)
class Fallback:
    """A debate that failed is tried in another form.

    Attributes:
        call: The comparison that it was for.
        step: ``shorter``, ``direct`` (no debate at all), ``cheaper`` (a direct comparison by the first judge of a
            cascade), or ``later``: nothing helped, and the match stays open.
        turns: Turns a side that are tried next.
        error: What went wrong.
    """

    call: str
    step: str
    turns: int
    error: str


class DebateFallbacks(Wrapper):
    """The outermost wrapper where debates are held: a failed debate is tried again in a simpler form.

    A failed debate is tried at half its length, keeping the turns it has; then the two items are compared directly, as
    after a panel debate that failed; if that fails too, the failure is the answer, and the caller may try again later.
    Every step is reported before it is taken. A spent budget and an interrupt are not failures and pass through.

    Put it outside ``Settled``, which makes verdicts of failures, and outside ``Cached``, so that each form is found
    and kept as the question that it is.

    Source: the Ranking Agent specification, "Debate Generation Failures".
    """

    def __init__(self, judge: Judge, on_fallback: Callable[[Fallback], None] | None = None) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside; its failures are verdicts.
            on_fallback: Called before every step.
        """
        super().__init__(judge)
        self._on_fallback = on_fallback

    async def compare(self, question: Question) -> Verdict:
        """The verdict in the best form available; FAILED where there is none."""
        verdict = await self._judge.compare(question)
        if not question.protocol.is_debate and not question.level:
            return verdict
        for turns in simpler(question.turns) if question.protocol.is_debate else ():
            if verdict.choice is not Choice.FAILED:
                return verdict
            self._report(question.call, "shorter" if turns else "direct", turns, verdict.error)
            verdict = await self._judge.compare(replace(question, turns=turns, panel=False))
        if verdict.choice is Choice.FAILED and question.level:
            self._report(question.call, "cheaper", 0, verdict.error)
            verdict = await self._judge.compare(replace(question, turns=0, panel=False, level=0))
        if verdict.choice is Choice.FAILED:
            self._report(question.call, "later", 0, verdict.error)
        return verdict

    def _report(self, call: str, step: str, turns: int, error: str) -> None:
        if self._on_fallback is not None:
            self._on_fallback(Fallback(call=call, step=step, turns=turns, error=error))


def simpler(turns: int) -> tuple[int, ...]:
    """Lengths, in turns a side, at which a failed debate is tried again: half, then none."""
    return (turns // 2, 0) if turns > 1 else (0,)
