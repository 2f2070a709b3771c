"""What programs and admins write: pools, items, matches. What is sent again changes nothing."""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from paragone.domain import (
    Choice,
    Comparison,
    CriterionScore,
    Item,
    ItemKind,
    Match,
    Outcome,
    RatingConfig,
    Usage,
    Verdict,
    decide,
)
from paragone.errors import InvalidEvidence
from paragone.intake.items import MAX_ID, MAX_TEXT, check_item, checked
from paragone.tournaments.state import State
from paragone.tournaments.tournament_settings import settings_for
from paragone.web.books.library import Library
from paragone.web.people import PEOPLE
from paragone.web.views.values import Given, View, Words

Id = Annotated[Given, Field(min_length=1, max_length=MAX_ID)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0, le=10**9)]
Amount = Annotated[float, Field(ge=0.0, le=1e9)]


class ItemGiven(BaseModel, extra="forbid"):
    """An item to be added.

    Attributes:
        id: Its id within the pool; its text where none is given.
        text: What judges see.
    """

    id: Id | None = None
    text: Annotated[Given, Field(min_length=1, max_length=MAX_TEXT)]


class PoolGiven(BaseModel, extra="forbid"):
    """A pool for people to vote on.

    Attributes:
        name: What its id is made of.
        criteria: What "better" means, in words.
        items: Its items, two or more.
        judge: ``people``: tournaments with other judges are started as such.
        top: Settle who belongs to the top so many; the whole order where None.
        seed: Seeds the pairing; a random one where None.
        level: Probability that intervals are meant to hold.
    """

    name: Annotated[Given, Field(min_length=1, max_length=200)]
    criteria: Annotated[Given, Field(min_length=1, max_length=10_000)]
    items: Annotated[list[ItemGiven], Field(min_length=2)]
    judge: Literal["people"] = "people"
    top: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    level: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95


class ItemsGiven(BaseModel, extra="forbid"):
    """Items to be added to a pool.

    Attributes:
        items: They.
    """

    items: Annotated[list[ItemGiven], Field(min_length=1)]


class AddedView(View):
    """What was added.

    Attributes:
        added: Ids of the items that are new; the others were there already.
    """

    added: list[Words]


class ScoreGiven(BaseModel, extra="forbid"):
    """How both sides did on one criterion, from 0 to 1, by the order of presentation.

    Attributes:
        criterion: The criterion.
        first: What the item shown first scored.
        second: What the other scored.
    """

    criterion: Annotated[Given, Field(min_length=1, max_length=200)]
    first: Share
    second: Share


class AnswerGiven(BaseModel, extra="forbid"):
    """What a judge said in one order of presentation.

    Attributes:
        first: Id of the item shown first; the other one was shown second.
        choice: Which is better, by the order of presentation.
        judge: Identity of the judge; the caller's own where None. Only admins may name another.
        probability: The judge's own probability that the first is better.
        scores: Scores by criterion.
        rationale: Why.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cost: Money in US dollars.
        seconds: Time that it took.
    """

    first: Id
    choice: Literal["first", "second", "tie", "abstain"]
    judge: Annotated[Given, Field(min_length=1, max_length=500)] | None = None
    probability: Share | None = None
    scores: list[ScoreGiven] = []
    rationale: Annotated[Given, Field(max_length=100_000)] = ""
    input_tokens: Count = 0
    output_tokens: Count = 0
    cost: Amount | None = None
    seconds: Amount = 0.0


class MatchGiven(BaseModel, extra="forbid"):
    """A match between two that was played elsewhere.

    Attributes:
        id: Names it within its pool, and is the key by which sending it again changes nothing.
        a: Id of one item.
        b: Id of the other.
        answers: What judges said, in the order in which they were asked. The outcome is what they add up to.
        outcome: What it came to, where nothing is known of the answers. It moves the running Elo; the strength rests
            on answers alone.
        confidence: Weight of the match in the running Elo.
    """

    id: Id
    a: Id
    b: Id
    answers: Annotated[list[AnswerGiven], Field(max_length=100)] = []
    outcome: Literal["a", "b", "draw"] | None = None
    confidence: Annotated[float, Field(ge=0.1, le=1.0)] = 1.0


def create_pool(library: Library, given: PoolGiven, key: str | None = None) -> tuple[str, bool]:
    """Make a pool for people to vote on.

    Args:
        library: Where.
        given: What is wanted.
        key: Names the wish; the same again makes no other pool.

    Returns:
        Its id, which is the name and a number; and whether it was made now.

    Raises:
        Conflict: If the key was used for another pool.
        InvalidItems: If its items cannot be ranked.
    """
    wish = None if key is None else {"key": key, "of": hashlib.sha256(given.model_dump_json().encode()).hexdigest()}
    there = None if wish is None else library.ledger.wished(wish)
    if there is not None:
        return there.id, False
    items = [_item(one, ItemKind.TEXT) for one in given.items]
    pool = checked(items, [f"items.{place}" for place in range(len(items))], source="items")
    brief = settings_for(
        len(pool), criteria=given.criteria, judge=PEOPLE, top=given.top, seed=given.seed, level=given.level
    )
    return State.begin(library.ledger, given.name, brief, pool, RatingConfig(), wish=wish).id, True


def add_items(library: Library, pool: str, given: Sequence[ItemGiven]) -> AddedView:
    """Add items to a pool, to a tournament that runs too; those that are there with the same text stay as they are.

    Raises:
        NotFound: If there is no such pool.
        Conflict: If one is there with another text.
        InvalidItems: If one cannot be ranked.
    """
    kind = library.ledger.pool(pool).kind
    items = [_item(one, kind) for one in given]
    for place, item in enumerate(items):
        check_item(item, f"items.{place}")
    if library.is_tournament(pool):
        fresh = library.ledger.join(pool, items, round=library.ledger.count_rounds(pool) + 1)
        return AddedView(added=[item.id for item in fresh])
    known = library.ledger.some_items(pool, [item.id for item in items])
    library.ledger.add_items(pool, items)
    return AddedView(added=[item.id for item in items if item.id not in known])


def record_match(library: Library, pool: str, given: MatchGiven, judge: str) -> bool:
    """Record a match; the same again changes nothing.

    Args:
        library: Where.
        pool: Which pool.
        given: The match.
        judge: Who answered where an answer names nobody.

    Returns:
        Whether it is new.

    Raises:
        NotFound: If there is no such pool, or it lacks one of the items.
        Conflict: If the match is there with other content.
        InvalidEvidence: If it cannot be.
    """
    match = _match(given, judge)
    known = library.ledger.has_match(pool, match.id)
    library.ledger.record_match(pool, match)
    return not known


def _item(given: ItemGiven, kind: ItemKind) -> Item:
    return Item(id=given.text if given.id is None else given.id, text=given.text, kind=kind)


def _match(given: MatchGiven, judge: str) -> Match:
    if given.a == given.b:
        raise InvalidEvidence(f"match {given.id!r} pairs {given.a!r} with itself")
    if bool(given.answers) == (given.outcome is not None):
        raise InvalidEvidence(f"match {given.id!r} has either answers, which add up to its outcome, or an outcome")
    calls = tuple(_call(given, place, answer, judge) for place, answer in enumerate(given.answers, start=1))
    scores = (call.score_of(given.a) for call in calls)
    outcome = Outcome(given.outcome) if given.outcome else decide(score for score in scores if score is not None)
    return Match(id=given.id, a=given.a, b=given.b, outcome=outcome, comparisons=calls, confidence=given.confidence)


def _call(given: MatchGiven, place: int, answer: AnswerGiven, judge: str) -> Comparison:
    if answer.first not in {given.a, given.b}:
        raise InvalidEvidence(f"answer {place} of match {given.id!r} is about {answer.first!r}, who is not in it")
    verdict = Verdict(
        choice=Choice(answer.choice),
        judge=answer.judge or judge,
        probability=answer.probability,
        scores=tuple(
            CriterionScore(criterion=one.criterion, first=one.first, second=one.second) for one in answer.scores
        ),
        rationale=answer.rationale,
        usage=Usage(
            calls=1,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cost=answer.cost,
            seconds=answer.seconds,
        ),
    )
    second = given.b if answer.first == given.a else given.a
    return Comparison(call=f"{given.id}/{place}", first=answer.first, second=second, verdict=verdict)
