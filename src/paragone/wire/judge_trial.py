"""Trials of judges on pairs whose better item is known."""

from dataclasses import dataclass

from paragone.wire.spending import SpendingSummary
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class ShareEstimate(Value):
    """A share with its 95 % interval.

    Attributes:
        share: The share; None where nothing tells.
        low: Lower end of its interval.
        high: Upper end.
        count: On how many it rests.
    """

    share: float | None
    low: float
    high: float
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeTrial(Value):
    """How a judge did on labelled pairs. A tie counts as half an agreement.

    Attributes:
        spec: The judge or the template, as it was named.
        judge: Its identity.
        prompt_hash: SHA-256 of its template; None without one.
        pairs: Pairs that it was asked about, in both orders.
        agreement: Agreement with the labels, over pairs.
        first: Decisions for the text shown first; one half without position bias.
        longer: Decisions for the longer text.
        longer_labels: Pairs in which the longer text is the better one: ``longer`` without length bias.
        ties: Answers that are ties.
        orders: Pairs that got the same answer in both orders.
        repeats: Questions asked twice that got the same answer twice.
        abstained: Answers that declined to say.
        failed: Questions without an answer.
        spending: What the answers took.
        dollars_per_decision: US dollars a decision; None where that is not known.
        tokens_per_decision: Tokens a decision, sent and received.
        seconds_per_decision: Seconds that an answer took.
    """

    spec: str
    judge: str
    prompt_hash: str | None
    pairs: int
    agreement: ShareEstimate
    first: ShareEstimate
    longer: ShareEstimate
    longer_labels: float | None
    ties: ShareEstimate
    orders: ShareEstimate
    repeats: ShareEstimate
    abstained: int
    failed: int
    spending: SpendingSummary
    dollars_per_decision: float | None
    tokens_per_decision: float
    seconds_per_decision: float
