"""What judging took."""

from dataclasses import dataclass, fields

from paragone.domain import Spending
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class SpendingSummary(Value):
    """What something took: decisions, requests, tokens, dollars.

    Attributes:
        decisions: Verdicts that count, those from earlier verdicts included.
        cached: Decisions taken from earlier verdicts.
        requests: What was sent to models: questions, turns, retries and failures.
        failed: Attempts that brought no answer.
        turns: Turns of debates.
        units: Compute units: a decision that was asked for is one, and so is a turn.
        tokens: Tokens sent and received, as far as they are known.
        input_tokens: Of these, those sent.
        output_tokens: Of these, those received.
        unmetered: Requests whose tokens are not known.
        dollars: Money in US dollars; None where a part of it is not known.
        dollars_known: The known part; None if none is known.
        unpriced: Requests whose price is not known.
        seconds: Time that judges and advocates took, added up.
        sentence: The four counts in words.
    """

    decisions: int
    cached: int
    requests: int
    failed: int
    turns: int
    units: int
    tokens: int
    input_tokens: int
    output_tokens: int
    unmetered: int
    dollars: float | None
    dollars_known: float | None
    unpriced: int
    seconds: float
    sentence: str

    @classmethod
    def of(cls, spending: Spending) -> "SpendingSummary":
        """The view of a value."""
        return cls(**spending.as_dict())

    def value(self) -> Spending:
        """The value that this is a view of."""
        counts = {field.name: getattr(self, field.name) for field in fields(Spending)}
        return Spending(**{**counts, "dollars": self.dollars_known})

    def tiles(self) -> list[tuple[str, str]]:
        """The four counts as a page shows them."""
        return [(name.capitalize(), words) for name, words in self.value().facts().items()]
