"""Is the new system better than the old one? The design of a sequential test on paired outputs, and its result."""

import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from paragone.domain.displayed import Displayed
from paragone.domain.spending import NOTHING, Spending
from paragone.errors import InvalidConfig

PAIRED = "paired"
"""The pairing of a paired comparison: the two outputs for one question meet, question by question."""


class PairedVerdict(StrEnum):
    """The verdict of a paired comparison on the new system."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "no difference larger than the margin"
    OPEN = "not settled"

    @property
    def is_settled(self) -> bool:
        """Whether the test stopped by itself."""
        return self is not PairedVerdict.OPEN


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedDesign:
    """A sequential test of whether outputs of a new system win more often than those of an old one.

    Attributes:
        new: Name of the new system.
        old: Name of the old one.
        alpha: Probability of "better" or "worse" where neither is true, at the most, however often one looks.
        power: Probability of not missing a difference of the margin; ``1 - power`` bounds the error of "no difference".
        margin: The smallest difference that matters, as a probability of winning beyond one half: 0.1 is 60 to 40.
        block: Questions that are asked ahead at the least, whether or not they are needed in any case.
    """

    new: str = "new"
    old: str = "old"
    alpha: float = 0.05
    power: float = 0.95
    margin: float = 0.1
    block: int = 1

    def __post_init__(self) -> None:
        _within("alpha", self.alpha, 0.0, 0.5)
        _within("power", self.power, 0.5, 1.0)
        _within("margin", self.margin, 0.0, 0.5)
        if self.block < 1:
            raise InvalidConfig(f"block must be at least 1, not {self.block}", key="block")
        if not self.new.strip() or not self.old.strip() or self.new == self.old:
            raise InvalidConfig(f"the two systems need names that differ, not {self.new!r} and {self.old!r}")


def _within(name: str, value: float, low: float, high: float) -> None:
    if not (math.isfinite(value) and low < value < high):
        raise InvalidConfig(f"{name} lies strictly between {low:g} and {high:g}, not {value:g}", key=name)


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedLook:
    """What the scores so far say.

    Attributes:
        verdict: What the test comes to.
        settled_after: Questions after which it did; None while it is open.
        estimate: Mean score of the new system: its probability of winning, ties as half. None without a question.
        low: Lower end of the interval, which holds at all looks together.
        high: Upper end.
        p_better: Evidence against "not better", as an anytime-valid p-value.
        p_worse: Evidence against "not worse".
        fixed_questions: Questions that a fixed-sample test takes at the same alpha, power and margin, by the spread of
            scores around one half that was seen; None without a question.
    """

    verdict: PairedVerdict = PairedVerdict.OPEN
    settled_after: int | None = None
    estimate: float | None = None
    low: float = 0.0
    high: float = 1.0
    p_better: float = 1.0
    p_worse: float = 1.0
    fixed_questions: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedResult(Displayed):
    """How a new system compares with an old one.

    Attributes:
        design: The test.
        look: The result so far.
        questions: Questions with a score.
        available: Questions there are.
        wins: Questions on which the new system won.
        losses: Questions on which it lost.
        ties: Questions on which neither did, those included on which the order of presentation decided.
        identical: Of these, questions with the same output on both sides, which need no call.
        by_order: Questions on which each order of presentation had another winner.
        unanswered: Questions that were asked and have no score, since an answer failed or the judge abstained.
        calls: Judge calls behind the scores; answers from earlier verdicts are among them.
        fixed_calls: Calls of the fixed-sample test; None where that cannot be told.
        spending: What the run took; nothing for recorded votes.
        tournament: Id of the tournament that has it on record; empty for recorded votes.
        judge: The judge, by its spec.
        stopped: Why it stopped, in words.
        notes: What else there is to know, in sentences.
    """

    design: PairedDesign
    look: PairedLook
    questions: int
    available: int
    wins: int
    losses: int
    ties: int
    identical: int = 0
    by_order: int = 0
    unanswered: int = 0
    calls: int = 0
    fixed_calls: int | None = None
    spending: Spending = NOTHING
    tournament: str = ""
    judge: str = ""
    stopped: str = ""
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> PairedVerdict:
        """What the test comes to."""
        return self.look.verdict

    @property
    def in_words(self) -> str:
        """The verdict, as a sentence."""
        design = self.design
        if self.verdict is PairedVerdict.SAME:
            return f"{design.new} and {design.old}: no difference larger than {design.margin:g}"
        if self.verdict is PairedVerdict.OPEN:
            return f"{design.new} against {design.old}: not settled"
        return f"{design.new} is {self.verdict} than {design.old}"

    def __str__(self) -> str:
        look = self.look
        if look.estimate is None:
            return f"{self.in_words}; no question has a score"
        return (
            f"{self.in_words}; it wins {look.estimate:.1%} ({look.low:.1%} to {look.high:.1%}), "
            f"{self.questions} questions, {self.calls} calls"
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        spending = self.spending.as_dict()
        del spending["seconds"]  # of the same seed everything else is the same
        values = {**asdict(self), "spending": spending}
        return {"verdict": self.verdict.value, "settled": self.verdict.is_settled, **values}
