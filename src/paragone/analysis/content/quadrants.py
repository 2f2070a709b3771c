"""R against Elo: what content is by both, and what to do about it.

Source: document M, "R vs ELO: Complementary Signals".
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from paragone.domain.content import Quadrant

OFTEN = 1200.0
"""Elo points above which content counts as often used, where nothing else is said: those of the middle tier."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """A quadrant in document M's words.

    Attributes:
        signals: High or low R and Elo.
        interpretation: What that says.
        action: What to do.
    """

    signals: str
    interpretation: str
    action: str


MEANINGS: Mapping[Quadrant, Meaning] = {
    Quadrant.BEST: Meaning(signals="High R + High ELO", interpretation="True AND frequently used", action="Prioritize"),
    Quadrant.LATENT: Meaning(signals="High R + Low ELO", interpretation="True but rarely accessed", action="Keep"),
    Quadrant.ECHO: Meaning(signals="Low R + High ELO", interpretation="Frequently accessed noise", action="Penalize"),
    Quadrant.PRUNE: Meaning(signals="Low R + Low ELO", interpretation="Noise you don't use", action="Archive"),
    Quadrant.UNKNOWN: Meaning(signals="R unknown", interpretation="Nothing is known of its truth", action="Find R"),
}


def quadrant(is_high: bool | None, elo: float, *, often: float = OFTEN) -> Quadrant:
    """Where content belongs.

    Args:
        is_high: Whether R is above its threshold; None where R is unknown.
        elo: The rating in Elo points.
        often: Ratings above this are high.
    """
    if is_high is None:
        return Quadrant.UNKNOWN
    if elo > often:
        return Quadrant.BEST if is_high else Quadrant.ECHO
    return Quadrant.LATENT if is_high else Quadrant.PRUNE


def sizes(quadrants: Iterable[Quadrant]) -> dict[Quadrant, int]:
    """How many there are of each, in document M's order; 0 where there is none."""
    counts = Counter(quadrants)
    return {one: counts[one] for one in Quadrant}
