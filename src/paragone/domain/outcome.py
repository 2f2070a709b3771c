"""What a judge answers, and what a match comes to."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class Choice(StrEnum):
    """A judge's answer to one comparison, by the order of presentation; ``RANKED`` answers a list of several.

    A tie, an abstention and a failure are three different things: a tie is evidence that the two are close, an
    abstention is a judge that declined to say, a failure is a call that brought no answer.
    """

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"
    RANKED = "ranked"
    ABSTAIN = "abstain"
    FAILED = "failed"

    @property
    def is_evidence(self) -> bool:
        """Whether the answer says anything about the items."""
        return self in (Choice.FIRST, Choice.SECOND, Choice.TIE, Choice.RANKED)

    @property
    def is_answer(self) -> bool:
        """Whether the judge answered at all; only answers are cached."""
        return self is not Choice.FAILED


class Outcome(StrEnum):
    """The outcome of a match between ``a`` and ``b``. A void match changes no rating."""

    A = "a"
    B = "b"
    DRAW = "draw"
    VOID = "void"

    @property
    def score(self) -> float:
        """The score of ``a``: 1, 0.5 or 0.

        Raises:
            ValueError: If the match is void: it has no score.
        """
        return _SCORES[self]


class _Scores(dict[Outcome, float]):
    def __missing__(self, outcome: Outcome) -> float:
        raise ValueError(f"a {outcome} match has no score")


_SCORES = _Scores({Outcome.A: 1.0, Outcome.DRAW: 0.5, Outcome.B: 0.0})


@dataclass(frozen=True, kw_only=True, slots=True)
class CriterionScore:
    """How both sides did on one criterion, each from 0 to 1, by the order of presentation."""

    criterion: str
    first: float
    second: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """The resources that a verdict took.

    Attributes:
        calls: Requests made, retries included; 0 for a verdict that came from the cache.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cost: Money in US dollars, or None where the price is not known.
        seconds: Wall time.
        cached_tokens: Tokens sent that the provider had in its cache of prompts, where it says so. It is counted for
            each run and not recorded with each verdict.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0
    cached_tokens: int = field(default=0, compare=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The answer to one comparison.

    Attributes:
        choice: The answer, by the order of presentation.
        judge: Identity of the judge that gave it.
        order: For a list of several, all its places in the order of presentation, from 0, the best first.
        probability: The judge's own probability that the first is better, where it gives one; the fit takes it as a
            soft outcome.
        scores: Scores by criterion, where the judge gives them.
        rationale: Why, in the judge's words. Untrusted.
        prompt_hash: SHA-256 of the prompt template, for judges that have one.
        usage: What it took.
        error: What went wrong, for a failure; never holds a key.
        cached: Whether the answer was taken from an earlier verdict.
    """

    choice: Choice
    judge: str
    order: tuple[int, ...] = ()
    probability: float | None = None
    scores: tuple[CriterionScore, ...] = ()
    rationale: str = ""
    prompt_hash: str | None = None
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    cached: bool = False

    def __post_init__(self) -> None:
        if self.probability is not None and not 0.0 <= self.probability <= 1.0:
            raise ValueError(f"a verdict's probability lies in [0, 1], not {self.probability}")
        if (self.choice is Choice.RANKED) != bool(self.order):
            raise ValueError(f"a ranked verdict has an order, and no other has: {self.choice}, {self.order}")
        if sorted(self.order) != list(range(len(self.order))):
            raise ValueError(f"an order names each place from 0 once, not {self.order}")


def decide(scores_of_a: Iterable[float]) -> Outcome:
    """Aggregate the answered comparisons of a match: more wins wins, equal is a draw, none is void.

    Args:
        scores_of_a: For each answered comparison 1 if ``a`` won it, 0 if ``b`` did, 0.5 for a tie.

    Source: the Swiss specification, "勝敗判定ロジック" (an error skips that comparison).
    """
    scores = list(scores_of_a)
    if not scores:
        return Outcome.VOID
    lead = sum(scores) - len(scores) / 2
    if lead == 0:
        return Outcome.DRAW
    return Outcome.A if lead > 0 else Outcome.B
