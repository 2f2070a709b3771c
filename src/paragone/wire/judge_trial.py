"""Trials of judges on pairs whose better item is known."""

from collections.abc import Mapping
from dataclasses import dataclass

from paragone.wire.spending import SpendingSummary
from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class ShareEstimate(Value):
    """A share with its 95 % interval.

    Attributes:
        share: The share; None if there is nothing to estimate it from.
        low: Lower end of its interval.
        high: Upper end.
        count: Number of answers it rests on.
    """

    share: float | None
    low: float
    high: float
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialFigures(Value):
    """How good a judge is on labelled pairs. A tie counts as half an agreement.

    Attributes:
        agreement: Agreement with the labels, over pairs: the mean of the answers to a pair is one score.
        first: Decisions for the text shown first; one half without position bias, if pairs are shown in both orders.
        longer: Decisions for the longer text, where lengths differ.
        longer_labels: Pairs in which the longer text is the better one: ``longer`` without length bias.
        ties: Answers that are ties.
        orders: Pairs shown in both orders that got the same answer in both.
        repeats: Questions asked twice that got the same answer twice.
        abstained: Answers that declined to say.
        failed: Questions without an answer in the form that was asked for.
        reasons: Why they failed, each with how many did, the most frequent first.
    """

    agreement: ShareEstimate
    first: ShareEstimate
    longer: ShareEstimate
    longer_labels: float | None
    ties: ShareEstimate
    orders: ShareEstimate
    repeats: ShareEstimate
    abstained: int
    failed: int
    reasons: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeTrial(TrialFigures):
    """How a judge did on labelled pairs, each shown in both orders, and what that took.

    Attributes:
        spec: The judge or the template, as it was named.
        protocol: ``direct``, ``panel`` or ``debate``.
        judge: Its identity.
        prompt_hash: SHA-256 of its template; None without one.
        pairs: Pairs that it was asked about.
        sharpness: How many times sharper than its direct verdicts, by the log-odds of the two agreements; None for
            these, and where they are no better than chance or were not measured.
        information: What 1,000 tokens say about a label, in bits; None where no tokens are known.
        spending: What the answers took, turns of debates included.
        requests_per_decision: Requests a decision.
        dollars_per_decision: US dollars a decision; None where that is not known.
        tokens_per_decision: Tokens a decision, sent and received.
        seconds_per_decision: Seconds that an answer took.
    """

    spec: str
    protocol: str = "direct"
    judge: str
    prompt_hash: str | None
    pairs: int
    sharpness: float | None = None
    information: float | None = None
    spending: SpendingSummary
    requests_per_decision: float
    dollars_per_decision: float | None
    tokens_per_decision: float
    seconds_per_decision: float
