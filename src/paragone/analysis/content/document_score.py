"""The score of a search by the memory specification's formula, in which a rating may outweigh similarity."""

ELO_LOW = 800.0
"""Elo points at which a normalised rating is 0."""
ELO_HIGH = 2000.0
"""Elo points at which it is 1."""
CLOSED = 0.25
"""What a closed gate of R lets through."""
SIMILARITY_SHARE = 0.7
"""What likeness weighs in the specification's formula; the rating has the rest."""


def elo_norm(elo: float) -> float:
    """A rating in Elo points as a number in [0, 1]: 0 up to 800, 1 from 2000.

    Example:
        1200 gives 1/3, 1600 gives 2/3.
    """
    return min(max((elo - ELO_LOW) / (ELO_HIGH - ELO_LOW), 0.0), 1.0)


def r_gate(is_high: bool | None) -> float:
    """1 where R is high, 0.25 where it is low. Unknown R (None) is not low R: 1."""
    return CLOSED if is_high is False else 1.0


def document_score(similarity: float, norm: float, gate: float) -> float:
    """``R_gate (0.7 similarity + 0.3 elo_norm)``.

    Example:
        Likeness 0.8 at 1600 (2/3) is 0.76, and 0.19 with a low R.
    """
    return gate * (SIMILARITY_SHARE * similarity + (1.0 - SIMILARITY_SHARE) * norm)
