"""What judges see beside the texts, and what people asked them to heed."""

from dataclasses import dataclass
from datetime import datetime

from paragone.domain.dossier import Criterion
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
    rubric: list[Criterion]
    insights: list[str]
    directives: list[str]
    max_tokens: int
    shortened: list[str]
    items_with_notes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DossierPart(Value):
    """A part of a dossier as a judge sees it.

    Attributes:
        name: What it is: goal, rubric, directives, preferences, constraints, insights; or the id of the item it is on.
        text: Its text, cut where it was too long.
    """

    name: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SeenDossier(Value):
    """What judges of a match who read a dossier saw beside the texts.

    Attributes:
        parts: What all questions of the round share, in the order of the prompt.
        notes: What is known of each item: its best review, attributes, evidence; empty where nothing is.
        shortened: What was cut or left out for its length.
    """

    parts: list[DossierPart]
    notes: list[DossierPart]
    shortened: list[str]
