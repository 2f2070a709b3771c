"""What a judge is, and the card it carries."""

from dataclasses import dataclass
from typing import Protocol

from paragone.domain import Question, Verdict


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
    """

    identity: str
    prompt_hash: str | None = None
    reads_ids: bool = False
    concurrency: int | None = None
    interactive: bool = False
    lists: ListCard | None = None

    def identity_for(self, question: Question) -> str:
        """Who answers this question: on a list it may be somebody else than on a pair."""
        return self.lists.identity if question.others and self.lists is not None else self.identity

    def prompt_hash_for(self, question: Question) -> str | None:
        """SHA-256 of the prompt template that asks this question."""
        return self.lists.prompt_hash if question.others and self.lists is not None else self.prompt_hash


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
