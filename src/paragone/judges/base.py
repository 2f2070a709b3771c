"""The ``Judge`` protocol, the card of a judge, and calls on a pair or a list."""

import asyncio
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from paragone.domain import Comparison, Item, Lineup, Order, Pairing, Question, Ranking, Spending, Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerContents:
    """What an answer is to hold besides the choice. What was not asked for is not missed.

    Attributes:
        rationale: Whether reasons are asked for.
        weights: The criteria to be scored, with the weight of each; none where no scores are asked for.
    """

    rationale: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ListCard:
    """What must be known about a judge's answers to lists.

    Attributes:
        identity: Like that of `JudgeCard`, for these answers: where the prompt is another, so is the judge.
        most: The longest list that it takes.
        prompt_hash: SHA-256 of the prompt template, for judges that have one.
    """

    identity: str
    most: int = 20
    prompt_hash: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateCard:
    """What must be known about a judge's verdicts on debates.

    Attributes:
        identity: Like that of `JudgeCard`, for these verdicts.
        prompt_hash: SHA-256 of the prompt template, for judges that have one.
        contents: What these verdicts are to hold.
        advocate: Who speaks in the debates, where that is settled: another advocate makes another debate.
    """

    identity: str
    prompt_hash: str | None = None
    contents: AnswerContents = field(default_factory=AnswerContents)
    advocate: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCard:
    """What other packages must know about a judge.

    Attributes:
        identity: Names everything that may change its answers: kind, model, endpoint, prompt, options. Part of the
            verdict cache's key and stored in every verdict. Never holds a key or another secret.
        prompt_hash: SHA-256 of the prompt template, for judges that have one.
        reads_ids: Whether its answer may depend on the items' ids and not on their texts alone.
        concurrency: How many questions it takes at once at the most; None where it does not mind.
        interactive: Whether a person answers at this terminal, so that nothing else may draw on it.
        lists: About its answers to lists of several; None where it takes pairs alone.
        debates: About its verdicts on debates; None where it cannot hear any.
        contents: What its answers are to hold.
        sends: Whether to ask it is to send a request to a model. People, functions, programs and recordings decide
            without: what they take is their own affair.
    """

    identity: str
    prompt_hash: str | None = None
    reads_ids: bool = False
    concurrency: int | None = None
    interactive: bool = False
    lists: ListCard | None = None
    debates: DebateCard | None = None
    contents: AnswerContents = field(default_factory=AnswerContents)
    sends: bool = True

    @property
    def identities(self) -> frozenset[str]:
        """All names that its verdicts may bear: on pairs, on lists, on debates."""
        return frozenset(form.identity for form in (self, self.lists, self.debates) if form is not None)

    def answering(self, question: Question) -> "JudgeCard":  # noqa: ARG002  # a panel's card looks at it
        """The card of whoever answers this question: of a panel, one of its members."""
        return self

    def identity_for(self, question: Question) -> str:
        """Who answers this question: on a list or a debate it may be somebody else than on a pair."""
        return self._form(question).identity

    def prompt_hash_for(self, question: Question) -> str | None:
        """SHA-256 of the prompt template that asks this question."""
        return self._form(question).prompt_hash

    def contents_for(self, question: Question) -> AnswerContents:
        """What the answer to this question is to hold besides the choice."""
        form = self._form(question)
        return AnswerContents() if isinstance(form, ListCard) else form.contents

    def _form(self, question: Question) -> "JudgeCard | ListCard | DebateCard":
        card = self.answering(question)
        if question.others and card.lists is not None:
            return card.lists
        return card.debates if question.turns and card.debates is not None else card


class Judge(Protocol):
    """Answers comparisons, and puts lists in order where its card says so. A wrapper is a judge around a judge."""

    @property
    def card(self) -> JudgeCard:
        """What other packages must know about it."""
        ...

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison; a question with ``others`` by a ranked verdict or an abstention.

        Raises:
            JudgeFailed: If there was no answer.
        """
        ...

    def price(self, question: Question) -> float | None:
        """What the answer will cost at the most likely, in US dollars; None where that is not known."""
        ...

    async def close(self) -> None:
        """Give back what the judge holds: processes, connections, memory."""
        ...


@runtime_checkable
class ItemAware(Protocol):
    """What a judge may say besides: which items it cannot judge, known before it is asked."""

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of some items that it cannot judge."""
        ...


@runtime_checkable
class Forecasting(Protocol):
    """What a judge or an advocate may say besides: what its next answer will take, tokens included."""

    def forecast(self, question: Question) -> Spending:
        """Requests, tokens and dollars that the answer will most likely take."""
        ...


def forecast_of(judge: Judge, question: Question) -> Spending:
    """What the answer to a question will likely take: one request, of unknown tokens where the judge cannot say."""
    if isinstance(judge, Forecasting):
        return judge.forecast(question)
    if not judge.card.answering(question).sends:
        return Spending(dollars=judge.price(question))
    dollars = judge.price(question)
    return Spending(requests=1, unmetered=1, dollars=dollars, unpriced=int(dollars is None))


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


def uniform(*names: str | float) -> float:
    """A number in [0, 1) that depends on ``names`` and on nothing else; all 53 bits of it are used."""
    digest = hashlib.sha256(json.dumps(names, separators=(",", ":")).encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / (1 << 53)


def fingerprint(*parts: object) -> str:
    """Twelve hexadecimal digits that stand for ``parts`` (plain JSON values) in a judge's identity."""
    return hashlib.sha256(json.dumps(parts, separators=(",", ":"), sort_keys=True).encode()).hexdigest()[:12]


async def compare_pair(
    judge: Judge, pairing: Pairing, items: Mapping[str, Item], criteria: str, call_prefix: str
) -> tuple[Comparison, ...]:
    """Ask one comparison for each of the pairing's orders, all at once.

    Every comparison that was begun is waited for, also where another one fails: its answer may have been paid for.

    Args:
        judge: Whom to ask.
        pairing: The two items, the orders in which to show them, and how long they are debated before each verdict.
        items: The items by id.
        criteria: What "better" means.
        call_prefix: Names the match; its calls are ``prefix.1``, ``prefix.2``, ...

    Returns:
        The comparisons, in the order of the pairing's orders; `Match.of` makes a match of them.

    Raises:
        JudgeFailed: If a call failed and the judge does not settle failures into verdicts.
        BudgetSpent: If the budget did not reach for all orders.

    Source: document S, "位置バイアスの軽減".
    """

    async def ask(number: int, order: Order) -> Comparison:
        first, second = pairing.shown(order)
        call = f"{call_prefix}.{number}"
        question = Question(call=call, first=items[first], second=items[second], criteria=criteria, turns=pairing.turns)
        return Comparison(call=call, first=first, second=second, verdict=await judge.compare(question))

    calls = (ask(number, order) for number, order in enumerate(pairing.orders, 1))
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return tuple(result for result in results if isinstance(result, Comparison))


async def order_lineup(
    judge: Judge, lineup: Lineup, items: Mapping[str, Item], criteria: str, call_prefix: str
) -> Ranking:
    """Ask for the order of a lineup.

    Args:
        judge: Whom to ask; its card must say that it takes lists of this length.
        lineup: The ids in the order in which to show them.
        items: The items by id.
        criteria: What "better" means.
        call_prefix: Names the match; its only call is ``prefix.1``.

    Raises:
        JudgeFailed: If the call failed and the judge does not settle failures into verdicts.
        BudgetSpent: If the budget did not reach for it.
    """
    call, (first, second, *rest) = f"{call_prefix}.1", (items[id] for id in lineup.items)
    question = Question(call=call, first=first, second=second, others=tuple(rest), criteria=criteria)
    return Ranking(call=call, shown=lineup.items, verdict=await judge.compare(question))


def in_debate(question: Question) -> bool:
    """Whether the debate of a question is still going on, so that an advocate answers and not the judge."""
    return len(question.transcript) < 2 * question.turns
