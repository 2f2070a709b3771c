"""Gold pairs, whose better item is known, and what they say about the judges of a board."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldPair:
    """Two items, and which of them is known to be better.

    Attributes:
        better: Id of the better item.
        worse: Id of the other.
    """

    better: str
    worse: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PairVerdict:
    """What all judges together, and known answers, say about one pair.

    Attributes:
        a: Id of one item.
        b: Id of the other.
        winner: Id of the item that is likelier to be the better one.
        probability: That it is.
        known: Whether it is a gold pair.
    """

    a: str
    b: str
    winner: str
    probability: float
    known: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldSuggestion:
    """A pair whose true answer would be most informative.

    Attributes:
        a: Id of one item.
        b: Id of the other.
        probability: That ``a`` is the better one, as far as is known now.
    """

    a: str
    b: str
    probability: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Direction:
    """Whether a board can be told from its mirror image.

    Attributes:
        identified: Whether it can: by gold, or because at least four of five judges agree.
        agreed: Judges whose answers clearly go with the board.
        inverted: Judges whose answers clearly go against it, and are turned round.
        mirrored: Probability that the whole board is upside down; it is part of the intervals and of the forecast.
        gold: How many gold pairs there were.
        panel: How many judges answered the same pairs, and gave verdicts on these together; 0 where each has a slope.
        factors: Whether two latent factors weigh the panel's answers, and not agreement alone.
        accuracy: Expected share of a panel's pairs without gold that it is right about; None where no factors weigh it.
    """

    identified: bool
    agreed: int
    inverted: int
    mirrored: float
    gold: int
    panel: int = 0
    factors: bool = False
    accuracy: float | None = None

    @property
    def in_words(self) -> str:
        """In a sentence."""
        return f"{self._verdict}; {self._reason}"

    @property
    def _verdict(self) -> str:
        if self.identified:
            return "identified"
        number = f"{WANTED - self.gold} " if self.gold < WANTED else ""
        more = "more " if self.gold else ""
        return f"direction not identified: {number}{more}known pairs would do (--gold, --suggest-gold)"

    @property
    def _reason(self) -> str:
        if self.panel:
            form = "two factors" if self.factors else "agreement"
            return f"{self.panel} judges of the same pairs, weighed by {form} and {self.gold} gold pairs"
        split = f"{self.agreed} of {self.agreed + self.inverted} judges agree"
        if self.inverted:
            split += f", {self.inverted} turned round" if self.inverted > 1 else ", one turned round"
        gold = f", by {self.gold} gold pairs" if self.gold else ""
        upside_down = f", {self.mirrored:.0%} that the board is upside down" if self.mirrored >= SMALL else ""
        return split + gold + upside_down


@dataclass(frozen=True, kw_only=True, slots=True)
class PriorAgreement:
    """How well the ratings that a model gave beforehand agree with the votes of a board.

    Attributes:
        items: How many of the board's items the model rates.
        correlation: Posterior mean of the correlation of the board's strengths with the ratings.
        low: Lower end of its 90 % interval.
        high: Upper end.
        useless: Probability that they have nothing to do with each other.
        inverted: Probability that the model has it upside down.
    """

    items: int
    correlation: float
    low: float
    high: float
    useless: float
    inverted: float

    @property
    def in_words(self) -> str:
        """In a sentence."""
        span = f"correlation {self.correlation:.2f} ({self.low:.2f} to {self.high:.2f}) by the votes"
        kinds = (("useless", self.useless), ("upside down", self.inverted))
        doubts = [f"{share:.0%} that it is {kind}" for kind, share in kinds if share >= SMALL]
        return "; ".join([f"{self.items} items rated, {span}", *doubts])


WANTED = 10
"""Gold pairs that tell which of two mirror images is right, also where three of five judges are wrong."""
SMALL = 0.005
"""A probability below this is not mentioned."""
