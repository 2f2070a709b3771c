"""Matches as columns: what bulk import hands to the ledger, a chunk at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paragone.domain import Choice, Comparison, Match, Order, Pairing, Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Matches of one comparison each, as columns of one length, in the order of play.

    Attributes:
        id: Ids of the matches; each comparison is called like its match.
        a: Ids of the items named first, which were shown first.
        b: Ids of the others.
        choice: What was said.
        probability: The probability that ``a`` is better, where one was given.
        judge: Who said it.
        confidence: How much each match counts, in [0.1, 1].
    """

    id: Sequence[str]
    a: Sequence[str]
    b: Sequence[str]
    choice: Sequence[Choice]
    probability: Sequence[float | None]
    judge: Sequence[str]
    confidence: Sequence[float]

    def __len__(self) -> int:
        return len(self.id)

    def matches(self) -> Iterator[Match]:
        """The same, one by one, as the nouns that ``ledger.matches.record`` takes."""
        columns = (self.id, self.a, self.b, self.choice, self.probability, self.judge, self.confidence)
        for id, a, b, choice, probability, judge, confidence in zip(*columns, strict=True):
            verdict = Verdict(choice=choice, judge=judge, probability=probability)
            comparison = Comparison(call=id, first=a, second=b, verdict=verdict)
            made = Match.of(id, Pairing(a=a, b=b, orders=(Order.AB,)), (comparison,))
            yield Match(id=id, a=a, b=b, outcome=made.outcome, comparisons=made.comparisons, confidence=confidence)
