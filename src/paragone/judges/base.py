"""The ``Judge`` protocol, the card of a judge, and calls on a pair or a list."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

from paragone.domain import Comparison, Dossier, Item, Lineup, Order, Pairing, Question, Ranking, Spending, Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerContents:
    """What an answer must hold besides the choice; anything else may be absent.

    Attributes:
        rationale: Whether reasons are asked for.
        weights: The criteria to score, with the weight of each; empty where no scores are asked for.
    """

    rationale: bool = False
    weights: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ListCard:
    """How a judge answers lists.

    Attributes:
        identity: As in `JudgeCard`, for answers to lists: another prompt makes another judge.
        most: Length of the longest list that it takes.
        prompt_hash: SHA-256 of the prompt template, for judges that have one.
    """

    identity: str
    most: int = 20
    prompt_hash: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateCard:
    """How a judge decides debates.

    Attributes:
        identity: As in `JudgeCard`, for verdicts on debates.
        prompt_hash: SHA-256 of the prompt template, for judges that have one.
        contents: What these verdicts must hold.
        advocate: Identity of the advocate, where it is settled: another advocate makes another debate.
    """

    identity: str
    prompt_hash: str | None = None
    contents: AnswerContents = field(default_factory=AnswerContents)
    advocate: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCard:
    """What the rest of the package knows about a judge.

    Attributes:
        identity: Names everything that may change its answers: kind, model, endpoint, prompt, options. Part of the
            verdict cache's key and stored in every verdict. Never holds a key or another secret.
        prompt_hash: SHA-256 of the prompt template, for judges that have one.
        reads_ids: Whether its answer may depend on the items' ids and not on their texts alone.
        concurrency: The most questions it takes at once; None for no limit.
        interactive: Whether a person answers at this terminal; nothing else may draw on it then.
        batched: Whether its questions are sent together, and answers take minutes to hours.
        lists: How it answers lists; None where it takes pairs only.
        debates: How it decides debates; None where it cannot.
        panel_debates: How it holds a debate within one answer; None where it cannot.
        contents: What its answers must hold.
        sends: Whether asking it sends a request to a model. People, functions, programs and recordings send none.
        reads_dossier: Whether its answer may depend on the dossier.
        dossier_hash: SHA-256 of the template that words the dossier for it; part of the verdict cache's key.
        scores_rubric: Whether it scores the criteria of the question's rubric in direct comparisons.
    """

    identity: str
    prompt_hash: str | None = None
    reads_ids: bool = False
    concurrency: int | None = None
    interactive: bool = False
    batched: bool = False
    lists: ListCard | None = None
    debates: DebateCard | None = None
    panel_debates: DebateCard | None = None
    contents: AnswerContents = field(default_factory=AnswerContents)
    sends: bool = True
    reads_dossier: bool = False
    dossier_hash: str = ""
    scores_rubric: bool = False

    @property
    def untimed(self) -> bool:
        """Whether no time limit holds for its answers: a person gives them, or they come in batches."""
        return self.interactive or self.batched

    @property
    def identities(self) -> frozenset[str]:
        """All identities that its verdicts may carry: for pairs, lists and debates."""
        forms = (self, self.lists, self.debates, self.panel_debates)
        return frozenset(form.identity for form in forms if form is not None)

    def answering(self, question: Question) -> "JudgeCard":  # noqa: ARG002  # a panel's card looks at it
        """The card of the judge that answers this question; for a panel, one of its members."""
        return self

    def identity_for(self, question: Question) -> str:
        """Identity of the judge of this question; lists and debates may have one of their own."""
        return self._form(question).identity

    def prompt_hash_for(self, question: Question) -> str | None:
        """SHA-256 of the prompt template that asks this question."""
        return self._form(question).prompt_hash

    def contents_for(self, question: Question) -> AnswerContents:
        """What the answer to this question must hold besides the choice."""
        card, form = self.answering(question), self._form(question)
        if isinstance(form, ListCard):
            return AnswerContents()
        rubric = None if question.dossier is None else question.dossier.rubric
        scores_rubric = card.scores_rubric if form is card else card.reads_dossier
        if rubric is None or not scores_rubric:
            return form.contents
        return replace(form.contents, weights=rubric.weights)

    def _form(self, question: Question) -> "JudgeCard | ListCard | DebateCard":
        card = self.answering(question)
        if question.others and card.lists is not None:
            return card.lists
        if question.panel and card.panel_debates is not None:
            return card.panel_debates
        return card.debates if question.turns and card.debates is not None else card


class Judge(Protocol):
    """Answers comparisons, and orders lists where its card says so. A wrapper is a judge around another judge."""

    @property
    def card(self) -> JudgeCard:
        """What the rest of the package knows about it."""
        ...

    async def compare(self, question: Question) -> Verdict:
        """Answer one comparison; a question with ``others`` gets a ranked verdict or an abstention.

        Raises:
            JudgeFailed: If there was no answer.
        """
        ...

    def price(self, question: Question) -> float | None:
        """Expected cost of the answer in US dollars; None where it is unknown."""
        ...

    async def close(self) -> None:
        """Release processes, connections and memory."""
        ...


@runtime_checkable
class ItemAware(Protocol):
    """A judge that knows beforehand which items it cannot judge."""

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The ids among ``ids`` that it cannot judge."""
        ...


@runtime_checkable
class Forecasting(Protocol):
    """A judge or an advocate that can forecast what its next answer takes, tokens included."""

    def forecast(self, question: Question) -> Spending:
        """Expected requests, tokens and US dollars of the answer."""
        ...


def forecast_of(judge: Judge, question: Question) -> Spending:
    """Expected spending on an answer: one request of unknown tokens where the judge makes no forecast."""
    # This is asked for every call, and isinstance of a protocol takes 100 times as long.
    forecast: Callable[[Question], Spending] | None = getattr(judge, "forecast", None)
    if forecast is not None:
        return forecast(question)
    if not judge.card.answering(question).sends:
        return Spending(dollars=judge.price(question))
    dollars = judge.price(question)
    return Spending(requests=1, unmetered=1, dollars=dollars, unpriced=int(dollars is None))


class Wrapper:
    """Passes everything on to the judge inside; each subclass changes one thing."""

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
        """Expected cost according to the judge inside, in US dollars."""
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


DossierOf = Callable[[Sequence[str]], Dossier | None]
"""What a judge sees beside the texts, by the ids of the items in the order of presentation."""


def no_dossier(ids: Sequence[str]) -> None:  # whatever is shown
    """Nothing is shown beside the texts."""


async def compare_pair(
    judge: Judge,
    pairing: Pairing,
    items: Mapping[str, Item],
    criteria: str,
    call_prefix: str,
    dossier: DossierOf = no_dossier,
) -> tuple[Comparison, ...]:
    """Ask one comparison for each of the pairing's orders, all at once.

    Waits for every comparison it started even if another one fails: the answer may have been paid for.

    Args:
        judge: The judge to ask.
        pairing: The two items, the orders in which to show them, and how long they are debated before each verdict.
        items: The items by id.
        criteria: What "better" means.
        call_prefix: Names the match; its calls are ``prefix.1``, ``prefix.2``, ...
        dossier: What the judge sees beside the texts.

    Returns:
        The comparisons, in the order of the pairing's orders; `Match.of` makes a match of them.

    Raises:
        JudgeFailed: If a call failed and the judge does not settle failures into verdicts.
        BudgetSpent: If the budget did not cover all orders.

    Source: the Swiss specification, "位置バイアスの軽減".
    """

    async def ask(number: int, order: Order) -> Comparison:
        first, second = pairing.shown(order)
        call = f"{call_prefix}.{number}"
        question = Question(
            call=call,
            first=items[first],
            second=items[second],
            criteria=criteria,
            turns=pairing.turns,
            dossier=dossier((first, second)),
            panel=pairing.panel,
            level=pairing.level,
        )
        return Comparison(call=call, first=first, second=second, verdict=await judge.compare(question))

    calls = (ask(number, order) for number, order in enumerate(pairing.orders, 1))
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return tuple(result for result in results if isinstance(result, Comparison))


async def order_lineup(
    judge: Judge,
    lineup: Lineup,
    items: Mapping[str, Item],
    criteria: str,
    call_prefix: str,
    dossier: DossierOf = no_dossier,
) -> Ranking:
    """Ask for the order of a lineup.

    Args:
        judge: The judge to ask; its card must allow lists of this length.
        lineup: The ids in the order in which to show them.
        items: The items by id.
        criteria: What "better" means.
        call_prefix: Names the match; its only call is ``prefix.1``.
        dossier: What the judge sees beside the texts.

    Raises:
        JudgeFailed: If the call failed and the judge does not settle failures into verdicts.
        BudgetSpent: If the budget did not cover it.
    """
    call, (first, second, *rest) = f"{call_prefix}.1", (items[id] for id in lineup.items)
    question = Question(
        call=call,
        first=first,
        second=second,
        others=tuple(rest),
        criteria=criteria,
        dossier=dossier(lineup.items),
    )
    return Ranking(call=call, shown=lineup.items, verdict=await judge.compare(question))


def in_debate(question: Question) -> bool:
    """Whether the question's debate is still going on, so that the advocate answers rather than the judge."""
    return len(question.transcript) < 2 * question.turns
