"""What a judge is, and the card it carries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from paragone.domain import Question, Spending, Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
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
        asked: What these verdicts are to hold.
        advocate: Who speaks in the debates, where that is settled: another advocate makes another debate.
    """

    identity: str
    prompt_hash: str | None = None
    asked: Asked = field(default_factory=Asked)
    advocate: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCard:
    """What the rest of the house must know about a judge.

    Attributes:
        identity: Names everything that may change its answers: kind, model, endpoint, prompt, options. Part of the
            verdict cache's key and stored in every verdict. Never holds a key or another secret.
        prompt_hash: SHA-256 of the prompt template, for judges that have one.
        reads_ids: Whether its answer may depend on the items' ids and not on their texts alone.
        concurrency: How many questions it takes at once at the most; None where it does not mind.
        interactive: Whether a person answers at this terminal, so that nothing else may draw on it.
        lists: About its answers to lists of several; None where it takes pairs alone.
        debates: About its verdicts on debates; None where it cannot hear any.
        asked: What its answers are to hold.
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
    asked: Asked = field(default_factory=Asked)
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

    def asked_for(self, question: Question) -> Asked:
        """What the answer to this question is to hold besides the choice."""
        form = self._form(question)
        return Asked() if isinstance(form, ListCard) else form.asked

    def _form(self, question: Question) -> "JudgeCard | ListCard | DebateCard":
        card = self.answering(question)
        if question.others and card.lists is not None:
            return card.lists
        return card.debates if question.turns and card.debates is not None else card


class Judge(Protocol):
    """Answers comparisons, and puts lists in order where its card says so. A wrapper is a judge around a judge."""

    @property
    def card(self) -> JudgeCard:
        """What the rest of the house must know about it."""
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
class Choosy(Protocol):
    """What a judge may say besides: which items it cannot judge, known before it is asked."""

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of some items that it cannot judge."""
        ...


@runtime_checkable
class Foreseeing(Protocol):
    """What a judge or an advocate may say besides: what its next answer will take, tokens included."""

    def forecast(self, question: Question) -> Spending:
        """Requests, tokens and dollars that the answer will most likely take."""
        ...


def foreseen(judge: Judge, question: Question) -> Spending:
    """What the answer to a question will likely take: one request, of unknown tokens where the judge cannot say."""
    if isinstance(judge, Foreseeing):
        return judge.forecast(question)
    if not judge.card.answering(question).sends:
        return Spending(dollars=judge.price(question))
    dollars = judge.price(question)
    return Spending(requests=1, unmetered=1, dollars=dollars, unpriced=int(dollars is None))
