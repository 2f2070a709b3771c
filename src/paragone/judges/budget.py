"""Refuse calls that would exceed the budget, as far as their usage can be predicted."""

import asyncio
import math
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from paragone.domain import Question, Spending, Verdict
from paragone.errors import BudgetSpent, InvalidConfig, JudgeFailed
from paragone.judges.base import Judge, Wrapper, in_debate

_ROUNDING = 1e-9
_ENOUGH = 5
"""Calls of a kind after which a bound that was too high is lowered too."""
_WINDOW = 100
"""Calls of a kind that are remembered."""

WaitForTurn = Callable[[], Awaitable[None]]
"""Waits until a call may start by the rate."""


async def at_once() -> None:
    """The turn where no rate is set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """Spending limits; None means no limit.

    Attributes:
        calls: Calls, failed ones included.
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

    @property
    def needs_estimates(self) -> bool:
        """Whether it limits something that is known only after a call: tokens or money."""
        return self.tokens is not None or self.money is not None

    @property
    def is_limited(self) -> bool:
        """Whether it limits anything."""
        return self.calls is not None or self.needs_estimates

    def exceeded_by(self, spending: Spending) -> str | None:
        """The limit that ``spending`` exceeds, in words; None where it exceeds none."""
        if self.calls is not None and spending.requests > self.calls:
            return f"{self.calls:,} calls"
        if self.tokens is not None and spending.tokens > self.tokens:
            return f"{self.tokens:,} tokens"
        if self.money is not None and (spending.dollars or 0.0) > self.money + _ROUNDING:
            return f"${self.money:,.4g}"
        return None


def tokens_at_most(question: Question) -> int:
    """A generous first guess of a call's tokens: one per two bytes of the question, plus 1,000 for prompt and answer.

    Common tokenisers take three to four bytes a token, in any script.
    """
    transcript_texts = (
        text for turn in question.transcript for text in (turn.content, *turn.claims, *turn.rebuttals, *turn.evidence)
    )
    texts = (*(item.text for item in question.items), question.criteria, *transcript_texts)
    return 1_000 + sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) // 2


@dataclass(frozen=True, kw_only=True, slots=True)
class ExpectedCall:
    """What a call was expected to take before the first one was made.

    Attributes:
        kind: Judge and form of question: calls of one kind differ only in the length of the texts.
        tokens: Tokens.
        dollars: US dollars; None where the price is not known.
    """

    kind: tuple[str, int]
    tokens: int
    dollars: float | None


class Foresight:
    """What calls take, learned from earlier calls.

    For each kind of call it remembers how much the last ones differed from a first guess based on the length of the
    texts. A call is expected to take its own guess plus the largest of these differences, so reasoning tokens are
    foreseen after the first call, and a guess that is too high is lowered after a few.
    """

    def __init__(self) -> None:
        self._past: defaultdict[tuple[str, int], deque[tuple[int, float]]] = defaultdict(lambda: deque(maxlen=_WINDOW))

    def knows(self, call: ExpectedCall) -> bool:
        """Whether a call of this kind has been made."""
        return bool(self._past.get(call.kind))

    def learn(self, call: ExpectedCall, took: Spending) -> None:
        """Learn from what a call took."""
        self._past[call.kind].append((took.tokens - call.tokens, (took.dollars or 0.0) - (call.dollars or 0.0)))

    def of(self, call: ExpectedCall) -> Spending:
        """The most that a call is expected to take."""
        past = self._past.get(call.kind) or ((0, 0.0),)
        tokens, dollars = (max(column) for column in zip(*past, strict=True))
        return most_of(call, len(past), tokens, dollars)


def most_of(call: ExpectedCall, calls: int, tokens: float, dollars: float) -> Spending:
    """The most that a call is expected to take.

    Args:
        call: The call.
        calls: How many calls of its kind were made.
        tokens: The most tokens that one of them took beyond its first guess.
        dollars: The same in US dollars.
    """
    if calls < _ENOUGH:
        tokens, dollars = max(0, tokens), max(0.0, dollars)
    return Spending(
        requests=1,
        output_tokens=max(0, call.tokens + int(tokens)),
        dollars=max(0.0, (call.dollars or 0.0) + dollars),
    )


class Budgeted(Wrapper):
    """Refuses calls that would exceed the budget, even with many in flight.

    Every call is reserved at what it is expected to take at the most (see ``Foresight``) before it is made, and
    settled at what it took afterwards. Of a kind of call that was not made yet one is made alone, so that the others
    are foreseen. A call that does not fit waits for those in flight, which may come out cheaper; if none is left, the
    budget is spent. No call is made once it is: so it is exceeded at the most by what calls in flight take beyond what
    all before them did. A call that said nothing of what it took is settled at what was reserved.

    Put it inside `Retrying`, so that every attempt is counted, inside `Cached`, so that what is known costs nothing,
    and inside `Limited`, so that nothing is reserved for a call that waits for its turn. The turn of a call that
    waited here is over by then, so it takes another one; else all that waited would start together.
    """

    def __init__(
        self,
        judge: Judge,
        budget: Budget,
        *,
        spent: Spending | None = None,
        tokens: Callable[[Question], int] = tokens_at_most,
        turn: WaitForTurn = at_once,
    ) -> None:
        """Wrap a judge.

        Args:
            judge: The judge inside.
            budget: The limits.
            spent: What was spent of it before; what is not known of it is taken for the mean of the rest.
            tokens: The most tokens that a call is expected to take before any was made.
            turn: Waits for another turn of the rate.
        """
        super().__init__(judge)
        self._budget = budget
        self._spent = filled(Spending() if spent is None else spent)
        self._reserved: dict[int, Spending] = {}
        self._numbers = 0
        self._first: set[tuple[str, int]] = set()
        self._tokens = tokens
        self._turn = turn
        self._foresight = Foresight()
        self._settled = asyncio.Event()

    @property
    def spent(self) -> Spending:
        """Spending so far, without the calls in flight."""
        return self._spent

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison if the budget allows it.

        Raises:
            BudgetSpent: If the call would exceed the budget; it was not made.
            JudgeFailed: If the judge inside failed.
            InvalidConfig: If the budget is in money and the judge does not know its price.
        """
        call = self._call(question)
        number, reserved, is_late = await self._reserve(call)
        used, is_known = Spending(), False
        try:
            if is_late:
                await self._turn()
            used = reserved  # a call that is cancelled may be charged: it counts as reserved
            verdict = await self._judge.compare(question)
            used, is_known = _used(verdict, reserved)
        except JudgeFailed as failure:
            used, is_known = _lost(failure, reserved)
            raise
        else:
            return verdict
        finally:
            self._settle(call, number, used, is_known=is_known)

    async def _reserve(self, call: ExpectedCall) -> tuple[int, Spending, bool]:
        """The number of a reservation, what was reserved, and whether it had to wait."""
        is_late = False
        # No await lies between the check and the reservation, so calls in flight cannot both take the last of it.
        while True:
            expected = self._foresight.of(call)
            limit = self._exceeded_with(expected)
            if limit is None and not self._must_wait(call):
                break
            if limit is not None and not self._reserved:
                raise BudgetSpent(f"the budget of {limit} is spent; the next call would exceed it")
            is_late = True
            self._settled.clear()
            await self._settled.wait()
        if not self._foresight.knows(call):
            self._first.add(call.kind)
        self._numbers += 1
        self._reserved[self._numbers] = expected
        return self._numbers, expected, is_late

    def _exceeded_with(self, expected: Spending) -> str | None:
        """The limit that would be exceeded, in words. Where there is none, the calls in flight need not be added up."""
        if not self._budget.is_limited:
            return None
        return self._budget.exceeded_by(sum(self._reserved.values(), self._spent + expected))

    def _must_wait(self, call: ExpectedCall) -> bool:
        """Whether to wait for the first call of this kind because what is left of the budget matters."""
        return self._budget.needs_estimates and call.kind in self._first and not self._foresight.knows(call)

    def _settle(self, call: ExpectedCall, number: int, used: Spending, *, is_known: bool) -> None:
        """Take off what was reserved, and count what it took instead; learn from that if the answer told it."""
        if is_known:
            self._foresight.learn(call, used)
        del self._reserved[number]
        self._first.discard(call.kind)
        self._spent += used
        self._settled.set()

    def _call(self, question: Question) -> ExpectedCall:
        card = self.card
        dollars = self.price(question)
        if dollars is None and self._budget.money is not None:
            raise InvalidConfig(
                f"a budget in money needs a price, and that of {card.identity} is not known; "
                f"state it, or give the budget in calls or tokens"
            )
        speaks = in_debate(question) and card.debates is not None
        who = card.debates.advocate if speaks and card.debates is not None else card.identity_for(question)
        sends = speaks or card.answering(question).sends
        return ExpectedCall(
            kind=(who, len(question.items)), tokens=self._tokens(question) if sends else 0, dollars=dollars
        )


def filled(spent: Spending) -> Spending:
    """Spending with the mean of the known calls in place of unknown ones."""
    metered, priced = spent.requests - spent.unmetered, spent.requests - spent.unpriced
    tokens = round(spent.unmetered * spent.tokens / metered) if metered > 0 else 0
    dollars = spent.unpriced * (spent.dollars or 0.0) / priced if priced > 0 else 0.0
    return replace(
        spent,
        output_tokens=spent.output_tokens + tokens,
        dollars=(spent.dollars or 0.0) + dollars,
        unmetered=0,
        unpriced=0,
    )


def _lost(failure: JudgeFailed, reserved: Spending) -> tuple[Spending, bool]:
    """What a failure took, and whether that tells what an answer takes."""
    if failure.tokens is None:
        return replace(reserved, requests=max(1, failure.attempts)), False
    sent, received = failure.tokens
    charged = 0.0 if not sent + received else failure.cost
    spending = Spending(
        requests=max(1, failure.attempts),
        input_tokens=sent,
        output_tokens=received,
        dollars=reserved.dollars if charged is None else charged,
    )
    return spending, sent + received > 0


def _used(verdict: Verdict, reserved: Spending) -> tuple[Spending, bool]:
    """What an answer took, and whether the answer reports it."""
    usage, spending = verdict.usage, Spending.of(verdict.usage)
    if verdict.cached:
        return spending, False
    silent = spending.unmetered > 0
    counted = Spending(
        requests=max(1, usage.calls),
        input_tokens=usage.input_tokens,
        output_tokens=reserved.output_tokens if silent else usage.output_tokens,
        dollars=(reserved.dollars or 0.0) * max(1, usage.calls) if usage.cost is None else usage.cost,
    )
    return counted, not silent
