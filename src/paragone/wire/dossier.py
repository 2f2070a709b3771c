"""What judges see beside the texts, and what people asked them to heed."""

from dataclasses import dataclass
from datetime import datetime

from paragone.wire.value import Value


@dataclass(frozen=True, kw_only=True, slots=True)
class Directive(Value):
    """What a person asked judges to heed.

    Attributes:
        number: Its number in the tournament, from 1.
        text: The words.
        by: Who said it; empty if that is not known.
        at: When it came on record.
        withdrawn: Whether it was taken back.
    """

    number: int
    text: str
    by: str
    at: datetime
    withdrawn: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Directives(Value):
    """What people asked judges to heed.

    Attributes:
        directives: The directives, in the order in which they were given.
    """

    directives: list[Directive]


@dataclass(frozen=True, kw_only=True, slots=True)
class RubricCriterion(Value):
    """A criterion by which judges score.

    Attributes:
        name: Its name.
        definition: What is meant by it.
        scale: What the ends of the scale mean; scores are numbers from 0 to 1.
        weight: Its share in the decision, from 0 to 1.
    """

    name: str
    definition: str
    scale: str
    weight: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Dossier(Value):
    """What judges see beside the texts, as of now: for matches that are planned from now on.

    Attributes:
        is_given: Whether they see anything.
        goal: The research goal.
        preferences: What is preferred among equals.
        constraints: What must hold.
        rubric: By what to score; empty without a rubric.
        insights: What a meta-review found.
        directives: What people asked judges to heed and did not take back.
        max_tokens: Its length at the most, in tokens.
        shortened: Parts that are cut, since it is longer.
        items_with_notes: Items with attributes, evidence or a review in words.
    """

    is_given: bool
    goal: str
    preferences: list[str]
    constraints: list[str]
    rubric: list[RubricCriterion]
    insights: list[str]
    directives: list[str]
    max_tokens: int
    shortened: list[str]
    items_with_notes: int
