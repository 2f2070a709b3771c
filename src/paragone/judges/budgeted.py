"""Not one call more than the budget allows."""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass

from paragone.domain import Question, Verdict
from paragone.errors import BudgetSpent, InvalidConfig, JudgeFailed
from paragone.judges.base import Judge
from paragone.judges.wrapper import Wrapper

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Spending:
    """What calls took: requests, tokens in and out together, US dollars."""

    calls: int = 0
    tokens: int = 0
    money: float = 0.0

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            calls=self.calls + other.calls, tokens=self.tokens + other.tokens, money=self.money + other.money
        )

    def __sub__(self, other: "Spending") -> "Spending":
        return Spending(
            calls=self.calls - other.calls, tokens=self.tokens - other.tokens, money=self.money - other.money
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What may be spent at the most; None means any amount.

    Attributes:
        calls: Judge calls, failed ones included.
        tokens: Tokens, sent and received together.
        money: US dollars.
    """

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "money"):
            limit = getattr(self, name)
            if limit is not None and not 0 <= limit < math.inf:
                raise InvalidConfig(f"a budget in {name} is a number from 0 up, not {limit}")

    def exceeded_by(self, spending: Spending) -> str | None:
        """The limit that ``spending`` exceeds, in words; None where it exceeds none."""
        if self.calls is not None and spending.calls > self.calls:
            return f"{self.calls:,} calls"
        if self.tokens is not None and spending.tokens > self.tokens:
            return f"{self.tokens:,} tokens"
        if self.money is not None and spending.money > self.money + _ROUNDING:
            return f"${self.money:,.4g}"
        return None


def tokens_at_most(question: Question) -> int:
    """A generous estimate of a call's tokens: one for two bytes of what is asked, and 1,000 for prompt and answer.

    Common tokenisers take three to four bytes a token, in any script.
    """
    said = (
        text for turn in question.transcript for text in (turn.content, *turn.claims, *turn.rebuttals, *turn.evidence)
    )
    asked = (*(item.text for item in question.items), question.criteria, *said)
    return 1_000 + sum(len(text.encode("utf-8", "surrogatepass")) for text in asked) // 2


class Budgeted(Wrapper):
    """Refuses the call that would exceed the budget, also when many are in flight.

    Every call is reserved at its highest expected price before it is made and settled at its real one afterwards. A
    call that does not fit waits for those in flight, which may come out cheaper; if none is left, the budget is spent.
    A call that failed without saying what it took is settled at what was reserved.

    Put it inside `Retrying`, so that every attempt is counted, and inside `Cached`, so that what is known
    costs nothing.
    """

    def __init__(
        self,
        judge: Judge,
        budget: Budget,
        *,
        spent: Spending | None = None,
        tokens: Callable[[Question], int] = tokens_at_most,
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            budget: The limits.
            spent: What was spent of it before.
            tokens: The most tokens that a call is expected to take; an estimate too low lets a budget of tokens be
                exceeded by the difference.
        """
        super().__init__(judge)
        self._budget = budget
        self._spent = Spending() if spent is None else spent
        self._reserved = Spending()
        self._in_flight = 0
        self._tokens = tokens
        self._settled = asyncio.Event()

    @property
    def spent(self) -> Spending:
        """What has been spent so far, without the calls in flight."""
        return self._spent

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison if the budget allows it.

        Raises:
            BudgetSpent: If the call would exceed the budget; it was not made.
            JudgeFailed: If the judge inside failed.
            InvalidConfig: If the budget is in money and the judge does not know its price.
        """
        reserved = self._reservation(question)
        await self._reserve(reserved)
        used = reserved
        try:
            verdict = await self._judge.compare(question)
            used = _used(verdict, reserved)
        except JudgeFailed as failure:
            used = _lost(failure, reserved)
            raise
        else:
            return verdict
        finally:
            self._settle(reserved, used)

    async def _reserve(self, wanted: Spending) -> None:
        while (limit := self._budget.exceeded_by(self._spent + self._reserved + wanted)) is not None:
            if not self._in_flight:
                raise BudgetSpent(f"the budget of {limit} is spent; the next call would exceed it")
            self._settled.clear()
            await self._settled.wait()
        self._reserved += wanted
        self._in_flight += 1

    def _settle(self, reserved: Spending, used: Spending) -> None:
        self._in_flight -= 1
        # Sums of money are inexact; with nothing in flight, nothing is reserved.
        self._reserved = self._reserved - reserved if self._in_flight else Spending()
        self._spent += used
        self._settled.set()

    def _reservation(self, question: Question) -> Spending:
        money = self.price(question)
        if money is None and self._budget.money is not None:
            raise InvalidConfig(
                f"a budget in money needs a price, and that of {self.card.identity} is not known; "
                f"state it, or give the budget in calls or tokens"
            )
        return Spending(calls=1, tokens=self._tokens(question), money=money or 0.0)


def _lost(failure: JudgeFailed, reserved: Spending) -> Spending:
    tokens = reserved.tokens if failure.tokens is None else sum(failure.tokens)
    money = reserved.money if failure.cost is None else failure.cost
    return Spending(calls=failure.attempts, tokens=tokens, money=money)


def _used(verdict: Verdict, reserved: Spending) -> Spending:
    usage = verdict.usage
    money = usage.cost if usage.cost is not None else reserved.money * usage.calls
    return Spending(calls=usage.calls, tokens=usage.input_tokens + usage.output_tokens, money=money)
