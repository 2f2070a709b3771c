"""What a judge's protocols are worth on labelled pairs."""

from dataclasses import dataclass

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class ProtocolValue(Value):
    """What one protocol is worth.

    Attributes:
        protocol: ``direct``, ``panel`` or ``debate``.
        answered: Pairs that were answered.
        failed: Pairs without an answer.
        accuracy: Share of the answers that agree with the label; a tie counts half.
        low: Lower end of the 95 % interval of the accuracy (Wilson).
        high: Upper end of it.
        requests: Requests a pair.
        tokens: Tokens a pair, sent and received.
        sharpness: How many times sharper than a direct verdict, by the log-odds of the two accuracies; None for the
            direct one, and where that is no better than chance.
        information: What 1,000 tokens say about the label, in bits.
    """

    protocol: str
    answered: int
    failed: int
    accuracy: float
    low: float
    high: float
    requests: float
    tokens: float
    sharpness: float | None
    information: float
