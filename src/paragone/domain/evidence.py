"""What evidence about agents there is, and how each piece of it is named."""

from enum import StrEnum


class EvidenceKind(StrEnum):
    """Kinds of evidence about agents."""

    DEBATE = "debate"
    PREDICTION = "prediction"
    RESOLUTION = "resolution"
    DOMAIN_PREDICTION = "domain-prediction"
    CRITIQUE = "critique"
    RELATION = "relation"
    RED_TEAM = "redteam"
    VERIFICATION = "verification"
    REGISTRATION = "registration"


def reference(kind: EvidenceKind, sequence: int) -> str:
    """The name that every piece of evidence has, whether or not it was given an id.

    Args:
        kind: Its kind.
        sequence: Its place in the record of its pool.

    Example:
        >>> reference(EvidenceKind.CRITIQUE, 17)
        'critique#17'
    """
    return f"{kind.value}#{sequence}"


def parse_reference(text: str) -> tuple[EvidenceKind, int] | None:
    """The kind and the place that a reference names; None where a text is no reference."""
    kind, sign, sequence = text.rpartition("#")
    if (
        not sign
        or not (sequence.isascii() and sequence.isdecimal())
        or len(sequence) > 18
        or kind not in set(EvidenceKind)
    ):
        return None
    return EvidenceKind(kind), int(sequence)
