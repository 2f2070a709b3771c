"""What figures are called and what they mean: words that a newcomer knows, and the exact term behind them.

Pages, reports and the terminal take their labels from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Term:
    """A figure.

    Attributes:
        name: What it is called, as a heading.
        meaning: What it means, in a sentence or two.
        exact: What the field calls it; empty if it has no other name.
    """

    name: str
    meaning: str
    exact: str = ""

    @property
    def label(self) -> str:
        """Its name within a line, with the exact term behind it."""
        words = self.name[0].lower() + self.name[1:]
        return f"{words} ({self.exact})" if self.exact else words


TERMS: Mapping[str, Term] = {
    "strength": Term(
        name="Strength",
        meaning="How good an item is, from all matches at once; what judges favour by the order of showing is taken "
        "out. One that is 100 points ahead of another is expected to win 64 of 100 comparisons, 400 points ahead 91.",
        exact="Bradley-Terry",
    ),
    "interval": Term(
        name="Interval",
        meaning="Where the strength lies with a probability of 95%, if nothing else is said. While two of them overlap "
        "much, the two items cannot be told apart yet; more matches make them narrower.",
        exact="credible interval",
    ),
    "ranks": Term(
        name="Range of ranks", meaning="The best and the worst place that an item may have, as far as is known."
    ),
    "elo": Term(
        name="Elo",
        meaning="A running score: each match moves it, the more the less its result was expected. It is there at once, "
        "however large the pool; unlike the strength it depends on the order of the matches.",
    ),
    "record": Term(name="W–L–T", meaning="Matches won, lost and tied."),
    "form": Term(name="Form", meaning="What the last matches brought, the newest at the right: W won, L lost, T tied."),
    "p_best": Term(name="The first is the best", meaning="Probability that the item on top is truly the best."),
    "recall": Term(
        name="True top found",
        meaning="How many of those who truly belong to the top are expected to be there.",
        exact="recall",
    ),
    "tau": Term(
        name="Expected agreement with the true order",
        meaning="How like the true order this one is expected to be: 1 is the same order, 0 a random one. At 0.9, 95 "
        "of 100 pairs stand the right way round.",
        exact="Kendall's tau",
    ),
    "no_signal": Term(
        name="No signal beyond chance",
        meaning="Probability that nothing tells the items apart so far: that every answer might as well have been "
        "drawn by lot.",
    ),
    "bias": Term(
        name="Bias for the first",
        meaning="How much a judge favours what it is shown first, as log-odds: 0 is not at all, +0.5 makes 62 of 100 "
        "out of an even chance. Strengths are corrected for it.",
        exact="position bias",
    ),
    "agreement": Term(
        name="Agreement", meaning="How many of a judge's decided answers went to the side that the other judges prefer."
    ),
    "sharpness": Term(
        name="Sharpness",
        meaning="How clearly a judge tells items apart, 1 being usual here. A sharper judge counts for more.",
        exact="slope",
    ),
    "decision": Term(
        name="Cost of a decision", meaning="What an answer costs that is neither a tie nor an abstention."
    ),
    "stability": Term(
        name="Stability",
        meaning="How like the running Elo ranks items as it did a round before: 1 is the same order.",
        exact="rank correlation",
    ),
}
AGREEMENT = TERMS["tau"]
BRIEF_AGREEMENT = "expected agreement"
"""The same where a heading has little room, and a note says more."""
LOG_ODDS = "log-odds"
"""The unit of strengths and biases before they become Elo points; the field also says nats."""


def top_found(top: int) -> str:
    """The label of the expected share of the true top."""
    return f"of the true top {top:,}, expected among the first {top:,} ({TERMS['recall'].exact})"
